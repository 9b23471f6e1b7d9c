"""Steps by singular values: pseudo-inverse, damped, selectively damped."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.types import Floats


@helper
def filtered_step(
    u: Floats,
    v: Floats,
    sigma: Floats,
    m: int,
    d: int,
    asked: Floats,
    damping: float,
    cut: float,
    step: Floats,
) -> None:
    """Step = sum of s / (s^2 + damping^2) (u . e) v over the singular values above the cut.

    Without damping this is the pseudo-inverse (`cut` is a part of the largest value); with damping
    it is the same as damped least squares.
    """
    largest = 0.0
    for i in range(m):
        largest = max(largest, sigma[i])
    for k in range(d):
        step[k] = 0.0
    for i in range(m):
        if sigma[i] <= cut * largest or sigma[i] == 0.0:
            continue
        along = 0.0
        for j in range(m):
            along += u[i, j] * asked[j]
        gain = along * sigma[i] / (sigma[i] * sigma[i] + damping * damping)
        for k in range(d):
            step[k] += gain * v[i, k]


@helper
def clamp_largest(step: Floats, d: int, limit: float) -> None:
    """Scale a step so that its largest component is at most the limit."""
    largest = 0.0
    for k in range(d):
        largest = max(largest, abs(step[k]))
    if largest > limit:
        for k in range(d):
            step[k] *= limit / largest


@helper
def selective_step(
    jacobian: Floats,
    u: Floats,
    v: Floats,
    sigma: Floats,
    m: int,
    d: int,
    asked: Floats,
    most: float,
    soft: bool,
    part: Floats,
    step: Floats,
) -> None:
    """Selectively damped least squares (Buss and Kim 2005): each singular direction has its clamp.

    N: how far the tips move for a unit step along u; M: how far they would move at most. Directions
    near a singularity (N < M) are clamped harder. `soft` scales by g / (g + largest), as in the
    code that its authors distribute, instead of clamping.
    """
    for k in range(d):
        step[k] = 0.0
    for i in range(m):
        if sigma[i] <= 1e-12:
            continue
        along, reach, least = 0.0, 0.0, 0.0
        for tip in range(m // 3):
            square = 0.0
            for c in range(3):
                along += u[i, 3 * tip + c] * asked[3 * tip + c]
                square += u[i, 3 * tip + c] * u[i, 3 * tip + c]
            least += math.sqrt(square)
        for k in range(d):
            for tip in range(m // 3):
                x, y, z = jacobian[3 * tip, k], jacobian[3 * tip + 1, k], jacobian[3 * tip + 2, k]
                reach += abs(v[i, k]) * math.sqrt(x * x + y * y + z * z)
        reach /= sigma[i]
        limit = most * min(1.0, least / reach) if reach > 0.0 else most
        largest = 0.0
        for k in range(d):
            part[k] = along / sigma[i] * v[i, k]
            largest = max(largest, abs(part[k]))
        scale = 1.0
        if soft:
            scale = limit / (limit + largest)
        elif largest > limit:
            scale = limit / largest
        for k in range(d):
            step[k] += scale * part[k]
    clamp_largest(step, d, most)
