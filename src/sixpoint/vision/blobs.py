"""Skin blobs: detection in each picture, and data association between pictures.

A blob that one tracked part (head or hand) claims is its own. Where hands meet each other or the
face, one blob is claimed by several: each pixel then goes to the nearest part, in units of its own
ellipse (Varona, Buades and Perales 2005). All pairs of detections in two pictures are triangulated;
which of them can be a head or a hand is a matter of size (Boulic et al. 2006, section 3).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .body_measurement import HANDS, HEAD, PersonModel
from .camera import all_pairs, position_covariance
from .images import Mask, opencv

LEAST_AXIS = 0.5
"""Least semi-axis of a blob of whole pixels [px]."""
LEAST_AREA = 30
"""Default least area of a blob [px]."""
LEAST_HAND, LEAST_HAND_PIXELS = 0.0005, 6
"""Half the area of a hand that points at the camera, over the square of the person's height in the
picture; and least number of its pixels."""
CLAIM_REACH = 1.5
"""How far a part claims pixels, in units of its ellipse."""
LEAST_CLAIM = 0.2
"""Least share of the area of a blob, or of the part, that lies within that."""
LEAST_VISIBLE = 0.2
"""Least share of a part's area outside the ellipses of others; with less it counts as hidden."""
HEAD_RIM = 1.1
"""How far the head reaches, in units of its ellipse: it keeps its shape."""
HAND_BEFORE_FACE = 1.15
"""Growth of the area of a face from which on a hand is taken to be in front of it."""
PART_NOISE = 4.0
"""Standard deviation of the middle of a split blob over that of a whole one."""
LARGEST_MISS = 0.0175
"""Largest distance between the rays of a match, over the focal length."""
HEAD_AREAS = (0.25, 0.5, 1.8)
"""Areas of a head, over what the person's size lets us expect: at least, in the lesser and in the
larger picture, as something may hide it in one; at most."""
LARGEST_HAND = 1.4
"""Largest area of a hand over one that shows its palm."""


@dataclass(frozen=True)
class Ellipse:
    """An ellipse with the first and second moments of a blob."""

    centre: tuple[float, float]
    """(u, v) [px]."""
    axes: tuple[float, float]
    """Semi-axes, the longer first [px]."""
    angle: float
    """Angle from the u axis to the longer one, towards v [rad]."""

    def __post_init__(self) -> None:
        if not (self.axes[0] >= self.axes[1] > 0.0 and math.isfinite(self.axes[0])):
            raise InputError(f"Expected two semi-axes > 0, the longer first; got {self.axes}.")

    @property
    def area(self) -> float:
        """Area [px^2]."""
        return math.pi * self.axes[0] * self.axes[1]

    @property
    def shape(self) -> Floats:
        """Matrix S with (x - centre)^T S (x - centre) = 1 on the outline, shape (2, 2)."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        turn = np.array([[c, s], [-s, c]])
        return np.asarray(turn.T @ np.diag([self.axes[0] ** -2, self.axes[1] ** -2]) @ turn)

    def moved(self, centre: Floats) -> Ellipse:
        """Return the same ellipse at another position."""
        return replace(self, centre=(float(centre[0]), float(centre[1])))

    def reach(self, pixels: Floats) -> Floats:
        """Return distances (...,) of pixels (..., 2) from the centre, 1 on the outline."""
        away = pixels - np.array(self.centre)
        s = self.shape
        x, y = away[..., 0], away[..., 1]
        return np.asarray(np.sqrt(s[0, 0] * x * x + 2.0 * s[0, 1] * x * y + s[1, 1] * y * y))

    def outline(self, count: int = 48) -> Floats:
        """Return points on the outline (count, 2) [px]."""
        turn = np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)
        x, y = self.axes[0] * np.cos(turn), self.axes[1] * np.sin(turn)
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.array(self.centre) + np.stack([c * x - s * y, s * x + c * y], axis=-1)

    def crossing(self, start: Floats, through: Floats) -> tuple[Floats, bool]:
        """Intersect the line from `start` through another pixel with the outline.

        Where the line misses the ellipse, the paper (Boulic et al. 2006) says nothing; ours is the
        point of the outline in the direction of the line's nearest point, measured by the ellipse.

        Returns:
            The first intersection (2,), and whether the line meets the outline.
        """
        begin, way = np.asarray(start, float), np.asarray(through, float) - start
        s, out = self.shape, begin - np.array(self.centre)
        a, b, c = way @ s @ way, out @ s @ way, out @ s @ out - 1.0
        if a < 1e-18:
            return begin, False
        root = b * b - a * c
        if root >= 0.0:
            return begin + (-b - math.sqrt(root)) / a * way, True
        away = out - b / a * way
        return np.array(self.centre) + away / math.sqrt(away @ s @ away), False


@dataclass(frozen=True, eq=False)
class Blob:
    """A connected patch of skin."""

    pixels: Floats
    """(u, v) of each pixel, shape (n, 2)."""
    ellipse: Ellipse

    @classmethod
    def of(cls, pixels: Floats) -> Blob:
        """Return the blob of some pixels (n, 2), n >= 1, with the ellipse that has its moments."""
        centre = pixels.mean(axis=0)
        away = pixels - centre
        # A pixel is a square, not a point: its own second moment is a twelfth.
        covariance = away.T @ away / len(pixels) + np.eye(2) / 12
        a, b, c = covariance[0, 0], covariance[0, 1], covariance[1, 1]
        middle, off = 0.5 * (a + c), math.hypot(0.5 * (a - c), b)
        # The semi-axes of a filled ellipse are 2 sqrt(eigenvalue).
        long, short = (
            max(2.0 * math.sqrt(max(value, 0.0)), LEAST_AXIS)
            for value in (middle + off, middle - off)
        )
        at = (float(centre[0]), float(centre[1]))
        return cls(pixels, Ellipse(at, (long, short), 0.5 * math.atan2(2.0 * b, a - c)))

    @property
    def area(self) -> int:
        """Number of pixels."""
        return len(self.pixels)

    @property
    def centre(self) -> Floats:
        """Mean of the pixels (2,)."""
        return np.array(self.ellipse.centre)


def least_area(height: float) -> int:
    """Return the least area [px] of a hand of somebody of this height in the picture [px]."""
    return max(LEAST_HAND_PIXELS, round(LEAST_HAND * height**2))


def find_blobs(skin: Mask, least: int = LEAST_AREA, corner: tuple[int, int] = (0, 0)) -> list[Blob]:
    """Return the blobs of a mask, the largest first; gaps of a pixel (eyes, mouth) are closed.

    Args:
        skin: mask of a picture, or of a part of one.
        least: least area of a blob [px].
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
        blobs.append(Blob.of(at.astype(np.float64)))
    return sorted(blobs, key=lambda blob: -blob.area)


