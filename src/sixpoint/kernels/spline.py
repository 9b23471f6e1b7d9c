"""Cubic splines through a few points of a closed curve: fitted in NumPy, evaluated in kernels.

A spline of K knots has K - 1 pieces. Row i of its coefficients, shape (K - 1, 4), holds ascending
powers of the distance from the knot on the left: ``c0 + c1 t + c2 t^2 + c3 t^3``, t = x - x_i.
Column 1 is therefore the slope at each knot.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ._jit import helper
from .types import Floats


@helper
def spline_eval(knots: Floats, coefficients: Floats, x: float) -> float:
    """Value at x; beyond the ends the outer pieces go on.

    A linear search: with the handful of knots of a joint limit it beats bisection.
    """
    i = 0
    while i + 1 < len(coefficients) and x >= knots[i + 1]:
        i += 1
    t = x - knots[i]
    return float(
        coefficients[i, 0]
        + t * (coefficients[i, 1] + t * (coefficients[i, 2] + t * coefficients[i, 3]))
    )


def closed_slope(x: ArrayLike, y: ArrayLike) -> float:
    """Slope shared by both ends of a closed curve: the mean of the outer secants.

    SIK paper Eq. (3).
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return float(0.5 * ((y[1] - y[0]) / (x[1] - x[0]) + (y[-1] - y[-2]) / (x[-1] - x[-2])))


def fit_clamped(x: ArrayLike, y: ArrayLike, slope: float) -> Floats:
    """C2 inside, with a given slope at both ends.

    With `closed_slope` this is the boundary of the SIK paper: C1 at the seam, not C2.

    Args:
        x: rising knots, shape (K,), K >= 2.
        y: values, shape (K,).
        slope: dy/dx at the first and at the last knot.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    inverse = 1.0 / np.diff(x)
    secant = np.diff(y) * inverse
    matrix = np.eye(len(x))
    right = np.full(len(x), slope)
    for i in range(1, len(x) - 1):
        left, here = inverse[i - 1], inverse[i]
        matrix[i, i - 1 : i + 2] = left, 2.0 * (left + here), here
        right[i] = 3.0 * (secant[i - 1] * left + secant[i] * here)
    return _hermite(x, y, np.linalg.solve(matrix, right))


def fit_periodic(x: ArrayLike, y: ArrayLike) -> Floats:
    """C2 everywhere, the seam included.

    Args:
        x: rising knots over one period, shape (K,), K >= 2.
        y: values, shape (K,), the last equal to the first.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    inverse = 1.0 / np.diff(x)
    secant = np.diff(y) * inverse
    n = len(x) - 1
    matrix = np.zeros((n, n))
    right = np.zeros(n)
    for i in range(n):
        left, here = inverse[i - 1], inverse[i]
        # Added, not set: with one or two pieces both neighbours are the same knot.
        matrix[i, (i - 1) % n] += left
        matrix[i, i] += 2.0 * (left + here)
        matrix[i, (i + 1) % n] += here
        right[i] = 3.0 * (secant[i - 1] * left + secant[i] * here)
    slopes = np.linalg.solve(matrix, right)
    return _hermite(x, y, np.append(slopes, slopes[0]))


def fit_pchip(x: ArrayLike, y: ArrayLike) -> Floats:
    """C1 and without overshoot: between two knots the curve stays between their values.

    Fritsch and Butland's slopes, as in PCHIP; the seam is treated like any other knot.

    Args:
        x: rising knots over one period, shape (K,), K >= 2.
        y: values, shape (K,), the last equal to the first.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    step = np.diff(x)
    secant = np.diff(y) / step
    slopes = np.zeros(len(x))
    for i in range(len(x) - 1):
        before, after = secant[i - 1], secant[i]
        if before * after > 0.0:  # otherwise a local extreme: flat
            w1, w2 = 2.0 * step[i] + step[i - 1], step[i] + 2.0 * step[i - 1]
            slopes[i] = (w1 + w2) / (w1 / before + w2 / after)
    slopes[-1] = slopes[0]
    return _hermite(x, y, slopes)


def spline_range(
    knots: Floats, coefficients: Floats, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float]:
    """Least and greatest value between low and high, where they meet the knots' range."""
    values = []
    for left, right, (c0, c1, c2, c3) in zip(
        knots[:-1].tolist(), knots[1:].tolist(), coefficients.tolist(), strict=True
    ):
        start, end = max(low, left) - left, min(high, right) - left
        if start > end:
            continue
        turns = [t for t in _turning_points(c1, c2, c3) if start < t < end]
        values += [c0 + t * (c1 + t * (c2 + t * c3)) for t in (start, end, *turns)]
    return min(values), max(values)


def _turning_points(c1: float, c2: float, c3: float) -> list[float]:
    """Roots of c1 + 2 c2 t + 3 c3 t^2, without cancellation."""
    square = c2 * c2 - 3.0 * c1 * c3
    if square < 0.0:
        return []
    sum_of_two = -(c2 + math.copysign(math.sqrt(square), c2))
    turns = [sum_of_two / (3.0 * c3)] if c3 != 0.0 else []
    return turns + ([c1 / sum_of_two] if sum_of_two != 0.0 else [])


def _hermite(x: Floats, y: Floats, slopes: Floats) -> Floats:
    """Pieces with given values and slopes at the knots."""
    step = np.diff(x)
    secant = np.diff(y) / step
    m0, m1 = slopes[:-1], slopes[1:]
    return np.stack(
        [y[:-1], m0, (3.0 * secant - 2.0 * m0 - m1) / step, (m0 + m1 - 2.0 * secant) / step**2],
        axis=-1,
    )
