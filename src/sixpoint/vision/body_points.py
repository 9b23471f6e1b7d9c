"""Points of the body from hands, face and silhouettes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels.types import Floats, Ints
from .blobs import Ellipse
from .camera import Camera, misses, triangulate
from .images import Mask

LONGEST = 0.14
"""A wrist is not farther from the middle of the hand than this [m]."""
STEEP = 0.9
"""An elbow whose picture lies within this part of the hand's outline points at the camera: the cut
says nothing."""
WORST_CUT = 4.0
"""Cuts whose rays miss each other by more than this are not the same point [px]."""
HALF_HAND = 0.09
"""Wrist to middle of the hand, where no outline tells [m]."""


def find_wrist(
    cameras: Sequence[Camera],
    ellipses: Sequence[Ellipse],
    hand: Floats,
    elbow: Floats,
    half: float = HALF_HAND,
) -> tuple[Floats, float]:
    """Where a wrist is.

    Args:
        cameras: the two views.
        ellipses: outline of the hand in each.
        hand: middle of the hand [m], shape (3,).
        elbow: where the elbow was, or should be [m], shape (3,).
        half: from the wrist to the middle of the hand, where the pictures do not tell [m].

    Returns:
        Place (3,) [m] and confidence: 1 where both lines cut the outline, 0.5 where one passes by
        it, 0.2 where only the elbow's direction is known.
    """
    cuts, sure = [], 1.0
    for camera, ellipse in zip(cameras, ellipses, strict=True):
        line = camera.project(np.stack([elbow, hand]))
        if not np.isfinite(line).all() or ellipse.reach(line[0]) < 1.0 / STEEP:
            return towards(hand, elbow, half), 0.2
        # Through the ellipse's own middle: the smoothed hand lags behind it.
        cut, _, meets = ellipse.crossing(line[0], line[1] + (np.array(ellipse.centre) - line[1]))
        cuts.append(cut)
        sure = sure if meets else 0.5
    pixels = np.array(cuts)[:, None]
    place = triangulate(cameras, pixels)
    miss = float(misses(cameras, pixels, place).max())
    away = float(np.linalg.norm(place[0] - hand))
    if not (miss <= WORST_CUT and away <= LONGEST):
        return towards(hand, elbow, half), 0.2
    return place[0], sure


def towards(hand: Floats, elbow: Floats, half: float) -> Floats:
    """The place `half` metres from a hand towards its elbow (3,)."""
    way = elbow - hand
    length = float(np.linalg.norm(way))
    return hand if length < 1e-9 else np.asarray(hand + way * (half / length))


def guess_elbows(
    shoulders: Floats, hands: Floats, upper: float, lower: float, down: Floats
) -> Floats:
    """Elbows (2, 3) that hang below the line from shoulder to hand, as far as lengths allow.

    Args:
        shoulders: (2, 3) [m].
        hands: (2, 3) [m].
        upper: length of the upper arm [m].
        lower: from the elbow to the middle of the hand [m].
        down: where elbows hang (3,).
    """
    out = np.empty((2, 3))
    for side in range(2):
        way = hands[side] - shoulders[side]
        d = float(np.linalg.norm(way))
        if d < 1e-9:
            out[side] = shoulders[side] + upper * down
            continue
        n = way / d
        d = float(np.clip(d, abs(upper - lower) + 1e-9, upper + lower - 1e-9))
        along = (upper**2 + d**2 - lower**2) / (2.0 * d)
        aside = down - (down @ n) * n
        length = float(np.linalg.norm(aside))
        aside = aside / length if length > 1e-6 else np.zeros(3)
        out[side] = shoulders[side] + along * n + np.sqrt(max(upper**2 - along**2, 0.0)) * aside
    return out


BAND = (0.86, 0.93)
"""Where shanks are above the shoes, as parts of the silhouette's height from its top."""
LEAST_WIDTH = 3
"""Columns of a leg [px]."""
WORST_LEG = 3.0
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
    if not (misses(cameras, pixels, places) <= WORST_LEG).all():
        return np.full((2, 3), np.nan)
    # A person who faces the cameras has the left leg at the right of the picture.
    return places[::-1]


def _runs(flags: Ints | Floats) -> list[tuple[int, int]]:
    """Stretches of true flags: first, and one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(flags, np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
