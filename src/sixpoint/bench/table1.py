"""Table 1 of the SIK paper, run again: our numbers beside the paper's, and its claims.

The paper takes the six positions from three recorded clips, reconstructs the body with each method
and compares position, orientation and time (Unzueta et al. 2008, section 9). Here any clips and all
solvers of people take part, on the same points, limits and weights; the paper's own clips are
recognised by name and get its weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..api import WrongOption
from ..errors import InputError, SixpointError
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..solvers import Solver
from ..solvers.problem import LimitsChoice, resolve_limits
from . import experiment as ex
from .claims import CLAIMS
from .measures import arm_swivel_errors, growth, motion_statistics, nearly_straight
from .published import (
    AVERAGE,
    CLIPS,
    DOUBTS,
    METHODS,
    OURS,
    PUBLISHED,
    PaperClip,
    paper_clip,
    published,
)
from .report import MARKS, marked_averages, write_report

RUNS, QUICK_RUNS = 5, 2
"""Most times that a clip is solved; the quickest counts."""
LONGEST_TIMING = 1.0
"""No further run of a clip begins after this time [s]."""
QUICK_FRAMES = 400
"""Frames of each clip in a quick run."""
SELECTED = 6
"""Poses of a clip that are drawn beside the original."""
ALSO_UNLIMITED = ("ccd", "sik")
"""Solvers that are also run without limits, which hide how far the pose of CCD drifts."""
AS_PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    **{
        name: {"variant": "paper"}
        for name in ("sik", "ccd", "pseudoinverse", "dls", "dls-svd", "sdls")
    },
    "pik": {"give": (1.0, 1.0, 1.0)},
}
"""Settings of the paper where our defaults improve on them: such solvers are run both ways."""
ALSO_TIMED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "sik, two-phase search": ("sik", {"spine_search": "two-phase"}),
    "kma, spine to a micrometre": ("kma", {"tolerance": 5e-7, "least_gain": 0.0}),
}
"""What explains the times of SIK and KMA: SIK with the literal search for the bend of its spine,
and KMA asked for the precision that SIK has by default."""
WEIGHTS = (1.0, 1.0, 0.0)
"""For clips that are not the paper's: wrists and ankles decide where the pelvis faces."""
TEXT = ("solver", "clip", "frames", "first_frame", "weights")
"""Keys of a row that are not averaged."""

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
        """Frames that are drawn: `SELECTED` evenly spaced ones, then `pose`."""
        inner = np.linspace(0, len(self.motion) - 1, SELECTED + 2)[1:-1]
        return [*(int(f) for f in inner.round()), self.pose]


@dataclass(frozen=True, eq=False)
class Run:
    """One solver on one clip."""

    row: dict[str, Any]
    """Numbers for JSON."""
    position: Floats
    """Joint-average position error of each frame, as a fraction of body height, shape (F,)."""
    orientation: Floats
    """Joint-average orientation error of each frame [rad], shape (F,)."""
    missed: Floats
    """Largest distance of a point from where it was seen, in each frame [m], shape (F,)."""
    poses: Motion
    """The frames of `Clip.picks`."""


Runs = dict[tuple[str, str], Run]
"""(solver, clip) -> what it did."""


@dataclass(frozen=True, eq=False)
class Table1:
    """Everything that was measured."""

    clips: tuple[Clip, ...]
    solvers: tuple[Solver, ...]
    quick: bool
    limits: str = "adult"
    """Which limits were kept: "adult", "given" or "none"."""
    runs: Mapping[tuple[str, str], Run] = field(default_factory=Runs)
    unlimited: Mapping[tuple[str, str], Run] = field(default_factory=Runs)
    """Runs of `ALSO_UNLIMITED` without limits and as published, if the others had some."""
    as_published: Mapping[tuple[str, str], Run] = field(default_factory=Runs)
    """Runs with the settings of `AS_PUBLISHED`."""
    also_timed: Mapping[tuple[str, str], Run] = field(default_factory=Runs)
    """Runs of `ALSO_TIMED`, by its names."""
    originals: dict[str, dict[str, float]] = field(default_factory=dict)
    """Clip -> statistics of the recorded person; see `motion_statistics`."""
    notes: list[str] = field(default_factory=list)
    """Clips that were cut, solvers that refused one."""

    @property
    def names(self) -> list[str]:
        """Solvers that have at least one row."""
        done = {name for name, _ in self.runs}
        return [each.name for each in self.solvers if each.name in done]

    @property
    def paper_runs(self) -> Runs:
        """Runs as published, where there are such; of other solvers those with our settings."""
        return {**self.runs, **self.as_published}

    def clip(self, name: str) -> Clip | None:
        """Return one of the paper's clips, if it was run."""
        return next((c for c in self.clips if c.paper and c.paper.name == name), None)

    def average(self, name: str, key: str, *, as_published: bool = False) -> float:
        """Return the mean of a number over the clips; NaN if it is unknown for a clip."""
        runs = self.as_published if as_published else self.runs
        found = [runs[name, c.name].row[key] for c in self.clips if (name, c.name) in runs]
        known = [value for value in found if value is not None]
        return math.nan if len(known) < len(self.clips) else float(np.mean(known))


