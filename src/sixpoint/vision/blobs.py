"""Connected patches of skin, each with its pixels and the ellipse of its moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.types import Floats
from .ellipse import Ellipse
from .masks import Mask
from .opencv import opencv

LEAST_AREA = 30
"""Smaller patches are noise, where nothing is known of the person [px]."""
LEAST_HAND = 0.0005
"""Half of a hand that points at the camera, over the square of how tall the person is in the
picture: smaller patches are noise."""
FEWEST = 6
"""No hand has fewer pixels than this."""


@dataclass(frozen=True, eq=False)
class Blob:
    """One patch of skin."""

    pixels: Floats
    """(u, v) of each pixel, shape (n, 2)."""
    ellipse: Ellipse

    @property
    def area(self) -> int:
        """Pixels."""
        return len(self.pixels)

    @property
    def centre(self) -> Floats:
        """Mean of the pixels (2,)."""
        return np.array(self.ellipse.centre)


def blob_of(pixels: Floats) -> Blob:
    """The blob that some pixels (n, 2) make, n >= 1."""
    centre = pixels.mean(axis=0)
    away = pixels - centre
    # A pixel is a square, not a point: its own second moment is a twelfth.
    return Blob(pixels, Ellipse.from_moments(centre, away.T @ away / len(pixels) + np.eye(2) / 12))


def least_area(tall: float) -> int:
    """The smallest patch that can be a hand of somebody who is `tall` [px] in the picture."""
    return max(FEWEST, round(LEAST_HAND * tall**2))


def find_blobs(skin: Mask, least: int = LEAST_AREA, corner: tuple[int, int] = (0, 0)) -> list[Blob]:
    """Patches of a mask of skin, the largest first; gaps of a pixel (eyes, mouth) are closed.

    Args:
        skin: a picture, or a part of one.
        least: smaller patches are left out [px].
        corner: (u, v) of the part's first pixel.
    """
    if not skin.size:
        return []
    cv = opencv()
    closed = cv.morphologyEx(skin, cv.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv.connectedComponentsWithStats(closed, connectivity=8)
    blobs = []
    for label in range(1, count):
        if stats[label, cv.CC_STAT_AREA] < least:
            continue
        x, y, wide, tall = (int(stats[label, k]) for k in range(4))
        rows, columns = np.nonzero(labels[y : y + tall, x : x + wide] == label)
        at = np.stack([columns + (x + corner[0]), rows + (y + corner[1])], axis=-1)
        blobs.append(blob_of(at.astype(np.float64)))
    return sorted(blobs, key=lambda blob: -blob.area)
