"""Guided inverse kinematics: a prior predicts the pose, then the whole body meets the points.

A network that was fitted to the motion of many people predicts the pose of a whole body from
whatever points are seen, with or without their rotations. Gauss-Newton over the whole body then
finds the pose nearest to the prediction that meets every point within joint limits. What is not
seen is masked, so that head and hands, six trackers, or all joints of a detector are one case. The
SIK paper names a prior of human motion as future work.

**Good at** everyday and athletic motion: about half of the error of sequential IK. **Bad at** what
nobody did in the data: its predictions are then as poor as those of others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels._jit import frame_kernel, helper
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
)
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_distance, vec_load, vec_scale, vec_store, vec_sub
from ...motion.points import SIX
from ...motion.pose import Pose
from ...priors.layout import COUNT
from ...priors.model import Prior, prior_of
from ..articulated.build import new_pose
from ..articulated.model import ModelPose, model_forward, read_pose, write_pose
from ..articulated.settle import settle
from ..articulated.whole_body import (
    Observations,
    SettleScratch,
    Settling,
    WholeBody,
    new_scratch,
    whole_body,
)
from ..base import Capabilities, Solver
from ..context import (
    LIMITED,
    MISSING,
    SPINE_LIMITED,
    UNREACHABLE,
    Frames,
    Output,
    record_type,
)
from ..people.plan import MISSED, TOLERANCE, PersonPlan, is_place
from ..people.tables import FIRST_LIMB, HEAD, LIMBS, LONG_AGO, Settings
from ..plan import Status
from ..problem import Problem
from ..settings import Interval, settings_record
from .network import Network, new_network
from .prediction import (
    MISS_SHARE,
    PLACE,
    POINTS,
    Prediction,
    error_bound,
    expected_error,
    new_prediction,
    predict,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0)
GROWN = 2.0
"""A lost point eases back in this many times as long as it was lost, `recovery` at most."""
FADED = 3.0
"""Exponent of what is left of a change when its time is over."""
DOUBT = 16.0
"""Confidence is exp(-DOUBT x), where x is the expected error as a part of height: it halves with
every 4.3 % of height, 7 cm of an adult."""

MEMORY = record_type(
    ("frames", "i8"),  # frames solved since the start
    ("ages", "i8", (COUNT,)),  # frames since each point was seen again; minus frames while lost
    ("eases", "f8", (COUNT,)),  # frames in which it eases back
    ("seen", "i8", (COUNT,)),  # whether its position and its rotation were known: 0, 1, 2 or 3
    ("fade", "f8"),  # frames since the pose began to leave that of the frame before
    ("fades", "f8"),  # frames that this takes; 0: it follows the prediction
    ("left", "f8", (3,)),  # where the left of the pelvis was in the frame before
    ("root", "f8", (3,)),  # what was added to the predicted place of the pelvis then
)


class GuidedContext(NamedTuple):
    """One person; settings and memory are arrays of one record outside of kernels."""

    settings: Settings
    memory: Any
    body: WholeBody
    prediction: Prediction
    net: Network
    pose: ModelPose
    scratch: SettleScratch
    observed: Observations
    settling: Settling
    order: Any  # place of each landmark of the rig among the points, (E,)
    before: Floats  # local rotations of the frame before, (N, 4)
    place: Floats  # position of the pelvis then, (3,)
    added: Floats  # what was multiplied to the predicted local rotations then, (N, 4)
    apart: Floats  # way to where each point was guessed when it came back, (22, 3)
    twisted: Floats  # the same of rotations, (22, 4)
    points: Floats  # positions as they are used, (22, 3)
    turns: Floats  # rotations, (22, 4)


@dataclass(frozen=True, kw_only=True)
class GuidedSolver(Solver):
    """Settings of guided inverse kinematics."""

    name: ClassVar[str] = "guided"
    title: ClassVar[str] = "Whole body, guided by a prior"
    capabilities: ClassVar[Capabilities] = Capabilities()

    prior: str = ""
    """File of the model, as written by `sixpoint train`; empty for the one built in."""

    recovery: Annotated[float, Interval(0.0, 60.0)] = 0.25
    """Time in which a point that is seen again eases to its position, and the prediction to that
    for other points [s]."""
    calm: Annotated[float, Interval(0.0, 1.0)] = 0.05
    """Time in which predictions replace the pose of the frame before to two thirds [s]: the larger,
    the calmer what no point shows, and the later. Points are met at once."""

    def check(self) -> None:
        """Refuse a file that cannot be used at once."""
        if self.prior:
            prior_of(self.prior)

    @property
    def needed(self) -> tuple[str, ...]:
        """Nothing: what is not seen is predicted."""
        return ()

    @property
    def seeks_within_limits(self) -> bool:
        """See `Solver`."""
        return True

    @property
    def closeness(self) -> float:
        """A point nearer to its target than this part of the body height is met."""
        return TOLERANCE

    @property
    def model(self) -> Prior:
        """The prior itself, read once."""
        return prior_of(self.prior)

    def plan(self, problem: Problem) -> GuidedPlan:
        """Return the tables and the kernel for one person."""
        return GuidedPlan(self, problem)


class GuidedPlan(PersonPlan):
    """A person whose pose a prior predicts."""

    solver: GuidedSolver
    points = POINTS
    rotated = COUNT
    numbers = COUNT + 1
    detailed = True

    def __init__(self, solver: GuidedSolver, problem: Problem) -> None:
        super().__init__(solver, problem)
        self.kernel = solve_frames
        if not set(self.names) & set(POINTS):
            raise InputError(
                f"Expected at least one of the points {', '.join(POINTS)}; "
                f"got {', '.join(self.names) or 'none'}."
            )
        anatomy = problem.skeleton.anatomy
        self.whole = whole_body(anatomy, problem.limits)
        self.order = np.array([PLACE[name] for name in anatomy.landmarks])
        self.prediction = new_prediction(anatomy, self.whole)
        self.settling = Settling().scaled(anatomy.height)

    @property
    def names(self) -> tuple[str, ...]:
        """Points in the order of the arrays that users give."""
        return SIX if self.problem.names is None else self.problem.names

    def new_context(self, rate: float) -> GuidedContext:
        """Return the tables of the kernel, with fresh memory."""
        calm = self.solver.calm
        keep = math.exp(-1.0 / (calm * rate)) if calm > 0.0 else 0.0
        settings = {"recovery_frames": self.solver.recovery * rate, "keep": keep}
        memory = np.zeros(1, MEMORY)
        memory["ages"] = -1
        pose = new_pose(self.whole.model)
        joints, landmarks = len(self.whole.model.parent), len(self.order)
        return GuidedContext(
            settings_record(settings),
            memory,
            self.whole,
            self.prediction._replace(parts=self.prediction.parts.copy()),
            new_network(list(self.solver.model.layers)),
            pose,
            new_scratch(self.whole),
            Observations(np.zeros((landmarks, 3)), np.zeros((landmarks, 4)), np.zeros(landmarks)),
            self.settling,
            self.order,
            pose.local.copy(),
            np.zeros(3),
            arrays.identity(joints),
            np.zeros((COUNT, 3)),
            np.zeros((COUNT, 4)),
            np.zeros((COUNT, 3)),
            np.zeros((COUNT, 4)),
        )

    def begin(self, context: GuidedContext, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        read_pose(self.whole.model, pose.rotations, context.before)
        positions, world = pose.world()
        context.place[:] = positions[self._pelvis]
        context.memory["frames"] = 1
        context.memory["ages"] = LONG_AGO
        pelvis, anatomy = self._pelvis, self.skeleton.anatomy
        turn = arrays.multiply(world[pelvis], arrays.conjugate(anatomy.neutral[pelvis]))
        context.memory["left"] = arrays.rotate(turn, np.array((1.0, 0.0, 0.0)))

    def status(self, frames: Frames) -> Status:
        """Say what happened to each point in each frame."""
        six = super().status(frames)
        missing = np.isnan(frames.out.residuals[:, : len(POINTS)])
        missing &= np.isin(POINTS, self.names)
        grown = []
        for part in (six.unreachable, six.limited, six.blocked, six.missed):
            wide = np.zeros(missing.shape, np.bool_)
            wide[:, : len(SIX)] = part
            grown.append(wide)
        return Status(grown[0], grown[1], grown[2], missing, grown[3])

    def missing(self, frames: Frames) -> tuple[str, ...]:
        """Return the points that were asked for and not seen in the first frame."""
        lost = np.isnan(frames.out.residuals[0])
        return tuple(name for name in self.names if name in PLACE and lost[PLACE[name]])

    def extras(self, out: Output) -> dict[str, Floats]:
        """Return the errors that are to be expected of the joints [m], NaN while nothing is seen.

        ``expected_error`` is that of all joints on average, ``expected_error_l_elbow`` and so on
        those of single ones. Seven of eight frames are within it.
        """
        single = {f"expected_error_{POINTS[p]}": out.numbers[:, p].copy() for p in self.order}
        return {"expected_error": out.numbers[:, COUNT].copy(), **single}


@helper
def smooth_step(x: float) -> float:
    """From 0 to 1 without a jump."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@helper
