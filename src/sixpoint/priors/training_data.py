"""Training data: frames of people of many proportions, and recordings that appear twice.

Subjects count by the root of their frames, so that the one who was recorded for hours does not
decide. Some frames are given to another subject's build, and all lengths vary by a few percent.

Motion databases hold recordings twice under different numbers, cut or mirrored. If one copy is
trained on and the other validated with, the figures are too good to be true; `find_leaks` finds
such pairs of subjects. It does not find copies whose frames lie between those of the original, far
apart in quick motion, and those that were solved anew on another skeleton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.motion import Motion
from .autograd import Array
from .layout import facing, measures
from .loss import Body
from .poses import (
    ARMS,
    CHEST,
    HEAD,
    LIMBS,
    PELVIS,
    Build,
    Poses,
    body_positions,
    build_of,
    poses_of,
)

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

    @classmethod
    def of(cls, name: str, motions: Sequence[Motion]) -> Subject:
        """Make a subject from clips of one person, all on one skeleton."""
        if not motions or not any(len(motion) for motion in motions):
            raise InputError(f"Expected at least one frame of subject {name!r}, got none.")
        build = build_of(motions[0].skeleton.anatomy)
        return cls(name, build, Poses.joined([poses_of(motion) for motion in motions]))


class Rows(NamedTuple):
    """Frames to draw from, in the world; lengths as parts of height, 32 bits."""

    points: Array
    """(N, 5, 3)."""
    parts: Array
    """Fields of `answer.Body`: (N, 5, 3)."""
    bases: Array
    """(N, 4, 3)."""
    clavicles: Array
    """(N, 2, 3)."""
    bones: Array
    """(N, 4, 2)."""
    rotations: Array
    """Rotations as in `Answer.locals`, but quaternions and the pelvis in the world, (N, 21, 4)."""
    positions: Array
    """Positions as in `Answer.positions`, (N, 15, 3)."""
    sizes: Array
    """(N, 12)."""

    def body(self, which: Ints) -> Body:
        """Builds of some rows."""
        return Body(*(column[which] for column in self[1:5]))


def draw_rows(
    subjects: Sequence[Subject], count: int, swap: float, lengths: float, rng: np.random.Generator
) -> Rows:
    """About `count` frames of all subjects.

    Args:
        subjects: whose.
        count: how many.
        swap: part of the frames that get another subject's build.
        lengths: spread of lengths, as a part of them.
        rng: draws them.
    """
    wish = np.sqrt([len(subject.poses) for subject in subjects])
    counts = np.maximum(1, np.round(count * wish / wish.sum())).astype(int)
    pieces: list[list[Array]] = []
    for subject, number in zip(subjects, counts, strict=True):
        which = rng.integers(0, len(subject.poses), number)
        swapped = rng.random(number) < swap
        builds = np.where(swapped, rng.integers(0, len(subjects), number), -1)
        for other in np.unique(builds):
            build = subject.build if other < 0 else subjects[other].build
            chosen = which[builds == other]
            pieces.append(_rows(_varied(build, lengths, rng), subject.poses.frames(chosen)))
    return Rows(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def part_rotations(poses: Poses) -> Floats:
    """Rotations of each part relative to the one below, the pelvis's in the world, (F, 21, 4)."""
    stations, limbs = poses.stations, poses.limbs
    carriers = stations[:, [CHEST, CHEST, PELVIS, PELVIS]]
    ends = _relative(limbs[:, :, 1], limbs[:, :, 2])
    twists = twist_of(ends[:, :ARMS])
    rotations = [
        stations[:, [PELVIS]],
        _relative(stations[:, :-1], stations[:, 1:]),
        _relative(carriers, limbs[:, :, 0]),
        _relative(limbs[:, :, 0], limbs[:, :, 1]),
        twists,
        _relative(twists, ends[:, :ARMS]),
        ends[:, ARMS:],
    ]
    return np.concatenate(rotations, axis=1)


def twist_of(hands: Floats) -> Floats:
    """The part about Y of rotations (..., 4) that are a twist of the forearm, then a swing."""
    twist = hands * (1.0, 0.0, 1.0, 0.0)
    size = np.linalg.norm(twist, axis=-1, keepdims=True)
    return np.where(size > 1e-9, twist / np.maximum(size, 1e-9), (1.0, 0.0, 0.0, 0.0))


def _relative(below: Floats, above: Floats) -> Floats:
    return arrays.multiply(arrays.conjugate(below), above)


def _varied(build: Build, spread: float, rng: np.random.Generator) -> Build:
    """A build with somewhat other lengths, left and right alike."""

    def factors(*shape: int) -> Floats:
        return np.asarray(1.0 + spread * rng.normal(size=shape))

    limbs = factors(2, 2)
    return replace(
        build,
        torso=build.torso * factors(1, 1),
        neck=build.neck * factors(1, 1),
        bases=build.bases * factors(1, 3),
        clavicles=build.clavicles * factors(1, 3),
        bones=build.bones * limbs[[0, 0, 1, 1]],
    )


def _rows(build: Build, poses: Poses) -> list[Array]:
    joints, points = body_positions(build, poses)
    height = build.height

    def column(lengths: Floats) -> Array:
        """Lengths of one build, repeated for every frame."""
        repeated = np.broadcast_to(lengths, (len(poses), *lengths.shape))
        return np.asarray(repeated, np.float32)

    return [
        np.asarray(points / height, np.float32),
        column(np.concatenate([build.torso, build.neck]) / height),
        column(build.bases / height),
        column(build.clavicles / height),
        column(build.bones / height),
        np.asarray(part_rotations(poses), np.float32),
        np.asarray(joints / height, np.float32),
        column(measures(build)),
    ]


def rotated_facing(points: Array, left: Array, angle: Array) -> Array:
    """Facings (N, 3, 3) that are off by angles (N,) about the line from pelvis to head."""
    frames = facing(points, left)
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return facing(points, cosine * frames[..., 0] - sine * frames[..., 2]).astype(np.float32)


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
