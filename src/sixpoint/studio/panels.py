"""What is drawn: motions at some moments, seen from somewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import Points
from .mannequin import Mannequin, Solids, mannequin_of

CORNERS = 24
"""Corners of a round outline: smooth at the size of a contact sheet."""
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class View:
    """Where the viewer stands, relative to the way the person faces in the first frame."""

    yaw: float = np.radians(35.0)
    """From the person's front towards the person's left [rad]; the default is a 3/4 view."""
    pitch: float = np.radians(12.0)
    """Above the horizon [rad]."""

    def basis(self, facing: Floats) -> Floats:
        """Rows: right and up of the picture, and towards the viewer; shape (3, 3)."""
        left = np.cross(UP, facing)
        level = np.cos(self.yaw) * facing + np.sin(self.yaw) * left
        towards = np.cos(self.pitch) * level + np.sin(self.pitch) * UP
        right = np.cross(UP, level)
        return np.stack([right, np.cross(towards, right), towards])


def facing_of(motion: Motion) -> Floats:
    """Horizontal unit vector to the front of the person in the first frame; +Z if unknown."""
    from ..body.anatomy import anatomy_of

    ahead = np.array([0.0, 0.0, 1.0])
    if len(motion) == 0:
        return ahead
    try:
        anatomy = anatomy_of(motion.skeleton)
    except InputError:
        return ahead
    at = motion.frames(slice(0, 1)).positions([anatomy.node("l_hip"), anatomy.node("r_hip")])[0]
    forward = np.cross(at[0] - at[1], UP)
    length = float(np.linalg.norm(forward))
    return np.asarray(forward / length) if length > 1e-6 else ahead


def capsule_outline(start: Floats, end: Floats, radii: tuple[float, float]) -> Floats:
    """Corners (n, 2) around two discs and what lies between them."""
    (r1, r2), step = radii, end - start
    distance = float(np.hypot(*step))
    if distance <= abs(r1 - r2) + 1e-12:  # seen along its axis: the larger disc hides the other
        centre, radius = (start, r1) if r1 >= r2 else (end, r2)
        return np.asarray(centre + radius * _arc(0.0, 2.0 * np.pi, CORNERS))
    along = float(np.arctan2(step[1], step[0]))
    # The common tangents touch both discs at this angle from the axis.
    touch = float(np.arccos((r1 - r2) / distance))
    return np.concatenate(
        [
            start + r1 * _arc(along + touch, along + 2.0 * np.pi - touch, CORNERS),
            end + r2 * _arc(along - touch, along + touch, CORNERS),
        ]
    )


def ellipsoid_outline(centre: Floats, turn: Floats, half: Floats, basis: Floats) -> Floats:
    """Corners (n, 2) of the ellipse that an ellipsoid shows.

    Args:
        centre: in the picture [m], shape (2,).
        turn: rotation of the ellipsoid in the world, shape (4,).
        half: half-axes [m], shape (3,).
        basis: of the view, shape (3, 3).
    """
    # The ellipsoid is A times the unit ball; its shadow is P A times the ball, with P the first two
    # rows of the basis: an ellipse with the matrix (P A)(P A)^T.
    flat = basis[:2] @ (arrays.to_matrix(turn) * half)
    return np.asarray(
        centre + _arc(0.0, 2.0 * np.pi, 2 * CORNERS) @ np.linalg.cholesky(flat @ flat.T).T
    )


def _arc(first: float, last: float, count: int) -> Floats:
    angles = np.linspace(first, last, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


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
