"""Pictures of experiments: axes of one style, SVG curves and bars for pages, poses of a clip."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..atomic_write import atomic_write
from ..body.anatomy import anatomy_of
from ..kernels.types import Floats
from ..motion.metrics import LIMBS
from ..motion.motion import Motion
from ..studio.mannequin import POINT_COLOUR
from ..studio.panels import MARGIN, Panel, Shot, View, facing_of, shoot
from ..studio.pictures import INK as INK
from ..studio.pictures import draw_pose, new_figure, pose_axes

if TYPE_CHECKING:
    from .table1 import Clip, Run

STRONG = "#0072B2"
"""Colour of SIK, on which the eye should rest."""
PALETTE = (
    "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A4B2A",
    "#6A3D9A", "#66A61E", "#E7298A", "#666666", "#000000", "#A6761D",
    "#B8C400", "#5B6CFF", "#8C1D40", "#9FD3C7",
)  # fmt: skip
"""Colours of other methods in their order: Okabe and Ito, then others that differ from them."""

WIDTH, HEIGHT = 720.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 50.0, 14.0, 8.0, 24.0
COLUMNS = 660
"""Positions from left to right at which a curve is drawn."""
BAR, ROW = 9.0, 21.0
"""Height of a bar and of its row."""
BAR_CHART, NAME_ROOM, VALUE_ROOM = 340.0, 112.0, 48.0
"""Width of a bar chart, of the names on its left and of the numbers on its right."""
POSE_HEIGHT, POSE_DPI = 2.1, 150
"""Height of the picture of a pose [inch], and its dots per inch."""
PALETTE_SIZE = 48
"""Colours in a picture: a mannequin has few, and the page stays small."""

Curves = dict[str, list[tuple[float, float]]]
"""Label -> points (x, y)."""


def new_chart(width: float, height: float) -> Any:
    """Return an empty picture of a size [inch]."""
    return new_figure("A chart", (width, height), 110)


def empty_axes(figure: Any, box: tuple[float, ...], x: str, y: str = "") -> Any:
    """Add axes with a grid and the two labels to a picture."""
    axes = figure.add_axes(box)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(color="#E3E6EA")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def draw_curves(axes: Any, curves: Curves, **style: Any) -> None:
    """Draw curves, each with its label and colour."""
    for (label, points), colour in zip(curves.items(), (STRONG, *PALETTE), strict=False):
        axes.plot(*zip(*points, strict=True), "o-", color=colour, label=label, **style)


def logarithmic_ticks(axes: Any, ticks: Sequence[float]) -> None:
    """Make the x-axis logarithmic, with exactly these numbers on it."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def save_figure(figure: Any, path: str | Path) -> Path:
    """Write a picture as PNG, with the same bytes each time, and return its path."""
    with atomic_write(path) as file:
        figure.savefig(file, format="png", metadata={"Software": None})
    return Path(path)


def colours(solvers: Sequence[str]) -> dict[str, str]:
    """Return the colour of each solver."""
    others = [s for s in solvers if s != "sik"]
    return {"sik": STRONG} | {s: PALETTE[k % len(PALETTE)] for k, s in enumerate(others)}


def line_chart(curves: Mapping[str, Floats], first: int, label: str) -> str:
    """Draw curves over frames as SVG; each path has the classes ``c`` and ``c-NAME``.

    Args:
        curves: solver -> one value for each frame, shape (F,).
        first: number of the first frame.
        label: what the curves show, for screen readers.
    """
    frames = max(len(values) for values in curves.values())
    highest = max(float(np.nanmax(values)) for values in curves.values())
    ticks = nice_ticks(highest)
    top = max(highest * 1.03, ticks[-1]) or 1.0  # all zero: a line on the ground
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(frame: float) -> float:
        return LEFT + across * frame / max(frames - 1, 1)

    def y(value: float) -> float:
        return TOP + down * (1.0 - value / top)

    parts = [_open(WIDTH, HEIGHT, label, "wide")]
    for tick in ticks:
        parts.append(f'<path class="g" d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y(tick) + 3.5:.1f}" class="e">{tick:g}</text>')
    for tick in nice_ticks(frames - 1.0, first):
        at = x(tick - first)
        parts.append(f'<path class="g" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - 7}" class="m">{tick:g}</text>')
    for name in sorted(curves, key=lambda s: s == "sik"):  # SIK on top of the others
        samples = zip(*thinned(curves[name]), strict=True)
        path = "L".join(f"{x(frame):.1f} {y(value):.1f}" for frame, value in samples)
        parts.append(f'<path class="c c-{escape(name)}" d="M{path}"/>')
    return "".join([*parts, "</svg>"])


