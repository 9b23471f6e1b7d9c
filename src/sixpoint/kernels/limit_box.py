"""Boxes of Euler angles: how far beyond one is a rotation, and which one inside is nearest.

One decomposition serves every order: a = Rz(phi) Ry(psi) Rz(theta), in half angles (see
`arrays.to_zyz`). XYZ is the same seen from frames that are turned by constant rotations,

    Rx(a) Ry(b) Rz(c) = Ry(90) Rz(a + 180) Ry(90 - b) Rz(c - 180)

so that both of its locks (b = +-90) are those of ZYZ (psi = 0 and 180). In a lock only phi + theta,
or phi - theta, can be seen: what is inside is then any rotation that some pair of allowed angles
gives.
"""

from __future__ import annotations

import math
from typing import Any

from ._jit import helper
from .quaternion import quat_canonical, quat_conj, quat_mul
from .rotation import angle_wrap, quat_from_zyz
from .types import Quat, Vec3

TOLERANCE = 1e-9
"""A rotation this little beyond its limit counts as inside [rad]: what was clamped stays so."""

LOCK = 1e-5
"""Nearer than this to 0 or pi, psi is locked [rad]: phi and theta would be rounding noise of more
than a tenth of the tolerance."""


def box_ends(low: float, high: float) -> tuple[float, float]:
    """Ends of psi that keep clear of the borders of the locks, at most 2e-5 rad farther out.

    Otherwise rounding could take what was clamped across a border, and outside again.
    """
    near, far = 2.0 * LOCK, math.pi - 2.0 * LOCK
    low = 0.0 if low < near else math.pi if low > math.pi - LOCK else min(low, far)
    high = math.pi if high > far else 0.0 if high < LOCK else max(high, near)
    return low, high


@helper
def limit_into(limit: Any, q: Quat) -> Quat:
    """The rotation that a limit with frames speaks of: before* q after*."""
    b = limit["before"]
    a = limit["after"]
    inner = quat_mul(quat_conj((b[0], b[1], b[2], b[3])), q)
    return quat_mul(inner, quat_conj((a[0], a[1], a[2], a[3])))


@helper
def limit_out_of(limit: Any, q: Quat) -> Quat:
    """Rotation of the joint for one in the frames of its limit: the inverse of `limit_into`."""
    b = limit["before"]
    a = limit["after"]
    return quat_mul(quat_mul((b[0], b[1], b[2], b[3]), q), (a[0], a[1], a[2], a[3]))


@helper
def angle_excess(angle: float, middle: float, half: float) -> float:
    """Signed way beyond the nearer end of an interval; 0 inside and within the tolerance."""
    way = angle_wrap(angle - middle)
    over = abs(way) - half
    return math.copysign(over, way) if over > TOLERANCE else 0.0


@helper
def box_excess(limit: Any, q: Quat) -> tuple[Vec3, Vec3]:
    """Angles phi, psi, theta of a rotation, and how far each is beyond its interval [rad].

    In a lock phi and theta are a pair that keeps what can be seen of them, inside the box if there
    is one, and the excess of what can be seen stands with phi.
    """
    middle = limit["box_middle"]
    half = limit["box_half"]
    a = limit_into(limit, quat_canonical(q))  # q and -q must give the same
    psi = 2.0 * math.atan2(
        math.sqrt(a[1] * a[1] + a[2] * a[2]), math.sqrt(a[0] * a[0] + a[3] * a[3])
    )
    half_sum = math.atan2(a[3], a[0])
    half_difference = math.atan2(-a[1], a[2])
    near, far = psi < LOCK, psi > math.pi - LOCK
    beyond = 0.0
    if psi > limit["box_high"] + TOLERANCE and not near:
        beyond = psi - limit["box_high"]
    elif psi < limit["box_low"] - TOLERANCE and not far:
        beyond = psi - limit["box_low"]
    if near or far:
        sign = 1.0 if near else -1.0
        seen = 2.0 * (half_sum if near else half_difference)
        centre = middle[0] + sign * middle[2]
        width = half[0] + half[2]
        over = angle_excess(seen, centre, width)
        share = (angle_wrap(seen - centre) - over) / width if width > 0.0 else 0.0
        share = min(max(share, -1.0), 1.0)
        phi = middle[0] + share * half[0]
        theta = middle[2] + sign * share * half[2]
        return (phi + over, psi, theta), (over, beyond, 0.0)
    phi = half_sum + half_difference
    theta = half_sum - half_difference
    return (phi, psi, theta), (
        angle_excess(phi, middle[0], half[0]),
        beyond,
        angle_excess(theta, middle[2], half[2]),
    )


@helper
def box_violation(limit: Any, q: Quat) -> float:
    """How far beyond the box [rad], the three angles added."""
    _, over = box_excess(limit, q)
    return abs(over[0]) + abs(over[1]) + abs(over[2])


@helper
def box_project(limit: Any, q: Quat) -> Quat:
    """Each angle at the nearer end of its interval; q itself if inside."""
    angles, over = box_excess(limit, q)
    if over[0] == 0.0 and over[1] == 0.0 and over[2] == 0.0:
        return q
    return limit_out_of(
        limit, quat_from_zyz(angles[0] - over[0], angles[1] - over[1], angles[2] - over[2])
    )
