"""Moving pictures: GIF with Pillow, MP4 with the program ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from ..atomic_write import atomic_write
from ..errors import InputError, SixpointError
from ..kernels.types import Floats
from .figure import CELL, LABEL, caption, draw_pose, new_figure, stage
from .mannequin import POINT_COLOUR
from .outline import View
from .shot import Panel, Shot, check_panels, common_view, shoot


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
            axes = stage(figure, box, bounds)
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
