"""Pelvis and spine: where the pelvis faces, how the spine bends and stretches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import SIX, Points
from sixpoint.studio.pictures import INK

from .canvas import (
    FAINT,
    FROM_ABOVE,
    GHOST,
    GREEN,
    LEFT,
    ORANGE,
    PURPLE,
    RIGHT,
    Pen,
    place,
    plot,
    save,
    sheet,
    still,
    view,
)

TITLE = {"fontsize": 12, "color": INK, "ha": "center", "va": "center"}

WEIGHTS = {(1.0, 1.0, 0.0): RIGHT, (0.1, 0.1, 1.0): LEFT, (0.02, 0.02, 1.0): GREEN}
"""Three settings, and their colours."""


def solved(points: Points, skeleton: Skeleton, **settings: Any) -> Motion:
    """The reconstruction."""
    return sp.reconstruct(points, skeleton, "sik", **settings).motion


def flat_unit(vector: Floats, up: Floats) -> Floats:
    """Direction of a vector across `up`."""
    flat = vector - (vector @ up) * up
    return np.asarray(flat / np.linalg.norm(flat))


def yaw(motion: Motion) -> Floats:
    """Where the pelvis faces, from +Z towards +X [degrees], shape (F,)."""
    anatomy = motion.skeleton.anatomy
    pelvis = anatomy.node("pelvis")
    turn = arrays.multiply(motion.world()[1][:, pelvis], arrays.conjugate(anatomy.neutral[pelvis]))
    left = arrays.rotate(turn, np.tile((1.0, 0.0, 0.0), (len(motion), 1)))
    return np.degrees(np.unwrap(np.arctan2(-left[:, 2], left[:, 0])))


def name_of(weights: tuple[float, ...]) -> str:
    """Weights as a user types them."""
    return "(" + ", ".join(f"{w:g}" for w in weights) + ")"


def pelvis(path: Path) -> None:
    """From above: the lines between wrists and ankles, and what two settings make of them."""
    clip = sp.builtin("walk")
    frame = 157
    points = clip.points()
    six = dict(zip(SIX, points.positions[frame], strict=True))
    middle = six["pelvis"] * (1.0, 0.0, 1.0)
    six = {name: p - middle for name, p in six.items()}
    figure = sheet(10.0, 4.8)

    axes = place(figure, (0.0, 0.0, 0.5, 0.92), (-0.56, 0.56), (-0.62, 0.40))
    pen = Pen(axes, FROM_ABOVE)
    pen.body(still(clip, frame), GHOST)
    for names, colour, word, shift in (
        (("r_wrist", "l_wrist"), ORANGE, "wrists", (0.07, 0.04)),
        (("r_ankle", "l_ankle"), PURPLE, "ankles", (0.1, 0.0)),
    ):
        start, end = (six[name] for name in names)
        pen.arrow(start, end, colour, 2.6)
        pen.text(end, word, *shift, color=colour, fontsize=12, fontweight="bold")
    pen.dots(list(six.values()), size=55.0)
    figure.text(0.25, 0.95, "a walk from above: two lines between points", **TITLE)
    pen.text((-0.46, 0.0, 0.55), "front ↓", color=INK, fontsize=11)

    axes = place(figure, (0.5, 0.0, 0.5, 0.92), (-1.15, 1.15), (-1.2, 0.87))
    pen = Pen(axes, FROM_ABOVE)
    nothing = np.zeros(3)
    up = six["head"] - six["pelvis"]
    up /= np.linalg.norm(up)
    for names, colour, word, shift in (
        (("r_wrist", "l_wrist"), ORANGE, "wrists (w1)", (-0.1, 0.09)),
        (("r_ankle", "l_ankle"), PURPLE, "ankles (w2)", (0.3, 0.0)),
    ):
        direction = flat_unit(six[names[1]] - six[names[0]], up)
        pen.arrow(nothing, direction, colour, 2.6)
        pen.text(direction, word, *shift, color=colour, fontsize=12, fontweight="bold")
    for weights, colour in list(WEIGHTS.items())[:2]:
        turn = np.radians(yaw(solved(points, clip.skeleton, weights=weights))[frame])
        left = np.array([np.cos(turn), 0.0, -np.sin(turn)])
        front = np.cross(left, (0.0, 1.0, 0.0))
        pen.arrow(nothing, 0.62 * left, colour, 2.6)
        pen.arrow(nothing, 0.95 * front, colour, 2.6)
        pen.text(0.62 * left, "X", 0.08, 0.0, color=colour, fontsize=12, fontweight="bold")
        words = f"Z {name_of(weights)}"
        spot = (0.02, -0.08, "center") if colour == LEFT else (-0.05, 0.03, "right")
        pen.text(0.95 * front, words, *spot[:2], ha=spot[2], color=colour, fontsize=12,
                 fontweight="bold")  # fmt: skip
    figure.text(0.75, 0.95, "their directions, and the pelvis for two settings", **TITLE)
    pen.dots(nothing, size=55.0)
    save(figure, path)


def yaws(path: Path) -> None:
    """Where the pelvis faces over time, in two built-in clips."""
    figure = sheet(10.0, 4.4)
    for k, clip_name in enumerate(("walk", "boxing")):
        clip = sp.builtin(clip_name)
        axes = plot(figure, (0.075 + 0.49 * k, 0.13, 0.42, 0.72), "time [s]", "")
        if k == 0:
            axes.set_ylabel("pelvis yaw [degrees]", color=INK, fontsize=10)
        axes.plot(clip.times, yaw(clip), color=FAINT, linewidth=4.5, label="original")
        for weights, colour in WEIGHTS.items():
            motion = solved(clip.points(), clip.skeleton, weights=weights)
            off = float(np.abs(yaw(motion) - yaw(clip)).mean())
            label = f"{name_of(weights)}: {off:.0f}° off"
            axes.plot(clip.times, yaw(motion), color=colour, linewidth=1.6, label=label)
        axes.set_title(f"built-in clip: {clip_name}", fontsize=12, color=INK, loc="left")
        axes.legend(frameon=False, fontsize=9, labelcolor=INK, ncols=2 if k == 0 else 1,
                    loc="upper left" if k else "lower right")  # fmt: skip
        if k == 0:
            axes.set_ylim(-48.0, 30.0)
    save(figure, path)


def crossing() -> Points:
    """Somebody stands, crosses the arms in front of the chest, and opens them again."""
    body = Skeleton.humanoid()
    rate, count = 60.0, 270
    stance = body.anatomy.positions[[body.anatomy.node(name) for name in SIX]] + (0.0, 1.0, 0.0)
    positions = np.tile(stance, (count, 1, 1))
    time = np.arange(count) / rate
    ramp = np.clip((time - 1.0) / 0.8, 0.0, 1.0) - np.clip((time - 2.7) / 0.8, 0.0, 1.0)
    ease = ramp * ramp * (3.0 - 2.0 * ramp)
    for k, side in ((2, 1.0), (3, -1.0)):
        positions[:, k, 0] = side * (0.24 - 0.40 * ease)
        positions[:, k, 1] = 1.16 + 0.03 * side
        positions[:, k, 2] = 0.26 + side * (0.012 + 0.03 * np.sin(2.1 * time))
    return Points(SIX, positions, rate)


def flip(path: Path) -> None:
    """What crossed arms do to the pelvis, and what helps."""
    body = Skeleton.humanoid()
    points = crossing()
    turned = np.full((*points.positions.shape[:2], 4), np.nan)
    turned[:, 0] = (1.0, 0.0, 0.0, 0.0)
    figure = sheet(10.0, 4.4)
    frame = 140
    for k, (weights, colour) in enumerate(list(WEIGHTS.items())[:2]):
        motion = solved(points, body, weights=weights)
        axes = place(figure, (0.0 + 0.19 * k, 0.0, 0.2, 0.88), (-0.5, 0.5), (-0.1, 1.85))
        pen = Pen(axes, view(20.0, 8.0), (0.0, motion.root[frame, 1] - body.offsets[0, 1], 0.0))
        pen.body(motion, frame=frame)
        pen.dots(points.positions[frame], size=26.0)
        axes.set_title(name_of(weights), fontsize=12, color=colour, fontweight="bold")
    axes = plot(figure, (0.47, 0.13, 0.51, 0.75), "time [s]", "pelvis yaw [degrees]")
    time = np.arange(len(points)) / points.rate
    axes.axvspan(1.4, 3.1, color="#F1F3F5")
    axes.axvline(frame / points.rate, color=FAINT, linewidth=1.0, linestyle=":")
    known = solved(replace(points, rotations=turned), body)
    axes.plot(time, yaw(known), color=FAINT, linewidth=4.5, label="pelvis rotation given")
    for weights, colour in WEIGHTS.items():
        angle = yaw(solved(points, body, weights=weights))
        axes.plot(time, angle, color=colour, linewidth=1.8, label=name_of(weights))
    axes.text(2.25, axes.get_ylim()[1] * 0.99, "arms crossed", ha="center", va="top", fontsize=10,
              color="#7C8590")  # fmt: skip
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
    save(figure, path)
