"""Pictures of balance and collision: far reach, the imaginary box, the two stories, the map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sixpoint.bench.reach_map import TAGS, map_reach
from sixpoint.bench.stories import arm_limits, forward_reach, sideways_reach, stance_points
from sixpoint.body.skeleton import Skeleton
from sixpoint.collision import Box
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers import reconstruct
from sixpoint.solvers.pik_balance import BalanceSolver
from sixpoint.vision.stage_scenes import scene

from .canvas import FAINT, GHOST, GREEN, INK, RIGHT, Pen, place, save, sheet, view

BODY = Skeleton.humanoid()


def _far(kind: str) -> Motion:
    """A reach far to the left, by a body that keeps its balance."""
    stance = stance_points(BODY)
    frames = np.repeat(stance[None], 60, axis=0)
    part = np.linspace(0.0, 1.0, 60)[:, None]
    goal = np.array([1.12, 1.4, 0.0])
    frames[:, 2] = (1 - part) * stance[2] + part * goal
    frames[:, 3] = (-0.25, 1.05, 0.22)
    solver = BalanceSolver(body="legs" if kind == "legs" else "simple", steps=20)
    tracker = solver.prepare(BODY, rate=30.0, limits=arm_limits(BODY))
    return tracker.solve_clip(Points(SIX, frames, 30.0)).motion


def far_reach(path: Path) -> None:
    """The lower body goes against the reach (Fig. 11)."""
    figure = sheet(7.0, 3.4)
    front = view(0.0, 6.0)
    for k, (kind, title) in enumerate((("simple", "15 degrees of freedom"), ("legs", "legs"))):
        motion = _far(kind)
        axes = place(figure, (0.5 * k, 0.0, 0.5, 0.92), (-0.7, 1.45), (-0.1, 1.85))
        pen = Pen(axes, front)
        pen.line((0.0, 0.0, 0.0), (0.0, 1.8, 0.0), colour=FAINT, width=1.0, linestyle=":")
        pen.body(motion, GHOST, frame=0, zorder=1.0)
        pen.body(motion, frame=59)
        pen.cross((1.12, 1.4, 0.0))
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
            axes = place(figure, (k / 6, 0.67 - r / 3, 1 / 6, 0.31), (-0.75, 0.75), (0.0, 1.85))
            pen = Pen(axes, basis)
            pen.body(motion, frame=frame)
            pen.dots(points.positions[frame, 2:4], size=18.0)
            if k == 0:
                axes.text(-0.7, 1.9, name, fontsize=9, color=INK)
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
    """What the left hand reaches, in two slices."""
    found = map_reach(BODY, BalanceSolver(), step=0.14)
    stance = reconstruct(Points(SIX, stance_points(BODY)[None], 30.0), BODY, "pik-balance").motion
    figure = sheet(7.0, 3.6)
    for k, (yaw, title) in enumerate(((0.0, "from the front"), (90.0, "from the left"))):
        axes = place(figure, (0.5 * k, 0.0, 0.5, 0.92), (-1.1, 1.2), (0.0, 2.3))
        pen = Pen(axes, view(yaw, 0.0))
        pen.body(stance, GHOST)
        for tag in ("reachable", "colliding"):
            at = found.places[found.tags == TAGS.index(tag)]
            colour = GREEN if tag == "reachable" else RIGHT
            pen.dots(at, colour=colour, size=9.0, linewidths=0.0, alpha=0.6)
        axes.set_title(title, fontsize=9, color=INK)
    save(figure, path)
