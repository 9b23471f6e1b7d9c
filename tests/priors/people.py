"""A few people to learn from, made of the built-in clips."""

from __future__ import annotations

from functools import cache

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.priors.layout import ENDS, OUTPUTS
from sixpoint.priors.poses import Poses
from sixpoint.priors.training_data import Subject, part_rotations

NAMES = tuple(CLIPS)


def clip(name: str, height: float | None = None) -> Motion:
    motion = builtin(name).frames(slice(0, None, 3))
    if height is None:
        return motion
    return Motion(Skeleton.humanoid(height), motion.root, motion.rotations, motion.rate)


@cache
def subject(name: str) -> Subject:
    """The person of one built-in clip, each of another stature."""
    return Subject.of(name, [clip(name, 1.6 + 0.05 * NAMES.index(name))])


def directions(poses: Poses) -> Floats:
    """Outputs of a network that is right, in the world but for hands and feet, (F, 26, 3)."""
    x, y, _ = np.eye(3)
    stations, limbs = poses.stations, poses.limbs
    spine = np.stack([arrays.rotate(stations, axis) for axis in (x, y)], axis=2)
    rotations = part_rotations(poses)
    hands = np.stack(
        [arrays.rotate(rotations[:, 15:17], x), arrays.rotate(rotations[:, 17:19], y)], axis=2
    )
    feet = np.stack([arrays.rotate(rotations[:, 19:], axis) for axis in (x, y)], axis=2)
    pieces = [spine, arrays.rotate(limbs[:, :, 0], x), hands, feet]
    return np.concatenate([piece.reshape(len(poses), -1, 3) for piece in pieces], axis=1)


def right_outputs(poses: Poses, frames: Floats) -> Floats:
    """The same in facings (F, 3, 3), shape (F, 78)."""
    wanted = directions(poses)
    turned = np.concatenate([wanted[:, :ENDS] @ frames, wanted[:, ENDS:]], axis=1)
    return turned.reshape(len(wanted), OUTPUTS)
