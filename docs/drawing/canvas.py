"""What all pictures share: a palette, a parallel projection, bodies, small marks, and the table."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
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
from sixpoint.studio.mannequin import COLOURS, POINT_COLOUR, Limb, Mass, mannequin_of
from sixpoint.studio.panels import Panel, View, common_view, shoot
from sixpoint.studio.pictures import (
    INK,
    draw_pose,
    new_figure,
    part_outlines,
    pose_axes,
)

# The palette of Okabe and Ito, of which the figures of `sixpoint.studio` use the first four.
LEFT, RIGHT, MIDDLE, POINT = COLOURS["left"], COLOURS["right"], COLOURS["middle"], POINT_COLOUR
GREEN, PURPLE, SKY, ORANGE = "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
AXES = {"X": RIGHT, "Y": GREEN, "Z": LEFT}
GHOST, FAINT = "#D9DDE2", "#AEB5BE"
DPI = 144
"""Twice what a page shows: sharp on fine screens."""
COLOURS_KEPT = 255
"""Colours in a file; enough for shaded figures, and a third of the bytes."""
FADE = 0.5
"""What is this far behind the nearest part is paled [m]: it helps the eye where limbs cross."""
FRONT = np.array([0.0, 0.0, 1.0])
TITLE: dict[str, Any] = {"fontsize": 11, "color": INK, "ha": "center", "va": "center"}
LABEL: dict[str, Any] = {"fontsize": 13, "fontweight": "bold"}
Part = Limb | Mass

PICTURES: dict[str, Callable[[Path], None]] = {}
"""Name of the file, without its ending -> what draws it."""


def picture(name: str, width: float, height: float) -> Callable[[Any], Any]:
    """Enter a function that draws on an empty figure [inch] into `PICTURES`."""

    def enter(draw: Callable[[Any], None]) -> Callable[[Any], None]:
        def make(path: Path) -> None:
            figure = new_figure("A picture", (width, height), DPI)
            draw(figure)
            save(figure, path)

        PICTURES[name] = make
        return draw

    return enter


def save(figure: Any, path: Path) -> None:
    """Write a small PNG without date and version: the same picture gives the same bytes."""
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", metadata={"Software": None})
    small = Image.open(raw).convert("RGB").quantize(COLOURS_KEPT, dither=Image.Dither.NONE)
    small.save(path, format="PNG", optimize=True)


def view(yaw: float, pitch: float) -> Floats:
    """Rows right, up, towards the viewer; angles in degrees, 0 in front, 90 at the left side."""
    return View(np.radians(yaw), np.radians(pitch)).basis(FRONT)


SIDE = view(90.0, 0.0)
FLAT = np.eye(3)
"""The picture is the plane of X and Y."""
FROM_ABOVE = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
"""Looking down: left of the body to the right of the picture, the front downwards."""


def plot(figure: Any, box: Sequence[float], x: str, y: str, title: str = "") -> Any:
    """Axes for curves, with names and a light grid."""
    axes = figure.add_axes(box)
    axes.set_xlabel(x, color=INK, fontsize=10)
    axes.set_ylabel(y, color=INK, fontsize=10)
    axes.set_title(title, color=INK, fontsize=11)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(color="#E6E9ED", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    return axes


class Pen:
    """Draws things of the world on axes in metres without frame, through one projection.

    Args:
        figure: on which.
        box: left, bottom, width, height, as parts of the picture.
        x: what is seen from left to right [m].
        y: what is seen from bottom to top [m].
        basis: rows right, up, towards the viewer.
        title: above the box.
        origin: place in the world that is drawn at (0, 0).
    """

    def __init__(
        self,
        figure: Any,
        box: Sequence[float],
        x: Sequence[float],
        y: Sequence[float],
        basis: Floats,
        title: str = "",
        origin: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        self.axes = figure.add_axes(box)
        self.axes.set(xlim=x, ylim=y, aspect="equal")
        self.axes.axis("off")
        self.basis, self.origin = basis, np.asarray(origin, float)
        figure.text(box[0] + box[2] / 2.0, box[1] + box[3] + 0.04, title, **TITLE)

    def flat(self, positions: Any) -> Floats:
        """World positions (..., 3) in the picture, shape (..., 2)."""
        return np.asarray(((np.asarray(positions, float) - self.origin) @ self.basis.T)[..., :2])

    def line(self, *positions: Any, colour: str = INK, width: float = 1.5, **style: Any) -> None:
        """A polyline through positions."""
        at = self.flat(positions)
        style = {"solid_capstyle": "round"} | style
        self.axes.plot(at[:, 0], at[:, 1], color=colour, linewidth=width, **style)

    def chain(self, positions: Any, colour: str = LEFT, width: float = 4.0) -> None:
        """Bones and joints."""
        self.line(*positions, colour=colour, width=width, zorder=4)
        self.dots(positions[:-1], "white", 24.0, edgecolors=colour, linewidths=1.2, zorder=5)
        self.dots(positions[-1], colour, 36.0, edgecolors=colour, zorder=5)

    def area(self, positions: Floats, colour: str, **style: Any) -> None:
        """A filled outline, shape (n, 3)."""
        at = self.flat(positions)
        self.axes.fill(at[:, 0], at[:, 1], facecolor=colour, **style)

    def dots(self, positions: Any, colour: Any = POINT, size: float = 40.0, **style: Any) -> None:
        """Round marks, like the tracked points of the contact sheets."""
        at = np.atleast_2d(self.flat(positions))
        style = {"edgecolors": "#222222", "linewidths": 0.9, "zorder": 6} | style
        self.axes.scatter(at[:, 0], at[:, 1], s=size, c=colour, **style)

    def cross(self, where: Any, colour: str = INK) -> None:
        """A target that may be out of reach."""
        self.dots(where, colour, 60.0, marker="x", linewidths=2.0, edgecolors=None, zorder=7)

    def arrow(self, start: Any, end: Any, colour: str, width: float = 1.8) -> None:
        """From one position to another."""
        shape = {"arrowstyle": "-|>", "mutation_scale": 6.0 * width, "shrinkA": 0, "shrinkB": 0}
        shape |= {"color": colour, "linewidth": width}
        ends = {"xy": self.flat(end), "xytext": self.flat(start)}
        self.axes.annotate("", **ends, arrowprops=shape, zorder=5)

    def text(self, where: Any, words: str, dx: float = 0.0, dy: float = 0.0, **style: Any) -> None:
        """Words beside a position, shifted in the picture [m]."""
        x, y = self.flat(where)
        style = {"color": INK, "fontsize": 10, "ha": "center", "va": "center", "zorder": 8} | style
        self.axes.text(x + dx, y + dy, words, **style)

    def triad(self, where: Any, rotation: Any, length: float, width: float = 1.8) -> None:
        """The axes of a frame; the farthest first."""
        where = np.asarray(where, float)
        ends = {name: arrays.rotate(rotation, np.eye(3)[k]) for k, name in enumerate("XYZ")}
        for name in sorted(ends, key=lambda name: float(ends[name] @ self.basis[2])):
            self.arrow(where, where + length * ends[name], AXES[name], width)

    def body(
        self,
        motion: Motion,
        colour: Callable[[Part], str | None] | str | None = None,
        *,
        frame: int = 0,
        zorder: float = 2.0,
    ) -> None:
        """The mannequin in one frame; `colour` is of each part or of all, None leaves it out."""
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import to_rgb

        paint = colour if callable(colour) else lambda part: colour or COLOURS[part.side]
        mannequin = mannequin_of(motion.skeleton)
        solids = mannequin.place(*motion.frames([frame]).world())
        drawn = [
            (part.depth, part.outline, paint(part.solid) or "")
            for part in part_outlines(mannequin, solids, 0, self.origin, self.basis)
        ]
        drawn = sorted((item for item in drawn if item[2]), key=lambda item: item[0])
        depth = np.array([item[0] for item in drawn] or [0.0])
        fade = 0.3 * (depth.max() - depth) / max(float(np.ptp(depth)), FADE)
        colours = [
            np.array(to_rgb(c)) * (1 - f) + f for (*_, c), f in zip(drawn, fade, strict=False)
        ]
        outlines = [item[1] for item in drawn]
        self.axes.add_collection(
            PolyCollection(outlines, facecolors=colours, edgecolors="white", linewidths=0.8,
                           zorder=zorder)
        )  # fmt: skip


def arc(centre: Any, start: Any, end: Any, radius: float, count: int = 40) -> Floats:
    """The shorter arc about a centre from one direction to another, shape (count, 3)."""
    a, b = (np.asarray(v, float) / np.linalg.norm(v) for v in (start, end))
    angle = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
    part = np.linspace(0.0, angle, count)[:, None]
    across = b - (a @ b) * a
    across = across / max(float(np.linalg.norm(across)), 1e-12)
    return np.asarray(np.asarray(centre) + radius * (np.cos(part) * a + np.sin(part) * across))


def circle(centre: Any, u: Any, v: Any, radius: float, count: int = 90) -> Floats:
    """A circle spanned by two unit vectors, shape (count, 3)."""
    angles = np.linspace(0.0, 2.0 * np.pi, count)[:, None]
    rim = np.cos(angles) * np.asarray(u) + np.sin(angles) * np.asarray(v)
    return np.asarray(np.asarray(centre) + radius * rim)


def still(motion: Motion, frame: int) -> Motion:
    """One frame, moved so that the body stands over the origin of the ground plane."""
    one = motion.frames([frame])
    return replace(one, root=one.root - one.root[0] * (1.0, 0.0, 1.0))


def standing(
    body: Skeleton,
    changed: dict[str, Floats],
    solver: str = "sik",
    known: Sequence[str] = ("pelvis", "head"),
    **choices: Any,
) -> Motion:
    """The neutral stance with some points elsewhere, solved; the rotations of some are known."""
    anatomy = body.anatomy
    six = np.array([changed.get(name, anatomy.positions[anatomy.node(name)]) for name in SIX])
    rotations = np.full((1, len(SIX), 4), np.nan)
    rotations[0, [SIX.index(name) for name in known]] = (1.0, 0.0, 0.0, 0.0)
    points = Points(SIX, six[None], 60.0, rotations if len(known) else None)
    return sp.reconstruct(points, body, solver, **choices).motion


def limb_of(motion: Motion, parts: Sequence[str]) -> Floats:
    """Positions of some roles in the first frame, shape (n, 3)."""
    return np.asarray(motion.positions()[0][[motion.skeleton.anatomy.node(p) for p in parts]])


def rows(figure: Any, panels: Sequence[Panel], moments: Sequence[float]) -> None:
    """Motions below each other at the same moments [s]; the figure takes the height it needs."""
    shots = [shoot(panel, np.array(moments)) for panel in panels]
    basis, bounds = common_view(shots, None)
    half, low, high = bounds
    cell = figure.get_size_inches()[0] / len(moments) * (high - low) / (2.0 * half)
    line = 0.27
    size = len(shots) * (cell + line)
    figure.set_size_inches(figure.get_size_inches()[0], size)
    for row, shot in enumerate(shots):
        top = 1.0 - row / len(shots)
        figure.text(0.01, top - line / 2 / size, shot.panel.title, **(TITLE | {"ha": "left"}))
        for k in range(len(moments)):
            corner = (k / len(moments), top - (line + cell) / size)
            axes = pose_axes(figure, (*corner, 1.0 / len(moments), cell / size), bounds)
            draw_pose(axes, shot, k, basis)
