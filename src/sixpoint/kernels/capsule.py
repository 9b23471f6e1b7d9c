"""Distances between lines with ends, and between such lines and boxes: what capsules touch by.

Functions with a gap in their name take arrays of any leading shape: clips and all pairs at once.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .types import Floats, Vec3
from .vector import (
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)

SEARCH = 48
"""Steps of the search along a line; each leaves 0.62 of the interval: 1e-10 of it in the end."""
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
PARALLEL = 1e-10
"""Squared sine of the angle below which lines are parallel."""
CROSSED = 1e-9
"""Lines nearer than this cross [m]."""
TINY = 1e-12
"""Lines shorter than the root of this are points [m^2]."""


@helper
def nearest_points(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> tuple[Vec3, Vec3]:
    """Nearest points of the lines from a to b and from c to d (Ericson 2004, section 5.1.9).

    Exact, also for parallel lines and for points: the nearest points of the endless lines, brought
    back to the ends.
    """
    one, other, apart = vec_sub(b, a), vec_sub(d, c), vec_sub(a, c)
    aa, ee = vec_dot(one, one), vec_dot(other, other)
    bb, cc, ff = vec_dot(one, other), vec_dot(one, apart), vec_dot(other, apart)
    cross = aa * ee - bb * bb
    s = 0.0
    if aa > TINY and cross > PARALLEL * aa * ee:
        s = min(max((bb * ff - cc * ee) / cross, 0.0), 1.0)
    t = (bb * s + ff) / ee if ee > TINY else 0.0
    if t < 0.0 or t > 1.0 or ee <= TINY:
        t = min(max(t, 0.0), 1.0)
        s = min(max((bb * t - cc) / aa, 0.0), 1.0) if aa > TINY else 0.0
    return vec_add(a, vec_scale(one, s)), vec_add(c, vec_scale(other, t))


@kernel
def nearest_points_of_all(
    a: Floats, b: Floats, c: Floats, d: Floats, first: Floats, second: Floats
) -> None:
    """Write the nearest points of N pairs of lines; all arrays are (N, 3)."""
    for k in range(a.shape[0]):
        one, other = nearest_points(vec_load(a, k), vec_load(b, k), vec_load(c, k), vec_load(d, k))
        vec_store(first, k, one)
        vec_store(second, k, other)


def segment_gap(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats, Floats]:
    """Nearest points of the lines from a to b and from c to d, all (..., 3).

    Returns:
        Point of the first (..., 3), point of the second, distance (...,).
    """
    ends = [np.ascontiguousarray(end) for end in np.broadcast_arrays(a, b, c, d)]
    first, second = np.empty((2, *ends[0].shape))
    nearest_points_of_all(*(array.reshape(-1, 3) for array in (*ends, first, second)))
    return first, second, np.linalg.norm(first - second, axis=-1)


@helper
def part_box_gap(a: Vec3, way: Vec3, t: float, half: Vec3) -> float:
    """Signed distance of a point on a line, t of the way along it, from a box about the origin."""
    x = abs(a[0] + t * way[0]) - half[0]
    y = abs(a[1] + t * way[1]) - half[1]
    z = abs(a[2] + t * way[2]) - half[2]
    outside = vec_length((max(x, 0.0), max(y, 0.0), max(z, 0.0)))
    return outside + min(max(x, y, z), 0.0)


@helper
def segment_box_gap(a: Vec3, b: Vec3, half: Vec3) -> tuple[float, float]:
    """Nearest point of the line from a to b to a box about the origin with these half sizes.

    The signed distance of a convex body is convex along a line, so that a search by golden sections
    finds its least value.

    Returns:
        Signed distance, and the part of the way from a to b.
    """
    way = vec_sub(b, a)
    low, high = 0.0, 1.0
    for _ in range(SEARCH):
        width = GOLDEN * (high - low)
        if part_box_gap(a, way, high - width, half) < part_box_gap(a, way, low + width, half):
            high = low + width
        else:
            low = high - width
    t = 0.5 * (low + high)
    return part_box_gap(a, way, t, half), t


@helper
def way_apart(one: Vec3, other: Vec3, along: Vec3, beside: Vec3) -> Vec3:
    """Unit vector along which two lines part: from `other` to `one`, their nearest points.

    Lines that cross part across both of them, `along` and `beside` being their directions; lines
    that lie in each other by any way across.
    """
    way = vec_sub(one, other)
    if vec_length(way) > CROSSED:
        return vec_unit(way, (0.0, 1.0, 0.0))
    along, beside = vec_unit(along, (0.0, 1.0, 0.0)), vec_unit(beside, (0.0, 1.0, 0.0))
    way = vec_cross(along, beside)
    if vec_length(way) ** 2 < PARALLEL:
        way = vec_cross(along, (1.0, 0.0, 0.0) if abs(along[0]) < 0.5 else (0.0, 0.0, 1.0))
    return vec_unit(way, (0.0, 1.0, 0.0))
