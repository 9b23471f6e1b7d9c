"""Table 1 of the SIK paper, run again: every solver on the same points, limits and weights.

The paper takes the six positions from three recorded clips, reconstructs the body with each method
and compares position, orientation and time (section 9). Here any clips and all solvers that can do
people take part; the paper's own clips are recognised by name and get its weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..errors import InputError, SixpointError, UnknownName
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import SOLVERS, Result, Solver, solver
from ..solvers.base import LimitsChoice, resolve_limits
from .measures import Habits, arm_swivel_errors, growth, habits_of, nearly_straight
from .progress import Progress, counted
from .published import AVERAGE, CLIPS, PaperClip, paper_clip
from .speed import quiet

RUNS = 5
"""Most times that a clip is solved; the quickest counts."""
PATIENCE = 1.0
"""No further run of a clip begins after this time [s]."""
QUICK_FRAMES = 400
"""Frames of each clip that a quick bench looks at."""
STRIP = 6
"""Poses of a clip in its strip."""
DRIFTERS = ("ccd", "sik")
"""Solvers that are also run without limits: those hide how far the pose of CCD drifts (S0.66)."""
AS_PUBLISHED: Mapping[str, Mapping[str, Any]] = {"pik": {"give": (1.0, 1.0, 1.0)}}
"""Settings of the paper where our defaults improve on them: such solvers are run both ways."""
WEIGHTS = (1.0, 1.0, 0.0)
"""For clips that are not the paper's: wrists and ankles decide where the pelvis faces."""

Weights = tuple[float, float, float]


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


@dataclass(frozen=True, eq=False)
class Table1:
    """Everything that was measured."""

    clips: tuple[Clip, ...]
    solvers: tuple[Solver, ...]
    runs: Mapping[tuple[str, str], Run]
    """(solver, clip) -> what it did."""
    originals: Mapping[str, Habits]
    """Clip -> how the recorded person moves."""
    quick: bool
    notes: tuple[str, ...] = ()
    """What a reader should know: clips that were cut, solvers that refused one."""
    limits: str = "adult"
    """Which limits were kept: "adult", "given" or "none"."""
    unlimited: Mapping[tuple[str, str], Run] = field(default_factory=dict)
    """Runs of `DRIFTERS` without limits, if the others had some."""
    as_published: Mapping[tuple[str, str], Run] = field(default_factory=dict)
    """Runs with the settings of `AS_PUBLISHED`."""

    @property
    def names(self) -> list[str]:
        """Solvers that have at least one row."""
        done = {name for name, _ in self.runs}
        return [each.name for each in self.solvers if each.name in done]

    def average(self, name: str, key: str) -> float:
        """Mean of a number over the clips, as in the paper; NaN if a clip is lacking."""
        found = [
            self.runs[name, c.name].row[key] for c in self.clips if (name, c.name) in self.runs
        ]
        return self._mean(found)

    def average_as_published(self, name: str, key: str) -> float:
        """The same with the paper's own settings; NaN if it has none."""
        found = [run.row[key] for (solver, _), run in self.as_published.items() if solver == name]
        return self._mean(found)

    def _mean(self, found: Sequence[float | None]) -> float:
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
    chosen = choose_solvers(solvers)
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
        points = clip.motion.points()
        kept = resolve_limits(limits, clip.motion.skeleton)
        straight = nearly_straight(clip.motion)
        originals[clip.name] = habits_of(clip.motion, kept, straight)
        for each in chosen:
            try:
                result, spent = _solve(each, clip, points, kept, 2 if quick else RUNS)
            except SixpointError as error:
                notes.append(f"{each.name} could not do {clip.name}: {error}")
            else:
                runs[each.name, clip.name] = _judge(each, clip, result, spent, kept)
                if each.name in DRIFTERS and kept:
                    free = _solve(each, clip, points, Limits(), 1)
                    unlimited[each.name, clip.name] = _judge(each, clip, *free, kept)
                if theirs := _as_published(each):
                    run = _solve(theirs, clip, points, kept, 1)
                    as_published[each.name, clip.name] = _judge(theirs, clip, *run, kept)
            tell()
    if not runs:
        raise InputError(f"No solver could reconstruct any clip: {'; '.join(notes)}")
    for clip in clips:
        _compare_times({n: run.row for (n, c), run in runs.items() if c == clip.name})
    which = "none" if limits is None else limits if isinstance(limits, str) else "given"
    return Table1(
        clips, chosen, runs, originals, quick, tuple(notes), which, unlimited, as_published
    )


