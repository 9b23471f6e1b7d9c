"""A few people to learn from, made of the built-in clips."""

from __future__ import annotations

from functools import cache

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.motion.motion import Motion
from sixpoint.priors.training_data import Subject

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
