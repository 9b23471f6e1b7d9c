"""Iterations of prioritized IK: plain ones, and those that judge every step.

Positions and rotations alone converge without judgement. Other tasks are inequalities, or hold a
body whose root moves; what a step does to them in second order adds up where goals are out of
reach, so that each step must be a gain (see `judgement`).
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.types import Quat
from ...kernels.vector import vec_length
from ..articulated.context import Context
from ..articulated.model import Targets, joint_axes, model_forward, task_jacobian, task_residuals
from ..articulated.task_rows import other_residuals, other_rows
from ..context import MET, SPENT, STILL
from .damped_descent import may_fold
from .judgement import (
    HALVINGS,
    begin_judgement,
    forget_best,
    is_gain,
    keep_pose,
    restore_pose,
    spoilt_level,
)
from .look_ahead import foresighted_step, put_aside
from .priority_step import (
    adapt_damping,
    limited_step,
    posture_step,
    release_joints,
    scale_tasks,
    take_step,
)

NO_STEP = 1e-9
"""A step that turns no joint by more than this is none [rad]."""
TOLERATED, LEAST_TOLERANCE = 0.1, 1e-7
"""Errors below these parts of the tolerance and of the size are none."""
BLIND_SLOPE = 1e-4
"""Slope of a task along its residual, below which no joint can lessen it."""
NUDGE = 1.0
"""All that the joints are turned to leave a straight line, together [rad]."""
NUDGES = 2
"""Most tries of that."""
WISH_GAIN = 0.01
"""Soft tasks that a step improves by less than this part are as good as they will be."""
REPAIRS = 2
"""Most steps that only bring back what the step before did to higher levels."""


@helper
def measure_points(c: Context, targets: Targets) -> tuple[float, float]:
    """Place all joints, write what positions and rotations ask for; largest and sum [m]."""
    model_forward(c.model, c.pose)
    return task_residuals(c.model, c.pose, targets, c.scratch.ladder.residual)


@helper
def descend(
    c: Context, targets: Targets, root: Quat, root_known: bool, iterations: int
) -> tuple[int, int]:
    """Iterate from the pose given, so often at most; iterations taken, and why it ended.

    A root that moves is drawn to the rotation `root`, and keeps its own if that is known.
    """
    settings, work = c.settings, c.scratch
    ladder = work.ladder
    size = c.model.size[0]
    near, least_gain = settings.tolerance * size, settings.least_gain * size
    slack = max(TOLERATED * settings.tolerance, LEAST_TOLERANCE)
    nudges = 0
    worst, total = measure_points(c, targets)
    ladder.damping_scale[:] = 1.0
    adapt_damping(c, math.inf)
    for iteration in range(iterations):
        joint_axes(c.model, c.pose, work.axes, False)
        task_jacobian(c.model, c.pose, work.axes, ladder.jacobian)
        if scale_tasks(c, targets) == 0:
            return iteration, MET
        posture_step(c, root)
        release_joints(c, root_known)
        farthest = limited_step(c, settings.task_step, math.inf)
        if farthest < NO_STEP and worst > near:
            blind = is_blind(c) and may_fold(c.model, c.pose, targets, near)
            if not blind or nudges == NUDGES or work.floating[0]:
                return iteration, STILL
            nudge = NUDGE if nudges % 2 == 0 else -NUDGE
            ladder.secondary[:] = nudge / ladder.secondary.shape[0]
            release_joints(c, root_known)
            limited_step(c, settings.task_step, math.inf)
            nudges += 1
        take_step(c)
        before = total
        worst, total = measure_points(c, targets)
        if worst <= near:
            return iteration + 1, MET
        if abs(before - total) <= least_gain:
            return iteration + 1, STILL
        adapt_damping(c, slack)
    return iterations, SPENT


@helper
def measure(c: Context, targets: Targets) -> tuple[float, float]:
    """Place all joints, write the residuals of all tasks; their largest and summed length [m]."""
    found = measure_points(c, targets)
    return other_residuals(c.model, c.scratch.tasks, c.pose, c.scratch.ladder.residual, found)


@helper
def is_blind(c: Context) -> bool:
    """Whether some task has a residual that no joint can lessen: the way to fold is not seen."""
    jacobian, residual = c.scratch.ladder.jacobian, c.scratch.ladder.residual
    for task in range(c.model.task_kind.shape[0]):
        gap = (residual[3 * task], residual[3 * task + 1], residual[3 * task + 2])
        square = 0.0
        for k in range(jacobian.shape[1]):
            slope = 0.0
            for i in range(3):
                slope += gap[i] * jacobian[3 * task + i, k]
            square += slope * slope
        length = vec_length(gap)
        if length > 0.0 and math.sqrt(square) < BLIND_SLOPE * length:
            return True
    return False


@helper
def descend_judged(c: Context, targets: Targets, iterations: int, fresh: bool) -> tuple[int, int]:
    """Iterate from the pose given, so often at most; iterations taken, and why it ended.

    Each step is a gain, or halved until it is one (see `judgement`). `fresh` for a pose that has
    nothing to do with that of the frame before.
    """
    settings, work = c.settings, c.scratch
    near = settings.tolerance * c.model.size[0]
    slack = max(TOLERATED * settings.tolerance, LEAST_TOLERANCE)
    upright = (1.0, 0.0, 0.0, 0.0)
    nudges = 0
    worst, _ = measure(c, targets)
    work.ladder.damping_scale[:] = 1.0
    adapt_damping(c, math.inf)
    begin_judgement(c, targets, upright, fresh)
    for iteration in range(iterations):
        wish = work.tasks.wishes[0]
        if find_rows(c, targets) == 0:
            return iteration, MET
        gained = try_steps(c, targets)
        worst, _ = measure(c, targets)
        if worst <= near and (not gained or wish - work.tasks.wishes[0] <= WISH_GAIN * wish):
            return iteration + 1, MET
        if not gained:
            blind = is_blind(c) and may_fold(c.model, c.pose, targets, near)
            if not blind or nudges == NUDGES or work.floating[0]:
                return iteration + 1, STILL
            nudge_joints(c, nudges)
            nudges += 1
            worst, _ = measure(c, targets)
            forget_best(c, upright)
        adapt_damping(c, slack)
    return iterations, MET if worst <= near else SPENT


@helper
def find_rows(c: Context, targets: Targets) -> int:
    """Write the scaled rows of all levels from the pose given; how many targets are known."""
    model, work = c.model, c.scratch
    joint_axes(model, c.pose, work.axes, False)
    task_jacobian(model, c.pose, work.axes, work.ladder.jacobian)
    other_rows(model, work.tasks, c.pose, work.axes, work.ladder.jacobian)
    return scale_tasks(c, targets)


@helper
def try_steps(c: Context, targets: Targets) -> bool:
    """Take the step, or a half, a quarter ... of it: the first that is a gain.

    Returns whether there was one; otherwise the pose is as before.
    """
    upright = (1.0, 0.0, 0.0, 0.0)
    most = math.inf
    keep_pose(c)
    for _ in range(HALVINGS):
        # A smaller step is computed anew: limits turn it another way than the whole one.
        find_rows(c, targets)
        posture_step(c, upright)
        put_aside(c)
        most = 0.5 * min(most, foresighted_step(c, c.settings.task_step, most))
        take_step(c)
        measure(c, targets)
        repair(c, targets)
        if is_gain(c, upright):
            return True
        restore_pose(c)
        measure(c, targets)
    return False


@helper
def repair(c: Context, targets: Targets) -> None:
    """Bring levels back that a step made worse in second order, and their limits alone."""
    ladder = c.scratch.ladder
    for _ in range(REPAIRS):
        level = spoilt_level(c)
        if level < 0:
            break
        find_rows(c, targets)
        put_aside(c)
        first = ladder.levels[level + 1]
        ladder.residual[first:] = 0.0
        ladder.jacobian[first:] = 0.0
        ladder.secondary[:] = 0.0
        foresighted_step(c, c.settings.task_step, math.inf)
        take_step(c)
        measure(c, targets)


@helper
def nudge_joints(c: Context, nudges: int) -> None:
    """Turn all joints a little, out of a straight line."""
    ladder = c.scratch.ladder
    nudge = NUDGE if nudges % 2 == 0 else -NUDGE
    ladder.secondary[:] = nudge / ladder.secondary.shape[0]
    foresighted_step(c, c.settings.task_step, math.inf)
    take_step(c)
