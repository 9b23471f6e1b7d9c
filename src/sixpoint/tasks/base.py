"""Task: something that is asked of a pose.

A task *measures* something of a pose (a position, a rotation, a balance) and compares it with a
target. Some targets come with every frame (a point to reach), others are the task's own *goal* (to
stand on the floor). The Jacobian says how the measured value changes with every degree of freedom,
in the order of `sixpoint.body.articulation`: a small step d changes the residual by -J d, so a
solver looks for a step with J d = residual.

Solvers that need no Jacobian read a task as the log-likelihood of a pose: minus its cost, which is
the squared residual over the covariance. Twice the weight is a quarter of the covariance.

The formulas are those of `sixpoint.kernels.tasks`, which the kernels of solvers use, too.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.arrays import as_vec
from ..kernels.types import Floats, Vec3
from ..motion.pose import Pose

T = TypeVar("T")
"""What a task measures."""
Shape = tuple[float, ...] | tuple[tuple[float, ...], ...]
"""Three standard deviations along X, Y and Z of the world, or a covariance (3, 3)."""


class Task(abc.ABC, Generic[T]):
    """Base of all tasks: frozen dataclasses that name joints and know no skeleton."""

    angular: ClassVar[bool] = False
    """Whether residuals are angles [rad] or parts of one, not lengths [m]. Solvers that weigh one
    against the other count a radian like the length of the skeleton."""

    weight: float
    """How much it counts against other tasks, >= 0."""
    priority: int | None
    """Level for solvers with strict priorities, 0 or more, the least first. None: where such tasks
    belong, before all others or after them."""
    covariance: Shape | None = None
    """Covariance of the residual, for tasks that have such a setting: what varies counts less."""

    @abc.abstractmethod
    def measure(self, pose: Pose) -> T:
        """Value that a pose has now; as a target, one that this pose meets."""

    @abc.abstractmethod
    def residual(self, pose: Pose, target: T | None = None) -> Floats:
        """What is missing, shape (m,); not weighted. Without a target: to the task's own goal."""

    @abc.abstractmethod
    def jacobian(self, pose: Pose, target: T | None = None) -> Floats:
        """Change of the measured value with each degree of freedom, shape (m, D); not weighted.

        The target matters only where the residual is not a plain difference, as for a line of sight
        or the edge of a support. Default: the task's own goal.
        """

    @property
    def goal(self) -> T | None:
        """Target that the task itself has; None if every frame brings one."""
        return None

    @property
    def label(self) -> str:
        """Name of the task in messages and reports."""
        node = getattr(self, "node", None)
        kind = type(self).__name__.lower()
        return kind if node is None else f"{kind} {node}"

    def precision(self, size: int = 3) -> Floats:
        """Inverse of the covariance of a residual of some size, (size, size); without weight."""
        if self.covariance is None:
            return np.eye(size)
        given = np.array(self.covariance, dtype=np.float64)
        return np.asarray(np.diag(given**-2.0) if given.ndim == 1 else np.linalg.inv(given))

    def residual_norm(self, pose: Pose, target: T | None = None) -> float:
        """Length of the residual by its covariance."""
        missing = self.residual(pose, target)
        return float(np.sqrt(missing @ self.precision(len(missing)) @ missing))

    def cost(self, pose: Pose, target: T | None = None) -> float:
        """Squared residual over the covariance, r' S^-1 r: zero where nothing is missing."""
        # No square root and no half, as in Courty & Arnaud 2008, Eq. (14).
        return (self.weight * self.residual_norm(pose, target)) ** 2

    def aim(self, target: T | None) -> T:
        """The given target or, without one, the task's own goal."""
        aimed = self.goal if target is None else target
        if aimed is None:
            raise InputError(f"Expected a target for the task {self.label!r}, got none.")
        return aimed

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise InputError(f"Expected a `weight` >= 0, got {self.weight}.")
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _shape(self.label, self.covariance))


class ScalarTask(Task[Floats]):
    """Base of tasks that measure what is wrong with a pose: their goal is zero."""

    @property
    def goal(self) -> Floats:
        """Nothing is wrong, (1,)."""
        return np.zeros(1)

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Minus what is measured, or the target less that, (m,)."""
        return np.asarray(self.aim(target)) - self.measure(pose)


def _shape(label: str, given: object) -> Shape:
    """A checked covariance as plain tuples."""
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


def node_position(pose: Pose, name: str) -> Vec3:
    """World position of a node [m]."""
    return as_vec(pose.world()[0][pose.skeleton.articulation.node(name)])


def node_rotation(pose: Pose, name: str) -> Floats:
    """World rotation relative to rest of a joint, or of the joint that carries a site, (4,)."""
    body = pose.skeleton.articulation
    joint = body.skeleton.carrier(body.node(name))
    return arrays.multiply(pose.world()[1][joint], arrays.conjugate(body.neutral[joint]))


def joint_columns(pose: Pose) -> tuple[Floats, Floats]:
    """Position of the joint of every degree of freedom [m], and its axis in the world, (D, 3)."""
    body = pose.skeleton.articulation
    positions, world = pose.world()
    return positions[body.joint_of], body.world_axes(pose.rotations, world)


def moving_axes(pose: Pose, node: int, axes: Floats) -> Floats:
    """Axes of the degrees of freedom (D, 3); zero for those that do not move a node."""
    body = pose.skeleton.articulation
    return np.where(body.moving(node)[body.joint_of][:, None], axes, 0.0)


def node_freedoms(pose: Pose, name: str) -> tuple[Floats, Floats, Floats]:
    """Return how every degree of freedom acts on a node, three arrays (D, 3).

    Returns:
        The axis as it moves the node, the axis as it turns the joint that carries the node (zero
        where it does not), and the arm from the joint of the freedom to the node [m].
    """
    skeleton = pose.skeleton
    node = skeleton.articulation.node(name)
    joints, axes = joint_columns(pose)
    turning = moving_axes(pose, skeleton.carrier(node), axes)
    return moving_axes(pose, node, axes), turning, pose.world()[0][node] - joints


def rows_of(columns: Iterable[Vec3]) -> Floats:
    """Columns of a Jacobian as an array (3, D)."""
    return np.array(list(columns), dtype=np.float64).reshape(-1, 3).T
