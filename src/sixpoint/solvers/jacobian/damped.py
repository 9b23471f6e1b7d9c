"""Five Jacobian methods: transpose, pseudo-inverse, and three ways of damping.

Ball joints are split into three one-axis joints (X, Y, Z in follower order), elbows and knees keep
one. On people the root is placed as in sequential IK and the pose of the frame before is the start,
unless another solver provides one. The comparison of Unzueta et al. 2008 (section 9) gives the
constants; lengths of its figures of 1.83 m are told here as parts of the size.

**People** stop by the rule of that comparison: the largest error is small, or the sum of errors
improved by too little, or the budget is spent.

**Any other skeleton** takes no step that makes things worse: far targets make Jacobian methods
overshoot and swing to and fro, so a step is halved until it brings something. Where no step does,
the skeleton is at its best, or it only seems to be: stretched straight at a target within its reach
(the Jacobian cannot see that it could fold), or pressed against limits. So it tries to escape a few
times, by a nudge out of line or by the whole step although that makes things worse, and comes back
to the best pose it had if that leads nowhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, cast

from ...kernels._jit import helper
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_length, vec_load
from ...tasks import Orient, Reach, SelfCollision, Task
from ..articulated.build import model_depth
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    end_person,
    end_skeleton,
    person_kernel,
    share_spine_error,
    skeleton_kernel,
    stop_flags,
)
from ..articulated.model import (
    ORIENTATION,
    POSITION,
    Model,
    ModelPose,
    Targets,
    apply_step,
    copy_rotations,
    joint_axes,
    model_forward,
    new_memory,
    task_jacobian,
    task_residual,
    task_residuals,
)
from ..articulated.plan import ArticulatedPersonPlan, ArticulatedSettings, SkeletonPlan
from ..articulated.restart import (
    RESTART_STEPS,
    STALL_STEPS,
    STALLED,
    Restarts,
    RestartSettings,
    begin_restarts,
    end_restarts,
    forget_failures,
    new_restarts,
    scatter_joints,
)
from ..articulated.self_collision import Capsules, no_capsules, touching_rows, with_touching
from ..base import Solver
from ..context import MET, SPENT, STILL, Frames
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..settings import NonNegative, Number, Positive
from ..start import StartSettings
from .steps import DLS, DLS_SVD, PSEUDOINVERSE, SDLS, TRANSPOSE, largest_of, method_step

HALVINGS = 12
"""A step that brings nothing at this many halvings brings nothing."""
LEAST_PROGRESS = 1e-8
"""An iteration that improves the squared error by less than this part of it is the last."""
ESCAPES = 20
"""Most tries to leave a pose that no step improves."""
ESCAPE_TURN = 1.0
"""All that the joints are turned by a nudge out of such a pose, together [rad]."""
LEAST_ESCAPE = 1e-3
"""A whole step that turns no joint by more than this is no way out [rad]."""
WORTHWHILE = 0.01
"""A target out of reach is worth a try if missed by this part of the size more than need be."""


class Descent(NamedTuple):
    """Scratch memory: D degrees of freedom, R = 3 T rows of T tasks, N joints."""

    capsules: Capsules  # what shall stay apart
    axes: Annotated[Floats, "D", 3]
    jacobian: Annotated[Floats, "R", "D"]
    residual: Annotated[Floats, "R"]
    square: Annotated[Floats, "R", "R"]
    u: Annotated[Floats, "R", "R"]
    v: Annotated[Floats, "R", "D"]
    sigma: Annotated[Floats, "R"]
    x: Annotated[Floats, "R"]
    part: Annotated[Floats, "D"]
    step: Annotated[Floats, "D"]
    trial: Annotated[Floats, "D"]  # a part of the step
    kept: Annotated[Floats, "N", 4]  # local rotations before the step
    best: Annotated[Floats, "N", 4]  # the best local rotations so far
    restarts: Restarts


def new_descent(model: Model, capsules: Capsules) -> Descent:
    """Return scratch memory for a model."""
    rows, joints = 3 * len(model.task_kind), len(model.parent)
    sizes = {"R": rows, "D": int(model.freedom.sum()), "N": joints}
    return new_memory(Descent, sizes, capsules=capsules, restarts=new_restarts(model))


@helper
def find_step(c: Context) -> None:
    """The step from the pose and residuals given, into `scratch.step`."""
    model, scratch = c.model, c.scratch
    joint_axes(model, c.pose, scratch.axes)
    task_jacobian(model, c.pose, scratch.axes, scratch.jacobian)
    if scratch.capsules.pair.shape[0] > 0:
        touching_rows(model, c.pose, scratch.capsules, scratch.axes, scratch.jacobian)
    scale_tasks(model, scratch, c.settings.task_step * model.size[0])
    method_step(c)


@helper
def scale_tasks(model: Model, scratch: Descent, most: float) -> None:
    """Bring all tasks to metres, and shorten what each one asks for to a length [m].

    A radian of orientation counts like the size of the skeleton. No limit where `most` is zero.
    """
    for task in range(model.task_kind.shape[0]):
        rows = range(3 * task, 3 * task + 3)
        if model.task_kind[task] == ORIENTATION:
            for i in rows:
                scratch.residual[i] *= model.size[0]
                for k in range(scratch.jacobian.shape[1]):
                    scratch.jacobian[i, k] *= model.size[0]
        square = 0.0
        for i in rows:
            square += scratch.residual[i] * scratch.residual[i]
        limit = most * model.task_weight[task]
        if most > 0.0 and square > limit * limit:
            for i in rows:
                scratch.residual[i] *= limit / square**0.5


def solve_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person whose root is placed like that of sequential IK."""
    flags, estimate = begin_person(c, frames, frame)
    targets = Targets(c.work.points, frames.rotations[frame])
    steps, reason = descend_person(c, targets)
    end_person(c, frames, frame, estimate, steps, flags | stop_flags(reason))


