"""Every solver on the same points, limits and weights: the runs of Table 1 of the SIK paper.

The paper takes the six positions from three recorded clips, reconstructs the body with each method
and compares position, orientation and time (Unzueta et al. 2008, section 9). Here any clips and all
solvers that can do people take part; the paper's own clips are recognised by name and get its
weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, SixpointError
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..solvers import Result, Solver
from ..solvers.problem import LimitsChoice, resolve_limits
from .experiment import (
    Progress,
    choose_solvers,
    counted,
    excerpt,
    has_setting,
    quiet,
)
from .motion_statistics import (
    MotionStatistics,
    arm_swivel_errors,
    growth,
    motion_statistics,
    nearly_straight,
)
from .published import AVERAGE, CLIPS, PaperClip, paper_clip

RUNS, QUICK_RUNS = 5, 2
"""Most times that a clip is solved; the quickest counts."""
LONGEST_TIMING = 1.0
"""No further run of a clip begins after this time [s]."""
QUICK_FRAMES = 400
"""Frames of each clip in a quick run."""
STRIP = 6
"""Poses of a clip in its strip."""
ALSO_UNLIMITED = ("ccd", "sik")
"""Solvers that are also run without limits, which hide how far the pose of CCD drifts."""
AS_PUBLISHED: Mapping[str, Mapping[str, Any]] = {"pik": {"give": (1.0, 1.0, 1.0)}}
"""Settings of the paper where our defaults improve on them: such solvers are run both ways."""
WEIGHTS = (1.0, 1.0, 0.0)
"""For clips that are not the paper's: wrists and ankles decide where the pelvis faces."""
TEXT = ("solver", "clip", "frames", "first_frame", "weights")
"""Keys of a row that are not averaged."""

Weights = tuple[float, float, float]
Timing = tuple[float, float]
"""Median and 99th percentile of the time per frame [us]."""


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion to be reconstructed, whole or in part."""

    name: str
    motion: Motion
    weights: Weights = WEIGHTS
    first: int = 0
    """Number of its first frame in the recording."""
    paper: PaperClip | None = None
    """Which of the paper's clips it is."""
    whole: bool = True
    """False: an excerpt."""

    @property
    def title(self) -> str:
        """What the paper calls it, or its own name."""
        return self.paper.name if self.paper else self.name

    @property
    def pose(self) -> int:
        """The frame in which all methods are shown: the paper's, or that of the widest reach."""
        if self.paper is not None and 0 <= self.paper.pose - self.first < len(self.motion):
            return self.paper.pose - self.first
        at = self.motion.points().positions
        return int(np.linalg.norm(at[:, 2:] - at[:, :1], axis=-1).sum(axis=-1).argmax())

    @property
    def picks(self) -> list[int]:
        """Frames that are drawn: the strip, then `pose`."""
        inner = np.linspace(0, len(self.motion) - 1, STRIP + 2)[1:-1]
        return [*(int(f) for f in inner.round()), self.pose]


@dataclass(frozen=True, eq=False)
class Run:
    """One solver on one clip."""

    row: dict[str, Any]
    """Numbers for JSON."""
    position: Floats
    """Joint-average position error of each frame, as a part of body height, shape (F,)."""
    orientation: Floats
    """Joint-average orientation error of each frame [rad], shape (F,)."""
    missed: Floats
    """Distance of the point that is farthest from where it was seen, in each frame [m], (F,)."""
    poses: Motion
    """The frames of `Clip.picks`."""


Runs = Mapping[tuple[str, str], Run]
"""(solver, clip) -> what it did."""


class Conditions(NamedTuple):
    """What all solvers share."""

    clip: Clip
    limits: Limits
    runs: int


