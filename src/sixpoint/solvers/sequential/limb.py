"""Limbs of sequential IK (sections 6 and 8 of the SIK paper; Algorithm 5).

Everything happens in the frame of the limb's parent, starting from the neutral, straight limb: A is
the root joint at the origin, B the hinge, D the target.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.prism import PrismTable, PushedLimb, PushSearch, prisms_depth, prisms_push_limb
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_mul,
    quat_rotate,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
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
from ..context import COLLIDED, LIMITED, STALLED, UNREACHABLE
from .context import Context
from .limb_ends import FELT, IDENTITY, LimbBase, limb_begin, limb_end, triangle_angle

NEUTRAL, SEARCH = 0, 1
"""Choices of `SequentialSolver.swivel`."""
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
SEARCH_COARSE, SEARCH_FINE = 0.1, 0.01
"""Steps of the swivel search [rad]."""
TIE = 1e-9
"""Costs that differ by less than this part of the height are equal."""
SWIVEL_COST = 0.005
"""What a turn of one radian away from the neutral swivel may cost in reach, as a part of height."""
SWIVEL_EASE = 0.1
"""The larger, the faster the swivel may change from frame to frame [rad]: a limb that can go back
to its neutral swivel does so by half of this in each frame."""
MISS = 1e-4
"""A limb that misses by less than this part of the height needs no other swivel."""


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
def limb_bend(c: Context, base: LimbBase, turn: Quat) -> tuple[Quat, float, float, bool]:
    """Lines 11 and 12: keep A within its limit, bend the hinge towards the target.

    Returns:
        Rotation of A, hinge angle about X, distance from the target, whether a limit was felt.
    """
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
    return held, angle, vec_distance(inside, tip), limited


@helper
def limb_finish(
    c: Context, base: LimbBase, turn: Quat, plane: bool = False
) -> tuple[Quat, float, float, bool]:
    """Lines 8 to 12: turn A about its bone so that the hinge can reach, then bend the hinge.

    With `plane`, A keeps the plane in which it is given: a straight limb that a limit holds back
    would turn about its bone from one frame to the next, for a few millimetres.

    Returns:
        Rotation of A, hinge angle about X, distance from the target, whether a limit was felt.
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
) -> tuple[Quat, float, float, bool, float]:
    """The limb turned about the line A-D, within its limits (see `limb_finish`), and its cost."""
    body, limits, state = c.body, c.limits, c.state
    axis = vec_unit(base.aim, (0.0, -1.0, 0.0))
    turn = quat_mul(quat_from_axis_angle(axis, angle), free)
    within = limit_project(limits, base.row + 1, turn)
    held, hinge, miss, limited = limb_finish(c, base, within, plane)
    change = angle - state.swivels[base.limb]
    cost = miss + SWIVEL_COST * body.height * (abs(angle) + change * change / SWIVEL_EASE)
    return held, hinge, miss, limited or within != turn, cost


@helper
def limb_search(
    c: Context, base: LimbBase, free: Quat, plane: bool, most: float
) -> tuple[Quat, float, float, bool]:
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
        step = SEARCH_FINE if phase else SEARCH_COARSE
        reach = 9 if phase else int(math.pi / SEARCH_COARSE)
        for k in range(2 * reach + 1):
            angle = centre + outwards * step * ((k + 1) // 2 if k % 2 else -(k // 2))
            if abs(angle - state.swivels[limb]) > most:
                continue
            _, _, _, _, cost = limb_swivelled(c, base, free, angle, plane)
            if cost < least - TIE * body.height:
                best, least = angle, cost
    held, hinge, miss, limited, _ = limb_swivelled(c, base, free, best, plane)
    state.swivels[limb] = best
    return held, hinge, miss, limited


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
def solve_limb(c: Context, limb: int, target: Vec3) -> tuple[Vec3, int]:
    """Clavicle, root and hinge of one limb; fills their local rotations.

    Returns:
        Where the end of the limb comes to lie, and flags.
    """
    base, flags = limb_begin(c, limb, target)
    return settle_limb(c, base, limb_aim(c, limb, base.aim), flags)


@helper
def settle_limb(c: Context, base: LimbBase, free: Quat, flags: int) -> tuple[Vec3, int]:
    """Root and hinge of a limb within their limits, from the rotation of the root that is wished.

    Returns:
        Where the end of the limb comes to lie, and flags added to those given.
    """
    body, limits, settings, state = c.body, c.limits, c.settings, c.state
    limb = base.limb
    within = not flags & (UNREACHABLE << limb)
    turn = limit_project(limits, base.row + 1, free)
    pressed = turn != free
    plane = settings.keep_plane > 0
    most = settings.turn if plane else math.inf
    held, angle, miss, limited = limb_finish(c, base, turn, plane)
    if settings.swivel == SEARCH and within:
        if miss > MISS * body.height or state.swivels[limb] != 0.0:
            held, angle, miss, limited = limb_search(c, base, free, plane, most)
            turn = held
            pressed = False  # counted by the search, for the swivel it chose
    else:
        state.swivels[limb] = 0.0
    if settings.collisions and body.bend[limb] > 0.0:
        pushed, moved = elbow_push(c, base, turn)
        if moved:
            flags |= COLLIDED << limb
            held, angle, miss, limited = limb_finish(c, base, pushed, plane)
            pressed = pressed or miss > MISS * body.height
            if elbow_depth(c, base, held) > FELT_DEPTH * body.height:
                flags |= STALLED << limb  # a limit, or the target, keeps it inside
    if limited or pressed:
        flags |= LIMITED << limb
    return limb_end(c, base, held, angle), flags
