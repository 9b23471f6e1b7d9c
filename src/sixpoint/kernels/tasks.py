"""Residuals of tasks and how they change, as numbers.

Each formula stands here once. The tasks of `sixpoint.tasks` call it as plain Python, the kernels of
solvers compile it in. A *column* is the change of a measured value for a unit speed of one degree
of freedom, which turns about a world `axis`; `arm` leads from its joint to the point in question.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._jit import helper
from .quaternion import (
    quat_angle,
    quat_conj,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
)
from .types import Floats, Ints, Quat, Vec3
from .vector import (
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_sub,
    vec_unit,
)

NO_DIRECTION = 1e-9
"""A target nearer to the eye than this has no direction [m]; quaternions nearer to each other than
this, no axis between them [rad]."""
INSIDE, AT_CORNER = -2, -1
"""What `support_nearest` gives instead of the number of an edge."""
ON_LINE = 1e-12
"""Corners whose triangle is smaller than this are on a line [m^2]."""


@helper
def precision_square(precision: Floats, residual: Vec3) -> float:
    """Squared length of a residual by the inverse of its covariance (3, 3)."""
    total = 0.0
    for k in range(3):
        total += residual[k] * vec_dot(vec_load(precision, k), residual)
    return total


@helper
def reach_residual(target: Vec3, position: Vec3) -> Vec3:
    """Vector from a point to its target [m]."""
    return vec_sub(target, position)


@helper
def reach_column(axis: Vec3, arm: Vec3) -> Vec3:
    """Velocity of a point [m/rad]."""
    return vec_cross(axis, arm)


@helper
def orient_residual(wanted: Quat, now: Quat) -> Vec3:
    """Rotation vector that takes a rotation to the wanted one, in their parent's frame [rad]."""
    return quat_to_rotvec(quat_mul(wanted, quat_conj(now)))


@helper
def orient_column(residual: Vec3, axis: Vec3) -> Vec3:
    """How an orientation residual falls, in the metric of rotation vectors.

    The inverse of the right Jacobian of rotations: log(exp(r) exp(-w)) = r - J w for a small w. It
    is the axis itself where nothing is missing, and J r = r: a step with J w = r goes straight.
    """
    angle = vec_length(residual)
    # The quotient of small numbers says nothing; its series leaves 1e-13 out.
    curved = 1.0 / 12.0 + angle * angle / 720.0
    if angle > 1e-2:
        curved = 1.0 / (angle * angle) - 0.5 / (angle * math.tan(0.5 * angle))
    across = vec_cross(residual, axis)
    bent = vec_scale(vec_cross(residual, across), curved)
    return vec_add(vec_add(axis, vec_scale(across, 0.5)), bent)


@helper
def look_residual(target: Vec3, eye: Vec3, direction: Vec3) -> Vec3:
    """Difference of the unit vectors towards a target and along the line of sight.

    A target at the eye asks for nothing.
    """
    away = vec_sub(target, eye)
    distance = vec_length(away)
    if distance < NO_DIRECTION:
        return (0.0, 0.0, 0.0)
    towards = (away[0] / distance, away[1] / distance, away[2] / distance)
    return vec_sub(towards, direction)


@helper
def look_column(away: Vec3, direction: Vec3, rotation_axis: Vec3, velocity: Vec3) -> Vec3:
    """How a look residual falls.

    Args:
        away: from the eye to the target [m].
        direction: unit vector along the line of sight.
        rotation_axis: axis of the degree of freedom; zero if it does not turn the joint.
        velocity: of the eye [m/rad].
    """
    distance = vec_length(away)
    if distance < NO_DIRECTION:
        return (0.0, 0.0, 0.0)
    towards = vec_scale(away, 1.0 / distance)
    aside = vec_scale(vec_reject(velocity, towards), 1.0 / distance)
    return vec_add(vec_cross(rotation_axis, direction), aside)


@helper
def floor_residual(floor: float, height: float, lifts: bool) -> float:
    """Height of the floor less that of a point [m]; zero above it for a point that may lift."""
    missing = floor - height
    return 0.0 if lifts and missing < 0.0 else missing


@helper
def coupling_angle(follower: float, leader: float, ratio: float) -> float:
    """Angle by which a coupled hinge is bent too far [rad]."""
    return follower - ratio * leader


@helper
def smoothness_energy(local: Floats, pairs: Ints, first: int, last: int) -> float:
    """Sum of the angles between pairs of local rotations (N, 4), Courty & Arnaud 2008, Eq. (16).

    The paper sums half angles and counts every pair from both sides.
    """
    total = 0.0
    for k in range(first, last):
        total += quat_angle(quat_load(local, pairs[k, 0]), quat_load(local, pairs[k, 1]))
    return total


@helper
def smoothness_axis(one: Quat, other: Quat) -> Vec3:
    """Unit axis of the rotation from one to the other; zero where they are the same."""
    rotation = orient_residual(other, one)
    return vec_unit(rotation, (0.0, 0.0, 0.0))


