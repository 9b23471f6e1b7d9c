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
from ...kernels.quaternion import (
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
)
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_length, vec_load, vec_store
from ...tasks import Task
from ..articulated.build import model_depth, new_pose
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    end_person,
    end_skeleton,
    pelvis_is_free,
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
from ..articulated.plan import (
    PEOPLE,
    RETRY,
    TASKS,
    ArticulatedPersonPlan,
    ArticulatedSettings,
    SkeletonPlan,
    StopRule,
    VariantSettings,
)
from ..articulated.restart import (
    STALL_STEPS,
    STALLED,
    Restarts,
    RestartSettings,
    new_restarts,
    restarting,
)
from ..articulated.task_rows import clear_held, other_residuals, other_rows
from ..articulated.task_table import TaskTable, no_tasks
from ..articulated.task_value import write_task_residuals
from ..base import Solver
from ..context import MET, SPENT, STILL, Frames
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..people.tables import PELVIS
from ..settings import NonNegative, Number, Positive
from ..start import StartSettings
from .differences import finite_jacobian
from .steps import DLS, DLS_SVD, PSEUDOINVERSE, SDLS, TRANSPOSE, largest_of, method_step

EXACT, DIFFERENCES = 0, 1
"""Choices of the setting `derivatives`."""
HALVINGS = 12
"""A step that brings nothing at this many halvings brings nothing."""
LEAST_PROGRESS = 1e-8
"""An iteration that improves the squared error by less than this part of it is the last."""
LEAST_WISH_PROGRESS = 1e-4
"""The same where all but soft tasks are met."""
ESCAPES = 20
"""Most tries to leave a pose that no step improves."""
ESCAPE_TURN = 1.0
"""All that the joints are turned by a nudge out of such a pose, together [rad]."""
LEAST_ESCAPE = 1e-3
"""A whole step that turns no joint by more than this is no way out [rad]."""
LEAST_PART = 1.0 / 32.0
"""A smaller part of a step of a person is not tried."""
AS_ESTIMATED, PELVIS_TURNS, FROM_FIRST_POSE = range(3)
"""Attempts at a frame of a person."""
WORTHWHILE = 0.01
"""A target out of reach is worth a try if missed by this part of the size more than need be."""


class Descent(NamedTuple):
    """Scratch memory: D degrees of freedom, R = 3 T rows of T tasks, N joints, E end effectors."""

    tasks: TaskTable  # those that fill slots, and the others
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
    first: Floats  # local rotations of the first pose of a person, (N, 4)
    places: Annotated[Floats, "E", 3]  # end effectors before finite differences [m]
    turns: Annotated[Floats, "E", 4]  # rotations of their joints before that


def new_descent(model: Model, tasks: TaskTable | None = None) -> Descent:
    """Return scratch memory for a model, and for tasks that are no positions or rotations."""
    rows, joints = 3 * len(model.task_kind), len(model.parent)
    effectors = len(model.effector_joint)
    sizes = {"R": rows, "D": int(model.freedom.sum()), "N": joints, "E": effectors}
    return new_memory(
        Descent,
        sizes,
        tasks=no_tasks(joints) if tasks is None else tasks,
        restarts=new_restarts(model),
        first=new_pose(model).local,
    )


@helper
def find_step(c: Context) -> None:
    """The step from the pose and residuals given, into `scratch.step`."""
    model, scratch = c.model, c.scratch
    joint_axes(model, c.pose, scratch.axes)
    if c.settings.derivatives == DIFFERENCES:
        finite_jacobian(c)
    else:
        task_jacobian(model, c.pose, scratch.axes, scratch.jacobian)
    finish_step(c)


@helper
def finish_step(c: Context) -> None:
    """The step from the Jacobian of all joints, into `scratch.step`."""
    model, scratch = c.model, c.scratch
    if scratch.tasks.room.shape[0] > 0:
        other_rows(model, scratch.tasks, c.pose, scratch.axes, scratch.jacobian)
        clear_held(scratch.tasks, scratch.jacobian)
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
    steps, reason = descend_person(c, targets, pelvis_is_free(frames, frame))
    end_person(c, frames, frame, estimate, steps, flags | stop_flags(reason))


