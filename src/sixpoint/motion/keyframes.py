"""Smooth curves through keys, the way people move: at ease out of a rest and into the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from ..kernels.types import Floats

STEEPEST = 2.4
"""Velocity at a key over the smaller of the mean velocities on its two sides: a piece that starts
at rest overshoots from 2.5 on."""


def curve(times: Floats, keys: Mapping[float, float]) -> Floats:
    """Values at `times` (F,) [s] of the curve through keys (time [s] -> value).

    It rests at the first and the last key and wherever the values turn or stay, and passes through
    the other keys. Pieces are quintic, with zero acceleration at the keys: from rest to rest that
    is the minimum-jerk movement (Flash and Hogan 1985). Two equal neighbours make an exactly
    constant piece; before the first and after the last key the curve is constant.
    """
    at = np.array(sorted(keys), dtype=np.float64)
    values = np.array([keys[t] for t in at], dtype=np.float64)
    if len(at) == 1:
        return np.full(len(times), values[0])
    span = np.diff(at)
    velocities = _velocities(span, np.diff(values) / span)
    piece = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(span) - 1)
    u = np.clip((times - at[piece]) / span[piece], 0.0, 1.0)
    rise = values[piece + 1] - values[piece]
    start, end = velocities[piece] * span[piece], velocities[piece + 1] * span[piece]
    cubic = 10.0 * rise - 6.0 * start - 4.0 * end
    quartic = -15.0 * rise + 8.0 * start + 7.0 * end
    quintic = 6.0 * rise - 3.0 * start - 3.0 * end
    moved = u * (start + u * u * (cubic + u * (quartic + u * quintic)))
    return values[piece] + moved


def _velocities(span: Floats, mean: Floats) -> Floats:
    """Velocity at each key, from the lengths and mean velocities of the pieces between them.

    Between rests that of the natural choice, a cubic spline with continuous acceleration; limited,
    so that nothing overshoots.
    """
    n = len(span) + 1
    system, right = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        if mean[k - 1] * mean[k] > 0.0:
            before, after = 1.0 / span[k - 1], 1.0 / span[k]
            system[k, k - 1 : k + 2] = before, 2.0 * (before + after), after
            right[k] = 3.0 * (before * mean[k - 1] + after * mean[k])
    velocities = np.linalg.solve(system, right)
    least = np.minimum(np.abs(mean[:-1]), np.abs(mean[1:])) * STEEPEST
    velocities[1:-1] = np.clip(velocities[1:-1], -least, least)
    return cast("Floats", velocities)
