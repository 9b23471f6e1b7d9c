"""The spine of sequential IK: bent, stretched, twisted (section 4 of the SIK paper; Algorithm 3).

The spine is a chain of joints whose first is the pelvis. When pelvis and head are known as
positions only, the whole chain is free to turn. When the pelvis's rotation is known, the chain that
bends starts one joint higher: `start` is 0 or 1.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import (
    limit_project,
)
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_twist_angle,
)
from ...kernels.types import (
    Quat,
    Vec3,
)
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_unit,
)
from ..people.tables import STRETCH_SAMPLES
from .context import Context

COARSE, FINE = 0.1, 0.01
"""Steps of the bend angle in the two phases of Algorithm 3 [rad]."""
COARSE_STEPS, FINE_STEPS, EXACT_STEPS = 32, 16, 8
"""Most steps of each phase."""
STILL = 1e-6
"""A step that changes the spine's length by less than this part of the height changes nothing."""

INCREMENTAL, EXACT = 1, 0
"""Choices of `SequentialSolver.spine_mode` and `spine_search`."""
SAGITTAL, CHORD, VERTICAL, PREVIOUS = 0, 1, 2, 3
"""How the plane in which the spine bends is chosen."""


@helper
def bend_normal(c: Context, frame: Quat, chord: Vec3, goal: Vec3) -> Vec3:
    """Normal of the plane in which the spine bends, in the world.

    Positive rotation about it leans the way the back arches. The plane has no orientation of
    its own: a normal that turned over since the last frame is turned back, or the spine
    would snap to its mirror image when a bow is reversed.
    """
    settings, state = c.settings, c.state
    left = quat_rotate(frame, (1.0, 0.0, 0.0))
    if settings.bend == SAGITTAL:
        return left
    start = quat_rotate(frame, chord)
    if settings.bend == VERTICAL:
        start = (0.0, 1.0, 0.0)
    elif settings.bend == PREVIOUS and state.frames > 0:
        start = as3(state.chord)
    previous = as3(state.normal) if state.bent else left
    across = vec_cross(start, goal)
    # A plane spanned by nearly parallel vectors is noise: keep the plane of before.
    if vec_length(across) < 1e-4 * vec_length(start) * vec_length(goal):
        return previous
    normal = vec_unit(across, previous)
    if vec_dot(normal, previous) < 0.0 and settings.bend != VERTICAL:
        return vec_scale(normal, -1.0)
    return normal


@helper
def spine_chord(c: Context, start: int) -> Vec3:
    """Vector from the first joint of the chain to the head, in that joint's frame."""
    body, work = c.body, c.work
    n = body.joints
    turn = (1.0, 0.0, 0.0, 0.0)
    chord = vec_load(body.segments, start)
    for k in range(start + 1, n - 1):
        turn = quat_mul(turn, quat_load(work.trial, k))
        chord = vec_add(chord, quat_rotate(turn, vec_load(body.segments, k)))
    return chord


@helper
def spine_bend(c: Context, start: int, axis: Vec3, angle: float) -> float:
    """Bend the spine about an axis of its first joint's frame; its length afterwards.

    Eq. (1): the first joint turns by -angle, each later one by 2 angle / (n - 2) within its limits.
    The first joint's turn does not change the length and is left to the caller.
    """
    body, limits, work = c.body, c.limits, c.work
    n = body.joints
    inner = n - start - 2
    step = quat_from_axis_angle(axis, 2.0 * angle / inner if inner > 0 else 0.0)
    for k in range(start + 1, n - 1):
        quat_store(work.trial, k, limit_project(limits, k, step))
    return vec_length(spine_chord(c, start))