@dataclass(frozen=True, eq=False)
class Detection:
    """A blob or a part of one in one picture, which may be a head or a hand."""

    blob: Blob
    number: int
    """Number of the blob that it is, or is a part of."""
    claimed: tuple[int, ...]
    """Labels of the parts that claim the blob."""
    owner: int | None = None
    """Label of the part that a split blob belongs to; None for a whole blob."""
    noise: float = 1.0
    """Standard deviation of its middle over that of a blob of its own."""

    @property
    def shared(self) -> bool:
        """Whether it is not a blob of its own."""
        return len(self.claimed) > 1 or self.owner is not None


def detections_of(blobs: Sequence[Blob], expected: Sequence[Ellipse | None]) -> list[Detection]:
    """Label the skin blobs of one picture by where each of `LABELS` is expected (None: unknown)."""
    known = {k: ellipse for k, ellipse in enumerate(expected) if ellipse is not None}
    reaches = [{k: known[k].reach(blob.pixels) for k in known} for blob in blobs]
    found = []
    for n, claims in enumerate(_claims(blobs, known, reaches)):
        blob, reach = blobs[n], reaches[n]
        grown = claims == (HEAD,) and blob.area > HAND_BEFORE_FACE * known[HEAD].area
        if not grown and (len(claims) < 2 or HEAD not in claims):
            noise = PART_NOISE if len(claims) > 1 else 1.0
            found.append(Detection(blob, n, claims, noise=noise))
        if not grown and len(claims) < 2:
            continue
        for k in claims:
            rivals = [reach[other] for other in claims if other != k]
            others = np.min(rivals, axis=0) if rivals else np.full(blob.area, np.inf)
            own = reach[k] < (HEAD_RIM if k == HEAD else others)
            visible = float((own & (others > 1.0)).sum()) / known[k].area
            if visible >= LEAST_VISIBLE:
                part = Blob.of(blob.pixels[own])
                found.append(Detection(part, n, claims, k, PART_NOISE / min(visible, 1.0)))
    return found


