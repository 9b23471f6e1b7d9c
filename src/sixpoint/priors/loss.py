"""Loss of the network: errors of the body that follows from its outputs.

The body is made as the guided solver makes it, with derivatives (`autograd`): stations of the spine
from their axes, within joint limits, which the solver keeps; limbs by two bones in the plane of
their hinge axis, from shoulder and hip to the tracked points; hands by twist and swing. What the
solver does beyond that (the exact step for the head, limits of limbs) changes little, and training
through it gained nothing.

The errors are those by which solvers are judged (Unzueta et al. 2008, section 9): in each frame the
mean over 22 joints of the distances and of the angles between rotations relative to the part below,
then the root mean square over frames for positions. Single distances and angles are not squared: a
few joints that nobody can guess must not decide. All are smoothed near zero.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..limits.adult import SPINE
from ..limits.models import SwingTwistLimit
from . import autograd as ad
from .autograd import Array, Value
from .layout import ENDS, HINGES, ROWS
from .poses import ARMS, CHEST, HEAD, LIMBS, PELVIS, STATIONS, TORSO, TORSO_PARTS

TINY = 1e-8
"""Added to the squared length of a vector before it is normalised."""
HINGE_TINY = 1e-6
"""The same number for a hinge axis, which may lie along its limb."""
FULL = 0.9995
"""Part of a limb's length that it may reach, as in the solver."""
REGIONS = ("lumbar", "thoracic", "thoracic", "cervical", "cervical", "cervical")
"""Region of the joint between each station and the next."""
DEGREES = 360
"""Samples of a limit's boundary."""


SMOOTH_DISTANCE, SMOOTH_ANGLE = 1e-6, 1e-4
"""Squares of the distances (parts of height) and angles [rad] below which a cost is smooth."""
POSITION_COST, ROTATION_COST, LENGTH_COST = 10.0, 1.0, 0.02
"""What errors of positions and of rotations cost, and directions of another length than 1."""
SCORED = 22.0
ROTATION_COSTS = np.ones(21, np.float32)
"""Weight of the angle of each of the 21 rotations."""
ROTATION_COSTS[15:17] = 0.5  # the twist of a forearm, which counts with no joint or the hand's


class Body(NamedTuple):
    """Builds, one for each row; lengths as parts of height."""

    parts: Array
    """Parts of torso and neck, shape (N, 5, 3)."""
    bases: Array
    """Hips from the pelvis, clavicles from the base of the neck, shape (N, 4, 3)."""
    clavicles: Array
    """Shape (N, 2, 3)."""
    bones: Array
    """Shape (N, 4, 2)."""


class Answer(NamedTuple):
    """Rotations and positions of the body, in the facing."""

    locals: Value
    """Rotation matrices relative to the part below: pelvis (in the facing), six joints of the
    spine, four shoulders and hips, four elbows and knees, two twists of forearms, two hands, two
    feet; shape (N, 21, 3, 3)."""
    positions: Value
    """Five of the spine, clavicles, shoulders and hips, elbows and knees, shape (N, 15, 3)."""


class Batch(NamedTuple):
    """What answers are made from and compared with, in the facing; lengths as parts of height."""

    points: Array
    """Head, wrists and ankles as they were seen, shape (N, 5, 3)."""
    body: Body
    rotations: Array
    """Rotations as in `Answer.locals`, shape (N, 21, 3, 3)."""
    positions: Array
    """Positions as in `Answer.positions`, shape (N, 15, 3)."""


def loss(outputs: Value, batch: Batch) -> Value:
    """The cost of outputs (N, 78)."""
    positions, rotations = errors(answer(outputs, batch.points, batch.body), batch)
    rows = outputs.reshape(len(batch.points), ROWS, 3)
    excess = ad.dot(rows, rows) - 1.0
    cost = (
        ad.sqrt((positions * positions).mean()) * POSITION_COST + rotations.mean() * ROTATION_COST
    )
    return cost + (excess * excess).mean() * LENGTH_COST


def errors(found: Answer, batch: Batch) -> tuple[Value, Value]:
    """Mean distance and mean angle of the scored joints in each frame, shape (N,) each."""
    gap = found.positions - batch.positions
    distances = ad.sqrt((gap * gap).sum(axis=-1) + SMOOTH_DISTANCE)
    twist = found.locals - batch.rotations
    # |A - B|^2 = 8 sin^2(angle / 2), so this is the angle where it is small, and less where not.
    angles = ad.sqrt((twist * twist).sum(axis=(-2, -1)) * 0.5 + SMOOTH_ANGLE)
    return (
        distances.sum(axis=1) * (1.0 / SCORED),
        (angles * ROTATION_COSTS).sum(axis=1) * (1.0 / SCORED),
    )


