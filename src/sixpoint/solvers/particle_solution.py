"""What the particle filter says besides a pose: what each task lacks, and other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose
from .solution import Solution


@dataclass(frozen=True, slots=True, eq=False)
class ParticleSolution(Solution):
    """One frame of the filter. Contradictory tasks are a result: each says what it lacks."""

    tasks: Mapping[str, float] = field(default_factory=dict)
    """What each task still asks for, by its label, not weighted: [m], or [rad] of angles."""
    effective: float = 0.0
    """Effective number of particles in the last iteration, from 1 to all."""
    rejections: int = 0
    """Draws of joints that their limits rejected."""
    projections: int = 0
    """Joints brought inside after too many rejections."""


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """One iteration of the filter: a frame that can be shown."""

    step: int
    """Counted from 1."""
    pose: Pose
    """The smoothed estimate, Eq. (15)."""
    estimate: Pose
    """The estimate itself: the heaviest particle, or the mean of all."""
    worst: float
    """What the best pose so far still lacks of the task that lacks most [m]."""
    effective: float
    """Effective number of particles, from 1 to all."""
    noise: float
    """Deviation of the next draw of a joint, half an angle [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """One of several answers to the same question."""

    pose: Pose
    weight: float
    """Part of the particles' weight, or of the runs, that came to it."""
    worst: float
    """What it lacks of the task that lacks most [m]; NaN where that is not known."""


def cluster(places: Floats, weights: Floats, distance: float) -> list[list[int]]:
    """Group poses that are alike, the heaviest group first.

    The heaviest pose that is in no group yet makes one of all that are near it.

    Args:
        places: of the nodes of each pose (M, K, 3) [m].
        weights: of each pose (M,), >= 0.
        distance: RMS distance of the nodes of poses that count as alike [m].
    """
    if not distance >= 0.0:
        raise InputError(f"Expected a `distance` >= 0 in metres, got {distance}.")
    left = list(np.argsort(-weights, kind="stable"))
    groups: list[list[int]] = []
    while left:
        away = np.sqrt(((places[left] - places[left[0]]) ** 2).sum(axis=2).mean(axis=1))
        near = away <= distance
        groups.append([int(k) for k, is_near in zip(left, near, strict=True) if is_near])
        left = [k for k, is_near in zip(left, near, strict=True) if not is_near]
    return sorted(groups, key=lambda group: -float(weights[group].sum()))


def mean_weight(weights: Floats, group: Sequence[int]) -> float:
    """Part of all weight that a group has."""
    return float(weights[list(group)].sum() / max(weights.sum(), 1e-300))
