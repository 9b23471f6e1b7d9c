"""The spine in the sagittal plane: Eq. (1), several distances of the head, a bow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.studio.pictures import INK

from .canvas import (
    FAINT,
    GHOST,
    GREEN,
    LEFT,
    PURPLE,
    RIGHT,
    SKY,
    Pen,
    arc,
    place,
    save,
    sheet,
    view,
)

SIDE = view(90.0, 0.0)
DISTANCES = {1.02: PURPLE, 1.0: INK, 0.95: LEFT, 0.9: SKY, 0.85: GREEN, 0.7: RIGHT}
"""Distance of the head over the neutral one, and its colour."""


def equal_spine(root: float, joints: int = 5) -> Floats:
    """Eq. (1) on a straight spine of unit segments, chord upright: shape (joints, 3)."""
    inner = joints - 2
    angles = root - np.arange(joints - 1) * 2.0 * root / inner
    # Backwards first: the pelvis leans back by the angle, the last segment forwards.
    steps = np.stack([np.zeros(joints - 1), np.cos(angles), -np.sin(angles)], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def with_head(body: Skeleton, head: Floats) -> Motion:
    """The reconstruction of a body whose head is at another place, all else neutral."""
    anatomy = body.anatomy
    six = anatomy.positions[[anatomy.node(name) for name in SIX]]
    six = np.array(six)
    six[1] = head
    return sp.reconstruct(Points(SIX, six[None], 60.0), body).motion


def draw_spine(pen: Pen, places: Floats, colour: str, shift: float = 0.0, **style: Any) -> None:
    """A chain of joints."""
    at = places + np.array([0.0, 0.0, shift])
    pen.line(*at, colour=colour, width=3.2, zorder=4, **style)
    pen.dots(at[1:-1], colour=colour, size=24.0, edgecolors="white", zorder=5)


def spine(path: Path) -> None:
    """Three panels: the rule, the distances, a bow."""
    body = Skeleton.humanoid()
    anatomy = body.anatomy
    chain = list(anatomy.bends)
    figure = sheet(10.0, 4.9)

    axes = place(figure, (0.0, 0.0, 0.24, 0.9), (-0.75, 1.75), (-0.65, 4.3))
    pen = Pen(axes, SIDE)
    for root, colour in ((0.0, FAINT), (0.5, SKY), (1.0, LEFT)):
        draw_spine(pen, equal_spine(root), colour)
    bent = equal_spine(1.0)
    first, second = bent[1] - bent[0], bent[2] - bent[1]
    pen.line(bent[0], (0.0, 1.5, 0.0), colour=INK, width=1.0, linestyle=":")
    pen.curve(arc(bent[0], (0.0, 1.0, 0.0), first, 0.62), RIGHT, 2.0)
    pen.text(bent[0], "φ root", 0.72, 0.16, color=RIGHT, fontsize=12)
    pen.line(bent[1], bent[1] + 0.8 * first, colour=INK, width=1.0, linestyle=":")
    pen.curve(arc(bent[1], first, second, 0.55), RIGHT, 2.0)
    pen.text(bent[1], "φ", 0.56, 0.56, color=RIGHT, fontsize=13)
    pen.dots([bent[0], bent[-1], equal_spine(0.5)[-1], equal_spine(0.0)[-1]], size=50.0)
    axes.text(0.5, -0.55, "φ = 2 φ root / (n − 2)", ha="center", color=INK, fontsize=11)
    figure.text(0.12, 0.94, "the rule, five joints", fontsize=12, color=INK, ha="center")

    axes = place(figure, (0.24, 0.0, 0.44, 0.9), (-0.38, 0.575), (-0.16, 0.66))
    pen = Pen(axes, SIDE)
    neutral = anatomy.positions[anatomy.node("head")]
    unit = neutral / np.linalg.norm(neutral)
    for k, (part, colour) in enumerate(DISTANCES.items()):
        motion = with_head(body, part * neutral)
        at = motion.positions()[0][chain]
        shift = 0.30 - 0.14 * k  # side by side
        draw_spine(pen, at, colour, shift)
        targets = np.array([(0.0, 0.0, shift), part * neutral + (0.0, 0.0, shift)])
        pen.dots(targets, size=42.0)
        pen.text(targets[0], f"{part:g}", 0.0, -0.075, color=colour, fontsize=11, fontweight="bold")
    axes.text(0.06, -0.14, "distance of the head over the neutral one", ha="center", color=INK,
              fontsize=10)  # fmt: skip
    figure.text(0.46, 0.94, "stretched, neutral, bent, held by limits", fontsize=12, color=INK,
                ha="center")  # fmt: skip

    axes = place(figure, (0.68, 0.0, 0.32, 0.9), (-0.74, 0.16), (-0.25, 0.85))
    pen = Pen(axes, SIDE)
    across = np.cross((1.0, 0.0, 0.0), unit)  # forwards
    bows = [(0.0, 1.0, INK), (25.0, 0.97, LEFT), (50.0, 0.92, SKY), (72.0, 0.88, GREEN)]
    for angle, part, colour in bows:
        turn = np.radians(angle)
        head = part * np.linalg.norm(neutral) * (np.cos(turn) * unit + np.sin(turn) * across)
        motion = with_head(body, head)
        if angle in (0.0, 72.0):
            pen.body(motion, lambda part: GHOST if hasattr(part, "half") else None, zorder=1.0)
        draw_spine(pen, motion.positions()[0][chain], colour)
        pen.dots(head, size=42.0)
    pen.dots(np.zeros(3), size=42.0)
    figure.text(0.84, 0.94, "a bow", fontsize=12, color=INK, ha="center")
    save(figure, path)
