"""Frames on an even grid of time, made of samples that came when they came."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.points import Points

LONGEST_BRIDGE = 4.0
"""Between samples that are farther apart than so many usual steps, nothing was seen."""
WHOLE_RATE = 0.02
"""A rate this near to a whole number, as a part of it, is that number."""


def evenly_timed(times: Floats, points: Points) -> Points:
    """Return points on an even grid of time: positions between samples lie on straight lines.

    The rate is that of the usual (median) step of time. Rotations are interpolated along the
    shortest way. A point is seen where the samples before and after show it and are near.

    Args:
        times: when each frame of the points was sampled, increasing [s], shape (F,).
        points: the samples; their rate does not matter.

    Returns:
        The points, with a note on what was done.
    """
    steps = np.diff(times)
    if len(times) != len(points) or not len(steps) or not (steps > 0.0).all():
        raise InputError(
            f"Expected {len(points)} increasing times, two or more, got {len(times)} that are not."
        )
    usual = float(np.median(steps))
    rate = 1.0 / usual
    if abs(rate - round(rate)) <= WHOLE_RATE * rate and round(rate):
        rate = float(round(rate))
    count = int((times[-1] - times[0]) * rate + 1e-6) + 1
    at = times[0] + np.arange(count) / rate
    after = np.clip(np.searchsorted(times, at, side="left"), 1, len(times) - 1)
    before = after - 1
    part = np.clip((at - times[before]) / (times[after] - times[before]), 0.0, 1.0)
    far = times[after] - times[before] > LONGEST_BRIDGE * usual
    # A frame at a sample needs no other one.
    before = np.where(part == 1.0, after, before)
    after = np.where(part == 0.0, before, after)
    far &= (part > 0.0) & (part < 1.0)

    def between(values: Floats) -> Floats:
        share = part.reshape(-1, *[1] * (values.ndim - 1))
        out = (1.0 - share) * values[before] + share * values[after]
        out[far] = np.nan
        return np.asarray(out)

    rotations = points.rotations
    if rotations is not None:
        q = arrays.slerp(rotations[before], rotations[after], part[:, None])
        q[far] = np.nan
        rotations = q
    confidence = None if points.confidence is None else np.nan_to_num(between(points.confidence))
    note = (
        f"times are irregular, with steps of {1e3 * steps.min():.3g} to {1e3 * steps.max():.3g} "
        f"ms: resampled at {rate:g} Hz along straight lines"
    )
    lost = int(far.sum())
    if lost:
        note += (
            f"; nothing was seen in {lost} frames, in gaps of more than {LONGEST_BRIDGE:g} steps"
        )
    return Points(
        points.names, between(points.positions), rate, rotations, confidence, (*points.notes, note)
    )
