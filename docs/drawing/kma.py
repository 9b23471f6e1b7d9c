"""KMA: a spine swept from the head down, and where elbows point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.rotation import rotation_between
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.studio.pictures import INK

from .canvas import FAINT, GHOST, GREEN, LEFT, ORANGE, RIGHT, SKY, Pen, place, save, sheet
from .clips import step_of
from .limb import LABEL
from .spine import SIDE, draw_spine

TITLE: dict[str, Any] = {"fontsize": 12, "color": INK, "ha": "center"}


def leaning(body: Skeleton, degrees: float, part: float) -> Floats:
    """A head ahead of the pelvis, at a part of its neutral distance."""
    neutral = body.anatomy.positions[body.anatomy.node("head")]
    turn = np.radians(degrees)
    return part * float(np.linalg.norm(neutral)) * np.array([0.0, np.cos(turn), np.sin(turn)])


def upright(body: Skeleton, changed: dict[str, Floats], solver: str, **settings: Any) -> Motion:
    """A body whose pelvis is known to be upright, some of its six points elsewhere."""
    anatomy = body.anatomy
    six = np.array([changed.get(name, anatomy.positions[anatomy.node(name)]) for name in SIX])
    turned = np.full((1, len(SIX), 4), np.nan)
    turned[0, 0] = (1.0, 0.0, 0.0, 0.0)
    points = Points(SIX, six[None], 60.0, turned)
    return sp.reconstruct(points, body, solver, **settings).motion


def sweep(places: Floats, goal: Floats) -> Iterator[Floats]:
    """A chain (n, 3) after each turn of one sweep; its first joint stays as it is."""
    for k in range(len(places) - 2, 0, -1):
        turn = rotation_between(tuple(places[-1] - places[k]), tuple(goal - places[k]), (1, 0, 0))
        above = arrays.rotate(np.array(turn), places[k:] - places[k])
        places = np.concatenate([places[:k], places[k] + above])
        yield places


def draw_sweep(figure: Any) -> None:
    """Joint after joint turns the head towards its target."""
    chain = np.outer(np.arange(5), (0.0, 1.0, 0.0))
    goal = np.array([0.0, 2.7, 2.0])
    axes = place(figure, (0.0, 0.0, 0.27, 0.9), (-2.6, 1.0), (-0.5, 4.3))
    pen = Pen(axes, SIDE)
    states = (chain, *sweep(chain, goal))
    for k, (places, colour) in enumerate(zip(states, (FAINT, SKY, GREEN, LEFT), strict=True)):
        draw_spine(pen, places, colour)
        if k:
            pen.dots(places[-1 - k], colour=colour, size=90.0, zorder=4)
            pen.text(places[-1], f"{k}", 0.0, 0.25, color=colour, fontsize=13, fontweight="bold")
    pen.line(goal, states[-1][-1], colour=INK, width=1.0, linestyle=":")
    pen.dots([chain[0], goal], size=60.0)
    figure.text(0.135, 0.94, "a sweep, from the head down", **TITLE)


def draw_spines(figure: Any, body: Skeleton) -> None:
    """The same head by sweeps and by sequential IK."""
    head = leaning(body, 32.0, 0.9)
    chain = list(body.anatomy.bends)
    axes = place(figure, (0.27, 0.0, 0.27, 0.9), (-0.52, 0.20), (-0.16, 0.76))
    pen = Pen(axes, SIDE)
    swept = upright(body, {"head": head}, "kma")
    pen.body(swept, lambda part: GHOST if hasattr(part, "half") else None, zorder=1.0)
    for name, colour in (("sik", GREEN), ("kma", LEFT)):
        at = upright(body, {"head": head}, name).positions()[0][chain]
        draw_spine(pen, at, colour)
        where = at[2] if name == "kma" else at[3]
        shift = (0.075, 0.03) if name == "kma" else (-0.06, -0.05)
        pen.text(where, name, *shift, color=colour, fontsize=13, fontweight="bold")
    pen.dots([np.zeros(3), head], size=50.0)
    figure.text(0.405, 0.94, "beside sequential IK", **TITLE)


def draw_references(figure: Any, body: Skeleton) -> None:
    """An arm whose hand passes the line below the shoulder: the elbow changes sides."""
    find = step_of(body)
    anatomy = body.anatomy
    shoulder = anatomy.positions[anatomy.node("l_shoulder")]
    for k, (title, ahead) in enumerate((("hand before the shoulder", 0.1), ("behind it", -0.1))):
        hand = shoulder + np.array([0.02, -0.43, ahead])
        motion = upright(body, {"l_wrist": hand}, "kma", limits=None)
        axes = place(figure, (0.54 + 0.23 * k, 0.0, 0.23, 0.9), (-0.36, 0.30), (-0.10, 0.86))
        pen = Pen(axes, SIDE)
        pen.body(motion, lambda part: None if find(part) in ("arms", "legs") else GHOST, zorder=1.0)
        at = motion.positions()[0]
        arm = [at[anatomy.node(f"l_{part}")] for part in ("shoulder", "elbow", "wrist")]
        pen.line(arm[0], arm[2], colour=INK, width=1.0, linestyle=":", zorder=3)
        pen.line(*arm, colour=LEFT, width=5.0, zorder=4)
        middle = arm[0] + (arm[2] - arm[0]) * 0.5
        pen.arrow(middle, middle - np.array([0.0, 0.16, 0.0]), ORANGE, 2.2)
        pen.text(middle, "−Y", 0.05 if ahead > 0.0 else -0.05, -0.1, color=ORANGE, fontsize=12)
        pen.dots(arm[:2], colour="white", size=34.0)
        pen.dots(hand, size=60.0)
        side = -0.055 if ahead < 0.0 else 0.055
        pen.text(arm[1], "elbow", 1.9 * side, 0.0, **(LABEL | {"color": RIGHT, "fontsize": 11}))
        figure.text(0.655 + 0.23 * k, 0.94, title, **TITLE)


def kma(path: Path) -> None:
    """Four panels: a sweep, a spine beside sequential IK's, and two arms."""
    body = Skeleton.humanoid()
    figure = sheet(10.0, 4.0)
    draw_sweep(figure)
    draw_spines(figure, body)
    draw_references(figure, body)
    save(figure, path)
