"""Analytic upper body: trunk and arms in closed form from head, wrists and the trunk's centre.

Boulic, Varona, Unzueta, Peinado, Suescun and Perales, "Evaluation of on-line analytic and numeric
inverse kinematics approaches driven by partial vision input", Virtual Reality 10 (2006), section 5.
The trunk is one rigid segment; the centre of the trunk is the point `pelvis`, as a camera's
silhouettes show it. It turns so that its length lies along the line from its centre to the head,
then about that line until its side lies along the line between the hands, then moves until the head
is where it was seen. An arm is pointed at its wrist, bent to the distance, and swivelled to the
middle of the shoulder's range. Legs, which the paper leaves out, go to the ankles if those are
given.

**Good at** speed, a head that is exactly where it was seen, wrists exact within reach. **Bad at**
bent backs, balance (it knows none), and noise in hands and trunk, which passes straight through.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_columns,
    quat_mul,
    quat_rotate,
    quat_store,
)
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
from ..base import Capabilities, Solver
from ..context import MISSING, Frames
from ..people.plan import PersonSettings, begin_frame
from ..people.tables import FIRST_LIMB, HEAD, LIMBS, PELVIS
from ..problem import Problem
from ..settings import Fraction
from .limb import FIXED, IDENTITY, NEUTRAL, REST, finish_frame
from .plan import Context, SequentialPlan, sequential_kernel
from .sik import SequentialSolver
from .tgb import MID_RANGE, solve_limb_swivelled
from .trunk import rest_loins, spine_chord, spine_forward

ARMS = 2
HANDS_APART = 0.5
"""Hands nearer than this part of their distance in the neutral stance say less of the trunk."""
HANDS_ALONG = math.cos(math.radians(45.0))
"""A line between the hands within this angle of the body's side turns the trunk as the paper has
it; beyond, it says less and less."""
FEET_UNSEEN = 10.0
"""So many times slower than one line is followed, hands stand for feet that are not seen."""
HEAD_PLACE, HANDS_SIDE = 0, 1
"""Rows of `State.poles`: where the head stood at first, where the hands have been."""


@dataclass(frozen=True, kw_only=True)
class AnalyticUpperSolver(PersonSettings, Solver):
    """Settings of the analytic upper body."""

    name: ClassVar[str] = "analytic-upper"
    title: ClassVar[str] = "Analytic upper body"
    capabilities: ClassVar[Capabilities] = Capabilities(rotations=False)

    hands: Fraction = 0.5
    """How much the line between the hands turns the trunk about its length, from 0 (it keeps
    facing where it did) to 1 (it follows at once)."""
    trunk: bool = True
    """Turn and move the trunk with head and centre. False: it stays as it stood at first, and far
    hands are missed (Fig. 12, left)."""
    clavicles: bool = False
    """Let clavicles help an arm that is too short. The paper has none."""

    def plan(self, problem: Problem) -> SequentialPlan:
        """Return the tables and the kernel for one person."""
        numbers = {**SequentialSolver().numbers(), "clavicle": REST if self.clavicles else FIXED}
        return SequentialPlan(self, problem, solve_frames, numbers)


@helper
def body_side(c: Context, flags: int, hands: Vec3) -> Vec3:
    """Where the left of the body is, a horizontal unit vector: what hands are compared with.

    Between the line of the ankles and the trunk of the frame before: either alone swings or runs
    away. Where ankles are not seen, a slow memory of the hands (row `HANDS_SIDE` of the poles).
    """
    settings, state, work = c.settings, c.state, c.work
    left, right = FIRST_LIMB + 2, FIRST_LIMB + 3
    feet = vec_sub(vec_load(work.points, left), vec_load(work.points, right))
    feet = vec_unit((feet[0], 0.0, feet[2]), vec_unit(hands, (1.0, 0.0, 0.0)))
    if state.frames == 0:
        side = feet
    elif flags & (3 * (MISSING << left)):
        side = vec_load(state.poles, HANDS_SIDE)
        way = vec_sub(vec_unit(hands, side), side)
        feet = vec_add(side, vec_scale(way, 1.0 / (FEET_UNSEEN * settings.follow + 1.0)))
        side = vec_unit(feet, side)
        feet = side
    else:
        trunk = (state.left[0], 0.0, state.left[2])
        side = vec_unit(vec_add(feet, vec_unit(trunk, feet)), feet)
    vec_store(state.poles, HANDS_SIDE, feet)
    return side


@helper
def hands_share(c: Context, hands: Vec3, side: Vec3) -> float:
    """How much the line between the hands says of the trunk, from 0 to 1.

    Ours: all while it points to the body's side, nothing where it lies across or the hands have
    crossed, and little where they are close. The paper's mean would turn the trunk with them.
    """
    stance = c.body.stance
    wide = HANDS_APART * (stance[FIRST_LIMB, 0] - stance[FIRST_LIMB + 1, 0])
    length = vec_length(hands)
    if length <= 0.0 or wide <= 0.0:
        return 0.0
    x = min(max(vec_dot(hands, side) / length / HANDS_ALONG, 0.0), 1.0)
    return float(min(length / wide, 1.0) * x * x * (3.0 - 2.0 * x))


@helper
def trunk_axes(c: Context, flags: int) -> tuple[Vec3, Vec3]:
    """L from the trunk's centre to the head; T across it, from the hands and the frame before."""
    settings, state, work = c.settings, c.state, c.work
    spine = vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS))
    along = vec_unit(spine, (0.0, 1.0, 0.0))
    hands = vec_sub(vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1))
    flat = (hands[0], 0.0, hands[2])
    if flags & (3 * (MISSING << FIRST_LIMB)):
        flat = (0.0, 0.0, 0.0)
    side = body_side(c, flags, flat)
    before = as3(state.left) if state.frames > 0 else side
    share = hands_share(c, flat, side)
    said = vec_add(vec_scale(vec_unit(flat, side), share), vec_scale(side, 1.0 - share))
    part = settings.hands
    mean = vec_add(vec_scale(said, part), vec_scale(before, 1.0 - part))
    across = vec_reject(mean, along)
    if vec_length(across) < 1e-6:
        across = vec_reject(before, along)
    if vec_length(across) < 1e-6:
        across = vec_reject(side, along)
    return along, vec_unit(across, (1.0, 0.0, 0.0))


