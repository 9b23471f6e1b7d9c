"""Small linear algebra on tuples: the largest eigenvector of a symmetric 4x4 matrix.

Cyclic Jacobi: every step takes two columns of the present basis, looks at the 2x2 problem that the
matrix poses in their plane, and rotates them so that it becomes diagonal. The matrix itself is
never overwritten, so rounding does not accumulate in it.
"""

from __future__ import annotations

import math

from ._jit import helper
from .quaternion import quat_dot
from .types import Mat4, Quat

MAX_SWEEPS = 30
"""A bound, not a budget: convergence is quadratic, and 4 to 6 sweeps reach the last bit."""

NEGLIGIBLE = 2.0**-52
"""Off-diagonal elements below this part of the largest element are rounding."""


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
    """Cosine and sine of the smaller rotation that diagonalises ((pp, pq), (pq, qq)); pq not 0."""
    zeta = (qq - pp) / (2.0 * pq)
    t = 1.0 / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    if zeta < 0.0:
        t = -t
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    return cosine, t * cosine


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
def _form4(m: Mat4, a: Quat, b: Quat) -> float:
    return quat_dot(a, (quat_dot(m[0], b), quat_dot(m[1], b), quat_dot(m[2], b), quat_dot(m[3], b)))


@helper
def _largest4(v: Quat) -> float:
    return max(abs(v[0]), abs(v[1]), abs(v[2]), abs(v[3]))
