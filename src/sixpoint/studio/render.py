"""Motions to pictures, animations and pages, by the ending of a file's name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict, Unpack

from ..errors import UnknownName
from ..motion.motion import Motion
from ..motion.points import Points
from .panels import Panel, View

SUFFIXES = (".png", ".gif", ".mp4", ".html")
"""Endings of what can be rendered."""


class RenderOptions(TypedDict, total=False):
    """Options of `render`."""

    poses: int
    """Poses of a .png in a row, default 8."""
    fps: float
    """Pictures a second of the others, default 25."""
    yaw: float
    """Place of the viewer [degrees]: 0 in front, 90 at the person's left; default 35."""
    pitch: float
    """Viewer above the horizon [degrees], default 12."""
    progress: Callable[[int, int], None] | None
    """Called with the number of pictures drawn and their total."""


def render(
    motions: Motion | Mapping[str, Motion],
    path: str | Path,
    points: Points | Mapping[str, Points] | None = None,
    **options: Unpack[RenderOptions],
) -> None:
    """Draw one motion, or several side by side.

    A .png is a contact sheet, a .gif or .mp4 (needs ffmpeg) moves, a .html plays in 3D.

    Args:
        motions: one motion, or several by their titles.
        path: replaced when the file is complete; its ending says what is drawn.
        points: tracked points to show as dots, on all motions, or by the title of a motion.
        **options: see `RenderOptions`.

    Raises:
        UnknownName: the ending is not one of `SUFFIXES`.
        MissingExtra: matplotlib (.png, .gif, .mp4) or viser (.html) is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UnknownName("picture format", suffix or Path(path).name, SUFFIXES)
    if isinstance(motions, Motion):
        motions = {"": motions}
    dots = points if isinstance(points, Mapping) else dict.fromkeys(motions, points)
    panels = [Panel(motion, title, dots.get(title)) for title, motion in motions.items()]
    degrees = options.get("yaw", 35.0), options.get("pitch", 12.0)
    view = View(*map(math.radians, degrees))
    fps, progress = options.get("fps", 25.0), options.get("progress")
    if suffix == ".png":
        from .pictures import contact_sheet

        contact_sheet(panels, path, poses=options.get("poses", 8), view=view)
    elif suffix == ".html":
        from .page import playback_page

        title = " | ".join(motions)
        playback_page(panels, path, title=title, fps=fps, view=view, progress=progress)
    else:
        from .pictures import animation

        animation(panels, path, fps=fps, view=view, progress=progress)
