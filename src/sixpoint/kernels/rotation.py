"""Ways to describe a rotation: shortest arc, swing and twist, Euler angles, intervals, mean.

Angles are in radians and finite (or NaN, which they hand on). A description never depends on the
sign of the quaternion.
"""

from __future__ import annotations

import math

from ._jit import helper
from .linalg import symmetric4_largest
from .quaternion import (
    quat_canonical,
    quat_load,
)
from .types import Floats, Quat, Vec3
from .vector import TINY, vec_cross, vec_dot, vec_length, vec_reject, vec_unit

XYZ_LOCK = 1e-9
"""Nearer than this to +-pi/2, the middle XYZ angle counts as locked [rad]. The half-angle formulas
stay exact until there."""

TWO_PI = 2.0 * math.pi


@helper
def angle_wrap(a: float) -> float:
    """The same angle in (-pi, pi]; one that lies there already is returned to the bit."""
    if -math.pi < a <= math.pi:
        return a
    r = a % TWO_PI
    return r - TWO_PI if r > math.pi else r


@helper
def circular_clamp(x: float, lo: float, hi: float) -> float:
    """Angle x, or the same angle some turns away, inside [lo, hi]; else the end that is nearer.

    The interval may lie anywhere, across the seam at pi too; lo <= hi <= lo + 2 pi.
    """
    if lo <= x <= hi:
        return x
    y = lo + (x - lo) % TWO_PI
    if y <= hi:
        return y
    return hi if y - hi <= lo + TWO_PI - y else lo


@helper
def rotation_between(a: Vec3, b: Vec3, fallback_axis: Vec3) -> Quat:
    """Smallest rotation that takes the direction of a to that of b; lengths do not matter.

    Where they are opposed every axis across a would do: the part of `fallback_axis` perpendicular
    to a decides. It says which way an overhead arm bends, so it is the caller's to give. A vector
    without direction gives the identity.
    """
    cross = vec_cross(a, b)
    dot = vec_dot(a, b)
    sine = vec_length(cross)
    scale = math.sqrt(sine * sine + dot * dot)  # |a| |b|
    if scale < TINY * TINY:
        return (1.0, 0.0, 0.0, 0.0)
    # Half angles by square roots: no trigonometry, and no cancellation on either side.
    if dot >= 0.0:
        w = math.sqrt(0.5 * (scale + dot) / scale)
        k = 0.5 / (w * scale)
        return (w, k * cross[0], k * cross[1], k * cross[2])
    half_sine = math.sqrt(0.5 * (scale - dot) / scale)
    if sine < TINY * scale:
        across = vec_reject(fallback_axis, vec_unit(a, fallback_axis))
        axis = vec_unit(across, fallback_axis)
        return (0.0, axis[0], axis[1], axis[2])
    k = half_sine / sine
    return (0.5 * sine / (half_sine * scale), k * cross[0], k * cross[1], k * cross[2])


@helper
def quat_from_euler_xyz(a: float, b: float, c: float) -> Quat:
    """Rotation Rx(a) Ry(b) Rz(c) [rad]."""
    ca, sa = math.cos(0.5 * a), math.sin(0.5 * a)
    cb, sb = math.cos(0.5 * b), math.sin(0.5 * b)
    cc, sc = math.cos(0.5 * c), math.sin(0.5 * c)
    return (
        ca * cb * cc - sa * sb * sc,
        sa * cb * cc + ca * sb * sc,
        ca * sb * cc - sa * cb * sc,
        ca * cb * sc + sa * sb * cc,
    )


@helper
def quat_to_euler_xyz(q: Quat) -> Vec3:
    """Angles of q = Rx(a) Ry(b) Rz(c) [rad]: a, c in (-pi, pi], b in [-pi/2, pi/2].

    In gimbal lock c is 0.
    """
    # With u = pi/4 + b/2:  w + y, x + z = sqrt(2) sin(u) (cos, sin)((a + c) / 2)
    #                       w - y, x - z = sqrt(2) cos(u) (cos, sin)((a - c) / 2)
    sin_u = _norm2(q[0] + q[2], q[1] + q[3])
    cos_u = _norm2(q[0] - q[2], q[1] - q[3])
    b = 2.0 * math.atan2(sin_u, cos_u) - 0.5 * math.pi
    half_sum = math.atan2(q[1] + q[3], q[0] + q[2])
    half_difference = math.atan2(q[1] - q[3], q[0] - q[2])
    if b > 0.5 * math.pi - XYZ_LOCK:
        return angle_wrap(2.0 * half_sum), b, 0.0
    if b < XYZ_LOCK - 0.5 * math.pi:
        return angle_wrap(2.0 * half_difference), b, 0.0
    return angle_wrap(half_sum + half_difference), b, angle_wrap(half_sum - half_difference)


@helper
def quat_from_zyz(phi: float, psi: float, theta: float) -> Quat:
    """Rotation Rz(phi) Ry(psi) Rz(theta) [rad]."""
    c, s = math.cos(0.5 * psi), math.sin(0.5 * psi)
    half_sum, half_difference = 0.5 * (phi + theta), 0.5 * (phi - theta)
    return (
        c * math.cos(half_sum),
        -s * math.sin(half_difference),
        s * math.cos(half_difference),
        c * math.sin(half_sum),
    )


@helper
def rotation_mean(quats: Floats, weights: Floats) -> Quat:
    """Weighted mean of rotations (N, 4), weights (N,) not negative; canonical sign.

    The eigenvector of sum w q q^T with the largest eigenvalue, to which the signs of the
    quaternions do not matter. Without any weight: the identity.
    """
    ww, wx, wy, wz = 0.0, 0.0, 0.0, 0.0
    xx, xy, xz = 0.0, 0.0, 0.0
    yy, yz, zz = 0.0, 0.0, 0.0
    for i in range(quats.shape[0]):
        weight = float(weights[i])
        w, x, y, z = quat_load(quats, i)
        ww += weight * w * w
        wx += weight * w * x
        wy += weight * w * y
        wz += weight * w * z
        xx += weight * x * x
        xy += weight * x * y
        xz += weight * x * z
        yy += weight * y * y
        yz += weight * y * z
        zz += weight * z * z
    _, q = symmetric4_largest(
        ((ww, wx, wy, wz), (wx, xx, xy, xz), (wy, xy, yy, yz), (wz, xz, yz, zz))
    )
    return quat_canonical(q)


@helper
def _norm2(a: float, b: float) -> float:
    # Not math.hypot: Python's and the compiler's differ in the last bit.
    return math.sqrt(a * a + b * b)
