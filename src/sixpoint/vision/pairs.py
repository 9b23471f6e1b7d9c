"""Pairs of sightings, one in each picture, and the places that they make (S3.7).

All pairs are triangulated. Which of them can be a head or a hand is a matter of size; which can be
taken together, of the patches that they use.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.types import Floats
from .camera import Camera
from .hypotheses import HANDS, HEAD, Sighting
from .sizes import Sizes
from .triangulate import all_pairs, place_covariance

WORST_PAIR = 0.0175
"""A pair whose rays miss each other by more than this part of the focal length is none."""
LEAST_HEAD, LARGEST_HEAD = (0.25, 0.5), 1.8
"""Areas of a head, over what the person's size lets us expect: at least, in the lesser and in the
larger picture, as something may hide it in one; at most."""
LARGEST_HAND = 1.4
"""Area of a hand over one that shows its palm, at most."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A sighting in each picture, and the place that they make."""

    sights: tuple[Sighting, Sighting]
    place: Floats
    """[m], shape (3,)."""
    miss: float
    """Distance between the rays, in the worse picture, over the most that is allowed."""
    sizes: Floats
    """Areas over those of a head and of the largest hand there, (2, 2): label, picture."""

    @property
    def parts(self) -> int:
        """In how many pictures it is not a patch of its own."""
        return sum(len(s.claimed) > 1 or s.owner is not None for s in self.sights)

    @property
    def together(self) -> bool:
        """Whether both hands are one patch in both pictures: no picture tells them apart."""
        return all(set(HANDS) <= set(sight.claimed) for sight in self.sights)

    @property
    def ratio(self) -> float:
        """Of its sizes in the two pictures."""
        return float(self.sizes[0, 0] / self.sizes[0, 1])

    def may_be(self, label: int) -> bool:
        """Whether it can be that one's, by its parts and its size."""
        if not all(sight.may_be(label) for sight in self.sights):
            return False
        if label == HEAD:
            least, most = self.sizes[0].min(), self.sizes[0].max()
            return bool(least > LEAST_HEAD[0] and LEAST_HEAD[1] < most < LARGEST_HEAD)
        if self.together and any(sight.owner is None for sight in self.sights):
            return False
        return bool(self.sizes[1].max() < LARGEST_HAND)

    def quality(self, label: int, ratio: float) -> float:
        """How well it fits what it is taken for, 1 to 0.2.

        Rays that miss each other, a head that is smaller in one picture than in the other, and
        sizes in the two pictures that suddenly differ mean that something is hidden in one.

        Args:
            label: what it is taken for.
            ratio: of its sizes in the two pictures, of late.
        """
        change = max(self.ratio / ratio, ratio / self.ratio)
        signs = [2.0 - 2.0 * self.miss, 3.8 - 2.0 * change]
        if label == HEAD:
            least, most = self.sizes[0].min(), self.sizes[0].max()
            signs += [4.0 * least / most - 2.4, 2.5 * least - 0.5, 3.0 - 1.5 * most]
        return float(np.clip(min(signs), 0.2, 1.0))

    def covariance(self, cameras: Sequence[Camera], noise: float) -> Floats:
        """How uncertain the place is (3, 3) [m^2], if a patch of its own has that noise [px]."""
        return place_covariance(cameras, self.place, [noise * s.noise for s in self.sights])


def pairs_of(
    sights: Sequence[Sequence[Sighting]], cameras: Sequence[Camera], sizes: Sizes
) -> list[Pair]:
    """All pairs whose rays meet ahead of both cameras."""
    centres = [
        np.array([sight.blob.centre for sight in seen]).reshape(len(seen), 2) for seen in sights
    ]
    places, miss = all_pairs(cameras, centres[0], centres[1])
    most = WORST_PAIR * min(float(camera.matrix[0, 0]) for camera in cameras)
    found = []
    for (i, one), (j, two) in itertools.product(*(enumerate(seen) for seen in sights)):
        off = miss[i, j] / (most * max(1.0, 0.5 * max(one.noise, two.noise)))
        if off <= 1.0 and all(camera.depth(places[i, j]) > 0.0 for camera in cameras):
            areas = np.array([one.blob.area, two.blob.area])
            size = areas / np.stack([sizes.areas(k, cameras, places[i, j]) for k in (HEAD, 1)])
            found.append(Pair((one, two), places[i, j], float(off), size))
    return found


def apart(pairs: Sequence[Pair]) -> bool:
    """Whether nothing is used twice: a patch as a whole by one, or its parts by their owners.

    In one of the two pictures a patch may hide another behind it.
    """
    for one, other in itertools.combinations(pairs, 2):
        same = [
            a.patch == b.patch and (a.owner is None or b.owner is None)
            for a, b in zip(one.sights, other.sights, strict=True)
        ]
        if all(same) or (any(same) and not (one.parts and other.parts)):
            return False
    return True
