"""A joint of the figure shall look at a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Vec3
from ..motion.pose import Pose
from .base import Shape, Task, columns

AT_THE_EYE = 1e-9
"""A place nearer than this has no direction, and asks for nothing [m]."""


@dataclass(frozen=True)
class LookAt(Task[Floats]):
    """An axis of a joint shall point at a place; the target is a position (3,) [m].

    The residual is the difference of two unit vectors, towards the place and along the axis: its
    length is twice the sine of half the angle between them.
    """

    angular: ClassVar[bool] = True

    node: str
    """Name of the joint, or of a site that it carries, or its role on a person."""
    at: Vec3 | None = None
    """The place [m], where it is always the same."""
    axis: Vec3 = (0.0, 0.0, 1.0)
    """Which way it looks at rest, in the world; not a unit vector of need. People face +Z."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    covariance: Shape | None = None
    """Three deviations along X, Y and Z of the world, or a covariance (3, 3), relative to 1: what
    is missing where they are large counts less; where infinite, not at all. For `monte-carlo`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        size = float(np.linalg.norm(self.axis)) if np.shape(self.axis) == (3,) else 0.0
        if not (np.isfinite(size) and size > 0.0):
            raise InputError(f"Expected an `axis` with a direction, got {self.axis!r}.")
        if self.at is not None and not (np.shape(self.at) == (3,) and np.isfinite(self.at).all()):
            raise InputError(f"Expected a place `at` of three finite numbers, got {self.at!r}.")

    @property
    def label(self) -> str:
        """What messages and reports call it."""
        return f"look {self.node}"

    @property
    def goal(self) -> Floats | None:
        """The place that is always the same, if there is one (3,) [m]."""
        return None if self.at is None else np.array(self.at, dtype=np.float64)

    def direction(self, pose: Pose) -> Floats:
        """Where it looks now, a unit vector in the world (3,)."""
        body = pose.skeleton.articulation
        joint = body.carrier(body.node(self.node))
        turn = arrays.multiply(pose.world()[1][joint], arrays.conjugate(body.neutral[joint]))
        return arrays.rotate(turn, np.array(self.axis) / np.linalg.norm(self.axis))

    def measure(self, pose: Pose) -> Floats:
        """A place that it looks at, a metre away (3,) [m]."""
        node = pose.skeleton.articulation.node(self.node)
        return np.asarray(pose.world()[0][node] + self.direction(pose))

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """From where it looks to where it shall look, between unit vectors (3,)."""
        away, distance = self._away(pose, target)
        if distance < AT_THE_EYE:
            return np.zeros(3)
        return np.asarray(away / distance - self.direction(pose))

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of the direction, and of the way to the place, with each freedom (3, D)."""
        body = pose.skeleton.articulation
        node = body.node(self.node)
        away, distance = self._away(pose, target if target is not None else self._ahead(pose))
        if distance < AT_THE_EYE:
            return np.zeros((3, body.count))
        _, _, turning = columns(pose, body.carrier(node))
        place, joints, axes = columns(pose, node)
        moved = np.cross(axes, place - joints)
        towards = away / distance
        aside = moved - np.outer(moved @ towards, towards)
        return np.asarray((np.cross(turning, self.direction(pose)) + aside / distance).T)

    def _ahead(self, pose: Pose) -> Floats:
        return self.measure(pose) if self.goal is None else self.goal

    def _away(self, pose: Pose, target: Floats | None) -> tuple[Floats, float]:
        """From the node to the place, and how far that is [m]."""
        node = pose.skeleton.articulation.node(self.node)
        away = np.asarray(self.aim(target), dtype=np.float64) - pose.world()[0][node]
        return away, float(np.linalg.norm(away))
