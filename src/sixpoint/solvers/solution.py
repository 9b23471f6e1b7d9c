"""What solvers answer: one frame as a `Solution`, a clip as a `Result` with its `Report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
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
    """A target is farther away than the limb or the skeleton is long, or too near."""
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
    """The answer to one frame. Missing a target is an answer, not an error."""

    pose: Pose
    residuals: Floats
    """Distance of each point from where it was seen [m], in the order of the tracker's `names`; NaN
    for a point that was not seen."""
    converged: bool
    """Whether every point that was seen is met within the solver's tolerance."""
    iterations: int
    stop: StopReason
    missing: tuple[str, ...]
    """Points that were not seen: guessed for people, not asked for of other skeletons."""
    elapsed: float
    """Wall time of this frame [s]."""
    confidence: float = float("nan")
    """How far the answer is to be trusted, from 0 to 1; NaN if the solver does not say."""
    rotation_residuals: Floats | None = None
    """Angle of each point from the rotation asked for [rad], NaN where none was asked for; None
    where rotations are no task."""
    tasks: Mapping[str, float] | None = None
    """What each task still lacks, by its label, not weighted: [m], or [rad] of angles; by its
    covariance where it has one. None for solvers that do not say."""
    extras: Mapping[str, float] | None = None
    """What else a method has to say; see its page."""

    def __repr__(self) -> str:
        worst = float(np.nanmax(self.residuals, initial=0.0))
        return (
            f"Solution({self.stop.value} after {self.iterations} iterations, points at most "
            f"{1e3 * worst:.3g} mm off, {1e6 * self.elapsed:.0f} us)"
        )


@dataclass(frozen=True, repr=False)
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
    """99th percentile of the same [us]."""
    unreachable: int
    """Point-frames whose target is farther away than bones reach."""
    limited: int
    """Point-frames that joint limits keep from their targets."""
    blocked: int
    """Point-frames kept from their targets since the limb gives way to the torso."""
    missed: int
    """Point-frames off their target although bones reach it: limbs of people by more than 1 mm,
    other skeletons by more than a thousandth of their length."""
    missing: dict[str, int]
    """Frames in which each point was not seen; only points that ever were missing."""
    stops: dict[str, int] = field(default_factory=dict)
    """Frames that ended for each reason."""
    branches: dict[str, int] = field(default_factory=dict)
    """Frames in which the steps of the method took each way, for methods that say so."""
    tasks: dict[str, float] = field(default_factory=dict)
    """The most that each task lacks in any frame, by its label: [m], or [rad] of angles."""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON."""
        return asdict(self) | {"warnings": list(self.warnings)}

    def __repr__(self) -> str:
        return (
            f"Report({self.solver}: {self.frames} frames at {self.rate:g} Hz, points "
            f"{1e3 * self.target_mean_m:.3g} mm off on average, {1e3 * self.target_max_m:.3g} mm "
            f"at most, {self.limit_violations} limits broken, {self.median_us:.3g} us a frame)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A reconstructed clip of F frames with N points."""

    motion: Motion
    report: Report
    names: tuple[str, ...]
    """Points, in the order of the columns of all arrays here."""
    residuals: Floats
    """Distance of each point from where it was seen [m], shape (F, N); NaN where it was not."""
    iterations: Ints
    """Steps taken in each frame, shape (F,)."""
    unreachable: Bools
    """Targets that bones cannot reach, however they turn, shape (F, N)."""
    limited: Bools
    """Points that joint limits keep from their targets, shape (F, N)."""
    blocked: Bools
    """Points kept from their targets since their limbs give way to the torso, shape (F, N)."""
    missing: Bools
    """Points that were asked for and not seen, shape (F, N)."""
    stops: tuple[StopReason, ...]
    """Why the solver stopped on each frame."""
    confidence: Floats
    """How far each frame is to be trusted, from 0 to 1, shape (F,); NaN if the solver does not
    say."""
    rotation_residuals: Floats | None = None
    """Angle of each point from the rotation asked for [rad], shape (F, N); see `Solution`."""
    tasks: Mapping[str, Floats] = field(default_factory=dict)
    """What each task lacks in each frame, (F,), by its label; see `Solution`."""
    extras: Mapping[str, Floats] = field(default_factory=dict)
    """What else a method has to say of each frame, (F,); see its page."""
    branches: Mapping[str, Bools] = field(default_factory=dict)
    """Which way the steps of the method took in each frame, (F,), by name; see its page."""

    def __repr__(self) -> str:
        return f"Result({self.motion!r}, {self.report!r})"
