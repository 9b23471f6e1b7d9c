"""Pelvis and spine of sequential IK: bent, stretched, twisted (section 4 of the SIK paper).

The spine is a chain of joints whose first is the pelvis. When pelvis and head are known as
positions only, the whole chain is free to turn. When the pelvis's rotation is known, the chain that
bends starts one joint higher: `start` is 0 or 1.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import SPINE_LIMITED, SPINE_STRETCHED, Frames
from ..people.plan import known_rotation
from ..people.tables import HEAD, PELVIS, STRETCH_SAMPLES
from .limb import IDENTITY
from .plan import Context

BEND_STEP, FINE_BEND_STEP = 0.1, 0.01
"""Steps of the bend angle in the two phases of Algorithm 3 [rad]."""
BEND_STEPS, FINE_BEND_STEPS, EXACT_STEPS = 32, 16, 8
"""Most steps of each phase."""
UNCHANGED = 1e-6
"""A step that changes the spine's length by less than this part of the height changes nothing."""
EXACT, INCREMENTAL = 0, 1
"""Choices of `SequentialSolver.spine_search` and `spine_mode`."""
SAGITTAL, VERTICAL, PREVIOUS = 0, 2, 3
"""Choices of `SequentialSolver.bend`; the other is the plane of the neutral and wanted chord."""


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
    turn = IDENTITY
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
    still = UNCHANGED * body.height
    angle = state.angle if settings.spine_mode == INCREMENTAL and state.bent else 0.0
    length = spine_bend(c, start, axis, angle)
    sign = 1.0 if length > goal else -1.0
    steps = 0
    stuck = inner <= 0
    while sign * length > sign * goal and steps < BEND_STEPS and not stuck:
        before = length
        following = angle + sign * BEND_STEP
        stuck = following > most or following < 0.0
        angle = min(max(following, 0.0), most)
        length = spine_bend(c, start, axis, angle)
        steps += 1
        stuck = stuck or abs(length - before) < still
    outer, outer_length = angle, length
    fine = 0
    while sign * length < sign * goal and fine < FINE_BEND_STEPS and (sign < 0.0 or angle > 0.0):
        outer, outer_length = angle, length
        angle = max(angle - sign * FINE_BEND_STEP, 0.0)
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
    lengths = body.stretch_lengths[start]
    most = lengths[STRETCH_SAMPLES - 1]
    missing = math.sqrt(max(most - goal, 0.0))
    low, high = 0, STRETCH_SAMPLES - 1
    while high - low > 1:
        middle = (low + high) // 2
        if lengths[middle] > goal:
            high = middle
        else:
            low = middle
    at_low = math.sqrt(max(most - lengths[low], 0.0))
    at_high = math.sqrt(max(most - lengths[high], 0.0))
    part = (at_low - missing) / (at_low - at_high) if at_low > at_high else 1.0
    t = (low + min(max(part, 0.0), 1.0)) / (STRETCH_SAMPLES - 1)
    axes, angles = body.stretch_axes[start], body.stretch_angles[start]
    first = quat_from_axis_angle(vec_load(axes, start), t * angles[start])
    before = first
    for k in range(start + 1, n - 1):
        turn = quat_from_axis_angle(vec_load(axes, k), t * angles[k])
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


@helper
def hang_pelvis(c: Context, loins: Quat) -> None:
    """Hang the pelvis, from which the legs hang, below loins that are turned so."""
    body, work = c.body, c.work
    pelvis = quat_load(work.trial, 0)
    if loins != IDENTITY:
        pelvis = quat_mul(pelvis, quat_conj(loins))
    quat_store(work.local, body.lumbar, loins)
    quat_store(work.local, 0, pelvis)
    quat_store(work.world, 0, pelvis)


@helper
def spine_forward(c: Context, pelvis: Vec3) -> Vec3:
    """Rotations and places of the spine of `trial`, the pelvis at a place; that of the head.

    The first rotation of `trial` is the pelvis's in the world. Fills local, world and places.
    """
    body, work = c.body, c.work
    turn, place = quat_load(work.trial, 0), pelvis
    for k in range(body.joints):
        local = quat_load(work.trial, k)
        if k > 0:
            place = vec_add(place, quat_rotate(turn, vec_load(body.segments, k - 1)))
            turn = quat_mul(turn, local)
        quat_store(work.local, k, local)
        quat_store(work.world, k, turn)
        vec_store(work.places, k, place)
    return place


@helper
def rest_loins(c: Context) -> None:
    """Hang the pelvis below loins, where the rig has such, as near to neutral as limits let."""
    if c.body.lumbar >= 0:
        hang_pelvis(c, limit_project(c.limits, c.body.lumbar, IDENTITY))


