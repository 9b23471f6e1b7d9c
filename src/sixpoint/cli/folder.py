"""Every clip of a folder, several at a time; a clip that fails is reported and the rest goes on."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, say, show_table
from .job import REPORT_KEYS, Job, run_job, warm_up
from .options import holds_points, suffixes, takes_skeleton

MEANS = ("position_rms", "position_mean", "orientation_rms", "orientation_mean", "target_mean_m")
NO_CLIPS = (".asf",)
"""Files that belong to a clip and are none."""
SUMS = ("frames", "limit_violations", "steps_over_30deg")


def run_folder(template: Job, workers: int, as_json: bool) -> None:
    """Run the template on every clip below its source; exit status 1 if one of them fails."""
    jobs = find_jobs(template)
    with compiling():  # once, before several processes would do it at the same time
        warm_up(template.solver)
    files: list[dict[str, Any]] = []
    with progress("clips") as tell:
        tell(0, len(jobs))
        for entry in _results(jobs, workers):
            files.append(entry)
            if entry["error"]:
                say(f"sixpoint: {entry['error']}")
            tell(len(files), len(jobs))
    if as_json:
        emit(summary(files) | {"files": files})
    else:
        _show(files)
    if any(entry["error"] for entry in files):
        raise click.exceptions.Exit(1)


def find_jobs(template: Job) -> list[Job]:
    """A job for each clip, its output at the same place below the output folder."""
    from ..errors import InputError

    source, target = Path(template.source), Path(template.output)
    if target.exists() and not target.is_dir():
        raise click.UsageError(f"{source} is a folder, so -o must be one; {target} is a file.")
    if target.exists() and target.samefile(source):
        raise click.UsageError("The output folder is the input folder; give another one.")
    given = template.skeleton is not None or template.height is not None
    kinds = [kind for kind in suffixes("read") if kind not in NO_CLIPS]
    if given:
        kinds += [kind for kind in suffixes("read_points") if kind not in kinds]
    inside = target.resolve()
    clips = [
        path
        for path in sorted(source.rglob("*"))
        if path.suffix.lower() in kinds and path.is_file() and inside not in path.resolve().parents
    ]
    if given:  # a body is for clips that have none
        clips = [path for path in clips if holds_points(str(path)) or takes_skeleton(str(path))]
    if not clips:
        raise InputError(f"{source}: no clip in this folder; expected {', '.join(kinds)}.")
    jobs, taken = [], set()
    for path in clips:
        place = path.relative_to(source)
        keeps = path.suffix.lower() in suffixes("write")
        name = place if keeps else place.with_suffix(".bvh")
        if name in taken or (not keeps and path.with_suffix(".bvh") in clips):
            name = place.with_name(place.name + ".bvh")  # walk.amc beside walk.bvh
        taken.add(name)
        jobs.append(replace(template, source=str(path), output=str(target / name)))
    return jobs


def run_safely(job: Job) -> dict[str, Any]:
    """A clip's report with its file names, or the message of what went wrong."""
    from ..errors import SixpointError

    entry: dict[str, Any] = {"input": job.source, "output": job.output, "error": None}
    try:
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        return entry | run_job(job)
    except (SixpointError, click.UsageError, OSError, MemoryError) as error:
        message = str(error) or type(error).__name__
        if job.source not in message:
            message = f"{job.source}: {message}"
        return entry | dict.fromkeys(REPORT_KEYS) | {"output": None, "error": message}


def _results(jobs: Sequence[Job], workers: int) -> Iterator[dict[str, Any]]:
    workers = min(workers, len(jobs))
    if workers == 1:
        yield from map(run_safely, jobs)
        return
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    from ..errors import SixpointError

    pool = ProcessPoolExecutor(
        workers,
        # Fresh processes: a fork would copy the compiler's threads and locks.
        mp_context=multiprocessing.get_context("spawn"),
        # Ctrl-C ends this process, which ends the others: one message, not one from each.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        yield from pool.map(run_safely, jobs)
    except BrokenProcessPool as error:
        raise SixpointError(
            "a process died while reconstructing, perhaps for lack of memory; try fewer --jobs"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def summary(files: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All clips together: means of errors, sums of counts, the worst of the worst."""
    good = [entry for entry in files if not entry["error"]]

    def gather(key: str, fold: Callable[[list[Any]], Any]) -> Any:
        values = [e[key] for e in good if e[key] is not None and math.isfinite(e[key])]
        return fold(values) if values else None

    values: dict[str, Any] = dict.fromkeys(REPORT_KEYS)
    values |= {key: gather(key, statistics.fmean) for key in MEANS}
    values |= {key: gather(key, sum) or 0 for key in SUMS}
    values |= {key: gather(key, max) for key in ("target_max_m", "p99_us")}
    values["median_us"] = gather("median_us", statistics.median)
    for key in ("solver", "rate", "joints"):  # only what all clips share
        shared = {entry[key] for entry in good}
        values[key] = shared.pop() if len(shared) == 1 else None
    values["warnings"] = [
        f"{Path(entry['input']).name}: {text}" for entry in good for text in entry["warnings"]
    ]
    return values


def _show(files: Sequence[dict[str, Any]]) -> None:
    columns = ("clip", "frames", "position RMS", "orientation RMS", "off by", "us/frame")
    rows = []
    for entry in [*files, summary(files) | {"input": "all", "error": None}]:
        numbers = [
            _cell(entry["frames"], "{:d}"),
            _cell(entry["position_rms"], "{:.4f}"),
            _cell(entry["orientation_rms"], "{:.4f}"),
            _cell(entry["target_mean_m"], "{:.4f} m"),
            _cell(entry["median_us"], "{:.1f}"),
        ]
        failed = ["failed", *[""] * (len(numbers) - 1)]
        rows.append((Path(entry["input"]).name, *(failed if entry["error"] else numbers)))
    show_table(None, columns, rows)


def _cell(value: Any, pattern: str) -> str:
    return "-" if value is None else pattern.format(value)
