"""SciPy's rotations in our component order: the second opinion of the rotation tests."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from sixpoint.kernels.types import Quat


def scipy_rotation(q: ArrayLike) -> Rotation:
    """From (w, x, y, z) to SciPy's (x, y, z, w)."""
    return Rotation.from_quat(np.roll(np.asarray(q, dtype=np.float64), -1, axis=-1))


def quaternions(rotation: Rotation) -> np.ndarray:
    """From SciPy back to (w, x, y, z)."""
    return np.roll(rotation.as_quat(), 1, axis=-1)


def negative(q: Quat) -> Quat:
    """The same rotation, with the other sign."""
    return (-q[0], -q[1], -q[2], -q[3])


def euler_angles(rotation: Rotation, order: str) -> np.ndarray:
    """SciPy's angles; it warns in gimbal lock, where its choice (third angle zero) is also ours."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Gimbal lock", category=UserWarning)
        return rotation.as_euler(order)


def assert_same_rotation(a: ArrayLike, b: ArrayLike, atol: float = 1e-12) -> None:
    """Equal up to the sign of each quaternion."""
    a, b = np.asarray(a), np.asarray(b)
    gap = np.minimum(np.abs(a - b).max(axis=-1), np.abs(a + b).max(axis=-1))
    assert gap.max(initial=0.0) <= atol, f"{a} and {b} differ by {gap.max()}"


def assert_same_angle(a: ArrayLike, b: ArrayLike, atol: float = 1e-12) -> None:
    """Equal up to whole turns."""
    d = np.asarray(a) - np.asarray(b)
    gap = np.abs(np.arctan2(np.sin(d), np.cos(d)))
    assert gap.max(initial=0.0) <= atol, f"{a} and {b} differ by {gap.max()}"
