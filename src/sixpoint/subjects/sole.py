"""Feet that stand: where the floor is, and what it says of ankles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..kernels import arrays
from ..kernels.types import Bools, Floats, Ints
from ..motion.points import Points

ANKLE_HEIGHT = 0.047
"""Height of the ankle over the floor as a fraction of stature: of standing feet in the CMU database
(.045 to .050); Drillis and Contini have .039."""
STILL_SPEED, STILL_TURN = 0.15, 0.6
"""A foot that is slower than this stands [m/s], [rad/s]."""
NOISE = 0.015
"""How flat and how near to the floor standing feet are [m]."""
FORWARD, ASIDE = 0.18, 0.10
"""Distance of places on the sole from below the ankle [m]."""
SAME_LEVEL = 0.05
"""Feet that stand on the floor are at one height, but for this [m]: others hang, or stand on a
step."""
LOWEST_TRACKER, HIGHEST_TRACKER = -0.06, 0.30
"""A foot that stands on the floor has its tracker between these heights above it [m]."""
USUAL_TRACKER = 0.10
"""Usual height of a tracker on a foot over the floor [m]."""


@dataclass(frozen=True)
class Soles:
    """Places on feet whose height is known while they stand; trackers of a special kind."""

    roles: tuple[str, ...]
    """Joint that carries each place."""
    offsets: Floats
    """Place in the frame of the foot [m], shape (S, 3)."""
    positions: Floats
    """Height of the place in the second coordinate, NaN: unknown, shape (F, S, 3)."""
    floor: float
    """Height of the floor [m]."""
    noise: float = NOISE

    def with_stance(self) -> Soles:
        """Return the same with a frame in front in which both feet stand."""
        heights = np.full((1, len(self.roles), 3), np.nan)
        heights[0, :, 1] = self.floor + np.where(
            (self.offsets == 0.0).all(axis=1), -self.offsets[:, 1].min(initial=0.0), 0.0
        )
        return replace(self, positions=np.concatenate([heights, self.positions]))


def find_soles(points: Points, frames: Ints, stature: float) -> Soles:
    """Return places on the soles for some frames of a recording.

    The floor is at height 0, as trackers define it, unless the feet show that it cannot be.

    Args:
        points: the recording.
        frames: numbers of the frames, none of them the last.
        stature: of the person [m].
    """
    names: list[str] = [name for name in ("l_ankle", "r_ankle") if name in points.names]
    height = ANKLE_HEIGHT * stature
    standing = {name: _stands(points, name) for name in names}
    floor = _floor(points, standing)
    roles: list[str] = []
    offsets: list[tuple[float, float, float]] = []
    columns: list[Floats] = []
    for name in names:
        aside = ASIDE if name.startswith("l") else -ASIDE
        for offset, above in (
            ((0.0, 0.0, 0.0), height),
            ((0.0, -height, FORWARD), 0.0),
            ((aside, -height, 0.0), 0.0),
        ):
            column = np.full((len(frames), 3), np.nan)
            column[standing[name][frames], 1] = floor + above
            roles.append(name)
            offsets.append(offset)
            columns.append(column)
    positions = np.stack(columns, axis=1) if columns else np.full((len(frames), 0, 3), np.nan)
    return Soles(tuple(roles), np.reshape(offsets, (-1, 3)), positions, floor)


def _stands(points: Points, name: str) -> Bools:
    """Return in which frames a foot stands on the ground, shape (F,)."""
    k = points.names.index(name)
    at = points.positions[:, k]
    speed = np.full(len(at), np.nan)
    speed[:-1] = np.linalg.norm(np.diff(at, axis=0), axis=1) * points.rate
    stands: Bools = np.nan_to_num(speed, nan=np.inf) < STILL_SPEED
    if points.rotations is not None:
        turned = points.rotations[:, k]
        spin = np.zeros(len(at))
        spin[:-1] = arrays.angle_between(turned[:-1], turned[1:]) * points.rate
        stands &= np.nan_to_num(spin, nan=0.0) < STILL_TURN
    if not stands.any():
        return stands
    # Feet in the air may be still, too, hanging or on a step.
    low = np.percentile(at[stands, 1], 20.0)
    near: Bools = np.abs(at[:, 1] - low) < SAME_LEVEL
    return stands & near


def _floor(points: Points, standing: dict[str, Bools]) -> float:
    """Return the height of the floor: 0 unless the trackers of feet are below or far above it."""
    low = [
        float(np.percentile(points.positions[stands, points.names.index(name), 1], 20.0))
        for name, stands in standing.items()
        if stands.any()
    ]
    if not low or LOWEST_TRACKER <= min(low) <= HIGHEST_TRACKER:
        return 0.0
    return min(low) - USUAL_TRACKER
