"""What poses cost: the tasks of the particle filter, judged without derivatives."""

from __future__ import annotations

import math

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.types import Floats
from ..articulated.model import Model, ModelPose, Targets
from ..articulated.task_table import POSITION, POSTURE, TaskRow, TaskTable, new_table
from ..articulated.task_value import task_square


def person_tasks(model: Model, posture: float) -> TaskTable:
    """Return the six points of a person but the pelvis, and the posture where a frame starts."""
    points = zip(model.task_effector, model.task_weight, strict=True)
    rows = [TaskRow(POSITION, weight, effector) for effector, weight in points]
    rows.append(TaskRow(POSTURE, posture, unit=float(model.size[0]), soft=True))
    joints = len(model.parent)
    return new_table(rows, joints, posture=arrays.identity(1, joints))


@helper
def pose_cost(
    model: Model, tasks: TaskTable, pose: ModelPose, targets: Targets
) -> tuple[float, float]:
    """Cost of the tasks to be met, and of the soft ones, weighted and squared [m^2].

    Courty and Arnaud, Eq. (14), without its noise: that of tasks to be met shrinks, that of soft
    ones does not.
    """
    demands, wishes = 0.0, 0.0
    for task in range(tasks.kind.shape[0]):
        weight = tasks.weight[task]
        if weight > 0.0:
            square = task_square(model, tasks, pose, task, targets)
            if tasks.soft[task]:
                wishes += weight * weight * square
            else:
                demands += weight * weight * square
    return demands, wishes


@helper
def judge_pose(
    model: Model, tasks: TaskTable, pose: ModelPose, targets: Targets, residuals: Floats
) -> float:
    """Write the residual of every task [m], (T,), not weighted; the largest that is to be met."""
    worst = 0.0
    for task in range(tasks.kind.shape[0]):
        residuals[task] = math.sqrt(task_square(model, tasks, pose, task, targets))
        if tasks.weight[task] > 0.0 and not tasks.soft[task]:
            worst = max(worst, residuals[task])
    return worst
