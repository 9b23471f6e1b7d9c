"""Two hinges shall bend together, as tendons make fingers do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.articulation import HINGE
from ..body.hand import FINGERS
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose
from .base import Task

FINGER_RATIO = 2.0 / 3.0
"""Last over middle joint of a finger (S2.35)."""


@dataclass(frozen=True)
class Coupling(Task[Floats]):
    """One hinge shall be bent by a part of what another is bent, both from rest."""

    angular: ClassVar[bool] = True

    joint: str
    """Name of the hinge that follows."""
    of: str
    """Name of the hinge that leads."""
    ratio: float = FINGER_RATIO
    """Angle of the one over that of the other."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.isfinite(self.ratio):
            raise InputError(f"Expected a finite `ratio`, got {self.ratio}.")
        if self.joint == self.of:
            raise InputError(f"Expected two hinges to couple, got {self.joint!r} twice.")

    @property
    def label(self) -> str:
        """What messages and reports call it."""
        return f"coupling {self.joint}"

    @property
    def goal(self) -> Floats:
        """Bent together: no difference, (1,)."""
        return np.zeros(1)

    def joints(self, skeleton: Skeleton) -> tuple[int, int]:
        """Numbers of the hinge that follows, and of the one that leads."""
        body = skeleton.articulation
        found = []
        for name in (self.joint, self.of):
            joint = body.node(name)
            if joint >= skeleton.joint_count or body.freedom[joint] != HINGE:
                raise InputError(f"Expected a hinge to couple, got {name!r}, which is none.")
            found.append(joint)
        return found[0], found[1]

    def measure(self, pose: Pose) -> Floats:
        """By how much the one is bent too far, (1,) [rad]."""
        body = pose.skeleton.articulation
        joint, of = self.joints(pose.skeleton)
        angles = body.angles(pose.rotations)
        return np.array([angles[body.first[joint]] - self.ratio * angles[body.first[of]]])

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """What the one still has to bend, (1,) [rad]."""
        return np.asarray(self.aim(target)) - self.measure(pose)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """One for the hinge that follows, minus the ratio for the other, (1, D)."""
        body = pose.skeleton.articulation
        joint, of = self.joints(pose.skeleton)
        out = np.zeros((1, body.count))
        out[0, body.first[joint]] = 1.0
        out[0, body.first[of]] = -self.ratio
        return out


def finger_couplings(weight: float = 1.0) -> tuple[Coupling, ...]:
    """The last joint of every finger of `Skeleton.hand` but the thumb bends with the middle one."""
    return tuple(
        Coupling(f"{finger}_{shape.joints[2]}", f"{finger}_{shape.joints[1]}", weight=weight)
        for finger, shape in FINGERS.items()
        if finger != "thumb"
    )
