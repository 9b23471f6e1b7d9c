"""A chain shall bend evenly: neighbouring joints turn alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.pose import Pose
from .base import Task

ALIKE = 1e-9
"""Joints that differ by less than this turn alike: the norm has no slope there [rad]."""


@dataclass(frozen=True)
class Smoothness(Task[Floats]):
    """Neighbours in a chain shall be turned alike, relative to rest: Eq. (16) of the paper.

    The energy is the sum, over the joints of the chain and their neighbours on both sides within a
    window, of the length of the quaternion logarithm between the two. That is half the angle, and
    every pair counts twice, once from either side, so that a window of 1 sums the angles.
    """

    angular: ClassVar[bool] = True

    chain: tuple[str, ...] | None = None
    """Names of the joints in their order. Default: all joints of a figure that is one chain."""
    window: int = 1
    """How far neighbours reach, in joints. The paper does not say (A2.8)."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = isinstance(self.window, (int, np.integer)) and not isinstance(self.window, bool)
        if not (whole and self.window >= 1):
            raise InputError(f"Expected a `window` of 1 joint or more, got {self.window!r}.")
        if self.chain is not None and len(set(self.chain)) != len(self.chain):
            raise InputError(f"Expected each joint of a `chain` once, got {self.chain!r}.")

    @property
    def goal(self) -> Floats:
        """All alike: no energy, (1,)."""
        return np.zeros(1)

    def joints(self, skeleton: Skeleton) -> Ints:
        """Numbers of the joints of the chain, in its order."""
        if self.chain is None:
            if (np.bincount(skeleton.parents[1:], minlength=1) > 1).any():
                raise InputError(
                    "Expected the names of the joints of one `chain` for smoothness in a figure "
                    "that branches, got none."
                )
            return np.arange(skeleton.joint_count)
        body = skeleton.articulation
        return np.array([body.carrier(body.node(name)) for name in self.chain], np.int64)

    def pairs(self, skeleton: Skeleton) -> Ints:
        """Joints that are compared, each pair once, (P, 2)."""
        chain = self.joints(skeleton)
        return np.array(
            [
                (chain[i], chain[i + step])
                for step in range(1, self.window + 1)
                for i in range(len(chain) - step)
            ],
            np.int64,
        ).reshape(-1, 2)

    def measure(self, pose: Pose) -> Floats:
        """The energy of Eq. (16), (1,) [rad of half angles]."""
        turned = pose.skeleton.articulation.to_rest(pose.rotations)
        pairs = self.pairs(pose.skeleton)
        angles = arrays.angle_between(turned[pairs[:, 0]], turned[pairs[:, 1]])
        return np.array([2.0 * 0.5 * angles.sum()])  # two sides, half angles

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """What is too much of the energy, with a minus, (1,) [rad]."""
        return np.asarray(self.aim(target)) - self.measure(pose)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Gradient of the energy (1, D); pairs that are turned alike have none."""
        body = pose.skeleton.articulation
        turned = body.to_rest(pose.rotations)
        axes = body.joint_axes(pose.rotations)
        out = np.zeros((1, body.count))
        for i, j in self.pairs(pose.skeleton):
            between = arrays.multiply(turned[j], arrays.conjugate(turned[i]))
            turn = arrays.to_rotvec(between)
            angle = float(np.linalg.norm(turn))
            if angle < ALIKE:
                continue
            # q_j q_i* has the angle of q_i* q_j, and its axis is the same for both velocities.
            for joint, sign in ((j, 1.0), (i, -1.0)):
                k = slice(body.first[joint], body.first[joint] + body.freedom[joint])
                axis = turn / angle
                out[0, k] += sign * (axes[k] @ axis)
        return out
