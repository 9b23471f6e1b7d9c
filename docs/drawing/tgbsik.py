"""TGBSIK: the cost of every swivel, its search, and how the best may jump."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats, Quat, Vec3
from sixpoint.kernels.vector import vec_unit
from sixpoint.solvers._kernels import tgb
from sixpoint.studio.pictures import INK

from .canvas import FAINT, GHOST, GREEN, LEFT, ORANGE, RIGHT, Pen, place, plot, save, sheet, view
from .limb import LABEL, standing

DOWN, BACK = (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
TITLE: dict[str, Any] = {"fontsize": 12, "color": INK, "ha": "center"}


class Arm:
    """A left arm that reaches for a place, seen from its shoulder [m]."""

    def __init__(self, upper: float, lower: float, aim: Vec3) -> None:
        self.upper, self.aim = upper, np.array(aim)
        self.line = vec_unit(aim, DOWN)
        zero = tgb.swivel_zero(self.line, DOWN, BACK)
        self.turn, _ = tgb.tgb_limb(upper, lower, 1.0, aim, zero)
        self.best = tgb.swivel_search(self.turn, self.line, 1.0, 1.0, 0.0)

    def at(self, phi: float) -> Quat:
        """Rotation of the shoulder."""
        return tgb.swivelled(self.turn, self.line, phi)

    def elbow(self, phi: float) -> Floats:
        """Where the elbow is."""
        return arrays.rotate(np.array(self.at(phi)), np.array((0.0, -self.upper, 0.0)))

    def costs(self, swivels: Floats) -> Floats:
        """swing^2 + twist^2 [rad^2]."""
        return np.array([tgb.swivel_cost(self.at(phi), 1.0) for phi in swivels])


def draw_circle(figure: Any, body: Skeleton, shoulder: Floats, arm: Arm) -> None:
    """All elbows, coloured by their cost."""
    from matplotlib import colormaps

    axes = place(figure, (0.0, 0.0, 0.31, 0.9), (-0.50, 0.34), (-0.13, 0.83))
    pen = Pen(axes, view(62.0, 14.0))
    ghost = standing(body, shoulder - np.array([0.0, 0.5, 0.0]))
    pen.body(ghost, lambda part: GHOST if part.side == "middle" else None, zorder=1.0)
    swivels = np.linspace(-np.pi, np.pi, 64)
    costs = arm.costs(swivels)
    paint = colormaps["viridis_r"]((costs - costs.min()) / np.ptp(costs))
    hand = shoulder + arm.aim
    for phi, colour in zip(swivels[::7], paint[::7], strict=True):
        pen.line(shoulder, shoulder + arm.elbow(phi), hand, colour=colour, width=1.2, zorder=2)
    rim = shoulder + np.array([arm.elbow(phi) for phi in swivels])
    at = pen.flat(rim)
    axes.scatter(at[:, 0], at[:, 1], s=26.0, c=paint, zorder=3)
    elbow = shoulder + arm.elbow(arm.best)
    pen.line(shoulder, elbow, hand, colour=LEFT, width=5.0, zorder=4)
    pen.dots([shoulder, elbow], colour="white", size=34.0)
    pen.dots(hand, size=70.0)
    pen.text(shoulder, "A", 0.035, 0.04, **LABEL)
    pen.text(elbow, "B", 0.04, -0.03, **LABEL)
    pen.text(hand, "D", -0.045, 0.02, **LABEL)
    figure.text(0.155, 0.94, "all elbows; yellow: turns least", **TITLE)


def draw_search(figure: Any, arm: Arm) -> None:
    """The cost over the swivel, with every place that the search looks at."""
    axes = plot(figure, (0.375, 0.14, 0.27, 0.74), "swivel [rad]", "swing² + twist² [rad²]")
    swivels = np.linspace(-np.pi, np.pi, 400)
    axes.plot(swivels, arm.costs(swivels), color=FAINT, linewidth=1.5, zorder=2)
    coarse = -np.pi + tgb.COARSE * np.arange(tgb.COARSE_STEPS)
    centre = coarse[np.argmin(arm.costs(coarse))]
    fine = centre + tgb.FINE * np.arange(-10, 11)
    axes.scatter(coarse, arm.costs(coarse), s=14.0, c=LEFT, label="63 coarse", zorder=3)
    axes.scatter(fine, arm.costs(fine), s=7.0, c=RIGHT, label="21 fine", zorder=4)
    axes.axvline(arm.best, color=ORANGE, linewidth=1.2, zorder=1)
    axes.legend(frameon=False, fontsize=10, loc="upper center")
    figure.text(0.51, 0.94, "the search", **TITLE)


def draw_jump(figure: Any, upper: float, lower: float) -> None:
    """Two hands 4 mm apart whose best swivels lie far from each other."""
    axes = plot(figure, (0.725, 0.14, 0.27, 0.74), "swivel [rad]", "")
    swivels = np.linspace(-np.pi, np.pi, 400)
    reach = upper + lower
    for degrees, colour in ((JUMP - 0.5, LEFT), (JUMP, GREEN)):
        turn = np.radians(degrees)
        aim = (0.36 * reach, -0.82 * reach * np.cos(turn), 0.82 * reach * np.sin(turn))
        arm = Arm(upper, lower, aim)
        axes.plot(swivels, arm.costs(swivels), color=colour, linewidth=1.8)
        axes.scatter([arm.best], arm.costs(np.array([arm.best])), s=50.0, c=colour, zorder=4)
    axes.text(
        0.0,
        0.5 * sum(axes.get_ylim()),
        "two hands,\n4 mm apart",
        color=INK,
        fontsize=10,
        ha="center",
    )
    figure.text(0.86, 0.94, "a jump", **TITLE)


JUMP = 194.5
"""Hand above and behind the shoulder, swung so far about its X axis [degrees]."""


def tgbsik(path: Path) -> None:
    """Three panels: the circle, the search, a jump."""
    body = Skeleton.humanoid()
    anatomy = body.anatomy
    at = [anatomy.positions[anatomy.node(f"l_{part}")] for part in ("shoulder", "elbow", "wrist")]
    upper, lower = (float(np.linalg.norm(b - a)) for a, b in pairwise(at))
    figure = sheet(10.0, 4.2)
    draw_circle(figure, body, at[0], Arm(upper, lower, (0.10, -0.07, 0.36)))
    draw_search(figure, Arm(upper, lower, (0.10, -0.07, 0.36)))
    draw_jump(figure, upper, lower)
    save(figure, path)
