"""The same person under two names: found before a split pretends that they are two.

Motion databases hold recordings twice under different numbers. If one copy is trained on and the
other validated with, the figures are too good to be true.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats
from .poses import Poses
from .rows import Subject

STEP = 0.05
"""Rotations are told apart in steps of this [rad]: wide enough for rounding, and the chance that
two poses agree in all of their limbs and spine by accident is nil."""
SHARED = 0.02
"""Subjects that share more than this part of their poses are not two."""


def find_leaks(left: Sequence[Subject], right: Sequence[Subject]) -> list[tuple[str, str, float]]:
    """Pairs of subjects, one from each side, that share poses; and which part of the smaller."""
    marks = {s.name: set(_marks(s.poses)) for s in (*left, *right)}
    found = []
    for one in left:
        for other in right:
            a, b = marks[one.name], marks[other.name]
            shared = len(a & b) / max(min(len(a), len(b)), 1)
            if one.name != other.name and shared > SHARED:
                found.append((one.name, other.name, shared))
    return sorted(found, key=lambda leak: -leak[2])


def _marks(poses: Poses) -> list[bytes]:
    """One mark for each pose: the rotations of limbs and spine relative to the pelvis, rounded."""
    pelvis = arrays.conjugate(poses.stations[:, :1])
    turns = np.concatenate([poses.stations[:, 1:], poses.limbs[:, :, :2].reshape(-1, 8, 4)], axis=1)
    vectors: Floats = arrays.to_rotvec(arrays.multiply(pelvis, turns))
    steps = np.round(vectors / STEP).astype(np.int8).reshape(len(poses), -1)
    return [row.tobytes() for row in steps]