@dataclass(frozen=True, eq=False)
class Table1:
    """Everything that was measured."""

    clips: tuple[Clip, ...]
    solvers: tuple[Solver, ...]
    runs: Runs
    originals: Mapping[str, MotionStatistics]
    """Clip -> how the recorded person moves."""
    quick: bool
    notes: tuple[str, ...] = ()
    """Clips that were cut, solvers that refused one."""
    limits: str = "adult"
    """Which limits were kept: "adult", "given" or "none"."""
    unlimited: Runs = field(default_factory=dict)
    """Runs of `ALSO_UNLIMITED` without limits, if the others had some."""
    as_published: Runs = field(default_factory=dict)
    """Runs with the settings of `AS_PUBLISHED`."""

    @property
    def names(self) -> list[str]:
        """Solvers that have at least one row."""
        done = {name for name, _ in self.runs}
        return [each.name for each in self.solvers if each.name in done]

    def average(self, name: str, key: str, *, as_published: bool = False) -> float:
        """Mean of a number over the clips, as in the paper; NaN if it is unknown for a clip."""
        runs = self.as_published if as_published else self.runs
        found = [runs[name, c.name].row[key] for c in self.clips if (name, c.name) in runs]
        known = [value for value in found if value is not None]
        return math.nan if len(known) < len(self.clips) else float(np.mean(known))


def bench_table1(
    motions: Mapping[str, Motion],
    *,
    solvers: Sequence[str] | None = None,
    weights: Weights = WEIGHTS,
    limits: LimitsChoice = "adult",
    quick: bool = False,
    progress: Progress | None = None,
) -> Table1:
    """Reconstruct clips with several solvers and measure.

    Args:
        motions: clips by name; those of the paper are recognised by their number ("17_10").
        solvers: names in `SOLVERS`; default all that can reconstruct people.
        weights: for clips that are not the paper's.
        limits: "adult", None for free joints, or limits for the joints of all clips.
        quick: an excerpt of each clip and fewer runs; the same numbers.
        progress: called with the number of reconstructions done and their total.
    """
    chosen = choose_solvers(solvers, collisions=False)
    notes: list[str] = []
    clips = tuple(
        _clip(name, motions[name], weights, quick, notes)
        for name in sorted(motions, key=_paper_first)
        if len(motions[name])
    )
    if not clips:
        raise InputError("Expected at least one clip with frames to reconstruct, got none.")
    runs: dict[tuple[str, str], Run] = {}
    unlimited: dict[tuple[str, str], Run] = {}
    as_published: dict[tuple[str, str], Run] = {}
    originals = {}
    tell = counted(progress, len(clips) * len(chosen))
    for clip in clips:
        kept = resolve_limits(limits, clip.motion.skeleton)
        given = Conditions(clip, kept, QUICK_RUNS if quick else RUNS)
        originals[clip.name] = motion_statistics(clip.motion, kept, nearly_straight(clip.motion))
        for each in chosen:
            key = each.name, clip.name
            try:
                runs[key] = _run(each, given)
            except SixpointError as error:
                notes.append(f"{each.name} could not do {clip.name}: {error}")
            else:
                if each.name in ALSO_UNLIMITED and kept:
                    unlimited[key] = _run(each, given._replace(runs=1), Limits())
                theirs = AS_PUBLISHED.get(each.name, {})
                if theirs and all(has_setting(each, name) for name in theirs):
                    as_published[key] = _run(replace(each, **theirs), given._replace(runs=1))
            tell()
    if not runs:
        raise InputError(f"No solver could reconstruct any clip: {'; '.join(notes)}")
    for (_, name), run in runs.items():
        if ("sik", name) in runs:
            sik = runs["sik", name].row["median_us"]
            run.row["time_ratio_to_sik"] = run.row["median_us"] / sik
    which = "none" if limits is None else limits if isinstance(limits, str) else "given"
    return Table1(
        clips, tuple(chosen), runs, originals, quick, tuple(notes), which, unlimited, as_published
    )


def _paper_first(name: str) -> int:
    """Order the paper's clips as it does, before all others."""
    paper = paper_clip(name)
    return len(CLIPS) if paper is None else CLIPS.index(paper)