def choose_solvers(names: Sequence[str] | None) -> tuple[Solver, ...]:
    """Solvers by name, with the settings of the comparison; all that can do people for None."""
    able = [name for name, kind in SOLVERS.items() if kind.capabilities.humans]
    chosen = []
    for name in able if names is None else names:
        if name not in able:
            raise UnknownName("solver of people", name, able)
        settings = {"collisions": False} if _has(SOLVERS[name], "collisions") else {}
        chosen.append(solver(name, **settings))
    if not chosen:
        raise InputError(f"Expected at least one solver, got none; there are {', '.join(able)}.")
    return tuple(dict.fromkeys(chosen))


def _as_published(each: Solver) -> Solver | None:
    """A solver with the paper's own settings, where they differ from ours."""
    settings = AS_PUBLISHED.get(each.name, {})
    if not settings or not all(_has(type(each), name) for name in settings):
        return None
    return replace(each, **settings)


def settings_of(each: Solver) -> dict[str, Any]:
    """A solver's settings for JSON, without the weights, which belong to the clip."""
    return {f.name: getattr(each, f.name) for f in fields(each) if f.name != "weights"}


def _paper_first(name: str) -> int:
    """The paper's clips in its order, then the others in theirs."""
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
    part = motion.frames(slice(first, first + QUICK_FRAMES))
    return Clip(name, part, weights, first, paper, whole=False)


def _solve(
    each: Solver, clip: Clip, points: Points, limits: Limits, most: int
) -> tuple[Result, tuple[float, float]]:
    """The result of one clip and the best median and 99th percentile of time per frame [us]."""
    if _has(type(each), "weights"):
        each = replace(each, weights=clip.weights)  # type: ignore[call-arg]
    tracker = each.prepare(clip.motion.skeleton, limits=limits, rate=points.rate)
    tracker.warm_up()
    times = []
    begin = time.perf_counter()
    while True:
        with quiet():
            result = tracker.solve_clip(points)
        times.append((result.report.median_us, result.report.p99_us))
        if len(times) == most or time.perf_counter() - begin > PATIENCE:
            break
    best = np.min(times, axis=0)
    return result, (float(best[0]), float(best[1]))


def _judge(
    each: Solver, clip: Clip, result: Result, spent: tuple[float, float], limits: Limits
) -> Run:
    original, motion, report = clip.motion, result.motion, result.report
    found = compare(motion, original)
    straight = nearly_straight(original)
    habits = habits_of(motion, limits, straight)
    swivel = arm_swivel_errors(motion, original)
    seen = result.residuals[np.isfinite(result.residuals)]
    row = {
        "solver": each.name,
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
        "target_mean_m": report.target_mean_m,
        "target_p95_m": float(np.percentile(seen, 95.0)) if seen.size else 0.0,
        "target_max_m": report.target_max_m,
        **asdict(habits),
        "jitter_ratio": found.jitter_ratio,
        "foot_skate": found.foot_skate,
        "swivel_error_deg": math.degrees(float(np.mean(list(found.swivel.values())))),
        "position_growth": growth(found.position_per_frame),
        "orientation_growth": growth(found.orientation_per_frame),
        "arm_swivel_growth": growth(swivel),
    }
    return Run(
        {key: _number(value) for key, value in row.items()},
        found.position_per_frame,
        found.orientation_per_frame,
        np.nan_to_num(np.fmax.reduce(result.residuals, axis=1)),
        motion.frames(clip.picks),
    )


def _compare_times(rows: Mapping[str, dict[str, Any]]) -> None:
    if "sik" in rows:
        for row in rows.values():
            row["time_ratio_to_sik"] = row["median_us"] / rows["sik"]["median_us"]


def averages(table: Table1) -> list[dict[str, Any]]:
    """For each solver the means over clips of all numbers in its rows."""
    keys = [k for k, v in next(iter(table.runs.values())).row.items() if k not in TEXT]
    found = []
    for name in table.names:
        row: dict[str, Any] = {"solver": name, "clip": AVERAGE}
        row |= {key: _number(table.average(name, key)) for key in keys}
        sik = table.average("sik", "median_us") if "sik" in table.names else math.nan
        row["time_ratio_to_sik"] = _number(table.average(name, "median_us") / sik)
        found.append(row)
    return found


TEXT = ("solver", "clip", "frames", "first_frame", "weights")
"""Keys of a row that are not averaged."""


def _has(kind: type[Solver], setting: str) -> bool:
    return any(field.name == setting for field in fields(kind))


def _number(value: Any) -> Any:
    """What cannot be measured is None in JSON."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
