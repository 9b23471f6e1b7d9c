"""Task: something that is asked of a pose.

A task *measures* something of a pose (a place, a rotation, a balance) and compares it with a
target. Some targets come with every frame (a point to reach), others are the task's own *goal* (to
stand on the floor). The Jacobian says how what it measures changes with every degree of freedom, in
the order of `sixpoint.body.articulation`: a small step d changes the residual by -J d, so that a
solver looks for a step with J d = residual.

Solvers that need no Jacobian read a task as the log-likelihood of a pose: minus its cost, which is
the squared residual over the covariance. Twice the weight is a quarter of the covariance.
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
Shape = tuple[float, ...] | tuple[tuple[float, ...], ...]
"""Three deviations along X, Y and Z of the world, or a covariance (3, 3)."""


class Task(abc.ABC, Generic[T]):
    """What all tasks can do. They are frozen dataclasses and know no figure: joints are named."""

    angular: ClassVar[bool] = False
    """Whether residuals are angles [rad] or parts of one, not lengths [m]. Solvers that weigh one
    against the other let a radian count like the length of the figure."""

    weight: float
    """How much it counts against other tasks, >= 0."""
    covariance: Shape | None = None
    """What of its residual matters less, for tasks that have such a setting."""

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

    def precision(self, size: int = 3) -> Floats:
        """Inverse of the covariance of a residual of some size, (size, size); without weight."""
        if self.covariance is None:
            return np.eye(size)
        given = np.array(self.covariance, dtype=np.float64)
        return np.asarray(np.diag(given**-2.0) if given.ndim == 1 else np.linalg.inv(given))

    def lack(self, pose: Pose, target: T | None = None) -> float:
        """What is missing in one number: the length of the residual, by its covariance."""
        missing = self.residual(pose, target)
        return float(np.sqrt(missing @ self.precision(len(missing)) @ missing))

    def cost(self, pose: Pose, target: T | None = None) -> float:
        """Squared residual over the covariance, r' S^-1 r: zero where nothing is missing."""
        # No square root and no half, as the Monte Carlo paper has it (A2.2).
        return (self.weight * self.lack(pose, target)) ** 2

    def aim(self, target: T | None) -> T:
        """The target given or, without one, the own goal."""
        aimed = self.goal if target is None else target
        if aimed is None:
            raise InputError(f"Expected a target for the task {self.label!r}, got none.")
        return aimed

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise InputError(f"Expected a `weight` >= 0, got {self.weight}.")
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _shape(self.label, self.covariance))


def _shape(label: str, given: object) -> Shape:
    """A covariance as plain tuples."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape == (3,) and (array > 0.0).all():  # infinite: does not matter at all
        return tuple(array.tolist())
    square = array.shape == (3, 3) and np.isfinite(array).all() and np.allclose(array, array.T)
    if square and np.linalg.eigvalsh(array).min() > 0.0:
        return tuple(map(tuple, array.tolist()))
    raise InputError(
        f"Expected three deviations > 0, or a positive covariance (3, 3), for the task {label!r}; "
        f"got {given!r}."
    )


def turn_jacobian(missing: Floats) -> Floats:
    """How the rotation vector of what is missing (3,) [rad] falls with an angular velocity, (3, 3).

    The inverse of the right Jacobian of rotations: log(exp(r) exp(-w)) = r - J w for a small w. It
    is identity where nothing is missing, and keeps r itself: a step with J w = r goes straight.
    """
    angle = float(np.linalg.norm(missing))
    x, y, z = missing
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    # The quotient of small numbers says nothing; its series leaves 1e-13 out.
    curved = 1.0 / 12.0 + angle**2 / 720.0
    if angle > 1e-2:
        curved = 1.0 / angle**2 - 0.5 / (angle * np.tan(0.5 * angle))
    return np.asarray(np.eye(3) + 0.5 * cross + curved * cross @ cross)


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
