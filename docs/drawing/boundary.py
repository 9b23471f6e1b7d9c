"""Joint limits: the swing boundary of a shoulder on a sphere, and all boundaries as curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels.types import Floats
from sixpoint.limits import SwingTwistLimit
from sixpoint.studio.pictures import INK

from .canvas import (
    FAINT,
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
    view,
)
from .stance import neutral

PIXELS = 360
"""Across a sphere."""
DIRECTIONS = {-180.0: "extension", -90.0: "adduction", 0.0: "flexion", 90.0: "abduction"}
"""Circumduction of a limb [degrees] -> what the movement is called."""


def directions(limit: SwingTwistLimit, theta: Floats, psi: Floats) -> Floats:
    """Unit vectors to which the bone points, shape (..., 3)."""
    bone, e1, e2 = (np.array(v) for v in (limit.bone, limit.e1, limit.e2))
    heading = np.cos(theta)[..., None] * e1 + np.sin(theta)[..., None] * e2
    return np.asarray(np.cos(psi)[..., None] * bone + np.sin(psi)[..., None] * heading)


def amplitude_of(limit: SwingTwistLimit, way: Floats) -> tuple[Floats, Floats]:
    """Swing of directions (..., 3), and how far it may be, both in radians."""
    bone, e1, e2 = (np.array(v) for v in (limit.bone, limit.e1, limit.e2))
    theta = np.arctan2(way @ e2, way @ e1)
    psi = np.arctan2(np.linalg.norm(np.cross(bone, way), axis=-1), way @ bone)
    knots = np.linspace(-np.pi, np.pi, 721)
    return psi, np.interp(theta, knots, limit.amplitude(knots))


def paint_sphere(pen: Pen, limit: SwingTwistLimit, centre: Floats, radius: float) -> None:
    """The side of the sphere that faces the viewer: where the elbow may be, and where not."""
    from matplotlib.colors import to_rgb

    span = np.linspace(-1.0, 1.0, PIXELS)
    x, y = np.meshgrid(span, span)
    inside = x**2 + y**2 <= 1.0
    depth = np.sqrt(np.clip(1.0 - x**2 - y**2, 0.0, None))
    way = np.stack([x, y, depth], axis=-1) @ pen.basis
    psi, most = amplitude_of(limit, way)
    shade = 0.72 + 0.28 * np.clip(0.35 * -x + 0.55 * y + 0.76 * depth, 0.0, 1.0)
    picture = np.zeros((PIXELS, PIXELS, 4))
    for allowed, colour, alpha in ((psi <= most, GREEN, 0.62), (psi > most, FAINT, 0.35)):
        picture[allowed, :3] = to_rgb(colour)
        picture[allowed, 3] = alpha
    picture[..., :3] = np.clip(picture[..., :3] * shade[..., None] * 1.12, 0.0, 1.0)
    picture[~inside, 3] = 0.0
    a, b = pen.flat(centre)
    extent = (a - radius, a + radius, b - radius, b + radius)
    limits = pen.axes.get_xlim(), pen.axes.get_ylim()
    pen.axes.imshow(picture, extent=extent, origin="lower", zorder=3, interpolation="bilinear")
    pen.axes.set(xlim=limits[0], ylim=limits[1])


def draw_front(pen: Pen, curve: Floats, centre: Floats, radius: float, **style: Any) -> None:
    """The part of a curve of unit vectors that lies on the viewer's side."""
    seen = curve @ pen.basis[2] >= 0.0
    at = np.where(seen[:, None], pen.flat(centre + radius * curve), np.nan)
    pen.axes.plot(at[:, 0], at[:, 1], **({"zorder": 4, "solid_capstyle": "round"} | style))


