"""One clip from file to file: what `reconstruct` does, in this process or in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from .options import Reading, holds_points, load_motion, takes_skeleton

if TYPE_CHECKING:
    from ..body.skeleton import Skeleton
    from ..limits import Limits
    from ..motion.comparison import Comparison
    from ..motion.motion import Motion
    from ..motion.points import Points
    from ..solvers import Result, Solver

REPORT_KEYS = (
    "solver",
    "frames",
    "rate",
    "position_rms",
    "position_mean",
    "orientation_rms",
    "orientation_mean",
    "target_mean_m",
    "target_max_m",
    "limit_violations",
    "steps_over_30deg",
    "median_us",
    "p99_us",
    "joints",
    "warnings",
)
"""What the report of a clip holds; other programs read these."""


NOBODY = "no point was seen in any frame: the body stands where it began"


@dataclass(frozen=True, kw_only=True)
class Job:
    """Everything needed to reconstruct one clip. Small, and can be sent to another process."""

    source: str
    """A motion, or tracked points."""
    output: str
    solver: Solver
    limits: str | None = "adult"
    """"adult", the name of a file, or None for no limits."""
    skeleton: str | None = None
    """File with the body, for points and for motion files without one (.amc)."""
    height: float | None = None
    """Stature of the body [m], for points."""
    clear_elbows: bool = False
    """Swivel elbows out of the body after solving."""
    reading: Reading
    """How to read files."""


def run_job(job: Job) -> dict[str, Any]:
    """Reconstruct, write, and report with the keys of `REPORT_KEYS`."""
    from .. import formats
    from ..api import reconstruct
    from ..errors import InputError
    from ..motion.metrics import compare

    original, points, skeleton = read_input(job)
    if len(points) == 0:
        raise InputError(f"{job.source}: there are no frames to reconstruct.")
    result = reconstruct(
        points,
        skeleton,
        job.solver,
        limits=read_limits(job.limits, skeleton),
        tracked=original is None,
        clear_elbows=job.clear_elbows,
    )
    motion, comparison = result.motion, None
    if original is not None:
        # The output stands in its file as the input did: unit, axes, order of channels.
        motion = replace(motion, source=original.source)
        comparison = compare(motion, original)
    notes = formats.save(motion, job.output)
    before = () if original is None else original.source.notes
    report = report_of(result, comparison, [*before, *notes])
    if not points.seen.any():
        report |= {"target_mean_m": None, "target_max_m": None}
        report["warnings"] = [NOBODY, *report["warnings"]]
    return report


def warm_up(solver: Solver) -> None:
    """Compile all that a job needs, on two frames of a built-in clip."""
    from ..data.clips import builtin

    clip = builtin("squat").frames(slice(0, 2))
    solver.prepare(clip.skeleton, rate=clip.rate).solve_clip(clip.points())


def read_input(job: Job) -> tuple[Motion | None, Points, Skeleton]:
    """The original motion if there is one, the points, and the body."""
    from .. import formats
    from ..body.skeleton import Skeleton

    if not holds_points(job.source):
        if job.height is not None:
            raise click.UsageError(f"{job.source} is a motion with a body; --height is for points.")
        apart = {}
        if job.skeleton is not None:
            if not takes_skeleton(job.source):
                raise click.UsageError(f"{job.source} has its own skeleton; leave out --skeleton.")
            apart["skeleton"] = job.skeleton
        original = load_motion(job.source, job.reading, **apart)
        return original, original.points(), original.skeleton
    if (job.skeleton is None) == (job.height is None):
        raise click.UsageError(
            f"{job.source} holds tracked points: give their body with --skeleton FILE "
            "or --height METRES, one of the two."
        )
    # Unit, axes and rate are said of the points; the body's own file speaks for itself.
    points = formats.load_points(job.source, **job.reading.of_points)
    if job.height is not None:
        return None, points, Skeleton.humanoid(job.height)
    assert job.skeleton is not None
    own = Reading(roles=job.reading.roles, lenient=job.reading.lenient)
    return None, points, load_motion(job.skeleton, own).skeleton


def read_limits(limits: str | None, skeleton: Skeleton | None = None) -> Limits | Any:
    """The limits that a job names: "adult" and None are passed on, a file is read.

    A file that names joints which the skeleton does not have is refused.
    """
    if limits is None or limits == "adult":
        return limits
    from ..errors import UnknownName
    from ..limits import Limits

    found = Limits.load(limits)
    if skeleton is not None:
        for name in found:
            if name not in skeleton.names:
                raise UnknownName(f"joint to limit, as {limits} does:", name, skeleton.names)
    return found


def report_of(
    result: Result, comparison: Comparison | None, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """What other programs read about a reconstructed clip, with the keys of `REPORT_KEYS`."""
    report = result.report
    values: dict[str, Any] = report.as_dict()
    for key in ("position_rms", "position_mean", "orientation_rms", "orientation_mean"):
        values[key] = None if comparison is None else getattr(comparison, key)
    unseen = [
        f"point {name!r} was not seen in {count} of {report.frames} frames"
        for name, count in report.missing.items()
    ]
    also = () if comparison is None else comparison.warnings
    values["warnings"] = [*notes, *report.warnings, *unseen, *also]
    return {key: values[key] for key in REPORT_KEYS}


def facts_of(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A report for people."""
    rows = [("frames", f"{report['frames']} at {report['rate']:g} Hz, {report['joints']} joints")]
    if report["position_rms"] is not None:
        rows += [
            (
                "position error",
                f"{report['position_rms']:.4f} RMS, {report['position_mean']:.4f} mean, "
                "of body height",
            ),
            (
                "orientation error",
                f"{report['orientation_rms']:.4f} RMS, {report['orientation_mean']:.4f} mean, rad",
            ),
        ]
    off = "none was seen"
    if report["target_mean_m"] is not None:
        off = (
            f"{1e3 * report['target_mean_m']:.1f} mm off on average, "
            f"{1e3 * report['target_max_m']:.0f} mm at most"
        )
    rows += [
        ("tracked points", off),
        ("limits broken", f"{report['limit_violations']} joint-frames"),
        ("jumps over 30 degrees", f"{report['steps_over_30deg']} joint-frames"),
        ("time per frame", f"{report['median_us']:.1f} us median, {report['p99_us']:.1f} us p99"),
    ]
    return rows
