"""2D tracking: whose skin a patch is, by what the frames before let us expect (S3.5).

A patch that one hypothesis claims is its own. Where hands cross or touch the face, one patch is
claimed by several: each pixel then goes to the nearest hypothesis, in units of its own ellipse
(Varona, Buades and Perales 2005). Whether the split or the whole patch is right is decided later,
in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .blobs import LEAST_AREA, Blob, blob_of
from .ellipse import Ellipse

LABELS = ("head", "l_hand", "r_hand")
"""What is followed, in this order everywhere."""
GROW = 1.5
"""A hypothesis looks this far, in units of its ellipse."""
CLAIM = 0.2
"""It claims a patch that holds this part of its area within that."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """One place in one picture where something may be."""

    blob: Blob
    claimed: tuple[int, ...]
    """Hypotheses, as numbers of `LABELS`, that claim the patch; several: they share it."""
    whole: bool
    """Whether this is all of the patch."""

    @property
    def shared(self) -> bool:
        """Whether several claim it, so that its outline is not to be trusted."""
        return len(self.claimed) > 1


def sightings_of(
    blobs: Sequence[Blob], expected: Sequence[Ellipse | None], least: int = LEAST_AREA
) -> list[Sighting]:
    """Label the patches of one picture.

    Args:
        blobs: patches of skin.
        expected: where each of `LABELS` should be; None if that is not known.
        least: fewer pixels are no sighting.
    """
    known = [k for k, ellipse in enumerate(expected) if ellipse is not None]
    found = []
    for blob in blobs:
        reach = np.array([_reach(expected[k], blob) for k in known]).reshape(len(known), blob.area)
        claims = [
            k
            for k, row in zip(known, reach, strict=True)
            if (row < GROW).sum() > CLAIM * min(_area(expected[k]), blob.area)
        ]
        found.append(Sighting(blob, tuple(claims), True))
        if len(claims) < 2:
            continue
        nearest = np.argmin(reach[[known.index(k) for k in claims]], axis=0)
        for n in range(len(claims)):
            pixels = blob.pixels[nearest == n]
            if len(pixels) >= least // 2:
                found.append(Sighting(blob_of(pixels), tuple(claims), False))
    return found


def _reach(ellipse: Ellipse | None, blob: Blob) -> object:
    assert ellipse is not None
    return ellipse.reach(blob.pixels)


def _area(ellipse: Ellipse | None) -> float:
    assert ellipse is not None
    return ellipse.area
