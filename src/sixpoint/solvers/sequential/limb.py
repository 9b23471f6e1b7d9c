"""Limbs of sequential IK (sections 5, 6 and 8 of the SIK paper), and the pose that ends a frame.

Every method of the family begins a limb with its clavicle (Algorithm 4) and ends it with what hangs
below the hinge; in between, root and hinge turn in the way of the method, here by Algorithm 5. That
happens in the frame of the limb's parent, starting from the neutral, straight limb: A is the root
joint at the origin, B the hinge, D the target.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.prism import PrismTable, PushedLimb, PushSearch, prisms_depth, prisms_push_limb
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_reject,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import CLAVICLE, COLLIDED, LIMITED, STALLED, UNREACHABLE, Frames
from ..people.plan import end_frame
from ..people.tables import FIRST_LIMB, HEAD, LIMB_ROWS, LIMBS, PELVIS
from .plan import Context

IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)
REST, HOLD, FIXED = 0, 1, 2
"""Choices of `SequentialSolver.clavicle`; the last is for methods whose clavicles never move."""
LEVEL = 1
"""Choice of `SequentialSolver.feet`."""
NEUTRAL, SEARCH = 0, 1
"""Choices of `SequentialSolver.swivel`."""

FELT = 1e-6
"""A hinge that its limit holds back by less than this is straight, and not limited [rad]."""
REACH_SLACK = 1e-9
"""A target farther away than the limb is long by less than this part is reached."""
DORSIFLEXION, PLANTARFLEXION, EVERSION = math.radians(20.0), math.radians(45.0), math.radians(15.0)
"""How far a level foot may turn at the ankle; usual ranges of motion (Merck Manual)."""
STANDING_SHANK, LYING_SHANK = math.cos(math.radians(45.0)), math.cos(math.radians(75.0))
"""Between these inclinations of the shank a foot eases from level to neutral."""
ACROSS = 1e-6
"""A forearm with less than this across the upper arm does not say how to turn it [m]."""
STRETCHED = 0.98
"""A limb reaching farther than this part of its length counts as straight."""
POLE_CONE = math.cos(math.radians(5.0))
"""Around straight up, where the swing axis of an arm is open, hysteresis keeps the last."""
PUSH_STEPS, PUSH_GAIN = 30, 1.0
"""Most steps, and the factor k of section 8, to get an elbow out of the torso."""
PUSH_DEPTH = 6e-5
"""The elbow is out when it is no deeper than this part of the height (0.1 mm)."""
FELT_DEPTH = 6e-4
"""An elbow deeper than this part of the height (1 mm) is reported as still inside."""
COARSE_STEP, FINE_STEP = 0.1, 0.01
"""Steps of searches for a swivel [rad]."""
TIE = 1e-9
"""Costs that differ by less than this are equal: parts of the height, or [rad^2]."""
SWIVEL_COST = 0.005
"""What a turn of one radian away from the neutral swivel may cost in reach, as a part of height."""
SWIVEL_EASE = 0.1
"""The larger, the faster the swivel may change from frame to frame [rad]: a limb that can go back
to its neutral swivel does so by half of this in each frame."""
MISS = 1e-4
"""A limb that misses by less than this part of the height needs no other swivel."""


class LimbBase(NamedTuple):
    """Where a limb hangs, and what it reaches for."""

    limb: int
    row: int
    """Row of its clavicle; root, hinge and end follow."""
    parent: Quat
    """World rotation of what its root hangs from."""
    place: Vec3
    """World position of its root [m]."""
    aim: Vec3
    """The target as seen from the root, in the parent's frame [m]."""


class BentLimb(NamedTuple):
    """How root and hinge of a limb are turned."""

    turn: Quat
    """Rotation of the root, A."""
    angle: float
    """Angle of the hinge about X [rad]."""
    miss: float
    """Distance of the end from the target [m]."""
    limited: bool
    """Whether a limit was felt."""


@helper
def triangle_angle(a: float, b: float, opposite: float) -> float:
    """Angle between sides a and b of a triangle, by the law of cosines [rad]."""
    if a <= 0.0 or b <= 0.0:
        return 0.0
    cosine = (a * a + b * b - opposite * opposite) / (2.0 * a * b)
    return math.acos(min(1.0, max(-1.0, cosine)))


