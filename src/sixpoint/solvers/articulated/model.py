"""Any articulated skeleton as tables: forward kinematics, degrees of freedom, Jacobian.

Joints stand parents first; joint 0 is the root. A ball joint is three one-axis joints in follower
order X, Y, Z, a hinge is one. End effectors are the points that tasks speak of.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import quat_from_euler_xyz, quat_to_euler_xyz
from ...kernels.tasks import orient_residual, reach_column, reach_residual
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import as3, vec_add, vec_load, vec_store, vec_sub

HINGE, BALL = 1, 3
"""Degrees of freedom of a joint; 0 is fixed."""
POSITION, ORIENTATION, SLOT, ANGULAR_SLOT = range(4)
"""Kinds of tasks; the last two are slots that other tasks fill (see `task_rows`), of lengths and of
angles. Both are written in metres: a radian counts like the size."""
T = TypeVar("T")


def new_memory(kind: type[T], sizes: Mapping[str, int], **given: Any) -> T:
    """Return a `NamedTuple` of arrays that are zero, with the shapes that its annotations say.

    ``Annotated[Floats, "N", 3]`` is an array (N, 3), with N among the sizes; the arrays in `given`
    are taken as they are.
    """
    arrays = {}
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        if name not in given:
            shape = [sizes.get(size, size) for size in hint.__metadata__]
            arrays[name] = np.zeros(shape, np.int64 if hint.__origin__ == Ints else np.float64)
    return kind(**arrays, **given)


def copied(table: Any) -> Any:
    """Return a copy of a tuple of arrays, in which there may be others, and None."""
    if table is None:
        return None
    if isinstance(table, np.ndarray):
        return table.copy()
    return type(table)(*map(copied, table))


class Targets(NamedTuple):
    """What a frame asks of E end effectors; NaN asks for nothing."""

    positions: Floats  # (E, 3)
    rotations: Floats  # (E, 4)


class Model(NamedTuple):
    """What does not change: N joints, E end effectors, D degrees of freedom, T tasks."""

    parent: Ints  # parent joint, -1 for the root, (N,)
    offset: Floats  # from the parent's origin, in its frame [m], (N, 3)
    freedom: Ints  # 0, `HINGE` or `BALL`, (N,)
    axis: Floats  # axis of a hinge, (N, 3)
    first: Ints  # first degree of freedom of each joint, (N,)
    effector_joint: Ints  # joint that carries each end effector, (E,)
    effector_offset: Floats  # end effector in the frame of its joint [m], (E, 3)
    moves: Ints  # whether each joint moves each end effector, (E, N)
    task_kind: Ints  # `POSITION`, `ORIENTATION`, `SLOT` or `ANGULAR_SLOT`, (T,)
    task_effector: Ints  # end effector that each task speaks of, (T,)
    task_weight: Floats  # (T,)
    size: Floats  # length that tolerances are relative to [m], (1,)
    rig: Ints  # joint of the rig that each joint turns, -1 for none, (N,)
    before: Floats  # rig rotation = before * local rotation * after, (N, 4)
    after: Floats  # see `before`
    start: Floats  # angle of each hinge in the first pose [rad], (N,)
    rest: Floats  # rig rotations of all joints when no joint is turned, (J, 4)
    anchor: Floats  # world position of the root joint's parent, (3,)
    anchor_rotation: Floats  # its world rotation, (4,)
    limits: LimitTable  # one for each joint


class ModelPose(NamedTuple):
    """What changes: local and world rotations, world positions, and those of end effectors [m].

    The position of joint 0 is given.
    """

    local: Annotated[Floats, "N", 4]
    world: Annotated[Floats, "N", 4]
    position: Annotated[Floats, "N", 3]
    effectors: Annotated[Floats, "E", 3]


@helper
def joints_forward(model: Model, pose: ModelPose, first: int, last: int) -> None:
    """World rotations and positions of joints whose parents have them; that of a root is given."""
    parent, offset = model.parent, model.offset
    local, world, position = pose.local, pose.world, pose.position
    for joint in range(first, last):
        above = parent[joint]
        if above < 0:
            quat_store(world, joint, quat_load(local, joint))
            continue
        turn = quat_load(world, above)
        step = quat_rotate(turn, vec_load(offset, joint))
        vec_store(position, joint, vec_add(vec_load(position, above), step))
        quat_store(world, joint, quat_mul(turn, quat_load(local, joint)))


@helper
def effector_forward(model: Model, pose: ModelPose, effector: int) -> None:
    """Position of an end effector whose joint is placed."""
    joint = model.effector_joint[effector]
    step = quat_rotate(quat_load(pose.world, joint), vec_load(model.effector_offset, effector))
    vec_store(pose.effectors, effector, vec_add(vec_load(pose.position, joint), step))


@helper
def effectors_forward(model: Model, pose: ModelPose) -> None:
    """Positions of all end effectors, from joints that are placed."""
    for effector in range(model.effector_joint.shape[0]):
        effector_forward(model, pose, effector)


@helper
def model_forward(model: Model, pose: ModelPose) -> None:
    """World rotations, positions and end effectors from local rotations and the root's position."""
    joints_forward(model, pose, 0, model.parent.shape[0])
    effectors_forward(model, pose)