def thinned(values: Floats) -> tuple[Floats, Floats]:
    """Return frames and values of a curve (F,), lowest and highest of each column."""
    known = np.flatnonzero(np.isfinite(values))
    if len(values) > 2 * COLUMNS:
        columns = [column for column in np.array_split(known, COLUMNS) if column.size]
        ends = [(c[values[c].argmin()], c[values[c].argmax()]) for c in columns]
        known = np.unique(np.array(ends, np.int64))
    return known.astype(np.float64), values[known]


def nice_ticks(span: float, start: float = 0.0, about: int = 5) -> list[float]:
    """Return round numbers in [start, start + span], about so many."""
    if not span > 0.0:
        return [start]
    raw = span / about
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(m * size for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * size >= raw * 0.999)
    first = math.ceil(start / step - 1e-9)
    last = math.floor((start + span) / step + 1e-9)
    return [round(k * step, 10) for k in range(first, last + 1)]


def bar_chart(
    rows: Sequence[tuple[str, float | None, float | None]],
    form: str,
    label: str,
    *,
    logarithmic: bool = False,
) -> str:
    """Draw bars from left to right as SVG, ours, with a mark where the paper's number is.

    Args:
        rows: solver, our number, the paper's number; None: not known.
        form: how numbers are written, as in ``"{:.4f}"``.
        label: what the bars show, for screen readers.
        logarithmic: each doubling has the same length; all numbers must be positive.
    """
    known = [v for row in rows for v in row[1:] if v is not None and v > 0.0]
    low, high = (min(known) / 1.5, max(known)) if known else (0.5, 1.0)
    room = BAR_CHART - NAME_ROOM - VALUE_ROOM

    def reach(value: float) -> float:
        if logarithmic:
            return room * math.log(max(value / low, 1.0)) / math.log(high / low)
        return room * value / high

    parts = [_open(BAR_CHART, ROW * len(rows) + 6.0, label)]
    for k, (name, ours, paper) in enumerate(rows):
        middle = 3.0 + ROW * (k + 0.5)
        name = escape(name)
        parts.append(f'<text x="{NAME_ROOM - 6}" y="{middle + 4}" class="e n">{name}</text>')
        if ours is not None:
            parts.append(f'<rect class="b b-{name}" x="{NAME_ROOM}" y="{middle - BAR / 2}" '
                         f'width="{reach(ours):.1f}" height="{BAR}"/>')  # fmt: skip
        if paper is not None:
            parts.append(f'<path class="p" d="M{NAME_ROOM + reach(paper):.1f} {middle - 8}v16"/>')
        text = "–" if ours is None else form.format(ours)
        parts.append(f'<text x="{BAR_CHART:g}" y="{middle + 4}" class="e">{text}</text>')
    return "".join([*parts, "</svg>"])


def _open(width: float, height: float, label: str, kind: str = "") -> str:
    box = f'viewBox="0 0 {width:g} {height:g}"'
    return f'<svg class="{kind}" {box} role="img" aria-label="{escape(label)}">'


class Sample(NamedTuple):
    """One moment of a clip."""

    frame: int
    """Its number in the recording."""
    pictures: Mapping[str, bytes]
    """"original" or solver -> PNG."""