solve_people = person_kernel(solve_person)


@helper
def descend_person(c: PersonContext, targets: Targets) -> tuple[int, int]:
    """Iterate from the pose given; return iterations taken, and why it ended.

    The error between pelvis and head, end effectors 0 and 1, is shared after each iteration.
    """
    model, pose, settings = c.model, c.pose, c.settings
    size = model.size[0]
    model_forward(model, pose)
    share_spine_error(pose, targets)
    worst, total = task_residuals(model, pose, targets, c.scratch.residual)
    for iteration in range(settings.iterations):
        if worst <= settings.tolerance * size:
            return iteration, MET
        find_step(c)
        apply_step(model, pose, c.scratch.step)
        model_forward(model, pose)
        share_spine_error(pose, targets)
        before = total
        worst, total = task_residuals(model, pose, targets, c.scratch.residual)
        if before - total <= settings.least_gain * size:
            return iteration + 1, MET if worst <= settings.tolerance * size else STILL
    return settings.iterations, MET if worst <= settings.tolerance * size else SPENT


def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    steps, reason = descend_skeleton(c, targets)
    end_skeleton(c, frames, frame, steps, stop_flags(reason))


solve_skeletons = skeleton_kernel(solve_skeleton)


@helper
def descend_skeleton(c: Context, targets: Targets) -> tuple[int, int]:
    """Iterate from the pose given and, if that leads nowhere, from random ones.

    Returns iterations taken, and why it ended.
    """
    model, pose, restarts = c.model, c.pose, c.scratch.restarts
    steps, reason = descend_first(c, targets)
    if reason == MET:
        forget_failures(restarts)
        return steps, MET
    if c.settings.restarts == 0 or not begin_restarts(model, pose, targets, restarts):
        return steps, reason
    for _ in range(c.settings.restarts):
        if steps >= c.settings.most:
            break
        scatter_joints(model, pose, restarts.random)
        more, met = descend_again(c, targets, min(RESTART_STEPS, c.settings.most - steps))
        steps += more
        if met:
            forget_failures(restarts)
            return steps, MET
    end_restarts(pose, restarts)
    model_forward(model, pose)
    return steps, reason


@helper
def descend_again(c: Context, targets: Targets, iterations: int) -> tuple[int, bool]:
    """Iterate from a random pose, so often at most; how often it was, and whether all is met."""
    model, pose, settings, scratch = c.model, c.pose, c.settings, c.scratch
    near = settings.tolerance * model.size[0]
    model_forward(model, pose)
    worst, _ = measure(c, targets)
    squares = task_squares(model, scratch.residual)
    part, mark, since = 1.0, squares, 0
    for step in range(iterations):
        if worst <= near:
            return step, True
        find_step(c)
        squares, part = try_step(c, targets, squares, min(1.0, 2.0 * part))
        if part == 0.0:
            return step + 1, False
        since += 1
        if squares < STALLED * mark:
            mark, since = squares, 0
        if since == STALL_STEPS:
            return step + 1, False
        model_forward(model, pose)
        worst, _ = measure(c, targets)
    return iterations, worst <= near


