"""The loops of the Jacobian methods: ask, step, keep limits, until met, still or spent.

**People** stop by the rule of the comparison of Unzueta et al. 2008, section 9: the largest error
is small, or the sum of errors improved by too little, or the budget is spent.

**Any other skeleton** takes no step that makes things worse: far targets make Jacobian methods
overshoot and swing to and fro, so a step is halved until it brings something. Where no step does,
the skeleton is at its best, or it only seems to be: stretched straight at a target within its reach
(the Jacobian cannot see that it could fold), or pressed against limits. So it tries to escape a few
times, by a nudge out of line or by the whole step although that makes things worse, and comes back
to the best pose it had if that leads nowhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_store
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_length, vec_load
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    end_person,
    end_skeleton,
    person_kernel,
    person_targets,
    share_spine_error,
    skeleton_kernel,
    skeleton_targets,
    stop_flags,
)
from ..articulated.model import (
    ORIENTATION,
    POSITION,
    Model,
    ModelPose,
    Targets,
    apply_step,
    joint_axes,
    model_forward,
    task_jacobian,
    task_residual,
    task_residuals,
)
from ..articulated.self_collision import Capsules, no_capsules, touching_rows, with_touching
from ..context import MET, SPENT, STILL, Frames
from .steps import method_step

HALVINGS = 12
"""A step that brings nothing at this many halvings brings nothing."""
LEAST_PART = 1e-8
"""An iteration that improves the squared error by less than this part of it is the last."""
ESCAPES = 20
"""Most tries to leave a pose that no step improves."""
NUDGE = 1.0
"""All that the joints are turned by a nudge, together [rad]."""
NO_STEP = 1e-3
"""A whole step that turns no joint by more than this is no way out [rad]."""
FOLD = 0.01
"""A target out of reach that is missed by this part of the size more than need be is worth one."""


class Descent(NamedTuple):
    """Scratch memory: D degrees of freedom, T tasks."""

    capsules: Capsules
    """What shall stay apart."""
    axes: Floats
    """(D, 3)."""
    jacobian: Floats
    """(3 T, D)."""
    residual: Floats
    """(3 T,)."""
    square: Floats
    """(3 T, 3 T)."""
    u: Floats
    """(3 T, 3 T)."""
    v: Floats
    """(3 T, D)."""
    sigma: Floats
    """(3 T,)."""
    x: Floats
    """(3 T,)."""
    part: Floats
    """(D,)."""
    step: Floats
    """(D,)."""
    trial: Floats
    """A part of the step, (D,)."""
    kept: Floats
    """Local rotations before the step, (N, 4)."""
    best: Floats
    """The best local rotations so far, (N, 4)."""


def new_descent(model: Model) -> Descent:
    """Return scratch memory for a model."""
    rows, freedom = 3 * len(model.task_kind), int(model.freedom.sum())
    return Descent(
        capsules=no_capsules(),
        axes=np.zeros((freedom, 3)),
        jacobian=np.zeros((rows, freedom)),
        residual=np.zeros(rows),
        square=np.zeros((rows, rows)),
        u=np.zeros((rows, rows)),
        v=np.zeros((rows, freedom)),
        sigma=np.zeros(rows),
        x=np.zeros(rows),
        part=np.zeros(freedom),
        step=np.zeros(freedom),
        trial=np.zeros(freedom),
        kept=np.zeros((len(model.parent), 4)),
        best=np.zeros((len(model.parent), 4)),
    )


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
    steps, reason = descend_person(c, person_targets(c, frames, frame))
    end_person(c, frames, frame, estimate, steps, flags | stop_flags(reason))


solve_people = person_kernel(solve_person)


@helper
def descend_person(c: PersonContext, targets: Targets) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended.

    End effectors 0 and 1 are pelvis and head; the error between them is shared after each
    iteration.
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
    steps, reason = descend_skeleton(c, skeleton_targets(frames, frame))
    end_skeleton(c, frames, frame, steps, stop_flags(reason))


solve_skeletons = skeleton_kernel(solve_skeleton)


@helper
def descend_skeleton(c: Context, targets: Targets) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended."""
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
        if before_squares - squares <= LEAST_PART * before_squares:
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

    Returns:
        The weighted squared error and the part taken. If nothing lowers it, the part is zero and
        the pose as before.
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
    d = step.shape[0]
    largest = 0.0
    for k in range(d):
        largest = max(largest, abs(step[k]))
    if largest < NO_STEP:
        for k in range(d):
            step[k] = (NUDGE if tries % 2 == 0 else -NUDGE) / d
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
def copy_rotations(source: Floats, into: Floats) -> None:
    """Copy local rotations (N, 4)."""
    for joint in range(source.shape[0]):
        quat_store(into, joint, quat_load(source, joint))


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
        if missed > (near if beyond <= 0.0 else beyond + FOLD * size):
            return True
    return False
