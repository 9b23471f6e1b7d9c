"""Pictures with matplotlib: one pose, contact sheets, GIF and MP4 animations."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ..atomic_write import atomic_write
from ..errors import InputError, MissingExtra, SixpointError
from ..kernels import arrays
from ..kernels.types import Floats
from .mannequin import COLOURS, POINT_COLOUR, Limb, Mannequin, Mass, Solids
from .panels import Bounds, Panel, Shot, View, check_panels, common_view, even_times, shoot

CELL = 2.6
"""Height of one pose on a contact sheet [inch]."""
GRID = 0.5
"""Distance of the lines on the ground [m]."""
LABEL, TITLE = 0.32, 0.22
"""Heights of the lines of text below a pose and above a row [inch]."""
INK = "#30343B"
"""Colour of text."""
CORNERS = 24
"""Corners of a round outline: smooth at the size of a contact sheet."""


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
        poses: number of moments, evenly spaced over the longest motion.
        times: these moments instead [s].
        view: where the viewer stands; default a 3/4 view from the front.
        dpi: dots per inch; a pose is 2.6 inch high.
    """
    check_panels(panels)
    if poses < 1:
        raise InputError(f"Expected at least one pose, got {poses}.")
    longest = max((len(p.motion) - 1) / p.motion.rate for p in panels)
    moments = np.linspace(0.0, longest, poses) if times is None else np.array(times, np.float64)
    shots = [shoot(panel, moments) for panel in panels]
    basis, bounds = common_view(shots, view)
    half, low, high = bounds
    columns, row_height = len(moments), TITLE + CELL + LABEL
    size = (max(columns * CELL * 2.0 * half / (high - low), 4.0), len(shots) * row_height)
    figure = new_figure("A contact sheet", size, dpi)
    for row, shot in enumerate(shots):
        top = size[1] - row * row_height
        for k, frame in enumerate(shot.frames):
            box = (k / columns, (top - TITLE - CELL) / size[1], 1.0 / columns, CELL / size[1])
            axes = pose_axes(figure, box, bounds)
            draw_pose(axes, shot, k, basis)
            caption(axes, f"frame {frame}  ·  {frame / shot.panel.motion.rate:.2f} s", 7)
        figure.text(0.1 / size[0], (top - 0.08) / size[1], shot.panel.title,
                    ha="left", va="top", fontsize=10, color=INK)  # fmt: skip
    # No date and no version in the file: the same motion gives the same bytes.
    with atomic_write(path) as file:
        figure.savefig(file, format="png", metadata={"Software": None})