@helper
def posture_square(one: Quat, other: Quat) -> float:
    """Squared angle between two rotations [rad^2]."""
    return quat_angle(one, other) ** 2


@helper
def support_nearest(
    support: Floats, first: int, last: int, x: float, z: float
) -> tuple[float, float, int]:
    """The point of a convex support nearest to (x, z).

    Args:
        support: corners (x, z), counter-clockwise seen from below (x towards z) [m], (K, 2).
        first: the first corner of this support.
        last: one beyond its last corner.
        x: of the point.
        z: of the point.

    Returns:
        The nearest x and z, and the first corner of the edge on which it lies; `AT_CORNER`, or
        `INSIDE` if it is the point itself.
    """
    inside = last - first > 2
    best, near_x, near_z, edge = math.inf, support[first, 0], support[first, 1], AT_CORNER
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        ax, az = support[k, 0], support[k, 1]
        ex, ez = support[after, 0] - ax, support[after, 1] - az
        if ex * (z - az) - ez * (x - ax) < 0.0:
            inside = False
        square = ex * ex + ez * ez
        along = 0.0
        if square > 0.0:
            along = ((x - ax) * ex + (z - az) * ez) / square
        t = min(1.0, max(0.0, along))
        px, pz = ax + t * ex, az + t * ez
        away = (x - px) * (x - px) + (z - pz) * (z - pz)
        if away < best:
            best, near_x, near_z = away, px, pz
            edge = k if 0.0 < along < 1.0 else AT_CORNER
    if inside:
        return x, z, INSIDE
    return near_x, near_z, edge


@helper
def convex_hull(points: Floats, hull: Floats) -> int:
    """Write the corners of the hull of points (K, 2) into an array (K, 2), each corner once.

    By wrapping: counter-clockwise from the least x, then the least z, from each corner to the one
    that has all others on its left.

    Returns:
        How many corners there are.
    """
    count = points.shape[0]
    start = 0
    for k in range(1, count):
        x, z = points[k, 0], points[k, 1]
        if x < points[start, 0] or (x == points[start, 0] and z < points[start, 1]):
            start = k
    here, found = start, 0
    for _ in range(count):
        ax, az = points[here, 0], points[here, 1]
        hull[found, 0], hull[found, 1] = ax, az
        found += 1
        there = here
        for k in range(count):
            tx, tz = points[there, 0] - ax, points[there, 1] - az
            px, pz = points[k, 0] - ax, points[k, 1] - az
            turn = tx * pz - tz * px
            longer = math.hypot(px, pz) > math.hypot(tx, tz)
            if there == here or turn < -ON_LINE or (turn < ON_LINE and longer):
                there = k
        if points[there, 0] == points[start, 0] and points[there, 1] == points[start, 1]:
            break
        here = there
    return found


class Masses(NamedTuple):
    """Masses of N joints, as parts of the whole, which is 1."""

    share: Floats
    """(N,)."""
    moment: Floats
    """Share times the position of its centre in the frame of the joint [m], (N, 3)."""


@helper
def mass_moment(masses: Masses, joint: int, world: Floats, position: Floats) -> Vec3:
    """Mass of one joint, times the position of its centre in the world [m]."""
    own = quat_rotate(quat_load(world, joint), vec_load(masses.moment, joint))
    return vec_add(vec_scale(vec_load(position, joint), masses.share[joint]), own)


@helper
def mass_centre(masses: Masses, world: Floats, position: Floats) -> Vec3:
    """Centre of mass [m], from world rotations (N, 4) and positions (N, 3)."""
    centre = (0.0, 0.0, 0.0)
    for joint in range(masses.share.shape[0]):
        centre = vec_add(centre, mass_moment(masses, joint, world, position))
    return centre


@helper
def carry_masses(
    masses: Masses, parent: Ints, world: Floats, position: Floats, carried: Floats
) -> None:
    """Write the mass that moves with each joint, and that mass times its centre [m], (N, 4)."""
    count = masses.share.shape[0]
    for joint in range(count):
        moment = mass_moment(masses, joint, world, position)
        quat_store(carried, joint, (masses.share[joint], moment[0], moment[1], moment[2]))
    for joint in range(count - 1, -1, -1):
        if parent[joint] >= 0:
            for k in range(4):
                carried[parent[joint], k] += carried[joint, k]


@helper
def centre_column(axis: Vec3, position: Vec3, carried: Floats) -> Vec3:
    """Velocity of the centre of mass (Boulic, Mas & Thalmann 1996) [m/rad].

    Args:
        axis: of the degree of freedom.
        position: of its joint [m].
        carried: what moves with the joint, as `carry_masses` writes it, (4,).
    """
    arm = vec_sub((carried[1], carried[2], carried[3]), vec_scale(position, carried[0]))
    return vec_cross(axis, arm)
