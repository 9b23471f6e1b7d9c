"""Descents of the damped solvers: any skeleton, step by step, to the targets of a frame.

No step is taken that makes things worse: far targets make Jacobian methods overshoot and swing to
and fro, so a step is halved until it brings something. Where no step does, the skeleton is at its
best, or it only seems to be: stretched straight at a target within its reach (the Jacobian cannot
see that it could fold), or pressed against limits. So it tries to escape a few times, by a nudge
out of line or by the whole step although that makes things worse, and comes back to the best pose
it had if that leads nowhere.

Functions of a context `c` expect a `Descent` in `c.scratch`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

from ...kernels._jit import helper
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_length, vec_load
from ..articulated.build import new_pose
from ..articulated.context import Context
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
from ..articulated.restart import STALL_STEPS, STALLED, Restarts, new_restarts, restarting
from ..articulated.task_rows import clear_held, other_residuals, other_rows
from ..articulated.task_table import TaskTable
from ..context import MET, SPENT, STILL
from .differences import finite_jacobian
from .steps import largest_of, method_step

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
WORTHWHILE = 0.01
"""A target out of reach is worth a try if missed by this part of the size more than need be."""


class Descent(NamedTuple):
    """Scratch memory: D degrees of freedom, R = 3 T rows of T tasks, N joints, E end effectors."""

    tasks: TaskTable | None  # if some fill slots
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
    """Return scratch memory for a model, and for tasks if some fill slots."""
    rows, joints = 3 * len(model.task_kind), len(model.parent)
    effectors = len(model.effector_joint)
    sizes = {"R": rows, "D": int(model.freedom.sum()), "N": joints, "E": effectors}
    return new_memory(
        Descent,
        sizes,
        tasks=tasks,
        restarts=new_restarts(model),
        first=new_pose(model).local,
    )


@helper
def find_rows(c: Context) -> None:
    """Write the rows of all positions and rotations, from the pose given."""
    model, scratch = c.model, c.scratch
    joint_axes(model, c.pose, scratch.axes)
    if c.settings.derivatives == DIFFERENCES:
        finite_jacobian(c)
    else:
        task_jacobian(model, c.pose, scratch.axes, scratch.jacobian)


@helper
def finish_step(c: Context) -> None:
    """The step from the Jacobian of all joints, into `scratch.step`."""
    scale_tasks(c.model, c.scratch, c.settings.task_step * c.model.size[0])
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


def descending(slots: bool) -> Callable[[Context, Targets], tuple[int, int]]:
    """Return a descent, with other starts where the pose before leads nowhere.

    Args:
        slots: whether there are tasks that fill slots. Without, nothing of them is compiled.
    """

    @helper
    def measure(c: Context, targets: Targets) -> tuple[float, float]:
        """Write what every task still asks for; its largest and summed length [m]."""
        model, pose, scratch = c.model, c.pose, c.scratch
        found = task_residuals(model, pose, targets, scratch.residual)
        if slots:
            return other_residuals(model, scratch.tasks, pose, scratch.residual, found)
        return found

    @helper
    def find_step(c: Context) -> None:
        """The step from the pose and residuals given, into `scratch.step`."""
        find_rows(c)
        if slots:
            scratch = c.scratch
            other_rows(c.model, scratch.tasks, c.pose, scratch.axes, scratch.jacobian)
            clear_held(scratch.tasks, scratch.jacobian)
        finish_step(c)

    @helper
    def try_step(c: Context, targets: Targets, squares: float, part: float) -> tuple[float, float]:
        """Take a part of the step, or a half, a quarter ... of it: the first that helps.

        Returns the weighted squared error and the part taken: zero, with the pose as before, if
        none helps.
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
    def descend_again(c: Context, targets: Targets, iterations: int) -> tuple[int, bool]:
        """Iterate from a random pose; how often it was, and whether all is met."""
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
        steps, reason, wishing = 0, SPENT, False
        if slots:
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

    return restarting(descend_first, descend_again)


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
