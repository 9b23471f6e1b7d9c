"""Tasks that speak of one joint or site: where it is, how it is rotated, where it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels import tasks as formulas
from ..kernels.arrays import as_quat, as_vec
from ..kernels.types import Floats, Vec3
from ..kernels.vector import vec_sub
from ..motion.pose import Pose
from .base import Shape, Task, node_freedoms, node_position, node_rotation, rows_of


@dataclass(frozen=True)
class EffectorTask(Task[Floats]):
    """Base of the tasks of an end effector: its position, or its rotation."""

    node: str
    """Name of the joint or site, or its role on a person."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""
    covariance: Shape | None = None
    """Three deviations along X, Y and Z of the world, or a covariance (3, 3), relative to 1: what
    is missing where they are large counts less; where infinite, not at all. For `monte-carlo`."""


@dataclass(frozen=True)
class Reach(EffectorTask):
    """A joint or a site shall be at a position; the target is that position (3,) [m]."""

    def measure(self, pose: Pose) -> Floats:
        """Position of the node (3,) [m]."""
        return np.array(node_position(pose, self.node))

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Vector from the node to the target (3,) [m]."""
        return np.asarray(self.aim(target)) - node_position(pose, self.node)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Velocity of the node for a unit speed of each degree of freedom (3, D) [m/rad]."""
        moving, _, arms = node_freedoms(pose, self.node)
        return np.cross(moving, arms).T


@dataclass(frozen=True)
class Orient(EffectorTask):
    """A joint shall have a rotation; the target is a unit quaternion (4,), relative to rest.

    Relative to rest: identity is the joint in the neutral stance of a person, or in the bind pose
    of any other skeleton. Solvers count a radian like the length of the skeleton.
    """

    angular: ClassVar[bool] = True

    def measure(self, pose: Pose) -> Floats:
        """World rotation of the joint relative to rest (4,)."""
        return node_rotation(pose, self.node)

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Rotation vector from the joint's rotation to the target, in the world (3,) [rad]."""
        wanted = as_quat(self.aim(target))
        return np.array(formulas.orient_residual(wanted, as_quat(self.measure(pose))))

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of the rotation vector with each degree of freedom (3, D).

        Where nothing is missing, and without a target: the angular velocity of the joint.
        """
        missing = as_vec(np.zeros(3) if target is None else self.residual(pose, target))
        _, turning, _ = node_freedoms(pose, self.node)
        return rows_of(formulas.orient_column(missing, as_vec(axis)) for axis in turning)


@dataclass(frozen=True)
class LookAt(Task[Floats]):
    """An axis of a joint shall point at a position; the target is that position (3,) [m].

    The residual is the difference of two unit vectors, towards the target and along the axis: its
    length is twice the sine of half the angle between them.
    """

    angular: ClassVar[bool] = True

    node: str
    """Name of the joint, or of a site that it carries, or its role on a person."""
    at: Vec3 | None = None
    """The position [m], where it is always the same."""
    axis: Vec3 = (0.0, 0.0, 1.0)
    """Line of sight at rest, in the world, of any length. People face +Z."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    covariance: Shape | None = None
    """Three deviations along X, Y and Z of the world, or a covariance (3, 3), relative to 1: what
    is missing where they are large counts less; where infinite, not at all. For `monte-carlo`."""
    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        size = float(np.linalg.norm(self.axis)) if np.shape(self.axis) == (3,) else 0.0
        if not (np.isfinite(size) and size > 0.0):
            raise InputError(f"Expected an `axis` with a direction, got {self.axis!r}.")
        if self.at is not None and not (np.shape(self.at) == (3,) and np.isfinite(self.at).all()):
            raise InputError(f"Expected a place `at` of three finite numbers, got {self.at!r}.")

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return f"look {self.node}"

    @property
    def goal(self) -> Floats | None:
        """The position that is always the same, if there is one (3,) [m]."""
        return None if self.at is None else np.array(self.at, dtype=np.float64)

    def direction(self, pose: Pose) -> Floats:
        """Line of sight now, a unit vector in the world (3,)."""
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        return arrays.rotate(node_rotation(pose, self.node), axis)

    def measure(self, pose: Pose) -> Floats:
        """A position that it looks at, a metre away (3,) [m]."""
        return np.asarray(node_position(pose, self.node) + self.direction(pose))

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Difference of the unit vectors towards the target and along the line of sight (3,)."""
        eye, direction = node_position(pose, self.node), as_vec(self.direction(pose))
        return np.array(formulas.look_residual(as_vec(self.aim(target)), eye, direction))

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of the line of sight, and of the way to the target, with each freedom (3, D)."""
        if target is None and self.goal is None:
            target = self.measure(pose)
        direction = as_vec(self.direction(pose))
        away = vec_sub(as_vec(self.aim(target)), node_position(pose, self.node))
        moving, turning, arms = node_freedoms(pose, self.node)
        return rows_of(
            formulas.look_column(away, direction, as_vec(axis), as_vec(velocity))
            for axis, velocity in zip(turning, np.cross(moving, arms), strict=True)
        )


@dataclass(frozen=True)
class Floor(Task[Floats]):
    """A joint or a site shall be at the height of the floor, or not below it.

    It may slide: `Reach` holds it in its place.
    """

    node: str
    """Name of the joint or site, or its role on a person."""
    height: float = 0.0
    """Height of the floor, or of an ankle above it [m]."""
    lifts: bool = False
    """Whether it may leave the floor: then only what lies below it counts."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite(self.height):
            raise InputError(f"Expected a finite `height` in metres, got {self.height}.")

    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""

    @property
    def goal(self) -> Floats:
        """Height of the floor, (1,) [m]."""
        return np.array([self.height])

    def measure(self, pose: Pose) -> Floats:
        """Height of the node, (1,) [m]."""
        return np.array([node_position(pose, self.node)[1]])

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Height of the floor less that of the node, (1,) [m]; zero if it lifts, and is above."""
        floor, height = float(self.aim(target)[0]), float(self.measure(pose)[0])
        return np.array([formulas.floor_residual(floor, height, self.lifts)])

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Vertical velocity for a unit speed of each freedom (1, D); zero if it lifts, and is."""
        up = Reach(self.node).jacobian(pose)[1:2]
        above = self.measure(pose)[0] > self.aim(target)[0]
        return np.zeros_like(up) if self.lifts and above else up