@helper
def descend_first(c: Context, targets: Targets) -> tuple[int, int]:
    """Iterate from the pose given; return iterations taken, and why it ended."""
    model, pose, settings, scratch = c.model, c.pose, c.settings, c.scratch
    near = settings.tolerance * model.size[0]
    least_gain = settings.least_gain * model.size[0]
    tries, part, best = 0, 1.0, math.inf
    model_forward(model, pose)
    worst, total = measure(c, targets)
    squares = task_squares(model, scratch.residual)
    steps, reason = 0, SPENT
    while steps < settings.iterations and worst > near:
        find_step(c)
        steps += 1
        before, before_squares = total, squares
        squares, part = try_step(c, targets, squares, min(1.0, 2.0 * part))
        if before_squares - squares <= LEAST_PROGRESS * before_squares:
            if tries == ESCAPES or not may_fold(model, pose, targets, near):
                reason = STILL
                break
            if squares < best:
                best = squares
                copy_rotations(pose.local, scratch.best)
            escape(c, tries)
            tries, part = tries + 1, 1.0
        model_forward(model, pose)
        worst, total = measure(c, targets)
        squares = task_squares(model, scratch.residual)
        if before - total <= least_gain:
            reason = STILL
            break
    if worst <= near:
        return steps, MET
    if best < squares:
        copy_rotations(scratch.best, pose.local)
    model_forward(model, pose)
    return steps, reason


@helper
def measure(c: Context, targets: Targets) -> tuple[float, float]:
    """Write what every task still asks for; its largest and summed length [m]."""
    model, pose, scratch = c.model, c.pose, c.scratch
    found = task_residuals(model, pose, targets, scratch.residual)
    return with_touching(model, pose, scratch.capsules, scratch.residual, found)


@helper
def try_step(c: Context, targets: Targets, squares: float, part: float) -> tuple[float, float]:
    """Take a part of the step, or a half, a quarter ... of it: the first that helps.

    Returns the weighted squared error and the part taken: zero, with the pose as before, if none
    helps.
    """
    model, pose, scratch = c.model, c.pose, c.scratch
    copy_rotations(pose.local, scratch.kept)
    for _ in range(HALVINGS):
        for k in range(scratch.step.shape[0]):
            scratch.trial[k] = part * scratch.step[k]
        apply_step(model, pose, scratch.trial)
        model_forward(model, pose)
        measure(c, targets)
        now = task_squares(model, scratch.residual)
        if now < squares:
            return now, part
        copy_rotations(scratch.kept, pose.local)
        part *= 0.5
    return squares, 0.0


@helper
def escape(c: Context, tries: int) -> None:
    """Take the whole step or, if there is hardly any, turn all joints a little, either way."""
    step = c.scratch.step
    if largest_of(step) < LEAST_ESCAPE:
        step[:] = (ESCAPE_TURN if tries % 2 == 0 else -ESCAPE_TURN) / step.shape[0]
    apply_step(c.model, c.pose, step)


@helper
def task_squares(model: Model, residual: Floats) -> float:
    """Weighted squared error of all tasks [m^2]; a radian counts like the skeleton's size."""
    total = 0.0
    for task in range(model.task_kind.shape[0]):
        unit = model.size[0] if model.task_kind[task] == ORIENTATION else 1.0
        for i in range(3 * task, 3 * task + 3):
            total += residual[i] * residual[i] * unit * unit
    return total


@helper
def may_fold(model: Model, pose: ModelPose, targets: Targets, near: float) -> bool:
    """Whether some target is missed by clearly more than the length of the bones explains."""
    size = model.size[0]
    for task in range(model.task_kind.shape[0]):
        if model.task_kind[task] != POSITION:
            continue
        effector = model.task_effector[task]
        reach = vec_length(vec_load(model.effector_offset, effector))
        joint = model.effector_joint[effector]
        while model.parent[joint] >= 0:
            reach += vec_length(vec_load(model.offset, joint))
            joint = model.parent[joint]
        goal = vec_load(targets.positions, effector)
        beyond = vec_distance(vec_load(pose.position, joint), goal) - reach
        _, missed = task_residual(model, pose, task, targets)
        if missed > (near if beyond <= 0.0 else beyond + WORTHWHILE * size):
            return True
    return False


