"""Analytic upper body, frame after frame: a rigid trunk in three moves, arms in three stages.

Boulic et al. 2006, section 5. The trunk turns so that its length lies along L, from its centre to
the head, then about L until its side lies along T, then moves until the head is where it was
seen. An arm is pointed at its wrist, bent to the distance, and swivelled to the middle of the
shoulder's range.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable, limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import angle_wrap, quat_to_euler_xyz
from ...kernels.types import Floats, Quat, Vec3
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
from .frame import FIRST_LIMB, HEAD, PELVIS, begin_frame
from .limb_ends import FELT, limb_begin, limb_end
from .pose import finish_frame
from .spine import spine_chord
from .tables import (
    LIMB_ROWS,
    LIMBS,
    LIMITED,
    MISSING,
    Body,
    FrameTable,
    RecordArray,
    Settings,
    State,
    Work,
)
from .tgb import (
    COARSE,
    COARSE_STEPS,
    FINE,
    FINE_STEPS,
    TIE,
    solve_limb_tgb,
    swivel_change,
    swivel_zero,
    swivelled,
    tgb_limb,
)
from .trunk import hang_pelvis

ARMS = 2
CLOSE = 0.5
"""Hands nearer than this part of their distance in the neutral stance say less of the trunk."""
ALONG = math.cos(math.radians(45.0))
"""A line between the hands within this angle of the body's side turns the trunk as the paper has
it; beyond, it says less and less."""
BLIND = 10.0
"""So many times slower than one line is followed, hands stand for feet that are not seen."""
SIDE = 1
"""Row of `State.poles`."""
MIDDLE: Vec3 = (-math.radians(60.0), math.radians(5.0), math.radians(55.0))
HALF_RANGE: Vec3 = (math.radians(110.0), math.radians(85.0), math.radians(95.0))
"""Middles and half-ranges of the left shoulder's angles about X, Y, Z in follower order: 170
degrees of flexion and 50 of extension, 90 and 80 of twist, 150 of abduction and 40 of adduction.
Those of the right shoulder mirror them in Y and Z."""


@helper
def body_side(settings: Settings, state: State, work: Work, flags: int, hands: Vec3) -> Vec3:
    """Where the left of the body is, a horizontal unit vector: what hands are compared with.

    Between the line of the ankles and the trunk of the frame before: either alone swings or runs
    away. Where ankles are not seen, a slow memory of the hands (row `SIDE` of the poles).
    """
    left, right = FIRST_LIMB + 2, FIRST_LIMB + 3
    feet = vec_sub(vec_load(work.points, left), vec_load(work.points, right))
    feet = vec_unit((feet[0], 0.0, feet[2]), vec_unit(hands, (1.0, 0.0, 0.0)))
    if state.frames == 0:
        side = feet
    elif flags & (3 * (MISSING << left)):
        side = vec_load(state.poles, SIDE)
        way = vec_sub(vec_unit(hands, side), side)
        feet = vec_add(side, vec_scale(way, 1.0 / (BLIND * settings.follow + 1.0)))
        side = vec_unit(feet, side)
        feet = side
    else:
        trunk = (state.left[0], 0.0, state.left[2])
        side = vec_unit(vec_add(feet, vec_unit(trunk, feet)), feet)
    vec_store(state.poles, SIDE, feet)
    return side


@helper
def hands_share(body: Body, hands: Vec3, side: Vec3) -> float:
    """How much the line between the hands says of the trunk, from 0 to 1.

    Ours: all while it points to the body's side, nothing where it lies across or
    the hands have crossed, and little where they are close. The paper's mean would turn the trunk
    round with them.
    """
    wide = CLOSE * (body.stance[FIRST_LIMB, 0] - body.stance[FIRST_LIMB + 1, 0])
    length = vec_length(hands)
    if length <= 0.0 or wide <= 0.0:
        return 0.0
    x = min(max(vec_dot(hands, side) / length / ALONG, 0.0), 1.0)
    return float(min(length / wide, 1.0) * x * x * (3.0 - 2.0 * x))


@helper
def trunk_axes(
    body: Body, settings: Settings, state: State, work: Work, flags: int
) -> tuple[Vec3, Vec3]:
    """L from the trunk's centre to the head; T across it, from the hands and the frame before."""
    along = vec_unit(
        vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS)), (0.0, 1.0, 0.0)
    )
    hands = vec_sub(vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1))
    flat = (hands[0], 0.0, hands[2])
    if flags & (3 * (MISSING << FIRST_LIMB)):
        flat = (0.0, 0.0, 0.0)
    side = body_side(settings, state, work, flags, flat)
    before = side
    if state.frames > 0:
        before = as3(state.left)
    share = hands_share(body, flat, side)
    said = vec_add(vec_scale(vec_unit(flat, side), share), vec_scale(side, 1.0 - share))
    part = settings.lateral
    mean = vec_add(vec_scale(said, part), vec_scale(before, 1.0 - part))
    across = vec_reject(mean, along)
    if vec_length(across) < 1e-6:
        across = vec_reject(before, along)
    if vec_length(across) < 1e-6:
        across = vec_reject(side, along)
    return along, vec_unit(across, (1.0, 0.0, 0.0))