def read_points(c: GuidedContext, frames: Frames, frame: int) -> tuple[bool, float]:
    """Take what is seen; whether anything is, and in how many frames a change is eased."""
    memory, points, turns = c.memory, c.points, c.turns
    recovery = c.settings.recovery_frames
    any_seen, change = False, 0.0
    for p in range(COUNT):
        here = vec_load(frames.positions[frame], p)
        turn = quat_load(frames.rotations[frame], p)
        confidence = frames.confidence[frame, p]
        known = (1 if is_place(here) and confidence > 0.0 else 0) + (
            2 if not math.isnan(turn[0]) and confidence > 0.0 else 0
        )
        vec_store(points, p, here if known % 2 == 1 else (math.nan, math.nan, math.nan))
        quat_store(turns, p, turn if known >= 2 else (math.nan, math.nan, math.nan, math.nan))
        any_seen = any_seen or known > 0
        age = memory.ages[p]
        if known > 0:
            if age < 0:
                gap = -age
                first = memory.frames == 0
                memory.eases[p] = 0.0 if first else min(recovery, GROWN * gap)
                memory.ages[p] = 0
            else:
                memory.ages[p] = age + 1
        else:
            memory.ages[p] = -1 if age >= 0 else age - 1
        if known != memory.seen[p] and memory.frames > 0:
            change = max(change, memory.eases[p] if known > memory.seen[p] else recovery)
        memory.seen[p] = known
    return any_seen, change


