"""TGBSIK: trunk and clavicles of sequential IK, limbs with the swivel of least rotation.

The method of Tolani, Goswami and Badler for limbs ("Real-time inverse kinematics techniques for
anthropomorphic limbs", Graphical Models 62, 2000) in the body of sequential IK, as the SIK paper
compares it (section 9). Root A, hinge B and target D span a triangle with known sides; B may lie
anywhere on a circle about the line from A to D::

    n = unit(D - A)      u = unit(reference across n)      v = n x u
    B(phi) = A + upper (cos(psi) n + sin(psi) (cos(phi) u + sin(phi) v))

with psi the angle of the triangle at A and phi the swivel: the one at which shoulder or hip swings
and twists least. The hinge's axis stands on the triangle, so that X of A is n x (B's direction
across n), in legs its opposite. It is defined even for a straight limb. A turn by phi about n takes
the limb from swivel 0 to phi.

**Good at** staying far from the limits of shoulder and hip. **Bad at** steadiness: the best of two
positions far apart may change from one frame to the next, and elbow or knee jumps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import angle_wrap, quat_to_euler_xyz
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
    vec_unit,
)
from ..base import Capabilities, Solver
from ..context import LIMITED, Frames
from ..people.plan import PersonSettings, begin_frame
from ..people.tables import FIRST_LIMB, LIMB_ROWS, LIMBS, PELVIS
from ..problem import Problem
from ..settings import Interval
from ..start import check_prior, start_solver
from .limb import (
    COARSE_STEP,
    FELT,
    FINE_STEP,
    IDENTITY,
    NEUTRAL,
    SEARCH,
    TIE,
    finish_frame,
    limb_begin,
    limb_end,
    triangle_angle,
)
from .plan import Context, SequentialPlan, sequential_kernel
from .sik import SequentialSolver
from .trunk import solve_known_trunk

ALIGNED = 0.03
"""A reference with less across the line from root to target than this says nothing."""
COARSE_STEPS = math.ceil(2.0 * math.pi / COARSE_STEP)
FINE_STEPS = round(2.0 * COARSE_STEP / FINE_STEP)
MID_RANGE = 2
"""Besides `NEUTRAL` and `SEARCH`: the swivel nearest to the middle of the shoulder's ranges."""
MIDDLE: Vec3 = (-math.radians(60.0), math.radians(5.0), math.radians(55.0))
HALF_RANGE: Vec3 = (math.radians(110.0), math.radians(85.0), math.radians(95.0))
"""Middles and half-ranges of the left shoulder's angles about X, Y, Z in follower order: 170
degrees of flexion and 50 of extension, 90 and 80 of twist, 150 of abduction and 40 of adduction.
Those of the right shoulder mirror them in Y and Z."""


@dataclass(frozen=True, kw_only=True)
class TGBSolver(PersonSettings, Solver):
    """Settings of TGBSIK; its trunk is that of `SequentialSolver` with the default settings."""

    name: ClassVar[str] = "tgbsik"
    title: ClassVar[str] = "Sequential IK, searched swivels"
    capabilities: ClassVar[Capabilities] = Capabilities()

    twist_weight: Annotated[float, Interval(0.0, 1e6)] = 1.0
    """What a twist of shoulder or hip costs, where a swing costs 1 (both squared)."""
    prior_weight: Annotated[float, Interval(0.0, 1e6)] = 0.0
    """What it costs to swivel away from where the guided solver has elbow or knee (also squared);
    0, as published: nothing."""
    prior: str = ""
    """File of the guided solver's model, for a `prior_weight`; empty for the one built in."""

    def check(self) -> None:
        """Refuse a model that nobody would read."""
        check_prior(self, self.prior, self.prior_weight > 0.0, "prior_weight=1")

    def plan(self, problem: Problem) -> SequentialPlan:
        """Return the tables and the kernel for one person."""
        numbers = {**SequentialSolver().numbers(), **self.numbers(), "swivel": SEARCH}
        first = start_solver("guided", self, self.prior) if self.prior_weight > 0.0 else None
        return SequentialPlan(self, problem, solve_frames, numbers, first)


class SwivelCost(NamedTuple):
    """What makes one swivel of a limb better than another."""

    kind: int
    """`SEARCH` for the least rotation of the root, `MID_RANGE` for the middle of its ranges."""
    twist: float
    """What a twist costs, where a swing costs 1 (both squared)."""
    usual: float
    """A usual swivel [rad]."""
    weight: float
    """What it costs to be away from that one (also squared); ours."""


@helper
def swivel_zero(n: Vec3, reference: Vec3, fallback: Vec3) -> Vec3:
    """Where swivel 0 points: the part of a reference across the line n, or of the fallback."""
    across = vec_reject(reference, n)
    if vec_length(across) < ALIGNED:
        across = vec_reject(fallback, n)
    return vec_unit(across, (1.0, 0.0, 0.0))