@helper
def place_trunk(body: Body, limits: LimitTable, work: Work, along: Vec3, across: Vec3) -> Quat:
    """The three moves at once; fills the rows of the spine. Returns the trunk's rotation.

    The first turns the neutral line from pelvis to head to L, the second turns about L: together
    they take (X, that line) to (T, L), from wherever the trunk was. The third brings the head home.
    """
    for k in range(body.joints):
        quat_store(work.trial, k, limit_project(limits, k, (1.0, 0.0, 0.0, 0.0)))
    chord = spine_chord(body, work, 0)
    side = (1.0, 0.0, 0.0)
    line = vec_unit(vec_reject(chord, side), (0.0, 1.0, 0.0))
    was = quat_from_columns((side, line, vec_cross(side, line)))
    now = quat_from_columns((across, along, vec_cross(across, along)))
    turn = quat_mul(now, quat_conj(was))
    quat_store(work.trial, 0, turn)
    place = vec_sub(vec_load(work.points, HEAD), quat_rotate(turn, chord))
    world = turn
    for k in range(body.joints):
        world = quat_mul(world, quat_load(work.trial, k)) if k > 0 else turn
        quat_store(work.local, k, quat_load(work.trial, k))
        quat_store(work.world, k, world)
        vec_store(work.places, k, place)
        if k < body.joints - 1:
            place = vec_add(place, quat_rotate(world, vec_load(body.segments, k)))
    if body.lumbar >= 0:
        hang_pelvis(body, work, limit_project(limits, body.lumbar, (1.0, 0.0, 0.0, 0.0)))
    return turn


@helper
def range_cost(turn: Quat, side: float) -> float:
    """How far a shoulder's three angles are from the middle of their ranges, squared (A3.13)."""
    a, b, c = quat_to_euler_xyz(turn)
    x = (a - MIDDLE[0]) / HALF_RANGE[0]
    y = (side * b - MIDDLE[1]) / HALF_RANGE[1]
    z = (side * c - MIDDLE[2]) / HALF_RANGE[2]
    return x * x + y * y + z * z


@helper
def range_search(turn: Quat, n: Vec3, side: float, previous: float) -> float:
    """The swivel nearest to mid-range: every 0.1 rad, then every 0.01 around the best (S3.19)."""
    best, least = 0.0, math.inf
    for phase in range(2):
        first = best - side * COARSE if phase else -side * math.pi
        step = side * (FINE if phase else COARSE)
        further = quat_from_axis_angle(n, step)
        trial = swivelled(turn, n, first)
        for k in range(FINE_STEPS + 1 if phase else COARSE_STEPS):
            phi = first + step * k
            cost = range_cost(trial, side)
            if cost < least + TIE and (
                cost < least - TIE or swivel_change(phi, previous) < swivel_change(best, previous)
            ):
                best, least = phi, cost
            trial = quat_mul(further, trial)
    return angle_wrap(best)


@helper
def solve_arm(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    limb: int,
    trunk: Quat,
    target: Vec3,
) -> tuple[Vec3, int]:
    """Point, bend, swivel (Fig. 8); where the wrist comes to lie, and flags."""
    row = body.joints + LIMB_ROWS * limb
    parent, place, aim, flags = limb_begin(body, limits, settings, state, work, limb, target)
    n = vec_unit(aim, (0.0, -1.0, 0.0))
    u = swivel_zero(
        n,
        quat_unrotate(parent, quat_rotate(trunk, (0.0, -1.0, 0.0))),
        quat_unrotate(parent, quat_rotate(trunk, (0.0, 0.0, -1.0))),
    )
    turn, wanted = tgb_limb(body.bones[limb, 0], body.bones[limb, 1], body.bend[limb], aim, u)
    side = 1.0 if limb % 2 == 0 else -1.0
    phi = range_search(turn, n, side, state.swivels[limb])
    state.swivels[limb] = phi
    turn = swivelled(turn, n, phi)
    held = limit_project(limits, row + 1, turn)
    angle = limit_clamp_angle(limits, row + 2, wanted)
    if held != turn or abs(angle - wanted) > FELT:
        flags |= LIMITED << limb
    return limb_end(body, settings, work, limb, parent, place, held, angle), flags


@helper
def solve_frame(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """One frame: positions of six points (6, 3); rotations of pelvis and head are not used."""
    flags, estimate = begin_frame(body, settings, state, work, seen, turned)
    if settings.upright:
        # Fig. 12, left: without control of the trunk it stands where it stood at first.
        along = (0.0, 1.0, 0.0)
        across = vec_unit(
            vec_reject(quat_rotate(estimate, (1.0, 0.0, 0.0)), along), (1.0, 0.0, 0.0)
        )
        if state.frames > 0:
            across = as3(state.left)
            vec_store(work.points, HEAD, vec_load(state.poles, 0))
        vec_store(state.poles, 0, vec_load(work.points, HEAD))
    else:
        along, across = trunk_axes(body, settings, state, work, flags)
    trunk = place_trunk(body, limits, work, along, across)
    for limb in range(LIMBS):
        target = vec_load(work.points, FIRST_LIMB + limb)
        if limb < ARMS:
            end, more = solve_arm(body, limits, settings, state, work, limb, trunk, target)
        else:
            end, more = solve_limb_tgb(body, limits, settings, state, work, limb, trunk, target)
        vec_store(work.ends, FIRST_LIMB + limb, end)
        flags |= more
    finish_frame(body, limits, settings, state, work, rest, trunk, seen, out, frame, 0, flags)


@kernel
def solve_frames(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Frames first to last - 1 of a clip: positions (F, 6, 3)."""
    for frame in range(first, last):
        solve_frame(
            body[0],
            settings[0],
            state[0],
            work[0],
            limits,
            rest,
            seen[frame],
            turned[frame],
            out,
            frame,
        )
