"""Frames to learn from: people of many proportions, seen as the solver will see them.

Subjects count by the root of their frames, so that the one who was recorded for hours does not
decide. Some frames are given to another subject's build, and all lengths vary by a few percent.
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
from .answer import Body
from .autograd import Array
from .layout import facing, measures
from .poses import ARMS, CHEST, Build, Poses, build_of, place, poses_of
from .spine_resampling import PELVIS


@dataclass(frozen=True, eq=False)
class Subject:
    """One person and all that was recorded of them."""

    name: str
    build: Build
    poses: Poses

    @classmethod
    def of(cls, name: str, motions: Sequence[Motion]) -> Subject:
        """From clips of one person, all on one skeleton."""
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
    turns: Array
    """As in `Answer.locals`, but quaternions and the pelvis in the world, (N, 21, 4)."""
    places: Array
    """As in `Answer.places`, (N, 15, 3)."""
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


def turns_of(poses: Poses) -> Floats:
    """Rotations of each part relative to the one below, the pelvis's in the world, (F, 21, 4)."""
    stations, limbs = poses.stations, poses.limbs
    carriers = stations[:, [CHEST, CHEST, PELVIS, PELVIS]]
    ends = _relative(limbs[:, :, 1], limbs[:, :, 2])
    twists = twist_of(ends[:, :ARMS])
    turns = [
        stations[:, [PELVIS]],
        _relative(stations[:, :-1], stations[:, 1:]),
        _relative(carriers, limbs[:, :, 0]),
        _relative(limbs[:, :, 0], limbs[:, :, 1]),
        twists,
        _relative(twists, ends[:, :ARMS]),
        ends[:, ARMS:],
    ]
    return np.concatenate(turns, axis=1)


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
    places = place(build, poses)
    height = build.height

    def column(lengths: Floats) -> Array:
        """Of one build, for every frame."""
        repeated = np.broadcast_to(lengths, (len(poses), *lengths.shape))
        return np.asarray(repeated, np.float32)

    everywhere = [places.spine, places.clavicles, places.roots, places.hinges]
    return [
        np.asarray(places.points / height, np.float32),
        column(np.concatenate([build.torso, build.neck]) / height),
        column(build.bases / height),
        column(build.clavicles / height),
        column(build.bones / height),
        np.asarray(turns_of(poses), np.float32),
        np.asarray(np.concatenate(everywhere, axis=1) / height, np.float32),
        column(measures(build)),
    ]


def turned_facing(points: Array, left: Array, angle: Array) -> Array:
    """Facings (N, 3, 3) that are off by angles (N,) about the line from pelvis to head."""
    frames = facing(points, left)
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return facing(points, cosine * frames[..., 0] - sine * frames[..., 2]).astype(np.float32)