def draw_samples(clip: Clip, runs: Mapping[str, Run]) -> tuple[list[Sample], Sample]:
    """Draw the original and SIK at the picked frames, and all methods at one (Figs. 10-12, 19-21).

    On a reconstruction, a thin dark line shows the bones of the original.

    Args:
        clip: with the original motion.
        runs: solver -> what it did on this clip.
    """
    picks = clip.picks
    original, points = clip.motion.frames(picks), clip.motion.points().frames(picks)
    shown = "sik" if "sik" in runs else next(iter(runs))
    times = np.arange(len(picks)) / original.rate
    motions = {"original": original} | {name: run.poses for name, run in runs.items()}
    shots = {name: shoot(Panel(m, points=points), times) for name, m in motions.items()}
    anchor = shots["original"].anchor
    for shot in shots.values():
        shot.anchor[:] = anchor
    views = [View().basis(facing_of(original.frames(slice(k, k + 1)))) for k in range(len(picks))]
    bones = _bones(original)

    def samples(moments: Sequence[int], names: Sequence[str]) -> list[Sample]:
        """Draw at some moments, all at one scale."""
        chosen = {name: shots[name] for name in names}
        bounds = _bounds(list(chosen.values()), views, moments)
        found = []
        for k in moments:
            lines = [((at - anchor[k]) @ views[k].T)[:, :2] for at in bones[k]]
            pictures = {
                name: _picture(shot, k, views[k], bounds, [] if name == "original" else lines)
                for name, shot in chosen.items()
            }
            found.append(Sample(clip.first + picks[k], pictures))
        return found

    last = len(picks) - 1
    return samples(range(last), ("original", shown)), samples([last], list(shots))[0]


def _bounds(
    shots: list[Shot], views: list[Floats], moments: Sequence[int]
) -> tuple[float, float, float]:
    """Return half width, lowest and highest point of pictures around the original [m]."""
    pad = 2.0 * MARGIN * shots[0].panel.mannequin.stature
    corners = np.concatenate(
        [(s.corners[k] - s.anchor[k]) @ views[k].T for s in shots for k in moments]
    )
    return (
        float(np.abs(corners[:, 0]).max()) + pad,
        min(float(corners[:, 1].min()), 0.0) - pad,
        float(corners[:, 1].max()) + pad,
    )


def _bones(motion: Motion) -> list[list[Floats]]:
    """Return lines along spine and limbs in each frame [m]."""
    anatomy = anatomy_of(motion.skeleton)
    node = anatomy.node
    paths = [
        list(anatomy.bends),
        *([node(role) for role in roles] for roles in LIMBS.values()),
        [node("l_shoulder"), anatomy.chest, node("r_shoulder")],
        [node("l_hip"), node("pelvis"), node("r_hip")],
    ]
    return [[at[path] for path in paths] for at in motion.positions()]


def _picture(
    shot: Shot,
    moment: int,
    basis: Floats,
    bounds: tuple[float, float, float],
    lines: Sequence[Floats],
) -> bytes:
    """Return the picture of a pose, with lines over it, as PNG with few colours."""
    half, low, high = bounds
    size = (POSE_HEIGHT * 2.0 * half / (high - low), POSE_HEIGHT)
    figure = new_figure("A picture of a pose", size, POSE_DPI)
    from matplotlib.collections import LineCollection  # installed: a figure could be made
    from PIL import Image, ImageColor

    axes = pose_axes(figure, (0.0, 0.0, 1.0, 1.0), bounds)
    draw_pose(axes, shot, moment, basis)
    if lines:
        axes.add_collection(LineCollection(lines, colors="#111418", linewidths=0.9, zorder=2.5))
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
    # The points are so small that the palette would leave out their colour: add some lines of it.
    swatch = np.tile(np.array(ImageColor.getrgb(POINT_COLOUR), np.uint8), (8, pixels.shape[1], 1))
    palette = Image.fromarray(np.concatenate([pixels, swatch])).quantize(PALETTE_SIZE)
    out = io.BytesIO()
    picture = Image.fromarray(pixels).quantize(palette=palette, dither=Image.Dither.NONE)
    shades = picture.getpalette() or []
    paper = 3 * int(np.asarray(picture)[0, 0])  # white, but for the shades it was averaged with
    shades[paper : paper + 3] = [255, 255, 255]
    picture.putpalette(shades)
    picture.save(out, format="PNG", optimize=True)
    return out.getvalue()