@helper
def spine_share(c: Context) -> Vec3:
    """Place the spine of `trial`, the remaining error shared evenly by pelvis and head; its chord.

    Line 17 of Algorithm 2. Fills local, world and places.
    """
    work = c.work
    pelvis = vec_load(work.points, 0)
    reached = vec_sub(spine_forward(c, pelvis), pelvis)
    shift = vec_scale(vec_sub(vec_sub(vec_load(work.points, 1), pelvis), reached), 0.5)
    for k in range(c.body.joints):
        vec_store(work.places, k, vec_add(vec_load(work.places, k), shift))
    rest_loins(c)
    return reached


@helper
def bend_trunk(c: Context, frame: Quat, start: int, head: Quat, has_head: bool) -> tuple[int, int]:
    """Algorithm 2 up to its line 16: bend or stretch, then point at the head; fills `trial`.

    A chain that starts at the joint above (`start` 1) leaves its base as `frame` turns it. Returns
    the steps of the search, and flags.
    """
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    n = body.joints
    base = vec_load(work.points, 0)
    if start == 1:
        base = vec_add(base, quat_rotate(frame, vec_load(body.segments, 0)))
    goal = vec_sub(vec_load(work.points, 1), base)
    wanted = vec_length(goal)
    for k in range(n):
        quat_store(work.trial, k, IDENTITY)
    neutral = spine_chord(c, start)
    flags = 0
    steps = 0
    if wanted < vec_length(neutral):
        normal = bend_normal(c, frame, neutral, goal)
        axis = quat_unrotate(frame, normal)
        angle, steps, limited = spine_search(c, start, axis, wanted)
        first = quat_from_axis_angle(axis, -angle)
        if limited:
            flags |= SPINE_LIMITED
        state.normal[0], state.normal[1], state.normal[2] = normal[0], normal[1], normal[2]
        state.bent = 1
        state.angle = angle
    else:
        first = spine_stretch(c, start, wanted)
        if wanted > body.stretch_lengths[start, STRETCH_SAMPLES - 1]:
            flags |= SPINE_STRETCHED
        state.bent = 0  # the neutral shape is restored
    if has_head:
        spine_twist(c, quat_mul(frame, first), start, head)

    # Line 16: turn the whole chain so that its chord points at the head.
    turned = quat_mul(frame, first)
    chord = quat_rotate(turned, spine_chord(c, start))
    turned = quat_mul(rotation_between(chord, goal, quat_rotate(frame, (1.0, 0.0, 0.0))), turned)
    if settings.retwist and start == 0:  # give the pelvis its X axis back
        about = vec_unit(goal, (0.0, 1.0, 0.0))
        want = vec_reject(quat_rotate(frame, (1.0, 0.0, 0.0)), about)
        have = vec_reject(quat_rotate(turned, (1.0, 0.0, 0.0)), about)
        turned = quat_mul(rotation_between(have, want, about), turned)
    if start == 1:
        quat_store(work.trial, 1, limit_project(limits, 1, quat_mul(quat_conj(frame), turned)))
        turned = frame
    quat_store(work.trial, 0, turned)
    return steps, flags


@helper
def solve_trunk(
    c: Context, frame: Quat, fixed_pelvis: bool, head: Quat, has_head: bool
) -> tuple[int, int]:
    """Algorithm 2: pelvis and spine from the estimated frame; fills local, world and places.

    Where the pelvis's rotation is known and another joint on it carries the spine, that joint turns
    as the pelvis would, within its limits; what these hold back is left to the joints above. (The
    paper knows no rotation of the pelvis and keeps the two together.) Returns steps, and flags.
    """
    body, limits, state, work = c.body, c.limits, c.state, c.work
    n = body.joints
    above = 1 if fixed_pelvis and n > 2 else 0
    apart = fixed_pelvis and body.lumbar >= 0
    start = 0 if apart else above
    steps, flags = bend_trunk(c, frame, start, head, has_head)
    held = IDENTITY
    if apart:
        turn = quat_mul(quat_conj(frame), quat_load(work.trial, 0))
        held = limit_project(limits, body.lumbar, turn)
        if held != turn and above == 1:
            more, flags = bend_trunk(c, quat_mul(frame, held), 1, head, has_head)
            steps += more
        quat_store(work.trial, 0, quat_mul(frame, held))
    if has_head:
        below = quat_load(work.trial, 0)
        for k in range(1, n - 1):
            below = quat_mul(below, quat_load(work.trial, k))
        local = quat_mul(quat_conj(below), head)
        quat_store(work.trial, n - 1, limit_project(limits, n - 1, local))

    reached = spine_share(c)
    if apart:
        hang_pelvis(c, held)
    state.chord[0], state.chord[1], state.chord[2] = reached[0], reached[1], reached[2]
    return steps, flags


@helper
def solve_known_trunk(c: Context, frames: Frames, frame: int, estimate: Quat) -> tuple[int, int]:
    """`solve_trunk` with the rotations of pelvis and head that are known in a frame."""
    _, fixed = known_rotation(frames.rotations[frame], PELVIS)
    head, has_head = known_rotation(frames.rotations[frame], HEAD)
    return solve_trunk(c, estimate, fixed, head, has_head)
