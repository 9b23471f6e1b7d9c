"""Derivatives by finite differences, as most implementations of Jacobian methods take them.

Courty and Arnaud 2008 (section 3) compare their filter with such methods. One degree of freedom
after the other is turned a little and all joints are placed anew, which takes a time that grows
with the square of the number of joints. The time of the exact derivatives of `articulated.model`
grows with the number itself.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.quaternion import quat_from_axis_angle, quat_load, quat_mul, quat_store
from ...kernels.rotation import quat_from_euler_xyz, quat_to_euler_xyz
from ...kernels.tasks import orient_residual
from ...kernels.types import Floats
from ...kernels.vector import vec_load, vec_scale, vec_store, vec_sub
from ..articulated.context import Context
from ..articulated.model import HINGE, ORIENTATION, POSITION, Model, ModelPose, model_forward

STEP = 1e-7
"""Step of the finite differences [rad]."""


@helper
def turn_freedom(model: Model, pose: ModelPose, joint: int, axis: int, angle: float) -> None:
    """Turn a joint about one of its axes [rad], whatever its limits: follower angles, as steps."""
    local = quat_load(pose.local, joint)
    if model.freedom[joint] == HINGE:
        turn = quat_from_axis_angle(vec_load(model.axis, joint), angle)
        quat_store(pose.local, joint, quat_mul(turn, local))
        return
    x, y, z = quat_to_euler_xyz(local)
    x, y, z = x + angle * (axis == 0), y + angle * (axis == 1), z + angle * (axis == 2)
    quat_store(pose.local, joint, quat_from_euler_xyz(x, y, z))


@helper
def finite_jacobian(c: Context) -> None:
    """Change of every task with every degree of freedom by forward differences, weighted.

    Writes `scratch.jacobian` (3 T, D) but for the slots of self-collision. The pose comes out as it
    was.
    """
    model, pose, scratch = c.model, c.pose, c.scratch
    for effector in range(model.effector_joint.shape[0]):
        vec_store(scratch.places, effector, vec_load(pose.effectors, effector))
        turn = quat_load(pose.world, model.effector_joint[effector])
        quat_store(scratch.turns, effector, turn)
    for joint in range(model.parent.shape[0]):
        kept = quat_load(pose.local, joint)
        for axis in range(model.freedom[joint]):
            turn_freedom(model, pose, joint, axis, STEP)
            model_forward(model, pose)
            difference_column(c, model.first[joint] + axis, scratch.jacobian)
            quat_store(pose.local, joint, kept)
    model_forward(model, pose)


@helper
def difference_column(c: Context, k: int, jacobian: Floats) -> None:
    """Write what every task measures less what it measured before the step, for each radian."""
    model, pose, scratch = c.model, c.pose, c.scratch
    for task in range(model.task_kind.shape[0]):
        effector = model.task_effector[task]
        if model.task_kind[task] == POSITION:
            change = vec_sub(vec_load(pose.effectors, effector), vec_load(scratch.places, effector))
        elif model.task_kind[task] == ORIENTATION:
            now = quat_load(pose.world, model.effector_joint[effector])
            change = orient_residual(now, quat_load(scratch.turns, effector))
        else:
            continue
        change = vec_scale(change, model.task_weight[task] / STEP)
        for i in range(3):
            jacobian[3 * task + i, k] = change[i]