@helper
def parent_rotation(model: Model, pose: ModelPose, joint: int) -> Quat:
    """World rotation of a joint's parent."""
    above = model.parent[joint]
    if above < 0:
        return (1.0, 0.0, 0.0, 0.0)
    return quat_load(pose.world, above)


@helper
def joint_axes(model: Model, pose: ModelPose, axes: Floats, follower: bool = True) -> None:
    """World axis of every degree of freedom, (D, 3).

    Those of a ball joint are X, Y and Z of its parent, or (`follower`) each is turned by the angles
    about those before it.
    """
    for joint in range(model.parent.shape[0]):
        freedom = model.freedom[joint]
        if freedom == 0:
            continue
        turn, k = parent_rotation(model, pose, joint), model.first[joint]
        if freedom == HINGE:
            vec_store(axes, k, quat_rotate(turn, vec_load(model.axis, joint)))
            continue
        vec_store(axes, k, quat_rotate(turn, (1.0, 0.0, 0.0)))
        if not follower:
            vec_store(axes, k + 1, quat_rotate(turn, (0.0, 1.0, 0.0)))
            vec_store(axes, k + 2, quat_rotate(turn, (0.0, 0.0, 1.0)))
            continue
        a, _, _ = quat_to_euler_xyz(quat_load(pose.local, joint))
        turn = quat_mul(turn, quat_from_axis_angle((1.0, 0.0, 0.0), a))
        vec_store(axes, k + 1, quat_rotate(turn, (0.0, 1.0, 0.0)))
        # The third axis is not moved by its own rotation: it is Z of the joint itself.
        vec_store(axes, k + 2, quat_rotate(quat_load(pose.world, joint), (0.0, 0.0, 1.0)))


@helper
def task_jacobian(model: Model, pose: ModelPose, axes: Floats, out: Floats) -> None:
    """Change of every task with every degree of freedom, (3 T, D), joints weighted.

    Slots are left as they are.
    """
    for task in range(model.task_kind.shape[0]):
        if model.task_kind[task] >= SLOT:
            continue
        effector = model.task_effector[task]
        weight = model.task_weight[task]
        for joint in range(model.parent.shape[0]):
            for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
                column = (0.0, 0.0, 0.0)
                if model.moves[effector, joint]:
                    column = vec_load(axes, k)
                    if model.task_kind[task] == POSITION:
                        arm = vec_sub(
                            vec_load(pose.effectors, effector), vec_load(pose.position, joint)
                        )
                        column = reach_column(column, arm)
                out[3 * task, k] = weight * column[0]
                out[3 * task + 1, k] = weight * column[1]
                out[3 * task + 2, k] = weight * column[2]


@helper
def task_residual(model: Model, pose: ModelPose, task: int, targets: Targets) -> tuple[Vec3, float]:
    """What one task still asks for [m] or [rad], and its length [m].

    A target that is not known (NaN) asks for nothing.
    """
    effector = model.task_effector[task]
    if model.task_kind[task] == POSITION:
        position = vec_load(pose.effectors, effector)
        gap = reach_residual(vec_load(targets.positions, effector), position)
        scale = 1.0
    else:
        now = quat_load(pose.world, model.effector_joint[effector])
        gap = orient_residual(quat_load(targets.rotations, effector), now)
        scale = model.size[0]  # a radian counts like a turn of the whole skeleton
    length = (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]) ** 0.5 * scale
    if not length < 1e12:
        return (0.0, 0.0, 0.0), 0.0
    return gap, length