def new_figure(purpose: str, size: tuple[float, float], dpi: int) -> Any:
    """Return an empty figure [inch] that is drawn into memory: no screen, no global state."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plot", purpose) from error
    figure = Figure(figsize=size, dpi=dpi, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def pose_axes(figure: Any, box: tuple[float, ...], bounds: Bounds) -> Any:
    """Return axes in metres for a pose, without frame or ticks."""
    half, low, high = bounds
    axes = figure.add_axes(box)
    axes.set(xlim=(-half, half), ylim=(low, high), aspect="equal")
    axes.axis("off")
    return axes


def caption(axes: Any, text: str, size: float) -> None:
    """Write a line of text below a pose."""
    axes.text(0.5, -0.01, text, transform=axes.transAxes, ha="center", va="top", fontsize=size,
              color=INK)  # fmt: skip


def draw_pose(axes: Any, shot: Shot, k: int, basis: Floats) -> None:
    """Draw one pose: the ground, the mannequin from far to near, the points."""
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgb

    anchor = shot.anchor[k]
    radius = min(0.42 * shot.panel.mannequin.stature, 0.96 * float(axes.get_xlim()[1]))
    rim, lines = _ground(anchor, radius, basis)
    axes.add_collection(PolyCollection([rim], facecolors="#F1F3F5", edgecolors="none", zorder=0))
    axes.add_collection(LineCollection(lines, colors="#DBDFE4", linewidths=0.6, zorder=1))
    drawn = sorted(part_outlines(shot.panel.mannequin, shot.solids, k, anchor, basis),
                   key=lambda part: part.depth)  # fmt: skip
    depth = np.array([part.depth for part in drawn])
    # What is far fades a little: it helps the eye where limbs cross.
    fade = 0.35 * (depth.max() - depth) / max(float(np.ptp(depth)), 1e-9)
    colours = [np.array(to_rgb(COLOURS[part.solid.side])) * (1.0 - f) + f
               for part, f in zip(drawn, fade, strict=True)]  # fmt: skip
    axes.add_collection(PolyCollection(
        [line for part in drawn for line in (part.outline, part.shine)],
        facecolors=[paint for colour in colours for paint in (colour, 0.82 * colour + 0.18)],
        edgecolors=["white", "none"] * len(drawn), linewidths=0.5, zorder=2,
    ))  # fmt: skip
    points = shot.seen_points(k)
    if points is not None:
        flat = (points - anchor) @ basis.T
        seen = np.isfinite(flat).all(axis=-1)
        axes.scatter(flat[seen, 0], flat[seen, 1], s=13.0, c=POINT_COLOUR, edgecolors="#222222",
                     linewidths=0.6, zorder=3)  # fmt: skip


def _ground(anchor: Floats, radius: float, basis: Floats) -> tuple[Floats, list[Floats]]:
    """Return a disc below the person, and the lines on it, which are fixed in the world."""
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


class PartOutline(NamedTuple):
    """Outline of one part of a mannequin in a picture."""

    solid: Limb | Mass
    depth: float
    """Distance of its middle towards the viewer [m]."""
    outline: Floats
    """Corners (n, 2) [m]."""
    shine: Floats
    """Corners (n, 2) of the lighter area inside [m]."""


def part_outlines(
    mannequin: Mannequin, solids: Solids, k: int, origin: Floats, basis: Floats
) -> list[PartOutline]:
    """Return the outlines of all parts of a mannequin in frame `k`.

    `origin` is the position (3,) [m] at the middle of the picture, `basis` the rows of the view.
    """
    starts, ends, centres = (
        (at[k] - origin) @ basis.T for at in (solids.starts, solids.ends, solids.centres)
    )
    light = np.array([-0.25, 0.35])
    drawn = []
    for limb, start, end in zip(mannequin.limbs, starts, ends, strict=True):
        first, second = limb.radii
        a, b = start[:2], end[:2]
        shine = capsule_outline(a + light * first, b + light * second, (0.5 * first, 0.5 * second))
        depth = float(start[2] + end[2]) / 2.0
        drawn.append(PartOutline(limb, depth, capsule_outline(a, b, limb.radii), shine))
    for mass, centre, rotation in zip(mannequin.masses, centres, solids.rotations[k], strict=True):
        half, at = np.array(mass.half), centre[:2]
        outline = ellipsoid_outline(at, rotation, half, basis)
        shine = at + 0.5 * (outline - at) + light * half[0]
        drawn.append(PartOutline(mass, float(centre[2]), outline, shine))
    return drawn


def capsule_outline(start: Floats, end: Floats, radii: tuple[float, float]) -> Floats:
    """Return corners (n, 2) around two discs and what lies between them."""
    (r1, r2), step = radii, end - start
    distance = float(np.hypot(*step))
    if distance <= abs(r1 - r2) + 1e-12:  # seen along its axis: the larger disc hides the other
        centre, radius = (start, r1) if r1 >= r2 else (end, r2)
        return np.asarray(centre + radius * _arc(0.0, 2.0 * np.pi, CORNERS))
    along = float(np.arctan2(step[1], step[0]))
    # The common tangents touch both discs at this angle from the axis.
    touch = float(np.arccos((r1 - r2) / distance))
    back = start + r1 * _arc(along + touch, along + 2.0 * np.pi - touch, CORNERS)
    return np.concatenate([back, end + r2 * _arc(along - touch, along + touch, CORNERS)])


def ellipsoid_outline(centre: Floats, rotation: Floats, half: Floats, basis: Floats) -> Floats:
    """Return corners (n, 2) of the ellipse that an ellipsoid shows.

    Args:
        centre: in the picture [m], shape (2,).
        rotation: rotation of the ellipsoid in the world, shape (4,).
        half: half-axes [m], shape (3,).
        basis: rows of the view, shape (3, 3).
    """
    # The ellipsoid is A times the unit ball; its shadow is P A times the ball, with P the first two
    # rows of the basis: an ellipse with the matrix (P A)(P A)^T.
    flat = basis[:2] @ (arrays.to_matrix(rotation) * half)
    return np.asarray(
        centre + _arc(0.0, 2.0 * np.pi, 2 * CORNERS) @ np.linalg.cholesky(flat @ flat.T).T
    )


def _arc(first: float, last: float, count: int) -> Floats:
    angles = np.linspace(first, last, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


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
        fps: pictures per second; a GIF counts in hundredths of a second.
        view: where the viewer stands; default a 3/4 view from the front.
        dpi: dots per inch; a figure is 3.9 inch high.
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
    shots = [shoot(panel, even_times(panels, fps)) for panel in panels]
    with atomic_write(path) as file:
        write = _write_gif if suffix == ".gif" else _write_mp4
        write(_pictures(shots, view, dpi, progress), file, fps)


def _pictures(
    shots: Sequence[Shot],
    view: View | None,
    dpi: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Floats]:
    """Yield the frames of an animation as (height, width, 3) bytes, made one at a time."""
    basis, bounds = common_view(shots, view)
    half, low, high = bounds
    height, count = 1.5 * CELL, len(shots[0].frames)
    wanted = (len(shots) * height * 2.0 * half / (high - low), height + LABEL)
    # Video wants even numbers of dots.
    width, whole = (2.0 * float(np.ceil(side * dpi / 2.0)) / dpi for side in wanted)
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
    swatch = np.tile(np.array(colour_bytes(POINT_COLOUR), np.uint8), (8, picture.shape[1], 1))
    palette = Image.fromarray(np.concatenate([picture, swatch])).quantize(128)

    def indexed(colours: Floats) -> Any:
        image = Image.fromarray(colours)
        return image.quantize(palette=palette, dither=Image.Dither.NONE)

    indexed(picture).save(
        file, format="GIF", save_all=True, append_images=map(indexed, pictures), loop=0,
        duration=round(1000.0 / fps), optimize=False,
    )  # fmt: skip


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
            pass  # ffmpeg stopped; its message follows
        words = process.stderr.read().decode(errors="replace").strip()
    if process.returncode != 0:
        raise SixpointError(f"ffmpeg could not write the MP4: {words or process.returncode}")


def colour_bytes(colour: str) -> list[int]:
    """Return red, green and blue of a colour such as "#0072B2"."""
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
