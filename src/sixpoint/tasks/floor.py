"""A point of the figure shall stand on the floor, or not sink into it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Task
from .reach import Reach


@dataclass(frozen=True)
class Floor(Task[Floats]):
    """A joint or a site shall be at the height of the floor, or not below it.

    It may slide: `Reach` holds it in its place.
    """

    node: str
    """Name of the joint or site, or its role on a person."""
    height: float = 0.0
    """Of the floor, or of an ankle above it [m]."""
    lifts: bool = False
    """Whether it may leave the floor: then only what lies below it counts."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite(self.height):
            raise InputError(f"Expected a finite `height` in metres, got {self.height}.")

    @property
    def goal(self) -> Floats:
        """Height of the floor, (1,) [m]."""
        return np.array([self.height])

    def measure(self, pose: Pose) -> Floats:
        """Height of the node, (1,) [m]."""
        node = pose.skeleton.articulation.node(self.node)
        return np.asarray(pose.world()[0][node][1:2])

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """From the height of the node to the floor, (1,) [m]; zero if it lifts, and is above."""
        missing = np.asarray(self.aim(target)) - self.measure(pose)
        return np.maximum(missing, 0.0) if self.lifts else np.asarray(missing)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Vertical velocity for a unit speed of each freedom (1, D); zero if it lifts, and is."""
        up = Reach(self.node).jacobian(pose)[1:2]
        if self.lifts and self.measure(pose)[0] > np.asarray(self.aim(target))[0]:
            return np.zeros_like(up)
        return up