def _clip(name: str, motion: Motion, weights: Weights, quick: bool, notes: list[str]) -> Clip:
    paper = paper_clip(name)
    if paper is not None:
        weights = paper.weights
        if len(motion) == paper.frames + 1:
            notes.append(f"{name}: first frame left out, a T-pose that converters put in front")
            motion = motion.frames(slice(1, None))
        elif len(motion) != paper.frames:
            notes.append(f"{name}: {len(motion)} frames, the paper's clip has {paper.frames}")
    clip = Clip(name, motion, weights, 0, paper)
    if not quick or len(motion) <= QUICK_FRAMES:
        return clip
    first = min(max(clip.pose - QUICK_FRAMES * 3 // 4, 0), len(motion) - QUICK_FRAMES)
    part = excerpt(motion, QUICK_FRAMES, first)
    return Clip(name, part, weights, first, paper, whole=False)


def _run(each: Solver, given: Conditions, other_limits: Limits | None = None) -> Run:
    """Solve a clip, the quickest of several times, and compare with the recording."""
    clip, limits, most = given
    kept = limits if other_limits is None else other_limits
    if has_setting(each, "weights"):
        each = replace(each, weights=clip.weights)  # type: ignore[call-arg]
    points = clip.motion.points()
    tracker = each.prepare(clip.motion.skeleton, limits=kept, rate=points.rate)
    tracker.warm_up()
    times: list[Timing] = []
    begin = time.perf_counter()
    while not times or (len(times) < most and time.perf_counter() - begin < LONGEST_TIMING):
        with quiet():
            result = tracker.solve_clip(points)
        times.append((result.report.median_us, result.report.p99_us))
    best = np.min(times, axis=0)
    return _evaluate(each.name, given, result, (float(best[0]), float(best[1])))


def _evaluate(name: str, given: Conditions, result: Result, spent: Timing) -> Run:
    clip, original = given.clip, given.clip.motion
    found = compare(result.motion, original)
    statistics = motion_statistics(result.motion, given.limits, nearly_straight(original))
    seen = result.residuals[np.isfinite(result.residuals)]
    row = {
        "solver": name,
        "clip": clip.name,
        "frames": len(original),
        "first_frame": clip.first,
        "weights": list(clip.weights),
        "position_rms": found.position_rms,
        "position_mean": found.position_mean,
        "orientation_rms": found.orientation_rms,
        "orientation_mean": found.orientation_mean,
        "position_rms_inner": found.position_rms_inner,
        "orientation_rms_inner": found.orientation_rms_inner,
        "median_us": spent[0],
        "p99_us": spent[1],
        "time_ratio_to_sik": None,
        "iterations_mean": float(result.iterations.mean()),
        "target_mean_m": result.report.target_mean_m,
        "target_p95_m": float(np.percentile(seen, 95.0)) if seen.size else 0.0,
        "target_max_m": result.report.target_max_m,
        **asdict(statistics),
        "jitter_ratio": found.jitter_ratio,
        "foot_skate": found.foot_skate,
        "swivel_error_deg": math.degrees(float(np.mean(list(found.swivel.values())))),
        "position_growth": growth(found.position_per_frame),
        "orientation_growth": growth(found.orientation_per_frame),
        "arm_swivel_growth": growth(arm_swivel_errors(result.motion, original)),
    }
    return Run(
        plain(row),
        found.position_per_frame,
        found.orientation_per_frame,
        np.nan_to_num(np.fmax.reduce(result.residuals, axis=1)),
        result.motion.frames(clip.picks),
    )


def averages(table: Table1) -> list[dict[str, Any]]:
    """Return for each solver the means over clips of all numbers in its rows."""
    keys = [k for k in next(iter(table.runs.values())).row if k not in TEXT]
    found = []
    for name in table.names:
        row: dict[str, Any] = {"solver": name, "clip": AVERAGE}
        row |= {key: table.average(name, key) for key in keys}
        sik = table.average("sik", "median_us")
        row["time_ratio_to_sik"] = table.average(name, "median_us") / sik
        found.append(plain(row))
    return found


def plain(value: Any) -> Any:
    """Return tuples as lists and what is not finite as None, all the way down."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
