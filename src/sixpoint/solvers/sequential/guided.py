"""Guided sequential IK: what six positions leave open is taken from what people tend to do.

A small network, fitted to the motion of many people, says how pelvis and spine are turned and
where elbows and knees point; then everything is made exact as sequential IK does: the head by the
least turning of pelvis and spine, limbs by two bones, all within joint limits. Where the points are
unlike anything it was fitted to, it hands over to plain sequential IK by degrees. The SIK paper
names this as future work.

**Good at** everyday and athletic motion: about half of the error of sequential IK. **Bad at** what
nobody did in the data: its guesses are then as poor as those of others, and it says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from ...body.anatomy import Anatomy
from ...kernels import arrays
from ...kernels._jit import frame_kernel, helper
from ...kernels.quaternion import (
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Floats, Quat
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_unit,
)
from ...motion.pose import Pose
from ...priors.layout import ENDS, HINGES, measures, mirror_inputs, mirror_outputs
from ...priors.model import Prior, prior_of
from ...priors.poses import build_of, spine_map
from ..base import Capabilities, Solver
from ..context import MISSING, SPINE_LIMITED, UNREACHABLE, Frames, RecordArray
from ..people.body import row_names
from ..people.plan import PersonPlan, PersonSettings, begin_frame, known_rotation
from ..people.tables import FIRST_LIMB, HEAD, LIMB_ROWS, LIMBS, PELVIS
from ..problem import Problem
from ..settings import Fraction, NonNegative, Number, Weights
from . import network, three_point, trunk_fit
from .limb import (
    IDENTITY,
    SEARCH,
    LimbBase,
    finish_frame,
    limb_aim,
    limb_begin,
    settle_limb,
    triangle_angle,
)
from .network import GUIDE, MEMORY, NET, STATIONS, GuidedContext, GuidedTables, Layers
from .sik import SequentialSolver
from .three_point import HANDS, HEAD_LOST, UNSEEN
from .trunk import solve_trunk

HEAD_AND_HANDS = ("head", "l_wrist", "r_wrist")
"""What a headset and two controllers show."""
UNTRUSTED_DISTANCE = 2.0
"""The prior is not trusted at all beyond this many times the distance of the usual."""
PELVIS_COMPLIANCE = 0.15
"""How readily the pelvis turns to make the spine exact, against 1 for the whole spine."""
LIMB_UNSEEN = 0xF * (MISSING << FIRST_LIMB)
"""Any wrist or ankle that was not seen."""
HEAD_MISS_TOLERANCE = 1e-3
"""A head further than this part of height from its point is held back by limits."""
ASSIST_ROUNDS = 3
"""Times that pelvis and spine help limbs that limits hold back."""
PREVIOUS_HINGE_WEIGHT = 0.02
"""Weight of the hinge axis of the frame before, where the prior's is nearly along the limb."""


@dataclass(frozen=True, kw_only=True)
class GuidedSolver(PersonSettings, Solver):
    """Settings of guided sequential IK."""

    name: ClassVar[str] = "guided"
    title: ClassVar[str] = "Sequential IK, guided by a prior"
    capabilities: ClassVar[Capabilities] = Capabilities()

    weights: Weights = (1.0, 1.0, 1.0)
    """As for `sik`; here only for frames in which the prior is not trusted."""
    prior: str = ""
    """File of the model, as written by `sixpoint train`; empty for the one built in."""
    trust: Fraction = 1.0
    """Most that the prior is trusted: 1 where the points look usual; 0 for sequential IK, with the
    exact step of this solver."""
    cutoff: NonNegative = 6.0
    """Slowest cutoff of the one-euro filter over the prior's answers [Hz]; 0 for no filter."""
    quickness: NonNegative = 12.0
    """How much the cutoff grows with the speed of an answer: the larger, the less lag."""
    ends: Literal["predicted", "neutral"] = "predicted"
    """Hands and feet, whose turns no point shows: as people mostly have them, or neutral."""
    collisions: bool = False
    """Push elbows out of the torso."""

    def check(self) -> None:
        """Refuse a file that cannot be used at once."""
        if self.prior:
            prior_of(self.prior)

    @property
    def needed(self) -> tuple[str, ...]:
        """Head and hands: a body of these it puts on its feet itself."""
        return HEAD_AND_HANDS

    @property
    def model(self) -> Prior:
        """The prior itself, read once."""
        return prior_of(self.prior)

    def plan(self, problem: Problem) -> GuidedPlan:
        """Return the tables and the kernel for one person."""
        return GuidedPlan(self, problem)