@helper
def place_trunk(c: Context, along: Vec3, across: Vec3) -> Quat:
    """The three moves at once; fills the rows of the spine. Returns the trunk's rotation.

    The first turns the neutral line from pelvis to head to L, the second turns about L: together
    they take (X, that line) to (T, L), from wherever the trunk was. The third brings the head home.
    """
    body, limits, work = c.body, c.limits, c.work
    for k in range(body.joints):
        quat_store(work.trial, k, limit_project(limits, k, IDENTITY))
    chord = spine_chord(c, 0)
    side = (1.0, 0.0, 0.0)
    line = vec_unit(vec_reject(chord, side), (0.0, 1.0, 0.0))
    was = quat_from_columns((side, line, vec_cross(side, line)))
    now = quat_from_columns((across, along, vec_cross(across, along)))
    turn = quat_mul(now, quat_conj(was))
    quat_store(work.trial, 0, turn)
    spine_forward(c, vec_sub(vec_load(work.points, HEAD), quat_rotate(turn, chord)))
    rest_loins(c)
    return turn


def solve_frame(c: Context, frames: Frames, frame: int) -> None:
    """Solve one frame: trunk, then arms, then legs."""
    settings, state, work = c.settings, c.state, c.work
    flags, estimate = begin_frame(c, frames, frame)
    if not settings.trunk:
        # Fig. 12, left: without control of the trunk it stands where it stood at first.
        along = (0.0, 1.0, 0.0)
        across = vec_unit(
            vec_reject(quat_rotate(estimate, (1.0, 0.0, 0.0)), along), (1.0, 0.0, 0.0)
        )
        if state.frames > 0:
            across = as3(state.left)
            vec_store(work.points, HEAD, vec_load(state.poles, HEAD_PLACE))
        vec_store(state.poles, HEAD_PLACE, vec_load(work.points, HEAD))
    else:
        along, across = trunk_axes(c, flags)
    trunk = place_trunk(c, along, across)
    for limb in range(LIMBS):  # arms: point, bend, swivel (Fig. 8)
        flags |= solve_limb_swivelled(c, limb, trunk, MID_RANGE if limb < ARMS else NEUTRAL)
    finish_frame(c, frames, frame, trunk, 0, flags)


solve_frames = sequential_kernel(solve_frame)
