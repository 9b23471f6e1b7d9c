"""Which pixels are the person: chroma key, or the difference from an empty background.

Both compare colours without their brightness, as the parts of red and green in the sum
(r, g) = (R, G) / (R + G + B): a shadow on the wall is still the wall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..kernels.types import Floats
from .opencv import opencv

Picture = NDArray[np.uint8]
"""Colour, (height, width, 3), in the order blue, green, red as OpenCV reads it."""
Mask = NDArray[np.uint8]
"""0 or 255, (height, width)."""

Box = tuple[slice, slice]
"""Rows and columns of a part of a picture."""

DARKEST = 30.0
"""A sum R + G + B below this has no colour that could be told from noise."""
KERNEL = 3
"""Size of the opening that removes specks, and of the blur that calms noise [px]."""


def check_picture(picture: Picture) -> Picture:
    """Refuse what is not a colour picture."""
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
        raise InputError(
            "Expected a colour picture of bytes, shape (height, width, 3), "
            f"got {array.dtype} of shape {array.shape}."
        )
    return array


@dataclass(frozen=True, eq=False)
class Chroma:
    """A picture's colours without brightness: what all masks look at."""

    red: NDArray[np.float32]
    """R / (R + G + B), (height, width)."""
    green: NDArray[np.float32]
    """G / (R + G + B)."""
    total: NDArray[np.float32]
    """R + G + B, 0 to 765."""

    def part(self, box: Box) -> Chroma:
        """A part of the picture."""
        return Chroma(self.red[box], self.green[box], self.total[box])


def chroma_of(picture: Picture, blur: int = KERNEL) -> Chroma:
    """Colours of a picture, blurred a little: noise is divided by the sum, so it counts in shadow.

    Args:
        picture: blue, green, red.
        blur: size of the Gaussian [px], odd; 1 for none.
    """
    cv = opencv()
    calm = cv.GaussianBlur(check_picture(picture), (blur, blur), 0) if blur > 1 else picture
    blue, green, red = (channel.astype(np.float32) for channel in cv.split(calm))
    total = blue + green + red
    scale = 1.0 / np.maximum(total, 1.0)
    return Chroma(red * scale, green * scale, total)


@dataclass(frozen=True)
class ChromaKey:
    """A wall of one colour behind the person; everything else is the person."""

    key: tuple[int, int, int] = (0, 177, 64)
    """Red, green and blue of the wall, 0 to 255."""
    threshold: float = 0.14
    """Colours nearer to the wall's than this, in (r, g), are wall."""

    def __post_init__(self) -> None:
        if len(self.key) != 3 or not all(0 <= part <= 255 for part in self.key):
            raise InputError(f"Expected `key` to be red, green, blue in 0..255, got {self.key}.")
        if sum(self.key) < DARKEST:
            raise InputError(f"Expected a `key` that has a colour, got black {self.key}.")
        if not 0.0 < self.threshold < 1.0:
            raise InputError(f"Expected `threshold` in (0, 1), got {self.threshold}.")

    def mask(self, chroma: Chroma) -> Mask:
        """What is not the wall; the dark has no colour and is not the wall either."""
        red, green = (
            np.float32(self.key[0] / sum(self.key)),
            np.float32(self.key[1] / sum(self.key)),
        )
        away = (chroma.red - red) ** 2 + (chroma.green - green) ** 2
        return _bytes((away > np.float32(self.threshold**2)) | (chroma.total < DARKEST))


@dataclass(frozen=True, eq=False)
class Background:
    """A picture of the empty room; what differs from it is the person.

    For rooms without a coloured wall. Needs a camera and lights that do not move. A colour that
    differs counts, and a brightness that differs a lot: a shadow differs a little.
    """

    picture: Picture
    """The room without anybody, seen by the same camera."""
    threshold: float = 0.04
    """Difference of (r, g) that counts."""
    dimming: float = 0.4
    """Part of the brightness that must be gained or lost to count without a change of colour."""

    def mask(self, chroma: Chroma) -> Mask:
        """What differs from the empty room."""
        empty = chroma_of(self.picture)
        if empty.total.shape != chroma.total.shape:
            raise InputError(
                f"Expected pictures of the size of the background, {_size(empty.total)}; "
                f"got {_size(chroma.total)}."
            )
        away = (chroma.red - empty.red) ** 2 + (chroma.green - empty.green) ** 2
        lit = (chroma.total > DARKEST) & (empty.total > DARKEST)
        ratio = np.abs(np.log((chroma.total + 10.0) / (empty.total + 10.0)))
        other = (away > np.float32(self.threshold**2)) & lit
        return _bytes(other | (ratio > -np.log(1.0 - self.dimming)))


