"""Stick figures with matplotlib: what `Motion.plot` shows, and notebooks show of bodies."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, MissingExtra
from ..kernels.types import Floats
from .tree import JointTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT, RIGHT, MIDDLE = "#2a78c2", "#c2452a", "#444444"
"""Colours of bones on the left, on the right and in between."""
VIEW = (np.sqrt(0.75), 0.5)
"""Shares of X and Z in the horizontal axis of a picture: seen from the front left."""


def stick_figures(tree: JointTree, positions: Floats, titles: Sequence[str] = ()) -> Figure:
    """Return a figure that shows one or more poses of a body side by side.

    Args:
        tree: the joints and their parents.
        positions: of all nodes [m], shape (F, J+S, 3), with F >= 1.
        titles: one for each pose, or none.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot", "drawing bodies") from error
    if len(positions) == 0:
        raise InputError("Expected at least one frame to draw, got none.")
    across = VIEW[0] * positions[..., 0] - VIEW[1] * positions[..., 2]
    height = positions[..., 1]
    ends = np.flatnonzero(tree.node_parents >= 0)
    starts = tree.node_parents[ends]
    colours = [_colour(tree.node_names[end]) for end in ends]
    reach = 0.55 * max(float(np.ptp(height)), float(np.ptp(across, axis=1).max()), 1e-3)
    centre = 0.5 * float(height.min() + height.max())
    figure = Figure(figsize=(1.6 * len(positions), 2.0), layout="constrained")
    row = figure.subplots(1, len(positions), squeeze=False)[0]
    for k, axes in enumerate(row):
        for start, end, colour in zip(starts, ends, colours, strict=True):
            axes.plot(across[k, [start, end]], height[k, [start, end]], color=colour, linewidth=1.5)
        middle = 0.5 * float(across[k].min() + across[k].max())
        axes.set_xlim(middle - reach, middle + reach)
        axes.set_ylim(centre - reach, centre + reach)
        axes.set_aspect("equal")
        axes.set_axis_off()
        if titles:
            axes.set_title(titles[k], fontsize=8)
    return figure


def figure_html(draw: Callable[[], Figure], caption: str) -> str | None:
    """Return a figure as an HTML element with its picture inside; None: it cannot be drawn."""
    try:
        figure = draw()
    except (MissingExtra, InputError):
        return None  # notebooks show the repr instead
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
    data = base64.b64encode(picture.getvalue()).decode("ascii")
    text = html.escape(caption)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><br>{text}</figure>'


def _colour(name: str) -> str:
    words = name.lower()
    if words.startswith(("l_", "left")):
        return LEFT
    return RIGHT if words.startswith(("r_", "right")) else MIDDLE