def answer(outputs: Value, points: Array, body: Body) -> Answer:
    """What outputs (N, 78) mean for bodies whose points (N, 5, 3) were seen in the facing."""
    rows = outputs.reshape(len(points), ROWS, 3)
    stations = within_limits(frames(rows[:, 0:HINGES:2], rows[:, 1:HINGES:2]))
    spine = ad.cumsum(_rotated(stations[:, TORSO:HEAD], body.parts))
    chest, pelvis = stations[:, CHEST : CHEST + 1], stations[:, PELVIS : PELVIS + 1]
    neck_base = spine[:, TORSO_PARTS - 1 : TORSO_PARTS]
    clavicles = neck_base + _rotated(chest, body.bases[:, :ARMS])
    shoulders = clavicles + _rotated(chest, body.clavicles)
    roots = ad.concatenate([shoulders, _rotated(pelvis, body.bases[:, ARMS:])], axis=1)
    upper, lower, hinges = _limbs(rows[:, HINGES:ENDS], roots, points[:, 1:], body.bones)
    carriers = ad.concatenate([chest, chest, pelvis, pelvis], axis=1)
    twists, swings = _hands(rows[:, ENDS : ENDS + 2 * ARMS])
    feet = rows[:, ENDS + 2 * ARMS :]
    rotations = [
        pelvis,
        stations[:, :-1].transposed() @ stations[:, 1:],
        carriers.transposed() @ upper,
        upper.transposed() @ lower,
        twists,
        swings,
        frames(feet[:, 0::2], feet[:, 1::2]),
    ]
    return Answer(
        ad.concatenate(rotations, axis=1),
        ad.concatenate([spine, clavicles, roots, hinges], axis=1),
    )


def frames(x: Value, y: Value) -> Value:
    """Rotations with Y along y and X as near to x as can be, columns X, Y, Z, (..., 3, 3)."""
    y = unit(y)
    x = unit(x - ad.dot(x, y) * y)
    return ad.stack([x, y, ad.cross(x, y)], axis=-1)


def unit(v: Value, tiny: float = TINY) -> Value:
    """Vectors at length 1."""
    return v / ad.sqrt(ad.dot(v, v) + tiny)


def _rotated(rotations: Value, vectors: Array) -> Value:
    return (rotations * vectors[..., None, :]).sum(axis=-1)


def _limbs(axes: Value, roots: Value, ends: Array, bones: Array) -> tuple[Value, Value, Value]:
    """Upper and lower bones as rotations (N, 4, 3, 3), and elbows and knees (N, 4, 3)."""
    upper, lower = bones[..., :1], bones[..., 1:]
    aim = -(roots - ends)
    distance = ad.sqrt(ad.dot(aim, aim) + TINY)
    along = aim / distance
    reach = ad.maximum(ad.minimum(distance, FULL * (upper + lower)), np.abs(upper - lower) + 1e-3)
    cosine = (upper * upper - lower * lower + reach * reach) / (2.0 * upper * reach)
    cosine = ad.maximum(ad.minimum(cosine, 1.0 - 1e-6), -1.0 + 1e-6)
    sine = ad.sqrt(1.0 - cosine * cosine)
    hinge = unit(axes - ad.dot(axes, along) * along, HINGE_TINY)
    # Elbows stand off to the back, knees to the front.
    bend = np.where(np.arange(LIMBS) < ARMS, 1.0, -1.0).astype(bones.dtype)[:, None]
    side = ad.cross(hinge, along) * bend
    bone = along * cosine + side * sine
    knees = roots + bone * upper
    rest = unit(roots + along * reach - knees)
    return _hanging(hinge, bone), _hanging(hinge, rest), knees


def _hanging(hinge: Value, bone: Value) -> Value:
    up = -bone
    return ad.stack([hinge, up, ad.cross(hinge, up)], axis=-1)


