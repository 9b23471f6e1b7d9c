"""Small linear algebra on tuples: eigenvectors of symmetric 3x3 and 4x4 matrices.

Cyclic Jacobi: every step takes two columns of the present basis, looks at the 2x2 problem that the
matrix poses in their plane, and turns them so that it becomes diagonal. The matrix itself is never
overwritten, so rounding does not accumulate in it.
"""

from __future__ import annotations

import math

from ._jit import helper
from .quaternion import quat_dot
from .types import Mat3, Mat4, Quat, Vec3
from .vector import vec_dot

MAX_SWEEPS = 30
"""A bound, not a budget: convergence is quadratic, and 4 to 6 sweeps reach the last bit."""

NEGLIGIBLE = 2.0**-52
"""Off-diagonal elements below this part of the largest element are rounding."""


@helper
def symmetric3_eigen(matrix: Mat3) -> tuple[Vec3, Mat3]:
    """Eigenvalues of a symmetric matrix, largest first, and its unit eigenvectors in that order.

    The eigenvectors are orthonormal to rounding also where eigenvalues are equal or zero; their
    signs carry no meaning.
    """
    floor = NEGLIGIBLE * max(_largest3(matrix[0]), _largest3(matrix[1]), _largest3(matrix[2]))
    a, b, c = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for _ in range(MAX_SWEEPS):
        a, b, ab = _turn3(matrix, a, b, floor)
        a, c, ac = _turn3(matrix, a, c, floor)
        b, c, bc = _turn3(matrix, b, c, floor)
        if not (ab or ac or bc):
            break
    x, y, z = _form3(matrix, a, a), _form3(matrix, b, b), _form3(matrix, c, c)
    if x < y:
        x, y, a, b = y, x, b, a
    if y < z:
        y, z, b, c = z, y, c, b
    if x < y:
        x, y, a, b = y, x, b, a
    return (x, y, z), (a, b, c)


@helper
def symmetric4_largest(matrix: Mat4) -> tuple[float, Quat]:
    """Largest eigenvalue of a symmetric matrix and a unit eigenvector, whose sign means nothing."""
    floor = NEGLIGIBLE * max(
        _largest4(matrix[0]), _largest4(matrix[1]), _largest4(matrix[2]), _largest4(matrix[3])
    )
    a, b, c, d = (
        (1.0, 0.0, 0.0, 0.0),
        (0.0, 1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0, 1.0),
    )
    for _ in range(MAX_SWEEPS):
        a, b, ab = _turn4(matrix, a, b, floor)
        a, c, ac = _turn4(matrix, a, c, floor)
        a, d, ad = _turn4(matrix, a, d, floor)
        b, c, bc = _turn4(matrix, b, c, floor)
        b, d, bd = _turn4(matrix, b, d, floor)
        c, d, cd = _turn4(matrix, c, d, floor)
        if not (ab or ac or ad or bc or bd or cd):
            break
    best, value = a, _form4(matrix, a, a)
    for column in (b, c, d):
        candidate = _form4(matrix, column, column)
        if candidate > value:
            best, value = column, candidate
    return value, best


@helper
def _jacobi_angle(pp: float, qq: float, pq: float) -> tuple[float, float]:
    """Cosine and sine of the smaller turn that makes ((pp, pq), (pq, qq)) diagonal; pq not 0."""
    zeta = (qq - pp) / (2.0 * pq)
    t = 1.0 / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    if zeta < 0.0:
        t = -t
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    return cosine, t * cosine


@helper
def _turn3(m: Mat3, p: Vec3, q: Vec3, floor: float) -> tuple[Vec3, Vec3, bool]:
    pq = _form3(m, p, q)
    if abs(pq) <= floor:
        return p, q, False
    k, s = _jacobi_angle(_form3(m, p, p), _form3(m, q, q), pq)
    return (
        (k * p[0] - s * q[0], k * p[1] - s * q[1], k * p[2] - s * q[2]),
        (s * p[0] + k * q[0], s * p[1] + k * q[1], s * p[2] + k * q[2]),
        True,
    )


@helper
def _turn4(m: Mat4, p: Quat, q: Quat, floor: float) -> tuple[Quat, Quat, bool]:
    pq = _form4(m, p, q)
    if abs(pq) <= floor:
        return p, q, False
    k, s = _jacobi_angle(_form4(m, p, p), _form4(m, q, q), pq)
    return (
        (k * p[0] - s * q[0], k * p[1] - s * q[1], k * p[2] - s * q[2], k * p[3] - s * q[3]),
        (s * p[0] + k * q[0], s * p[1] + k * q[1], s * p[2] + k * q[2], s * p[3] + k * q[3]),
        True,
    )


@helper
def _form3(m: Mat3, a: Vec3, b: Vec3) -> float:
    return vec_dot(a, (vec_dot(m[0], b), vec_dot(m[1], b), vec_dot(m[2], b)))


@helper
def _form4(m: Mat4, a: Quat, b: Quat) -> float:
    return quat_dot(a, (quat_dot(m[0], b), quat_dot(m[1], b), quat_dot(m[2], b), quat_dot(m[3], b)))


@helper
def _largest3(v: Vec3) -> float:
    return max(abs(v[0]), abs(v[1]), abs(v[2]))


@helper
def _largest4(v: Quat) -> float:
    return max(abs(v[0]), abs(v[1]), abs(v[2]), abs(v[3]))
