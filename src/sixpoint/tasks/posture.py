"""The whole figure shall stay near a posture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.articulation import HINGE
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Task, turn_jacobian


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
        other = self.like_of(pose, target).rotations
        now, wanted = body.to_rest(pose.rotations), body.to_rest(other)
        turns = arrays.to_rotvec(arrays.multiply(wanted, arrays.conjugate(now)))
        angles = body.angles(other) - body.angles(pose.rotations)
        out = np.asarray(arrays.wrap(angles))
        for j, k in enumerate(body.first):
            if body.freedom[j] != HINGE:
                out[k : k + 3] = turns[j]
        return out

    def jacobian(self, pose: Pose, target: Pose | None = None) -> Floats:
        """Change of the rotation vectors with each freedom (D, D): blocks on the diagonal.

        Where nothing is missing, and without any target: angular velocities of the joints.
        """
        body = pose.skeleton.articulation
        axes = body.joint_axes(pose.rotations)
        goal = self.goal if target is None else target
        missing = np.zeros(body.count) if goal is None else self.residual(pose, goal)
        out = np.eye(body.count)
        for j, k in enumerate(body.first):
            if body.freedom[j] != HINGE:
                own = slice(k, k + 3)
                out[own, own] = turn_jacobian(missing[own]) @ axes[own].T
        return out

    def like_of(self, pose: Pose, target: Pose | None = None) -> Pose:
        """The posture for a pose: of the same skeleton."""
        like = self.aim(target)
        if not isinstance(like, Pose):
            raise InputError(f"Expected a pose for the task 'posture', got {like!r}.")
        if like.skeleton.names != pose.skeleton.names:
            raise InputError(
                "Expected the posture of a task to be of the same skeleton, with "
                f"{pose.skeleton.joint_count} joints; got one with {like.skeleton.joint_count}."
            )
        return like
