"""The synthetic stage, scene_room once for all tests."""

from __future__ import annotations

from functools import cache

import numpy as np

import sixpoint as sp
from sixpoint.vision.capture import Capture, CaptureSettings, Recording, capture_clip
from sixpoint.vision.synthetic.room import RATE, Actor, Conditions, Room, Truth
from sixpoint.vision.synthetic.scenes import scene


@cache
def scene_room(name: str, noise: float = 0.0, frames: int | None = None, **hard: float) -> Room:
    motion = scene(name)
    if frames is not None:
        motion = motion.frames(slice(0, frames))
    return Room((Actor(motion),), conditions=Conditions(noise=noise, **hard))


@cache
def pictures(name: str, noise: float = 0.0, frames: int | None = None, **hard: float):
    return list(scene_room(name, noise, frames, **hard).pairs())


@cache
def captured(
    name: str, noise: float = 0.0, frames: int | None = None, feet: bool = False, **hard: float
) -> tuple[Recording, Truth]:
    stage = scene_room(name, noise, frames, **hard)
    capture = Capture(stage.cameras, sp.Skeleton.humanoid(1.75), RATE, CaptureSettings(feet=feet))
    recording = capture_clip(capture, pictures(name, noise, frames, **hard))
    return recording, stage.actors[0].truth()


def away(recording: Recording, name: str, truth: np.ndarray) -> np.ndarray:
    """Distances of a point from the truth (F,) [m]."""
    at = recording.points.names.index(name)
    return np.linalg.norm(recording.points.positions[:, at] - truth, axis=1)
