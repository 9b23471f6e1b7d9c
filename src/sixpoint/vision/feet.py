"""Ankles from silhouettes, for solvers of whole bodies (X5): what is lowest are the feet.

The paper leaves legs out. Two legs that stand apart are two columns at the bottom of a silhouette;
the middle of each at the height of the ankles, in both pictures, makes an ankle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels.types import Floats, Ints
from .camera import Camera
from .masks import Mask
from .triangulate import misses, triangulate

BAND = (0.86, 0.93)
"""Where shanks are above the shoes, as parts of the silhouette's height from its top."""
LEAST_WIDTH = 3
"""Columns of a leg [px]."""
WORST = 3.0
"""Legs whose rays miss each other by more than this are not the same [px]."""


def leg_columns(mask: Mask) -> list[Floats]:
    """Middles (u, v) of the legs at the height of the shanks, from left to right in the picture."""
    rows = np.flatnonzero(mask.any(axis=1))
    if len(rows) < 20 or rows[-1] >= mask.shape[0] - 1:
        return []  # nobody, or feet cut off by the edge of the picture
    top, bottom = int(rows[0]), int(rows[-1])
    low, high = (top + round(part * (bottom - top)) for part in BAND)
    band = mask[low:high] > 0
    if not band.size:
        return []
    legs = []
    for first, last in _runs(band.mean(axis=0) > 0.5):
        if last - first >= LEAST_WIDTH:
            v, u = np.nonzero(band[:, first:last])
            legs.append(np.array([u.mean() + first, v.mean() + low]))
    return legs


def find_ankles(cameras: Sequence[Camera], masks: Sequence[Mask]) -> Floats:
    """Points on the left and right shank just above the ankle (2, 3) [m], NaN if not two legs."""
    legs = [leg_columns(mask) for mask in masks]
    if any(len(found) != 2 for found in legs):
        return np.full((2, 3), np.nan)
    pixels = np.array(legs)
    places = triangulate(cameras, pixels)
    if not (misses(cameras, pixels, places) <= WORST).all():
        return np.full((2, 3), np.nan)
    # A person who faces the cameras has the left leg at the right of the picture.
    return places[::-1]


def _runs(flags: Ints | Floats) -> list[tuple[int, int]]:
    """Stretches of true flags: first, and one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(flags, np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
