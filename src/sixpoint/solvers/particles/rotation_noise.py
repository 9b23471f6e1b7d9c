"""Random rotations of joints: Gaussian in the tangent space of rotations, within limits.

The distribution of Courty and Arnaud 2008, section 5.1: a draw is the exponential of a random
vector t, *half* a rotation vector, and multiplies on the right, in the joint's own moving frame.
The covariance of t says what a joint can do: three large eigenvalues make a ball joint, one makes a
hinge. Draws beyond the hemisphere, |t| > pi/2, are drawn anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...kernels._jit import helper
from ...kernels.limits import limit_project, limit_violation
from ...kernels.quaternion import quat_from_axis_angle, quat_mul, quat_normalize, quat_twist_angle
from ...kernels.random import random_normal3, random_normals
from ...kernels.types import Bools, Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
)
from ...limits import FixedLimit, Limits, SwingTwistLimit
from ..articulated.context import Context
from ..articulated.model import HINGE, Model

FIXED, AXIAL, ROUND, SHAPED = 0, 1, 2, 3
"""How a joint is drawn: not at all; a hinge about its axis; alike about all axes; by a
covariance."""
FREE, TWIST, SWING = 0, 1, 2
"""What of a joint stays within its slack: nothing, the twist about an axis, the swing of an
axis."""
GAUSSIAN, PAPER = 0, 1
"""Choices of the setting `sampler`."""
HEMISPHERE = math.pi / 2.0
ROUNDING = 1e-9
"""A joint that is beyond its slack by less than this is within [rad]."""
NO_VARIANCE = 1e-12
"""A variance below this part of the largest is none: the joint does not turn about that axis."""
MINOR = 0.2
"""A deviation below this part of the next is slack: what a joint does besides its axes."""
SLACK = 3.0
"""A joint goes no further than so many deviations of its slack."""
SHORTEST = 0.02
"""No joint counts as reaching less far than this part of the skeleton."""


class Noise(NamedTuple):
    """How the N joints of a model are drawn, at a scale of 1."""

    kind: Ints  # `FIXED`, `AXIAL`, `ROUND` or `SHAPED`, (N,)
    axis: Floats  # of a hinge, or the one that `bounded` speaks of, a unit vector, (N, 3)
    # eigenvectors times standard deviations [rad], in columns, (N, 3, 3); times variances for the
    # sampler of the paper. The first number is that of axial and round joints
    shape: Floats
    bounded: Ints  # `FREE`, `TWIST` or `SWING`, (N,)
    centre: Floats  # twist about which it stays [rad], (N,)
    slack: Floats  # how far from there, or how far the axis may swing [rad], (N,)


def covariance_of(name: str, given: ArrayLike) -> Floats:
    """Return the covariance (3, 3) [rad^2] that a setting means: itself, or three deviations."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape == (3,) and np.isfinite(array).all() and (array >= 0.0).all():
        return np.diag(array**2)
    if array.shape == (3, 3) and np.isfinite(array).all() and np.allclose(array, array.T):
        least = np.linalg.eigvalsh(array).min()
        if least >= -NO_VARIANCE * max(np.abs(array).max(), NO_VARIANCE):
            return array
    raise InputError(
        f"Expected three deviations >= 0, or a covariance (3, 3), for the joint {name!r}; "
        f"got {given!r}."
    )


def build_noise(
    model: Model,
    names: Sequence[str],
    limits: Limits,
    covariances: Mapping[str, Floats],
    sampler: str = "gaussian",
) -> Noise:
    """Return how each joint is drawn, by its freedom, its covariance and its limit.

    A ball joint whose limit leaves it no twist has two degrees of freedom. `sampler` is the setting
    of the solver.
    """
    paper = sampler == "paper"
    count = len(names)
    kind, bounded = np.zeros(count, np.int64), np.zeros(count, np.int64)
    axis, shape = np.zeros((count, 3)), np.zeros((count, 3, 3))
    centre, slack = np.zeros(count), np.zeros(count)
    for joint, name in enumerate(names):
        limit = limits.get(name) if name else None
        covariance = covariances.get(name, np.eye(3))
        if model.freedom[joint] == 0 or isinstance(limit, FixedLimit):
            continue  # still
        if model.freedom[joint] == HINGE:
            axis[joint] = model.axis[joint]
            variance = float(axis[joint] @ covariance @ axis[joint])
            kind[joint] = AXIAL if variance > 0.0 else FIXED
            shape[joint] = np.eye(3) * (variance if paper else np.sqrt(variance))
            continue
        if isinstance(limit, SwingTwistLimit) and limit.twist[0] == limit.twist[1]:
            bone = np.array(limit.bone)
            across = np.eye(3) - np.outer(bone, bone)
            covariance = across @ covariance @ across
            centre[joint] = limit.twist[0]
        values, vectors = np.linalg.eigh(covariance)
        values = np.where(values > NO_VARIANCE * max(values.max(), NO_VARIANCE), values, 0.0)
        sizes = values if paper else np.sqrt(values)
        kind[joint] = SHAPED if values.any() else FIXED
        shape[joint] = vectors * sizes
        least, middle, most = np.sqrt(values)
        if middle < MINOR * most:
            # One axis. With none besides it no draw swings it, and there is nothing to hold.
            bounded[joint], axis[joint] = SWING if middle > 0.0 else FREE, vectors[:, 2]
            slack[joint] = 2.0 * SLACK * middle
        elif least < MINOR * middle:
            bounded[joint], axis[joint] = TWIST, vectors[:, 0]
            slack[joint] = 2.0 * SLACK * least
        elif np.ptp(values) < NO_VARIANCE * values.max():
            kind[joint], shape[joint] = ROUND, np.eye(3) * sizes[0]
    return Noise(kind, axis, shape, bounded, centre, slack)


