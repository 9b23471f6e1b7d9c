"""Rows of the Jacobian for tasks that fill slots of a model, and what they still ask for.

A model knows positions and rotations of end effectors. All other tasks fill slots, three rows
each: a gaze, a floor, a coupling or a balance one, smoothness one for each pair of joints, a
posture one for each joint, self-collision one for each pair of parts in touch. Rows are weighted,
and in metres: a radian counts like the size.

Tasks that are inequalities (floors that may be left, parts that shall stay apart, a balance above a
polygon) ask for nothing where they hold. Methods that look ahead get their rows all the same, with
the room that is left in `TaskTable.room`.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_unrotate
from ...kernels.tasks import (
    AT_CORNER,
    INSIDE,
    Masses,
    carry_masses,
    centre_column,
    look_column,
    orient_column,
    orient_residual,
    reach_column,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import vec_dot, vec_load, vec_scale, vec_sub
from .model import Model, ModelPose, parent_rotation
from .self_collision import find_touching, touching_rows
from .task_table import (
    BALANCE,
    COUPLING,
    FLOOR,
    FUNCTION,
    LOOK,
    POSTURE,
    SELF_COLLISION,
    SMOOTHNESS,
    TaskTable,
)
from .task_value import centre_over, line_of_sight, task_gap


@helper
def other_residuals(
    model: Model, tasks: TaskTable, pose: ModelPose, residual: Floats, found: tuple[float, float]
) -> tuple[float, float]:
    """Write what all slots ask for, weighted [m], and the room of inequalities that hold.

    Returns the largest and the summed error of all tasks that are to be met, those `found` before
    included; the sum of soft ones is left in `tasks.wishes`.
    """
    worst, total = found
    tasks.wishes[0] = 0.0
    for task in range(tasks.kind.shape[0]):
        first = tasks.slot[task]
        if first < 0:
            continue
        kind = tasks.kind[task]
        if kind == SELF_COLLISION:
            length, more = find_touching(model, pose, tasks.capsules, residual)
            collision_room(model, tasks)
        else:
            scale = tasks.weight[task] * tasks.unit[task]
            square = 0.0
            for slot in range(first, tasks.last_slot[task]):
                gap, room = slot_gap(model, tasks, pose, task, slot - first)
                square += vec_dot(gap, gap)
                tasks.room[slot] = scale * room
                for k in range(3):
                    residual[3 * slot + k] = scale * gap[k]
            length = math.sqrt(square) * tasks.unit[task]
            more = length
        if not tasks.weight[task] > 0.0:
            continue
        if tasks.soft[task]:
            tasks.wishes[0] += more
        else:
            worst, total = max(worst, length), total + more
    return worst, total


@helper
def slot_gap(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, k: int
) -> tuple[Vec3, float]:
    """Return what the slot k of a task still asks for, in its own unit, and its room."""
    kind = tasks.kind[task]
    if kind == SMOOTHNESS:
        return pair_gap(tasks, pose, tasks.first[task] + k), math.nan
    if kind == FUNCTION:
        return function_gap(tasks, pose, 3 * (tasks.first[task] + k)), math.nan
    if kind == POSTURE:
        wanted = quat_load(tasks.posture[tasks.first[task]], k)
        gap = (0.0, 0.0, 0.0)
        if model.freedom[k] > 0:
            gap = orient_residual(wanted, quat_load(pose.local, k))
        return gap, math.nan
    return task_gap(model, tasks, pose, task)


@helper
def function_gap(tasks: TaskTable, pose: ModelPose, row: int) -> Vec3:
    """Return minus what a function gives, by its slopes, in three rows."""
    gap = vec_scale((tasks.values[row], tasks.values[row + 1], tasks.values[row + 2]), -1.0)
    joints = pose.local.shape[0]
    for joint in range(joints + 1):
        if joint < joints:
            moved = orient_residual(quat_load(pose.local, joint), quat_load(tasks.around, joint))
        else:
            moved = vec_sub(vec_load(pose.position, 0), vec_load(tasks.origin, 0))
        gap = vec_sub(gap, by_slopes(tasks.slopes, row, joint, moved))
    return gap


@helper
def by_slopes(slopes: Floats, row: int, block: int, moved: Vec3) -> Vec3:
    """What three rows change by as a joint turns, or the root moves."""
    k = 3 * block
    a = slopes[row, k] * moved[0] + slopes[row, k + 1] * moved[1] + slopes[row, k + 2] * moved[2]
    row += 1
    b = slopes[row, k] * moved[0] + slopes[row, k + 1] * moved[1] + slopes[row, k + 2] * moved[2]
    row += 1
    c = slopes[row, k] * moved[0] + slopes[row, k + 1] * moved[1] + slopes[row, k + 2] * moved[2]
    return (a, b, c)


@helper
def function_rows(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, axes: Floats, jacobian: Floats
) -> None:
    """Write the slopes of a function along each degree of freedom."""
    joints, turning = model.parent.shape[0], turning_freedoms(model)
    for slot in range(tasks.slot[task], tasks.last_slot[task]):
        row = 3 * (tasks.first[task] + slot - tasks.slot[task])
        for joint in range(joints):
            below = parent_rotation(model, pose, joint)
            for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
                axis = quat_unrotate(below, vec_load(axes, k))
                column = by_slopes(tasks.slopes, row, joint, axis)
                write_column(jacobian, 3 * slot, k, column, tasks.weight[task])
        for k in range(turning, jacobian.shape[1]):
            column = by_slopes(tasks.slopes, row, joints, root_speed(model, k - turning))
            write_column(jacobian, 3 * slot, k, column, tasks.weight[task])


@helper
def pair_gap(tasks: TaskTable, pose: ModelPose, pair: int) -> Vec3:
    """Rotation vector from the first joint of a pair to the second, in their parents' frames."""
    one, other = tasks.pairs[pair, 0], tasks.pairs[pair, 1]
    return orient_residual(quat_load(pose.local, other), quat_load(pose.local, one))