@helper
def solve_clavicle(c: Context, limb: int, target: Vec3) -> tuple[Quat, bool]:
    """Algorithm 4: move the clavicle only as far as the straight arm needs.

    The wrist's target is given relative to the clavicle joint, in the chest's frame. Returns the
    local rotation of the clavicle, and whether it moved.
    """
    body, limits, settings, state = c.body, c.limits, c.settings, c.state
    row = body.joints + LIMB_ROWS * limb
    bone = vec_load(body.clavicles, limb)
    reach = body.bones[limb, 0] + body.bones[limb, 1]
    start = IDENTITY
    if settings.clavicle == HOLD and state.frames > 0:  # literal: "remains in its current"
        start = quat_slerp(quat_load(state.clavicles, limb), IDENTITY, settings.clavicle_relax)
    start = limit_project(limits, row, start)  # limits from motion need not allow the neutral one
    arm = quat_rotate(start, bone)
    a = vec_length(arm)
    d = vec_length(target)
    beyond = vec_distance(target, arm)
    if beyond <= reach:
        return start, False
    swing = triangle_angle(a, d, beyond) - triangle_angle(a, d, reach)
    if swing <= 0.0:
        return start, False
    axis = vec_unit(vec_cross(arm, target), (0.0, 0.0, 1.0))
    turned = quat_mul(quat_from_axis_angle(axis, swing), start)
    return limit_project(limits, row, turned), True


@helper
def level_foot(shank: Quat) -> Quat:
    """Ankle rotation that keeps the sole level, as far as an ankle goes.

    Ours (`feet="level"`): the points do not see feet, but people mostly stand on them. A shank that
    lies down has no use for it: the foot eases to neutral.
    """
    # Pitch about X, then roll about Z, that take the shank's up to the world's.
    up = quat_unrotate(shank, (0.0, 1.0, 0.0))
    x = min(max((up[1] - LYING_SHANK) / (STANDING_SHANK - LYING_SHANK), 0.0), 1.0)
    share = x * x * (3.0 - 2.0 * x)
    pitch = share * min(max(math.atan2(up[2], up[1]), -DORSIFLEXION), PLANTARFLEXION)
    roll = share * min(max(-math.asin(min(max(up[0], -1.0), 1.0)), -EVERSION), EVERSION)
    return quat_mul(
        quat_from_axis_angle((1.0, 0.0, 0.0), pitch), quat_from_axis_angle((0.0, 0.0, 1.0), roll)
    )


@helper
def limb_begin(c: Context, limb: int, target: Vec3) -> tuple[LimbBase, int]:
    """Solve and write the clavicle of a limb that has one; where the limb hangs, and flags."""
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    row = body.joints + LIMB_ROWS * limb
    carrier = body.carrier[limb]
    parent = quat_load(work.world, carrier)
    place = vec_add(vec_load(work.places, carrier), quat_rotate(parent, vec_load(body.bases, limb)))
    flags = 0
    bone = vec_load(body.clavicles, limb)
    girdle = IDENTITY
    if vec_length(bone) > 0.0:
        if settings.clavicle != FIXED:
            aim = quat_unrotate(parent, vec_sub(target, place))
            girdle, moved = solve_clavicle(c, limb, aim)
            quat_store(state.clavicles, limb, girdle)
            if moved:
                flags |= CLAVICLE << limb
        else:
            girdle = limit_project(limits, row, girdle)
        parent = quat_mul(parent, girdle)
        place = vec_add(place, quat_rotate(parent, bone))
    quat_store(work.local, row, girdle)
    aim = quat_unrotate(parent, vec_sub(target, place))
    # The clavicle brings a far target just within reach: rounding must not decide.
    if vec_length(aim) > (body.bones[limb, 0] + body.bones[limb, 1]) * (1.0 + REACH_SLACK):
        flags |= UNREACHABLE << limb
    return LimbBase(limb, row, parent, place, aim), flags


