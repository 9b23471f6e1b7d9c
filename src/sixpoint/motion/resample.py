"""The same movement at another frame rate.

Frame k of the result is the movement at time k / rate: the first frame is kept, nothing is invented
beyond the last one, so that the length in seconds stays the same to within one frame. Frames that
fall on a frame of the input are copied bit for bit. There is no smoothing: going down, frames are
picked, not averaged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from .points import Points
from .pose import STRIPE

if TYPE_CHECKING:
    from .motion import Motion

SNAP = 1e-6
"""Fraction of a frame: times nearer than this to an input frame take that frame."""


def resample(motion: Motion, rate: float) -> Motion:
    """A motion at another rate [Hz]: rotations slerped, positions interpolated linearly."""
    if rate == motion.rate:
        return motion
    below, part = _sample_times(len(motion), motion.rate, rate)
    rotations = np.empty((len(below), *motion.rotations.shape[1:]))
    for f in range(0, len(below), STRIPE):
        stripe = slice(f, f + STRIPE)
        rotations[stripe] = _slerped(motion.rotations, below[stripe], part[stripe])
    moves = motion.translations
    return replace(
        motion,
        root=_linear(motion.root, below, part),
        rotations=rotations,
        translations=None if moves is None else _linear(moves, below, part),
        rate=rate,
    )


def resample_points(points: Points, rate: float) -> Points:
    """Points at another rate [Hz]; a sample next to a missing point is missing too."""
    if rate == points.rate:
        return points
    below, part = _sample_times(len(points), points.rate, rate)
    turns, confidence = points.rotations, points.confidence
    return replace(
        points,
        positions=_linear(points.positions, below, part),
        rotations=None if turns is None else _slerped(turns, below, part),
        confidence=None if confidence is None else _linear(confidence, below, part),
        rate=rate,
    )


def _sample_times(frames: int, old: float, new: float) -> tuple[Ints, Floats]:
    """For each new frame: the old frame at or before it, and how far towards the next, [0, 1)."""
    if not (np.isfinite(new) and new > 0.0):
        raise InputError(f"Expected a positive `rate` in Hz, got {new}.")
    if frames == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    count = int(np.floor((frames - 1) * new / old + SNAP)) + 1
    at = np.arange(count) * (old / new)
    whole = np.round(at)
    at = np.where(np.abs(at - whole) < SNAP, whole, at)
    below = np.minimum(np.floor(at).astype(np.int64), frames - 1)
    return below, at - below


def _linear(values: Floats, below: Ints, part: Floats) -> Floats:
    out = values[below]
    between = part > 0.0
    start = out[between]
    weight = part[between].reshape(-1, *[1] * (values.ndim - 1))
    out[between] = start + weight * (values[below[between] + 1] - start)
    return out


def _slerped(values: Floats, below: Ints, part: Floats) -> Floats:
    out = values[below]
    between = part > 0.0
    out[between] = arrays.slerp(out[between], values[below[between] + 1], part[between][:, None])
    return out
