"""How fast a solver is on this machine: a clip at once, one frame at a time, several threads.

Medians and 99th percentiles of wall time per frame, the best of several runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import click
import numpy as np

from ..errors import InputError
from ..motion.motion import Motion
from ..solvers import Solver, Tracker
from . import experiment as ex

RUNS, QUICK_RUNS = 5, 2
QUICK_FRAMES = 300
"""Frames of each clip in a quick run."""
THREADS = (1, 2)


def bench_speed(
    method: Solver,
    clips: Mapping[str, Motion],
    *,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure a solver on the six points of clips; times are in microseconds per frame.

    The setting `collisions`, if the solver has one, is measured off and on.
    """
    chosen = [clip for clip in clips.values() if len(clip)]
    if quick:
        chosen = [ex.excerpt(clip, QUICK_FRAMES, 0) for clip in chosen]
    if not chosen:
        raise InputError("Expected at least one clip with frames to measure on, got none.")
    runs = QUICK_RUNS if quick else RUNS
    variants = [method]
    if ex.has_setting(method, "collisions"):
        variants = [replace(method, collisions=on) for on in (False, True)]  # type: ignore[call-arg]
    step = ex.counted(progress, len(variants) * runs + len(THREADS))
    results = []
    for variant in variants:
        measured = []
        for _ in range(runs):
            measured.append(_measure(variant, chosen))
            step()
        best = {key: min(run[key] for run in measured) for key in measured[0]}
        results.append({"collisions": bool(getattr(variant, "collisions", False)), **best})
    threads = []
    for count in THREADS:
        rate = _throughput(variants[0], chosen, count, runs)
        threads.append({"threads": count, "frames_per_s": rate})
        step()
    return {
        "solver": method.name,
        "runs": runs,
        "clips": len(chosen),
        "frames": sum(len(clip) for clip in chosen),
        "results": results,
        "threads": threads,
        "speedup": threads[-1]["frames_per_s"] / threads[0]["frames_per_s"],
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
        us, result = ex.timed(tracker.solve_clip, points)
        tracker.reset()
        frames = np.ascontiguousarray(points.positions)
        calls += [ex.timed(tracker.solve, frame)[0] for frame in frames]
        whole.append(us)
        in_clip.append(result.report.median_us)
        tails.append(result.report.p99_us)
    return {
        "clip_median_us": float(np.median(in_clip)),
        "clip_p99_us": float(np.median(tails)),
        "clip_with_report_us": float(sum(whole) / sum(len(clip) for clip in clips)),
        "stream_median_us": float(np.median(calls)),
        "stream_p99_us": float(np.percentile(calls, 99.0)),
        "stream_max_us": max(calls),
    }


def _throughput(method: Solver, clips: Sequence[Motion], threads: int, runs: int) -> float:
    """Return frames a second of whole clips, each thread with its own trackers; best of runs."""
    every = [clip.points() for clip in clips]
    groups = [_trackers(method, clips) for _ in range(threads)]

    def work(group: Sequence[Tracker]) -> None:
        for tracker, points in zip(group, every, strict=True):
            tracker.solve_clip(points)

    with ThreadPoolExecutor(threads) as pool:
        us, _ = ex.timed(lambda: list(pool.map(work, groups)), runs=runs)
    return 1e6 * threads * sum(len(clip) for clip in clips) / us


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    title = f"{found['solver']}: {found['frames']} frames of {found['clips']} clips, "
    keys = "collisions clip_median_us:.1f clip_p99_us:.1f clip_with_report_us:.1f "
    keys += "stream_median_us:.1f stream_p99_us:.1f"
    yield ex.table(f"{title}best of {found['runs']} runs, us per frame", keys, found["results"])
    yield ex.table("whole clips", "threads frames_per_s:,.0f", found["threads"])


EXPERIMENT = ex.Experiment(
    about="Medians and 99th percentiles of wall time per frame.",
    options=(
        click.Option(["--solver"], default="sik", show_default=True, metavar="NAME",
                     help="Which solver; see `sixpoint solvers`."),
        click.Option(["--set"], multiple=True, metavar="NAME=VALUE", help="A solver setting."),
        ex.DATA_OPTION,
    ),
    solvers=lambda options: [options["method"]],
    inputs=ex.read_clips,
    run=bench_speed,
    show=_show,
    output_help="Also write speed.json there.",
)  # fmt: skip
