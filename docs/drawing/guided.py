"""Guided IK: the same six points seen by the prior and by plain sequential IK."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import sixpoint as sp
from sixpoint.bench.prior_pictures import draw_curves, draw_worst
from sixpoint.studio.panels import Panel, common_view, shoot
from sixpoint.studio.pictures import INK, draw_pose, pose_axes

from .canvas import save, sheet

MOMENTS = (0.9, 1.85, 3.2, 4.6, 5.4, 6.2)
"""Of the clip "boxing" [s]."""


def guided(path: Path) -> None:
    """A clip, the guided solver and sequential IK, the same moments below each other."""
    clip = sp.builtin("boxing")
    points = clip.points()
    panels = [Panel(clip, "built-in clip “boxing”", points)]
    for name in ("guided", "sik"):
        motion = sp.reconstruct(points, clip.skeleton, name).motion
        off = 100.0 * sp.compare(motion, clip).position_rms
        panels.append(Panel(motion, f"{name}: joints {off:.1f} % of body height off", points))
    shots = [shoot(panel, np.array(MOMENTS)) for panel in panels]
    basis, bounds = common_view(shots, None)
    half, low, high = bounds
    cell = 8.4 / len(MOMENTS) * (high - low) / (2.0 * half)
    line = 0.25
    figure = sheet(8.4, len(shots) * (cell + line))
    size = figure.get_size_inches()[1]
    for row, shot in enumerate(shots):
        top = size - row * (cell + line)
        figure.text(0.01, (top - line / 2) / size, shot.panel.title, fontsize=10, color=INK,
                    va="center")  # fmt: skip
        for k in range(len(MOMENTS)):
            corner = (k / len(MOMENTS), (top - line - cell) / size)
            axes = pose_axes(figure, (*corner, 1.0 / len(MOMENTS), cell / size), bounds)
            draw_pose(axes, shot, k, basis)
    save(figure, path)


def guided_worst(path: Path) -> None:
    """The frames of a clip in which it errs most, as `sixpoint bench prior` draws them."""
    draw_worst(sp.builtin("reach"), "built-in clip “reach”", "", path, dpi=58)


def prior_curves(path: Path) -> None:
    """Errors under stress, as `sixpoint bench prior` measured and draws them."""
    kept = Path(__file__).parents[1] / "measured_prior.json"
    draw_curves(json.loads(kept.read_text(encoding="utf-8")), path)