@helper
def collision_room(model: Model, tasks: TaskTable) -> None:
    """Write the room of pairs that are nearly in touch [m]."""
    capsules = tasks.capsules
    for k in range(capsules.chosen.shape[0]):
        slot = capsules.first[0] + k
        tasks.room[slot] = math.nan
        if capsules.chosen[k] >= 0 and not capsules.depth[k] > 0.0:
            tasks.room[slot] = -model.task_weight[slot] * capsules.depth[k]


@helper
def other_rows(
    model: Model, tasks: TaskTable, pose: ModelPose, axes: Floats, jacobian: Floats
) -> None:
    """Write the rows of all slots, weighted, also of inequalities that hold.

    Columns beyond those of joints move the root along X, Y and Z by a part of the size.
    """
    for task in range(tasks.kind.shape[0]):
        first = tasks.slot[task]
        if first < 0:
            continue
        for i in range(3 * first, 3 * tasks.last_slot[task]):
            jacobian[i, :] = 0.0
        kind = tasks.kind[task]
        scale = tasks.weight[task] * tasks.unit[task]
        if kind == SELF_COLLISION:
            touching_rows(model, pose, tasks.capsules, axes, jacobian)
        elif kind == BALANCE:
            balance_rows(model, tasks, pose, task, axes, jacobian)
        elif kind == COUPLING:
            leads, ratio = tasks.first[task], tasks.numbers[task, 0]
            add_hinge(model, tasks.node[task], scale, 3 * first, jacobian)
            add_hinge(model, leads, -scale * ratio, 3 * first, jacobian)
        elif kind == SMOOTHNESS:
            for slot in range(first, tasks.last_slot[task]):
                pair = tasks.first[task] + slot - first
                gap = pair_gap(tasks, pose, pair)
                one, other = tasks.pairs[pair, 0], tasks.pairs[pair, 1]
                back = vec_scale(gap, -1.0)
                below = parent_rotation(model, pose, one)
                turn_columns(model, below, (one, 3 * slot, scale), gap, axes, jacobian)
                below = parent_rotation(model, pose, other)
                turn_columns(model, below, (other, 3 * slot, -scale), back, axes, jacobian)
        elif kind == POSTURE:
            for slot in range(first, tasks.last_slot[task]):
                gap, _ = slot_gap(model, tasks, pose, task, slot - first)
                joint = slot - first
                below = parent_rotation(model, pose, joint)
                turn_columns(model, below, (joint, 3 * slot, scale), gap, axes, jacobian)
        elif kind == FUNCTION:
            function_rows(model, tasks, pose, task, axes, jacobian)
        elif kind in (LOOK, FLOOR):
            effector_rows(model, tasks, pose, task, axes, jacobian)


@helper
def add_hinge(model: Model, joint: int, slope: float, row: int, jacobian: Floats) -> None:
    """Add the angle of a hinge to a row."""
    if model.freedom[joint] > 0:
        jacobian[row, model.first[joint]] += slope


