"""Every clip of a folder, several at a time; one that fails is reported and the rest goes on."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..api import REPORT_KEYS, Job, reconstruct_file
from ..data.clips import builtin
from ..errors import InputError, SixpointError
from ..formats import holds_points, suffixes, takes_skeleton
from .console import compiling, progress, say, show_table
from .options import Answer

MEANS = ("position_rms", "position_mean", "orientation_rms", "orientation_mean", "target_mean_m")
NO_CLIPS = (".asf",)
"""Files that belong to a clip and are none."""
SUMS = ("frames", "limit_violations", "steps_over_30deg")


def run_folder(template: Job, workers: int) -> Answer:
    """Run the template on every clip below its source; exit status 1 if one of them fails."""
    jobs = find_jobs(template)
    clip = builtin("squat").frames(slice(0, 2))
    with compiling():  # once, before several processes would do it at the same time
        tracker = template.solver.prepare(clip.skeleton, rate=clip.rate)
        tracker.solve_clip(clip.points())
    files: list[dict[str, Any]] = []
    with progress("clips") as tell:
        tell(0, len(jobs))
        for entry in _results(jobs, workers):
            files.append(entry)
            if entry["error"]:
                say(f"sixpoint: {entry['error']}")
            tell(len(files), len(jobs))
    failed = any(entry["error"] for entry in files)
    return Answer(summary(files) | {"files": files}, lambda: _show(files), int(failed))


def find_jobs(template: Job) -> list[Job]:
    """Return a job for each clip, its output at the same place below the output folder."""
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
    """Return a clip's report with its file names, or the message of what went wrong."""
    entry: dict[str, Any] = {"input": job.source, "output": job.output, "error": None}
    try:
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        return entry | reconstruct_file(job)
    except (SixpointError, OSError, MemoryError) as error:
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
    """Return numbers of all clips: means of errors, sums of counts, the largest of the largest."""
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
    forms = {
        "frames": "{:d}",
        "position_rms": "{:.4f}",
        "orientation_rms": "{:.4f}",
        "target_mean_m": "{:.4f} m",
        "median_us": "{:.1f}",
    }
    rows = []
    for entry in [*files, summary(files) | {"input": "all", "error": None}]:
        cells = ["-" if entry[k] is None else form.format(entry[k]) for k, form in forms.items()]
        failed = ["failed", *[""] * (len(cells) - 1)]
        rows.append((Path(entry["input"]).name, *(failed if entry["error"] else cells)))
    show_table(None, columns, rows)
