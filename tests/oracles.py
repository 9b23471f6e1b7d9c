"""SciPy's rotations in our component order: the second opinion of the rotation tests."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from sixpoint.kernels.quaternion import (
    quat_canonical,
    quat_from_axis_angle,
    quat_mul,
    quat_rotate,
    quat_twist_angle,
)
from sixpoint.kernels.types import Mat3, Quat, Vec3
from sixpoint.kernels.vector import vec_add, vec_cross, vec_dot, vec_length, vec_scale

POLE = 1e-9
"""Nearer than this to a pole of the swing sphere, directions have no azimuth [rad]."""


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


def swing_polar(direction: Vec3, b: Vec3, e1: Vec3, e2: Vec3) -> tuple[float, float]:
    """Azimuth theta in (-pi, pi] and amplitude psi in [0, pi] of a direction seen from b [rad].

    b, e1, e2 are orthonormal; theta runs from e1 towards e2 and is 0 at both poles.
    """
    psi = math.atan2(vec_length(vec_cross(b, direction)), vec_dot(b, direction))
    if psi < POLE or psi > math.pi - POLE:
        return 0.0, psi
    return math.atan2(vec_dot(direction, e2), vec_dot(direction, e1)), psi


def swing_from_polar(theta: float, psi: float, b: Vec3, e1: Vec3, e2: Vec3) -> Quat:
    """Swing that takes b to the direction with azimuth theta and amplitude psi [rad]."""
    towards = vec_add(vec_scale(e1, math.cos(theta)), vec_scale(e2, math.sin(theta)))
    return quat_from_axis_angle(vec_cross(b, towards), psi)


def quat_to_columns(q: Quat) -> Mat3:
    """Return the images of X, Y and Z."""
    x, y, z = np.eye(3).tolist()
    return quat_rotate(q, tuple(x)), quat_rotate(q, tuple(y)), quat_rotate(q, tuple(z))


def swing_twist_split(q: Quat, axis: Vec3) -> tuple[Quat, float]:
    """Split q = swing * twist about a unit axis: the swing, and the angle of the twist [rad]."""
    angle = quat_twist_angle(q, axis)
    return quat_canonical(quat_mul(q, quat_from_axis_angle(axis, -angle))), angle