@helper
def task_residuals(
    model: Model, pose: ModelPose, targets: Targets, out: Floats
) -> tuple[float, float]:
    """What every task still asks for, (3 T,), weighted; largest and summed length, unweighted.

    Slots are left as they are.
    """
    worst, total = 0.0, 0.0
    for task in range(model.task_kind.shape[0]):
        if model.task_kind[task] >= SLOT:
            continue
        gap, length = task_residual(model, pose, task, targets)
        weight = model.task_weight[task]
        out[3 * task] = weight * gap[0]
        out[3 * task + 1] = weight * gap[1]
        out[3 * task + 2] = weight * gap[2]
        if weight > 0.0:
            worst = max(worst, length)
            total += length
    return worst, total


@helper
def hold_joint(model: Model, joint: int, rotation: Quat) -> Quat:
    """The nearest local rotation that a hinge or ball allows."""
    if model.freedom[joint] == HINGE:
        axis = vec_load(model.axis, joint)
        angle = limit_clamp_angle(model.limits, joint, quat_twist_angle(rotation, axis))
        return quat_from_axis_angle(axis, angle)
    return limit_project(model.limits, joint, rotation)


@helper
def turn_hinge(model: Model, pose: ModelPose, joint: int, step: float) -> None:
    """Turn a hinge by an angle [rad], no farther than its limit."""
    axis = vec_load(model.axis, joint)
    angle = quat_twist_angle(quat_load(pose.local, joint), axis) + step
    angle = limit_clamp_angle(model.limits, joint, angle)
    quat_store(pose.local, joint, quat_from_axis_angle(axis, angle))


@helper
def copy_rotations(source: Floats, into: Floats) -> None:
    """Copy quaternions (N, 4)."""
    for k in range(source.shape[0]):
        quat_store(into, k, quat_load(source, k))


@helper
def copy_vectors(source: Floats, into: Floats) -> None:
    """Copy vectors (N, 3)."""
    for k in range(source.shape[0]):
        vec_store(into, k, vec_load(source, k))


@helper
def apply_step(model: Model, pose: ModelPose, step: Floats) -> None:
    """Add a step (D,) to every degree of freedom, within limits."""
    for joint in range(model.parent.shape[0]):
        freedom = model.freedom[joint]
        if freedom == 0:
            continue
        k = model.first[joint]
        if freedom == HINGE:
            turn_hinge(model, pose, joint, step[k])
            continue
        a, b, c = quat_to_euler_xyz(quat_load(pose.local, joint))
        rotated = quat_from_euler_xyz(a + step[k], b + step[k + 1], c + step[k + 2])
        quat_store(pose.local, joint, limit_project(model.limits, joint, quat_normalize(rotated)))


@helper
def read_pose(model: Model, rotations: Floats, local: Floats) -> None:
    """Local rotations (N, 4) from those of the rig (J, 4); hinges turn about their axes."""
    for joint in range(model.rig.shape[0]):
        rig = model.rig[joint]
        if rig < 0:
            continue
        rotation = quat_mul(quat_conj(quat_load(model.before, joint)), quat_load(rotations, rig))
        rotation = quat_normalize(quat_mul(rotation, quat_conj(quat_load(model.after, joint))))
        if model.freedom[joint] == HINGE:
            rotation = hold_joint(model, joint, rotation)
        quat_store(local, joint, rotation)


@helper
def write_pose(
    model: Model, pose: ModelPose, rest: Floats, rotations: Floats, root: Floats
) -> None:
    """Local rotations in the rig's own frames (J, 4), and the root relative to its parent (3,).

    Joints of the rig that the model does not have turn as in `rest` (J, 4). Those of the model that
    the rig does not have turn the next one below them.
    """
    copy_rotations(rest, rotations)
    for joint in range(model.rig.shape[0]):
        rig = model.rig[joint]
        if rig >= 0:
            rotation = quat_load(pose.local, joint)
            above = model.parent[joint]
            while above >= 0 and model.rig[above] < 0:
                rotation = quat_mul(quat_load(pose.local, above), rotation)
                above = model.parent[above]
            rotation = quat_mul(quat_load(model.before, joint), rotation)
            rotation = quat_mul(rotation, quat_load(model.after, joint))
            quat_store(rotations, rig, quat_normalize(rotation))
    write_root(model, vec_load(pose.position, 0), root)


@helper
def write_root(model: Model, position: Vec3, root: Floats) -> None:
    """Write the position of a root as its parent sees it (3,)."""
    turn = model.anchor_rotation
    away = vec_sub(position, as3(model.anchor))
    root[0], root[1], root[2] = quat_unrotate((turn[0], turn[1], turn[2], turn[3]), away)
