"""How fast a solver is on this machine: a clip at once, one frame at a time, several threads.

Medians and 99th percentiles of wall time per frame, the best of several runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError
from ..motion.motion import Motion
from ..solvers import Solver, Tracker
from .experiment import (
    DATA_OPTION,
    Column,
    Experiment,
    Facts,
    Measurements,
    Option,
    Progress,
    Table,
    counted,
    excerpt,
    has_setting,
    machine,
    machine_fact,
    quiet,
    read_clips,
)

RUNS, QUICK_RUNS = 5, 2
QUICK_FRAMES = 300
"""Frames of each clip in a quick run."""
THREADS = (1, 2)


def bench_speed(
    method: Solver,
    clips: Sequence[Motion],
    *,
    quick: bool = False,
    progress: Progress | None = None,
) -> Measurements:
    """Measure a solver on some clips; times are in microseconds per frame.

    Args:
        method: its setting `collisions`, if it has one, is measured off and on.
        clips: motions whose six points are solved.
        quick: fewer frames and runs; the same keys.
        progress: called with the number of measurements done and their total.
    """
    clips = [excerpt(clip, QUICK_FRAMES, 0) if quick else clip for clip in clips if len(clip)]
    if not clips:
        raise InputError("Expected at least one clip with frames to measure on, got none.")
    runs = QUICK_RUNS if quick else RUNS
    variants = [method]
    if has_setting(method, "collisions"):
        variants = [replace(method, collisions=on) for on in (False, True)]  # type: ignore[call-arg]
    tell = counted(progress, len(variants) * runs + len(THREADS))
    results = []
    for variant in variants:
        measured = []
        for _ in range(runs):
            measured.append(_measure(variant, clips))
            tell()
        best = {key: min(run[key] for run in measured) for key in measured[0]}
        results.append({"collisions": bool(getattr(variant, "collisions", False)), **best})
    threads = []
    for count in THREADS:
        rate = _throughput(variants[0], clips, count, runs)
        threads.append({"threads": count, "frames_per_s": rate})
        tell()
    return {
        "bench": "speed",
        "solver": method.name,
        "quick": quick,
        "runs": runs,
        "clips": len(clips),
        "frames": sum(len(clip) for clip in clips),
        "results": results,
        "threads": threads,
        "speedup": threads[-1]["frames_per_s"] / threads[0]["frames_per_s"],
        "machine": machine(),
    }


def _trackers(method: Solver, clips: Sequence[Motion]) -> list[Tracker]:
    trackers = [method.prepare(clip.skeleton, rate=clip.rate) for clip in clips]
    for tracker in trackers:
        tracker.warm_up()
    return trackers


def _measure(method: Solver, clips: Sequence[Motion]) -> dict[str, float]:
    """Time all clips once, as a whole and frame by frame."""
    in_clip, tails, whole, calls = [], [], [], []
    for clip, tracker in zip(clips, _trackers(method, clips), strict=True):
        points = clip.points()
        with quiet():
            begin = time.perf_counter_ns()
            report = tracker.solve_clip(points).report
            whole.append((time.perf_counter_ns() - begin) / 1e3)
        in_clip.append(report.median_us)
        tails.append(report.p99_us)
        with quiet():
            calls.append(_stream(tracker, np.ascontiguousarray(points.positions)))
    streamed = np.concatenate(calls)
    return {
        "clip_median_us": float(np.median(in_clip)),
        "clip_p99_us": float(np.median(tails)),
        "clip_with_report_us": float(sum(whole) / sum(len(clip) for clip in clips)),
        "stream_median_us": float(np.median(streamed)),
        "stream_p99_us": float(np.percentile(streamed, 99.0)),
        "stream_max_us": float(streamed.max()),
    }


def _stream(tracker: Tracker, frames: Any) -> Any:
    """Return the wall time of each call of `solve` [us]."""
    solve, clock = tracker.solve, time.perf_counter_ns
    tracker.reset()
    spent = np.empty(len(frames))
    for f, frame in enumerate(frames):
        begin = clock()
        solve(frame)
        spent[f] = clock() - begin
    return spent / 1e3


def _throughput(method: Solver, clips: Sequence[Motion], threads: int, runs: int) -> float:
    """Frames a second of whole clips, each thread with trackers of its own; the best of runs."""
    every = [clip.points() for clip in clips]
    teams = [_trackers(method, clips) for _ in range(threads)]

    def work(team: Sequence[Tracker]) -> None:
        for tracker, points in zip(team, every, strict=True):
            tracker.solve_clip(points)

    frames = threads * sum(len(clip) for clip in clips)
    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(runs):
            begin = time.perf_counter()
            list(pool.map(work, teams))
            best = max(best, frames / (time.perf_counter() - begin))
    return best


def _run(
    *, method: Solver, clips: Mapping[str, Motion], quick: bool, progress: Progress
) -> Measurements:
    return bench_speed(method, list(clips.values()), quick=quick, progress=progress)


def _show(found: Measurements) -> Iterator[Table | Facts]:
    yield Table(
        f"{found['solver']}: {found['frames']} frames of {found['clips']} clips, "
        f"best of {found['runs']} runs, us per frame",
        (
            Column("collisions", "setting"),
            Column("clip median", "clip_median_us", "{:.1f}"),
            Column("clip p99", "clip_p99_us", "{:.1f}"),
            Column("with report", "clip_with_report_us", "{:.1f}"),
            Column("call median", "stream_median_us", "{:.1f}"),
            Column("call p99", "stream_p99_us", "{:.1f}"),
        ),
        [row | {"setting": "on" if row["collisions"] else "off"} for row in found["results"]],
    )
    rates = [
        (f"{row['threads']} thread(s)", f"{row['frames_per_s']:,.0f} frames/s, whole clips")
        for row in found["threads"]
    ]
    yield Facts(None, [*rates, machine_fact(found)])


EXPERIMENT = Experiment(
    name="speed",
    about="Medians and 99th percentiles of wall time per frame.",
    options=(
        Option("solver", "Which solver; see `sixpoint solvers`.", "NAME", "sik"),
        Option("set", "A solver setting.", "NAME=VALUE", (), several=-1),
        DATA_OPTION,
    ),
    solvers=lambda options: [options["method"]],
    inputs=read_clips,
    run=_run,
    show=_show,
    output_help="Also write speed.json there.",
)
