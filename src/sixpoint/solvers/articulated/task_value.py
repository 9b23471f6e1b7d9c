"""What a pose lacks of what tasks ask, as numbers without derivatives."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate, quat_twist_angle
from ...kernels.tasks import (
    INSIDE,
    Masses,
    coupling_angle,
    floor_residual,
    look_residual,
    mass_centre,
    orient_residual,
    posture_square,
    precision_square,
    reach_residual,
    smoothness_energy,
    support_nearest,
)
from ...kernels.types import Floats, Vec3
from ...kernels.vector import as3, vec_load
from .model import Model, ModelPose, Targets
from .self_collision import apart_square
from .task_table import (
    BALANCE,
    COUPLING,
    FLOOR,
    LOOK,
    ORIENTATION,
    POSITION,
    POSTURE,
    SELF_COLLISION,
    SMOOTHNESS,
    TaskTable,
)

ABSURD = 1e24
"""A squared residual beyond this, or NaN, asks for nothing [m^2]."""


@helper
def line_of_sight(model: Model, tasks: TaskTable, pose: ModelPose, task: int) -> Vec3:
    """Return the line of sight of a task in the world, a unit vector."""
    joint = model.effector_joint[tasks.node[task]]
    return quat_rotate(quat_load(pose.world, joint), as3(tasks.numbers[task]))


@helper
def centre_over(
    tasks: TaskTable, pose: ModelPose, task: int
) -> tuple[tuple[float, float], tuple[float, float], int]:
    """Return the centre of mass of a task of balance, and the point of its support nearest to it.

    Both are (x, z) [m], seen from the root if the support goes with it. Last, the edge, as
    `support_nearest` gives it.
    """
    masses = Masses(tasks.share[tasks.node[task]], tasks.moment[tasks.node[task]])
    x, _, z = mass_centre(masses, pose.world, pose.position)
    if tasks.numbers[task, 0] != 0.0:
        x, z = x - pose.position[0, 0], z - pose.position[0, 2]
    near_x, near_z, edge = support_nearest(tasks.corners, tasks.first[task], tasks.last[task], x, z)
    return (x, z), (near_x, near_z), edge


@helper
def task_gap(model: Model, tasks: TaskTable, pose: ModelPose, task: int) -> tuple[Vec3, float]:
    """Return what a task of one slot still asks for, (3,), in its own unit, and its room.

    The room is that of an inequality which holds: how far its value may go, as a residual; NaN for
    all others. That of a balance says nothing, because it depends on the way.
    """
    kind, node, numbers = tasks.kind[task], tasks.node[task], tasks.numbers[task]
    room = math.nan
    gap = (0.0, 0.0, 0.0)
    if kind == LOOK:
        target: Vec3 = (numbers[3], numbers[4], numbers[5])
        sight = line_of_sight(model, tasks, pose, task)
        gap = look_residual(target, vec_load(pose.effectors, node), sight)
    elif kind == BALANCE:
        centre, near, edge = centre_over(tasks, pose, task)
        gap = (near[0] - centre[0], 0.0, near[1] - centre[1])
        if edge == INSIDE:
            room = 0.0
    elif kind == COUPLING:
        leads = tasks.first[task]
        follower = quat_twist_angle(quat_load(pose.local, node), vec_load(model.axis, node))
        leader = quat_twist_angle(quat_load(pose.local, leads), vec_load(model.axis, leads))
        gap = (-coupling_angle(follower, leader, numbers[0]), 0.0, 0.0)
    elif kind == FLOOR:
        height = pose.effectors[node, 1]
        missing = floor_residual(numbers[0], height, numbers[1] != 0.0)
        gap = (missing, 0.0, 0.0)
        if numbers[1] != 0.0 and height > numbers[0]:
            room = numbers[0] - height
    return gap, room


@helper
def task_square(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, targets: Targets
) -> float:
    """Squared length of what a task still asks for [m^2]; not weighted.

    A target that is not known (NaN) asks for nothing.
    """
    kind, node, first = tasks.kind[task], tasks.node[task], tasks.first[task]
    precision = tasks.precision[task]
    square = 0.0
    if kind == POSITION:
        gap = reach_residual(vec_load(targets.positions, node), vec_load(pose.effectors, node))
        square = precision_square(precision, gap)
    elif kind == ORIENTATION:
        now = quat_load(pose.world, model.effector_joint[node])
        gap = orient_residual(quat_load(targets.rotations, node), now)
        square = precision_square(precision, gap)
    elif kind == SMOOTHNESS:
        square = smoothness_energy(pose.local, tasks.pairs, first, tasks.last[task]) ** 2
    elif kind in (LOOK, BALANCE, COUPLING, FLOOR):
        gap, _ = task_gap(model, tasks, pose, task)
        square = precision_square(precision, gap)
    elif kind == SELF_COLLISION:
        square = apart_square(pose, tasks.capsules)
    elif kind == POSTURE:
        wanted = tasks.posture[first]
        for joint in range(model.parent.shape[0]):
            if model.freedom[joint] > 0:
                square += posture_square(quat_load(pose.local, joint), quat_load(wanted, joint))
    square *= tasks.unit[task] * tasks.unit[task]
    return float(square) if square < ABSURD else 0.0


@helper
def write_task_residuals(
    model: Model, tasks: TaskTable, pose: ModelPose, targets: Targets, out: Floats
) -> None:
    """Write the residual of every task [m], (T,), not weighted."""
    for task in range(tasks.kind.shape[0]):
        out[task] = math.sqrt(task_square(model, tasks, pose, task, targets))
