"""Segmentation: which pixels are the person, and which of them are skin.

Both compare colours without their brightness, as the parts of red and green in the sum
(r, g) = (R, G) / (R + G + B): a shadow on the wall is still the wall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..body.values import frozen_array
from ..errors import InputError
from ..kernels.types import Floats
from .images import Box, Mask, Picture, binary_mask, check_picture, opencv

LEAST_BRIGHTNESS = 30.0
"""Least sum R + G + B whose colour can be told from noise."""
WALL_CORNER = 0.15
"""Width and height of the corners that show the wall, as parts of the picture."""
KERNEL = 3
"""Size of the opening that removes specks, and of the blur that calms noise [px]."""
LEAST_PIXELS = 30
"""Least number of pixels to fit a skin model to."""


@dataclass(frozen=True, eq=False)
class Chroma:
    """A picture's colours without brightness, which all masks are made from."""

    red: NDArray[np.float32]
    """R / (R + G + B), (height, width)."""
    green: NDArray[np.float32]
    """G / (R + G + B)."""
    total: NDArray[np.float32]
    """R + G + B, 0 to 765."""

    def part(self, box: Box) -> Chroma:
        """Return a part of the picture."""
        return Chroma(self.red[box], self.green[box], self.total[box])


def chroma_of(picture: Picture) -> Chroma:
    """Return colours of a picture, blurred a little because noise is amplified in shadow."""
    cv = opencv()
    calm = cv.GaussianBlur(check_picture(picture), (KERNEL, KERNEL), 0)
    blue, green, red = (channel.astype(np.float32) for channel in cv.split(calm))
    total = blue + green + red
    scale = 1.0 / np.maximum(total, 1.0)
    return Chroma(red * scale, green * scale, total)


@dataclass(frozen=True)
class ChromaKey:
    """Segments by a wall of one colour behind the person; everything else is the person."""

    key: tuple[int, int, int] = (0, 177, 64)
    """Red, green and blue of the wall, 0 to 255."""
    threshold: float = 0.14
    """Largest distance in (r, g) from the colour of the wall that still is wall."""

    def __post_init__(self) -> None:
        if len(self.key) != 3 or not all(0 <= part <= 255 for part in self.key):
            raise InputError(f"Expected `key` to be red, green, blue in 0..255, got {self.key}.")
        if sum(self.key) < LEAST_BRIGHTNESS:
            raise InputError(f"Expected a `key` that has a colour, got black {self.key}.")
        if not 0.0 < self.threshold < 1.0:
            raise InputError(f"Expected `threshold` in (0, 1), got {self.threshold}.")

    def mask(self, chroma: Chroma) -> Mask:
        """Return what is not the wall; dark pixels have no colour and count as person."""
        red, green = (np.float32(part / sum(self.key)) for part in self.key[:2])
        away = (chroma.red - red) ** 2 + (chroma.green - green) ** 2
        dark = chroma.total < LEAST_BRIGHTNESS
        return binary_mask((away > np.float32(self.threshold**2)) | dark)


@dataclass(frozen=True, eq=False)
class Background:
    """Segments by a picture of the empty room; what differs from it is the person.

    For rooms without a coloured wall. Needs a camera and lights that do not move. Pixels
    count whose colour differs, or whose brightness differs more than that of a shadow.
    """

    picture: Picture
    """The empty room, seen by the same camera."""
    threshold: float = 0.04
    """Least difference of (r, g) that counts."""
    dimming: float = 0.4
    """Least relative change of brightness that counts without a change of colour."""

    @cached_property
    def empty(self) -> Chroma:
        """Colours of the empty room, which serve all frames."""
        return chroma_of(self.picture)

    def mask(self, chroma: Chroma) -> Mask:
        """Return what differs from the empty room."""
        empty = self.empty
        (tall, wide), (rows, columns) = empty.total.shape, chroma.total.shape
        if (rows, columns) != (tall, wide):
            raise InputError(
                f"Expected pictures of the size of the background, {wide} x {tall}; "
                f"got {columns} x {rows}."
            )
        away = (chroma.red - empty.red) ** 2 + (chroma.green - empty.green) ** 2
        lit = np.minimum(chroma.total, empty.total) > LEAST_BRIGHTNESS
        ratio = np.abs(np.log((chroma.total + 10.0) / (empty.total + 10.0)))
        other = (away > np.float32(self.threshold**2)) & lit
        return binary_mask(other | (ratio > -np.log(1.0 - self.dimming)))


def learn_key(picture: Picture) -> ChromaKey:
    """Return the key of a wall that fills the upper corners of a picture."""
    tall, wide = check_picture(picture).shape[:2]
    rows, columns = max(1, int(WALL_CORNER * tall)), max(1, int(WALL_CORNER * wide))
    corners = picture[:rows, :columns], picture[:rows, -columns:]
    colours = np.concatenate([corner.reshape(-1, 3) for corner in corners])
    blue, green, red = (round(float(x)) for x in np.median(colours, axis=0))
    return ChromaKey((red, green, blue))


@dataclass(frozen=True, eq=False)
class Silhouette:
    """The largest connected part of the foreground: the person."""

    mask: Mask
    box: Box
    """Bounding box; later stages look nowhere else."""
    area: int
    """Number of its pixels."""
    other: int
    """Number of pixels of the next largest part: a second person, or clutter."""