def learn_key(picture: Picture, border: float = 0.15) -> ChromaKey:
    """The colour of the wall, as seen in the upper corners of a picture."""
    tall, wide = check_picture(picture).shape[:2]
    rows, columns = max(1, int(border * tall)), max(1, int(border * wide))
    corners = np.concatenate(
        [picture[:rows, :columns].reshape(-1, 3), picture[:rows, -columns:].reshape(-1, 3)]
    )
    blue, green, red = (round(float(x)) for x in np.median(corners, axis=0))
    return ChromaKey((red, green, blue))


@dataclass(frozen=True, eq=False)
class Person:
    """The largest thing that is not background."""

    mask: Mask
    box: Box
    """The part of the picture that holds it: later stages need look nowhere else."""
    area: int
    """Pixels of it."""
    other: int
    """Pixels of the next largest thing: a second person, or rubbish."""
    parts: int
    """Things found in all."""


def find_person(mask: Mask) -> Person:
    """The largest part of a mask, specks removed, holes kept.

    Parts that are two pixels apart are one: a cuff may look like the wall.
    """
    cv = opencv()
    opened = cv.morphologyEx(mask, cv.MORPH_OPEN, np.ones((KERNEL, KERNEL), np.uint8))
    grown = cv.dilate(opened, np.ones((KERNEL, KERNEL), np.uint8))
    x, y, wide, tall = cv.boundingRect(grown)
    found = np.zeros_like(mask)
    if wide == 0:
        return Person(found, (slice(0, 0), slice(0, 0)), 0, 0, 0)
    # Labels of the part that is not empty: a third of the time of the whole picture.
    labels, stats = cv.connectedComponentsWithStats(grown[y : y + tall, x : x + wide])[1:3]
    areas = stats[1:, cv.CC_STAT_AREA]
    order = np.argsort(areas)[::-1]
    left, top, wide, tall = (int(stats[1 + order[0], k]) for k in range(4))
    inner = (slice(top, top + tall), slice(left, left + wide))
    box = (slice(y + top, y + top + tall), slice(x + left, x + left + wide))
    found[box] = _bytes(labels[inner] == 1 + order[0]) & opened[box]
    rival = int(areas[order[1]]) if len(order) > 1 else 0
    return Person(found, box, int(cv.countNonZero(found[box])), rival, len(order))


def moments(mask: Any) -> tuple[float, float, float]:
    """m00, m10, m01 of a silhouette (Eq. (1) of the paper): sums over its pixels."""
    found = opencv().moments(np.ascontiguousarray(mask, dtype=np.uint8), binaryImage=True)
    return float(found["m00"]), float(found["m10"]), float(found["m01"])


def silhouette_centre(mask: Any) -> Floats:
    """Centre of gravity (u, v) of a silhouette (Eq. (2)), NaN if it is empty, shape (2,)."""
    m00, m10, m01 = moments(mask)
    return np.array([m10 / m00, m01 / m00]) if m00 > 0.0 else np.full(2, np.nan)


def without_arms(mask: Mask, width: float) -> Mask:
    """What is left of a silhouette when everything thinner than `width` [px] is taken away."""
    cv = opencv()
    # A square instead of a disc is two passes along rows and columns: five times quicker.
    size = max(3, 2 * round(0.5 * width) + 1)
    opened: Mask = cv.morphologyEx(mask, cv.MORPH_OPEN, np.ones((size, size), np.uint8))
    return opened if opened.any() else mask


def _bytes(flags: NDArray[np.bool_]) -> Mask:
    return flags.astype(np.uint8) * np.uint8(255)


def _size(array: NDArray[Any]) -> str:
    return f"{array.shape[1]} x {array.shape[0]}"
