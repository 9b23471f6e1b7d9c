"""How fast a solver is on this machine: a clip at once, one frame at a time, several threads.

Medians and 99th percentiles of wall time per frame, the best of several runs: what disturbs a run
(other programs, a cold cache) only ever makes it slower.
"""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from ..errors import InputError
from ..motion.motion import Motion
from ..solvers import Solver, Tracker
from .progress import Progress, counted

RUNS = 5
QUICK_FRAMES = 300
"""Frames of each clip that a quick bench looks at."""
THREADS = (1, 2)


def bench_speed(
    solver: Solver,
    clips: Sequence[Motion],
    *,
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure a solver on some clips.

    Args:
        solver: its setting `collisions`, if it has one, is measured off and on.
        clips: motions whose six points are solved.
        quick: fewer frames and runs; the same keys.
        progress: called with the number of measurements done and their total.

    Returns:
        Numbers for JSON. Times are in microseconds per frame.
    """
    clips = [clip.frames(slice(0, QUICK_FRAMES)) if quick else clip for clip in clips if len(clip)]
    if not clips:
        raise InputError("Expected at least one clip with frames to measure on, got none.")
    runs = 2 if quick else RUNS
    variants = [solver]
    if any(field.name == "collisions" for field in fields(solver)):
        variants = [replace(solver, collisions=on) for on in (False, True)]  # type: ignore[call-arg]
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
        threads.append(
            {"threads": count, "frames_per_s": _throughput(variants[0], clips, count, runs)}
        )
        tell()
    return {
        "bench": "speed",
        "solver": solver.name,
        "quick": quick,
        "runs": runs,
        "clips": len(clips),
        "frames": sum(len(clip) for clip in clips),
        "results": results,
        "threads": threads,
        "speedup": threads[-1]["frames_per_s"] / threads[0]["frames_per_s"],
        "machine": machine(),
    }


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
    }


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"


def _trackers(solver: Solver, clips: Sequence[Motion]) -> list[Tracker]:
    trackers = [solver.prepare(clip.skeleton, rate=clip.rate) for clip in clips]
    for tracker in trackers:
        tracker.warm_up()
    return trackers


def _measure(solver: Solver, clips: Sequence[Motion]) -> dict[str, float]:
    """One run over all clips, as a whole and frame by frame."""
    in_clip, tails, whole, calls = [], [], [], []
    for clip, tracker in zip(clips, _trackers(solver, clips), strict=True):
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
    """Wall time of each call [us]."""
    solve, clock = tracker.solve, time.perf_counter_ns
    tracker.reset()
    spent = np.empty(len(frames))
    for f, frame in enumerate(frames):
        begin = clock()
        solve(frame)
        spent[f] = clock() - begin
    return spent / 1e3


def _throughput(solver: Solver, clips: Sequence[Motion], threads: int, runs: int) -> float:
    """Frames a second of whole clips, each thread with trackers of its own; the best of runs."""
    every = [clip.points() for clip in clips]
    teams = [_trackers(solver, clips) for _ in range(threads)]

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


@contextmanager
def quiet() -> Iterator[None]:
    """No garbage collection while the clock runs, as in `timeit`."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
