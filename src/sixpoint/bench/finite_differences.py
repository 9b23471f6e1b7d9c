"""Jacobian methods by finite differences, as the Monte Carlo paper gives its rivals.

Every column costs the forward kinematics of the whole skeleton: an iteration grows with the square
of the degrees of freedom. It is here to be measured; solvers use `task_jacobian`.
"""

from __future__ import annotations

from ..kernels._jit import helper, kernel
from ..kernels.quaternion import quat_from_axis_angle, quat_load, quat_mul, quat_store
from ..kernels.rotation import quat_from_euler_xyz, quat_to_euler_xyz
from ..kernels.vector import vec_load
from ..solvers.articulated.context import Context, SkeletonContext
from ..solvers.articulated.model import (
    HINGE,
    Targets,
    apply_step,
    model_forward,
    task_residuals,
)
from ..solvers.jacobian.steps import method_step

STEP = 1e-7
"""Of the differences [rad]."""


@helper
def finite_jacobian(c: Context, targets: Targets) -> None:
    """Change of every task with every degree of freedom, (3 T, D), by forward differences.

    Expects the residuals of the pose in `scratch.residual`; the pose comes out as it was.
    """
    model, pose, scratch = c.model, c.pose, c.scratch
    for joint in range(model.parent.shape[0]):
        kept = quat_load(pose.local, joint)
        for axis in range(model.freedom[joint]):
            k = model.first[joint] + axis
            if model.freedom[joint] == HINGE:
                turn = quat_from_axis_angle(vec_load(model.axis, joint), STEP)
                quat_store(pose.local, joint, quat_mul(turn, kept))
            else:
                x, y, z = quat_to_euler_xyz(kept)
                x, y, z = x + STEP * (axis == 0), y + STEP * (axis == 1), z + STEP * (axis == 2)
                quat_store(pose.local, joint, quat_from_euler_xyz(x, y, z))
            model_forward(model, pose)
            task_residuals(model, pose, targets, scratch.x)
            for i in range(scratch.residual.shape[0]):
                scratch.jacobian[i, k] = (scratch.residual[i] - scratch.x[i]) / STEP
        quat_store(pose.local, joint, kept)


@kernel
def finite_steps(context: SkeletonContext, targets: Targets, count: int) -> None:
    """Take a number of iterations of the Jacobian method of a context, from its pose."""
    c = SkeletonContext(context.settings[0], context.model, context.pose, context.scratch)
    for _ in range(count):
        model_forward(c.model, c.pose)
        task_residuals(c.model, c.pose, targets, c.scratch.residual)
        finite_jacobian(c, targets)
        method_step(c)
        apply_step(c.model, c.pose, c.scratch.step)
    model_forward(c.model, c.pose)
