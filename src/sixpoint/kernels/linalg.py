"""Small linear algebra: an eigenvector on tuples; Cholesky and singular values in place.

Arrays are the corner of preallocated ones, with their sizes given apart: a solver whose number of
rows changes from frame to frame allocates once.
"""

from __future__ import annotations

import math

from ._jit import helper
from .quaternion import quat_dot
from .types import Floats, Mat4, Quat

MAX_SWEEPS = 30
"""A bound, not a budget: convergence is quadratic, and 4 to 6 sweeps reach the last bit."""

SVD_SWEEPS = 30
"""A bound, not a budget: 5 to 8 sweeps reach the last bits."""
SVD_ORTHOGONAL = 1e-14
"""Rows whose cosine is below this are orthogonal."""
SVD_STEEP = 1e-100
"""Below this the square of the ratio between rows would overflow."""

NEGLIGIBLE = 2.0**-52
"""Off-diagonal elements below this part of the largest element are rounding."""


@helper
def symmetric4_largest(matrix: Mat4) -> tuple[float, Quat]:
    """Largest eigenvalue of a symmetric matrix and a unit eigenvector, whose sign means nothing.

    Cyclic Jacobi: every step takes two columns of the present basis and rotates them so that the
    2x2 problem in their plane becomes diagonal. The matrix itself is never overwritten, so rounding
    does not accumulate in it.
    """
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


@helper
def cholesky_factor(a: Floats, n: int) -> bool:
    """Lower factor of a symmetric positive matrix, in place; False where it is not positive."""
    for j in range(n):
        total = a[j, j]
        for k in range(j):
            total -= a[j, k] * a[j, k]
        if not total > 0.0:
            return False
        pivot = math.sqrt(total)
        a[j, j] = pivot
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = total / pivot
    return True


@helper
def cholesky_solve(factor: Floats, n: int, b: Floats) -> None:
    """Solve with a lower factor; b becomes the solution."""
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= factor[i, k] * b[k]
        b[i] = total / factor[i, i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total -= factor[k, i] * b[k]
        b[i] = total / factor[i, i]


@helper
def gram(a: Floats, m: int, n: int, out: Floats) -> None:
    """A A^T of the corner (m, n), lower triangle."""
    for i in range(m):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += a[i, k] * a[j, k]
            out[i, j] = total


@helper
def svd_rows(a: Floats, m: int, n: int, u: Floats, v: Floats, sigma: Floats) -> None:
    """Singular value decomposition A = U^T diag(sigma) V of the corner (m, n), m rows.

    Row i of `u` (m, m) and row i of `v` (m, n) belong to sigma[i]; rows of `v` with sigma zero are
    zero. Values are not sorted. One-sided Jacobi on the rows: what is small stays accurate.
    """
    for i in range(m):
        for k in range(n):
            v[i, k] = a[i, k]
        for k in range(m):
            u[i, k] = 1.0 if i == k else 0.0
    for _ in range(SVD_SWEEPS):
        turned = False
        for p in range(m - 1):
            for q in range(p + 1, m):
                pp, qq, pq = 0.0, 0.0, 0.0
                for k in range(n):
                    pp += v[p, k] * v[p, k]
                    qq += v[q, k] * v[q, k]
                    pq += v[p, k] * v[q, k]
                # Two roots: the product of squares of tiny rows would vanish.
                if pq == 0.0 or abs(pq) <= SVD_ORTHOGONAL * math.sqrt(pp) * math.sqrt(qq):
                    continue
                turned = True
                if abs(pq) < SVD_STEEP * abs(qq - pp):
                    t = pq / (qq - pp)
                else:
                    zeta = (qq - pp) / (2.0 * pq)
                    t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = c * t
                for k in range(n):
                    x, y = v[p, k], v[q, k]
                    v[p, k], v[q, k] = c * x - s * y, s * x + c * y
                for k in range(m):
                    x, y = u[p, k], u[q, k]
                    u[p, k], u[q, k] = c * x - s * y, s * x + c * y
        if not turned:
            break
    for i in range(m):
        total = 0.0
        for k in range(n):
            total += v[i, k] * v[i, k]
        sigma[i] = math.sqrt(total)
        for k in range(n):
            v[i, k] = v[i, k] / sigma[i] if sigma[i] > 0.0 else 0.0