def bench_table1(
    clips: Mapping[str, Motion],
    *,
    solvers: Sequence[str] | None = None,
    weights: Weights = WEIGHTS,
    limits: LimitsChoice = "adult",
    quick: bool = False,
    progress: ex.Progress = None,
) -> Table1:
    """Reconstruct clips with several solvers and measure.

    Args:
        clips: motions by name; those of the paper are recognised by their number ("17_10").
        solvers: names in `SOLVERS`; default all that can reconstruct people.
        weights: for clips that are not the paper's.
        limits: "adult", None for free joints, or limits for the joints of all clips.
        quick: an excerpt of each clip and fewer runs; the same numbers.
        progress: called with the number of reconstructions done and their total.
    """
    notes: list[str] = []

    def paper_first(name: str) -> int:
        paper = paper_clip(name)
        return len(CLIPS) if paper is None else CLIPS.index(paper)

    taken = tuple(
        _clip(name, clips[name], weights, quick, notes)
        for name in sorted(clips, key=paper_first)
        if len(clips[name])
    )
    if not taken:
        raise InputError("Expected at least one clip with frames to reconstruct, got none.")
    which = "none" if limits is None else limits if isinstance(limits, str) else "given"
    chosen = ex.choose_solvers(solvers, collisions=False)
    runs, unlimited, as_published, also_timed = Runs(), Runs(), Runs(), Runs()
    table = Table1(
        *(taken, tuple(chosen), quick, which, runs, unlimited, as_published, also_timed),
        notes=notes,
    )
    step = ex.counted(progress, len(taken) * len(chosen))
    for clip in taken:
        kept = resolve_limits(limits, clip.motion.skeleton)
        table.originals[clip.name] = motion_statistics(
            clip.motion, kept, nearly_straight(clip.motion)
        )
        for each in chosen:
            key, most = (each.name, clip.name), QUICK_RUNS if quick else RUNS
            literal = literal_settings(each)
            try:
                runs[key] = _run(each, clip, kept, most)
            except SixpointError as error:
                notes.append(f"{each.name} could not do {clip.name}: {error}")
            else:
                if literal is not None:
                    as_published[key] = _run(literal, clip, kept, most)
                for label, (name, more) in ALSO_TIMED.items():
                    if name == each.name and all(ex.has_setting(each, s) for s in more):
                        timed = replace(literal or each, **more)
                        also_timed[label, clip.name] = _run(timed, clip, kept, most)
                if each.name in ALSO_UNLIMITED and kept:
                    unlimited[key] = _run(literal or each, clip, kept, solved_within=Limits())
            step()
    if not runs:
        raise InputError(f"No solver could reconstruct any clip: {'; '.join(notes)}")
    for mine, sik in ((runs, runs), (as_published, table.paper_runs)):
        for (_, name), run in mine.items():
            if ("sik", name) in sik:
                ratio = run.row["median_us"] / sik["sik", name].row["median_us"]
                run.row["time_ratio_to_sik"] = ratio
    return table


def literal_settings(each: Solver) -> Solver | None:
    """Return a solver with the settings of the paper; None where it has none of its own."""
    theirs = AS_PUBLISHED.get(each.name, {})
    known = theirs and all(ex.has_setting(each, name) for name in theirs)
    return replace(each, **theirs) if known else None


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
    part = ex.excerpt(motion, QUICK_FRAMES, first)
    return replace(clip, motion=part, first=first, whole=False)


