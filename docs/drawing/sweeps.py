"""CCD and FABRIK: what a sweep does, and what sweeps come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.rotation import rotation_between
from sixpoint.kernels.types import Floats
from sixpoint.studio.pictures import INK

from .canvas import FAINT, GHOST, GREEN, LEFT, ORANGE, RIGHT, SKY, Pen, place, plot, save, sheet

TITLE: dict[str, Any] = {"fontsize": 12, "color": INK, "ha": "center"}
FLAT = np.eye(3)
"""The picture is the plane of X and Y."""
GOAL = np.array([2.9, 1.1, 0.0])
LONG = 30
"""Joints of the chain whose errors are plotted."""
FAR = 0.95
"""Distance of its target, as a part of its length: where sweeps are slow."""


def bent(bones: int = 4) -> Floats:
    """A chain of unit bones that leans to the right (n + 1, 3)."""
    angles = np.radians(np.linspace(80.0, 20.0, bones))
    steps = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=-1)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def draw_chain(pen: Pen, places: Floats, colour: str, width: float = 4.0) -> None:
    """Bones and joints."""
    pen.curve(places, colour, width, zorder=2)
    pen.dots(places[:-1], colour="white", size=22.0, zorder=3)
    pen.dots(places[-1], colour=colour, size=40.0, zorder=3)


def ccd_sweep(places: Floats, goal: Floats) -> Iterator[tuple[int, Floats]]:
    """The joint that turns, and the chain afterwards, from the tip to the root."""
    for k in range(len(places) - 2, -1, -1):
        turn = rotation_between(tuple(places[-1] - places[k]), tuple(goal - places[k]), (0, 0, 1))
        places = np.concatenate(
            [places[:k], places[k] + arrays.rotate(np.array(turn), places[k:] - places[k])]
        )
        yield k, places


def inwards(places: Floats, goal: Floats) -> Floats:
    """Where joints want to be: the tip at the goal, every other a bone away from the next."""
    bones = np.linalg.norm(np.diff(places, axis=0), axis=1)
    out = places.copy()
    out[-1] = goal
    for k in range(len(places) - 2, -1, -1):
        way = places[k] - out[k + 1]
        out[k] = out[k + 1] + bones[k] * way / np.linalg.norm(way)
    return out


def outwards(places: Floats, wanted: Floats) -> Floats:
    """Where they can be: the root stays, every bone points to where its end wants to be."""
    bones = np.linalg.norm(np.diff(places, axis=0), axis=1)
    out = wanted.copy()
    out[0] = places[0]
    for k in range(len(places) - 1):
        way = wanted[k + 1] - out[k]
        out[k + 1] = out[k] + bones[k] * way / np.linalg.norm(way)
    return out


def errors(name: str, sweeps: Sequence[int], **settings: Any) -> list[float]:
    """What the tip of a long chain misses after so many sweeps, from rest."""
    goal = FAR * np.array([(0.48, 0.6, 0.64)])
    chain = Skeleton.chain(LONG)
    left = []
    for count in sweeps:
        solver = sp.solver(name, iterations=count, tolerance=0.0, **settings)
        left.append(float(solver.prepare(chain).solve(goal).residuals[0]))
    return left


def draw_errors(figure: Any, box: Sequence[float], curves: Mapping[str, list[float]]) -> None:
    """Error after each sweep."""
    axes = plot(figure, box, "sweeps", "missed, part of the length")
    axes.set_yscale("log")
    axes.set_xscale("log")
    colours = (LEFT, SKY, RIGHT, ORANGE)
    for (label, curve), colour in zip(curves.items(), colours, strict=False):
        axes.plot(SWEEPS, np.maximum(curve, 1e-6), color=colour, linewidth=1.8, label=label)
    axes.axhline(1e-3, color=FAINT, linewidth=1.0, linestyle=":")
    axes.text(SWEEPS[0], 1.2e-3, "reached", color=INK, fontsize=9, va="bottom")
    axes.set_ylim(1e-6, 2.0)
    axes.legend(frameon=False, fontsize=9, loc="lower left")


SWEEPS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500)


def ccd(path: Path) -> None:
    """Three panels: one sweep, sweep after sweep, errors."""
    figure = sheet(10.0, 3.8)
    axes = place(figure, (0.0, 0.0, 0.3, 0.9), (-0.4, 3.6), (-0.9, 3.2))
    pen = Pen(axes, FLAT)
    start = bent()
    draw_chain(pen, start, GHOST)
    turns = list(ccd_sweep(start, GOAL))
    colours = (SKY, GREEN, ORANGE, LEFT)
    offsets = ((0.2, 0.1), (0.25, 0.0), (0.25, 0.05), (0.2, -0.22))
    for n, ((_, places), colour, off) in enumerate(zip(turns, colours, offsets, strict=True)):
        draw_chain(pen, places, colour, 4.0 if n == len(turns) - 1 else 2.0)
        pen.text(places[-1], f"{n + 1}", *off, color=colour, fontsize=13, fontweight="bold")
    pen.dots(GOAL, size=80.0)
    figure.text(0.15, 0.93, "one sweep, from the tip to the root", **TITLE)

    axes = place(figure, (0.3, 0.0, 0.3, 0.9), (-0.55, 0.75), (-0.2, 1.1))
    pen = Pen(axes, FLAT)
    chain = Skeleton.chain(10, kind="hinge", axis=(0.0, 0.0, 1.0))
    goal = np.array([(0.55, 0.45, 0.0)])
    for count, colour in ((1, SKY), (2, GREEN), (20, LEFT)):
        solver = sp.solver("ccd", iterations=count, tolerance=0.0, stride=False)
        pose = solver.prepare(chain).solve(goal).pose
        draw_chain(pen, pose.world()[0], colour, 4.0 if count == 20 else 2.0)
    rest = sp.solver("ccd").prepare(chain).solve(np.full((1, 3), np.nan)).pose
    draw_chain(pen, rest.world()[0], GHOST)
    pen.dots(goal[0], size=80.0)
    figure.text(0.45, 0.93, "after 1, 2 and 20 sweeps", **TITLE)

    curves = {"plain": errors("ccd", SWEEPS, stride=False), "with strides": errors("ccd", SWEEPS)}
    draw_errors(figure, (0.69, 0.17, 0.3, 0.71), curves)
    figure.text(0.84, 0.93, f"{LONG} joints, a target at {FAR:g}", **TITLE)
    save(figure, path)


def fabrik(path: Path) -> None:
    """Three panels: inwards, outwards, errors."""
    figure = sheet(10.0, 3.8)
    start = bent()
    wanted = inwards(start, GOAL)
    reached = outwards(start, wanted)
    for left, before, after, colour, words in (
        (0.0, start, wanted, ORANGE, "inwards: the tip is at the target"),
        (0.31, wanted, reached, LEFT, "outwards: the root is back"),
    ):
        axes = place(figure, (left, 0.0, 0.3, 0.9), (-0.5, 3.5), (-0.9, 3.2))
        pen = Pen(axes, FLAT)
        draw_chain(pen, before, GHOST if before is start else ORANGE, 2.5)
        draw_chain(pen, after, colour)
        for here, there in zip(before, after, strict=True):
            if np.linalg.norm(there - here) > 0.05:
                pen.arrow(here, there, INK, 0.9)
        pen.dots(GOAL, size=80.0)
        pen.dots(start[0], colour=INK, size=40.0)
        figure.text(left + 0.15, 0.93, words, **TITLE)
    curves = {
        "FABRIK": errors("fabrik", SWEEPS, stride=False),
        "with strides": errors("fabrik", SWEEPS),
        "CCD": errors("ccd", SWEEPS, stride=False),
        "CCD with strides": errors("ccd", SWEEPS),
    }
    draw_errors(figure, (0.69, 0.17, 0.3, 0.71), curves)
    figure.text(0.84, 0.93, f"{LONG} joints, a target at {FAR:g}", **TITLE)
    save(figure, path)