solve_people = person_kernel(solve_person)


@helper
def descend_person(c: PersonContext, targets: Targets, free: bool) -> tuple[int, int]:
    """Iterate from the pose given; return iterations taken, and why it ended.

    As published there is one attempt, with the pelvis as it is estimated. Otherwise what is still
    missed is tried again: the pelvis turns as well, if it is `free`, and then once more from the
    first pose, which is taken if that is clearly nearer. The first pose frees limbs that are caught
    in a corner of their limits.
    """
    model, pose, settings, scratch = c.model, c.pose, c.settings, c.scratch
    estimate = quat_load(pose.local, 0)
    steps, reason, total = 0, SPENT, 0.0
    for attempt in range(settings.attempts):
        kept = total
        if attempt == FROM_FIRST_POSE:
            copy_rotations(pose.local, scratch.kept)
            copy_rotations(scratch.first, pose.local)
            quat_store(pose.local, 0, estimate)
        taken, reason, worst, total = iterate_person(c, targets, free and attempt != AS_ESTIMATED)
        steps += taken
        if reason == MET or worst <= RETRY * model.size[0]:
            return steps, reason
        if attempt == FROM_FIRST_POSE and total > kept - WORTHWHILE * model.size[0]:
            copy_rotations(scratch.kept, pose.local)
            place_person(c, targets)
    return steps, reason


@helper
def step_person(c: PersonContext, floating: bool, part: float) -> None:
    """Turn all joints by a part of a step; the pelvis turns about its own axes, if it may at all.

    Euler angles as of the other joints would lock where a person faces sideways.
    """
    model, pose, scratch = c.model, c.pose, c.scratch
    joint_axes(model, pose, scratch.axes)
    pelvis = quat_load(pose.local, 0)
    for k in range(model.freedom[0]):
        axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        vec_store(scratch.axes, k, quat_rotate(pelvis, axis))
    task_jacobian(model, pose, scratch.axes, scratch.jacobian)
    if not floating:
        scratch.jacobian[:, : model.freedom[0]] = 0.0
    finish_step(c)
    step = scratch.step
    for k in range(step.shape[0]):
        step[k] *= part
    apply_step(model, pose, step)
    if floating:
        turn = quat_from_rotvec((step[0], step[1], step[2]))
        pelvis = quat_normalize(quat_mul(pelvis, turn))
    quat_store(pose.local, 0, pelvis)


@helper
def place_person(c: PersonContext, targets: Targets) -> tuple[float, float]:
    """Place all joints, and share the error between pelvis and head; largest and summed error."""
    vec_store(c.pose.position, 0, vec_load(targets.positions, PELVIS))
    model_forward(c.model, c.pose)
    share_spine_error(c.pose, targets)
    return task_residuals(c.model, c.pose, targets, c.scratch.residual)


@helper
def iterate_person(
    c: PersonContext, targets: Targets, floating: bool
) -> tuple[int, int, float, float]:
    """Iterate until met, still or spent; iterations, why, largest and summed error [m].

    The error between pelvis and head, end effectors 0 and 1, is shared after each iteration.
    """
    model, pose, settings, scratch = c.model, c.pose, c.settings, c.scratch
    near, least_gain = settings.tolerance * model.size[0], settings.least_gain * model.size[0]
    careful = settings.attempts > 1
    worst, total = place_person(c, targets)
    part, reason, steps = 1.0, SPENT, 0
    while worst > near and steps < settings.iterations:
        copy_rotations(pose.local, scratch.best)
        step_person(c, floating, part)
        before = total
        worst, total = place_person(c, targets)
        steps += 1
        part = min(1.0, 2.0 * part)
        if before - total > least_gain:
            continue
        if careful and total > before:
            copy_rotations(scratch.best, pose.local)
            worst, total = place_person(c, targets)
            part *= 0.25
        if not careful or part < LEAST_PART or before - total > 0.0:
            reason = STILL
            break
    return steps, MET if worst <= near else reason, worst, total


