"""Limits from motion: samples and what is fitted to them, and a solve with and without limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import sixpoint as sp
from sixpoint.data.clips import CLIPS
from sixpoint.limits import Estimate, LimitEstimator
from sixpoint.studio import limit_pictures
from sixpoint.studio.panels import Panel, common_view, shoot
from sixpoint.studio.pictures import INK, draw_pose, pose_axes

from .canvas import save, sheet

SOLVER = "dls"
"""It has no idea of its own which way limbs bend: limits show most with it."""
MOMENTS = (0.6, 1.85, 2.6, 3.2, 4.6, 5.4, 6.2)
"""Of the clip "boxing" [s]."""


@cache
def everything() -> tuple[LimitEstimator, Estimate]:
    """The estimate from all built-in clips."""
    estimator = LimitEstimator(sp.builtin("boxing").skeleton)
    for name in CLIPS:
        estimator.add(sp.builtin(name), name)
    return estimator, estimator.estimate()


def _drawn(name: str) -> Callable[[Path], None]:
    def draw(path: Path) -> None:
        estimator, estimate = everything()
        samples, starts = estimator.samples()
        ball, hinge = (estimate.names.index(n) for n in ("l_shoulder", "l_elbow"))
        wrapped = limit_pictures.wrapping(estimator, estimate, ball)
        figures = {
            "cloud": lambda: limit_pictures.draw_clouds(estimate, samples, [ball, hinge]),
            "unwrapping": lambda: limit_pictures.draw_unwrapping(estimate, *wrapped),
            "boundary": lambda: limit_pictures.draw_boundary(estimate, samples, ball),
            "motions": lambda: limit_pictures.draw_motions(estimate, samples, starts, ball),
        }
        save(figures[name](), path)

    return draw


cloud, unwrapping, boundary, motions = map(_drawn, ("cloud", "unwrapping", "boundary", "motions"))


def with_and_without(path: Path) -> None:
    """Figs. 3 and 8 of the paper: a recording, and its reconstructions without and with limits."""
    clip = sp.builtin("boxing")
    points = clip.points()
    limits = sp.estimate_limits([clip]).limits("xyz")
    panels = [Panel(clip, "recorded")]
    for title, kept in (("no limits", None), ("limits estimated from the recording", limits)):
        motion = sp.reconstruct(points, clip.skeleton, SOLVER, limits=kept).motion
        off = sp.compare(motion, clip).orientation_rms
        panels.append(Panel(motion, f"{SOLVER}, {title}: {off:.2f} rad off", points))
    shots = [shoot(panel, MOMENTS) for panel in panels]
    basis, bounds = common_view(shots, None)
    figure = sheet(10.0, 7.2)
    rows, columns = len(shots), len(MOMENTS)
    for row, shot in enumerate(shots):
        for column in range(columns):
            box = (column / columns, 1.0 - (row + 1) / rows, 1.0 / columns, 0.9 / rows)
            draw_pose(pose_axes(figure, box, bounds), shot, column, basis)
        figure.text(0.01, 1.0 - (row + 0.06) / rows, shot.panel.title, fontsize=11, color=INK)
    save(figure, path)
