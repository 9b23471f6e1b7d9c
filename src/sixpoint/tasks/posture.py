"""The whole figure shall stay near a posture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.articulation import HINGE
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Task


@dataclass(frozen=True)
class Posture(Task[Pose]):
    """Every joint shall be turned as in another pose of the same skeleton, which is the target.

    One row for each degree of freedom. A ball joint is compared by the rotation vector between the
    two, not by its three angles: that has no gimbal lock and prefers no axis.
    """

    angular: ClassVar[bool] = True

    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    like: Pose | None = None
    """The posture, where it is always the same."""

    @property
    def goal(self) -> Pose | None:
        """The posture that is always the same, if there is one."""
        return self.like

    def measure(self, pose: Pose) -> Pose:
        """The pose itself."""
        return pose

    def residual(self, pose: Pose, target: Pose | None = None) -> Floats:
        """What each joint still has to turn, relative to its parent at rest (D,) [rad]."""
        body = pose.skeleton.articulation
        other = self.aim(target).rotations
        now, wanted = body.to_rest(pose.rotations), body.to_rest(other)
        turns = arrays.to_rotvec(arrays.multiply(wanted, arrays.conjugate(now)))
        angles = body.angles(other) - body.angles(pose.rotations)
        out = np.asarray(arrays.wrap(angles))
        for j, k in enumerate(body.first):
            if body.freedom[j] != HINGE:
                out[k : k + 3] = turns[j]
        return out

    def jacobian(self, pose: Pose, target: Pose | None = None) -> Floats:
        """Angular velocity of each joint relative to its parent (D, D): blocks on the diagonal."""
        body = pose.skeleton.articulation
        axes = body.joint_axes(pose.rotations)
        out = np.eye(body.count)
        for j, k in enumerate(body.first):
            if body.freedom[j] != HINGE:
                out[k : k + 3, k : k + 3] = axes[k : k + 3].T
        return out
