"""Pose: the configuration of a body at one moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..body.skeleton import Skeleton
from ..body.values import Value
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats

STRIPE = 4096
"""Frames that are worked on at a time, which bounds the scratch memory."""


def stripes(frames: int) -> Iterator[slice]:
    """Yield slices of at most `STRIPE` frames that cover so many frames."""
    return (slice(f, f + STRIPE) for f in range(0, frames, STRIPE))


@dataclass(frozen=True, slots=True, eq=False)
class Pose(Value):
    """Position of the root and rotation of every joint."""

    skeleton: Skeleton
    root: Floats
    """World position of the root joint [m], shape (3,)."""
    rotations: Floats
    """Local rotation of each joint, unit quaternions (w, x, y, z), shape (J, 4)."""
    translations: Floats | None = None
    """Local translations that replace the skeleton's offsets [m], shape (J, 3); row 0 is `root`."""

    def __post_init__(self) -> None:
        j = self.skeleton.joint_count
        for name, shape in (("root", (3,)), ("rotations", (j, 4)), ("translations", (j, 3))):
            array = getattr(self, name)
            if array is not None and np.shape(array) != shape:
                raise InputError(f"Expected `{name}` to have shape {shape}, got {np.shape(array)}.")

    def __repr__(self) -> str:
        x, y, z = (float(value) for value in self.root)
        return f"Pose({self.skeleton.joint_count} joints, root at ({x:.3f}, {y:.3f}, {z:.3f}) m)"

    def world(self) -> tuple[Floats, Floats]:
        """World positions of all nodes (J+S, 3) [m] and rotations of all joints (J, 4)."""
        moves = self.skeleton.offsets if self.translations is None else self.translations
        moves = np.concatenate([self.root[None], moves[1:]])
        positions, world = arrays.forward(self.skeleton.parents, moves, self.rotations)
        return self.skeleton.node_positions(positions, world), world