def longest_below(parents: Ints, offsets: Floats) -> Floats:
    """Longest way from each node along the bones below it [m], (K,); parents stand before."""
    out = np.zeros(len(parents))
    for node in range(len(parents) - 1, 0, -1):
        bone = float(np.linalg.norm(offsets[node]))
        out[parents[node]] = max(out[parents[node]], bone + out[node])
    return out


def reach_scales(reach: Floats, drawn: Bools, lever: float) -> Floats:
    """What noise of each joint is multiplied by, (N,): 1 over its reach to the power of `lever`.

    With all joints alike, the ends of a skeleton stand still beside what its root does: a finger
    waits until the elbow draws next to nothing. All joints together move the ends as far as they
    would, drawn alike.
    """
    longest = float(reach[drawn].max(initial=0.0))
    if longest <= 0.0:
        return np.ones(len(reach))
    reach = np.maximum(reach, SHORTEST * longest)
    scales = reach**-lever
    alike, now = ((part[drawn] ** 2).sum() for part in (reach, scales * reach))
    return np.asarray(scales * np.sqrt(alike / now))


@helper
def half_exp(t: Vec3) -> Quat:
    """Exponential of half a rotation vector: the rotation by 2 |t| about t."""
    length = vec_length(t)
    if length < 1e-9:
        return quat_normalize((1.0, t[0], t[1], t[2]))
    sine = math.sin(length) / length
    return math.cos(length), sine * t[0], sine * t[1], sine * t[2]


@helper
def draw_half_rotation(noise: Noise, joint: int, scale: float, sampler: int, random: Ints) -> Vec3:
    """Half a rotation vector for a joint that moves, inside the hemisphere."""
    shape = noise.shape[joint]
    kind = noise.kind[joint]
    t = (0.0, 0.0, 0.0)
    for _ in range(1000):  # a scale so large that this ends is no scale
        size = scale
        if kind == AXIAL and sampler != PAPER:
            t = (random_normals(random)[0], 0.0, 0.0)
        else:
            t = random_normal3(random)
        if sampler == PAPER:
            # Algorithm 2 by its word: a direction, and a radius of deviation 1, drawn apart.
            size *= random_normals(random)[0] / max(vec_length(t), 1e-300)
        if kind == AXIAL:
            t = vec_scale(vec_load(noise.axis, joint), size * shape[0, 0] * t[0])
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
    """The rotation with another twist about an axis, its swing kept."""
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
def hold_slack(noise: Noise, joint: int, q: Quat, before: Quat) -> Quat:
    """Return a rotation that goes no further about the minor axes of its joint than their slack.

    A tangent covariance of rank two does not keep a joint from twisting: turns about two axes add
    up to a turn about the third. A joint that was beyond its slack goes no further.
    """
    axis = vec_load(noise.axis, joint)
    slack = noise.slack[joint]
    if noise.bounded[joint] == SWING:
        most = max(slack, swing_angle(before, axis) - ROUNDING)
        return set_swing(q, axis, most) if swing_angle(q, axis) > most else q
    low, high = noise.centre[joint] - slack, noise.centre[joint] + slack
    was = quat_twist_angle(before, axis)
    low = low if was > low - ROUNDING else was
    high = high if was < high + ROUNDING else was
    return set_twist(q, axis, min(high, max(low, quat_twist_angle(q, axis))))


@helper
def go_on(fresh: Vec3, before: Vec3, momentum: float) -> Vec3:
    """A draw that goes on in part as the one before: a first-order autoregression.

    Its variance stays that of a fresh draw.
    """
    part = math.sqrt(1.0 - momentum * momentum)
    return vec_add(vec_scale(before, momentum), vec_scale(fresh, part))


@helper
def draw_joint(
    c: Context, joint: int, q: Quat, scale: float, drift: Floats, momentum: float
) -> Quat:
    """Another rotation of a joint, drawn around q within its limit: Courty and Arnaud, Eq. (12).

    Drawn anew while the limit rejects it. Where that goes on too long, the last draw is projected
    into the limit. `drift` has the last draw of each joint at a scale of 1, (N, 3); a part of it
    lasts, which is the `momentum`.
    """
    noise, limits, particles = c.scratch.noise, c.model.limits, c.scratch.particles
    state = particles.state[0]
    rotation, before = q, vec_scale(vec_load(drift, joint), scale)
    for _ in range(c.settings.tries):
        state.drawn += 1
        t = draw_half_rotation(noise, joint, scale, c.settings.sampler, particles.random)
        if momentum > 0.0:
            t = go_on(t, before, momentum)
            if vec_length(t) > HEMISPHERE:
                state.rejected += 1
                continue
            vec_store(drift, joint, vec_scale(t, 1.0 / scale))
        if noise.kind[joint] == AXIAL:
            # Angles add: nothing but the axis is ever turned about.
            axis = vec_load(noise.axis, joint)
            along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
            half = t[0] * axis[0] + t[1] * axis[1] + t[2] * axis[2]
            cosine, sine = math.cos(half), math.sin(half)
            w, v = q[0] * cosine - along * sine, q[0] * sine + along * cosine
            rotation = quat_normalize((w, v * axis[0], v * axis[1], v * axis[2]))
        else:
            rotation = quat_normalize(quat_mul(q, half_exp(t)))
            if noise.bounded[joint] != FREE:
                rotation = hold_slack(noise, joint, rotation, q)
        if limit_violation(limits, joint, rotation) == 0.0:
            return rotation
        state.rejected += 1
    state.projected += 1
    return limit_project(limits, joint, rotation)
