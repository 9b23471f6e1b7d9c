"""Tracked points of built-in clips, for tests of cleaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixpoint.data.clips import builtin
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import Points

CLIPS = ("boxing", "walk", "reach", "squat")


def motion(name: str = "walk", frames: int = 180) -> Motion:
    return builtin(name).frames(slice(0, frames))


def trembling(points: Points, noise: float, seed: int = 0) -> Points:
    shift = noise * np.random.default_rng(seed).normal(size=points.positions.shape)
    return replace(points, positions=points.positions + shift)


def turning(points: Points) -> Points:
    """The points with rotations that turn evenly about a slanted axis."""
    angle = np.linspace(0.0, 2.0, len(points))[:, None] * np.ones(len(points.names))
    axis = np.array((0.6, 0.0, 0.8))
    half = 0.5 * angle[..., None]
    rotations = np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)
    return replace(points, rotations=rotations)