def _run(
    each: Solver, clip: Clip, limits: Limits, most: int = 1, solved_within: Limits | None = None
) -> Run:
    """Solve a clip, the quickest of several times, and compare with the recording.

    Args:
        each: the solver.
        clip: the recording.
        limits: joint limits whose violations are counted.
        most: runs.
        solved_within: joint limits that are kept; default `limits`.
    """
    if ex.has_setting(each, "weights"):
        each = replace(each, weights=clip.weights)  # type: ignore[call-arg]
    original, points = clip.motion, clip.motion.points()
    kept = limits if solved_within is None else solved_within
    tracker = each.prepare(original.skeleton, limits=kept, rate=points.rate)
    tracker.warm_up()
    times: list[tuple[float, float]] = []
    begin = time.perf_counter()
    while not times or (len(times) < most and time.perf_counter() - begin < LONGEST_TIMING):
        _, result = ex.timed(tracker.solve_clip, points)
        times.append((result.report.median_us, result.report.p99_us))
    median, tail = np.min(times, axis=0)
    found = compare(result.motion, original)
    seen = result.residuals[np.isfinite(result.residuals)]
    errors = ("position_rms", "position_mean", "orientation_rms", "orientation_mean",
              "position_rms_inner", "orientation_rms_inner")  # fmt: skip
    row = {
        "solver": result.report.solver,
        "clip": clip.name,
        "frames": len(original),
        "first_frame": clip.first,
        "weights": list(clip.weights),
        **{key: getattr(found, key) for key in errors},
        "median_us": float(median),
        "p99_us": float(tail),
        "time_ratio_to_sik": None,
        "iterations_mean": float(result.iterations.mean()),
        "target_mean_m": result.report.target_mean_m,
        "target_p95_m": float(np.percentile(seen, 95.0)) if seen.size else 0.0,
        "target_max_m": result.report.target_max_m,
        **motion_statistics(result.motion, limits, nearly_straight(original)),
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


def averages(table: Table1, *, as_published: bool = False) -> list[dict[str, Any]]:
    """Return for each solver the means over clips of all numbers in its rows."""
    runs = table.as_published if as_published else table.runs
    keys = [k for k in next(iter(table.runs.values())).row if k not in TEXT]
    literal = as_published and any(name == "sik" for name, _ in runs)
    sik = table.average("sik", "median_us", as_published=literal)
    rows = []
    for name in dict.fromkeys(name for name in table.names if any(s == name for s, _ in runs)):
        mean = {key: table.average(name, key, as_published=as_published) for key in keys}
        mean["time_ratio_to_sik"] = mean["median_us"] / sik
        rows.append(plain({"solver": name, "clip": AVERAGE} | mean))
    return rows


def plain(value: Any) -> Any:
    """Return tuples as lists and what is not finite as None, all the way down."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def published_rows(table: Table1) -> list[dict[str, Any]]:
    """Return the paper's numbers for what was run, each with ours as a multiple of it.

    Ours are those of the settings of the paper where there are such; `settings` says which.
    """
    shown = [(c.name, c.paper.name) for c in table.clips if c.paper is not None]
    if {name for _, name in shown} == {c.name for c in CLIPS} and len(table.clips) == len(CLIPS):
        shown.append((AVERAGE, AVERAGE))
    means = [*averages(table), *averages(table, as_published=True)]
    found = {(r["solver"], r["clip"]): r for r in means}
    found |= {key: run.row for key, run in table.paper_runs.items()}
    literal = {name for name, _ in table.as_published}
    rows = []
    for (clip, name), solver in product(shown, METHODS):
        if (solver, clip) not in found:
            continue
        ours = found[solver, clip]
        errors = (published(key, name, solver) for key in ("position_rms", "orientation_rms"))
        position, orientation = errors
        us = published("median_ms", name, solver)
        ratio = _ratio(us, published("median_ms", name, "sik"))
        rows.append(
            {
                "solver": solver,
                "settings": PUBLISHED if solver in literal else OURS,
                "method": METHODS[solver],
                "clip": clip,
                "paper_clip": name,
                "position_rms": position,
                "position_ratio": _ratio(ours["position_rms"], position),
                "orientation_rms": orientation,
                "orientation_ratio": _ratio(ours["orientation_rms"], orientation),
                "median_ms": us,
                "time_ratio_to_sik": ratio,
                "time_ratio_ratio": _ratio(ours["time_ratio_to_sik"], ratio),
                "note": DOUBTS.get(("position_rms", name, solver), ""),
            }
        )
    return rows


def _ratio(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or not paper else ours / paper


def report_of(table: Table1) -> ex.Measurements:
    """Return everything that was measured, ready for JSON."""
    pairs = [(s, c.name) for c in table.clips for s in table.names if (s, c.name) in table.runs]
    report: ex.Measurements = plain(
        {
            "bench": "table1",
            "quick": table.quick,
            "rows": [table.runs[pair].row for pair in pairs],
            "averages": averages(table),
            "without_limits": [run.row for run in table.unlimited.values()],
            "as_published": [run.row for run in table.as_published.values()],
            "averages_as_published": averages(table, as_published=True),
            "originals": table.originals,
            "published": published_rows(table),
            "claims": [claim.judge(table) for claim in CLAIMS],
            "settings": {
                "limits": table.limits,
                "collisions": False,
                "points": list(table.clips[0].motion.points().names),
                "solvers": {each.name: settings_of(each) for each in table.solvers},
                "clips": [
                    {
                        "clip": c.name,
                        "paper": c.paper.name if c.paper else None,
                        "frames": len(c.motion),
                        "first_frame": c.first,
                        "rate": c.motion.rate,
                        "weights": c.weights,
                    }
                    for c in table.clips
                ],
            },
            "machine": ex.machine(),
            "versions": {name: version(name) for name in ("sixpoint", "numpy", "numba")},
            "notes": table.notes,
        }
    )
    return report


def settings_of(each: Solver) -> dict[str, Any]:
    """Return a solver's settings without the weights, which belong to the clip."""
    return {f.name: getattr(each, f.name) for f in fields(each) if f.name != "weights"}


def _show(report: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    paper = {row["solver"]: row for row in report["published"] if row["clip"] == AVERAGE}
    clips = report["settings"]["clips"]
    parts = "excerpts of " * report["quick"]
    frames = sum(clip["frames"] for clip in clips)
    keys = "solver settings position_rms:.4f {0}position_rms:.4f orientation_rms:.4f "
    keys += "{0}orientation_rms:.4f median_us:.1f time_ratio_to_sik:.1f {0}time_ratio_to_sik:.1f "
    keys += "target_mean_m:.4f limit_violations:.0f steps_over_30deg:.0f"
    shown = [key for key in keys.split() if paper or "{0}" not in key]
    yield ex.table(
        f"Averages over {parts}{len(clips)} clip{'s'[: len(clips) > 1]}, {frames} frames",
        " ".join(shown).format("paper."),
        [
            {**row, "paper": paper.get(row["solver"]) if row["beside_paper"] else None}
            for row in marked_averages(report)
        ],
    )
    claims = [(MARKS[claim["reproduced"]], claim["claim"]) for claim in report["claims"]]
    if any(word != MARKS[None] for word, _ in claims):
        yield ex.Facts("Claims of the paper, reproduced or not", claims)


def _inputs(options: dict[str, Any]) -> tuple[dict[str, Any], Sequence[str]]:
    given, notes = ex.read_clips(options)
    if not given["weights"]:
        given["weights"] = WEIGHTS
    elif all(paper_clip(name) for name in given["clips"]):
        raise WrongOption("--weights is for clips that are not the paper's; there are none.")
    path = given["limits"]
    given["limits"] = None if given.pop("no_limits") else Limits.load(path) if path else "adult"
    return given, notes


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    if options["limits"] and options["no_limits"]:
        raise InputError("Give --limits FILE or --no-limits, not both.")
    return ex.choose_solvers(options["solvers"], collisions=False)


def _files(table: Table1, folder: Path, options: Any) -> Iterator[Path]:
    return write_report(table, report_of(table), folder)


EXPERIMENT = ex.Experiment(
    about="""Same points, same joint limits, collisions off. The paper's clips are recognised by
their numbers 17_10, 90_05 and 01_03 in the CMU database and get its weights. Writes results.json,
results.csv, table.md and report.html.

\b
sixpoint bench table1 --data CMU/""",
    options=(
        ex.DATA_OPTION,
        ex.solvers_option(),
        click.Option(["--weights"], type=float, nargs=3, metavar="W1 W2 W3",
                     help="Wrists, ankles, frame before: what decides where the pelvis faces, for "
                     "clips that are not the paper's. Default: 1 1 0."),
        click.Option(["--limits"], metavar="FILE", help="Joint limits; default those of adults."),
        click.Option(["--no-limits"], is_flag=True, help="Let joints turn freely."),
    ),
    solvers=_solvers,
    inputs=_inputs,
    run=bench_table1,
    report=report_of,
    show=_show,
    files=_files,
    json_name="results.json",
    output="table1",
    output_help="Results and report go there; made if new.",
)  # fmt: skip