def shoulder(path: Path) -> None:
    """Where the left elbow may go, from two sides, and the curve that says so."""
    body = Skeleton.humanoid()
    limit = sp.adult_limits(body)["l_shoulder"]
    assert isinstance(limit, SwingTwistLimit)
    at = body.rest()[0]
    centre = at[body.index("l_shoulder")]
    radius = float(np.linalg.norm(at[body.index("l_elbow")] - centre))
    theta = np.linspace(-np.pi, np.pi, 721)
    boundary = directions(limit, theta, limit.amplitude(theta))
    figure = sheet(10.0, 4.1)
    for k, (yaw, title) in enumerate(((8.0, "from the front"), (142.0, "from behind"))):
        basis = view(yaw, 14.0)
        middle = centre @ basis.T
        axes = place(figure, (0.29 * k, 0.0, 0.29, 0.9), *(
            (middle[0] - 0.41, middle[0] + 0.41), (middle[1] - 0.44, middle[1] + 0.57)
        ))  # fmt: skip
        pen = Pen(axes, basis)
        pen.body(neutral(body), GHOST, zorder=1.0)
        paint_sphere(pen, limit, centre, radius)
        for angle in np.radians((30.0, 60.0, 90.0, 120.0, 150.0)):
            ring = directions(limit, theta, np.full_like(theta, angle))
            draw_front(pen, ring, centre, radius, color="white", linewidth=0.6, alpha=0.8)
        for angle in np.radians(np.arange(-180.0, 180.0, 30.0)):
            spoke = directions(limit, np.full(200, angle), np.linspace(0.0, np.pi, 200))
            draw_front(pen, spoke, centre, radius, color="white", linewidth=0.6, alpha=0.8)
        draw_front(pen, boundary, centre, radius, color=INK, linewidth=2.4)
        for where in DIRECTIONS:
            t = np.radians(np.array([where]))
            mark = directions(limit, t, limit.amplitude(t))[0]
            if mark @ basis[2] > 0.0:
                pen.dots(centre + radius * mark, size=36.0)
        figure.text(0.29 * k + 0.145, 0.94, title, fontsize=12, color=INK, ha="center")

    axes = plot(figure, (0.665, 0.14, 0.315, 0.74), "circumduction θ [degrees]", "")
    axes.set_title("greatest swing ψ(θ) [degrees]", fontsize=12, color=INK)
    degrees = np.degrees(theta)
    most = np.degrees(limit.amplitude(theta))
    axes.fill_between(degrees, 0.0, most, color=GREEN, alpha=0.3, linewidth=0.0)
    axes.plot(degrees, most, color=INK, linewidth=2.2)
    knots, tops = np.degrees(limit.thetas), np.degrees(limit.amplitudes)
    axes.scatter(knots, tops, s=36.0, c="#F0E442", edgecolors="#222222", linewidths=0.9, zorder=6)
    for degrees_at, name in DIRECTIONS.items():
        top = float(tops[list(np.round(knots)).index(degrees_at)])
        spot = {
            "flexion": (-8.0, 6.0),
            "abduction": (10.0, 6.0),
            "extension": (8.0, 6.0),
            "adduction": (9.0, -7.0),
        }
        dx, dy = spot[name]
        ha = "right" if name == "flexion" else "left"
        axes.text(degrees_at + dx, top + dy, name, fontsize=10, color=INK, ha=ha)
    axes.set(xlim=(-186.0, 186.0), ylim=(0.0, 205.0), xticks=range(-180, 181, 90),
             yticks=range(0, 181, 45))  # fmt: skip
    save(figure, path)


def boundaries(path: Path) -> None:
    """The default boundaries of all ball joints of the built-in figure."""
    body = Skeleton.humanoid()
    limits = sp.adult_limits(body)
    curves = {
        "shoulder": ("l_shoulder", LEFT), "hip": ("l_hip", RIGHT),
        "clavicle": ("l_sternoclavicular", PURPLE), "thoracic joint": ("vt6", GREEN),
        "cervical joint": ("vc4", ORANGE),
    }  # fmt: skip
    theta = np.linspace(-np.pi, np.pi, 361)
    figure = sheet(10.0, 4.2)
    for k, (names, top) in enumerate(((("shoulder", "hip"), 205.0),
                                      (tuple(curves)[2:], 62.0))):  # fmt: skip
        axes = plot(figure, (0.07 + 0.49 * k, 0.14, 0.42, 0.8), "circumduction θ [degrees]", "")
        for name in names:
            joint, colour = curves[name]
            limit = limits[joint]
            assert isinstance(limit, SwingTwistLimit)
            axes.plot(np.degrees(theta), np.degrees(limit.amplitude(theta)), color=colour,
                      linewidth=2.2, label=f"{name} ({joint})")  # fmt: skip
            axes.scatter(np.degrees(limit.thetas), np.degrees(limit.amplitudes), s=30.0, c=colour,
                         edgecolors="white", zorder=5)  # fmt: skip
        axes.set(xlim=(-186.0, 186.0), ylim=(0.0, top), xticks=range(-180, 181, 90))
        if k == 0:
            axes.set_yticks(range(0, 181, 45))
        axes.legend(frameon=False, fontsize=10, labelcolor=INK, loc="upper left")
        if k == 0:
            axes.set_ylabel("greatest swing ψ [degrees]", color=INK, fontsize=10)
    save(figure, path)
