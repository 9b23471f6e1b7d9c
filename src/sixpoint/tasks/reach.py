"""A point of the figure shall be somewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Shape, Task, columns


@dataclass(frozen=True)
class Reach(Task[Floats]):
    """A joint or a site shall be at a place; the target is a position (3,) [m]."""

    node: str
    """Name of the joint or site, or its role on a person."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    priority: int = 1
    """For solvers with levels of priority: 1 is served first. Others weigh all tasks."""
    covariance: Shape | None = None
    """Three deviations along X, Y and Z of the world, or a covariance (3, 3), relative to 1: what
    is missing where they are large counts less; where infinite, not at all. For `monte-carlo`."""

    def measure(self, pose: Pose) -> Floats:
        """Where the node is (3,) [m]."""
        node = pose.skeleton.articulation.node(self.node)
        return np.asarray(pose.world()[0][node])

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """From where the node is to where it shall be (3,) [m]."""
        return np.asarray(self.aim(target), dtype=np.float64) - self.measure(pose)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Velocity of the node for a unit speed of each degree of freedom (3, D) [m/rad]."""
        place, joints, axes = columns(pose, pose.skeleton.articulation.node(self.node))
        return np.cross(axes, place - joints).T
