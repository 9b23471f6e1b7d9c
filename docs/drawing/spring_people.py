"""Mass-spring IK on people: limits at work, and expressive motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.motion.motion import Motion
from sixpoint.solvers.expression import Expression, widen
from sixpoint.studio.pictures import INK

from .canvas import GREEN, LEFT, ORANGE, RIGHT, Pen, place, plot, save, sheet, still, view

TITLE: dict[str, Any] = {"fontsize": 11, "color": INK, "ha": "center"}
PUNCH, STEP, REACH = 335, 25, 168
"""Frames of the clips that are shown."""


def solved(name: str, frame: int, limits: Any) -> tuple[Motion, Any]:
    """One frame of a clip by mass-spring IK, and the points it was solved from."""
    clip = sp.builtin(name)
    points = clip.points()
    result = sp.reconstruct(points, clip.skeleton, "mass-spring", limits=limits)
    origin = points.positions[frame, 0] * (1.0, 0.0, 1.0)
    one = result.motion.frames([frame])
    return replace(one, root=one.root - origin), points.positions[frame] - origin


def springs_people(path: Path) -> None:
    """Figure 7: the same six points without limits and with them."""
    figure = sheet(10.0, 4.3)
    cases = [("boxing", PUNCH, 30.0), ("walk", STEP, 60.0)]
    for k, (name, frame, yaw) in enumerate(cases):
        for n, (title, limits) in enumerate((("no limits", None), ("limits", "adult"))):
            motion, six = solved(name, frame, limits)
            box = (0.5 * k + 0.25 * n, 0.0, 0.25, 0.9)
            axes = place(figure, box, (-0.62, 0.62), (-0.12, 1.82))
            pen = Pen(axes, view(yaw, 8.0))
            pen.body(motion)
            pen.dots(six)
            figure.text(0.125 + 0.5 * k + 0.25 * n, 0.93, f"{name}, {title}", **TITLE)
    save(figure, path)


def springs_express(path: Path) -> None:
    """The way from key to key by power and tension; a wide reach with and without recruiting."""
    figure = sheet(10.0, 4.0)
    u = np.linspace(0.0, 1.0, 200)
    axes = plot(figure, (0.06, 0.15, 0.27, 0.74), "time between two keys", "way")
    manners = [
        ("calm", Expression(), LEFT),
        ("power 1", Expression(power=1.0), RIGHT),
        ("tension 4", Expression(tension=4.0), GREEN),
        ("tension 0.3", Expression(tension=0.3), ORANGE),
    ]
    for label, manner, colour in manners:
        axes.plot(u, manner.response(u), color=colour, linewidth=2.0, label=label)
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    clip = sp.builtin("reach")
    key = clip.frames([REACH])
    shapes = [
        ("key pose", key),
        ("amplitude 1.6, arms alone", widen(key, Expression(amplitude=1.6, recruit=0.0))),
        ("recruiting", widen(key, Expression(amplitude=1.6))),
    ]
    for k, (title, motion) in enumerate(shapes):
        box = (0.36 + 0.21 * k, 0.0, 0.22, 0.9)
        pen = Pen(place(figure, box, (-0.85, 0.6), (-0.1, 1.9)), view(55.0, 8.0))
        pen.body(still(motion, 0))
        figure.text(0.47 + 0.21 * k, 0.93, title, **TITLE)
    save(figure, path)
