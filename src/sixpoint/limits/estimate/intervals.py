"""Shortest intervals of angles on the circle that hold all samples.

Angles are periodic: the least and greatest of {170, -170} degrees say nothing. The interval that
motion covers is the circle without its largest empty gap (joint-limit paper, section 2.3).
Arrays have samples along their first axis and any shape behind it: all joints are worked on at
once.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats

TURN = 2.0 * np.pi
INSIDE = 1e-9
"""An angle this little beyond an interval is inside [rad]."""
NO_RESULTANT = 1e-6
"""Mean points nearer than this to the centre of the circle have no direction."""
BINS = 720
"""Samples in one of so many equal parts of the circle are kept as their least and greatest."""
KEPT = 512
"""Samples that are kept before they are thinned out."""


def contiguous_interval(angles: Floats) -> tuple[Floats, Floats, Floats]:
    """The circle without the largest gap between samples, Eqs. (16)-(19).

    Args:
        angles: samples (N, ...) [rad]; equal ones count as one.

    Returns:
        Least angle in (-pi, pi], greatest angle, at most a turn above it, and the gap, each (...).
    """
    if len(angles) == 0:
        raise InputError("Expected one angle or more, got none.")
    ordered = np.sort(arrays.wrap(np.asarray(angles, dtype=np.float64)), axis=0)
    gaps = np.concatenate([np.diff(ordered, axis=0), ordered[:1] + TURN - ordered[-1:]])
    before = np.argmax(gaps, axis=0)[None]
    high = np.take_along_axis(ordered, before, axis=0)[0]
    low = np.take_along_axis(ordered, (before + 1) % len(ordered), axis=0)[0]
    gap = np.take_along_axis(gaps, before, axis=0)[0]
    return low, np.where(high < low, high + TURN, high), gap


def is_within(angle: Floats, low: Floats, high: Floats) -> Bools:
    """Whether an angle, modulo whole turns, lies in an interval, Eqs. (20)-(21)."""
    beyond = np.mod(angle - low, TURN)
    beyond = np.where(beyond > TURN - INSIDE, 0.0, beyond)  # a hair below the lower end
    return np.asarray(beyond <= high - low + INSIDE)


def midpoint(low: Floats, high: Floats) -> Floats:
    """The middle of an interval, which always lies in it, Eq. (22)."""
    return arrays.wrap(np.asarray(0.5 * (low + high), dtype=np.float64))


class Coverage:
    """Angles seen so far, thinned out to those that the interval depends on.

    Of the samples in a narrow part of the circle only the outermost matter, as long as the largest
    gap is wider than that part. So any number of samples needs a bounded memory, and the interval
    is the same to the bit.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._few = np.zeros((0, *shape))
        self._ends: Floats | None = None
        """Least, and negative greatest, in each part of the circle, shape (2, columns * BINS)."""

    def add(self, angles: Floats) -> None:
        """Add samples, shape (n, ...) [rad]; NaN where there is none."""
        self._few = np.concatenate([self._few, angles]) if len(self._few) else angles
        if len(self._few) > KEPT:
            self._thin()

    def interval(self) -> tuple[Floats, Floats, Floats]:
        """See `contiguous_interval`; without any sample the point 0."""
        kept = self._few
        if self._ends is not None:
            self._thin()
            ends = self._ends.reshape(2, -1, BINS)
            kept = np.concatenate([ends[0].T, -ends[1].T]).reshape(-1, *self._shape)
            kept = np.where(np.isinf(kept), np.nan, kept)
        if not np.isnan(kept).any():
            return contiguous_interval(kept)
        kept = np.sort(kept, axis=0)  # NaN last
        first = np.nan_to_num(kept[:1])
        return contiguous_interval(np.where(np.isnan(kept), first, kept))

    def _thin(self) -> None:
        columns = math.prod(self._shape)
        angles = arrays.wrap(self._few.reshape(len(self._few), columns))
        if self._ends is None:
            self._ends = np.full((2, columns * BINS), np.inf)
        known = np.isfinite(angles)
        part = np.where(known, angles + np.pi, 0.0) * (BINS / TURN)
        at = np.minimum(part.astype(np.int64), BINS - 1) + BINS * np.arange(columns)
        at, angles = at[known], angles[known]
        np.minimum.at(self._ends[0], at, angles)
        np.minimum.at(self._ends[1], at, -angles)
        self._few = self._few[:0]
