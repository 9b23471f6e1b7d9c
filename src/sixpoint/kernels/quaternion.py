"""Unit quaternions (w, x, y, z) as tuples; Hamilton product, active rotations.

The functions without branches also work on tuples of arrays, component by component; `arrays.py`
uses them so.
"""

from __future__ import annotations

import math

from ._jit import helper
from .types import Floats, Mat3, Quat, Vec3
from .vector import vec_dot, vec_length, vec_scale

SMALL_ANGLE = 1e-8
"""Below this half-angle sin(x)/x is 1 to the last bit [rad]."""


NO_NORM = 1e-150
"""Below this the squares of the components vanish, and with them the norm."""


@helper
def quat_load(rows: Floats, i: int) -> Quat:
    """Row i of an array (N, 4)."""
    return (float(rows[i, 0]), float(rows[i, 1]), float(rows[i, 2]), float(rows[i, 3]))


@helper
def quat_store(rows: Floats, i: int, q: Quat) -> None:
    """Write row i of an array (N, 4)."""
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = q


@helper
def quat_mul(a: Quat, b: Quat) -> Quat:
    """Product of two rotations: b first, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@helper
def quat_conj(q: Quat) -> Quat:
    """The opposite rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@helper
def quat_rotate(q: Quat, v: Vec3) -> Vec3:
    """Rotate a vector: v + 2w(u x v) + 2u x (u x v), without building a matrix."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@helper
def quat_unrotate(q: Quat, v: Vec3) -> Vec3:
    """Rotate a vector by the opposite rotation."""
    return quat_rotate(quat_conj(q), v)


@helper
def quat_dot(a: Quat, b: Quat) -> float:
    """Scalar product in four dimensions: the cosine of half the angle between them."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@helper
def quat_normalize(q: Quat) -> Quat:
    """The quaternion at unit length; the zero quaternion becomes the identity."""
    norm = math.sqrt(quat_dot(q, q))
    if norm < NO_NORM:
        return (1.0, 0.0, 0.0, 0.0)
    return (q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm)


@helper
def quat_canonical(q: Quat) -> Quat:
    """Quaternion with the sign that makes its first non-zero component positive."""
    for c in q:
        if c > 0.0:
            return q
        if c < 0.0:
            return (-q[0], -q[1], -q[2], -q[3])
    return q


@helper
def quat_from_axis_angle(axis: Vec3, angle: float) -> Quat:
    """Rotation about a unit axis [rad]."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


@helper
def quat_from_rotvec(v: Vec3) -> Quat:
    """Exponential map: rotation by |v| about v."""
    half = 0.5 * vec_length(v)
    # sin(half) / |v|; the quotient is lost to 0/0 at the identity.
    s = 0.5 if half < SMALL_ANGLE else math.sin(half) / (2.0 * half)
    return (math.cos(half), s * v[0], s * v[1], s * v[2])


@helper
def quat_to_rotvec(q: Quat) -> Vec3:
    """Rotation vector of the shorter way, full angle in [0, pi]; the same for q and -q."""
    c = quat_canonical(q)
    v = (c[1], c[2], c[3])
    s = vec_length(v)
    # 2 atan2(s, w) / s tends to 2 / w = 2 at the identity.
    return vec_scale(v, 2.0 if s < SMALL_ANGLE else 2.0 * math.atan2(s, c[0]) / s)


@helper
def quat_angle(a: Quat, b: Quat) -> float:
    """Angle of the rotation between two orientations [rad], in [0, pi]."""
    d = quat_mul(quat_conj(a), b)
    return 2.0 * math.atan2(vec_length((d[1], d[2], d[3])), abs(d[0]))


@helper
def quat_from_columns(m: Mat3) -> Quat:
    """Rotation that takes X, Y, Z to three orthonormal columns.

    Of the four equivalent formulas, takes the one with the largest component under the root.
    """
    (m00, m10, m20), (m01, m11, m21), (m02, m12, m22) = m
    trace = m00 + m11 + m22
    if trace >= m00 and trace >= m11 and trace >= m22:
        q = (1.0 + trace, m21 - m12, m02 - m20, m10 - m01)
    elif m00 >= m11 and m00 >= m22:
        q = (m21 - m12, 1.0 + m00 - m11 - m22, m10 + m01, m02 + m20)
    elif m11 >= m22:
        q = (m02 - m20, m10 + m01, 1.0 - m00 + m11 - m22, m21 + m12)
    else:
        q = (m10 - m01, m02 + m20, m21 + m12, 1.0 - m00 - m11 + m22)
    return quat_normalize(q)


@helper
def quat_slerp(a: Quat, b: Quat, t: float) -> Quat:
    """Constant-speed interpolation along the shorter way."""
    d = quat_mul(quat_conj(a), b)
    v = vec_scale(quat_to_rotvec(d), t)
    return quat_normalize(quat_mul(a, quat_from_rotvec(v)))


@helper
def quat_twist_angle(q: Quat, axis: Vec3) -> float:
    """Angle about a unit axis in the swing-twist split, in (-pi, pi]; 0 where undefined."""
    w = q[0]
    along = vec_dot((q[1], q[2], q[3]), axis)
    if abs(along) < 1e-15 and abs(w) < 1e-15:
        return 0.0  # the bone points backwards: every twist is as good
    if w < 0.0:
        w, along = -w, -along  # of q and -q the one with the shorter twist
    angle = 2.0 * math.atan2(along, w)
    return math.pi if angle <= -math.pi else angle
