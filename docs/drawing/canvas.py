"""What all pictures share: a palette, a parallel projection, bodies, and small marks."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.motion.motion import Motion
from sixpoint.studio.mannequin import COLOURS, POINT_COLOUR, Limb, Mass, mannequin_of
from sixpoint.studio.panels import View, capsule_outline, ellipsoid_outline
from sixpoint.studio.pictures import INK, new_figure

# The palette of Okabe and Ito, of which the figures of `sixpoint.studio` use the first four.
LEFT, RIGHT, MIDDLE, POINT = COLOURS["left"], COLOURS["right"], COLOURS["middle"], POINT_COLOUR
GREEN, PURPLE, SKY, ORANGE = "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
AXES = {"X": RIGHT, "Y": GREEN, "Z": LEFT}
"""Red, green and blue, as far as the palette has them."""
GHOST = "#D9DDE2"
FAINT = "#AEB5BE"
DPI = 144
"""Twice what a page shows: sharp on fine screens."""
COLOURS_KEPT = 255
"""Colours in a file; enough for shaded figures, and a third of the bytes."""

FADE = 0.5
"""What is this far behind the nearest part is paled [m]: it helps the eye where limbs cross."""

FRONT = np.array([0.0, 0.0, 1.0])
UP = np.array([0.0, 1.0, 0.0])

Part = Limb | Mass


def sheet(width: float, height: float) -> Any:
    """An empty picture [inch]."""
    return new_figure("A picture", (width, height), DPI)


def save(figure: Any, path: Path) -> None:
    """Write a small PNG without date and version: the same picture gives the same bytes."""
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", metadata={"Software": None})
    picture = Image.open(raw).convert("RGB")
    small = picture.quantize(COLOURS_KEPT, dither=Image.Dither.NONE)
    small.save(path, format="PNG", optimize=True)


def view(yaw: float, pitch: float) -> Floats:
    """Rows right, up, towards the viewer; angles in degrees, 0 in front, 90 at the left side."""
    return View(np.radians(yaw), np.radians(pitch)).basis(FRONT)


FROM_ABOVE = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
"""Looking down: left of the body to the right of the picture, the front downwards."""


def place(figure: Any, box: Sequence[float], x: Sequence[float], y: Sequence[float]) -> Any:
    """Axes in metres without frame; box as parts of the picture."""
    axes = figure.add_axes(box)
    axes.set(xlim=x, ylim=y, aspect="equal")
    axes.axis("off")
    return axes


def plot(figure: Any, box: Sequence[float], x: str, y: str) -> Any:
    """Axes for curves, with names and a light grid."""
    axes = figure.add_axes(box)
    axes.set_xlabel(x, color=INK, fontsize=10)
    axes.set_ylabel(y, color=INK, fontsize=10)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(color="#E6E9ED", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    return axes


class Pen:
    """Draws things of the world on axes, through one projection."""

    def __init__(self, axes: Any, basis: Floats, origin: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self.axes = axes
        self.basis = basis
        self.origin = np.asarray(origin, float)

    def flat(self, places: Any) -> Floats:
        """World places (..., 3) in the picture, shape (..., 2)."""
        return np.asarray(((np.asarray(places, float) - self.origin) @ self.basis.T)[..., :2])

    def line(self, *places: Any, colour: str = INK, width: float = 1.5, **style: Any) -> None:
        """A polyline through places."""
        at = self.flat(places)
        style.setdefault("solid_capstyle", "round")
        self.axes.plot(at[:, 0], at[:, 1], color=colour, linewidth=width, **style)

    def curve(self, places: Floats, colour: str = INK, width: float = 1.5, **style: Any) -> None:
        """A curve through an array of places, shape (n, 3)."""
        self.line(*places, colour=colour, width=width, **style)

    def area(self, places: Floats, colour: str, **style: Any) -> None:
        """A filled outline, shape (n, 3)."""
        at = self.flat(places)
        self.axes.fill(at[:, 0], at[:, 1], facecolor=colour, **style)

    def dots(self, places: Any, colour: str = POINT, size: float = 40.0, **style: Any) -> None:
        """Round marks, like the tracked points of the contact sheets."""
        at = np.atleast_2d(self.flat(places))
        style = {"edgecolors": "#222222", "linewidths": 0.9, "zorder": 6} | style
        self.axes.scatter(at[:, 0], at[:, 1], s=size, c=colour, **style)

    def cross(self, where: Any, colour: str = INK, size: float = 60.0) -> None:
        """A target that may be out of reach."""
        x, y = self.flat(where)
        self.axes.scatter([x], [y], s=size, c=colour, marker="x", linewidths=2.0, zorder=7)

    def arrow(self, start: Any, end: Any, colour: str, width: float = 1.8, **style: Any) -> None:
        """From one place to another."""
        a, b = self.flat(start), self.flat(end)
        shape = {"arrowstyle": "-|>", "mutation_scale": 6.0 * width, "shrinkA": 0, "shrinkB": 0}
        shape |= {"color": colour, "linewidth": width}
        self.axes.annotate("", xy=b, xytext=a, arrowprops=shape | style, zorder=5)

    def text(self, where: Any, words: str, dx: float = 0.0, dy: float = 0.0, **style: Any) -> None:
        """Words beside a place, shifted in the picture [m]."""
        x, y = self.flat(where)
        style = {"color": INK, "fontsize": 10, "ha": "center", "va": "center", "zorder": 8} | style
        self.axes.text(x + dx, y + dy, words, **style)

    def triad(self, where: Any, turn: Any, length: float, width: float = 1.8) -> None:
        """The axes of a frame; the farthest first."""
        where = np.asarray(where, float)
        ends = {name: arrays.rotate(turn, np.eye(3)[k]) for k, name in enumerate("XYZ")}
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
        """The mannequin in one frame.

        Args:
            motion: whose.
            colour: of each part, or one for all; None leaves a part out.
            frame: which frame.
            zorder: of all its parts; they hide each other by distance.
        """
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import to_rgb

        if colour is None or isinstance(colour, str):
            single = colour
            colour = lambda part: single or COLOURS[part.side]  # noqa: E731
        mannequin = mannequin_of(motion.skeleton)
        solids = mannequin.place(*motion.frames([frame]).world())
        drawn: list[tuple[float, Floats, str]] = []
        for n, limb in enumerate(mannequin.limbs):
            if (paint := colour(limb)) is not None:
                ends = np.stack([solids.starts[0, n], solids.ends[0, n]]) - self.origin
                a, b = ends @ self.basis.T
                outline = capsule_outline(a[:2], b[:2], limb.radii)
                drawn.append((float(a[2] + b[2]) / 2.0, outline, paint))
        for n, mass in enumerate(mannequin.masses):
            if (paint := colour(mass)) is not None:
                at = (solids.centres[0, n] - self.origin) @ self.basis.T
                half = np.array(mass.half)
                outline = ellipsoid_outline(at[:2], solids.turns[0, n], half, self.basis)
                drawn.append((float(at[2]), outline, paint))
        if not drawn:
            return
        drawn.sort(key=lambda item: item[0])
        depth = np.array([item[0] for item in drawn])
        fade = 0.3 * (depth.max() - depth) / max(float(np.ptp(depth)), FADE)
        colours = [
            np.array(to_rgb(c)) * (1.0 - f) + f for (_, _, c), f in zip(drawn, fade, strict=True)
        ]
        self.axes.add_collection(
            PolyCollection(
                [item[1] for item in drawn],
                facecolors=colours,
                edgecolors="white",
                linewidths=0.8,
                zorder=zorder,
            )
        )


def arc(centre: Any, start: Any, end: Any, radius: float, count: int = 40) -> Floats:
    """The shorter arc about a centre from one direction to another, shape (count, 3)."""
    a, b = (np.asarray(v, float) / np.linalg.norm(v) for v in (start, end))
    across = np.cross(a, b)
    angle = float(np.arctan2(np.linalg.norm(across), a @ b))
    axis = across / max(float(np.linalg.norm(across)), 1e-12)
    turns = arrays.from_axis_angle(np.tile(axis, (count, 1)), np.linspace(0.0, angle, count))
    return np.asarray(centre) + radius * arrays.rotate(turns, np.tile(a, (count, 1)))


def circle(centre: Any, u: Any, v: Any, radius: float, count: int = 90) -> Floats:
    """A circle spanned by two unit vectors, shape (count, 3)."""
    angles = np.linspace(0.0, 2.0 * np.pi, count)[:, None]
    rim = np.cos(angles) * np.asarray(u) + np.sin(angles) * np.asarray(v)
    return np.asarray(np.asarray(centre) + radius * rim)


def still(motion: Motion, frame: int) -> Motion:
    """One frame, moved so that the body stands over the origin of the ground plane."""
    one = motion.frames([frame])
    shift = one.root[0] * (1.0, 0.0, 1.0)
    return replace(one, root=one.root - shift)
