"""What solvers answer: one frame as a `Solution`, a clip as a `Result` with its `Report`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import numpy as np

from ..kernels.types import Bools, Floats, Ints
from ..motion.motion import Motion
from ..motion.pose import Pose


class StopReason(Enum):
    """Why a solver stopped on a frame."""

    CONVERGED = "converged"
    """Every point that was seen is met."""
    UNREACHABLE = "unreachable"
    """A target is farther away than the limb or the figure is long, or too near."""
    LIMITS_SATURATED = "limits_saturated"
    """Joint limits keep a point from its target."""
    STALLED = "stalled"
    """A collision could not be resolved, or progress ended short of the target."""
    MAX_ITERATIONS = "max_iterations"
    """The budget of iterations was spent."""
    DIVERGED = "diverged"
    """The method lost the target; the last good pose is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """One frame. Missing a target is an answer, not an error."""

    pose: Pose
    residuals: Floats
    """Distance of each point from where it was seen [m], in the order of the tracker's `names`; NaN
    for a point that was not seen."""
    converged: bool
    """Whether every point that was seen is met within the solver's tolerance."""
    iterations: int
    stop: StopReason
    missing: tuple[str, ...]
    """Points that were not seen: guessed for people, not asked for of other figures."""
    elapsed: float
    """Wall time of this frame [s]."""
    turns: Floats | None = None
    """Angle of each point from the rotation asked for [rad], NaN where none was asked for; None
    where rotations are no task."""


@dataclass(frozen=True)
class Report:
    """How well a clip went, in numbers."""

    solver: str
    frames: int
    rate: float
    """Frames a second [Hz]."""
    joints: int
    target_mean_m: float
    """Mean distance of the points from where they were seen [m]."""
    target_max_m: float
    """Largest such distance [m]."""
    limit_violations: int
    """Joint-frames that break their limit by more than 1e-6 rad."""
    steps_over_30deg: int
    """Joint-frames that turn by more than 30 degrees from the frame before."""
    median_us: float
    """Solver time per frame, median over blocks of frames [us]."""
    p99_us: float
    """And its 99th percentile [us]."""
    unreachable: int
    """Limb-frames whose target is farther away than the limb is long; for figures that are no
    people, here and below: points times frames."""
    limited: int
    """Limb-frames in which a joint limit is active."""
    missed: int
    """Limb-frames more than 1 mm off although the limb is long enough; for other figures, a
    thousandth of their length."""
    missing: dict[str, int]
    """Frames in which each point was not seen; only points that ever were missing."""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}


@dataclass(frozen=True, eq=False)
class Result:
    """A reconstructed clip."""

    motion: Motion
    report: Report
    residuals: Floats
    """Distance of each point from where it was seen [m], shape (F, N); NaN where it was not."""
    iterations: Ints
    """Steps taken in each frame, shape (F,)."""
    unreachable: Bools
    """Limb targets beyond the limb's length, shape (F, 4): left arm, right arm, left leg, right;
    for figures that are no people, targets of points out of reach, shape (F, N)."""
    limited: Bools
    """Limbs held back by a joint limit or by the torso, shape (F, 4); for other figures points,
    shape (F, N)."""
    missing: Bools
    """Which of the six points were not seen, shape (F, 6); for other figures, shape (F, N)."""
    turns: Floats | None = None
    """Angle of each point from the rotation asked for [rad], shape (F, N); see `Solution`."""


def percentile(values: Floats, q: float) -> float:
    """Percentile that is zero for no values."""
    return float(np.percentile(values, q)) if values.size else 0.0
