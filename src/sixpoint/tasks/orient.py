"""A joint of the figure shall be turned in the world in a given way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Shape, Task, columns, turn_jacobian


@dataclass(frozen=True)
class Orient(Task[Floats]):
    """A joint shall have a rotation; the target is a unit quaternion (4,), relative to rest.

    Relative to rest: identity is how the joint stands in the neutral stance of a person, or in the
    bind pose of any other figure. Solvers let a radian count like the length of the figure.
    """

    angular: ClassVar[bool] = True

    node: str
    """Name of the joint, or of a site that it carries, or its role on a person."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    priority: int = 1
    """For solvers with levels of priority: 1 is served first. Others weigh all tasks."""
    covariance: Shape | None = None
    """Three deviations along X, Y and Z of the world, or a covariance (3, 3), relative to 1: what
    is missing where they are large counts less; where infinite, not at all. For `monte-carlo`."""

    def measure(self, pose: Pose) -> Floats:
        """World rotation of the joint relative to rest (4,)."""
        body = pose.skeleton.articulation
        joint = body.carrier(body.node(self.node))
        return arrays.multiply(pose.world()[1][joint], arrays.conjugate(body.neutral[joint]))

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Rotation vector from how the joint is turned to how it shall be, in the world [rad]."""
        wanted = np.asarray(self.aim(target), dtype=np.float64)
        return arrays.to_rotvec(arrays.multiply(wanted, arrays.conjugate(self.measure(pose))))

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of the rotation vector with each degree of freedom (3, D).

        Where nothing is missing, and without a target: the angular velocity of the joint.
        """
        body = pose.skeleton.articulation
        _, _, axes = columns(pose, body.carrier(body.node(self.node)))
        missing = np.zeros(3) if target is None else self.residual(pose, target)
        return np.asarray(turn_jacobian(missing) @ axes.T)
