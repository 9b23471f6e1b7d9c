"""Somebody with trackers: joints, mounts, stances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points


def mounted(points: Points, offsets, rotations) -> Points:
    """Trackers on joints."""
    return replace(
        points,
        positions=points.positions + arrays.rotate(points.rotations, offsets),
        rotations=arrays.multiply(points.rotations, rotations),
    )


def random_mounts(seed: int):
    """Offsets of 3 to 12 cm in any direction, and any rotations."""
    rng = np.random.default_rng(seed)
    offsets = rng.normal(size=(6, 3))
    offsets *= (rng.uniform(0.03, 0.12, 6) / np.linalg.norm(offsets, axis=1))[:, None]
    return offsets, arrays.normalize(rng.normal(size=(6, 4)))


def mirrored_mounts(seed: int):
    """The same, left and right alike, pelvis and head in the middle."""
    offsets, rotations = random_mounts(seed)
    offsets[:2, 0] = 0.0
    offsets[[3, 5]] = offsets[[2, 4]] * (-1.0, 1.0, 1.0)
    return offsets, rotations


def stance(body: Skeleton, kind: str, seconds: float = 2.0, rate: float = 30.0) -> Points:
    """The six joints of somebody who holds a stance exactly, on the floor at height 0."""
    anatomy = body.anatomy
    turned = arrays.identity(body.joint_count)
    angle = {"t": np.pi / 2, "a": np.pi / 4, "n": 0.0}[kind]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        node = anatomy.node(f"{side}_shoulder")
        turned[node] = arrays.from_axis_angle((0.0, 0.0, 1.0), sign * angle)
    local = arrays.normalize(anatomy.from_anatomical(turned))
    frames = round(seconds * rate)
    motion = Motion(body, np.zeros((frames, 3)), np.tile(local, (frames, 1, 1)), rate)
    low = motion.points(("l_ankle",)).positions[..., 1].min()
    up = np.array([0.0, 0.047 * anatomy.stature - low, 0.0])
    return Motion(body, motion.root + up, motion.rotations, rate).points(SIX, rotations=True)


def joined(*parts: Points) -> Points:
    """One recording after the other."""
    return replace(
        parts[0],
        positions=np.concatenate([part.positions for part in parts]),
        rotations=np.concatenate([part.rotations for part in parts]),
    )


def moved_room(points: Points, yaw: float, shift) -> Points:
    """The same in a room that was turned about the vertical and moved."""
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), yaw)
    rotations = points.rotations
    return replace(
        points,
        positions=arrays.rotate(turn, points.positions) + np.asarray(shift),
        rotations=None if rotations is None else arrays.multiply(turn, rotations),
    )


def mirrored(points: Points) -> Points:
    """Left and right exchanged, seen in the mirror."""
    sides = {"l_": "r_", "r_": "l_"}
    order = [points.names.index(sides.get(n[:2], n[:2]) + n[2:]) for n in points.names]
    return replace(
        points,
        positions=points.positions[:, order] * (-1.0, 1.0, 1.0),
        rotations=points.rotations[:, order] * (1.0, 1.0, -1.0, -1.0),
    )