@helper
def limb_end(c: Context, base: LimbBase, turn: Quat, angle: float) -> Vec3:
    """Write root, hinge and end of a limb; where its end comes to lie, also into `work.ends`.

    The root turns by `turn` in its parent's frame, the hinge by `angle` about its X.
    """
    body, settings, work = c.body, c.settings, c.work
    limb, row = base.limb, base.row
    upper, lower = body.bones[limb, 0], body.bones[limb, 1]
    hinge = quat_from_axis_angle((1.0, 0.0, 0.0), angle)
    quat_store(work.local, row + 1, turn)
    quat_store(work.local, row + 2, hinge)
    thigh = quat_mul(base.parent, turn)
    shank = quat_mul(thigh, hinge)
    foot = level_foot(shank) if settings.feet == LEVEL and body.bend[limb] < 0.0 else IDENTITY
    quat_store(work.local, row + 3, foot)
    knee = vec_add(base.place, quat_rotate(thigh, (0.0, -upper, 0.0)))
    end = vec_add(knee, quat_rotate(shank, (0.0, -lower, 0.0)))
    vec_store(work.ends, FIRST_LIMB + limb, end)
    return end


@helper
def limb_aim(c: Context, limb: int, aim: Vec3) -> Quat:
    """Lines 2 to 5: point the straight limb at the target, then open it by the angle at A."""
    body, settings, state = c.body, c.settings, c.state
    upper, lower = body.bones[limb, 0], body.bones[limb, 1]
    distance = vec_length(aim)
    down = (0.0, -1.0, 0.0)
    first = IDENTITY
    if settings.overhead_hysteresis and state.frames > 0 and aim[1] > POLE_CONE * distance:
        # Near the pole the axis is noise: swing about the last one outside, then correct.
        first = quat_from_axis_angle(
            vec_unit(vec_reject(vec_load(state.poles, limb), down), (1.0, 0.0, 0.0)), math.pi
        )
    else:
        vec_store(state.poles, limb, vec_unit(vec_cross(down, aim), (1.0, 0.0, 0.0)))
    turn = rotation_between(quat_rotate(first, down), aim, (1.0, 0.0, 0.0))
    turn = quat_mul(turn, first)
    if upper + lower > distance:
        # Elbows move back and down, knees forward.
        angle = triangle_angle(upper, distance, lower)
        turn = quat_mul(turn, quat_from_axis_angle((1.0, 0.0, 0.0), body.bend[limb] * angle))
    return turn


@helper
def limb_bend(c: Context, base: LimbBase, turn: Quat) -> BentLimb:
    """Lines 11 and 12: keep A within its limit, bend the hinge towards the target."""
    body, limits = c.body, c.limits
    row = base.row + 1
    upper, lower = body.bones[base.limb, 0], body.bones[base.limb, 1]
    held = limit_project(limits, row, turn)
    limited = held != turn
    rest = vec_sub(base.aim, quat_rotate(held, (0.0, -upper, 0.0)))
    inside = quat_unrotate(held, rest)
    wanted = 0.0
    if inside[1] * inside[1] + inside[2] * inside[2] > ACROSS * ACROSS:
        wanted = math.atan2(-inside[2], -inside[1])
    angle = limit_clamp_angle(limits, row + 1, wanted)
    limited = limited or abs(angle - wanted) > FELT
    tip = (0.0, -lower * math.cos(angle), -lower * math.sin(angle))
    return BentLimb(held, angle, vec_distance(inside, tip), limited)


@helper
def limb_finish(c: Context, base: LimbBase, turn: Quat, plane: bool = False) -> BentLimb:
    """Lines 8 to 12: turn A about its bone so that the hinge can reach, then bend the hinge.

    With `plane`, A keeps the plane in which it is given: a straight limb that a limit holds back
    would turn about its bone from one frame to the next, for a few millimetres.
    """
    body = c.body
    upper = body.bones[base.limb, 0]
    bend = body.bend[base.limb]
    rest = vec_sub(base.aim, quat_rotate(turn, (0.0, -upper, 0.0)))
    inside = quat_unrotate(turn, rest)  # B to D in the frame of A
    if not plane and inside[0] * inside[0] + inside[2] * inside[2] > ACROSS * ACROSS:
        # The hinge opens towards +Z in arms, -Z in legs.
        twist = math.atan2(bend * inside[0], bend * inside[2])
        turn = quat_mul(turn, quat_from_axis_angle((0.0, 1.0, 0.0), twist))
    return limb_bend(c, base, turn)