@helper
def ease_prediction(c: GuidedContext, change: float) -> None:
    """Let the prediction leave the pose of the frame before smoothly where other points are seen.

    Expects the prediction in `pose`.
    """
    memory, pose = c.memory, c.pose
    root = vec_load(pose.position, 0)
    count = pose.local.shape[0]
    if change > 0.0:
        memory.fade, memory.fades = 0.0, change
        for joint in range(count):
            back = quat_conj(quat_load(pose.local, joint))
            quat_store(c.added, joint, quat_mul(back, quat_load(c.before, joint)))
        away = vec_sub((c.place[0], c.place[1], c.place[2]), root)
        memory.root[0], memory.root[1], memory.root[2] = away
    if memory.frames > 0:
        for joint in range(count):
            local, before = quat_load(pose.local, joint), quat_load(c.before, joint)
            quat_store(pose.local, joint, quat_slerp(local, before, c.settings.keep))
    if memory.fades == 0.0:
        return
    memory.fade += 1.0
    left = math.exp(-FADED * memory.fade / memory.fades)
    if memory.fade > memory.fades:
        memory.fades = 0.0
    for joint in range(count):
        local = quat_load(pose.local, joint)
        goal = quat_mul(local, quat_load(c.added, joint))
        quat_store(pose.local, joint, quat_slerp(local, quat_normalize(goal), left))
    away = (memory.root[0], memory.root[1], memory.root[2])
    vec_store(pose.position, 0, vec_add(root, vec_scale(away, left)))


@helper
def observe(c: GuidedContext, frames: Frames, frame: int) -> None:
    """Write what is seen of the rig's landmarks; what was lost comes back by degrees.

    Expects the pose of the frame before in `pose`.
    """
    memory, observed, pose = c.memory, c.observed, c.pose
    for k in range(c.order.shape[0]):
        p = c.order[k]
        here, turn = vec_load(c.points, p), quat_load(c.turns, p)
        confidence = frames.confidence[frame, p] if memory.seen[p] > 0 else 0.0
        if memory.ages[p] == 0 and memory.eases[p] > 0.0:
            vec_store(c.apart, p, vec_sub(vec_load(pose.effectors, k), here))
            joint = c.body.model.effector_joint[k]
            quat_store(c.twisted, p, quat_mul(quat_load(pose.world, joint), quat_conj(turn)))
        if memory.seen[p] > 0 and memory.ages[p] < memory.eases[p]:
            left = 1.0 - smooth_step((memory.ages[p] + 1.0) / (memory.eases[p] + 1.0))
            here = vec_add(here, vec_scale(vec_load(c.apart, p), left))
            turn = quat_mul(quat_slerp(IDENTITY, quat_load(c.twisted, p), left), turn)
        vec_store(observed.positions, k, here)
        quat_store(observed.rotations, k, turn)
        observed.confidence[k] = min(confidence, 1.0)


