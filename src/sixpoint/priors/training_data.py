"""Training data: frames of people, and recordings that appear twice.

Subjects count by the root of their frames, so that the one who was recorded for hours does not
decide.

Motion databases hold recordings twice under different numbers, cut or mirrored. If one copy is
trained on and the other validated with, the figures are too good to be true; `find_leaks` finds
such pairs of subjects. It does not find copies whose frames lie between those of the original, far
apart in quick motion, and those that were solved anew on another skeleton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.motion import Motion
from .autograd import Array
from .layout import measures
from .loss import Body
from .poses import CHEST, HEAD, LIMBS, Build, Poses, build_of, poses_of

SAME_POSE = np.radians(2.0)
"""Poses whose directions differ by less than this, in the root mean square, are one [rad]. A copy
with a degree of noise on every rotation is below it in most frames."""
SHARED, FEW, MANY = 0.03, 3, 8
"""Subjects that share more than this part of their different poses, and at least a few, are not
two: everybody may stand still alike. Nor are those that share many. Of 2775 pairs of CMU's subjects
one shares 6, one 3, and the others fewer."""
SEARCHED_POSES = 1000
"""Poses of the smaller subject that are looked for in the larger."""
POSES_AT_A_TIME = 8192
"""Poses that are compared at a time, which bounds memory."""

BONES, CHEST_AND_HEAD = 2 * LIMBS, 2
MARKS = BONES + 2 * CHEST_AND_HEAD
"""Directions that mark a pose: both bones of each limb, X axes of chest and head, and their Y axes,
all seen from the pelvis."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One person and all that was recorded of them."""

    name: str
    build: Build
    poses: Poses
    heights: Floats
    """Height of the pelvis above the ground in each frame [m], (F,)."""

    @classmethod
    def of(cls, name: str, motions: Sequence[Motion]) -> Subject:
        """Make a subject from clips of one person, all on one skeleton."""
        if not motions or not any(len(motion) for motion in motions):
            raise InputError(f"Expected at least one frame of subject {name!r}, got none.")
        build = build_of(motions[0].skeleton.anatomy)
        heights = [motion.points(("pelvis",)).positions[:, 0, 1] for motion in motions]
        poses = Poses.joined([poses_of(motion) for motion in motions])
        return cls(name, build, poses, np.concatenate(heights))


@dataclass(frozen=True, eq=False)
class Recordings:
    """All frames of several subjects, and their builds, in 32 bits; lengths as parts of height."""

    rotations: Array
    """World rotations of the parts as quaternions, (F, 21, 4)."""
    heights: Array
    """Height of the pelvis above the ground, (F,)."""
    subjects: Ints
    """Whose frame each is, (F,)."""
    chances: Floats
    """Running sum of how likely each frame is to be drawn, up to 1, (F,)."""
    builds: Body
    """One row for each subject."""
    sizes: Array
    """Measures, (S, 12)."""

    @classmethod
    def of(cls, subjects: Sequence[Subject]) -> Self:
        """Collect the frames of subjects; each counts by the root of how many it has."""
        counts = np.array([len(subject.poses) for subject in subjects])
        chances = np.cumsum(np.repeat(counts**-0.5, counts))
        return cls(
            np.concatenate([part_rotations(s.poses) for s in subjects]),
            np.concatenate([s.heights / s.build.height for s in subjects]).astype(np.float32),
            np.repeat(np.arange(len(subjects)), counts),
            chances / chances[-1],
            Body(*map(_stacked, zip(*(_scaled(s.build) for s in subjects), strict=True))),
            _stacked([measures(s.build) for s in subjects]),
        )

    def draw(self, count: int, rng: np.random.Generator) -> Ints:
        """Draw frames."""
        drawn = np.searchsorted(self.chances, rng.random(count))
        return np.minimum(drawn, len(self.chances) - 1)


def part_rotations(poses: Poses) -> Array:
    """World rotations of the parts of a body, (F, 21, 4)."""
    limbs = poses.limbs
    parts = [poses.stations, poses.clavicles, *(limbs[:, :, k] for k in range(limbs.shape[2]))]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _scaled(build: Build) -> Body:
    parts = np.concatenate([build.torso, build.neck])
    lengths = (parts, build.bases, build.clavicles, build.bones, build.ends)
    return Body(*(length / build.height for length in lengths))


def _stacked(rows: Sequence[Floats]) -> Array:
    return np.stack(rows).astype(np.float32)


def find_leaks(left: Sequence[Subject], right: Sequence[Subject]) -> list[tuple[str, str, float]]:
    """Pairs of subjects, one from each side, that share poses; and which part of the smaller.

    Mirrored poses count as well.
    """
    marks = {s.name: marks_of(s.poses) for s in (*left, *right)}
    found = []
    for one in left:
        for other in right:
            if one.name == other.name:
                continue
            small, large = sorted((marks[one.name], marks[other.name]), key=len)
            some = different(
                small[np.unique(np.linspace(0, len(small) - 1, SEARCHED_POSES).astype(int))]
            )
            count = max(_found(some, large), _found(mirrored(some), large))
            if count >= MANY or (count >= FEW and count > SHARED * len(some)):
                found.append((one.name, other.name, count / len(some)))
    return sorted(found, key=lambda leak: -leak[2])


def marks_of(poses: Poses) -> Array:
    """Directions that mark each pose, shape (F, 12, 3)."""
    x, y, _ = np.eye(3)
    pelvis = arrays.conjugate(poses.stations[:, :1])
    bones = arrays.multiply(pelvis, poses.limbs[:, :, :2].reshape(-1, BONES, 4))
    trunk = arrays.multiply(pelvis, poses.stations[:, [CHEST, HEAD]])
    pieces = [
        arrays.rotate(rotations, axis) for rotations, axis in ((bones, y), (trunk, x), (trunk, y))
    ]
    return np.concatenate(pieces, axis=1).astype(np.float32)


def mirrored(marks: Array) -> Array:
    """The same of bodies in a mirror: left and right are exchanged, x changes its sign."""
    limbs = [limb ^ 1 for limb in range(LIMBS)]
    order = [2 * limb + bone for limb in limbs for bone in range(2)]
    found = marks[:, [*order, *range(BONES, MARKS)]] * np.array([-1.0, 1.0, 1.0], np.float32)
    # An X axis points to the left of a body, so in the mirror it is the other way round.
    found[:, BONES : BONES + CHEST_AND_HEAD] *= -1.0
    return np.asarray(found)


def different(marks: Array) -> Array:
    """Marked poses without those that are nearly the same."""
    gaps = _gaps(marks, marks)
    kept: list[int] = []
    for k in range(len(marks)):
        if not kept or gaps[k, kept].min() > MARKS * (2.0 * SAME_POSE) ** 2:
            kept.append(k)
    return marks[kept]


def _found(some: Array, many: Array) -> int:
    """Number of marked poses that occur among many."""
    nearest: Array = np.full(len(some), np.inf)
    for start in range(0, len(many), POSES_AT_A_TIME):
        nearest = np.minimum(
            nearest, _gaps(some, many[start : start + POSES_AT_A_TIME]).min(axis=1)
        )
    return int((nearest < MARKS * SAME_POSE * SAME_POSE).sum())


def _gaps(one: Array, other: Array) -> Array:
    """Squared distances between marks (N, 12, 3) and (M, 12, 3), all of one length, (N, M)."""
    return 2.0 * MARKS - 2.0 * (one.reshape(len(one), -1) @ other.reshape(len(other), -1).T)
