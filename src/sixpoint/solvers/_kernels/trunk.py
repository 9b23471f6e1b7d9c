"""Pelvis and spine of sequential IK (section 4 of the SIK paper; Algorithms 2 and 3).

The spine is a chain of joints whose first is the pelvis. When pelvis and head are known as
positions only, the whole chain is free to turn. When the pelvis's rotation is known, the chain that
bends starts one joint higher: `start` is 0 or 1.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
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
from .tables import (
    SPINE_LIMITED,
    SPINE_STRETCHED,
    STRETCH_SAMPLES,
    Body,
    Settings,
    State,
    Work,
)

COARSE, FINE = 0.1, 0.01
"""Steps of the bend angle in the two phases of Algorithm 3 [rad]."""
COARSE_STEPS, FINE_STEPS, EXACT_STEPS = 32, 16, 8
"""Most steps of each phase."""
STILL = 1e-6
"""A step that changes the spine's length by less than this part of the height changes nothing."""
PARALLEL = 1e-6
"""A direction whose part across the axis is shorter than this says nothing about it."""
OPPOSED = 1e-3
"""Directions that cancel to less than this part of their weights leave the axis open."""

SAGITTAL, CHORD, VERTICAL, PREVIOUS = 0, 1, 2, 3
"""How the plane in which the spine bends is chosen."""


@helper
def as3(a: Floats) -> Vec3:
    """An array of three as a vector."""
    return (a[0], a[1], a[2])


@helper
def flat_direction(v: Vec3, up: Vec3) -> tuple[Vec3, float]:
    """Unit direction of v across `up`, and 1; or zeros where v says nothing."""
    flat = vec_reject(v, up)
    length = vec_length(flat)
    if length < PARALLEL:
        return (0.0, 0.0, 0.0), 0.0
    return vec_scale(flat, 1.0 / length), 1.0


@helper
def pelvis_frame(settings: Settings, state: State, points: Floats) -> Quat:
    """Estimated rotation of the pelvis: section 4, S0.4.

    Y points to the head; X is the weighted mean of the line between the wrists, the line between
    the ankles and the X axis of the frame before. The last is projected like the others (A0.7:
    otherwise X is not perpendicular to Y), unless the literal form is asked for.
    """
    pelvis = vec_load(points, 0)
    known = state.frames > 0
    previous = as3(state.left) if known else (1.0, 0.0, 0.0)
    up = vec_unit(vec_sub(vec_load(points, 1), pelvis), (0.0, 1.0, 0.0))
    wrists, has_wrists = flat_direction(vec_sub(vec_load(points, 2), vec_load(points, 3)), up)
    ankles, has_ankles = flat_direction(vec_sub(vec_load(points, 4), vec_load(points, 5)), up)
    before, has_before = flat_direction(previous, up)
    w1 = settings.weights[0] * has_wrists
    w2 = settings.weights[1] * has_ankles
    w3 = settings.weights[2] * has_before if known else 0.0
    third = before if settings.project_previous else previous
    total = vec_add(vec_add(vec_scale(wrists, w1), vec_scale(ankles, w2)), vec_scale(third, w3))
    total = vec_reject(total, up)
    if vec_length(total) > OPPOSED * (w1 + w2 + w3) and w1 + w2 + w3 > 0.0:
        left = vec_unit(total, before)
    elif has_before > 0.0:
        left = before
    else:  # straight along the axis of before: any direction across will do
        left = vec_unit(vec_reject((0.0, 0.0, 1.0), up), (0.0, 1.0, 0.0))
    return quat_from_columns((left, up, vec_cross(left, up)))


@helper
def bend_normal(settings: Settings, state: State, frame: Quat, chord: Vec3, goal: Vec3) -> Vec3:
    """Normal of the plane in which the spine bends, in the world.

    Positive rotation about it leans the way the back arches (A0.2). The plane has no orientation of
    its own: a normal that turned over since the last frame is turned back (A0.3), or the spine
    would snap to its mirror image when a bow is reversed.
    """
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
def spine_chord(body: Body, work: Work, start: int) -> Vec3:
    """Vector from the first joint of the chain to the head, in that joint's frame."""
    n = body.joints
    turn = (1.0, 0.0, 0.0, 0.0)
    chord = vec_load(body.segments, start)
    for k in range(start + 1, n - 1):
        turn = quat_mul(turn, quat_load(work.trial, k))
        chord = vec_add(chord, quat_rotate(turn, vec_load(body.segments, k)))
    return chord


