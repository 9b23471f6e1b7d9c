"""Parts of the body shall not be in each other: self-collision as a task (X6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..body.shapes import free_pairs, pair_depths
from ..errors import InputError
from ..kernels.capsule import way_apart
from ..kernels.types import Bools, Floats, Vec3
from ..motion.pose import Pose
from .base import Task, turning


@dataclass(frozen=True)
class SelfCollision(Task[Floats]):
    """All pairs of capsules of a person but neighbours shall stay apart.

    One row for each pair (`sixpoint.tasks.SelfContact.pairs` names them). What is apart misses
    nothing and moves nothing; what touches is pushed along the line between the nearest points.
    `pik` serves it before all other tasks.
    """

    margin: float = 0.0
    """Distance that shall be left between parts [m]."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.margin) and self.margin >= 0.0):
            raise InputError(f"Expected a `margin` >= 0 in metres, got {self.margin}.")

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return "self_collision"

    @property
    def goal(self) -> Floats:
        """No depth at all, (1,) [m]."""
        return np.zeros(1)

    def measure(self, pose: Pose) -> Floats:
        """Depth of each pair, zero where it is apart, (P,) [m]."""
        shape, pairs = free_pairs(pose.skeleton)
        depths, _, _ = pair_depths(shape, pairs, *pose.world())
        return np.maximum(depths + self.margin, 0.0)

    def residual(self, pose: Pose, target: Floats | None = None) -> Floats:
        """What must go: minus the depths, (P,) [m]."""
        return -self.measure(pose)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of each depth with each degree of freedom (P, D) [m/rad]; zero where apart."""
        shape, pairs = free_pairs(pose.skeleton)
        depths, first, second = pair_depths(shape, pairs, *pose.world())
        starts, ends = shape.place(*pose.world())
        places, axes = turning(pose)
        out = np.zeros((len(pairs), len(axes)))
        for k in np.flatnonzero(depths + self.margin > 0.0):
            lines = (ends[i] - starts[i] for i in pairs[k])
            way = np.array(way_apart(*(_as3(v) for v in (first[k], second[k], *lines))))
            one, other = (shape.capsules[pair].joint for pair in pairs[k])
            speed = np.where(_moving(pose, one)[:, None], np.cross(axes, first[k] - places), 0.0)
            speed -= np.where(_moving(pose, other)[:, None], np.cross(axes, second[k] - places), 0)
            out[k] = -speed @ way
        return out


def _moving(pose: Pose, joint: int) -> Bools:
    """Whether each degree of freedom moves a joint, (D,)."""
    body = pose.skeleton.articulation
    joints = np.repeat(np.arange(pose.skeleton.joint_count), body.freedom)
    return np.asarray(body.moving(joint)[joints])


def _as3(v: Floats) -> Vec3:
    """A vector as kernels take it."""
    return float(v[0]), float(v[1]), float(v[2])
