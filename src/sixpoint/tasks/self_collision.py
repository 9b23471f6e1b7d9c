"""Parts of a body shall not be in each other: self-collision as a task, and as a measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.shapes import free_pairs, pair_depths
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.arrays import as_vec
from ..kernels.capsule import way_apart
from ..kernels.types import Floats
from ..motion.motion import STRIPE, Motion
from ..motion.pose import Pose
from .base import ScalarTask, joint_columns, moving_axes
from .contacts import Contacts, Event, sorted_events


@dataclass(frozen=True)
class SelfCollision(ScalarTask):
    """All pairs of capsules of a person except neighbours shall stay apart.

    One row for each pair (`sixpoint.tasks.SelfContact.pairs` names them). Pairs that are apart have
    no residual and no derivative; pairs that touch are pushed along the line between their nearest
    points. `pik` serves it before all other tasks.
    """

    margin: float = 0.0
    """Distance that shall be left between parts [m]."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.margin) and self.margin >= 0.0):
            raise InputError(f"Expected a `margin` >= 0 in metres, got {self.margin}.")

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return "self_collision"

    def measure(self, pose: Pose) -> Floats:
        """Depth of each pair, zero where it is apart, (P,) [m]."""
        shape, pairs = free_pairs(pose.skeleton)
        depths, _, _ = pair_depths(shape, pairs, *pose.world())
        return np.maximum(depths + self.margin, 0.0)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of each depth with each degree of freedom (P, D) [m/rad]; zero where apart."""
        shape, pairs = free_pairs(pose.skeleton)
        depths, first, second = pair_depths(shape, pairs, *pose.world())
        starts, ends = shape.place(*pose.world())
        joints, axes = joint_columns(pose)
        out = np.zeros((len(pairs), len(axes)))
        for k in np.flatnonzero(depths + self.margin > 0.0):
            lines = (ends[i] - starts[i] for i in pairs[k])
            way = np.array(way_apart(*(as_vec(v) for v in (first[k], second[k], *lines))))
            for part, point, sign in zip(pairs[k], (first[k], second[k]), (1.0, -1.0), strict=True):
                moving = moving_axes(pose, shape.capsules[part].joint, axes)
                out[k] -= sign * (np.cross(moving, point - joints) @ way)
        return out


@dataclass(frozen=True, eq=False)
class SelfContact:
    """Measures the pairs of parts of one skeleton that must stay apart, over a motion."""

    skeleton: Skeleton

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the parts of each pair."""
        shape, pairs = free_pairs(self.skeleton)
        return tuple((shape.names[i], shape.names[j]) for i, j in pairs)

    def depths(self, motion: Motion) -> Floats:
        """How deep the parts of each pair are in each other [m], shape (F, P); negative: gaps."""
        return self._measure(motion)[0]

    def events(self, motion: Motion) -> list[Event]:
        """Every stretch of frames in which two parts touch, in the order of time."""
        depths, positions = self._measure(motion)
        found: list[Event] = []
        for k, (part, other) in enumerate(self.pairs):
            measured = depths[:, None, k : k + 1], positions[:, None, k : k + 1]
            found += Contacts((part,), (other,), *measured, np.zeros(1)).events()
        return sorted_events(found)

    def _measure(self, motion: Motion) -> tuple[Floats, Floats]:
        if motion.skeleton != self.skeleton:
            raise InputError("Expected a motion of this skeleton, got one of another.")
        shape, pairs = free_pairs(self.skeleton)
        depths = np.empty((len(motion), len(pairs)))
        positions = np.empty((len(motion), len(pairs), 3))
        for f in range(0, len(motion), STRIPE):
            rows = slice(f, f + STRIPE)
            depths[rows], first, second = pair_depths(shape, pairs, *motion.world(rows))
            positions[rows] = 0.5 * (first + second)
        return depths, positions
