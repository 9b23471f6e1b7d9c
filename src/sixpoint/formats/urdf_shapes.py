"""Collision elements of URDF as capsules: spheres, capsules, cylinders and boxes."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from ..errors import FormatError
from ..kernels import arrays
from ..kernels.types import Floats
from .urdf_numbers import number_of, numbers_of, place_of
from .xml_text import Element

Line: TypeAlias = tuple[Floats, Floats, float]
"""Both ends of a capsule's line in the frame of its link, and its radius [m]."""
MOST_BARS = 4
"""Most capsules that stand for one box, side by side."""


def capsules_of(link: Element) -> tuple[list[Line], bool]:
    """Return the capsules of a link, and whether it has shapes that no capsule stands for."""
    lines: list[Line] = []
    other = False
    for collision in link.all("collision"):
        geometry = collision.first("geometry")
        offset, turn = place_of(collision)
        for shape in () if geometry is None else geometry.children:
            read = SHAPES.get(shape.tag)
            if read is None:
                other = True
                continue
            lines += [
                (offset + arrays.rotate(turn, start), offset + arrays.rotate(turn, end), radius)
                for start, end, radius in read(shape)
            ]
    return lines, other


def _sphere(shape: Element) -> list[Line]:
    return [(np.zeros(3), np.zeros(3), _size(shape, "radius"))]


def _capsule(shape: Element) -> list[Line]:
    half = np.array((0.0, 0.0, 0.5 * _size(shape, "length")))
    return [(-half, half, _size(shape, "radius"))]


def _cylinder(shape: Element) -> list[Line]:
    """A capsule of the same radius; its round ends lie within the length of the cylinder."""
    radius, length = _size(shape, "radius"), _size(shape, "length")
    half = np.array((0.0, 0.0, max(0.5 * length - radius, 0.0)))
    return [(-half, half, radius)]


def _box(shape: Element) -> list[Line]:
    """Capsules along the longest side, as thick as the shortest, next to each other."""
    sizes = np.array(numbers_of(shape, "size", 3))
    if not (sizes > 0.0).all():
        raise FormatError(
            f"Expected a `size` above zero of a box, got {sizes.tolist()}.", line=shape.line
        )
    thin, wide, long = np.argsort(sizes, kind="stable")
    count = min(MOST_BARS, math.ceil(sizes[wide] / sizes[thin]))
    radius = 0.5 * float(max(sizes[thin], sizes[wide] / count))
    half = np.zeros(3)
    half[long] = max(0.5 * sizes[long] - radius, 0.0)
    lines = []
    for k in range(count):
        beside = np.zeros(3)
        room = max(0.5 * sizes[wide] - radius, 0.0)
        beside[wide] = room * (2.0 * k / (count - 1) - 1.0) if count > 1 else 0.0
        lines.append((beside - half, beside + half, radius))
    return lines


SHAPES = {"sphere": _sphere, "capsule": _capsule, "cylinder": _cylinder, "box": _box}
"""Kind of geometry -> its capsules."""


def _size(shape: Element, key: str) -> float:
    size = number_of(shape, key)
    if not size > 0.0:
        raise FormatError(
            f"Expected a `{key}` above zero of a {shape.tag}, got {size:g}.", line=shape.line
        )
    return size