class JacobianSolver(RestartSettings, ArticulatedSettings, StartSettings, PersonSettings, Solver):
    """What all Jacobian methods share."""

    solve_people = solve_people
    solve_skeletons = solve_skeletons
    answers: ClassVar[tuple[type[Task[Any]], ...]] = (Reach, Orient, SelfCollision)
    welds: ClassVar[bool] = True
    method: ClassVar[int]
    """Which step, as in `steps`."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers: the same names for all, so that they share a kernel."""
        usual = {"damping": 0.0, "cut": 0.0, "task_step": 0.0, "joint_step": math.pi}
        own = super().numbers()
        numbers = {name: own.get(name, value) for name, value in usual.items()}
        soft, again = own.get("clamp", 0), own["restarts"]
        same = {"method": self.method, "soft": soft, "start": own["start"], "restarts": again}
        return {**same, **numbers}

    def person_scratch(self, plan: ArticulatedPersonPlan) -> Descent:
        """Return room for a Jacobian and its decomposition."""
        return new_descent(plan.model, no_capsules())

    def skeleton_scratch(self, plan: SkeletonPlan) -> Descent:
        """Return room for a Jacobian and its decomposition, and what shall stay apart."""
        return new_descent(plan.model, plan.new_capsules())

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for any skeleton.

        The joints of a long chain together turn by half a circle in an iteration, not more. Beyond
        that the Jacobian is no guide: a hundred joints would wind the chain into a ball.
        """
        numbers: dict[str, Number] = super().skeleton_settings(plan)
        most = math.pi / model_depth(plan.model) if self.method != SDLS else math.pi
        numbers["joint_step"] = min(cast("float", numbers["joint_step"]), most)
        first = cast("int", numbers["iterations"])
        return numbers | self.restart_numbers(first, self.iterations, self.least_gain)


@dataclass(frozen=True, kw_only=True)
class TransposeSolver(JacobianSolver):
    """Settings of the Jacobian transpose method: walk downhill.

    Wolovich and Elliott 1984; step length after Buss and Kim 2005. Cheap steps, many of them
    needed. **Bad at** several targets at once and targets out of reach: Unzueta et al. 2008 leave
    it out of their table.
    """

    name: ClassVar[str] = "jacobian-transpose"
    title: ClassVar[str] = "Jacobian transpose"
    method: ClassVar[int] = TRANSPOSE

    joint_step: Positive = math.radians(30.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class PseudoinverseSolver(JacobianSolver):
    """Settings of the pseudo-inverse: the least rotation, if the skeleton were linear.

    Whitney 1969. Exact far from singularities, wild near them: singular values below a part of the
    largest are dropped and steps are capped.
    """

    name: ClassVar[str] = "pseudoinverse"
    title: ClassVar[str] = "Pseudo-inverse"
    method: ClassVar[int] = PSEUDOINVERSE

    cut: NonNegative = 0.01
    """Singular values below this part of the largest count as zero."""
    joint_step: Positive = math.radians(5.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class DampedSolver(JacobianSolver):
    """Settings of damped least squares: a pseudo-inverse that gives way near singularities.

    Wampler 1986, Nakamura and Hanafusa 1986. The damping of 75 of Unzueta et al. 2008 is read as
    75 mm.
    """

    name: ClassVar[str] = "dls"
    title: ClassVar[str] = "Damped least squares"
    method: ClassVar[int] = DLS

    damping: NonNegative = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the skeleton's size."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class DampedSvdSolver(JacobianSolver):
    """Settings of damped least squares through singular values.

    The same step as `dls`, by the decomposition of Maciejewski and Klein 1988; Unzueta et al. 2008
    list both.
    """

    name: ClassVar[str] = "dls-svd"
    title: ClassVar[str] = "Damped least squares by singular values"
    method: ClassVar[int] = DLS_SVD

    damping: NonNegative = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the skeleton's size."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""


@dataclass(frozen=True, kw_only=True)
class SelectivelyDampedSolver(JacobianSolver):
    """Settings of selectively damped least squares: a clamp for each singular direction.

    Buss and Kim 2005. No damping constant to tune; calm near singularities, quick elsewhere.
    """

    name: ClassVar[str] = "sdls"
    title: ClassVar[str] = "Selectively damped least squares"
    method: ClassVar[int] = SDLS

    clamp: Literal["hard", "soft"] = "soft"
    """Clamp each direction as published, or scale it smoothly as in its authors' code."""
    task_step: NonNegative = 0.15 / PAPER_HEIGHT
    """Most that a task asks for in one iteration, as a part of the skeleton's size: half a bone."""
    joint_step: Positive = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""
