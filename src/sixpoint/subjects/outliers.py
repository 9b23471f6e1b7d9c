"""Samples that no body can have made: tracked points that jump away and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.types import Bools, Floats, Ints
from ..motion.points import Points

LARGEST_SPEED = 25.0
"""No part of a person is faster [m/s]: kicks and punches reach 15 in real clips, throws 20."""
LARGEST_CHANGE = 20.0
"""No part of a person changes its velocity by more from one sample to the next [m/s]: 16 in real
clips, where a blow meets a target."""
SLACK = 0.03
"""How far noise alone may move a sample [m]."""
LEAP_COST = 0.5
"""A leap out of reach is believed if it saves more samples than those of this time [s]: the room
was moved, or one end of a stray stretch cannot be seen."""
STRETCHES_BACK = 200
"""How many stretches before it a stretch may continue, which bounds the search."""


def find_outliers(points: Points) -> Bools:
    """Return which samples no body can have made, shape (F, N).

    The samples of each point are cut where they jump farther than a body could move in that time.
    Of the stretches between jumps, those that can follow each other and hold most samples are kept;
    the others are outliers, as are single samples far off the way between their neighbours.

    Args:
        points: positions in metres; NaN where a point was not seen.
    """
    out = np.zeros(points.seen.shape, bool)
    for k in range(len(points.names)):
        frames = np.flatnonzero(points.seen[:, k])
        if len(frames) < 3:
            continue
        way = points.positions[frames, k]
        wrong = _spikes(way, frames, points.rate)
        # A spike between others hides them: look again without it.
        wrong[~wrong] = _off_the_way(way[~wrong], frames[~wrong], points.rate)
        out[frames[wrong], k] = True
    return out


def longest_gaps(points: Points) -> dict[str, float]:
    """Return for how long each point was not seen at a time, at most [s]."""
    out = {}
    for name, seen in zip(points.names, points.seen.T, strict=True):
        ends = np.flatnonzero(np.concatenate([[True], seen, [True]]))
        out[name] = float(np.diff(ends).max() - 1) / points.rate
    return out


def without(points: Points, wrong: Bools) -> Points:
    """Return points in which some samples (F, N) were not seen, rotations included."""
    if not wrong.any():
        return points
    positions = np.where(wrong[..., None], np.nan, points.positions)
    rotations, confidence = points.rotations, points.confidence
    if rotations is not None:
        rotations = np.where(wrong[..., None], np.nan, rotations)
    if confidence is not None:
        confidence = np.where(wrong, 0.0, confidence)
    return replace(points, positions=positions, rotations=rotations, confidence=confidence)


def _spikes(way: Floats, frames: Ints, rate: float) -> Bools:
    """Return which samples (n, 3) stick out between neighbours that are close to each other."""
    before, after = np.diff(frames)[:-1] / rate, np.diff(frames)[1:] / rate
    part = (before / (before + after))[:, None]
    middle = way[:-2] + part * (way[2:] - way[:-2])
    off = np.linalg.norm(way[1:-1] - middle, axis=1)
    allowed = LARGEST_CHANGE * before * after / (before + after) + SLACK
    # The sample beside a stray one seems to stick out, too, but its neighbours are far apart.
    apart = np.linalg.norm(way[2:] - way[:-2], axis=1)
    out = np.zeros(len(way), bool)
    out[1:-1] = (off > allowed) & (off > apart)
    return out


def _off_the_way(way: Floats, frames: Ints, rate: float) -> Bools:
    """Return which samples (n, 3) are not in the longest course that a body can follow."""
    reach = LARGEST_SPEED * np.diff(frames) / rate + SLACK
    cuts = np.flatnonzero(np.linalg.norm(np.diff(way, axis=0), axis=1) > reach) + 1
    out = np.zeros(len(way), bool)
    if not len(cuts):
        return out
    begins, ends = np.append(0, cuts), np.append(cuts, len(way))
    # Samples of the best course that ends with each stretch, less what its leaps cost.
    total = (ends - begins).astype(np.float64)
    previous = np.full(len(begins), -1)
    leap = max(2.0, LEAP_COST * rate)
    for j in range(1, len(begins)):
        earlier = np.arange(max(0, j - STRETCHES_BACK), j)
        last = ends[earlier] - 1
        gap = np.linalg.norm(way[begins[j]] - way[last], axis=1)
        time = (frames[begins[j]] - frames[last]) / rate
        worth = total[earlier] - np.where(gap <= LARGEST_SPEED * time + SLACK, 0.0, leap)
        best = int(np.argmax(worth))
        if worth[best] > 0.0:
            total[j] += worth[best]
            previous[j] = earlier[best]
    out[:] = True
    stretch = int(np.argmax(total))
    while stretch >= 0:
        out[begins[stretch] : ends[stretch]] = False
        stretch = int(previous[stretch])
    return out


def find_exchange(points: Points) -> tuple[str, str, int] | None:
    """Return two points that change places from one frame to the next, and the frame; or None."""
    positions, rate = points.positions, points.rate
    if len(points) < 2:
        return None
    reach = LARGEST_SPEED / rate + SLACK
    step = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
    for frame, one in np.argwhere(step > reach):
        away = np.linalg.norm(positions[frame + 1] - positions[frame, one], axis=1)
        back = np.linalg.norm(positions[frame + 1, one] - positions[frame], axis=1)
        both = np.flatnonzero((away <= reach) & (back <= reach) & (step[frame] > reach))
        if len(both):
            return points.names[one], points.names[int(both[0])], int(frame) + 1
    return None
