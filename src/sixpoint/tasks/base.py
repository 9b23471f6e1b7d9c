"""Task: something that is asked of a pose.

A task *measures* something of a pose (a place, a rotation, a balance) and compares it with a
target. Some targets come with every frame (a point to reach), others are the task's own *goal* (to
stand on the floor). The Jacobian says how what it measures changes with every degree of freedom, in
the order of `sixpoint.body.articulation`: a small step d changes the residual by -J d, so that a
solver looks for a step with J d = residual.

Solvers that need no Jacobian read a task as the log-likelihood of a pose: minus its cost, which is
the squared residual over the variance. A task of twice the weight has a quarter of the variance.
"""

from __future__ import annotations

import abc
from typing import ClassVar, Generic, TypeVar

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose

T = TypeVar("T")
"""What a task measures."""


class Task(abc.ABC, Generic[T]):
    """What all tasks can do. They are frozen dataclasses and know no figure: joints are named."""

    angular: ClassVar[bool] = False
    """Whether residuals are angles [rad] or parts of one, not lengths [m]. Solvers that weigh one
    against the other let a radian count like the length of the figure."""

    weight: float
    """How much it counts against other tasks, >= 0."""

    @abc.abstractmethod
    def measure(self, pose: Pose) -> T:
        """What a pose has of it now; as a target, one that this pose meets."""

    @abc.abstractmethod
    def residual(self, pose: Pose, target: T | None = None) -> Floats:
        """What is still missing, shape (m,); not weighted. Without a target: to the own goal."""

    @abc.abstractmethod
    def jacobian(self, pose: Pose, target: T | None = None) -> Floats:
        """Change of what is measured with each degree of freedom, shape (m, D); not weighted.

        The target matters only where the residual is not a plain difference: what is looked at, the
        edge of a support. Default: the own goal.
        """

    @property
    def goal(self) -> T | None:
        """The target that the task itself has; None if every frame brings one."""
        return None

    @property
    def label(self) -> str:
        """What messages and reports call it."""
        node = getattr(self, "node", None)
        kind = type(self).__name__.lower()
        return kind if node is None else f"{kind} {node}"

    @property
    def variance(self) -> float:
        """Of each component of the residual, relative to other tasks; infinite without weight."""
        return 1.0 / self.weight**2 if self.weight > 0.0 else np.inf

    def covariance(self, pose: Pose, target: T | None = None) -> Floats:
        """Of the residual, relative to other tasks, shape (m, m): no component is preferred."""
        size = len(self.residual(pose, target))
        return np.diag(np.full(size, self.variance))

    def cost(self, pose: Pose, target: T | None = None) -> float:
        """Squared residual over the variance, r' S^-1 r: zero where nothing is missing."""
        # No square root and no half, as the Monte Carlo paper has it (A2.2).
        return float(self.weight**2 * (self.residual(pose, target) ** 2).sum())

    def aim(self, target: T | None) -> T:
        """The target given or, without one, the own goal."""
        aimed = self.goal if target is None else target
        if aimed is None:
            raise InputError(f"Expected a target for the task {self.label!r}, got none.")
        return aimed

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise InputError(f"Expected a `weight` >= 0, got {self.weight}.")


def turning(pose: Pose) -> tuple[Floats, Floats]:
    """Place of the joint of every degree of freedom [m], and its axis in the world, (D, 3)."""
    body = pose.skeleton.articulation
    places, world = pose.world()
    joints = np.repeat(np.arange(pose.skeleton.joint_count), body.freedom)
    return places[joints], body.world_axes(pose.rotations, world)


def columns(pose: Pose, node: int) -> tuple[Floats, Floats, Floats]:
    """What Jacobians of nodes are made of.

    Returns:
        Place of the node (3,) [m]; place of the joint of every degree of freedom (D, 3) [m]; its
        axis in the world, zero where it does not move the node (D, 3).
    """
    body = pose.skeleton.articulation
    joints = np.repeat(np.arange(pose.skeleton.joint_count), body.freedom)
    places, axes = turning(pose)
    axes[~body.moving(node)[joints]] = 0.0
    return pose.world()[0][node], places, axes
