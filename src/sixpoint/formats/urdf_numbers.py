"""Numbers in attributes of URDF: lengths [m], angles [rad], and places made of both."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..errors import FormatError
from ..kernels import arrays
from ..kernels.types import Floats
from .plain_text import finite
from .xml_text import Element

Place: TypeAlias = tuple[Floats, Floats]
"""A position [m] and a rotation, relative to a link."""
LARGEST = 1e6
"""Larger numbers are neither metres nor radians of any robot."""


def numbers_of(element: Element, key: str, count: int) -> list[float]:
    """Return the numbers of an attribute, which must be so many, finite and of sensible size."""
    text = element.attributes.get(key, "")
    found = (finite(word) for word in text.split()[: count + 1])
    numbers = [number for number in found if number is not None and abs(number) <= LARGEST]
    if len(numbers) != count or len(text.split()) != count:
        raise FormatError(
            f"Expected {count} finite numbers in `{key}` of `{element.tag:.40}`, got {text!r:.80}.",
            line=element.line,
        )
    return numbers


def number_of(element: Element, key: str, usual: float | None = None) -> float:
    """Return the number of an attribute, or the usual one, if there is one, where it is missing."""
    if usual is not None and key not in element.attributes:
        return usual
    return numbers_of(element, key, 1)[0]


def vector_of(element: Element | None, key: str, usual: tuple[float, float, float]) -> Floats:
    """Return the three numbers of an attribute, or the usual ones where it is missing."""
    if element is None or key not in element.attributes:
        return np.array(usual)
    return np.array(numbers_of(element, key, 3))


def place_of(element: Element) -> Place:
    """Return the `origin` in an element: position [m] and rotation."""
    origin = element.first("origin")
    roll, pitch, yaw = vector_of(origin, "rpy", (0.0, 0.0, 0.0))
    turn = arrays.from_euler("ZYX", np.array([yaw, pitch, roll]))
    return vector_of(origin, "xyz", (0.0, 0.0, 0.0)), turn