@helper
def spine_bend(
    body: Body, limits: LimitTable, work: Work, start: int, axis: Vec3, angle: float
) -> float:
    """Bend the spine about an axis of its first joint's frame; its length afterwards.

    Eq. (1): the first joint turns by -angle, each later one by 2 angle / (n - 2) within its limits.
    The first joint's turn does not change the length and is left to the caller.
    """
    n = body.joints
    inner = n - start - 2
    step = quat_from_axis_angle(axis, 2.0 * angle / inner if inner > 0 else 0.0)
    for k in range(start + 1, n - 1):
        quat_store(work.trial, k, limit_project(limits, k, step))
    return vec_length(spine_chord(body, work, start))


@helper
def spine_search(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    start: int,
    axis: Vec3,
    goal: float,
) -> tuple[float, int, bool]:
    """Algorithm 3: the bend angle that gives the spine its length; steps taken; whether limits won.

    Coarse steps until the spine is too short, then fine steps back until it is too long again. By
    default every frame starts from the neutral spine (A0.4), so the first phase always shortens;
    the incremental form starts from the angle of the frame before, whatever the sign.
    """
    n = body.joints
    inner = n - start - 2
    most = inner * math.pi / (inner + 1)  # the chord of Eq. (2) is zero there (A0.1)
    still = STILL * body.height
    angle = state.angle if settings.incremental and state.bent else 0.0
    length = spine_bend(body, limits, work, start, axis, angle)
    sign = 1.0 if length > goal else -1.0
    steps = 0
    stuck = inner <= 0
    while sign * length > sign * goal and steps < COARSE_STEPS and not stuck:
        before = length
        following = angle + sign * COARSE
        stuck = following > most or following < 0.0
        angle = min(max(following, 0.0), most)
        length = spine_bend(body, limits, work, start, axis, angle)
        steps += 1
        stuck = stuck or abs(length - before) < still
    outer, outer_length = angle, length
    fine = 0
    while sign * length < sign * goal and fine < FINE_STEPS and (sign < 0.0 or angle > 0.0):
        outer, outer_length = angle, length
        angle = max(angle - sign * FINE, 0.0)
        length = spine_bend(body, limits, work, start, axis, angle)
        fine += 1
    limited = sign > 0.0 and length > goal and stuck  # unbending always ends at the neutral spine
    if settings.exact and not limited and outer != angle:
        # Ours: the last fine step brackets the goal; close in on it by secants.
        for _ in range(EXACT_STEPS):
            span = outer_length - length
            if abs(length - goal) < still or abs(span) < 1e-3 * still:
                break
            middle = angle + (outer - angle) * (goal - length) / span
            middle = min(max(middle, min(angle, outer)), max(angle, outer))
            reached = spine_bend(body, limits, work, start, axis, middle)
            fine += 1
            if sign * reached < sign * goal:
                outer, outer_length = middle, reached
            else:
                angle, length = middle, reached
        if abs(outer_length - goal) < abs(length - goal):
            angle = outer
        spine_bend(body, limits, work, start, axis, angle)
    return angle, steps + fine, limited


@helper
def spine_stretch(body: Body, limits: LimitTable, work: Work, start: int, goal: float) -> Quat:
    """Pre-computed stretching posture of the wanted length; the first joint's turn (A0.5).

    Every segment turns towards the chord by the same part of its own angle. The length flattens
    out quadratically at the end, so the table is read in the root of what is missing there.
    """
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
def spine_twist(
    body: Body, limits: LimitTable, work: Work, frame: Quat, start: int, head: Quat
) -> None:
    """Share the axial turn between pelvis and head among thoracic and cervical joints (S0.18).

    Lumbar joints hardly turn about their axis and receive none.
    """
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
def hang_pelvis(body: Body, work: Work, loins: Quat) -> None:
    """Hang the pelvis, from which the legs hang, below loins that are turned so."""
    pelvis = quat_load(work.trial, 0)
    if loins != (1.0, 0.0, 0.0, 0.0):
        pelvis = quat_mul(pelvis, quat_conj(loins))
    quat_store(work.local, body.lumbar, loins)
    quat_store(work.local, 0, pelvis)
    quat_store(work.world, 0, pelvis)


