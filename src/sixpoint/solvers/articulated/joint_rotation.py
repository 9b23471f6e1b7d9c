"""Turn one joint so that what it carries comes as near as it can to where it shall be.

How well a rotation q takes points p to goals t, the sum of w t . (q p q*), is a quadratic form in q
(Davenport): a symmetric 4 x 4 matrix, here called a *fit*. So is how well it meets a wanted
rotation. Fits add up. The best ball joint is the eigenvector of the largest eigenvalue, the best
hinge an arc tangent. Everything is in the frame of the joint's parent.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_clamp_angle, limit_project
from ...kernels.linalg import symmetric4_largest
from ...kernels.quaternion import (
    quat_canonical,
    quat_from_axis_angle,
    quat_mul,
    quat_normalize,
    quat_twist_angle,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_cross, vec_dot, vec_load, vec_scale
from .model import HINGE, Model

Fit: TypeAlias = tuple[float, Vec3, Vec3, Vec3]
"""Of the matrix: its corner ww; wx, wy, wz; xx, yy, zz; yz, zx, xy."""
STAY = 1e-9
"""Weight of not turning at all, as a part of what is asked: it decides where nothing else does."""
FELT = 1e-6
"""A hinge that its limit holds back by less than this is not limited [rad]."""
NO_AXIS = (1.0, 0.0, 0.0)
"""Axis of a turn by 180 degrees, where every one would do."""


@helper
def fit_nothing() -> Fit:
    """A fit to which others are added."""
    return (0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@helper
def fit_position(fit: Fit, here: Vec3, there: Vec3, weight: float) -> Fit:
    """Also take the point `here` to `there`, both as seen from the joint."""
    p, t = here, vec_scale(there, weight)
    same = vec_dot(p, t)
    across = vec_cross(p, t)
    corner, edge, diagonal, rest = fit
    return (
        corner + same,
        (edge[0] + across[0], edge[1] + across[1], edge[2] + across[2]),
        (
            diagonal[0] + 2.0 * p[0] * t[0] - same,
            diagonal[1] + 2.0 * p[1] * t[1] - same,
            diagonal[2] + 2.0 * p[2] * t[2] - same,
        ),
        (
            rest[0] + p[1] * t[2] + p[2] * t[1],
            rest[1] + p[2] * t[0] + p[0] * t[2],
            rest[2] + p[0] * t[1] + p[1] * t[0],
        ),
    )


@helper
def fit_rotation(fit: Fit, q: Quat, size: float, weight: float) -> Fit:
    """Also turn by q; a radian beside it counts like `size` beside a position."""
    k = 2.0 * size * size * weight
    corner, edge, diagonal, rest = fit
    return (
        corner + k * q[0] * q[0],
        (edge[0] + k * q[0] * q[1], edge[1] + k * q[0] * q[2], edge[2] + k * q[0] * q[3]),
        (
            diagonal[0] + k * q[1] * q[1],
            diagonal[1] + k * q[2] * q[2],
            diagonal[2] + k * q[3] * q[3],
        ),
        (rest[0] + k * q[2] * q[3], rest[1] + k * q[3] * q[1], rest[2] + k * q[1] * q[2]),
    )


@helper
def fit_ball(fit: Fit) -> Quat:
    """The rotation that fits best; the smallest of them where several do."""
    corner, edge, diagonal, rest = fit
    stay = STAY * (abs(corner) + abs(diagonal[0]) + abs(diagonal[1]) + abs(diagonal[2]))
    _, q = symmetric4_largest(
        (
            (corner + stay, edge[0], edge[1], edge[2]),
            (edge[0], diagonal[0], rest[2], rest[1]),
            (edge[1], rest[2], diagonal[1], rest[0]),
            (edge[2], rest[1], rest[0], diagonal[2]),
        )
    )
    return quat_canonical(q)


@helper
def fit_hinge(fit: Fit, axis: Vec3) -> float:
    """The turn about a unit axis that fits best [rad]; 0 where every one does."""
    corner, edge, diagonal, rest = fit
    x, y, z = axis
    along = diagonal[0] * x * x + diagonal[1] * y * y + diagonal[2] * z * z
    along += 2.0 * (rest[0] * y * z + rest[1] * z * x + rest[2] * x * y)
    sine, cosine = 2.0 * vec_dot(edge, axis), corner - along
    if abs(sine) + abs(cosine) < STAY * (abs(corner) + abs(along)):
        return 0.0
    return math.atan2(sine, cosine)


@helper
def swing_joint(
    limits: LimitTable, joint: int, local: Quat, here: Vec3, there: Vec3
) -> tuple[Quat, bool]:
    """Swing the point `here` of a ball joint towards `there`, within its limits.

    Returns the new local rotation, and whether a limit was felt.
    """
    rotated = quat_normalize(quat_mul(rotation_between(here, there, NO_AXIS), local))
    held = limit_project(limits, joint, rotated)
    return held, held != rotated


@helper
def joint_rotation(
    model: Model, joint: int, local: Quat, fit: Fit, count: int, last: tuple[Vec3, Vec3]
) -> tuple[Quat, bool]:
    """The best local rotation of a hinge or ball within its limits, and whether one was felt.

    `count` is how many things the fit is made of; a single one is the first point of `last` to be
    taken to the second.
    """
    if model.freedom[joint] == HINGE:
        axis = vec_load(model.axis, joint)
        wanted = quat_twist_angle(local, axis) + fit_hinge(fit, axis)
        angle = limit_clamp_angle(model.limits, joint, wanted)
        apart = abs(math.sin(0.5 * (angle - wanted)))  # whole turns are no difference
        return quat_from_axis_angle(axis, angle), 2.0 * apart > FELT
    if count == 1:
        return swing_joint(model.limits, joint, local, last[0], last[1])
    rotated = quat_normalize(quat_mul(fit_ball(fit), local))
    held = limit_project(model.limits, joint, rotated)
    return held, held != rotated
