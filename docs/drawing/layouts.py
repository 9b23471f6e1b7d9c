"""The layouts of joint arrays: their joints, numbered, on one body."""

from __future__ import annotations

from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.kernels.types import Floats
from sixpoint.studio.pictures import INK
from sixpoint.subjects import LAYOUTS, Layout, layout_positions
from sixpoint.subjects.from_motion import EXTRA_FACE
from sixpoint.subjects.landmarks import PARTS

from . import canvas as c

CLIP, FRAME = "overhead", 113
"""A pose in which no joint hides another: one hand at a high shelf."""
SHOWN = [name for name in LAYOUTS if name != "humanml3d22"]
"""Layouts with a panel; HumanML3D has the joints of SMPL."""
INSETS = {
    "head": ("face", (1.02, 1.86), 5.2, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
    "l_ankle": ("feet, left | right", (0.92, 0.30), 0.5, ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))),
    "l_wrist": ("hands, left | right", (0.9, 1.06), 1.05, ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))),
}
"""Part -> its title, place in the picture [m], size, and what is right and up: a face from the
front, a foot from above, a hand from the side."""


@c.picture("layouts", 13.2, 9.6)
def layouts(figure: Any) -> None:
    """The numbers of the joints in each layout; faces, feet and hands enlarged."""
    clip = sp.builtin(CLIP).frames([FRAME])
    for k, name in enumerate(SHOWN):
        layout = LAYOUTS[name]
        row, column = divmod(k, 4)
        box = (0.25 * column, 0.5 * (1 - row) + 0.005, 0.25, 0.425)
        title = f"{name}, {len(layout)} joints"
        pen = c.Pen(figure, box, (-0.6, 1.55), (-0.08, 2.32), c.view(18.0, 4.0), title)
        pen.body(clip, c.GHOST)
        at = layout_positions(clip, layout)[0]
        flat = pen.flat(at)
        large: set[int] = set()
        for role in INSETS:
            large |= _inset(pen, layout, role)
        for a, b in layout.links:
            if not {a, b} <= large:
                _line(pen, flat[a], flat[b])
        for j, joint in enumerate(layout.landmarks):
            mirror = f"l{joint[1:]}" if joint.startswith("r_") else joint
            small = j in large or layout.landmarks.index(mirror) in large
            _dot(pen, flat[j], joint, "" if small else str(j))


def _inset(pen: c.Pen, layout: Layout, role: str) -> set[int]:
    """Draw the landmarks of a part enlarged; return their places in the layout."""
    title, place, size, (right, up) = INSETS[role]
    part = next(part for part in PARTS if part.role == role)
    marks = {**part.marks, **(EXTRA_FACE if role == "head" else {})}
    names = [name for name in layout.landmarks if name in marks and name not in ("crown", "face")]
    names = [name for name in names if name != "head_top"]
    if len(names) < 3:
        return set()
    corner = np.asarray(place)
    axes = np.array([right, up])
    middle = np.mean([marks[name] for name in names], axis=0)
    spots = {n: corner + size * axes @ (np.asarray(marks[n]) - middle) for n in names}
    at = {name: layout.landmarks.index(name) for name in names}
    for a, b in layout.links:
        pair = layout.landmarks[a], layout.landmarks[b]
        if set(pair) <= spots.keys():
            _line(pen, spots[pair[0]], spots[pair[1]])
    for name, spot in spots.items():
        if role == "head":
            _dot(pen, spot, name, str(at[name]))
            continue
        right = layout.landmarks.index(f"r{name[1:]}")
        pen.axes.scatter(*spot, s=40.0, c=INK, edgecolors="white", zorder=6)
        pen.axes.text(spot[0] + 0.05, spot[1], f"{at[name]} | {right}", fontsize=8, color=INK,
                      ha="left", va="center")  # fmt: skip
    top = max(float(spot[1]) for spot in spots.values())
    pen.axes.text(place[0] + 0.08, top + 0.1, title, fontsize=9, color=INK, ha="center")
    return set(at.values())


def _line(pen: c.Pen, start: Floats, end: Floats) -> None:
    pen.axes.plot(*zip(start, end, strict=True), color=c.FAINT, linewidth=1.6, zorder=4)


def _dot(pen: c.Pen, spot: Floats, joint: str, number: str) -> None:
    """Draw a joint with its number; a small dot without."""
    colour = {"l_": c.LEFT, "r_": c.RIGHT}.get(joint[:2], c.MIDDLE)
    pen.axes.scatter(*spot, s=130.0 if number else 10.0, c=colour, edgecolors="white", zorder=6)
    pen.axes.text(*spot, number, fontsize=6.5, color="white", fontweight="bold", zorder=9,
                  ha="center", va="center")  # fmt: skip
