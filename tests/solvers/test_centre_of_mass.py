"""The centre of mass and how joints move it."""

from __future__ import annotations

import numpy as np

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.limits import Limits
from sixpoint.solvers._kernels.centre_of_mass import Masses, mass_centre, mass_column
from sixpoint.solvers._kernels.figure import HINGE, POSITION, figure_forward
from sixpoint.solvers._kernels.pik_step import turn_axes
from sixpoint.solvers.figure import Row, Tip, build_figure, new_pose

X, Y, Z = np.eye(3)


def golden_figure():
    """The trunk of G27 as one-axis joints: foot X Z, back X Z, thorax X Y Z."""
    plan = [(0.0, X), (0.0, Z), (0.95, X), (0.0, Z), (0.25, X), (0.0, Y), (0.0, Z)]
    one = arrays.identity()
    rows = [
        Row(k, k - 1, np.array([0.0, height, 0.0]), HINGE, axis, one, one)
        for k, (height, axis) in enumerate(plan)
    ]
    skeleton = sp.Skeleton.chain(7)
    figure = build_figure(
        skeleton, rows, [Tip(6, 0.2 * Y)], [(POSITION, 0, 1.0)], Limits({}), size=1.4,
        rest=arrays.identity(7), anchor=np.zeros(3), anchor_turn=one,
    )  # fmt: skip
    masses = Masses(
        row=np.array([1, 3, 6]),
        offset=np.array([[0, 0.70, 0], [0, 0.125, 0], [0, 0.2, 0]]),
        share=np.array([0.5, 0.25, 0.25]),
        moves=np.array([[k <= row for k in range(7)] for row in (1, 3, 6)], np.int64),
        place=np.zeros((3, 3)),
        support=np.zeros((1, 2)),
    )
    return figure, masses


def test_golden_centre_of_mass():  # G27
    figure, masses = golden_figure()
    pose = new_pose(figure)
    pose.local[:] = arrays.identity(7)
    figure_forward(figure, pose)
    np.testing.assert_allclose(mass_centre(pose, masses), (0.0, 0.96875, 0.0), atol=1e-9)
    angles = (0.1, 0.05, -0.2, 0.1, 0.15, 0.3, -0.05)
    for row, angle in enumerate(angles):
        pose.local[row] = arrays.from_axis_angle(figure.axis[row], angle)
    figure_forward(figure, pose)
    centre = mass_centre(pose, masses)
    np.testing.assert_allclose(centre, (-0.060202, 0.961803, 0.074629), atol=1e-6)
    axes = np.zeros((7, 3))
    turn_axes(figure, pose, axes)
    columns = np.array([mass_column(pose, masses, k, tuple(axes[k])) for k in range(7)])
    np.testing.assert_allclose(
        columns[:, 0],
        (0, -0.964448, -0.001088, -0.141997, 0.000508, -0.000760, -0.047364),
        atol=1e-6,
    )
    np.testing.assert_allclose(
        columns[:, 2],
        (0.961803, -0.006010, 0.142716, 0.000480, 0.049912, -0.002381, 0.015103),
        atol=1e-6,
    )
