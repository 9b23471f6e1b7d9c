"""What will be drawn: motions, moments, and where everything is in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import Points
from .mannequin import Mannequin, Solids, mannequin_of
from .outline import View, facing_of

MARGIN = 0.06
"""Free space around a figure, as a part of its stature."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One motion as it will be drawn: who, when, with which tracked points."""

    motion: Motion
    title: str = ""
    points: Points | None = None
    """Drawn as dots; None: no dots."""

    @cached_property
    def mannequin(self) -> Mannequin:
        """The motion's skeleton, dressed."""
        return mannequin_of(self.motion.skeleton)

    def frame_at(self, time: float) -> int:
        """The frame nearest to a time [s]; the last one is held."""
        return min(round(time * self.motion.rate), len(self.motion) - 1)


@dataclass(frozen=True, eq=False)
class Shot:
    """A panel's frames, placed in the world once for all pictures."""

    panel: Panel
    frames: Sequence[int]
    solids: Solids
    corners: Floats
    """Ends and centres of all parts that are drawn [m], shape (F, n, 3)."""
    anchor: Floats
    """On the ground below the body [m], shape (F, 3)."""

    def box(self, basis: Floats) -> tuple[float, float, float]:
        """Half width, lowest and highest point of all frames around their anchors [m]."""
        flat = (self.corners - self.anchor[:, None]) @ basis.T
        pad = 2.0 * MARGIN * self.panel.mannequin.stature
        return (
            float(np.abs(flat[..., 0]).max()) + pad,
            min(float(flat[..., 1].min()), 0.0) - pad,
            float(flat[..., 1].max()) + pad,
        )


def shoot(panel: Panel, times: Floats) -> Shot:
    """Place a panel at some times [s]."""
    frames = [panel.frame_at(float(time)) for time in times]
    solids = panel.mannequin.place(*panel.motion.frames(frames).world())
    # Not the nodes: the root of some rigs stays at the origin while the person walks away.
    corners = np.concatenate([solids.starts, solids.ends, solids.centres], axis=1)
    if corners.shape[1] == 0:  # a single joint has no parts
        corners = panel.motion.frames(frames).positions()
    # The ground is where the lowest part of the body is nearly always at or above.
    ground = float(np.quantile(corners[..., 1].min(axis=1), 0.02))
    anchor = (corners.min(axis=1) + corners.max(axis=1)) / 2.0
    anchor[:, 1] = ground
    return Shot(panel, frames, solids, corners, anchor)


def check_panels(panels: Sequence[Panel]) -> None:
    """Refuse to draw nothing."""
    if not panels:
        raise InputError("Expected at least one motion to draw, got none.")
    for panel in panels:
        if len(panel.motion) == 0:
            raise InputError(f"Nothing to draw: {panel.title or 'the motion'} has no frames.")


def common_view(
    shots: Sequence[Shot], view: View | None
) -> tuple[Floats, tuple[float, float, float]]:
    """One view and one scale for all motions."""
    basis = (view or View()).basis(facing_of(shots[0].panel.motion))
    boxes = np.array([shot.box(basis) for shot in shots])
    return basis, (float(boxes[:, 0].max()), float(boxes[:, 1].min()), float(boxes[:, 2].max()))
