"""How a limb settles: another swivel where limits or the torso bar the neutral one.

The paper accepts what limits make of the neutral swivel, and pushes elbows out of the torso step by
step (sections 6 and 8). By default the swivel is searched: the best of all turns about the line
from the root of the limb to its target, without a jump from the frame before.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.prism import PrismTable, PushedLimb, PushSearch, prisms_depth, prisms_push_limb
from ...kernels.quaternion import quat_conj, quat_from_axis_angle, quat_mul, quat_rotate
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_add, vec_length, vec_unit
from ..context import BLOCKED, COLLIDED, LIMITED, STALLED, SWIVELLED, UNREACHABLE
from .limb import (
    COARSE_STEP,
    FINE_STEP,
    MISS,
    SEARCH,
    TIE,
    BentLimb,
    LimbBase,
    limb_aim,
    limb_begin,
    limb_end,
    limb_finish,
)
from .plan import Context

STRETCHED = 0.98
"""A limb reaching farther than this part of its length counts as straight."""
PUSH_STEPS, PUSH_GAIN = 30, 1.0
"""Most steps, and the factor k of section 8, to get an elbow out of the torso."""
PUSH_DEPTH = 6e-5
"""The elbow is out when it is no deeper than this part of the height (0.1 mm)."""
FELT_DEPTH = 6e-4
"""An elbow deeper than this part of the height (1 mm) is reported as still inside."""
SWIVEL_COST = 0.005
"""What a turn of one radian away from the neutral swivel may cost in reach, as a part of height."""
SWIVEL_EASE = 0.1
"""The larger, the faster the swivel may change from frame to frame [rad]: a limb that can go back
to its neutral swivel does so by half of this in each frame."""
DEPTH_COST = 4.0
"""What a metre of depth in the torso costs, where a metre off the target costs one."""


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
def limb_swivelled(
    c: Context, base: LimbBase, free: Quat, angle: float, plane: bool, avoid: bool
) -> tuple[BentLimb, float]:
    """The limb turned about the line A-D, within its limits (see `limb_finish`), and its cost.

    With `avoid` the depth of the elbow in the torso counts, too.
    """
    body, limits, state = c.body, c.limits, c.state
    axis = vec_unit(base.aim, (0.0, -1.0, 0.0))
    turn = quat_mul(quat_from_axis_angle(axis, angle), free)
    within = limit_project(limits, base.row + 1, turn)
    bent = limb_finish(c, base, within, plane)
    # In a first frame there is nothing to keep to.
    change = angle - state.swivels[base.limb] if state.frames > 0 else 0.0
    cost = bent.miss + SWIVEL_COST * body.height * (abs(angle) + change * change / SWIVEL_EASE)
    if avoid:
        cost += DEPTH_COST * max(elbow_depth(c, base, bent.turn), 0.0)
    return BentLimb(bent.turn, bent.angle, bent.miss, bent.limited or within != turn), cost


@helper
def limb_search(
    c: Context, base: LimbBase, free: Quat, plane: bool, most: float, avoid: bool
) -> BentLimb:
    """Another swivel about the line A-D, where limits or the torso bar the neutral one.

    Ours (`swivel="search"`). Weighs the distance that is missed against the turn and against its
    change since the frame before: a limb does not jump to the other side for a millimetre, and
    eases back when it can. It never turns by more than `most` [rad] in a frame.
    """
    body, state, limb = c.body, c.state, base.limb
    # Nearest turns first, and outwards before inwards: of equal answers the first is taken, so
    # that rounding does not decide, and left and right decide alike.
    outwards = 1.0 if limb % 2 == 0 else -1.0
    known, now = state.frames > 0, state.swivels[limb]
    best, least = 0.0, math.inf
    if known and abs(now) > most:
        best = now
    for phase in range(2):
        centre = best
        step = FINE_STEP if phase else COARSE_STEP
        reach = 9 if phase else int(math.pi / COARSE_STEP)
        for k in range(2 * reach + 1):
            angle = centre + outwards * step * ((k + 1) // 2 if k % 2 else -(k // 2))
            if known and abs(angle - now) > most:
                continue
            _, cost = limb_swivelled(c, base, free, angle, plane, avoid)
            if cost < least - TIE * body.height:
                best, least = angle, cost
    bent, _ = limb_swivelled(c, base, free, best, plane, avoid)
    state.swivels[limb] = best
    return bent


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
    missed, felt = MISS * body.height, FELT_DEPTH * body.height
    turn = limit_project(limits, base.row + 1, free)
    pressed = turn != free
    plane = settings.keep_plane > 0
    bent = limb_finish(c, base, turn, plane)
    searching = settings.swivel == SEARCH and not flags & (UNREACHABLE << limb)
    collides = settings.collisions > 0 and body.bend[limb] > 0.0
    avoid = collides and searching and not plane
    inside = avoid and elbow_depth(c, base, bent.turn) > felt
    if searching:
        if bent.miss > missed or inside or state.swivels[limb] != 0.0:
            before = bent.miss
            bent = limb_search(c, base, free, plane, settings.turn if plane else math.inf, avoid)
            turn = bent.turn
            pressed = False  # counted by the search, for the swivel it chose
            if state.swivels[limb] != 0.0:
                flags |= SWIVELLED << limb
            if inside:
                flags |= COLLIDED << limb
                if bent.miss > before + missed:
                    flags |= BLOCKED << limb
    else:
        state.swivels[limb] = 0.0
    if collides and not avoid:
        before = bent.miss
        pushed, moved = elbow_push(c, base, turn)
        if moved:
            flags |= COLLIDED << limb
            pressed = False  # it stands elsewhere now
            bent = limb_finish(c, base, pushed, plane)
            if bent.miss > (before + missed if bent.limited else missed):
                flags |= BLOCKED << limb
    if collides and elbow_depth(c, base, bent.turn) > felt:
        flags |= STALLED << limb  # a limit, or the target, keeps it inside
    if bent.miss > missed and (bent.limited or pressed):
        flags |= LIMITED << limb
    limb_end(c, base, bent.turn, bent.angle)
    return flags
