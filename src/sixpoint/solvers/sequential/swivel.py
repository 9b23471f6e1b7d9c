"""Limbs of two bones by their swivel angle: the TGB method.

Tolani, Goswami and Badler, "Real-time inverse kinematics techniques for anthropomorphic limbs",
Graphical Models 62 (2000). Root A, hinge B and target D span a triangle with known sides; B may lie
anywhere on a circle about the line from A to D::

    n = unit(D - A)      u = unit(reference across n)      v = n x u
    B(phi) = A + upper (cos(psi) n + sin(psi) (cos(phi) u + sin(phi) v))

with psi the angle of the triangle at A and phi the swivel. The hinge's axis stands on the triangle,
so that X of A is n x (B's direction across n), in legs its opposite. It is defined even for a
straight limb. A turn by phi about n takes the limb from swivel 0 to phi.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_from_columns,
    quat_mul,
    quat_rotate,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import angle_wrap
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_unit,
)
from ..context import LIMITED
from ..people.tables import FIRST_LIMB, LIMB_ROWS, LIMBS
from .context import Context
from .limb import SEARCH
from .limb_ends import FELT, limb_begin, limb_end, triangle_angle

ALIGNED = 0.03
"""A reference with less across the line from root to target than this says nothing."""
COARSE, FINE = 0.1, 0.01
"""Steps of the swivel search [rad]."""
COARSE_STEPS = math.ceil(2.0 * math.pi / COARSE)
FINE_STEPS = round(2.0 * COARSE / FINE)
TIE = 1e-9
"""Costs that differ by less than this are equal [rad^2]."""


@helper
def swivel_zero(n: Vec3, reference: Vec3, fallback: Vec3) -> Vec3:
    """Where swivel 0 points: the part of a reference across the line n, or of the fallback."""
    across = vec_reject(reference, n)
    if vec_length(across) < ALIGNED:
        across = vec_reject(fallback, n)
    return vec_unit(across, (1.0, 0.0, 0.0))


@helper
def tgb_limb(upper: float, lower: float, bend: float, aim: Vec3, u: Vec3) -> tuple[Quat, float]:
    """A limb at swivel 0, in the frame of its parent.

    Args:
        upper: length of the bone from A to B [m].
        lower: length of the bone from B on [m].
        bend: +1 for an arm, -1 for a leg.
        aim: target as seen from A [m].
        u: where swivel 0 points, a unit vector across `aim`.

    Returns:
        Rotation of A, and angle of the hinge about X [rad].
    """
    distance = vec_length(aim)
    n = vec_unit(aim, (0.0, -1.0, 0.0))
    psi = triangle_angle(upper, distance, lower)
    bone = vec_add(vec_scale(n, math.cos(psi)), vec_scale(u, math.sin(psi)))
    x = vec_scale(vec_cross(n, u), bend)
    y = vec_scale(bone, -1.0)
    turn = quat_from_columns((x, y, vec_cross(x, y)))
    return turn, -bend * (math.pi - triangle_angle(upper, lower, distance))


@helper
def swivelled(turn: Quat, n: Vec3, phi: float) -> Quat:
    """The rotation of A after a swivel by phi."""
    return quat_mul(quat_from_axis_angle(n, phi), turn)


@helper
def swivel_cost(turn: Quat, weight: float) -> float:
    """swing^2 + weight * twist^2 of a rotation, about the bone along Y [rad^2]."""
    across = math.sqrt(turn[1] * turn[1] + turn[3] * turn[3])
    along = math.sqrt(turn[0] * turn[0] + turn[2] * turn[2])
    swing = 2.0 * math.atan2(across, along)
    twist = quat_twist_angle(turn, (0.0, 1.0, 0.0))
    return swing * swing + weight * twist * twist


@helper
def swivel_change(phi: float, previous: float) -> float:
    """How far apart two swivels are [rad]."""
    return abs(angle_wrap(phi - previous))


@helper
def swivel_of(turn: Quat, n: Vec3, hinge: Vec3) -> tuple[float, bool]:
    """The swivel that turns X of A to a hinge axis [rad], and whether it is one across n.

    Expects A at swivel 0, X across n.
    """
    across = vec_reject(hinge, n)
    if vec_length(across) < ALIGNED:
        return 0.0, False
    x = quat_rotate(turn, (1.0, 0.0, 0.0))
    return math.atan2(vec_dot(across, vec_cross(n, x)), vec_dot(across, x)), True


@helper
def swivel_search(
    turn: Quat,
    n: Vec3,
    weight: float,
    side: float,
    previous: float,
    usual: tuple[float, float] = (0.0, 0.0),
) -> float:
    """The swivel of least cost over the full circle [rad].

    Coarse steps, then fine ones around the best. Of equal costs the nearer to the swivel of the
    frame before wins. The grid of the right side (`side` -1) mirrors that of the left. Ours: the
    squared angle from a `usual` swivel, times its weight, is added to the cost.
    """
    usual_angle, usual_weight = usual
    best, least = 0.0, math.inf
    for phase in range(2):
        first = best - side * COARSE if phase else -side * math.pi
        step = side * (FINE if phase else COARSE)
        further = quat_from_axis_angle(n, step)  # sine and cosine once, not at every step
        trial = swivelled(turn, n, first)
        for k in range(FINE_STEPS + 1 if phase else COARSE_STEPS):
            phi = first + step * k
            cost = swivel_cost(trial, weight)
            if usual_weight > 0.0:
                away = swivel_change(phi, usual_angle)
                cost += usual_weight * away * away
            if cost < least + TIE and (
                cost < least - TIE or swivel_change(phi, previous) < swivel_change(best, previous)
            ):
                best, least = phi, cost
            trial = quat_mul(further, trial)
    return angle_wrap(best)


@helper
def solve_limb_swivelled(c: Context, limb: int, estimate: Quat, target: Vec3) -> tuple[Vec3, int]:
    """Clavicle, root and hinge of one limb; fills their local rotations.

    The swivel is zero against the axes of the estimated pelvis, or searched. Limits come last, and
    what they cost in reach is not made up for.

    Returns:
        Where the end of the limb comes to lie, and flags.
    """
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    row = body.joints + LIMB_ROWS * limb
    bend = body.bend[limb]
    base, flags = limb_begin(c, limb, target)
    parent, aim = base.parent, base.aim
    n = vec_unit(aim, (0.0, -1.0, 0.0))
    # Elbows down, or back below and above the shoulder; knees ahead, or up.
    reference = (0.0, -1.0, 0.0) if bend > 0.0 else (0.0, 0.0, 1.0)
    fallback = (0.0, 0.0, -1.0) if bend > 0.0 else (0.0, 1.0, 0.0)
    u = swivel_zero(
        n,
        quat_unrotate(parent, quat_rotate(estimate, reference)),
        quat_unrotate(parent, quat_rotate(estimate, fallback)),
    )
    turn, wanted = tgb_limb(body.bones[limb, 0], body.bones[limb, 1], bend, aim, u)
    if settings.swivel == SEARCH:
        side = 1.0 if limb % 2 == 0 else -1.0
        usual, weight = 0.0, settings.prior_weight
        if weight > 0.0:
            usual, known = swivel_of(turn, n, quat_unrotate(parent, vec_load(work.hinges, limb)))
            weight = weight if known else 0.0
        before = state.swivels[limb]
        phi = swivel_search(turn, n, settings.twist_weight, side, before, (usual, weight))
        state.swivels[limb] = phi
        turn = swivelled(turn, n, phi)
    held = limit_project(limits, row + 1, turn)
    angle = limit_clamp_angle(limits, row + 2, wanted)
    if held != turn or abs(angle - wanted) > FELT:
        flags |= LIMITED << limb
    return limb_end(c, base, held, angle), flags


@helper
def solve_limbs(c: Context, estimate: Quat) -> int:
    """All four limbs; fills their local rotations and ends. Flags."""
    work = c.work
    flags = 0
    for limb in range(LIMBS):
        target = vec_load(work.points, FIRST_LIMB + limb)
        end, more = solve_limb_swivelled(c, limb, estimate, target)
        vec_store(work.ends, FIRST_LIMB + limb, end)
        flags |= more
    return flags
