"""Tasks that compare joints with each other or with a posture, wherever the skeleton stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..body.articulation import HINGE
from ..body.hand import FINGER_JOINTS
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels import tasks as formulas
from ..kernels.arrays import as_quat, as_vec
from ..kernels.types import Floats, Ints
from ..motion.pose import Pose
from .base import ScalarTask, Task, rows_of

FINGER_RATIO = 2.0 / 3.0
"""Bend of the last joint of a finger over that of the middle one (Courty & Arnaud 2008)."""


@dataclass(frozen=True)
class Posture(Task[Pose]):
    """Every joint shall be rotated as in another pose of the same skeleton, which is the target.

    One row for each degree of freedom. A ball joint is compared by the rotation vector between the
    two, not by its three angles: that has no gimbal lock and prefers no axis.
    """

    angular: ClassVar[bool] = True

    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    like: Pose | None = None
    """The posture, where it is always the same."""
    priority: int | None = None
    """Level for solvers with strict priorities, 0 or more, the least first. None: all that other
    tasks leave open is drawn to it, a part of the way in each step. Others weigh all tasks."""

    @property
    def goal(self) -> Pose | None:
        """The posture that is always the same, if there is one."""
        return self.like

    def measure(self, pose: Pose) -> Pose:
        """The pose itself."""
        return pose

    def residual(self, pose: Pose, target: Pose | None = None) -> Floats:
        """What each joint still has to rotate, relative to its parent at rest (D,) [rad]."""
        body = pose.skeleton.articulation
        other = self.like_of(pose, target).rotations
        now, wanted = body.to_rest(pose.rotations), body.to_rest(other)
        out = np.asarray(arrays.wrap(body.angles(other) - body.angles(pose.rotations)))
        for j, k in enumerate(body.first):
            if body.freedom[j] != HINGE:
                out[k : k + 3] = formulas.orient_residual(as_quat(wanted[j]), as_quat(now[j]))
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
                rest = as_vec(missing[own])
                out[own, own] = rows_of(formulas.orient_column(rest, as_vec(a)) for a in axes[own])
        return out

    def like_of(self, pose: Pose, target: Pose | None = None) -> Pose:
        """The posture for a pose, checked to be of the same skeleton."""
        like = self.aim(target)
        if not isinstance(like, Pose):
            raise InputError(f"Expected a pose for the task 'posture', got {like!r}.")
        if like.skeleton.names != pose.skeleton.names:
            raise InputError(
                "Expected the posture of a task to be of the same skeleton, with "
                f"{pose.skeleton.joint_count} joints; got one with {like.skeleton.joint_count}."
            )
        return like


@dataclass(frozen=True)
class Coupling(ScalarTask):
    """One hinge shall be bent by a part of what another is bent, both from rest."""

    angular: ClassVar[bool] = True

    joint: str
    """Name of the hinge that follows."""
    of: str
    """Name of the hinge that it follows."""
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

    priority: int = 1
    """Level for solvers with strict priorities, 0 or more, the least first; others weigh all."""

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return f"coupling {self.joint}"

    def joints(self, skeleton: Skeleton) -> tuple[int, int]:
        """Numbers of the hinge that follows, and of the one that it follows."""
        body = skeleton.articulation
        found = []
        for name in (self.joint, self.of):
            joint = body.node(name)
            if joint >= skeleton.joint_count or body.freedom[joint] != HINGE:
                raise InputError(f"Expected a hinge to couple, got {name!r}, which is none.")
            found.append(joint)
        return found[0], found[1]

    def measure(self, pose: Pose) -> Floats:
        """Angle by which the following hinge is bent too far, (1,) [rad]."""
        body = pose.skeleton.articulation
        angles = body.angles(pose.rotations)
        follower, leader = (float(angles[body.first[j]]) for j in self.joints(pose.skeleton))
        return np.array([formulas.coupling_angle(follower, leader, self.ratio)])

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """One for the hinge that follows, minus the ratio for the other, (1, D)."""
        body = pose.skeleton.articulation
        joint, of = self.joints(pose.skeleton)
        out = np.zeros((1, body.count))
        out[0, body.first[joint]] = 1.0
        out[0, body.first[of]] = -self.ratio
        return out


def finger_couplings(
    weight: float = 1.0, fingers: Mapping[str, Sequence[str]] | None = None
) -> tuple[Coupling, ...]:
    """The last joint of every finger but the thumb bends with the one before.

    Args:
        weight: of each coupling.
        fingers: name of each finger -> its joints from the palm outwards, the last two hinges;
            default those of `Skeleton.hand`. One that is named "thumb" is left out.
    """
    chosen = FINGER_JOINTS if fingers is None else fingers
    for name, joints in chosen.items():
        if isinstance(joints, str) or len(joints) < 2:
            raise InputError(f"Expected two joints or more of the finger {name!r}, got {joints!r}.")
    return tuple(
        Coupling(joints[-1], joints[-2], weight=weight)
        for name, joints in chosen.items()
        if "thumb" not in name.lower()
    )


@dataclass(frozen=True)
class Smoothness(ScalarTask):
    """Neighbours in a chain shall be rotated alike, relative to rest (Courty & Arnaud, Eq. (16)).

    The energy is the sum, over the joints of the chain and their neighbours on both sides within a
    window, of the length of the quaternion logarithm between the two. That is half the angle, and
    every pair counts twice, once from either side, so that a window of 1 sums the angles.
    """

    angular: ClassVar[bool] = True

    chain: tuple[str, ...] | None = None
    """Names of the joints in their order. Default: all joints of a skeleton that is one chain."""
    window: int = 1
    """How far neighbours reach, in joints. The paper does not say."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = isinstance(self.window, (int, np.integer)) and not isinstance(self.window, bool)
        if not (whole and self.window >= 1):
            raise InputError(f"Expected a `window` of 1 joint or more, got {self.window!r}.")
        if self.chain is not None and len(set(self.chain)) != len(self.chain):
            raise InputError(f"Expected each joint of a `chain` once, got {self.chain!r}.")

    priority: int | None = None
    """Level for solvers with strict priorities, 0 or more, the least first; None: after all."""

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
        return np.array([body.skeleton.carrier(body.node(name)) for name in self.chain], np.int64)

    def pairs(self, skeleton: Skeleton) -> Ints:
        """Joints that are compared, each pair once, (P, 2)."""
        chain = self.joints(skeleton)
        steps = range(1, self.window + 1)
        found = [(chain[i], chain[i + k]) for k in steps for i in range(len(chain) - k)]
        return np.array(found, np.int64).reshape(-1, 2)

    def measure(self, pose: Pose) -> Floats:
        """The energy of Eq. (16), (1,) [rad of half angles]."""
        local = pose.skeleton.articulation.to_rest(pose.rotations)
        pairs = self.pairs(pose.skeleton)
        return np.array([formulas.smoothness_energy(local, pairs, 0, len(pairs))])

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Gradient of the energy (1, D); pairs that are rotated alike have none."""
        body = pose.skeleton.articulation
        local = body.to_rest(pose.rotations)
        axes = body.joint_axes(pose.rotations)
        out = np.zeros((1, body.count))
        for i, j in self.pairs(pose.skeleton):
            axis = np.array(formulas.smoothness_axis(as_quat(local[i]), as_quat(local[j])))
            # q_j q_i* has the angle of q_i* q_j, and its axis is the same for both velocities.
            for joint, sign in ((j, 1.0), (i, -1.0)):
                k = slice(body.first[joint], body.first[joint] + body.freedom[joint])
                out[0, k] += sign * (axes[k] @ axis)
        return out
