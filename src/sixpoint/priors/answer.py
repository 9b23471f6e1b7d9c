"""The body that follows from an answer of the network, as the guided solver will make it.

Stations of the spine from their axes, within joint limits, for the solver keeps them; limbs by two
bones in the plane of their hinge axis, from shoulder and hip to the tracked points; hands by twist
and swing. What the solver does beyond that (the exact step for the head, limits of limbs) changes
little, and training through it gained nothing. On the `tape`: everything has derivatives.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..limits.adult import SPINE
from ..limits.swing_twist import SwingTwistLimit
from . import autograd
from .autograd import Array, Value
from .layout import ENDS, HINGES, ROWS
from .poses import ARMS, CHEST, LIMBS
from .spine_resampling import HEAD, PELVIS, STATIONS, TORSO, TORSO_PARTS

TINY = 1e-8
"""Below this square a vector has no direction."""
HINGE_TINY = 1e-6
"""The same for a hinge axis along its limb."""
FULL = 0.9995
"""Part of a limb's length that it may reach, as in the solver."""
REGIONS = ("lumbar", "thoracic", "thoracic", "cervical", "cervical", "cervical")
"""Of the joints between one station and the next."""
DEGREES = 360
"""Samples of a limit's boundary."""


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
    """Rotations and places of the body, in the facing."""

    locals: Value
    """Rotation matrices relative to the part below: pelvis (in the facing), six joints of the
    spine, four shoulders and hips, four elbows and knees, two twists of forearms, two hands, two
    feet; shape (N, 21, 3, 3)."""
    places: Value
    """Five of the spine, clavicles, shoulders and hips, elbows and knees, shape (N, 15, 3)."""


def answer(outputs: Value, points: Array, body: Body) -> Answer:
    """What outputs (N, 78) mean for bodies whose points (N, 5, 3) were seen in the facing."""
    rows = outputs.reshape(len(points), ROWS, 3)
    stations = within_limits(frames(rows[:, 0:HINGES:2], rows[:, 1:HINGES:2]))
    spine = autograd.running_sum(_turned(stations[:, TORSO:HEAD], body.parts))
    chest, pelvis = stations[:, CHEST : CHEST + 1], stations[:, PELVIS : PELVIS + 1]
    neck_base = spine[:, TORSO_PARTS - 1 : TORSO_PARTS]
    clavicles = neck_base + _turned(chest, body.bases[:, :ARMS])
    shoulders = clavicles + _turned(chest, body.clavicles)
    roots = autograd.joined([shoulders, _turned(pelvis, body.bases[:, ARMS:])], axis=1)
    upper, lower, hinges = _limbs(rows[:, HINGES:ENDS], roots, points[:, 1:], body.bones)
    carriers = autograd.joined([chest, chest, pelvis, pelvis], axis=1)
    twists, swings = _hands(rows[:, ENDS : ENDS + 2 * ARMS])
    feet = rows[:, ENDS + 2 * ARMS :]
    turns = [
        pelvis,
        stations[:, :-1].flipped() @ stations[:, 1:],
        carriers.flipped() @ upper,
        upper.flipped() @ lower,
        twists,
        swings,
        frames(feet[:, 0::2], feet[:, 1::2]),
    ]
    return Answer(
        autograd.joined(turns, axis=1), autograd.joined([spine, clavicles, roots, hinges], axis=1)
    )


def frames(x: Value, y: Value) -> Value:
    """Rotations with Y along y and X as near to x as can be, columns X, Y, Z, (..., 3, 3)."""
    y = unit(y)
    x = unit(x - autograd.dot(x, y) * y)
    return autograd.stacked([x, y, autograd.cross(x, y)], axis=-1)


def unit(v: Value, tiny: float = TINY) -> Value:
    """Vectors at length 1."""
    return v / autograd.sqrt(autograd.dot(v, v) + tiny)


def _turned(rotations: Value, vectors: Array) -> Value:
    return (rotations * vectors[..., None, :]).sum(axis=-1)


def _limbs(axes: Value, roots: Value, ends: Array, bones: Array) -> tuple[Value, Value, Value]:
    """Upper and lower bones as rotations (N, 4, 3, 3), and elbows and knees (N, 4, 3)."""
    upper, lower = bones[..., :1], bones[..., 1:]
    aim = -(roots - ends)
    distance = autograd.sqrt(autograd.dot(aim, aim) + TINY)
    along = aim / distance
    reach = autograd.most(
        autograd.least(distance, FULL * (upper + lower)), np.abs(upper - lower) + 1e-3
    )
    cosine = (upper * upper - lower * lower + reach * reach) / (2.0 * upper * reach)
    cosine = autograd.most(autograd.least(cosine, 1.0 - 1e-6), -1.0 + 1e-6)
    sine = autograd.sqrt(1.0 - cosine * cosine)
    hinge = unit(axes - autograd.dot(axes, along) * along, HINGE_TINY)
    # Elbows stand off to the back, knees to the front.
    bend = np.where(np.arange(LIMBS) < ARMS, 1.0, -1.0).astype(bones.dtype)[:, None]
    side = autograd.cross(hinge, along) * bend
    bone = along * cosine + side * sine
    knees = roots + bone * upper
    rest = unit(roots + along * reach - knees)
    return _hanging(hinge, bone), _hanging(hinge, rest), knees


