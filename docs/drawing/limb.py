"""Clavicles and limbs: what moves when, and how an arm is built."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.rotation import rotation_between
from sixpoint.kernels.types import Floats
from sixpoint.limits import FixedLimit
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.studio.pictures import INK

from .canvas import (
    FAINT,
    GHOST,
    LEFT,
    ORANGE,
    RIGHT,
    Pen,
    arc,
    circle,
    place,
    save,
    sheet,
    view,
)

LABEL: dict[str, Any] = {"fontsize": 13, "fontweight": "bold"}


def standing(body: Skeleton, left_wrist: Floats, **choices: Any) -> Motion:
    """A body that stands and looks ahead, its left hand at some place; pelvis at the origin."""
    anatomy = body.anatomy
    six = np.array(anatomy.positions[[anatomy.node(name) for name in SIX]])
    six[SIX.index("l_wrist")] = left_wrist
    turned = np.full((1, len(SIX), 4), np.nan)
    turned[0, :2] = (1.0, 0.0, 0.0, 0.0)
    points = Points(SIX, six[None], 60.0, turned)
    return sp.reconstruct(points, body, **choices).motion


def clavicle(path: Path) -> None:
    """Within reach, beyond the shoulder's reach, and with the clavicle's help."""
    body = Skeleton.humanoid()
    at = dict(zip(body.names, body.anatomy.positions, strict=False))
    pivot, shoulder = at["l_sternoclavicular"], at["l_shoulder"]
    reach = float(np.linalg.norm(at["l_elbow"] - shoulder))
    reach += float(np.linalg.norm(at["l_wrist"] - at["l_elbow"]))
    heading = np.array([0.6, 0.8, 0.0])
    heading /= np.linalg.norm(heading)
    near, far = shoulder + 0.95 * reach * heading, shoulder + 1.085 * reach * heading
    stiff = sp.adult_limits(body).replace({"l_sternoclavicular": FixedLimit()})
    figure = sheet(10.0, 3.7)
    panels = (
        ("in reach: the clavicle rests", standing(body, near), near),
        ("out of reach of the shoulder alone", standing(body, far, limits=stiff), far),
        ("the clavicle turns as far as needed", standing(body, far), far),
    )
    for k, (title, motion, target) in enumerate(panels):
        axes = place(figure, (k / 3.0, 0.0, 1 / 3.0, 0.9), (-0.20, 0.66), (0.28, 1.09))
        pen = Pen(axes, view(0.0, 0.0))
        pen.body(motion, lambda part: None if part.side == "left" else GHOST)
        now = dict(zip(body.names, motion.positions()[0], strict=False))
        pen.line(now["l_sternoclavicular"], now["l_shoulder"], colour=RIGHT, width=5.0, zorder=4)
        pen.line(*(now[f"l_{n}"] for n in ("shoulder", "elbow", "wrist")), colour=LEFT, width=5.0,
                 zorder=4)  # fmt: skip
        joints = [now[f"l_{n}"] for n in ("sternoclavicular", "shoulder", "elbow", "wrist")]
        pen.dots(joints, colour="white", size=34.0)
        pen.dots(target, size=70.0)
        figure.text((k + 0.5) / 3.0, 0.94, title, fontsize=12, color=INK, ha="center")
        pen.text(now["l_sternoclavicular"], "ST", -0.05, -0.03, **LABEL)
        pen.text(now["l_shoulder"], "SH", 0.06, 0.0, **LABEL)
        if k == 1:
            start = now["l_wrist"]
            pen.line(start, target, colour=RIGHT, width=1.6, linestyle=":", zorder=4)
            gap = 1e3 * float(np.linalg.norm(target - start))
            pen.text((start + target) / 2, f"{gap:.0f} mm", -0.10, 0.02, color=RIGHT, fontsize=12)
        if k == 2:
            pen.line(pivot, target, colour=INK, width=1.2, linestyle=":", zorder=3)
            pen.line(pivot, shoulder, colour=FAINT, width=3.0, zorder=3)
            pen.curve(arc(pivot, shoulder - pivot, now["l_shoulder"] - pivot, 0.115), INK, 1.8,
                      zorder=5)  # fmt: skip
            pen.text((pivot + shoulder) / 2, "α", 0.062, 0.032, fontsize=15)
            middle = (now["l_sternoclavicular"] + target) / 2
            pen.text(middle, "d", -0.035, 0.01, fontsize=14, style="italic")
            pen.text((now["l_shoulder"] + target) / 2, "L1", 0.065, -0.02, color=LEFT, fontsize=14,
                     style="italic")  # fmt: skip
            pen.text((now["l_sternoclavicular"] + now["l_shoulder"]) / 2, "a", -0.02, 0.035,
                     color=RIGHT, fontsize=14, style="italic")  # fmt: skip
        pen.text(target, "W", 0.045, 0.03, **LABEL)
    save(figure, path)


def limb(path: Path) -> None:
    """An arm in three steps, and the circle on which its elbow may lie."""
    body = Skeleton.humanoid()
    anatomy = body.anatomy
    shoulder = anatomy.positions[anatomy.node("l_shoulder")]
    aim = np.array([0.10, -0.07, 0.36])
    down = np.array([0.0, -1.0, 0.0])
    solved = standing(body, shoulder + aim, limits=None).positions()[0]
    at = [solved[anatomy.node(f"l_{part}")] for part in ("shoulder", "elbow", "wrist")]
    upper, lower = (float(np.linalg.norm(b - a)) for a, b in pairwise(at))
    distance = float(np.linalg.norm(aim))
    along = aim / distance
    figure = sheet(10.0, 4.5)
    basis = view(62.0, 14.0)
    ghost = standing(body, shoulder - np.array([0.0, 0.5, 0.0]))
    # The first two steps of Algorithm 5; the third panel is what the solver answers.
    straight = np.array(rotation_between((0.0, -1.0, 0.0), tuple(aim), (1.0, 0.0, 0.0)))
    cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
    opening = arrays.from_axis_angle((1.0, 0.0, 0.0), np.arccos(cosine))
    opened = arrays.multiply(straight, opening)

    def start(k: int, title: str) -> Pen:
        axes = place(figure, (k / 3.0, 0.0, 1 / 3.0, 0.9), (-0.48, 0.36), (-0.19, 0.83))
        pen = Pen(axes, basis)
        pen.body(ghost, lambda part: GHOST if part.side == "middle" else None, zorder=1.0)
        figure.text((k + 0.5) / 3.0, 0.94, title, fontsize=12, color=INK, ha="center")
        return pen

    def draw(pen: Pen, elbow: Floats, wrist: Floats, **style: Any) -> Floats:
        look: dict[str, Any] = {"colour": LEFT, "zorder": 4}
        pen.line(shoulder, elbow, wrist, width=5.0, **(look | style))
        pen.dots([shoulder, elbow, wrist], colour="white", size=34.0)
        return elbow

    def draw_straight(pen: Pen, turn: Floats, **style: Any) -> Floats:
        way = arrays.rotate(turn, down)
        return draw(pen, shoulder + upper * way, shoulder + (upper + lower) * way, **style)

    def marks(pen: Pen, elbow: Floats, shift: tuple[float, float]) -> None:
        pen.text(shoulder, "A", 0.035, 0.04, **LABEL)
        pen.text(elbow, "B", *shift, **LABEL)
        pen.text(shoulder + aim, "D", -0.045, 0.02, **LABEL)
        pen.dots(shoulder + aim, size=70.0)

    pen = start(0, "1  aim the straight arm")
    elbow = draw_straight(pen, straight)
    hanging = shoulder + (upper + lower) * down
    pen.line(shoulder, hanging, colour=FAINT, width=3.0, zorder=3)
    sweep = arc(shoulder, down, aim, 0.3)
    pen.curve(sweep[:-1], INK, 1.6, zorder=5)
    pen.arrow(sweep[-4], sweep[-1], INK, 1.6)
    marks(pen, elbow, (-0.02, 0.045))

    pen = start(1, "2  open it by the angle at A")
    draw_straight(pen, straight, colour=FAINT, zorder=3)
    elbow = draw_straight(pen, opened)
    pen.curve(arc(shoulder, aim, elbow - shoulder, 0.16), RIGHT, 2.0, zorder=5)
    middle = aim / distance + (elbow - shoulder) / upper
    pen.text(shoulder + 0.21 * middle / np.linalg.norm(middle), "ψ2", color=RIGHT, fontsize=13)
    marks(pen, elbow, (0.04, -0.03))

    pen = start(2, "3  bend the elbow")
    elbow = draw(pen, *at[1:])
    centre = shoulder + along * float((elbow - shoulder) @ along)
    out = elbow - centre
    radius = float(np.linalg.norm(out))
    u = out / radius
    v = np.cross(along, u)
    pen.curve(circle(centre, u, v, radius), ORANGE, 2.0, zorder=3)
    for swivel in (70.0, 140.0, 215.0, 290.0):
        t = np.radians(swivel)
        other = centre + radius * (np.cos(t) * u + np.sin(t) * v)
        pen.line(shoulder, other, shoulder + aim, colour=FAINT, width=1.6, zorder=2)
    pen.line(shoulder, shoulder + aim, colour=INK, width=1.0, linestyle=":", zorder=3)
    pen.text(elbow, "swivel circle", -0.27, -0.03, color=ORANGE, fontsize=12)
    marks(pen, elbow, (0.04, -0.03))
    save(figure, path)
