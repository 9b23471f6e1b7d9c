"""The centre of mass and how joints move it."""

from __future__ import annotations

import numpy as np

from sixpoint.kernels import arrays
from sixpoint.kernels.arrays import as_vec
from sixpoint.kernels.tasks import Masses, carry_masses, centre_column, mass_centre

X, Y, Z = np.eye(3)
AXES = np.array([X, Z, X, Z, X, Y, Z])
"""The trunk of Boulic et al. 2006 as one-axis joints: foot X Z, back X Z, thorax X Y Z ..."""
HEIGHTS = (0.0, 0.0, 0.95, 0.0, 0.25, 0.0, 0.0)
"""... and how far each is above the one before [m]."""
SHARE = np.array((0.0, 0.5, 0.0, 0.25, 0.0, 0.0, 0.25))
OFFSETS = np.outer((0.0, 0.7, 0.0, 0.125, 0.0, 0.0, 0.2), Y)
MASSES = Masses(SHARE, SHARE[:, None] * OFFSETS)


def placed(angles) -> tuple[np.ndarray, np.ndarray]:
    """World rotations before each joint turns and after it (7, 4), and positions (7, 3)."""
    before, after, positions = [], [], []
    rotation, position = arrays.identity(), np.zeros(3)
    for axis, height, angle in zip(AXES, HEIGHTS, angles, strict=True):
        position = position + arrays.rotate(rotation, height * Y)
        before.append(rotation)
        rotation = arrays.multiply(rotation, arrays.from_axis_angle(axis, angle))
        after.append(rotation)
        positions.append(position)
    return np.array(before), np.array(after), np.array(positions)


def test_golden_centre_of_mass():
    _, world, positions = placed(np.zeros(7))
    np.testing.assert_allclose(mass_centre(MASSES, world, positions), (0, 0.96875, 0), atol=1e-9)
    before, world, positions = placed((0.1, 0.05, -0.2, 0.1, 0.15, 0.3, -0.05))
    centre = mass_centre(MASSES, world, positions)
    np.testing.assert_allclose(centre, (-0.060202, 0.961803, 0.074629), atol=1e-6)
    carried = np.zeros((7, 4))
    carry_masses(MASSES, np.arange(-1, 6), world, positions, carried)
    np.testing.assert_allclose(carried[0], (1.0, *centre))
    axes = arrays.rotate(before, AXES)
    joints = zip(axes, positions, carried, strict=True)
    columns = np.array([centre_column(as_vec(a), as_vec(p), row) for a, p, row in joints])
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
