"""Random turns of joints: Gaussian in the tangent space of rotations, within limits.

The QuTem distribution of the Monte Carlo paper (section 5.1): a turn is the exponential of a random
vector t, *half* a rotation vector, and multiplies on the right, in the joint's own moving frame.
The covariance of t is what a joint can do: three large eigenvalues make a ball joint, one makes a
hinge. Draws beyond the hemisphere, |t| > pi/2, are drawn anew (A2.14).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable, limit_project, limit_violation
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_mul,
    quat_normalize,
    quat_twist_angle,
)
from ...kernels.random import random_normal3, random_normals
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import vec_cross, vec_dot, vec_length, vec_load, vec_scale

STILL, AXIAL, ROUND, SHAPED = 0, 1, 2, 3
"""How a row is drawn: not at all; a hinge about its axis; about all axes alike; by a covariance."""
FREE, TWIST, SWING = 0, 1, 2
"""What of a row stays within its slack: nothing, the twist about an axis, the swing of an axis."""
HEMISPHERE = math.pi / 2.0
REJECTED, PROJECTED, DRAWN = 0, 1, 2
"""Columns of counts: draws that limits rejected, joints brought inside, draws."""
ROUNDING = 1e-9
"""A joint that is beyond its slack by less than this is within [rad]."""


class Noise(NamedTuple):
    """How the N rows of a figure are drawn, at a scale of 1."""

    kind: Ints
    """As above, (N,)."""
    axis: Floats
    """Of a hinge, or what `bounded` speaks of, a unit vector, (N, 3)."""
    shape: Floats
    """Eigenvectors times standard deviations [rad], in columns, (N, 3, 3); times variances where
    the sampler is literal. The first number is that of axial and round rows."""
    literal: Ints
    """Whether the paper's Algorithm 2 is taken by its word, (1,)."""
    bounded: Ints
    """`FREE`, `TWIST` or `SWING`, (N,)."""
    centre: Floats
    """Twist about which it stays [rad], (N,)."""
    slack: Floats
    """How far from there, or how far the axis may swing [rad], (N,)."""
    root: Floats
    """Standard deviation of the root's place, as a part of the figure's size, (1,)."""
    tries: Ints
    """Most draws of a joint that its limit rejects; then it is brought inside, (1,)."""


@helper
def qutem_exp(t: Vec3) -> Quat:
    """Exponential of half a rotation vector: the rotation by 2 |t| about t."""
    length = vec_length(t)
    if length < 1e-9:
        return quat_normalize((1.0, t[0], t[1], t[2]))
    sine = math.sin(length) / length
    return math.cos(length), sine * t[0], sine * t[1], sine * t[2]


@helper
def qutem_draw(noise: Noise, row: int, scale: float, state: Ints) -> Vec3:
    """Half a rotation vector for a row that moves, inside the hemisphere."""
    shape = noise.shape[row]
    kind = noise.kind[row]
    t = (0.0, 0.0, 0.0)
    for _ in range(1000):  # a scale so large that this ends is no scale
        size = scale
        if kind == AXIAL and not noise.literal[0]:
            t = (random_normals(state)[0], 0.0, 0.0)
        else:
            t = random_normal3(state)
        if noise.literal[0]:
            # A direction, and a radius of deviation 1, drawn apart (A2.1).
            size *= random_normals(state)[0] / max(vec_length(t), 1e-300)
        if kind == AXIAL:
            t = vec_scale(vec_load(noise.axis, row), size * shape[0, 0] * t[0])
        elif kind == ROUND:
            t = vec_scale(t, size * shape[0, 0])
        else:
            t = (
                size * (shape[0, 0] * t[0] + shape[0, 1] * t[1] + shape[0, 2] * t[2]),
                size * (shape[1, 0] * t[0] + shape[1, 1] * t[1] + shape[1, 2] * t[2]),
                size * (shape[2, 0] * t[0] + shape[2, 1] * t[1] + shape[2, 2] * t[2]),
            )
        if vec_length(t) <= HEMISPHERE:
            return t
    return 0.0, 0.0, 0.0