@helper
def tgb_limb(upper: float, lower: float, bend: float, aim: Vec3, u: Vec3) -> tuple[Quat, float]:
    """Rotation of A and angle of the hinge about X [rad] of a limb at swivel 0.

    Args:
        upper: length of the bone from A to B [m].
        lower: length of the bone from B on [m].
        bend: +1 for an arm, -1 for a leg.
        aim: target as seen from A, in the frame of the limb's parent [m].
        u: where swivel 0 points, a unit vector across `aim`.
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
def range_cost(turn: Quat, side: float) -> float:
    """How far a shoulder's three angles are from the middle of their ranges, squared."""
    a, b, c = quat_to_euler_xyz(turn)
    x = (a - MIDDLE[0]) / HALF_RANGE[0]
    y = (side * b - MIDDLE[1]) / HALF_RANGE[1]
    z = (side * c - MIDDLE[2]) / HALF_RANGE[2]
    return x * x + y * y + z * z


@helper
def swivel_search(turn: Quat, n: Vec3, cost: SwivelCost, side: float, previous: float) -> float:
    """The swivel of least cost over the full circle [rad].

    Coarse steps, then fine ones around the best. Of equal costs the nearer to the swivel of the
    frame before wins. The grid of the right side (`side` -1) mirrors that of the left.
    """
    best, least = 0.0, math.inf
    for phase in range(2):
        first = best - side * COARSE_STEP if phase else -side * math.pi
        step = side * (FINE_STEP if phase else COARSE_STEP)
        further = quat_from_axis_angle(n, step)  # sine and cosine once, not at every step
        trial = swivelled(turn, n, first)
        for k in range(FINE_STEPS + 1 if phase else COARSE_STEPS):
            phi = first + step * k
            if cost.kind == MID_RANGE:
                now = range_cost(trial, side)
            else:
                now = swivel_cost(trial, cost.twist)
            if cost.weight > 0.0:
                away = swivel_change(phi, cost.usual)
                now += cost.weight * away * away
            if now < least + TIE and (
                now < least - TIE or swivel_change(phi, previous) < swivel_change(best, previous)
            ):
                best, least = phi, now
            trial = quat_mul(further, trial)
    return angle_wrap(best)


@helper
def solve_limb_swivelled(c: Context, limb: int, estimate: Quat, kind: int) -> int:
    """Clavicle, root and hinge of one limb, and where its end comes to lie; flags.

    The swivel is zero against the axes of the estimated pelvis (`NEUTRAL`), or searched. Limits
    come last, and what they cost in reach is not made up for.
    """
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    row = body.joints + LIMB_ROWS * limb
    bend = body.bend[limb]
    base, flags = limb_begin(c, limb, vec_load(work.points, FIRST_LIMB + limb))
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
    if kind != NEUTRAL:
        side = 1.0 if limb % 2 == 0 else -1.0
        usual, weight = 0.0, settings.prior_weight
        if weight > 0.0:
            usual, known = swivel_of(turn, n, quat_unrotate(parent, vec_load(work.hinges, limb)))
            weight = weight if known else 0.0
        cost = SwivelCost(kind, settings.twist_weight, usual, weight)
        phi = swivel_search(turn, n, cost, side, state.swivels[limb])
        state.swivels[limb] = phi
        turn = swivelled(turn, n, phi)
    held = limit_project(limits, row + 1, turn)
    angle = limit_clamp_angle(limits, row + 2, wanted)
    if held != turn or abs(angle - wanted) > FELT:
        flags |= LIMITED << limb
    limb_end(c, base, held, angle)
    return flags


@helper
def solve_limbs(c: Context, estimate: Quat, kind: int) -> int:
    """All four limbs; fills their local rotations and ends. Flags."""
    flags = 0
    for limb in range(LIMBS):
        flags |= solve_limb_swivelled(c, limb, estimate, kind)
    return flags


@helper
def read_row(c: Context, rotations: Floats, row: int) -> Quat:
    """Local anatomical rotation of a row in a pose of the rig (J, 4)."""
    joint = c.body.rig[row]
    if joint < 0:
        return IDENTITY
    local = quat_mul(quat_conj(quat_load(c.body.before, row)), quat_load(rotations, joint))
    return quat_normalize(quat_mul(local, quat_conj(quat_load(c.body.after, row))))


@helper
def read_hinges(c: Context, rotations: Floats) -> None:
    """World hinge axes of the limbs in a pose of the rig (J, 4), into `work.hinges`."""
    body, work = c.body, c.work
    below = read_row(c, rotations, PELVIS)
    quat_store(work.world, PELVIS, below)
    if body.lumbar >= 0:
        below = quat_mul(below, read_row(c, rotations, body.lumbar))
    for k in range(1, body.joints):
        below = quat_mul(below, read_row(c, rotations, k))
        quat_store(work.world, k, below)
    for limb in range(LIMBS):
        clavicle = body.joints + LIMB_ROWS * limb
        world = quat_load(work.world, body.carrier[limb])
        world = quat_mul(world, read_row(c, rotations, clavicle))
        world = quat_mul(world, read_row(c, rotations, clavicle + 1))
        vec_store(work.hinges, limb, quat_rotate(world, (1.0, 0.0, 0.0)))


def solve_frame(c: Context, frames: Frames, frame: int) -> None:
    """Solve one frame of TGBSIK."""
    if c.settings.prior_weight > 0.0:
        read_hinges(c, frames.start.rotations[frame])
    flags, estimate = begin_frame(c, frames, frame)
    steps, more = solve_known_trunk(c, frames, frame, estimate)
    flags |= more | solve_limbs(c, estimate, SEARCH)
    finish_frame(c, frames, frame, estimate, steps, flags)


solve_frames = sequential_kernel(solve_frame)
