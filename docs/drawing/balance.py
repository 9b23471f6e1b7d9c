"""Pictures of balance and collision: far reach, the imaginary box, the two stories, the map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sixpoint.bench.reach_map import TAGS, map_reach
from sixpoint.bench.stories import forward_reach, sideways_reach, stance_points
from sixpoint.body.skeleton import Skeleton
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import reconstruct
from sixpoint.solvers.pik_balance import BalanceSolver
from sixpoint.tasks import Box
from sixpoint.vision.synthetic.scenes import scene

from .canvas import FAINT, GHOST, GREEN, INK, RIGHT, Pen, place, save, sheet, view

BODY = Skeleton.humanoid()


def far_reach(path: Path) -> None:
    """The lower body goes against the reach (Fig. 11): the scene, both bodies, all defaults."""
    figure = sheet(9.0, 3.4)
    front = view(0.0, 6.0)
    clip = scene("far_reach")
    points = clip.points()
    far = int(np.argmax(points.positions[:, 2, 0]))
    rows = [("original", clip)]
    for body, title in (("simple", "15 degrees of freedom"), ("legs", "legs")):
        solved = reconstruct(points, clip.skeleton, "pik-balance", body=body)
        rows.append((title, solved.motion))
    for k, (title, motion) in enumerate(rows):
        axes = place(figure, (k / 3, 0.0, 1 / 3, 0.92), (-0.75, 1.1), (-0.1, 1.85))
        pen = Pen(axes, front)
        pen.line((0.0, 0.0, 0.0), (0.0, 1.8, 0.0), colour=FAINT, width=1.0, linestyle=":")
        pen.body(motion, GHOST, frame=0, zorder=1.0)
        pen.body(motion, frame=far)
        pen.cross(points.positions[far, 2])
        axes.set_title(title, fontsize=9, color=INK)
    save(figure, path)


def box_carried(path: Path) -> None:
    """The imaginary box (Fig. 13): original, analytic, prioritized."""
    clip = scene("box")
    points = clip.points()
    rows = [("original", clip)]
    rows += [(name, reconstruct(points, clip.skeleton, name).motion)
             for name in ("analytic-upper", "pik-balance")]  # fmt: skip
    figure = sheet(8.0, 6.4)
    basis = view(25.0, 8.0)
    for r, (name, motion) in enumerate(rows):
        for k, frame in enumerate((0, 32, 52, 82, 112, 140)):
            axes = place(figure, (k / 6, 0.67 - r / 3, 1 / 6, 0.31), (-0.95, 0.55), (-0.1, 1.85))
            pen = Pen(axes, basis)
            pen.body(motion, frame=frame)
            pen.dots(points.positions[frame, 2:4], size=18.0)
            if k == 0:
                axes.text(-0.9, 1.9, name, fontsize=9, color=INK)
    save(figure, path)


def _draw_box(pen: Pen, box: Box, hit: bool) -> None:
    half = 0.5 * np.array(box.size)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.array(box.centre) + signs * half
    colour = RIGHT if hit else FAINT
    for a in range(8):
        for b in range(a + 1, 8):
            if np.abs(signs[a] - signs[b]).sum() == 2:
                pen.line(corners[a], corners[b], colour=colour, width=1.6, zorder=3)


def stories(path: Path) -> None:
    """A box changes colour when the body is in it (Figs. 14 to 16)."""
    figure = sheet(8.0, 4.6)
    for r, (story, yaw) in enumerate(((forward_reach(), 70.0), (sideways_reach(), 20.0))):
        hit = story.contacts.highlight[:, 0]
        first = int(np.argmax(hit))
        frames = [0, max(0, first - 12), first, len(hit) - 1]
        for k, frame in enumerate(frames):
            axes = place(figure, (k / 4, 0.5 - 0.5 * r, 0.25, 0.47), (-1.0, 1.0), (-0.05, 1.85))
            pen = Pen(axes, view(yaw, 8.0))
            pen.body(story.motion, frame=frame)
            box: Any = story.scene.things[0]
            _draw_box(pen, box, bool(hit[frame]))
            if k == 0:
                axes.text(-0.95, 1.85, story.title, fontsize=9, color=INK)
    save(figure, path)


def reach(path: Path) -> None:
    """What the left hand reaches, in two planes through its shoulder."""
    found = map_reach(BODY, BalanceSolver(), step=0.07)
    stance = reconstruct(Points(SIX, stance_points(BODY)[None], 30.0), BODY, "pik-balance").motion
    figure = sheet(7.0, 3.6)
    for k, (yaw, title, depth) in enumerate(
        ((0.0, "from the front", 2), (90.0, "from the left", 0))
    ):
        axes = place(figure, (0.5 * k, 0.0, 0.5, 0.92), (-1.1, 1.2), (0.0, 2.3))
        pen = Pen(axes, view(yaw, 0.0))
        pen.body(stance, GHOST)
        for tag, colour in (("unreachable", FAINT), ("reachable", GREEN), ("colliding", RIGHT)):
            at = found.places[found.slice(depth) & (found.tags == TAGS.index(tag))]
            size = 4.0 if tag == "unreachable" else 14.0
            pen.dots(at, colour=colour, size=size, linewidths=0.0)
        axes.set_title(title, fontsize=9, color=INK)
    save(figure, path)