def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    steps, reason = descend_skeleton(c, targets)
    end_skeleton(c, frames, frame, steps, stop_flags(reason))
    tasks = c.scratch.tasks
    write_task_residuals(c.model, tasks, c.pose, targets, frames.out.numbers[frame])


solve_skeletons = skeleton_kernel(solve_skeleton)


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
def descend_first(c: Context, targets: Targets) -> tuple[int, int, bool]:
    """Iterate from the pose given; iterations taken, why it ended, and whether all is met."""
    model, pose, settings, scratch = c.model, c.pose, c.settings, c.scratch
    near = settings.tolerance * model.size[0]
    least_gain = settings.least_gain * model.size[0]
    tries, part, best = 0, 1.0, math.inf
    model_forward(model, pose)
    worst, total = measure(c, targets)
    squares = task_squares(model, scratch.residual)
    steps, reason = 0, SPENT
    wishing = scratch.tasks.wishes[0] > 0.0
    while steps < settings.iterations and (worst > near or wishing):
        find_step(c)
        steps += 1
        before, before_squares = total, squares
        squares, part = try_step(c, targets, squares, min(1.0, 2.0 * part))
        least = LEAST_PROGRESS if worst > near else LEAST_WISH_PROGRESS
        if before_squares - squares <= least * before_squares:
            if worst <= near:
                break
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
        return steps, MET, True
    if best < squares:
        copy_rotations(scratch.best, pose.local)
    model_forward(model, pose)
    return steps, reason, False


descend_skeleton = restarting(descend_first, descend_again)
"""Descent of a skeleton, with other starts where the pose before leads nowhere."""


@helper
def measure(c: Context, targets: Targets) -> tuple[float, float]:
    """Write what every task still asks for; its largest and summed length [m]."""
    model, pose, scratch = c.model, c.pose, c.scratch
    found = task_residuals(model, pose, targets, scratch.residual)
    if scratch.tasks.room.shape[0] == 0:
        return found
    return other_residuals(model, scratch.tasks, pose, scratch.residual, found)


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


@dataclass(frozen=True, kw_only=True)
class JacobianSolver(
    VariantSettings, RestartSettings, ArticulatedSettings, StartSettings, PersonSettings, Solver
):
    """What all Jacobian methods share."""

    solve_people = solve_people
    solve_skeletons = solve_skeletons
    answers: ClassVar[tuple[type[Task[Any]], ...]] = TASKS
    slots: ClassVar[bool] = True
    welds: ClassVar[bool] = True
    method: ClassVar[int]
    """Which step, as in `steps`."""
    attempts: ClassVar[int] = 3
    """Attempts at a frame of a person that is not met, unless as published."""

    derivatives: Literal["exact", "differences"] = "exact"
    """Take the Jacobian from the axes of joints, or by finite differences, as in the comparison of
    Courty and Arnaud 2008: the same to a millionth, at a cost that grows with the square of the
    number of joints. Those of tasks other than
    positions and rotations are always exact."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers: the same names for all, so that they share a kernel."""
        usual = {"damping": 0.0, "cut": 0.0, "task_step": 0.0, "joint_step": math.pi}
        own = super().numbers()
        numbers = {name: own.get(name, value) for name, value in usual.items()}
        attempts = 1 if self.variant == "paper" else self.attempts
        kept = {name: own[name] for name in ("start", "restarts", "derivatives")}
        return {
            "method": self.method,
            "soft": own.get("clamp", 0),
            "attempts": attempts,
            **kept,
            **numbers,
        }

    def person_scratch(self, plan: ArticulatedPersonPlan) -> Descent:
        """Return room for a Jacobian and its decomposition."""
        return new_descent(plan.model)

    def skeleton_scratch(self, plan: SkeletonPlan) -> Descent:
        """Return room for a Jacobian and its decomposition, and the tasks."""
        return new_descent(plan.model, plan.table)

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
    # Many small steps multiply rounding errors: answers would change with the world's frame.
    best_rule: ClassVar[StopRule] = PEOPLE
    attempts: ClassVar[int] = 1

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
