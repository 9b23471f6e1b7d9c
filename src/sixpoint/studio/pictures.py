"""Pictures with matplotlib: one pose, contact sheets, GIF and MP4 animations."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..atomic_write import atomic_write
from ..errors import InputError, MissingExtra, SixpointError
from ..kernels.types import Floats
from .mannequin import COLOURS, POINT_COLOUR
from .panels import (
    Panel,
    Shot,
    View,
    capsule_outline,
    check_panels,
    common_view,
    ellipsoid_outline,
    shoot,
)

CELL = 2.6
"""Height of one pose on a contact sheet [inch]."""
GRID = 0.5
"""Distance of the lines on the ground [m]."""
LABEL = 0.32
"""Height of the line of text below it [inch]."""
TITLE = 0.22
"""Height of the line of text above a row [inch]."""
INK = "#30343B"
"""Colour of text."""


def contact_sheet(
    panels: Sequence[Panel],
    path: str | Path,
    *,
    poses: int = 8,
    times: Sequence[float] | None = None,
    view: View | None = None,
    dpi: int = 110,
) -> None:
    """Write a PNG with one row for each motion and the same moments below each other.

    Args:
        panels: the motions.
        path: replaced when the picture is complete.
        poses: moments, evenly spaced over the longest motion.
        times: these moments instead [s].
        view: where the viewer stands; default a 3/4 view from the front.
        dpi: dots an inch; a pose is 2.6 inch high.
    """
    check_panels(panels)
    if poses < 1:
        raise InputError(f"Expected at least one pose, got {poses}.")
    longest = max((len(p.motion) - 1) / p.motion.rate for p in panels)
    moments = np.linspace(0.0, longest, poses) if times is None else np.array(times, np.float64)
    poses = len(moments)
    shots = [shoot(panel, moments) for panel in panels]
    basis, bounds = common_view(shots, view)
    half, low, high = bounds
    row_height = TITLE + CELL + LABEL
    size = (max(poses * CELL * 2.0 * half / (high - low), 4.0), len(shots) * row_height)
    figure = new_figure("A contact sheet", size, dpi)
    for row, shot in enumerate(shots):
        top = size[1] - row * row_height
        for column in range(poses):
            box = (column / poses, (top - TITLE - CELL) / size[1], 1.0 / poses, CELL / size[1])
            axes = pose_axes(figure, box, bounds)
            draw_pose(axes, shot, column, basis)
            frame = shot.frames[column]
            caption(axes, f"frame {frame}  ·  {frame / shot.panel.motion.rate:.2f} s", 7)
        figure.text(0.1 / size[0], (top - 0.08) / size[1], shot.panel.title,
                    ha="left", va="top", fontsize=10, color=INK)  # fmt: skip
    # No date and no version in the file: the same motion gives the same bytes.
    with atomic_write(path) as file:
        figure.savefig(file, format="png", metadata={"Software": None})


def new_figure(purpose: str, size: tuple[float, float], dpi: int) -> Any:
    """An empty figure [inch] that is drawn into memory: no screen, no global state."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot", purpose) from error
    figure = Figure(figsize=size, dpi=dpi, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def pose_axes(figure: Any, box: tuple[float, ...], bounds: tuple[float, float, float]) -> Any:
    """A place to draw a pose: axes in metres, without frame or ticks."""
    half, low, high = bounds
    axes = figure.add_axes(box)
    axes.set(xlim=(-half, half), ylim=(low, high), aspect="equal")
    axes.axis("off")
    return axes


def caption(axes: Any, text: str, size: float) -> None:
    """A line of text below a pose."""
    axes.text(0.5, -0.01, text, transform=axes.transAxes, ha="center", va="top", fontsize=size,
              color=INK)  # fmt: skip


def draw_pose(axes: Any, shot: Shot, k: int, basis: Floats) -> None:
    """One pose: the ground, the mannequin from far to near, the points."""
    from matplotlib.collections import LineCollection, PolyCollection

    anchor = shot.anchor[k]
    radius = min(0.42 * shot.panel.mannequin.stature, 0.96 * float(axes.get_xlim()[1]))
    rim, lines = _ground(anchor, radius, basis)
    axes.add_collection(PolyCollection([rim], facecolors="#F1F3F5", edgecolors="none", zorder=0))
    axes.add_collection(LineCollection(lines, colors="#DBDFE4", linewidths=0.6, zorder=1))
    outlines, colours, edges = _solids_outlines(shot, k, basis)
    axes.add_collection(
        PolyCollection(outlines, facecolors=colours, edgecolors=edges, linewidths=0.5, zorder=2)
    )
    points = shot.panel.points
    if points is not None and shot.frames[k] < len(points):
        flat = (points.positions[shot.frames[k]] - anchor) @ basis.T
        seen = np.isfinite(flat).all(axis=-1)
        axes.scatter(flat[seen, 0], flat[seen, 1], s=13.0, c=POINT_COLOUR, edgecolors="#222222",
                     linewidths=0.6, zorder=3)  # fmt: skip


def _ground(anchor: Floats, radius: float, basis: Floats) -> tuple[Floats, list[Floats]]:
    """A disc below the person, and the lines on it, which stay where they are in the world."""
    angles = np.linspace(0.0, 2.0 * np.pi, 72)
    disc = radius * np.stack([np.cos(angles), np.zeros_like(angles), np.sin(angles)], axis=-1)
    step = GRID * 10.0 ** max(np.ceil(np.log10(radius / (4.0 * GRID))), -3.0)  # few lines on giants
    lines = []
    for axis, other in ((0, 2), (2, 0)):
        first = np.ceil((anchor[axis] - radius) / step) * step
        for at in np.arange(first, anchor[axis] + radius, step):
            away = at - anchor[axis]
            reach = np.sqrt(max(radius**2 - away**2, 0.0))
            line = np.zeros((2, 3))
            line[:, axis], line[:, other] = away, (-reach, reach)
            lines.append((line @ basis.T)[:, :2])
    return (disc @ basis.T)[:, :2], lines


def _solids_outlines(
    shot: Shot, k: int, basis: Floats
) -> tuple[list[Floats], list[Any], list[Any]]:
    from matplotlib.colors import to_rgb

    mannequin, solids, anchor = shot.panel.mannequin, shot.solids, shot.anchor[k]
    drawn: list[tuple[float, Floats, Floats, str]] = []
    starts, ends = ((at[k] - anchor) @ basis.T for at in (solids.starts, solids.ends))
    light = np.array([-0.25, 0.35])
    for n, limb in enumerate(mannequin.limbs):
        small = (0.5 * limb.radii[0], 0.5 * limb.radii[1])
        a, b = starts[n, :2], ends[n, :2]
        drawn.append((
            float(starts[n, 2] + ends[n, 2]) / 2.0,
            capsule_outline(a, b, limb.radii),
            capsule_outline(a + light * limb.radii[0], b + light * limb.radii[1], small),
            COLOURS[limb.side],
        ))  # fmt: skip
    centres = (solids.centres[k] - anchor) @ basis.T
    for n, mass in enumerate(mannequin.masses):
        half, centre = np.array(mass.half), centres[n, :2]
        outline = ellipsoid_outline(centre, solids.turns[k, n], half, basis)
        shine = centre + 0.5 * (outline - centre) + light * half[0]
        drawn.append((float(centres[n, 2]), outline, shine, COLOURS[mass.side]))
    nearness = np.array([depth for depth, *_ in drawn])
    # What is far fades a little: it helps the eye where limbs cross.
    fade = 0.35 * (nearness.max() - nearness) / max(float(np.ptp(nearness)), 1e-9)
    outlines, colours, edges = [], [], []
    for n in np.argsort(nearness):
        _, outline, shine, name = drawn[n]
        colour = np.array(to_rgb(name)) * (1.0 - fade[n]) + fade[n]
        outlines += [outline, shine]
        colours += [colour, 0.82 * colour + 0.18]
        edges += ["white", "none"]
    return outlines, colours, edges


def animation(
    panels: Sequence[Panel],
    path: str | Path,
    *,
    fps: float = 25.0,
    view: View | None = None,
    dpi: int = 100,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a GIF or an MP4 of one or several motions side by side, at their own speed.

    Args:
        panels: the motions, left to right.
        path: ends in .gif, or in .mp4 which needs the program ffmpeg.
        fps: pictures a second; a GIF counts in hundredths of a second.
        view: where the viewer stands; default a 3/4 view from the front.
        dpi: dots an inch; a figure is 3.9 inch high.
        progress: called with the number of pictures done and their total.
    """
    check_panels(panels)
    if not (0.1 <= fps <= 100.0):
        raise InputError(f"Expected between 0.1 and 100 pictures a second, got {fps:g}.")
    suffix = Path(path).suffix.lower()
    if suffix not in (".gif", ".mp4"):
        raise InputError(f"Expected an animation to end in .gif or .mp4, got {Path(path).name!r}.")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise SixpointError("An MP4 needs the program ffmpeg, which was not found; write a .gif.")
    if suffix == ".gif":
        fps = 100.0 / max(round(100.0 / fps), 1)
    length = max(panel.motion.duration for panel in panels)
    times = np.arange(max(int(np.ceil(length * fps)), 1)) / fps
    shots = [shoot(panel, times) for panel in panels]
    pictures = _pictures(shots, view, dpi, progress)
    with atomic_write(path) as file:
        (_write_gif if suffix == ".gif" else _write_mp4)(pictures, file, fps)


def _pictures(
    shots: Sequence[Shot],
    view: View | None,
    dpi: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Floats]:
    """The frames of an animation as (height, width, 3) bytes, made one at a time."""
    basis, bounds = common_view(shots, view)
    half, low, high = bounds
    height = 1.5 * CELL
    wanted = (len(shots) * height * 2.0 * half / (high - low), height + LABEL)
    # Video wants even numbers of dots.
    width, whole = (2.0 * float(np.ceil(side * dpi / 2.0)) / dpi for side in wanted)
    count = len(shots[0].frames)
    for k in range(count):
        figure = new_figure("An animation", (width, whole), dpi)
        for column, shot in enumerate(shots):
            box = (column / len(shots), LABEL / whole, 1.0 / len(shots), height / whole)
            axes = pose_axes(figure, box, bounds)
            draw_pose(axes, shot, k, basis)
            time = shot.frames[k] / shot.panel.motion.rate
            caption(axes, f"{shot.panel.title}   {time:.2f} s".strip(), 9)
        figure.canvas.draw()
        yield np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
        if progress is not None:
            progress(k + 1, count)


def _write_gif(pictures: Iterator[Floats], file: IO[bytes], fps: float) -> None:
    from PIL import Image

    picture = next(pictures)
    # One palette for all pictures: colours do not flicker, and the file is smaller. The points are
    # so small that their colour would be left out, so it gets a few lines of its own.
    swatch = np.tile(np.array(_bytes(POINT_COLOUR), np.uint8), (8, picture.shape[1], 1))
    palette = Image.fromarray(np.concatenate([picture, swatch])).quantize(128)
    first = Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
    rest = (
        Image.fromarray(p).quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures
    )
    first.save(file, format="GIF", save_all=True, append_images=rest, loop=0,
               duration=round(1000.0 / fps), optimize=False)  # fmt: skip


def _write_mp4(pictures: Iterator[Floats], file: IO[bytes], fps: float) -> None:
    first = next(pictures)
    height, width = first.shape[:2]
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
               "-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-", "-an", "-pix_fmt", "yuv420p",
               "-f", "mp4", file.name]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            process.stdin.write(first.tobytes())
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg gave up; its own words follow
        words = process.stderr.read().decode(errors="replace").strip()
    if process.returncode != 0:
        raise SixpointError(f"ffmpeg could not write the MP4: {words or process.returncode}")


def _bytes(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
