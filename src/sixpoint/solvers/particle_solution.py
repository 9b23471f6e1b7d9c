"""What the particle filter says besides a pose: what each task lacks, and other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats, Ints
from ..motion.pose import Pose
from .solution import Report, Result, Solution


@dataclass(frozen=True, slots=True, eq=False)
class ParticleSolution(Solution):
    """One frame of the filter. Contradictory tasks are a result: each says what it lacks."""

    tasks: Mapping[str, float] = field(default_factory=dict)
    """What each task still asks for of this pose, by its label, not weighted: [m], or [rad] of
    angles; by its covariance where it has one."""
    effective: float = 0.0
    """Effective number of particles in the last iteration, from 1 to all."""
    rejections: int = 0
    """Draws of joints that their limits rejected."""
    projections: int = 0
    """Joints brought inside after too many rejections."""
    runs: int = 1
    """Populations that were tried."""


@dataclass(frozen=True)
class ParticleReport(Report):
    """How well a clip went, task by task."""

    tasks: dict[str, float] = field(default_factory=dict)
    """The most that each task lacks in any frame, by its label: [m], or [rad] of angles."""
    unmet: dict[str, int] = field(default_factory=dict)
    """Frames in which each task that is to be met lacks more than the tolerance; only those."""
    rejections: int = 0
    """Draws of joints that their limits rejected."""
    projections: int = 0
    """Joints brought inside after too many rejections."""


@dataclass(frozen=True, eq=False)
class ParticleResult(Result):
    """A clip by the filter."""

    report: ParticleReport
    labels: tuple[str, ...] = ()
    """Of the tasks."""
    tasks: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """What each task lacks in each frame, (F, T): [m], or [rad] of angles."""
    rejections: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Draws of joints that their limits rejected, (F,)."""
    projections: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Joints brought inside after too many rejections, (F,)."""


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
    """What the answer so far still lacks of the task that lacks most [m]."""
    effective: float
    """Effective number of particles, from 1 to all."""
    noise: float
    """Deviation of the next draw of a joint, half an angle [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """One of several answers to the same question."""

    pose: Pose
    """The one of them that lacks least."""
    weight: float
    """Part of the particles' weight, or of the runs, that came to it."""
    worst: float
    """What it lacks of the task that lacks most [m]."""


def cluster(places: Floats, weights: Floats, distance: float) -> list[list[int]]:
    """Group poses that are alike, the heaviest group first, and in it the heaviest pose.

    Poses are in one group if a chain of others leads from one to the other in steps that are short
    enough: answers that go over into each other are one, not many.

    Args:
        places: of the nodes of each pose (M, K, 3) [m].
        weights: of each pose (M,), >= 0.
        distance: RMS distance of the nodes of poses that count as alike [m].
    """
    if not distance >= 0.0:
        raise InputError(f"Expected a `distance` >= 0 in metres, got {distance}.")
    left = [int(k) for k in np.argsort(-weights, kind="stable")]
    groups: list[list[int]] = []
    while left:
        group = [left.pop(0)]
        for member in group:  # grows on the way
            away = np.sqrt(((places[left] - places[member]) ** 2).sum(axis=2).mean(axis=1))
            group += [k for k, far in zip(left, away, strict=True) if far <= distance]
            left = [k for k, far in zip(left, away, strict=True) if not far <= distance]
        groups.append(sorted(group, key=lambda k: (-weights[k], k)))
    return sorted(groups, key=lambda group: -float(weights[group].sum()))


def find_modes(
    poses: Sequence[Pose], weights: Floats, worst: Floats, met: float, distance: float
) -> list[Mode]:
    """The different ones of some poses: those that are met first, then by weight.

    Args:
        poses: of one skeleton.
        weights: of each (M,), >= 0.
        worst: what each lacks most [m], (M,).
        met: what lacks no more than this is met [m].
        distance: see `cluster`.
    """
    places = np.array([pose.world()[0] for pose in poses])
    modes = []
    for group in cluster(places, weights, distance):
        best = min(group, key=lambda k: worst[k])
        weight = float(weights[group].sum() / max(weights.sum(), 1e-300))
        modes.append(Mode(poses[best], weight, float(worst[best])))
    return sorted(modes, key=lambda mode: (mode.worst > met, -mode.weight))
