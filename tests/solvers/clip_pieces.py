"""Pieces of built-in clips, whole or with holes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixpoint.data.clips import builtin
from sixpoint.motion.points import Points

PELVIS, HEAD, L_WRIST, R_WRIST, L_ANKLE, R_ANKLE = range(6)
LIMBS = slice(L_WRIST, None)
"""Columns of wrists and ankles."""


def clip_points(name: str = "boxing", count: int = 60, rotations: bool = False) -> Points:
    """A piece of a built-in clip."""
    clip = builtin(name)
    return clip.frames(slice(0, count)).points(rotations=rotations)


def holed(points: Points, seed: int = 1, share: float = 0.15) -> Points:
    """The same with holes in positions and rotations."""
    rng = np.random.default_rng(seed)
    positions = points.positions.copy()
    positions[rng.random(positions.shape[:2]) < share] = np.nan
    rotations = None
    if points.rotations is not None:
        rotations = points.rotations.copy()
        rotations[rng.random(positions.shape[:2]) < share] = np.nan
        rotations[rng.random(positions.shape[:2]) < 0.5] *= -1.0
    return replace(points, positions=positions, rotations=rotations)