def find_person(mask: Mask) -> Silhouette:
    """Return the largest connected part of a mask, specks removed, holes kept.

    Parts that are two pixels apart are one: a cuff may look like the wall.
    """
    cv = opencv()
    opened = cv.morphologyEx(mask, cv.MORPH_OPEN, np.ones((KERNEL, KERNEL), np.uint8))
    grown = cv.dilate(opened, np.ones((KERNEL, KERNEL), np.uint8))
    x, y, wide, tall = cv.boundingRect(grown)
    found = np.zeros_like(mask)
    if wide == 0:
        return Silhouette(found, (slice(0, 0), slice(0, 0)), 0, 0)
    # Labels of the part that is not empty: a third of the time of the whole picture.
    labels, stats = cv.connectedComponentsWithStats(grown[y : y + tall, x : x + wide])[1:3]
    areas = stats[1:, cv.CC_STAT_AREA]
    order = np.argsort(areas)[::-1]
    left, top, wide, tall = (int(stats[1 + order[0], k]) for k in range(4))
    inner = (slice(top, top + tall), slice(left, left + wide))
    box = (slice(y + top, y + top + tall), slice(x + left, x + left + wide))
    found[box] = binary_mask(labels[inner] == 1 + order[0]) & opened[box]
    rival = int(areas[order[1]]) if len(order) > 1 else 0
    return Silhouette(found, box, int(cv.countNonZero(found[box])), rival)


def silhouette_centre(mask: Any) -> Floats:
    """Return the centroid (u, v) of a silhouette, NaN if it is empty, shape (2,).

    It is (m10, m01) / m00 of the sums over its pixels (Boulic et al. 2006, Eqs. (1) and (2)).
    """
    found = opencv().moments(np.ascontiguousarray(mask, dtype=np.uint8), binaryImage=True)
    if found["m00"] <= 0.0:
        return np.full(2, np.nan)
    return np.array([found["m10"] / found["m00"], found["m01"] / found["m00"]])


def without_arms(mask: Mask, width: float) -> Mask:
    """Return a silhouette without all that is thinner than `width` [px], if anything is left."""
    cv = opencv()
    # A square instead of a disc is two passes along rows and columns: five times quicker.
    size = max(3, 2 * round(0.5 * width) + 1)
    opened: Mask = cv.morphologyEx(mask, cv.MORPH_OPEN, np.ones((size, size), np.uint8))
    return opened if opened.any() else mask


Covariance = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class SkinModel:
    """Gaussian model of skin in (r, g), which hardly depends on how light or dark the skin is."""

    mean: tuple[float, float] = (0.435, 0.316)
    """Mean (r, g). The default covers skins from very light to very dark in white light;
    one that is fitted to the person is narrower and tells skin from wood and leather."""
    covariance: Covariance = ((0.00075, -0.0002), (-0.0002, 0.00015))
    threshold: float = 2.5
    """Largest Mahalanobis distance of a colour that is skin."""
    darkest: float = 70.0
    """Least sum R + G + B of skin: black shoes have red noise."""

    def __post_init__(self) -> None:
        spread = frozen_array(self.covariance)
        if spread.shape != (2, 2) or np.linalg.eigvalsh(spread).min() <= 0.0:
            raise InputError("Expected `covariance` to be 2 x 2 and positive definite.")
        if not self.threshold > 0.0:
            raise InputError(f"Expected `threshold` > 0, got {self.threshold}.")

    def mask(self, chroma: Chroma, person: Mask) -> Mask:
        """Return the pixels of the person that have the colour of skin."""
        inverse = np.linalg.inv(np.array(self.covariance))
        a, b, c = (np.float32(x) for x in (inverse[0, 0], 2.0 * inverse[0, 1], inverse[1, 1]))
        red, green = chroma.red - np.float32(self.mean[0]), chroma.green - np.float32(self.mean[1])
        away = a * red * red + b * red * green + c * green * green
        near = (away < np.float32(self.threshold**2)) & (chroma.total >= self.darkest)
        return binary_mask(near) & person


def fit_skin(pictures: Sequence[Picture], masks: Sequence[Mask], widen: float = 1.5) -> SkinModel:
    """Fit a skin model to pixels of one person, the masks of pictures, that are known to be skin.

    `widen` is a factor on the measured standard deviations, for other light.
    """
    if len(pictures) != len(masks):
        raise InputError(f"Expected as many masks as pictures, got {len(masks)}, {len(pictures)}.")
    samples = [np.zeros((0, 2))]
    for picture, mask in zip(pictures, masks, strict=True):
        chroma = chroma_of(picture)
        chosen = (np.asarray(mask) > 0) & (chroma.total >= LEAST_BRIGHTNESS)
        samples.append(np.stack([chroma.red[chosen], chroma.green[chosen]], -1).astype(float))
    colours = np.concatenate(samples)
    if len(colours) < LEAST_PIXELS:
        raise InputError(f"Expected {LEAST_PIXELS} pixels of skin or more, got {len(colours)}.")
    centre = np.median(colours, axis=0)
    near = colours[(np.abs(colours - centre) < 0.1).all(axis=1)]
    # A floor as wide as the noise of one grey level: a drawn skin has no variance at all.
    spread = widen**2 * np.cov(near.T) + np.diag([4e-5, 4e-5])
    first, second = ((float(row[0]), float(row[1])) for row in spread)
    return SkinModel((float(centre[0]), float(centre[1])), (first, second), 3.0)