def solve_frame(c: GuidedContext, frames: Frames, frame: int) -> None:
    """Solve one frame: predict, ease changes of what is seen, meet the points."""
    model, pose, memory, out = c.body.model, c.pose, c.memory, frames.out
    any_seen, change = read_points(c, frames, frame)
    steps = 0
    if any_seen:
        observe(c, frames, frame)
        left = (memory.left[0], memory.left[1], memory.left[2])
        root = predict(c.body, c.prediction, c.net, (c.points, c.turns), pose, left)
        vec_store(pose.position, 0, root)
        ease_prediction(c, change)
        steps, _ = settle(c.body, pose, c.scratch, c.observed, c.settling)
    else:  # nothing to go by: stay
        for joint in range(pose.local.shape[0]):
            quat_store(pose.local, joint, quat_load(c.before, joint))
        vec_store(pose.position, 0, (c.place[0], c.place[1], c.place[2]))
        model_forward(model, pose)
    for joint in range(pose.local.shape[0]):
        quat_store(c.before, joint, quat_load(pose.local, joint))
    here = vec_load(pose.position, 0)
    c.place[0], c.place[1], c.place[2] = here
    left = quat_rotate(quat_load(pose.world, 0), (1.0, 0.0, 0.0))
    memory.left[0], memory.left[1], memory.left[2] = left
    if any_seen or memory.frames > 0:
        memory.frames += 1
    write_pose(model, pose, model.rest, out.rotations[frame], out.root[frame])
    report(c, frames, frame, steps, any_seen)


@helper
def report(c: GuidedContext, frames: Frames, frame: int, steps: int, any_seen: bool) -> None:
    """Write how well the points are met, and what error is to be expected of each joint."""
    memory, pose, out = c.memory, c.pose, frames.out
    flags, seen, worst = 0, 0, 0.0
    for p in range(COUNT):
        out.residuals[frame, p] = math.nan
        out.numbers[frame, p] = math.nan
        vec_store(out.points[frame], p, vec_load(c.points, p))
    for k in range(c.order.shape[0]):
        p = c.order[k]
        end = vec_load(pose.effectors, k)
        if memory.seen[p] % 2 == 1:
            residual = vec_distance(end, vec_load(c.points, p))
            out.residuals[frame, p] = residual
            seen, worst = seen + 1, max(worst, residual)
            vec_store(out.points[frame], p, vec_load(c.observed.positions, k))
        else:
            vec_store(out.points[frame], p, end)
            if p < FIRST_LIMB + LIMBS:
                flags |= MISSING << p
    out.flags[frame] = flags | blame(c, frames, frame)
    out.iterations[frame] = steps
    out.confidence[frame] = 0.0
    if any_seen:
        height, factor, total = c.prediction.height[0], error_bound(seen), 0.0
        for k in range(c.order.shape[0]):
            p = c.order[k]
            expected = out.residuals[frame, p]
            if memory.seen[p] % 2 == 0:
                likely = expected_error(c.net.y, p) * height
                expected = factor * (likely + MISS_SHARE * worst)
            out.numbers[frame, p] = expected
            total += expected
        mean = total / max(c.order.shape[0], 1)
        out.numbers[frame, COUNT] = mean
        out.confidence[frame] = math.exp(-DOUBT * mean / height)
    else:
        out.numbers[frame, COUNT] = math.nan


@helper
def blame(c: GuidedContext, frames: Frames, frame: int) -> int:
    """Why head, hands and feet are missed: out of reach, or held back by limits."""
    pose, flags = c.pose, 0
    for limb in range(c.body.limbs.shape[0]):
        missed = frames.out.residuals[frame, FIRST_LIMB + limb]
        if not missed > MISSED:
            continue
        root, hinge, end = c.body.limbs[limb, 0], c.body.limbs[limb, 1], c.body.limbs[limb, 3]
        start, middle = vec_load(pose.position, root), vec_load(pose.position, hinge)
        reach = vec_distance(start, middle) + vec_distance(middle, vec_load(pose.effectors, end))
        target = vec_load(c.points, FIRST_LIMB + limb)
        far = vec_distance(start, target) > reach - MISSED
        flags |= (UNREACHABLE if far else LIMITED) << limb
    if frames.out.residuals[frame, HEAD] > MISSED:
        flags |= SPINE_LIMITED
    return flags


def _loop(context: Any, frames: Frames, first: int, last: int) -> None:
    c = GuidedContext(context.settings[0], context.memory[0], *context[2:])
    for frame in range(first, last):
        solve_frame(c, frames, frame)


solve_frames = frame_kernel(solve_frame, _loop)