def _claims(
    blobs: Sequence[Blob], known: dict[int, Ellipse], reaches: Sequence[dict[int, Floats]]
) -> list[tuple[int, ...]]:
    """Return the parts that claim each blob: one each if there are enough blobs, else several."""
    shares = {
        (k, n): float((reach[k] < CLAIM_REACH).sum()) / min(known[k].area, blob.area)
        for n, (blob, reach) in enumerate(zip(blobs, reaches, strict=True))
        for k in known
    }
    held = {key: share for key, share in shares.items() if share > LEAST_CLAIM}
    claimants = [k for k in known if any(key[0] == k for key in held)]
    most, best = 0.0, dict[int, int]()
    for numbers in itertools.permutations(range(len(blobs)), len(claimants)):
        chosen = [held.get(key, 0.0) for key in zip(claimants, numbers, strict=True)]
        if all(chosen) and sum(chosen) > most:
            most, best = sum(chosen), dict(zip(numbers, claimants, strict=True))
    if best:
        return [(best[n],) if n in best else () for n in range(len(blobs))]
    return [tuple(k for k in known if (k, n) in held) for n in range(len(blobs))]


@dataclass(frozen=True, eq=False)
class Match:
    """A detection in each picture, and the position that they make."""

    pair: tuple[Detection, Detection]
    position: Floats
    """[m], shape (3,)."""
    miss: float
    """Distance between the rays, in the worse picture, over the largest that is allowed."""
    sizes: Floats
    """Areas over those of a head and of the largest hand there, (2, 2): label, picture."""

    @property
    def shared(self) -> int:
        """In how many pictures it is not a blob of its own."""
        return sum(detection.shared for detection in self.pair)

    @property
    def whole(self) -> bool:
        """Whether it is a whole blob in both pictures."""
        return all(detection.owner is None for detection in self.pair)

    @property
    def both_hands(self) -> bool:
        """Whether both hands are one blob in both pictures: no picture tells them apart."""
        return all(set(HANDS) <= set(detection.claimed) for detection in self.pair)

    @property
    def ratio(self) -> float:
        """Ratio of its sizes in the two pictures."""
        return float(self.sizes[0, 0] / self.sizes[0, 1])

    def may_be(self, label: int) -> bool:
        """Return whether it can be a head or hand, by its owners and its size."""
        if any(detection.owner not in (None, label) for detection in self.pair):
            return False
        if label == HEAD:
            lesser, larger = np.sort(self.sizes[0])
            return bool(lesser > HEAD_AREAS[0] and HEAD_AREAS[1] < larger < HEAD_AREAS[2])
        if self.both_hands and any(detection.owner is None for detection in self.pair):
            return False
        return bool(self.sizes[1].max() < LARGEST_HAND)

    def quality(self, label: int, ratio: float) -> float:
        """Return how well it fits what it is taken for, 0.2 to 1.

        Rays that miss each other, a head that is smaller in one picture than in the other, and
        sizes in the two pictures that suddenly differ mean that something is hidden in one; `ratio`
        is that of the sizes in recent frames.
        """
        change = max(self.ratio / ratio, ratio / self.ratio)
        signs = [2.0 - 2.0 * self.miss, 3.8 - 2.0 * change]
        if label == HEAD:
            lesser, larger = np.sort(self.sizes[0])
            signs += [4.0 * lesser / larger - 2.4, 2.5 * lesser - 0.5, 3.0 - 1.5 * larger]
        return float(np.clip(min(signs), 0.2, 1.0))

    def covariance(self, person: PersonModel, noise: float) -> Floats:
        """Return the covariance of the position (3, 3) [m^2] for the noise of whole blobs [px]."""
        each = [noise * detection.noise for detection in self.pair]
        return position_covariance(person.cameras, self.position, each)


def match_detections(detections: Sequence[Sequence[Detection]], person: PersonModel) -> list[Match]:
    """Return all pairs of detections whose rays meet ahead of both cameras."""
    cameras = person.cameras
    left, right = (np.array([d.blob.centre for d in seen]).reshape(-1, 2) for seen in detections)
    positions, miss = all_pairs(cameras, left, right)
    most = LARGEST_MISS * min(float(camera.matrix[0, 0]) for camera in cameras)
    found = []
    for (i, one), (j, two) in itertools.product(*(enumerate(seen) for seen in detections)):
        at, off = positions[i, j], miss[i, j] / (most * max(1.0, 0.5 * max(one.noise, two.noise)))
        if off <= 1.0 and all(camera.depth(at) > 0.0 for camera in cameras):
            areas = np.array([one.blob.area, two.blob.area])
            sizes = areas / np.stack([person.areas(k, at) for k in (HEAD, 1)])
            found.append(Match((one, two), at, float(off), sizes))
    return found


def compatible(matches: Sequence[Match]) -> bool:
    """Return whether no blob is used twice: as a whole by one, or its parts by their owners.

    In one of the two pictures a blob may hide another behind it.
    """
    for one, other in itertools.combinations(matches, 2):
        same = [
            a.number == b.number and (a.owner is None or b.owner is None)
            for a, b in zip(one.pair, other.pair, strict=True)
        ]
        if all(same) or (any(same) and not (one.shared and other.shared)):
            return False
    return True