class GuidedPlan(PersonPlan):
    """A person whose pose a prior suggests."""

    solver: GuidedSolver

    def __init__(self, solver: GuidedSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.kernel = solve_frames
        self._limits = problem.limits.table(row_names(problem.skeleton, self.body[0]))
        self._guide = guide_of(problem.skeleton.anatomy, solver)

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        limbs = {"swivel": SEARCH, "keep_plane": True}
        return {**SequentialSolver().numbers(), **self.solver.numbers(), **limbs}

    def new_context(self, rate: float) -> GuidedTables:
        """Return the tables of the kernel, with fresh memory."""
        model = self.solver.model
        memory, net = np.zeros(1, MEMORY), net_of(model)
        context = GuidedContext(
            *self.new_body_tables(rate), self._limits, self.rest, self._guide, memory, net
        )
        layers = (layers_of(weights) for weights in (model.weights, model.plausibility_weights))
        return GuidedTables(context, *layers)

    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        self.begin_state(context.context.state, pose)


def guide_of(anatomy: Anatomy, solver: GuidedSolver) -> RecordArray:
    """Return how one body follows the prior of a solver."""
    spine, prior = spine_map(anatomy), solver.model
    array = np.zeros(1, GUIDE)
    guide = array[0]
    guide.measures[:] = measures(build_of(anatomy))
    count = len(spine.parts.low)
    guide.low[:count], guide.high[:count] = spine.parts.low, spine.parts.high
    guide.share[:count] = spine.parts.share
    lengths = np.array([np.linalg.norm(anatomy.vector(a, b)) for a, b in pairwise(anatomy.bends)])
    guide.give[0] = PELVIS_COMPLIANCE
    guide.give[1 : count + 1] = count * lengths / lengths.sum()
    guide.near, guide.far = prior.near, UNTRUSTED_DISTANCE * prior.near
    guide.trust = solver.trust
    guide.cutoff, guide.quickness = solver.cutoff, solver.quickness
    guide.ends = solver.ends == "predicted"
    return array


def net_of(prior: Prior) -> RecordArray:
    """Return the constants of a prior, with scratch memory."""
    array = np.zeros(1, NET)
    net = array[0]
    net.order[:], net.signs[:] = mirror_inputs()
    net.back[:], net.back_signs[:] = mirror_outputs()
    net.input_mean[:], net.input_scale[:] = prior.mean, 1.0 / prior.scale
    net.whitening[:] = prior.whitening
    net.world[:] = arrays.identity(STATIONS)
    net.lower[:] = arrays.identity(1)
    return array


def layers_of(weights: Sequence[Floats]) -> Layers:
    """Return a network with room for its hidden units."""
    w1, b1, w2, b2, w3, b3 = (np.array(w) for w in weights)
    return Layers(w1, b1, w2, b2, w3, b3, np.zeros((2, len(b1))), np.zeros((2, len(b2))))


@helper
def guide_trunk(
    c: GuidedContext, estimate: Quat, fixed: bool, head: Quat, has_head: bool, trust: float
) -> tuple[int, int]:
    """What the prior wishes of pelvis and spine, into `world` and `lower`. Steps, and flags."""
    body, work, net = c.body, c.work, c.net
    last = body.joints - 1
    steps, flags = 0, 0
    if trust < 1.0:
        steps, flags = solve_trunk(c, estimate, fixed, head, has_head)
        quat_store(net.lower, 0, quat_load(work.world, PELVIS))
    else:  # the start of the blend does not count
        for k in range(body.joints):
            quat_store(work.world, k, quat_load(net.world, 0))
        quat_store(net.lower, 0, quat_load(net.world, 0))
    pelvis = quat_slerp(quat_load(work.world, PELVIS), quat_load(net.world, 0), trust)
    quat_store(work.world, PELVIS, estimate if fixed else pelvis)
    quat_store(net.lower, 0, quat_slerp(quat_load(net.lower, 0), network.part_turn(c, 0), trust))
    for k in range(1, last):
        turn = quat_slerp(quat_load(work.world, k), network.part_turn(c, k), trust)
        quat_store(work.world, k, turn)
    face, part = quat_load(net.world, STATIONS - 1), trust
    if has_head:
        face, part = head, 1.0
    quat_store(work.world, last, quat_slerp(quat_load(work.world, last), face, part))
    return steps, flags


@helper
def guide_limb(c: GuidedContext, limb: int, trust: float) -> int:
    """Solve and write one limb with the hinge axis of the prior; flags."""
    body, work, guide, memory, net = c.body, c.work, c.guide, c.memory, c.net
    target = vec_load(work.points, FIRST_LIMB + limb)
    base, flags = limb_begin(c, limb, target)
    parent, aim = base.parent, base.aim
    upper, lower = body.bones[limb, 0], body.bones[limb, 1]
    bend = body.bend[limb]
    along = vec_unit(aim, (0.0, -1.0, 0.0))
    # A limb that is a little too short keeps its swivel: it points at the target, straight.
    distance = min(vec_length(aim), upper + lower)
    aim = vec_scale(along, distance)
    short = flags & (UNREACHABLE << limb)
    flags -= short
    axis = vec_reject(quat_unrotate(parent, vec_load(net.vectors, HINGES + limb)), along)
    if trust < 1.0:
        neutral = limb_aim(c, limb, aim)
        usual = quat_rotate(neutral, (1.0, 0.0, 0.0))
        axis = vec_add(vec_scale(axis, trust), vec_scale(vec_reject(usual, along), 1.0 - trust))
    before = vec_reject(vec_load(memory.normals, limb), along)
    axis = vec_add(axis, vec_scale(before, PREVIOUS_HINGE_WEIGHT))
    hinge = network.unit_across(axis, along)
    vec_store(memory.normals, limb, hinge)
    angle = triangle_angle(upper, distance, lower)
    # Elbows stand off to the back, knees to the front.
    side = vec_scale(vec_cross(along, hinge), -bend)
    bone = vec_add(vec_scale(along, math.cos(angle)), vec_scale(side, math.sin(angle)))
    up = vec_scale(bone, -1.0)
    free = quat_from_columns((hinge, up, vec_cross(hinge, up)))
    base = LimbBase(limb, base.row, parent, base.place, aim)
    flags = settle_limb(c, base, free, flags)
    if not short:
        trunk_fit.ease_limb(c, base, target)
    flags |= short
    if guide.ends:
        guide_end(c, limb, trust)
    return flags


@helper
def guide_end(c: GuidedContext, limb: int, trust: float) -> None:
    """A hand or foot as the prior has it; where a joint twists the forearm, it twists the hand.

    Limits are kept when the frame is finished.
    """
    body, work, net = c.body, c.work, c.net
    row = body.joints + LIMB_ROWS * limb + LIMB_ROWS - 1
    if body.bend[limb] < 0.0:
        turn = network.rotation_of(net.vectors, ENDS + 2 * limb)
        quat_store(work.local, row, quat_slerp(quat_load(work.local, row), turn, trust))
        return
    twist, swing = network.hand_of(net.vectors, ENDS + 2 * limb)
    twist, swing = quat_slerp(IDENTITY, twist, trust), quat_slerp(IDENTITY, swing, trust)
    if body.twists[limb] >= 0:
        quat_store(work.local, body.twists[limb], twist)
        quat_store(work.local, row, swing)
    else:
        quat_store(work.local, row, quat_mul(twist, swing))


@helper
def guide_limbs(c: GuidedContext, trust: float) -> int:
    """All limbs, into `work.local` and `work.ends`; flags."""
    body, work, net = c.body, c.work, c.net
    flags = 0
    pelvis = quat_load(work.world, PELVIS)
    for limb in range(LIMBS):
        if body.carrier[limb] == 0 and body.bend[limb] > 0.0:
            # An arm that hangs from the pelvis goes with the spine.
            quat_store(work.world, PELVIS, quat_load(net.lower, 0))
        flags |= guide_limb(c, limb, trust)
        quat_store(work.world, PELVIS, pelvis)
    return flags


@helper
def try_limbs(c: GuidedContext, trust: float) -> None:
    """Where the ends of all limbs would lie, into `work.ends`; nothing is remembered of it."""
    state, memory, net = c.state, c.memory, c.net
    for limb in range(LIMBS):
        net.swivels[limb] = state.swivels[limb]
        vec_store(net.normals, limb, vec_load(memory.normals, limb))
    guide_limbs(c, trust)
    for limb in range(LIMBS):
        state.swivels[limb] = net.swivels[limb]
        vec_store(memory.normals, limb, vec_load(net.normals, limb))


@helper
def seen_part(flags: int, points: int) -> float:
    """Part of the points that were measured: guesses look usual, and say nothing."""
    lost = 0
    for p in range(points):
        if flags & (MISSING << p):
            lost += 1
    return 1.0 - lost / points


def solve_frame(
    c: GuidedContext, prior: Layers, critic: Layers, frames: Frames, frame: int
) -> None:
    """Solve one frame: ask the prior, make the answer exact, keep limits."""
    body, work, memory = c.body, c.work, c.memory
    flags, estimate = begin_frame(c, frames, frame)
    unseen = flags & (UNSEEN | HEAD_LOST) == UNSEEN
    _, fixed = known_rotation(frames.rotations[frame], PELVIS)
    head, has_head = known_rotation(frames.rotations[frame], HEAD)
    if unseen:
        faced = three_point.stand_up(c, flags, estimate, head, has_head)
        estimate = estimate if fixed else faced
    else:
        memory.grounded = 0
    guessed = flags & LIMB_UNSEEN != 0
    facing, trust = network.look(c, prior, estimate, fixed or guessed)
    believed = min(network.plausibility(c, critic) / network.DOUBT, 1.0)
    confidence = trust * believed * seen_part(flags, len(frames.positions[frame]))
    network.smooth(c, facing)
    network.read_stations(c)
    steps, more = guide_trunk(c, estimate, fixed, head, has_head, trust)
    flags |= more
    seat = trunk_fit.recall_help(c, fixed)
    most = trunk_fit.help_growth(c)
    for attempt in range(ASSIST_ROUNDS + 1):
        steps += trunk_fit.spread_errors(c, fixed)
        if attempt == ASSIST_ROUNDS:
            break
        try_limbs(c, trust)
        if unseen and not fixed:
            estimate = three_point.swing_body(c, estimate)
        if not trunk_fit.bring_ends(c, fixed, most):
            break
    trunk_fit.remember_help(c, seat)
    if trunk_fit.share_rest(c) > HEAD_MISS_TOLERANCE * body.height:
        flags |= SPINE_LIMITED
    flags |= guide_limbs(c, trust)
    trunk_fit.remember_limbs(c, flags)
    pelvis = quat_load(work.world, PELVIS)
    # A guessed limb goes where the pelvis goes, and would turn it round and round.
    faced = estimate if guessed else pelvis
    finish_frame(c, frames, frame, faced, steps, flags)
    if unseen:
        three_point.remember_feet(c)
    elif flags & HANDS == HANDS:
        three_point.keep_hands(c, pelvis, faced)
    memory.handless = flags & HANDS == HANDS and not unseen
    frames.out.confidence[frame] = confidence


def loop(tables: GuidedTables, frames: Frames, first: int, last: int) -> None:
    """Solve the frames of a clip one after the other."""
    body, settings, state, work, limits, rest, guide, memory, net = tables.context
    c = GuidedContext(
        body[0], settings[0], state[0], work[0], limits, rest, guide[0], memory[0], net[0]
    )
    for frame in range(first, last):
        solve_frame(c, tables.prior, tables.plausibility, frames, frame)


solve_frames = frame_kernel(solve_frame, loop)
