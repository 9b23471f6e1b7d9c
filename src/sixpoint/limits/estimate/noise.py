"""How noisy are rotations? From the second differences of frames as they were recorded.

Smooth motion hardly has second differences, noise has. Frames must not have been interpolated
before: that smooths the noise away. Medians are taken, not means, because a joint that jerks now
and then is not noisy; medians of tallies, so that any number of frames needs the same memory and
the pieces in which they came do not matter.
"""

from __future__ import annotations

import numpy as np

from ...kernels.types import Floats

PER_OCTAVE = 32
"""Parts into which sizes are sorted between one and its double: steps of 2 %."""
OCTAVES = 32
"""From 4 (no second difference is larger) down to 1e-9."""
MEDIAN_CHI2 = 2.365973884375338
"""Median of the chi-squared distribution with three degrees of freedom."""
LEAST_TRIPLES = 12
"""With fewer, keys that somebody set cannot be told from noise: it counts as none."""


class Noise:
    """Tallies of the second differences of J joints."""

    def __init__(self, joints: int) -> None:
        self._tally = np.zeros((joints, OCTAVES * PER_OCTAVE), np.int64)
        self._before = np.zeros((0, joints, 4))
        self.triples = 0
        """Triples of consecutive frames so far."""

    def add(self, frames: Floats, jump: bool) -> None:
        """More frames (n, J, 4); `jump`: they do not follow on those before.

        Which frame rotations are measured in does not matter, nor do their signs.
        """
        if not jump:
            frames = np.concatenate([self._before, frames])
        self._before = frames[-2:].copy()
        if len(frames) < 3:
            return
        steps = np.sum(frames[1:] * frames[:-1], axis=-1, keepdims=True)
        signs = np.where(steps < 0.0, -1.0, 1.0)
        second = signs[:-1] * frames[:-2] + signs[1:] * frames[2:] - 2.0 * frames[1:-1]
        size = np.maximum(np.linalg.norm(second, axis=-1), 4.0 * 2.0**-OCTAVES)
        part = np.floor(PER_OCTAVE * (np.log2(size) - 2.0)).astype(np.int64)
        part = np.clip(part + OCTAVES * PER_OCTAVE, 0, OCTAVES * PER_OCTAVE - 1)
        np.add.at(self._tally, (np.arange(frames.shape[1])[None], part), 1)
        self.triples += len(second)

    def deviation(self) -> Floats:
        """Standard deviation of the noise about each axis [rad], shape (J,).

        White noise has six times its variance in second differences; three components of a
        quaternion carry it, halved.
        """
        if self.triples < LEAST_TRIPLES:
            return np.zeros(len(self._tally))
        part = (2 * np.cumsum(self._tally, axis=1) >= self.triples).argmax(axis=1)
        size = 4.0 * 2.0 ** ((part + 0.5) / PER_OCTAVE - OCTAVES)
        found = 2.0 * size / np.sqrt(6.0 * MEDIAN_CHI2)
        return np.asarray(np.where(part == 0, 0.0, found))