@helper
def spine_search(c: Context, start: int, axis: Vec3, goal: float) -> tuple[float, int, bool]:
    """Algorithm 3: the bend angle that gives the spine its length; steps taken; whether limits won.

    Coarse steps until the spine is too short, then fine steps back until it is too long again. By
    default every frame starts from the neutral spine, so the first phase always shortens;
    the incremental form starts from the angle of the frame before, whatever the sign.
    """
    body, settings, state = c.body, c.settings, c.state
    n = body.joints
    inner = n - start - 2
    most = inner * math.pi / (inner + 1)  # the chord of Eq. (2) is zero there
    still = STILL * body.height
    angle = state.angle if settings.spine_mode == INCREMENTAL and state.bent else 0.0
    length = spine_bend(c, start, axis, angle)
    sign = 1.0 if length > goal else -1.0
    steps = 0
    stuck = inner <= 0
    while sign * length > sign * goal and steps < COARSE_STEPS and not stuck:
        before = length
        following = angle + sign * COARSE
        stuck = following > most or following < 0.0
        angle = min(max(following, 0.0), most)
        length = spine_bend(c, start, axis, angle)
        steps += 1
        stuck = stuck or abs(length - before) < still
    outer, outer_length = angle, length
    fine = 0
    while sign * length < sign * goal and fine < FINE_STEPS and (sign < 0.0 or angle > 0.0):
        outer, outer_length = angle, length
        angle = max(angle - sign * FINE, 0.0)
        length = spine_bend(c, start, axis, angle)
        fine += 1
    limited = sign > 0.0 and length > goal and stuck  # unbending always ends at the neutral spine
    if settings.spine_search == EXACT and not limited and outer != angle:
        # Ours: the last fine step brackets the goal; close in on it by secants.
        for _ in range(EXACT_STEPS):
            span = outer_length - length
            if abs(length - goal) < still or abs(span) < 1e-3 * still:
                break
            middle = angle + (outer - angle) * (goal - length) / span
            middle = min(max(middle, min(angle, outer)), max(angle, outer))
            reached = spine_bend(c, start, axis, middle)
            fine += 1
            if sign * reached < sign * goal:
                outer, outer_length = middle, reached
            else:
                angle, length = middle, reached
        if abs(outer_length - goal) < abs(length - goal):
            angle = outer
        spine_bend(c, start, axis, angle)
    return angle, steps + fine, limited


@helper
def spine_stretch(c: Context, start: int, goal: float) -> Quat:
    """Pre-computed stretching posture of the wanted length; the first joint's turn.

    Every segment turns towards the chord by the same part of its own angle. The length flattens
    out quadratically at the end, so the table is read in the root of what is missing there.
    """
    body, limits, work = c.body, c.limits, c.work
    n = body.joints
    most = body.stretch_lengths[start, STRETCH_SAMPLES - 1]
    missing = math.sqrt(max(most - goal, 0.0))
    low, high = 0, STRETCH_SAMPLES - 1
    while high - low > 1:
        middle = (low + high) // 2
        if body.stretch_lengths[start, middle] > goal:
            high = middle
        else:
            low = middle
    at_low = math.sqrt(max(most - body.stretch_lengths[start, low], 0.0))
    at_high = math.sqrt(max(most - body.stretch_lengths[start, high], 0.0))
    part = (at_low - missing) / (at_low - at_high) if at_low > at_high else 1.0
    t = (low + min(max(part, 0.0), 1.0)) / (STRETCH_SAMPLES - 1)
    first = quat_from_axis_angle(
        (
            body.stretch_axes[start, start, 0],
            body.stretch_axes[start, start, 1],
            body.stretch_axes[start, start, 2],
        ),
        t * body.stretch_angles[start, start],
    )
    before = first
    for k in range(start + 1, n - 1):
        axis = (
            body.stretch_axes[start, k, 0],
            body.stretch_axes[start, k, 1],
            body.stretch_axes[start, k, 2],
        )
        turn = quat_from_axis_angle(axis, t * body.stretch_angles[start, k])
        local = quat_mul(quat_conj(before), turn)
        quat_store(work.trial, k, limit_project(limits, k, local))
        before = turn
    return first


@helper
def spine_twist(c: Context, frame: Quat, start: int, head: Quat) -> None:
    """Share the axial turn between pelvis and head among thoracic and cervical joints.

    Lumbar joints hardly turn about their axis and receive none.
    """
    body, limits, work = c.body, c.limits, c.work
    n = body.joints
    top = frame
    sharers = 0.0
    for k in range(start + 1, n - 1):
        top = quat_mul(top, quat_load(work.trial, k))
        sharers += body.twistable[k]
    sharers += body.twistable[n - 1]
    twist = quat_twist_angle(quat_mul(quat_conj(top), head), (0.0, 1.0, 0.0))
    if sharers > 0.0:
        turn = quat_from_axis_angle((0.0, 1.0, 0.0), twist / sharers)
        for k in range(start + 1, n - 1):
            if body.twistable[k] > 0.0:
                local = quat_mul(quat_load(work.trial, k), turn)
                quat_store(work.trial, k, limit_project(limits, k, local))
