"""Elbows that stay out of the torso (Unzueta et al. 2008, section 8, Figs. 8 and 9).

The elbow is a ball, the torso a stack of prisms that move with the spine. A solver turns the upper
arm until the ball is out: a bent arm swivels about the line from shoulder to wrist, so that the
hand stays where it is; an almost straight one swings at the shoulder. Off by default, as in the
paper's own comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..body.shapes import TorsoPrism, elbow_radius, torso_prisms
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.prism import PrismTable, prisms_depth_clip
from ..kernels.types import Floats
from ..motion.motion import STRIPE, Motion


@dataclass(frozen=True, eq=False)
class ElbowTorso:
    """The elbows and the torso of one skeleton. Build it with `ElbowTorso.of`."""

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
        if motion.skeleton != self.skeleton:
            raise InputError("Expected a motion of this skeleton, got one of another.")
        anatomy = self.skeleton.anatomy
        elbows = np.array([anatomy.node("l_elbow"), anatomy.node("r_elbow")])
        out = np.empty((len(motion), 2))
        for f in range(0, len(motion), STRIPE):
            positions, world = motion.world(slice(f, f + STRIPE))
            frames = arrays.multiply(world, arrays.conjugate(anatomy.neutral))
            prisms_depth_clip(
                self.table, positions, frames, elbows, float(self.radius), out[f : f + STRIPE]
            )
        return out