@helper
def limb_swivelled(
    c: Context, base: LimbBase, free: Quat, angle: float, plane: bool
) -> tuple[BentLimb, float]:
    """The limb turned about the line A-D, within its limits (see `limb_finish`), and its cost."""
    body, limits, state = c.body, c.limits, c.state
    axis = vec_unit(base.aim, (0.0, -1.0, 0.0))
    turn = quat_mul(quat_from_axis_angle(axis, angle), free)
    within = limit_project(limits, base.row + 1, turn)
    bent = limb_finish(c, base, within, plane)
    change = angle - state.swivels[base.limb]
    cost = bent.miss + SWIVEL_COST * body.height * (abs(angle) + change * change / SWIVEL_EASE)
    return BentLimb(bent.turn, bent.angle, bent.miss, bent.limited or within != turn), cost


@helper
def limb_search(c: Context, base: LimbBase, free: Quat, plane: bool, most: float) -> BentLimb:
    """Another swivel about the line A-D, where limits keep the limb from its target.

    Ours (`swivel="search"`). Weighs the distance that is missed against the turn and against its
    change since the frame before: a limb does not jump to the other side for a millimetre, and
    eases back when it can. It never turns by more than `most` [rad] in a frame.
    """
    body, state, limb = c.body, c.state, base.limb
    # Nearest turns first, and outwards before inwards: of equal answers the first is taken, so
    # that rounding does not decide, and left and right decide alike.
    outwards = 1.0 if limb % 2 == 0 else -1.0
    best, least = 0.0, math.inf
    if abs(state.swivels[limb]) > most:
        best = state.swivels[limb]
    for phase in range(2):
        centre = best
        step = FINE_STEP if phase else COARSE_STEP
        reach = 9 if phase else int(math.pi / COARSE_STEP)
        for k in range(2 * reach + 1):
            angle = centre + outwards * step * ((k + 1) // 2 if k % 2 else -(k // 2))
            if abs(angle - state.swivels[limb]) > most:
                continue
            _, cost = limb_swivelled(c, base, free, angle, plane)
            if cost < least - TIE * body.height:
                best, least = angle, cost
    bent, _ = limb_swivelled(c, base, free, best, plane)
    state.swivels[limb] = best
    return bent


@helper
def torso_of(c: Context) -> PrismTable:
    """The torso's prisms, on the joints of the spine."""
    body = c.body
    return PrismTable(
        body.prism_joints[: body.prisms], body.prism_low, body.prism_high, body.prism_polygons
    )


@helper
def elbow_place(c: Context, base: LimbBase, turn: Quat) -> Vec3:
    """Where the hinge is in the world."""
    upper = (0.0, -c.body.bones[base.limb, 0], 0.0)
    return vec_add(base.place, quat_rotate(quat_mul(base.parent, turn), upper))


@helper
def elbow_depth(c: Context, base: LimbBase, turn: Quat) -> float:
    """How deep the elbow is in the torso [m]."""
    body, work = c.body, c.work
    elbow = elbow_place(c, base, turn)
    depth, _ = prisms_depth(torso_of(c), work.places, work.world, elbow, body.elbow_radius)
    return depth


@helper
def elbow_push(c: Context, base: LimbBase, turn: Quat) -> tuple[Quat, bool]:
    """Section 8: turn the upper arm until the elbow is out of the torso; whether it had to."""
    body, work, parent, limb = c.body, c.work, base.parent, base.limb
    push, _, steps = prisms_push_limb(
        torso_of(c),
        work.places,
        work.world,
        PushedLimb(
            base.place,
            elbow_place(c, base, turn),
            vec_add(base.place, quat_rotate(parent, base.aim)),
            vec_length(base.aim) >= STRETCHED * (body.bones[limb, 0] + body.bones[limb, 1]),
        ),
        body.elbow_radius,
        PushSearch(PUSH_GAIN, PUSH_DEPTH * body.height, PUSH_STEPS),
    )
    if steps == 0:
        return turn, False
    return quat_mul(quat_conj(parent), quat_mul(push, quat_mul(parent, turn))), True


@helper
def solve_limb(c: Context, limb: int, target: Vec3) -> int:
    """Solve and write clavicle, root and hinge of one limb; flags."""
    base, flags = limb_begin(c, limb, target)
    return settle_limb(c, base, limb_aim(c, limb, base.aim), flags)


@helper
def settle_limb(c: Context, base: LimbBase, free: Quat, flags: int) -> int:
    """Solve and write root and hinge within limits, from a wished rotation of the root; flags."""
    body, limits, settings, state = c.body, c.limits, c.settings, c.state
    limb = base.limb
    within = not flags & (UNREACHABLE << limb)
    turn = limit_project(limits, base.row + 1, free)
    pressed = turn != free
    plane = settings.keep_plane > 0
    bent = limb_finish(c, base, turn, plane)
    if settings.swivel == SEARCH and within:
        if bent.miss > MISS * body.height or state.swivels[limb] != 0.0:
            bent = limb_search(c, base, free, plane, settings.turn if plane else math.inf)
            turn = bent.turn
            pressed = False  # counted by the search, for the swivel it chose
    else:
        state.swivels[limb] = 0.0
    if settings.collisions and body.bend[limb] > 0.0:
        pushed, moved = elbow_push(c, base, turn)
        if moved:
            flags |= COLLIDED << limb
            bent = limb_finish(c, base, pushed, plane)
            pressed = pressed or bent.miss > MISS * body.height
            if elbow_depth(c, base, bent.turn) > FELT_DEPTH * body.height:
                flags |= STALLED << limb  # a limit, or the target, keeps it inside
    if bent.limited or pressed:
        flags |= LIMITED << limb
    limb_end(c, base, bent.turn, bent.angle)
    return flags


@helper
def hold_ends(c: Context) -> None:
    """Head, forearms, wrists, ankles within limits: nothing hangs from them that was asked for.

    Where nothing turns them they stand neutral, which limits from motion need not allow.
    """
    body, limits, work = c.body, c.limits, c.work
    for limb in range(-1, LIMBS):  # -1: the head, whose row comes before those of limbs
        end = body.joints + LIMB_ROWS * (limb + 1) - 1
        quat_store(work.local, end, limit_project(limits, end, quat_load(work.local, end)))
        twist = body.twists[limb] if limb >= 0 else -1
        if twist >= 0:
            turn = limit_project(limits, twist, quat_load(work.local, twist))
            quat_store(work.local, twist, turn)


@helper
def write_row(c: Context, row: int, rotations: Floats) -> None:
    """Write the anatomical rotation of a row as that of its joint of the rig, if it has one."""
    body = c.body
    joint = body.rig[row]
    if joint >= 0:
        rotation = quat_mul(quat_load(body.before, row), quat_load(c.work.local, row))
        rotation = quat_mul(rotation, quat_load(body.after, row))
        quat_store(rotations, joint, quat_normalize(rotation))


@helper
def finish_frame(
    c: Context, frames: Frames, frame: int, estimate: Quat, steps: int, flags: int
) -> None:
    """`end_frame` for a body solved row by row, and its pose; joints without a row stay at rest.

    Expects `local` of all rows, `world` and `places` of the spine, and `ends` of the limbs.
    """
    body, rest, work, out = c.body, c.rest, c.work, frames.out
    pelvis = vec_load(work.places, PELVIS)
    vec_store(work.ends, PELVIS, pelvis)
    vec_store(work.ends, HEAD, vec_load(work.places, body.joints - 1))
    hold_ends(c)
    for joint in range(rest.shape[0]):  # a slice would compile NumPy's messages, too
        quat_store(out.rotations[frame], joint, quat_load(rest, joint))
    for row in range(body.rows):
        write_row(c, row, out.rotations[frame])
    a = body.anchor_rotation
    place = quat_unrotate((a[0], a[1], a[2], a[3]), vec_sub(pelvis, as3(body.anchor)))
    vec_store(out.root, frame, place)
    out.iterations[frame] = steps
    end_frame(c, frames, frame, estimate, quat_load(work.world, PELVIS), flags)
