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

SLID = 0.01
"""Feet that are farther from where they stood than this are told of [m]."""
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
    from ..errors import InputError
    from ..motion.metrics import compare
    from ..motion.standing import stand_still, with_unseen

    original, points, skeleton = read_input(job)
    if len(points) == 0:
        raise InputError(f"{job.source}: there are no frames to reconstruct.")
    stood: tuple[str, ...] = ()
    if original is None:
        if puts_on_feet(job.solver, points):
            points = with_unseen(points)
        else:
            points, stood = stand_still(points, skeleton)
    tracker = job.solver.prepare(
        skeleton, limits=read_limits(job.limits, skeleton), rate=points.rate
    )
    result = tracker.solve_clip(points)
    motion, comparison = result.motion, None
    if stood:
        stood = (*stood, *_slid(motion, points, job.solver.name))
    if job.clear_elbows:
        motion, note = cleared(motion, tracker.limits)
        stood = (*stood, note)
    if original is not None:
        # The output stands in its file as the input did: unit, axes, order of channels.
        motion = replace(motion, source=original.source)
        comparison = compare(motion, original)
    notes = formats.save(motion, job.output)
    before = () if original is None else original.source.notes
    doubts = doubts_of(job.solver, points, skeleton, original is None)
    report = report_of(result, comparison, [*doubts, *before, *stood, *notes])
    if not points.seen.any():
        report |= {"target_mean_m": None, "target_max_m": None}
        report["warnings"] = [NOBODY, *report["warnings"]]
    return report


def puts_on_feet(solver: Solver, points: Points) -> bool:
    """Whether a solver finds feet itself that were never tracked."""
    import numpy as np

    feet = [name for name in ("l_ankle", "r_ankle") if name in points.names]
    if "l_ankle" in solver.needed or not set(solver.needed) <= set(points.names):
        return False
    return not np.isfinite(points.select(feet).positions).all(axis=2).any()


def doubts_of(solver: Solver, points: Points, skeleton: Skeleton, tracked: bool) -> list[str]:
    """A warning of points that look wrongly named or turned, if there is reason for one.

    The solver's prior judges them, if it has one, or else the built-in one. Trackers are mixed up
    easily; for motions, whose joints have names, only a mistake that can be named is reported.
    """
    from ..priors.plausibility import UNLIKE, find_mistake
    from ..solvers.guided import GuidedSolver
    from ..solvers.human import HumanSolver

    ahead = solver.leader if isinstance(solver, HumanSolver) and solver.leader else solver
    prior = ahead.model if isinstance(ahead, GuidedSolver) else None
    mistake, plausible = find_mistake(points, skeleton, prior)
    if mistake is not None:
        return [
            f"the points look as if {mistake.words} (plausibility as they are: {plausible:.0%})"
        ]
    if tracked and plausible < UNLIKE:
        return [
            f"these points look wrong (plausibility {plausible:.0%}): check their names, unit and "
            "axes, and whether the body fits"
        ]
    return []


def _slid(motion: Motion, points: Points, solver: str) -> tuple[str, ...]:
    """A note on feet that a solver could not leave where they stood; none if it could."""
    import numpy as np

    names = [name for name in ("l_ankle", "r_ankle") if name in points.names]
    away = motion.points(names).positions - points.select(names).positions
    far = float(np.nanmax(np.linalg.norm(away, axis=-1), initial=0.0))
    if far < SLID:
        return ()
    return (
        f"solver {solver!r} leaves them by up to {1e3 * far:.0f} mm, where legs are too short or "
        "limits stand between; `pik-balance` pins them",
    )


def cleared(motion: Motion, limits: Limits) -> tuple[Motion, str]:
    """A motion with its elbows out of its body, and a note on what that brought."""
    import numpy as np

    from ..tasks import SelfContact, clear_elbows

    freed, turned = clear_elbows(motion, limits)
    body = SelfContact(motion.skeleton)
    before, after = (
        1e3 * float(np.maximum(body.depths(m), 0.0).sum(axis=1).mean()) for m in (motion, freed)
    )
    frames = int((turned != 0.0).any(axis=1).sum())
    return freed, (
        f"elbows swivelled in {frames} of {len(motion)} frames: parts of the body are in each "
        f"other by {after:.1f} mm a frame, all pairs together, instead of {before:.1f} mm"
    )


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
