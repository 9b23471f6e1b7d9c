"""Task: something that is asked of a pose.

A task *measures* something of a pose (a place, a rotation, a posture) and compares it with a
target. Its Jacobian says how what it measures changes with every degree of freedom, in the order of
`sixpoint.body.articulation`: a small step d changes the residual by -J d, so that a solver looks
for a step with J d = residual.
"""

from __future__ import annotations

import abc
from typing import Generic, TypeVar

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose

T = TypeVar("T")
"""What a task measures."""


class Task(abc.ABC, Generic[T]):
    """What all tasks can do. They are frozen dataclasses and know no figure: joints are named."""

    weight: float
    """How much it counts against other tasks, >= 0."""

    @abc.abstractmethod
    def measure(self, pose: Pose) -> T:
        """What a pose has of it now; as a target, the one that this pose meets."""

    @abc.abstractmethod
    def residual(self, pose: Pose, target: T) -> Floats:
        """What is still missing, shape (m,); not weighted."""

    @abc.abstractmethod
    def jacobian(self, pose: Pose) -> Floats:
        """Change of what is measured with each degree of freedom, shape (m, D); not weighted."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise InputError(f"Expected a `weight` >= 0, got {self.weight}.")


def columns(pose: Pose, node: int) -> tuple[Floats, Floats, Floats]:
    """What Jacobians of nodes are made of.

    Returns:
        Place of the node (3,) [m]; place of the joint of every degree of freedom (D, 3) [m]; its
        axis in the world, zero where it does not move the node (D, 3).
    """
    body = pose.skeleton.articulation
    places, world = pose.world()
    joints = np.repeat(np.arange(pose.skeleton.joint_count), body.freedom)
    axes = body.world_axes(pose.rotations, world)
    axes[~body.moving(node)[joints]] = 0.0
    return places[node], places[joints], axes
