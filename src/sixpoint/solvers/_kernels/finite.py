"""Jacobians by finite differences, as the Monte Carlo paper gives its rivals (S2.2, S2.4).

Every column costs the forward kinematics of the whole figure: an iteration grows with the square of
the degrees of freedom. It is here to be measured; solvers use `figure_jacobian`.
"""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.quaternion import quat_from_axis_angle, quat_load, quat_mul, quat_store
from ...kernels.rotation import quat_from_euler_xyz, quat_to_euler_xyz
from ...kernels.types import Floats
from ...kernels.vector import vec_load
from .descent import TRANSPOSE, Descent
from .dls import dls_step
from .figure import HINGE, Figure, FigurePose, figure_forward, figure_residuals, figure_turn
from .svd_steps import clamp_largest
from .tables import RecordArray
from .transpose import transpose_step

STEP = 1e-7
"""Of the differences [rad]."""


@helper
def finite_jacobian(
    figure: Figure, pose: FigurePose, scratch: Descent, places: Floats, turns: Floats
) -> None:
    """Change of every task with every degree of freedom, (3 T, D), by forward differences.

    Expects what is asked of the pose in `scratch.asked`; the pose comes out as it was.
    """
    m = scratch.jacobian.shape[0]
    for row in range(figure.parent.shape[0]):
        kept = quat_load(pose.local, row)
        for c in range(figure.freedom[row]):
            k = figure.first[row] + c
            if figure.freedom[row] == HINGE:
                turn = quat_from_axis_angle(vec_load(figure.axis, row), STEP)
                quat_store(pose.local, row, quat_mul(turn, kept))
            else:
                x, y, z = quat_to_euler_xyz(kept)
                x, y, z = x + STEP * (c == 0), y + STEP * (c == 1), z + STEP * (c == 2)
                quat_store(pose.local, row, quat_from_euler_xyz(x, y, z))
            figure_forward(figure, pose)
            figure_residuals(figure, pose, places, turns, scratch.x)
            for i in range(m):
                scratch.jacobian[i, k] = (scratch.asked[i] - scratch.x[i]) / STEP
        quat_store(pose.local, row, kept)


@kernel
def finite_steps(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Descent,
    places: Floats,
    turns: Floats,
    count: int,
) -> None:
    """So many iterations of the Jacobian transpose, or of damped least squares."""
    m, d = scratch.jacobian.shape
    damping = settings[0].damping * figure.size[0]
    for _ in range(count):
        figure_forward(figure, pose)
        figure_residuals(figure, pose, places, turns, scratch.asked)
        finite_jacobian(figure, pose, scratch, places, turns)
        if settings[0].method == TRANSPOSE:
            transpose_step(scratch.jacobian, m, d, scratch.asked, scratch.step)
        else:
            dls_step(
                scratch.jacobian, m, d, scratch.asked, damping, scratch.square, scratch.x,
                scratch.step,
            )  # fmt: skip
        clamp_largest(scratch.step, d, settings[0].joint_step)
        figure_turn(figure, pose, scratch.step)
    figure_forward(figure, pose)
