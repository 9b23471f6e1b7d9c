"""Degrees for people, radians for kernels, without losing a bit on the way.

Not every float in radians is the image of a float in degrees. Limits therefore keep their angles
`settled`: moved, by the last bit at most, to one that is. Written in degrees and read back, it is
the same number.
"""

from __future__ import annotations

import math

DIGITS = (0, 3, 6, 9, 12)
"""Decimals of degrees that are tried before all of them."""


def to_degrees(angle: float) -> float:
    """The shortest decimal number of degrees that stands for a settled angle [rad]."""
    exact = math.degrees(angle)
    near = [math.nextafter(exact, -math.inf), math.nextafter(exact, math.inf)]
    for degrees in (*(round(exact, d) for d in DIGITS), exact, *near):
        if math.radians(degrees) == angle:
            return degrees + 0.0  # no minus zero
    return exact


def settled(angle: float) -> float:
    """The angle, or its neighbour, that degrees can express [rad]."""
    return math.radians(to_degrees(float(angle)))
