"""Parts of a body shall not be in each other: self-collision as a task, and as a measurement."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..body.shapes import BodyShape, TorsoPrism, elbow_radius, free_pairs, pair_depths, torso_prisms
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.arrays import as_vec
from ..kernels.capsule import way_apart
from ..kernels.prism import PrismTable, prisms_depth_clip
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.pose import Pose, stripes
from .base import ScalarTask, joint_columns, moving_axes
from .contacts import Contacts, Event, check_skeleton, sorted_events


@dataclass(frozen=True)
class SelfCollision(ScalarTask):
    """All pairs of capsules of a figure except neighbours shall stay apart.

    One row for each pair (`sixpoint.tasks.SelfContact.pairs` names them). Pairs that are apart have
    no residual and no derivative; pairs that touch are pushed along the line between their nearest
    points. `pik` serves it before all other tasks.
    """

    margin: float = 0.0
    """Distance that shall be left between parts [m]."""
    weight: float = 1.0
    """How much it counts against other tasks, >= 0."""
    shape: BodyShape | None = field(default=None, repr=False)
    """Capsules of the figure: those of a robot's file (`load_robot`), or one's own. Default: those
    of a person, or one along every bone of any other figure."""
    priority: int | None = None
    """Level for solvers with strict priorities, 0 or more, the least first. None: before all tasks.
    Others weigh all tasks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.margin) and self.margin >= 0.0):
            raise InputError(f"Expected a `margin` >= 0 in metres, got {self.margin}.")

    @property
    def label(self) -> str:
        """See `Task.label`."""
        return "self_collision"

    def measure(self, pose: Pose) -> Floats:
        """Depth of each pair, zero where it is apart, (P,) [m]."""
        shape, pairs = free_pairs(pose.skeleton, self.shape)
        depths, _, _ = pair_depths(shape, pairs, *pose.world())
        return np.maximum(depths + self.margin, 0.0)

    def jacobian(self, pose: Pose, target: Floats | None = None) -> Floats:
        """Change of each depth with each degree of freedom (P, D) [m/rad]; zero where apart."""
        shape, pairs = free_pairs(pose.skeleton, self.shape)
        depths, first, second = pair_depths(shape, pairs, *pose.world())
        starts, ends = shape.place(*pose.world())
        joints, axes = joint_columns(pose)
        out = np.zeros((len(pairs), len(axes)))
        for k in np.flatnonzero(depths + self.margin > 0.0):
            lines = (ends[i] - starts[i] for i in pairs[k])
            way = np.array(way_apart(*(as_vec(v) for v in (first[k], second[k], *lines))))
            for part, point, sign in zip(pairs[k], (first[k], second[k]), (1.0, -1.0), strict=True):
                moving = moving_axes(pose, shape.capsules[part].joint, axes)
                out[k] -= sign * (np.cross(moving, point - joints) @ way)
        return out


@dataclass(frozen=True, eq=False)
class SelfContact:
    """Measures the pairs of parts of one skeleton that must stay apart, over a motion."""

    skeleton: Skeleton
    shape: BodyShape | None = None
    """Its capsules; default those of `body_shape`."""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the parts of each pair."""
        shape, pairs = free_pairs(self.skeleton, self.shape)
        return tuple((shape.names[i], shape.names[j]) for i, j in pairs)

    def depths(self, motion: Motion) -> Floats:
        """How deep the parts of each pair are in each other [m], shape (F, P); negative: gaps."""
        return self._measure(motion)[0]

    def events(self, motion: Motion) -> list[Event]:
        """Every stretch of frames in which two parts touch, in the order of time."""
        depths, positions = self._measure(motion)
        found: list[Event] = []
        for k, (part, other) in enumerate(self.pairs):
            measured = depths[:, None, k : k + 1], positions[:, None, k : k + 1]
            found += Contacts((part,), (other,), *measured, np.zeros(1)).events()
        return sorted_events(found)

    def _measure(self, motion: Motion) -> tuple[Floats, Floats]:
        check_skeleton(motion, self.skeleton)
        shape, pairs = free_pairs(self.skeleton, self.shape)
        depths = np.empty((len(motion), len(pairs)))
        positions = np.empty((len(motion), len(pairs), 3))
        for rows in stripes(len(motion)):
            depths[rows], first, second = pair_depths(shape, pairs, *motion.world(rows))
            positions[rows] = 0.5 * (first + second)
        return depths, positions


@dataclass(frozen=True, eq=False)
class ElbowTorso:
    """Measures how deep elbows are in the torso (Unzueta et al. 2008, section 8, Figs. 8 and 9).

    The elbow is a ball, the torso a stack of prisms that move with the spine. Build it with
    `ElbowTorso.of`. The solver's setting `collisions` turns the upper arm until the ball is out: a
    bent arm swivels about the line from shoulder to wrist, an almost straight one at the shoulder.
    """

    skeleton: Skeleton
    """Skeleton that has the elbows."""
    prisms: tuple[TorsoPrism, ...]
    """The torso, lowest prism first."""
    radius: float
    """Radius of the balls that stand for the elbows [m]."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"Expected a positive `radius` in metres, got {self.radius}.")
        joints = self.skeleton.joint_count
        wrong = [prism.joint for prism in self.prisms if not 0 <= prism.joint < joints]
        if wrong:
            raise InputError(f"Expected prisms on joints 0 to {joints - 1}, got {wrong[0]}.")

    @classmethod
    def of(cls, skeleton: Skeleton) -> ElbowTorso:
        """Sizes from the skeleton's own measures."""
        return cls(skeleton, torso_prisms(skeleton), elbow_radius(skeleton))

    @cached_property
    def table(self) -> PrismTable:
        """The prisms as kernels read them. Their frames are *anatomical*: A_j, not G_j."""
        corners = max((len(prism.polygon) for prism in self.prisms), default=3)
        polygons = np.empty((len(self.prisms), corners, 2))
        for row, prism in zip(polygons, self.prisms, strict=True):
            row[:] = prism.polygon[-1]  # an edge without length does not count
            row[: len(prism.polygon)] = prism.polygon
        return PrismTable(
            np.array([prism.joint for prism in self.prisms], np.int64),
            np.array([prism.y_low for prism in self.prisms], np.float64),
            np.array([prism.y_high for prism in self.prisms], np.float64),
            polygons,
        )

    def depths(self, motion: Motion) -> Floats:
        """How deep the left and the right elbow are in the torso [m], shape (F, 2).

        Negative: the gap between them, or between the elbow and the height where a prism acts.
        """
        check_skeleton(motion, self.skeleton)
        anatomy = self.skeleton.anatomy
        elbows = np.array([anatomy.node("l_elbow"), anatomy.node("r_elbow")])
        out = np.empty((len(motion), 2))
        for stripe in stripes(len(motion)):
            positions, world = motion.world(stripe)
            frames = arrays.multiply(world, arrays.conjugate(anatomy.neutral))
            prisms_depth_clip(
                self.table, positions, frames, elbows, float(self.radius), out[stripe]
            )
        return out
