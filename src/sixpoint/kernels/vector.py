"""Vectors as tuples of three floats."""

from __future__ import annotations

import math

from ._jit import helper
from .types import Floats, Vec3

TINY = 1e-9
"""Vectors shorter than this count as zero [m]: a millionth of a millimetre."""


@helper
def vec_load(rows: Floats, i: int) -> Vec3:
    """Row i of an array (N, 3)."""
    return (float(rows[i, 0]), float(rows[i, 1]), float(rows[i, 2]))


@helper
def as3(a: Floats) -> Vec3:
    """An array of three as a vector."""
    return (a[0], a[1], a[2])


@helper
def vec_store(rows: Floats, i: int, v: Vec3) -> None:
    """Write row i of an array (N, 3)."""
    rows[i, 0], rows[i, 1], rows[i, 2] = v


@helper
def vec_add(a: Vec3, b: Vec3) -> Vec3:
    """Sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@helper
def vec_sub(a: Vec3, b: Vec3) -> Vec3:
    """Difference a - b: the way from b to a."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@helper
def vec_scale(a: Vec3, s: float) -> Vec3:
    """Multiple of a vector."""
    return (a[0] * s, a[1] * s, a[2] * s)


@helper
def vec_dot(a: Vec3, b: Vec3) -> float:
    """Scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def vec_cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product of two vectors, right-handed."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@helper
def vec_length(a: Vec3) -> float:
    """Euclidean length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@helper
def vec_distance(a: Vec3, b: Vec3) -> float:
    """Distance between two points."""
    return vec_length(vec_sub(a, b))


@helper
def vec_unit(a: Vec3, fallback: Vec3) -> Vec3:
    """Direction of a vector; `fallback` where it has none."""
    length = vec_length(a)
    if length < TINY:
        return fallback
    return vec_scale(a, 1.0 / length)


@helper
def vec_reject(a: Vec3, axis: Vec3) -> Vec3:
    """The part of a perpendicular to a unit axis."""
    along = vec_dot(a, axis)
    return (a[0] - along * axis[0], a[1] - along * axis[1], a[2] - along * axis[2])


@helper
def vec_angle(a: Vec3, b: Vec3) -> float:
    """Angle between two vectors [rad], exact near 0 and pi where acos is not."""
    return math.atan2(vec_length(vec_cross(a, b)), vec_dot(a, b))
