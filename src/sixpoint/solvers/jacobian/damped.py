"""Five Jacobian methods: transpose, pseudo-inverse, and three ways of damping.

Ball joints are split into three one-axis joints (X, Y, Z in follower order), elbows and knees keep
one. On people the root is placed as in sequential IK and the pose of the frame before is the start,
unless another solver provides one. The comparison of Unzueta et al. 2008 (section 9) gives the
constants; lengths of its figures of 1.83 m are told here as parts of the size.

**People** stop by the rule of that comparison: the largest error is small, or the sum of errors
improved by too little, or the budget is spent.

**Any other skeleton** takes no step that makes things worse, see `damped_descent`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
)
from ...kernels.vector import vec_load, vec_store
from ...tasks import Task
from ..articulated.build import model_depth
from ..articulated.context import (
    PersonContext,
    begin_person,
    end_person,
    pelvis_is_free,
    person_kernel,
    share_spine_error,
    stop_flags,
)
from ..articulated.descent import descent_kernel
from ..articulated.model import (
    Targets,
    apply_step,
    copy_rotations,
    joint_axes,
    model_forward,
    task_jacobian,
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
from ..articulated.restart import RestartSettings
from ..base import Solver
from ..context import MET, SPENT, STILL, Frames
from ..people.plan import PAPER_HEIGHT, PersonSettings
from ..people.tables import PELVIS
from ..settings import NonNegative, Number, Positive
from ..start import StartSettings
from .damped_descent import WORTHWHILE, Descent, descending, finish_step, new_descent
from .steps import DLS, DLS_SVD, PSEUDOINVERSE, SDLS, TRANSPOSE

LEAST_PART = 1.0 / 32.0
"""A smaller part of a step of a person is not tried."""
AS_ESTIMATED, PELVIS_TURNS, FROM_FIRST_POSE = range(3)
"""Attempts at a frame of a person."""


def solve_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person whose root is placed like that of sequential IK."""
    flags, estimate = begin_person(c, frames, frame)
    targets = Targets(c.work.points, frames.rotations[frame])
    steps, reason = descend_person(c, targets, pelvis_is_free(frames, frame))
    end_person(c, frames, frame, estimate, steps, flags | stop_flags(reason))


solve_people = person_kernel(solve_person)
solve_skeletons = descent_kernel(descending(False), slots=False, module=__name__)
solve_tasks = descent_kernel(descending(True), slots=True, module=__name__)


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


@dataclass(frozen=True, kw_only=True)
class JacobianSolver(
    VariantSettings, RestartSettings, ArticulatedSettings, StartSettings, PersonSettings, Solver
):
    """What all Jacobian methods share."""

    solve_people = solve_people
    solve_skeletons = solve_skeletons
    solve_tasks = solve_tasks
    answers: ClassVar[tuple[type[Task[Any]], ...]] = TASKS
    welds: ClassVar[bool] = True
    method: ClassVar[int]
    """Which step, as in `steps`."""
    attempts: ClassVar[int] = 3
    """Attempts at a frame of a person that is not met, unless as published."""

    derivatives: Literal["exact", "differences"] = "exact"
    """Take the Jacobian from the axes of joints, or by finite differences, as in the comparison of
    Courty and Arnaud 2008: the same to a millionth, at a cost that grows with the square of the
    number of joints. Those of tasks other than positions and rotations are always exact."""

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
        return new_descent(plan.model, plan.table if plan.slotted else None)

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
