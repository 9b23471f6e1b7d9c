"""The synthetic room as files: two folders of pictures, the calibration, marks and the truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ...atomic_write import atomic_write
from ...body.anthropometry import DEFAULT_STATURE
from ...motion.points import SIX, Points
from ..body_measurement import BACK, MARKS
from ..calibration import save_cameras
from ..camera import Camera
from ..images import write_png
from .room import RATE, Actor, Room, Truth
from .scenes import scene


def exact_marks(
    cameras: Sequence[Camera], truth: Truth, frame: int = 0
) -> list[dict[str, list[float]]]:
    """Return marks for `measure_body` in each picture, exactly where the joints are."""
    return [
        {name: camera.project(truth.at(name)[frame]).tolist() for name in (*MARKS, BACK)}
        for camera in cameras
    ]


def write_room(
    folder: Path,
    room: Room,
    stature: float = DEFAULT_STATURE,
    progress: Callable[[int, int], None] | None = None,
) -> Points:
    """Write what two cameras see of a room, and return the truth of its first actor.

    Writes ``left/`` and ``right/`` (PNG), ``cameras.json``, and ``marks.json`` (joints marked while
    the actor stands still).

    Args:
        folder: made if new.
        room: what is shown.
        stature: standing height of its first actor [m].
        progress: called with the number of pairs written and their total.
    """
    for frame, pair in enumerate(room.pairs()):
        for camera, picture in zip(room.cameras, pair, strict=True):
            write_png(folder / camera.name / f"{frame:05d}.png", picture)
        if progress is not None:
            progress(frame + 1, len(room))
    save_cameras(room.cameras, folder / "cameras.json")
    still = Actor(scene("calibration", stature)).truth()
    left, right = exact_marks(room.cameras, still)
    with atomic_write(folder / "marks.json") as file:
        file.write((json.dumps({"left": left, "right": right}, indent=1) + "\n").encode())
    truth = room.actors[0].truth()
    names = (*SIX, "face", "l_hand", "r_hand", "l_elbow", "r_elbow")
    return Points(names, np.stack([truth.at(name) for name in names], axis=1), RATE)
