"""Distances between lines with ends, and between such lines and boxes: what capsules touch by.

NumPy over arrays of any leading shape: clips and all pairs at once. Kernels take `way_apart`, too.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper
from .types import Floats, Vec3
from .vector import vec_cross, vec_length, vec_sub, vec_unit

SEARCH = 48
"""Steps of the search along a line; each leaves 0.62 of the interval: 1e-10 of it in the end."""
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
PARALLEL = 1e-10
"""Squared sine of the angle below which lines are parallel."""
CROSSED = 1e-9
"""Lines nearer than this cross [m]."""
TINY = 1e-12
"""Lines shorter than the root of this are points [m^2]."""


def segment_gap(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats, Floats]:
    """Nearest points of the lines from a to b and from c to d, all (..., 3).

    Exact, also for parallel lines and for points (Ericson 2004, section 5.1.9): the nearest points
    of the endless lines, brought back to the ends.

    Returns:
        Point of the first (..., 3), point of the second, distance (...,).
    """
    along, other, apart = b - a, d - c, a - c
    aa, ee = np.sum(along * along, -1), np.sum(other * other, -1)
    bb, cc = np.sum(along * other, -1), np.sum(along * apart, -1)
    ff = np.sum(other * apart, -1)
    cross = aa * ee - bb * bb
    safe_a, safe_e = np.maximum(aa, TINY), np.maximum(ee, TINY)
    askew = cross > PARALLEL * aa * ee
    s = np.where(askew, (bb * ff - cc * ee) / np.where(askew, cross, 1.0), 0.0)
    s = np.where(aa > TINY, np.clip(s, 0.0, 1.0), 0.0)
    t = np.where(ee > TINY, (bb * s + ff) / safe_e, 0.0)
    t_in = np.clip(t, 0.0, 1.0)
    again = np.clip((bb * t_in - cc) / safe_a, 0.0, 1.0)
    s = np.where((t != t_in) | (ee <= TINY), np.where(aa > TINY, again, 0.0), s)
    first, second = a + s[..., None] * along, c + t_in[..., None] * other
    return first, second, np.linalg.norm(first - second, axis=-1)


def box_gap(points: Floats, half: Floats) -> Floats:
    """Signed distance of points (..., 3) from a box about the origin: negative inside."""
    away = np.abs(points) - half
    outside = np.linalg.norm(np.maximum(away, 0.0), axis=-1)
    return np.asarray(outside + np.minimum(away.max(axis=-1), 0.0))


def segment_box_gap(a: Floats, b: Floats, half: Floats) -> tuple[Floats, Floats]:
    """Nearest point of the line from a to b (..., 3) to a box about the origin.

    The signed distance of a convex body is convex along a line, so that a search by golden sections
    finds its least value.

    Returns:
        Signed distance (...,), and the part of the way from a to b (...,).
    """
    low, high = np.zeros(a.shape[:-1]), np.ones(a.shape[:-1])
    way = b - a
    for _ in range(SEARCH):
        width = GOLDEN * (high - low)
        one, two = high - width, low + width
        nearer = box_gap(a + one[..., None] * way, half) < box_gap(a + two[..., None] * way, half)
        low, high = np.where(nearer, low, one), np.where(nearer, two, high)
    t = 0.5 * (low + high)
    return box_gap(a + t[..., None] * way, half), t


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