@helper
def set_twist(q: Quat, axis: Vec3, twist: float) -> Quat:
    """The rotation with another twist about an axis, its swing kept; see `swing_twist_split`."""
    along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
    size = math.sqrt(q[0] * q[0] + along * along)
    if size < 1e-12:  # swung by half a circle: any twist is as good
        return q
    cosine, sine = math.cos(0.5 * twist), math.sin(0.5 * twist)
    # Its own twist backwards, then the other.
    w = (q[0] * cosine + along * sine) / size
    v = (q[0] * sine - along * cosine) / size
    return quat_normalize(quat_mul(q, (w, v * axis[0], v * axis[1], v * axis[2])))


@helper
def set_swing(q: Quat, axis: Vec3, swing: float) -> Quat:
    """The rotation with another angle of swing of an axis, its twist about it kept."""
    around = quat_twist_angle(q, axis)
    _, x, y, z = set_twist(q, axis, 0.0)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        return q
    size = math.sin(0.5 * swing) / length
    swung = (math.cos(0.5 * swing), size * x, size * y, size * z)
    return quat_mul(swung, quat_from_axis_angle(axis, around))


@helper
def swing_angle(q: Quat, axis: Vec3) -> float:
    """How far a rotation takes an axis away from itself, from 0 to pi [rad]."""
    v = (q[1], q[2], q[3])
    along = vec_dot(v, axis)
    across = vec_length(vec_cross(v, axis))
    return 2.0 * math.atan2(across, math.sqrt(q[0] * q[0] + along * along))


@helper
def hold_slack(noise: Noise, row: int, q: Quat, before: Quat) -> Quat:
    """A rotation that goes no further about the minor axes of its joint than their slack.

    A tangent covariance of rank two does not keep a joint from twisting: going round in the two
    directions it may move in turns it in the third (A2.7), and a little slack lets it wander there
    without end. Where it was beyond its slack before, it goes no further than that.
    """
    axis = vec_load(noise.axis, row)
    slack = noise.slack[row]
    if noise.bounded[row] == SWING:
        most = max(slack, swing_angle(before, axis) - ROUNDING)
        return set_swing(q, axis, most) if swing_angle(q, axis) > most else q
    low, high = noise.centre[row] - slack, noise.centre[row] + slack
    was = quat_twist_angle(before, axis)
    low = low if was > low - ROUNDING else was
    high = high if was < high + ROUNDING else was
    return set_twist(q, axis, min(high, max(low, quat_twist_angle(q, axis))))


@helper
def draw_joint(
    noise: Noise, limits: LimitTable, row: int, q: Quat, scale: float, state: Ints, counts: Ints
) -> Quat:
    """Another rotation of a joint, drawn around q within its limit: Eq. (12).

    Drawn anew while the limit rejects it. Where that goes on too long (A2.16), the last draw is
    brought inside.
    """
    turned = q
    for _ in range(noise.tries[0]):
        counts[DRAWN] += 1
        t = qutem_draw(noise, row, scale, state)
        if noise.kind[row] == AXIAL:
            # Angles add: nothing but the axis is ever turned about.
            axis = vec_load(noise.axis, row)
            along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
            half = t[0] * axis[0] + t[1] * axis[1] + t[2] * axis[2]
            cosine, sine = math.cos(half), math.sin(half)
            w, v = q[0] * cosine - along * sine, q[0] * sine + along * cosine
            turned = quat_normalize((w, v * axis[0], v * axis[1], v * axis[2]))
        else:
            turned = quat_normalize(quat_mul(q, qutem_exp(t)))
            if noise.bounded[row] != FREE:
                turned = hold_slack(noise, row, turned, q)
        if limit_violation(limits, row, turned) == 0.0:
            return turned
        counts[REJECTED] += 1
    counts[PROJECTED] += 1
    return limit_project(limits, row, turned)


@kernel
def qutem_fill(noise: Noise, row: int, scale: float, state: Ints, out: Floats) -> None:
    """Many draws of half a rotation vector, (n, 3)."""
    for i in range(out.shape[0]):
        out[i, 0], out[i, 1], out[i, 2] = qutem_draw(noise, row, scale, state)


@kernel
def walk_fill(
    noise: Noise, limits: LimitTable, row: int, scale: float, state: Ints, counts: Ints, out: Floats
) -> None:
    """A random walk of one joint, (n, 4), from the rotation in the first row."""
    for i in range(1, out.shape[0]):
        q = (out[i - 1, 0], out[i - 1, 1], out[i - 1, 2], out[i - 1, 3])
        w, x, y, z = draw_joint(noise, limits, row, q, scale, state, counts)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z
