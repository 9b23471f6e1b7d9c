"""The same recording under two names: found before a split pretends that it shows two people.

Motion databases hold recordings twice under different numbers, cut or mirrored. If one copy is
trained on and the other validated with, the figures are too good to be true. Not found are copies
whose frames lie between those of the original, far apart in quick motion, and those that were
solved anew on another skeleton.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import arrays
from .autograd import Array
from .poses import CHEST, LIMBS, Poses
from .rows import Subject
from .spine_resampling import HEAD

SAME = np.radians(2.0)
"""Poses whose directions differ by less than this, in the root mean square, are one [rad]. A copy
with a degree of noise on every rotation is below it in most frames."""
SHARED, FEW, MANY = 0.03, 3, 8
"""Subjects that share more than this part of their different poses, and at least a few, are not
two: everybody may stand still alike. Nor are those that share many. Of 2775 pairs of CMU's subjects
one shares 6, one 3, and the others fewer."""
LOOKS = 1000
"""Poses of the smaller subject that are looked for in the larger."""
BLOCK = 8192
"""Poses that are compared at a time, which bounds memory."""

BONES, CHEST_AND_HEAD = 2 * LIMBS, 2
MARKS = BONES + 2 * CHEST_AND_HEAD
"""Directions that mark a pose: both bones of each limb, X axes of chest and head, and their Y axes,
all seen from the pelvis."""


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
            some = different(small[np.unique(np.linspace(0, len(small) - 1, LOOKS).astype(int))])
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
    pieces = [arrays.rotate(turns, axis) for turns, axis in ((bones, y), (trunk, x), (trunk, y))]
    return np.concatenate(pieces, axis=1).astype(np.float32)


def mirrored(marks: Array) -> Array:
    """The same of bodies in a mirror: left and right change places, x changes its sign."""
    limbs = [limb ^ 1 for limb in range(LIMBS)]
    order = [2 * limb + bone for limb in limbs for bone in range(2)]
    found = marks[:, [*order, *range(BONES, MARKS)]] * np.array([-1.0, 1.0, 1.0], np.float32)
    # An X axis points to the left of a body, so in the mirror it is the other way round.
    found[:, BONES : BONES + CHEST_AND_HEAD] *= -1.0
    return np.asarray(found)


def different(marks: Array) -> Array:
    """Those marked poses that cannot both be taken for a third one."""
    gaps = _gaps(marks, marks)
    kept: list[int] = []
    for k in range(len(marks)):
        if not kept or gaps[k, kept].min() > MARKS * (2.0 * SAME) ** 2:
            kept.append(k)
    return marks[kept]


def _found(some: Array, many: Array) -> int:
    """Of how many marked poses there is one among many."""
    nearest: Array = np.full(len(some), np.inf)
    for start in range(0, len(many), BLOCK):
        nearest = np.minimum(nearest, _gaps(some, many[start : start + BLOCK]).min(axis=1))
    return int((nearest < MARKS * SAME * SAME).sum())


def _gaps(one: Array, other: Array) -> Array:
    """Squared distances between marks (N, 12, 3) and (M, 12, 3), all of one length, (N, M)."""
    return 2.0 * MARKS - 2.0 * (one.reshape(len(one), -1) @ other.reshape(len(other), -1).T)