@helper
def turn_columns(
    model: Model, below: Quat, at: tuple[int, int, float], gap: Vec3, axes: Floats, jacobian: Floats
) -> None:
    """Add how a rotation vector falls as a joint turns, whose parent has the rotation `below`.

    `at` are that joint, the first row, and what the rows are scaled by.
    """
    joint, row, scale = at
    for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
        column = orient_column(gap, quat_unrotate(below, vec_load(axes, k)))
        for i in range(3):
            jacobian[row + i, k] += scale * column[i]


@helper
def effector_rows(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, axes: Floats, jacobian: Floats
) -> None:
    """Write the rows of a task that speaks of one end effector: a gaze, or a height."""
    effector, numbers = tasks.node[task], tasks.numbers[task]
    row, scale = 3 * tasks.slot[task], tasks.weight[task] * tasks.unit[task]
    eye = vec_load(pose.effectors, effector)
    sight = line_of_sight(model, tasks, pose, task)
    looks = tasks.kind[task] == LOOK
    away = vec_sub((numbers[3], numbers[4], numbers[5]), eye)
    turning = turning_freedoms(model)
    for joint in range(model.parent.shape[0]):
        if not model.moves[effector, joint]:
            continue
        arm = vec_sub(eye, vec_load(pose.position, joint))
        for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
            axis = vec_load(axes, k)
            speed = reach_column(axis, arm)
            if looks:
                write_column(jacobian, row, k, look_column(away, sight, axis, speed), scale)
            else:
                jacobian[row, k] = scale * speed[1]
    for k in range(turning, jacobian.shape[1]):
        speed = root_speed(model, k - turning)
        if looks:
            still = (0.0, 0.0, 0.0)
            write_column(jacobian, row, k, look_column(away, sight, still, speed), scale)
        else:
            jacobian[row, k] = scale * speed[1]


@helper
def write_column(jacobian: Floats, row: int, k: int, column: Vec3, scale: float) -> None:
    """Write three rows of a column."""
    for i in range(3):
        jacobian[row + i, k] = scale * column[i]


@helper
def turning_freedoms(model: Model) -> int:
    """Degrees of freedom of all joints; those of a root that moves come after them."""
    last = model.first.shape[0] - 1
    return int(model.first[last] + model.freedom[last])


@helper
def root_speed(model: Model, k: int) -> Vec3:
    """How the root goes along X, Y or Z for a unit of its degree of freedom: the size [m]."""
    size = model.size[0]
    return (size if k == 0 else 0.0, size if k == 1 else 0.0, size if k == 2 else 0.0)


@helper
def balance_rows(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, axes: Floats, jacobian: Floats
) -> None:
    """Write how the centre of mass moves over the ground; beside an edge, towards it only."""
    masses = Masses(tasks.share[tasks.node[task]], tasks.moment[tasks.node[task]])
    row, scale = 3 * tasks.slot[task], tasks.weight[task]
    carry_masses(masses, model.parent, pose.world, pose.position, tasks.carried)
    for joint in range(model.parent.shape[0]):
        place = vec_load(pose.position, joint)
        for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
            column = centre_column(vec_load(axes, k), place, tasks.carried[joint])
            jacobian[row, k], jacobian[row + 2, k] = scale * column[0], scale * column[2]
    turning = turning_freedoms(model)
    if tasks.numbers[task, 0] == 0.0:  # a support that does not go with the root
        for k in range(turning, jacobian.shape[1]):
            speed = root_speed(model, k - turning)
            jacobian[row, k], jacobian[row + 2, k] = scale * speed[0], scale * speed[2]
    centre, near, edge = centre_over(tasks, pose, task)
    if edge in (INSIDE, AT_CORNER):
        return
    x, z = near[0] - centre[0], near[1] - centre[1]
    square = x * x + z * z
    if square > 0.0:
        for k in range(jacobian.shape[1]):
            along = (x * jacobian[row, k] + z * jacobian[row + 2, k]) / square
            jacobian[row, k], jacobian[row + 2, k] = along * x, along * z


@helper
def clear_held(tasks: TaskTable, jacobian: Floats) -> None:
    """Clear the rows of inequalities that hold, for methods that do not look ahead."""
    for slot in range(tasks.room.shape[0]):
        if not math.isnan(tasks.room[slot]):
            for i in range(3 * slot, 3 * slot + 3):
                jacobian[i, :] = 0.0