def _hands(rows: Value) -> tuple[Value, Value]:
    """Twists of the forearms and swings of the hands, (N, 2, 3, 3) each."""
    x, y = rows[:, 0::2], unit(rows[:, 1::2])
    size = ad.sqrt(x[..., 0] * x[..., 0] + x[..., 2] * x[..., 2] + TINY)
    twist = _matrix(*_about_y(x[..., 0] / size, -(x[..., 2] / size)))
    # The shortest turn from Y to y; hands do not point backwards.
    a, b, c = y[..., 0], y[..., 1], y[..., 2]
    k = 1.0 / ad.maximum(b + 1.0, 1e-2)
    swing = _matrix(
        (-(a * a * k) + 1.0, a, -(a * c * k)), (-a, b, -c), (-(a * c * k), c, -(c * c * k) + 1.0)
    )
    return twist, swing


def _about_y(cosine: Value, sine: Value) -> tuple[tuple[Value, ...], ...]:
    zero, one = Value(np.zeros_like(cosine.array)), Value(np.ones_like(cosine.array))
    return (cosine, zero, sine), (zero, one, zero), (-sine, zero, cosine)


def _matrix(*rows: tuple[Value, ...]) -> Value:
    return ad.stack([ad.stack(row, axis=-1) for row in rows], axis=-2)


def within_limits(stations: Value) -> Value:
    """World rotations (N, 7, 3, 3) of the stations as limits leave them, from the pelvis up."""
    found = [stations[:, PELVIS]]
    for k in range(1, STATIONS):
        below = found[-1]
        found.append(below @ _held(below.transposed() @ stations[:, k], REGIONS[k - 1]))
    return ad.stack(found, axis=1)


@cache
def _limit(region: str) -> tuple[SwingTwistLimit, Array]:
    """The limit of one joint of a region, and its boundary at every degree from -180 to 180."""
    limit = SPINE[region].limit(joints=REGIONS.count(region))
    assert isinstance(limit, SwingTwistLimit)
    angles = np.linspace(-np.pi, np.pi, DEGREES + 1)
    return limit, limit.amplitude(angles).astype(np.float32)


def _held(rotations: Value, region: str) -> Value:
    """Rotations (N, 3, 3) brought within a limit: swing and twist about Y, as in `kernels.limits`.

    Turns between neighbours in a spine are far from half a turn.
    """
    limit, boundary = _limit(region)
    trace = rotations[:, 0, 0] + rotations[:, 1, 1] + rotations[:, 2, 2]
    w = ad.sqrt(ad.maximum(trace + 1.0, 1e-3)) * 0.5
    x, y, z = (
        (rotations[:, j, i] - rotations[:, i, j]) / (w * 4.0) for i, j in ((1, 2), (2, 0), (0, 1))
    )
    size = ad.sqrt(w * w + y * y + 1e-12)
    c, s = w / size, y / size
    # Swing = turn times the twist back: about (swing_x, 0, swing_z).
    swing_w, swing_x, swing_z = w * c + y * s, x * c + z * s, z * c - x * s
    sine = ad.sqrt(swing_x * swing_x + swing_z * swing_z + 1e-10)
    psi = ad.atan2(sine, swing_w) * 2.0
    theta = ad.atan2(-swing_z, swing_x)
    at = (theta + np.pi) * (DEGREES / (2.0 * np.pi))
    low = np.clip(at.array.astype(np.int64), 0, DEGREES - 1)
    slope = boundary[low + 1] - boundary[low]
    psi = ad.minimum(psi, (at - low.astype(slope.dtype)) * slope + boundary[low])
    tau = ad.maximum(ad.minimum(ad.atan2(s, c) * 2.0, limit.twist[1]), limit.twist[0])
    part = ad.sin(psi * 0.5) / sine
    a, b, d = ad.cos(psi * 0.5), swing_x * part, swing_z * part
    c, s = ad.cos(tau * 0.5), ad.sin(tau * 0.5)
    return _rotation(a * c, b * c - d * s, a * s, d * c + b * s)


def _rotation(w: Value, x: Value, y: Value, z: Value) -> Value:
    """Matrices of unit quaternions."""
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return _matrix(
        ((yy + zz) * -2.0 + 1.0, (xy - wz) * 2.0, (xz + wy) * 2.0),
        ((xy + wz) * 2.0, (xx + zz) * -2.0 + 1.0, (yz - wx) * 2.0),
        ((xz - wy) * 2.0, (yz + wx) * 2.0, (xx + yy) * -2.0 + 1.0),
    )