@helper
def spine_share(body: Body, limits: LimitTable, work: Work) -> Vec3:
    """Place the spine of `trial`; the error that remains is shared evenly by pelvis and head.

    Line 17 of Algorithm 2 (S0.16). The first rotation of `trial` is the pelvis's in the world.
    Fills local, world and places. Loins, where the rig has such, are as near to neutral as their
    limits let them be.

    Returns:
        The chord, from pelvis to head.
    """
    n = body.joints
    pelvis = vec_load(work.points, 0)
    quat_store(work.world, 0, quat_load(work.trial, 0))
    vec_store(work.places, 0, pelvis)
    for k in range(1, n):
        below = quat_load(work.world, k - 1)
        place = vec_add(
            vec_load(work.places, k - 1), quat_rotate(below, vec_load(body.segments, k - 1))
        )
        vec_store(work.places, k, place)
        quat_store(work.world, k, quat_mul(below, quat_load(work.trial, k)))
    whole = vec_sub(vec_load(work.points, 1), pelvis)
    reached = vec_sub(vec_load(work.places, n - 1), pelvis)
    shift = vec_scale(vec_sub(whole, reached), 0.5)
    for k in range(n):
        vec_store(work.places, k, vec_add(vec_load(work.places, k), shift))
        quat_store(work.local, k, quat_load(work.trial, k))
    if body.lumbar >= 0:
        hang_pelvis(body, work, limit_project(limits, body.lumbar, (1.0, 0.0, 0.0, 0.0)))
    return reached


@helper
def bend_trunk(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    frame: Quat,
    start: int,
    head: Quat,
    has_head: bool,
) -> tuple[int, int]:
    """Algorithm 2 up to its line 16: bend or stretch, then point at the head; fills `trial`.

    A chain that starts at the joint above (`start` 1) leaves its base as `frame` turns it.

    Returns:
        Steps of the search, and flags.
    """
    n = body.joints
    base = vec_load(work.points, 0)
    if start == 1:
        base = vec_add(base, quat_rotate(frame, vec_load(body.segments, 0)))
    goal = vec_sub(vec_load(work.points, 1), base)
    wanted = vec_length(goal)
    for k in range(n):
        quat_store(work.trial, k, (1.0, 0.0, 0.0, 0.0))
    neutral = spine_chord(body, work, start)
    flags = 0
    steps = 0
    if wanted < vec_length(neutral):
        normal = bend_normal(settings, state, frame, neutral, goal)
        axis = quat_unrotate(frame, normal)
        angle, steps, limited = spine_search(
            body, limits, settings, state, work, start, axis, wanted
        )
        first = quat_from_axis_angle(axis, -angle)
        if limited:
            flags |= SPINE_LIMITED
        state.normal[0], state.normal[1], state.normal[2] = normal[0], normal[1], normal[2]
        state.bent = 1
        state.angle = angle
    else:
        first = spine_stretch(body, limits, work, start, wanted)
        if wanted > body.stretch_lengths[start, STRETCH_SAMPLES - 1]:
            flags |= SPINE_STRETCHED
        state.bent = 0  # the neutral shape is restored (S0.14, A0.3)
    if has_head:
        spine_twist(body, limits, work, quat_mul(frame, first), start, head)

    # Line 16: turn the whole chain so that its chord points at the head.
    turned = quat_mul(frame, first)
    chord = quat_rotate(turned, spine_chord(body, work, start))
    turned = quat_mul(rotation_between(chord, goal, quat_rotate(frame, (1.0, 0.0, 0.0))), turned)
    if settings.retwist and start == 0:  # A0.6: give the pelvis its X axis back
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
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    frame: Quat,
    fixed_pelvis: bool,
    head: Quat,
    has_head: bool,
) -> tuple[int, int]:
    """Algorithm 2: pelvis and spine from the estimated frame; fills local, world and places.

    Where the pelvis's rotation is known and another joint on it carries the spine, that joint turns
    as the pelvis would, within its limits; what these hold back is left to the joints above. (The
    paper knows no rotation of the pelvis and keeps the two together, S0.38.)

    Returns:
        Steps of the search, and flags.
    """
    n = body.joints
    above = 1 if fixed_pelvis and n > 2 else 0
    apart = fixed_pelvis and body.lumbar >= 0
    start = 0 if apart else above
    steps, flags = bend_trunk(body, limits, settings, state, work, frame, start, head, has_head)
    held = (1.0, 0.0, 0.0, 0.0)
    if apart:
        turn = quat_mul(quat_conj(frame), quat_load(work.trial, 0))
        held = limit_project(limits, body.lumbar, turn)
        if held != turn and above == 1:
            more, flags = bend_trunk(
                body, limits, settings, state, work, quat_mul(frame, held), 1, head, has_head
            )
            steps += more
        quat_store(work.trial, 0, quat_mul(frame, held))
    if has_head:
        below = quat_load(work.trial, 0)
        for k in range(1, n - 1):
            below = quat_mul(below, quat_load(work.trial, k))
        local = quat_mul(quat_conj(below), head)
        quat_store(work.trial, n - 1, limit_project(limits, n - 1, local))

    reached = spine_share(body, limits, work)
    if apart:
        hang_pelvis(body, work, held)
    state.chord[0], state.chord[1], state.chord[2] = reached[0], reached[1], reached[2]
    return steps, flags
