"""The elbow and the torso: how deep it is in, and how it gets out."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.studio.pictures import INK
from sixpoint.tasks import ElbowTorso

from .canvas import (
    FAINT,
    FROM_ABOVE,
    GHOST,
    LEFT,
    ORANGE,
    RIGHT,
    Pen,
    circle,
    place,
    save,
    sheet,
    view,
)
from .limb import standing

TARGET = np.array([0.0, 0.13, 0.26])
"""The hand in front of the belly [m], from the pelvis: a neutral swivel puts the elbow inside."""
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def arm_of(motion: Motion) -> list[Floats]:
    """Shoulder, elbow and wrist of the left arm."""
    anatomy = motion.skeleton.anatomy
    at = motion.positions()[0]
    return [at[anatomy.node(f"l_{part}")] for part in ("shoulder", "elbow", "wrist")]


def section(torso: ElbowTorso, motion: Motion, height: float) -> Floats:
    """Outline of the torso at some height, for a body that stands upright, shape (K, 3)."""
    at = motion.positions()[0]
    for prism in torso.prisms:
        joint = at[prism.joint]
        if prism.y_low <= height - joint[1] <= prism.y_high:
            rim = joint + prism.polygon[:, :1] * X + prism.polygon[:, 1:] * Z
            return np.concatenate([rim, rim[:1]])
    raise ValueError("no part of the torso there")


def exit_of(rim: Floats, elbow: Floats) -> tuple[Floats, float]:
    """Direction and length of the shortest way out through an edge, in the horizontal plane."""
    ways = []
    for a, b in pairwise(rim):
        edge = (b - a) / np.linalg.norm(b - a)
        out = np.cross(edge, (0.0, 1.0, 0.0))
        out = out if out @ (a - rim[:-1].mean(axis=0)) > 0.0 else -out
        ways.append((float((a - elbow) @ out), out))
    length, out = min(ways, key=lambda way: way[0])
    return out, length


def elbow(path: Path) -> None:
    """Before and after from above, and both from the front."""
    body = Skeleton.humanoid()
    torso = ElbowTorso.of(body)
    motions = [standing(body, TARGET, collisions=on) for on in (False, True)]
    figure = sheet(10.0, 4.0)
    titles = ("elbow in the torso", "pushed out: the arm swivels")
    for k, (motion, title) in enumerate(zip(motions, titles, strict=True)):
        shoulder, joint, wrist = arm_of(motion)
        axes = place(figure, (0.35 * k, 0.0, 0.35, 0.9), (-0.23, 0.42), (-0.38, 0.25))
        pen = Pen(axes, FROM_ABOVE)
        rim = section(torso, motion, joint[1])
        pen.area(rim, GHOST, edgecolor="white", zorder=1)
        pen.curve(rim, FAINT, 2.2, zorder=2)
        pen.area(circle(joint, X, Z, torso.radius), LEFT, alpha=0.28, zorder=3)
        pen.curve(circle(joint, X, Z, torso.radius), LEFT, 1.4, zorder=4)
        pen.line(shoulder, joint, wrist, colour=LEFT, width=5.0, zorder=4)
        pen.dots([shoulder, joint], colour="white", size=36.0)
        pen.dots(TARGET, size=70.0)
        pen.text(TARGET, "wrist", -0.065, -0.02, fontsize=12)
        pen.text(shoulder, "shoulder", 0.085, 0.03, fontsize=12)
        depth = float(torso.depths(motion)[0, 0])
        if depth > 1e-3:
            out, length = exit_of(rim, joint)
            deepest, outer = joint - torso.radius * out, joint + length * out
            pen.arrow(deepest, outer, RIGHT, 2.4)
            for where, name, spot in ((deepest, "pe", (-0.03, 0.0)), (outer, "pt", (0.035, -0.02))):
                pen.dots(where, colour=RIGHT, size=30.0)
                pen.text(where, name, *spot, color=RIGHT, fontsize=12, style="italic")
            words = f"depth {1e3 * depth:.0f} mm"
            pen.text((deepest + outer) / 2, words, -0.02, 0.092, color=RIGHT, fontsize=12)
        figure.text(0.35 * k + 0.175, 0.94, title, fontsize=12, color=INK, ha="center")
    pen.text((-0.18, 0.0, 0.35), "front ↓", fontsize=11)

    axes = place(figure, (0.7, 0.0, 0.3, 0.9), (-0.34, 0.40), (-0.20, 0.70))
    pen = Pen(axes, view(18.0, 6.0))
    pen.body(motions[1], lambda part: GHOST if part.side == "middle" else None, zorder=1.0)
    pen.line(*arm_of(motions[0]), colour=FAINT, width=4.0, zorder=3)
    shoulder, after, wrist = arm_of(motions[1])
    pen.line(shoulder, after, wrist, colour=LEFT, width=5.0, zorder=4)
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    centre = shoulder + along * float((after - shoulder) @ along)
    radius = float(np.linalg.norm(after - centre))
    u = (after - centre) / radius
    pen.curve(circle(centre, u, np.cross(along, u), radius), ORANGE, 1.6, zorder=2)
    pen.dots([shoulder, after, arm_of(motions[0])[1]], colour="white", size=36.0)
    pen.dots(TARGET, size=70.0)
    figure.text(0.85, 0.94, "before and after from the front", fontsize=12, color=INK, ha="center")
    save(figure, path)
