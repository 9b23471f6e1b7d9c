"""Motions at some moments, placed in the world and seen from somewhere."""

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

MARGIN = 0.06
"""Free space around a figure, as a part of its stature."""
UP = np.array([0.0, 1.0, 0.0])

Bounds = tuple[float, float, float]
"""Half width, lowest and highest point of a picture around the anchor [m]."""


@dataclass(frozen=True)
class View:
    """Position of the viewer, relative to the way the person faces in the first frame."""

    yaw: float = np.radians(35.0)
    """Angle from the person's front to the person's left [rad]; the default is a 3/4 view."""
    pitch: float = np.radians(12.0)
    """Angle above the horizon [rad]."""

    def basis(self, facing: Floats) -> Floats:
        """Return right and up of the picture, and the direction to the viewer, as rows (3, 3)."""
        left = np.cross(UP, facing)
        level = np.cos(self.yaw) * facing + np.sin(self.yaw) * left
        towards = np.cos(self.pitch) * level + np.sin(self.pitch) * UP
        right = np.cross(UP, level)
        return np.stack([right, np.cross(towards, right), towards])


def facing_of(motion: Motion) -> Floats:
    """Return the horizontal unit vector to the front of the person at first; +Z if unknown."""
    ahead = np.array([0.0, 0.0, 1.0])
    if len(motion) == 0:
        return ahead
    try:
        anatomy = motion.skeleton.anatomy
    except InputError:
        return ahead
    at = motion.frames(slice(0, 1)).positions([anatomy.node("l_hip"), anatomy.node("r_hip")])[0]
    forward = np.cross(at[0] - at[1], UP)
    length = float(np.linalg.norm(forward))
    return np.asarray(forward / length) if length > 1e-6 else ahead


@dataclass(frozen=True, eq=False)
class Panel:
    """One motion that is drawn, with its title and tracked points."""

    motion: Motion
    title: str = ""
    points: Points | None = None
    """Drawn as dots; None: no dots."""

    @cached_property
    def mannequin(self) -> Mannequin:
        """The motion's skeleton, dressed."""
        return mannequin_of(self.motion.skeleton)

    def frame_at(self, time: float) -> int:
        """Return the frame nearest to a time [s]; the last one is held."""
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
    """Positions on the ground below the body [m], shape (F, 3)."""

    def box(self, basis: Floats) -> Bounds:
        """Return the bounds of all frames around their anchors [m]."""
        flat = (self.corners - self.anchor[:, None]) @ basis.T
        pad = 2.0 * MARGIN * self.panel.mannequin.stature
        return (
            float(np.abs(flat[..., 0]).max()) + pad,
            min(float(flat[..., 1].min()), 0.0) - pad,
            float(flat[..., 1].max()) + pad,
        )

    def seen_points(self, k: int) -> Floats | None:
        """Return the panel's points (N, 3) [m] at a moment; None if it has none."""
        points, frame = self.panel.points, self.frames[k]
        return None if points is None or frame >= len(points) else points.positions[frame]


def shoot(panel: Panel, times: Floats) -> Shot:
    """Place a panel at some times [s]."""
    frames = [panel.frame_at(float(time)) for time in times]
    solids = panel.mannequin.place(*panel.motion.frames(frames).world())
    # Not the nodes: the root of some rigs stays at the origin while the person walks away.
    corners = np.concatenate([solids.starts, solids.ends, solids.centres], axis=1)
    if corners.shape[1] == 0:  # a single joint has no parts
        corners = panel.motion.frames(frames).positions()
    anchor = (corners.min(axis=1) + corners.max(axis=1)) / 2.0
    # The ground is where the lowest part of the body is nearly always at or above.
    anchor[:, 1] = float(np.quantile(corners[..., 1].min(axis=1), 0.02))
    return Shot(panel, frames, solids, corners, anchor)


def even_times(panels: Sequence[Panel], fps: float) -> Floats:
    """Return times that cover the longest panel, `fps` a second [s]."""
    length = max(panel.motion.duration for panel in panels)
    return np.asarray(np.arange(max(int(np.ceil(length * fps)), 1)) / fps)


def check_panels(panels: Sequence[Panel]) -> None:
    """Raise if there is nothing to draw."""
    if not panels:
        raise InputError("Expected at least one motion to draw, got none.")
    for panel in panels:
        if len(panel.motion) == 0:
            raise InputError(f"Nothing to draw: {panel.title or 'the motion'} has no frames.")


def common_view(shots: Sequence[Shot], view: View | None) -> tuple[Floats, Bounds]:
    """Return one view and one scale for all motions."""
    basis = (view or View()).basis(facing_of(shots[0].panel.motion))
    boxes = np.array([shot.box(basis) for shot in shots])
    return basis, (float(boxes[:, 0].max()), float(boxes[:, 1].min()), float(boxes[:, 2].max()))
