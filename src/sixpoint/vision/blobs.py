"""Skin blobs: detection, who claims them, and pairs of them across two pictures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .body_measurement import Sizes
from .camera import Camera, all_pairs, place_covariance
from .images import Mask, opencv

THINNEST = 0.5
"""Half of a pixel: the least semi-axis that a blob of whole pixels can have [px]."""


@dataclass(frozen=True)
class Ellipse:
    """A blob as its first and second moments see it."""

    centre: tuple[float, float]
    """(u, v) [px]."""
    axes: tuple[float, float]
    """Semi-axes, the longer first [px]."""
    angle: float
    """From the u axis to the longer one, towards v [rad]."""

    def __post_init__(self) -> None:
        if not (self.axes[0] >= self.axes[1] > 0.0 and math.isfinite(self.axes[0])):
            raise InputError(f"Expected two semi-axes > 0, the longer first; got {self.axes}.")

    @classmethod
    def from_moments(cls, centre: Floats, covariance: Floats) -> Ellipse:
        """The filled ellipse with these moments: its semi-axes are 2 sqrt(eigenvalue)."""
        a, b, c = covariance[0, 0], covariance[0, 1], covariance[1, 1]
        middle, off = 0.5 * (a + c), math.hypot(0.5 * (a - c), b)
        axes = [2.0 * math.sqrt(max(value, 0.0)) for value in (middle + off, middle - off)]
        angle = 0.5 * math.atan2(2.0 * b, a - c)
        return cls(
            (float(centre[0]), float(centre[1])),
            (max(axes[0], THINNEST), max(axes[1], THINNEST)),
            angle,
        )

    @property
    def area(self) -> float:
        """[px^2]."""
        return math.pi * self.axes[0] * self.axes[1]

    @property
    def shape(self) -> Floats:
        """Matrix S with (x - centre)^T S (x - centre) = 1 on the outline, shape (2, 2)."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        return np.asarray(turn.T @ np.diag([self.axes[0] ** -2, self.axes[1] ** -2]) @ turn)

    def moved(self, centre: Floats) -> Ellipse:
        """The same ellipse elsewhere."""
        return Ellipse((float(centre[0]), float(centre[1])), self.axes, self.angle)

    def reach(self, pixels: Floats) -> Floats:
        """Distance (...,) of pixels (..., 2) from the centre, 1 on the outline."""
        away = pixels - np.array(self.centre)
        s = self.shape
        x, y = away[..., 0], away[..., 1]
        return np.asarray(np.sqrt(s[0, 0] * x * x + 2.0 * s[0, 1] * x * y + s[1, 1] * y * y))

    def outline(self, count: int = 48) -> Floats:
        """Points on it (count, 2) [px]."""
        turn = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
        x, y = self.axes[0] * np.cos(turn), self.axes[1] * np.sin(turn)
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.array(self.centre) + np.stack([c * x - s * y, s * x + c * y], axis=-1)

    def crossing(self, start: Floats, through: Floats) -> tuple[Floats, float, bool]:
        """Where the line from `start` through another pixel first meets the outline (S3.9).

        Where it does not meet it at all, the point of the outline in the direction of the line's
        nearest point, measured by the ellipse itself (A3.16).

        Returns:
            The pixel (2,), the part t of the way from `start` to `through`, and whether the line
            meets the outline.
        """
        begin, way = np.asarray(start, float), np.asarray(through, float) - start
        s, out = self.shape, begin - np.array(self.centre)
        a, b, c = way @ s @ way, out @ s @ way, out @ s @ out - 1.0
        if a < 1e-18:
            return begin, 0.0, False
        root = b * b - a * c
        if root >= 0.0:
            t = (-b - math.sqrt(root)) / a
            return begin + t * way, float(t), True
        t = -b / a
        away = out + t * way
        return np.array(self.centre) + away / math.sqrt(away @ s @ away), float(t), False


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
