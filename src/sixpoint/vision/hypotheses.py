"""2D tracking: whose skin a patch is, by what the frames before let us expect (S3.5).

A patch that one hypothesis claims is its own. Where hands meet each other or the face, one patch is
claimed by several: each pixel then goes to the nearest hypothesis, in units of its own ellipse
(Varona, Buades and Perales 2005). A part belongs to its hypothesis and to no other, so that parts
of two hands never make one place; whether the part or the whole patch is right is decided in space.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.types import Floats
from .blobs import Blob, blob_of
from .ellipse import Ellipse

LABELS = ("head", "l_hand", "r_hand")
"""What is followed, in this order everywhere."""
HEAD, HANDS = 0, (1, 2)
"""Their numbers."""
GROW = 1.5
"""A hypothesis looks this far, in units of its ellipse."""
CLAIM = 0.2
"""It claims a patch that holds this part of its area within that."""
CLEAR = 0.2
"""Of a hypothesis' area, this part must lie outside the others' ellipses: else nothing is seen of
it, but where it was expected."""
RIM = 1.1
"""The head keeps its shape: what is this far from its middle, in units of its ellipse, is not of
it."""
SWOLLEN = 1.15
"""A face that is larger than this, over what it was, has a hand before it."""
PART_NOISE = 4.0
"""How much less certain the middle of a part is than that of a patch."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """One place in one picture where something may be."""

    blob: Blob
    patch: int
    """Number of the patch that it is, or is a part of."""
    claimed: tuple[int, ...]
    """Hypotheses, as numbers of `LABELS`, that claim the patch."""
    owner: int | None = None
    """Whose part it is; None for a whole patch, which may be anybody's."""
    noise: float = 1.0
    """How uncertain its middle is, compared with that of a patch of its own."""

    def may_be(self, label: int) -> bool:
        """Whether it can be that one's."""
        return self.owner is None or self.owner == label


def sightings_of(blobs: Sequence[Blob], expected: Sequence[Ellipse | None]) -> list[Sighting]:
    """Label the patches of one picture.

    Args:
        blobs: patches of skin.
        expected: where each of `LABELS` should be; None if that is not known.
    """
    known = {k: ellipse for k, ellipse in enumerate(expected) if ellipse is not None}
    reaches = [{k: known[k].reach(blob.pixels) for k in known} for blob in blobs]
    found = []
    for n, (blob, reach, claims) in enumerate(
        zip(blobs, reaches, _claims(blobs, known, reaches), strict=True)
    ):
        swollen = claims == (HEAD,) and blob.area > SWOLLEN * known[HEAD].area
        if not swollen and (len(claims) < 2 or HEAD not in claims):
            found.append(Sighting(blob, n, claims, noise=PART_NOISE if len(claims) > 1 else 1.0))
        if swollen or len(claims) > 1:
            split = (_part(k, blob, known, reach, claims) for k in claims)
            found += [Sighting(part, n, claims, k, noise) for k, part, noise in split if part]
    return found


def _claims(
    blobs: Sequence[Blob], known: dict[int, Ellipse], reaches: Sequence[dict[int, Floats]]
) -> list[tuple[int, ...]]:
    """Who claims each patch: one patch each where there are enough, several one where not."""
    held = {
        (k, n): share
        for n, (blob, reach) in enumerate(zip(blobs, reaches, strict=True))
        for k in known
        if (share := float((reach[k] < GROW).sum()) / min(known[k].area, blob.area)) > CLAIM
    }
    claimants = [k for k in known if any(key[0] == k for key in held)]
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for patches in itertools.permutations(range(len(blobs)), len(claimants)):
        shares = [held.get(key, 0.0) for key in zip(claimants, patches, strict=True)]
        if all(shares) and sum(shares) > best[0]:
            best = (sum(shares), patches)
    if best[1]:
        one = dict(zip(best[1], claimants, strict=True))
        return [(one[n],) if n in one else () for n in range(len(blobs))]
    return [tuple(k for k in known if (k, n) in held) for n in range(len(blobs))]


def _part(
    label: int,
    blob: Blob,
    known: dict[int, Ellipse],
    reach: dict[int, Floats],
    claims: tuple[int, ...],
) -> tuple[int, Blob | None, float]:
    """What one of several has of a patch, and how uncertain its middle is."""
    rivals = [reach[k] for k in claims if k != label]
    others = np.min(rivals, axis=0) if rivals else np.full(blob.area, np.inf)
    own = reach[label] < (RIM if label == HEAD else others)
    clear = float((own & (others > 1.0)).sum()) / known[label].area
    if clear < CLEAR:
        return label, None, 0.0
    return label, blob_of(blob.pixels[own]), PART_NOISE / min(clear, 1.0)
