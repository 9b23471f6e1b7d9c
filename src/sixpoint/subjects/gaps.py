"""Gaps of tracked points: bridged by a reconstruction, so that no point comes back with a jump.

A solver that goes from frame to frame guesses where an unseen point is, and does not know where it
will come back. Once the clip is solved, the guess can be led there. Solving again with what is
found takes the whole body along.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.types import Bools, Floats
from ..motion.motion import Motion
from ..motion.points import Points

SHORT = 0.6
"""Gaps up to this are bridged by a curve that goes on with the speed before and after [s]."""
LONGEST = 1.0
"""The guess of the solver is led to where a point comes back during so much of the gap [s]."""
SPEED_TIME = 0.03
"""Time over which the speeds before and after a gap are measured [s]."""


def has_gaps(points: Points) -> bool:
    """Return whether a point was seen, then not, then again."""
    seen = points.seen
    ever = np.cumsum(seen, axis=0) > 0
    return bool((seen[1:] & ~seen[:-1] & ever[:-1]).any())


def curved(points: Points) -> Points:
    """Return points whose short gaps are bridged by a curve, relative to the pelvis if it is seen.

    Args:
        points: NaN where a point was not seen.
    """
    positions, seen, rate = points.positions.copy(), points.seen, points.rate
    base = np.zeros((len(points), 3))
    if "pelvis" in points.names:
        base = _curve(positions[:, points.names.index("pelvis")], rate)
    for k in range(len(points.names)):
        # Where the pelvis is not known there is no place relative to it.
        found = _curve(positions[:, k] - base, rate) + base
        positions[:, k] = np.where(seen[:, k, None], positions[:, k], found)
        positions[:, k] = _curve(positions[:, k], rate)
    return replace(points, positions=positions)


def bridged(points: Points, motion: Motion) -> Points:
    """Return points whose gaps are bridged by what a reconstruction makes of them.

    In the last second before a point comes back the way of the reconstructed point is bent, more
    and more, until it meets the place where the point comes back. What is before stays unseen.

    Args:
        points: NaN where a point was not seen.
        motion: their reconstruction, with as many frames.
    """
    guess = motion.points(points.names).positions
    positions, seen = points.positions.copy(), points.seen
    longest = max(2, round(LONGEST * points.rate))
    for k in range(len(points.names)):
        for last, back in _gaps(seen[:, k]):
            start = max(last + 1, back - longest)
            there = points.positions[back, k]
            if back + 1 < len(points) and seen[back + 1, k]:
                there = 2.0 * there - points.positions[back + 1, k]  # a frame before it is back
            part = np.arange(1, back - start + 1) / (back - start)
            share = part * part * (3.0 - 2.0 * part)
            away = there - guess[back - 1, k]
            positions[start:back, k] = guess[start:back, k] + share[:, None] * away
    return replace(points, positions=positions)


def _gaps(seen: Bools) -> list[tuple[int, int]]:
    """Return the last frame before each gap and the first after it; none at the ends of a clip."""
    known = np.flatnonzero(seen)
    wide = np.flatnonzero(np.diff(known) > 1)
    return [(int(known[k]), int(known[k + 1])) for k in wide]


def _curve(track: Floats, rate: float) -> Floats:
    """Return a track (F, 3) with cubic curves in its short gaps, with the speeds at both ends."""
    out = track.copy()
    seen = np.asarray(np.isfinite(track).all(axis=1))
    span = max(1, round(SPEED_TIME * rate))

    def speed(first: int, last: int) -> Floats:
        if first < 0 or last >= len(track) or not seen[first : last + 1].all():
            return np.zeros(3)
        return np.asarray((track[last] - track[first]) / (last - first))

    for last, back in _gaps(seen):
        length = back - last
        if length > SHORT * rate:
            continue
        before, after = speed(last - span, last), speed(back, back + span)
        t = (np.arange(1, length) / length)[:, None]
        out[last + 1 : back] = (
            (1.0 + 2.0 * t) * (1.0 - t) ** 2 * track[last]
            + t * (1.0 - t) ** 2 * length * before
            + t * t * (3.0 - 2.0 * t) * track[back]
            - t * t * (1.0 - t) * length * after
        )
    return out