def _hanging(hinge: Value, bone: Value) -> Value:
    up = -bone
    return autograd.stacked([hinge, up, autograd.cross(hinge, up)], axis=-1)


def _hands(rows: Value) -> tuple[Value, Value]:
    """Twists of the forearms and swings of the hands, (N, 2, 3, 3) each."""
    x, y = rows[:, 0::2], unit(rows[:, 1::2])
    size = autograd.sqrt(x[..., 0] * x[..., 0] + x[..., 2] * x[..., 2] + TINY)
    twist = _matrix(*_about_y(x[..., 0] / size, -(x[..., 2] / size)))
    # The shortest turn from Y to y; hands do not point backwards.
    a, b, c = y[..., 0], y[..., 1], y[..., 2]
    k = 1.0 / autograd.most(b + 1.0, 1e-2)
    swing = _matrix(
        (-(a * a * k) + 1.0, a, -(a * c * k)), (-a, b, -c), (-(a * c * k), c, -(c * c * k) + 1.0)
    )
    return twist, swing


def _about_y(cosine: Value, sine: Value) -> tuple[tuple[Value, ...], ...]:
    zero, one = Value(np.zeros_like(cosine.array)), Value(np.ones_like(cosine.array))
    return (cosine, zero, sine), (zero, one, zero), (-sine, zero, cosine)


def _matrix(*rows: tuple[Value, ...]) -> Value:
    return autograd.stacked([autograd.stacked(row, axis=-1) for row in rows], axis=-2)


def within_limits(stations: Value) -> Value:
    """World rotations (N, 7, 3, 3) of the stations as limits leave them, from the pelvis up."""
    found = [stations[:, PELVIS]]
    for k in range(1, STATIONS):
        below = found[-1]
        found.append(below @ _held(below.flipped() @ stations[:, k], REGIONS[k - 1]))
    return autograd.stacked(found, axis=1)


@cache
def _limit(region: str) -> tuple[SwingTwistLimit, Array]:
    """The limit of one joint of a region, and its boundary at every degree from -180 to 180."""
    limit = SPINE[region].limit(REGIONS.count(region))
    angles = np.linspace(-np.pi, np.pi, DEGREES + 1)
    return limit, limit.amplitude(angles).astype(np.float32)


def _held(turns: Value, region: str) -> Value:
    """Rotations (N, 3, 3) brought within a limit: swing and twist about Y, as in `kernels.limits`.

    Turns between neighbours in a spine are far from half a turn.
    """
    limit, boundary = _limit(region)
    trace = turns[:, 0, 0] + turns[:, 1, 1] + turns[:, 2, 2]
    w = autograd.sqrt(autograd.most(trace + 1.0, 1e-3)) * 0.5
    x, y, z = ((turns[:, j, i] - turns[:, i, j]) / (w * 4.0) for i, j in ((1, 2), (2, 0), (0, 1)))
    size = autograd.sqrt(w * w + y * y + 1e-12)
    c, s = w / size, y / size
    # Swing = turn times the twist back: about (swing_x, 0, swing_z).
    swing_w, swing_x, swing_z = w * c + y * s, x * c + z * s, z * c - x * s
    sine = autograd.sqrt(swing_x * swing_x + swing_z * swing_z + 1e-10)
    psi = autograd.atan2(sine, swing_w) * 2.0
    theta = autograd.atan2(-swing_z, swing_x)
    at = (theta + np.pi) * (DEGREES / (2.0 * np.pi))
    low = np.clip(at.array.astype(np.int64), 0, DEGREES - 1)
    slope = boundary[low + 1] - boundary[low]
    psi = autograd.least(psi, (at - low.astype(slope.dtype)) * slope + boundary[low])
    tau = autograd.most(autograd.least(autograd.atan2(s, c) * 2.0, limit.twist[1]), limit.twist[0])
    part = autograd.sin(psi * 0.5) / sine
    a, b, d = autograd.cos(psi * 0.5), swing_x * part, swing_z * part
    c, s = autograd.cos(tau * 0.5), autograd.sin(tau * 0.5)
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
