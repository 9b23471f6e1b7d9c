"""The synthetic stage as files: two folders of pictures, the calibration, marks and the truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...atomic_write import atomic_write
from ...body.anthropometry import DEFAULT_STATURE
from ...motion.points import Points
from ..body_measurement import BACK, MARKS
from ..calibration import save_cameras
from ..camera import Camera
from ..images import opencv
from .person import Actor, Truth
from .room import RATE, Conditions, Room, room_cameras
from .scenes import scene


def exact_marks(cameras: tuple[Camera, ...], truth: Truth, frame: int = 0
                   ) -> list[dict[str, list[float]]]:  # fmt: skip
    """What somebody would point at who knew exactly where the joints are."""
    places = {
        f"{side}_{part}": getattr(truth, f"{part}s")[frame, k]
        for part in ("shoulder", "elbow", "wrist")
        for k, side in enumerate("lr")
    }
    places[BACK] = truth.pelvis[frame]
    return [
        {name: camera.project(places[name]).tolist() for name in (*MARKS, BACK)}
        for camera in cameras
    ]


def true_points(truth: Truth) -> Points:
    """The truth as points, with the names that a capture gives them."""
    rows = {
        "pelvis": truth.pelvis,
        "head": truth.head_joint,
        "l_wrist": truth.wrists[:, 0],
        "r_wrist": truth.wrists[:, 1],
        "l_ankle": truth.ankles[:, 0],
        "r_ankle": truth.ankles[:, 1],
        "face": truth.head,
        "l_hand": truth.hands[:, 0],
        "r_hand": truth.hands[:, 1],
        "l_elbow": truth.elbows[:, 0],
        "r_elbow": truth.elbows[:, 1],
    }
    return Points(tuple(rows), np.stack(list(rows.values()), axis=1), RATE)


def write_scene(
    folder: Path,
    name: str,
    conditions: Conditions | None = None,
    *,
    cameras: tuple[Camera, Camera] | None = None,
    stature: float = DEFAULT_STATURE,
    frames: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Points:
    """Play a scene and write what two cameras see of it.

    Writes ``left/`` and ``right/`` (PNG), ``cameras.json``, ``marks.json`` (joints pointed at while
    standing still). Returns the truth.

    Args:
        folder: made if new.
        name: of the scene.
        conditions: light, noise, obstacles.
        cameras: default: those of `room_cameras`.
        stature: of the person [m].
        frames: no more than this.
        progress: called with the number of pairs written and their total.
    """
    motion = scene(name, stature)
    if frames is not None:
        motion = motion.frames(slice(0, frames))
    stage = Room((Actor(motion),), cameras or room_cameras(), conditions or Conditions())
    for camera in stage.cameras:
        (folder / camera.name).mkdir(parents=True, exist_ok=True)
    for frame, pair in enumerate(stage.pairs()):
        for camera, picture in zip(stage.cameras, pair, strict=True):
            good, data = opencv().imencode(".png", picture)
            assert good
            with atomic_write(folder / camera.name / f"{frame:05d}.png") as file:
                file.write(data.tobytes())
        if progress is not None:
            progress(frame + 1, len(stage))
    save_cameras(stage.cameras, folder / "cameras.json")
    left, right = exact_marks(stage.cameras, Actor(scene("calibration", stature)).truth())
    with atomic_write(folder / "marks.json") as file:
        file.write((json.dumps({"left": left, "right": right}, indent=1) + "\n").encode())
    return true_points(stage.actors[0].truth())
