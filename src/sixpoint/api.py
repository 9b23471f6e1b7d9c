"""Reconstruct finished motions from tracked points: what the command line and Python users call.

`reconstruct` takes objects; `reconstruct_file` reads and writes files and reports numbers, and
`run_jobs` does so for every clip of a folder.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import formats
from .body.roles import ROLES
from .body.skeleton import Skeleton
from .errors import InputError, SixpointError, UnknownName
from .kernels.types import Floats
from .limits import Limits, RoleLimits, recorded_limits
from .limits.by_role import is_by_role
from .motion.comparison import Comparison
from .motion.metrics import compare
from .motion.motion import Motion
from .motion.people import people_of
from .motion.points import SIX, Points
from .motion.standing import stand_still, with_unseen
from .priors.plausibility import UNLIKE, find_mistake
from .solvers import LimitsChoice, Result, Solver
from .solvers import solver as solver_by_name
from .solvers.tracker import Tracker
from .subjects import CANONICAL, Subject, fit_subject, measured_skeleton
from .subjects.cleaning import Cleaning, clean_as
from .subjects.gaps import bridged, curved, has_gaps
from .tasks import SelfContact, Task
from .tasks import clear_elbows as swivel_elbows

ANKLES = ("l_ankle", "r_ankle")
ARRAYS = (".npy", ".json")
"""Files that are clips only where a layout is given."""
SLID = 0.01
"""Feet that end farther than this from where they stood are reported [m]."""
NO_CLIPS = (".asf",)
"""Files that belong to a clip and are none."""
SHOWN_NAMES = 12
"""Points that a message lists at most."""
MEASURED = "the body is the built-in figure with the bone lengths that the points show"
NOTHING_SEEN = "no point was seen in any frame: the body stands where it began"
ERRORS = ("position_rms", "position_mean", "orientation_rms", "orientation_mean")
REPORT_KEYS = (
    "solver",
    "frames",
    "rate",
    *ERRORS,
    "target_mean_m",
    "target_max_m",
    "limit_violations",
    "steps_over_30deg",
    "median_us",
    "p99_us",
    "joints",
    "warnings",
)
"""What `report_of` says of a clip; other programs read these."""


class WrongOption(InputError):
    """An option that does not go with the others or with the data."""


def reconstruct(
    points: Points | ArrayLike,
    skeleton: Skeleton | Subject | None = None,
    solver: str | Solver = "guided",
    *,
    limits: LimitsChoice = "adult",
    tasks: Sequence[Task[Any]] | None = None,
    tracked: bool = True,
    clear_elbows: bool = False,
    bridge_gaps: bool = False,
    layout: str | None = None,
    rate: float | None = None,
    **settings: Any,
) -> Result:
    """Return full-body motion from tracked points, or from an array of joint positions.

    People need a head or a pelvis; feet that were never tracked stay where they stood at first, or
    the solver finds them if it can. `Result.report.warnings` says what was assumed, and whether the
    points look as if they were mixed up.

    Args:
        points: what was seen; NaN where it was not. The six points of a person or fewer, or any
            nodes of any skeleton for solvers that say so. Or joint positions of a person, shape
            (F, N, 3), in any unit and axes; see `sixpoint.formats.points_from_array`.
        skeleton: the body that was tracked; or a subject, which also knows how the trackers are
            worn (see `fit_subject`). Default: the built-in figure with the bone lengths that the
            points show.
        solver: a key of `SOLVERS`, or a solver.
        limits: joint limits to keep: "adult", "recorded" (within which recorded people moved), a
            set of limits, or None.
        tasks: what is asked of the points; see `Solver.prepare`.
        tracked: whether the points come from trackers, which are easily mixed up. False for points
            taken from a motion: none is added, and only a mistake that can be named is reported.
        clear_elbows: swivel elbows out of the body after solving.
        bridge_gaps: solve a second time, with gaps of points bridged by the first answer, so that
            joints do not jump where a point comes back; not for live use.
        layout: order of the joints of an array, such as "coco17"; default the one that fits.
        rate: frames a second of an array [Hz].
        **settings: settings of the solver, when it is given by name.
    """
    chosen = _solver(solver, settings)
    notes: list[str] = []
    dense = not isinstance(points, Points)
    if not isinstance(points, Points):
        points, _, said = formats.points_from_array(points, layout, rate=rate)
        notes += said
    elif layout is not None or rate is not None:
        raise InputError("Expected `layout` and `rate` with an array, got Points, which have both.")
    if skeleton is None:
        skeleton, found = _fitted(points, None, dense)
        notes += found
    if isinstance(skeleton, Subject):
        subject, given = skeleton, points
        points, skeleton = subject.joint_points(points), subject.skeleton
        if unresolved := subject.unresolved(given):
            first = reconstruct(points, skeleton, chosen, limits=limits, tasks=tasks)
            points = subject.joint_points(given, _bones(first.motion, unresolved))
    person = tasks is None and _is_person(points, skeleton, chosen)
    if person:
        _check_recognised(points)
    stood: tuple[str, ...] = ()
    if person and tracked:
        points, stood = _with_feet(points, skeleton, chosen)
    tracker = chosen.prepare(
        skeleton, limits=limits, rate=points.rate, names=points.names, tasks=tasks
    )
    result = tracker.solve_clip(points)
    if bridge_gaps and person and has_gaps(points):
        result = _bridged(tracker, points, result)
    if stood:
        notes += [*stood, *_slid(result.motion, points, chosen)]
    if clear_elbows:
        motion, note = _elbows_cleared(result.motion, tracker.limits)
        result = replace(result, motion=motion)
        notes.append(note)
    if person:
        notes = [*_doubts(points, skeleton, chosen, tracked), *notes]
    if not notes:
        return result
    report = replace(result.report, warnings=(*notes, *result.report.warnings))
    return replace(result, report=report)


def _bones(motion: Motion, roles: Sequence[str]) -> dict[str, Floats]:
    """Return the world anatomical rotation of the bones that carry some roles, each (F, 4)."""
    turned = motion.points(roles, rotations=True).rotations
    assert turned is not None
    return {role: turned[:, k] for k, role in enumerate(roles)}


def _bridged(tracker: Tracker, points: Points, first: Result) -> Result:
    """Solve again with bridged gaps; the report still tells of the points that were seen."""
    near = curved(points)
    if has_gaps(near):
        guess = first if near.seen.sum() == points.seen.sum() else tracker.solve_clip(near)
        near = bridged(near, guess.motion)
    result = tracker.solve_clip(near)
    residuals = np.where(first.missing, np.nan, result.residuals)
    known = residuals[np.isfinite(residuals)]
    note = "gaps of points were bridged by the reconstruction itself, in a second pass"
    report = replace(
        result.report,
        missing=first.report.missing,
        target_mean_m=float(known.mean()) if known.size else 0.0,
        target_max_m=float(known.max(initial=0.0)),
        warnings=(*first.report.warnings, note),
    )
    return replace(result, report=report, residuals=residuals, missing=first.missing)


def _solver(solver: str | Solver, settings: dict[str, Any]) -> Solver:
    if isinstance(solver, str):
        return solver_by_name(solver, **settings)
    if settings:
        raise InputError(
            f"Expected settings only with the name of a solver, got {', '.join(settings)} with a "
            f"{type(solver).__name__}, which has its own."
        )
    return solver


def _is_person(points: Points, skeleton: Skeleton, solver: Solver) -> bool:
    """Whether a person is followed as a whole, and not a skeleton whose root stays."""
    if skeleton.kind != "human":
        return False
    return not solver.capabilities.chains or not {"head", "pelvis"}.isdisjoint(points.names)


def _check_recognised(points: Points) -> None:
    """Refuse points of a person none of which is named as part of one."""
    if not set(points.names) & {*CANONICAL, *ROLES}:
        listed = ", ".join(points.names[:SHOWN_NAMES])
        more = len(points.names) - SHOWN_NAMES
        raise InputError(
            f"Expected points of a person, such as {', '.join(SIX)}, or a known marker set; "
            f"recognised nothing among {listed}{f' and {more} more' * (more > 0)}. Say which is "
            "which, for instance --role l_wrist=LWRA,LWRB."
        )


def _with_feet(
    points: Points, skeleton: Skeleton, solver: Solver
) -> tuple[Points, tuple[str, ...]]:
    """Add points that were never tracked, and a note if feet were assumed to stand."""
    feet = [name for name in ANKLES if name in points.names]
    seen = np.isfinite(points.select(feet).positions).all(axis=2).any()
    needs_feet = "l_ankle" in solver.needed or not set(solver.needed) <= set(points.names)
    if seen or needs_feet:
        return stand_still(points, skeleton)
    return with_unseen(points), ()


def _slid(motion: Motion, points: Points, solver: Solver) -> list[str]:
    """Return a note on standing feet that the solver moved, if it did."""
    away = motion.points(ANKLES).positions - points.select(ANKLES).positions
    far = float(np.nanmax(np.linalg.norm(away, axis=-1), initial=0.0))
    if far < SLID:
        return []
    return [
        f"solver {solver.name!r} leaves them by up to {1e3 * far:.0f} mm, where legs are too short "
        "or limits stand between; `pik-balance` pins them"
    ]


def _elbows_cleared(motion: Motion, limits: Limits) -> tuple[Motion, str]:
    """Swivel elbows out of the body; the motion, and a note on what changed."""
    freed, swivels = swivel_elbows(motion, limits)
    body = SelfContact(motion.skeleton)
    before, after = (
        1e3 * float(np.maximum(body.depths(m), 0.0).sum(axis=1).mean()) for m in (motion, freed)
    )
    frames = int((swivels != 0.0).any(axis=1).sum())
    return freed, (
        f"elbows swivelled in {frames} of {len(motion)} frames: parts of the body are in each "
        f"other by {after:.1f} mm a frame, all pairs together, instead of {before:.1f} mm"
    )


def _doubts(points: Points, skeleton: Skeleton, solver: Solver, tracked: bool) -> list[str]:
    """Return a warning of points that look wrongly named or rotated, if there is reason for one.

    The model of the guided solver judges them, whether it solves or goes first; otherwise the
    built-in one.
    """
    model = getattr(getattr(solver, "first", None) or solver, "model", None)
    mistake, plausible = find_mistake(points, skeleton, model)
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


def report_of(
    result: Result, comparison: Comparison | None = None, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the numbers of a reconstructed clip, ready for JSON, with the keys of `REPORT_KEYS`.

    Args:
        result: the reconstruction.
        comparison: with the original motion, if there is one.
        notes: warnings to put before those of the solver.
    """
    report = result.report
    values: dict[str, Any] = report.as_dict()
    values |= {key: None if comparison is None else getattr(comparison, key) for key in ERRORS}
    unseen = [
        f"point {name!r} was not seen in {count} of {report.frames} frames"
        for name, count in report.missing.items()
    ]
    also = () if comparison is None else comparison.warnings
    values["warnings"] = [*notes, *report.warnings, *unseen, *also]
    if np.isnan(result.residuals).all():
        values |= {"target_mean_m": None, "target_max_m": None}
        values["warnings"].insert(0, NOTHING_SEEN)
    return {key: values[key] for key in REPORT_KEYS}


@dataclass(frozen=True, kw_only=True)
class Job:
    """Everything needed to reconstruct one clip. Small, and can be sent to another process."""

    source: str
    """File of a motion, or of tracked points."""
    output: str
    solver: Solver
    limits: str | None = "adult"
    """"adult", "recorded", the name of a file, or None for no limits."""
    skeleton: str | None = None
    """File with the body, for points and for motion files without one (.amc)."""
    height: float | None = None
    """Stature of the body [m], for points; bone lengths are fitted to the points."""
    subject: str | None = None
    """File of the subject whose points these are, instead of skeleton and height."""
    person: str | None = None
    """Label of the person whose points are taken, where the file has those of several people."""
    clear_elbows: bool = False
    """Swivel elbows out of the body after solving."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Options of `load` for the source."""
    cleaning: Cleaning | None = field(default_factory=Cleaning)
    """What is done to points of a file before they are reconstructed; None for nothing."""


class Clip(NamedTuple):
    """What a job starts from."""

    original: Motion | None
    """The motion whose points are taken, if the file holds one."""
    points: Points
    skeleton: Skeleton | Subject
    notes: tuple[str, ...] = ()
    """What was guessed about the points and the body."""


def read_clip(job: Job) -> Clip:
    """Read the points of a job and their body, and the motion that they are taken from.

    Raises:
        WrongOption: a body is missing, or there is one too many.
    """
    source, options = job.source, dict(job.reading)
    if "layout" not in options and not formats.holds_points(source):
        for option in ("height", "subject"):
            if getattr(job, option) is not None:
                raise WrongOption(f"{source} is a motion with a body; `{option}` is for points.")
        if job.skeleton is not None:
            if not formats.takes_skeleton(source):
                raise WrongOption(f"{source} has its own skeleton; leave out `skeleton`.")
            options["skeleton"] = job.skeleton
        original = formats.load(source, **options)
        return Clip(original, original.points(), original.skeleton)
    bodies = [name for name in ("skeleton", "height", "subject") if getattr(job, name) is not None]
    if len(bodies) > 1:
        raise WrongOption(
            f"Give the body of {source} by `skeleton`, a file, or `height` in metres, or "
            f"`subject`, a file of `sixpoint fit`: one of them, not {' and '.join(bodies)}."
        )
    # Unit, axes, rate and layout are said of the points; the body's own file speaks for itself.
    roles, lenient = (options.pop(key, None) for key in ("roles", "lenient"))
    if job.skeleton is None:
        subject = None if job.subject is None else Subject.load(job.subject)
        known = None if subject is None else subject.skeleton
        points, notes = _cleaned_points(job, options | {"roles": roles}, known)
        if subject is not None:
            return Clip(None, points, subject, notes)
        _check_recognised(points)
        body, found = _fitted(points, job.height, "layout" in options)
        return Clip(None, points, body, (*notes, *found))
    names = formats.load_skeleton(job.skeleton, lenient=lenient).names
    of_joints = {role: name for role, name in (roles or {}).items() if name in names}
    of_markers = {role: name for role, name in (roles or {}).items() if name not in names}
    skeleton = formats.load_skeleton(job.skeleton, roles=of_joints or None, lenient=lenient)
    points, notes = _cleaned_points(job, options | {"roles": of_markers or None}, skeleton)
    return Clip(None, points, skeleton, notes)


def _cleaned_points(
    job: Job, options: dict[str, Any], skeleton: Skeleton | None
) -> tuple[Points, tuple[str, ...]]:
    """Read the points of a job and clean them, as those of a person; what was guessed and done."""
    cleaning = job.cleaning
    if cleaning is None or (skeleton is not None and skeleton.kind != "human"):
        return _points_of(job, options)
    if "layout" in options or formats.has_own_unit(job.source):
        cleaning = replace(cleaning, unit="m", up="y", hand="right")
    else:
        said = {key: options.pop(key) for key in ("unit", "up") if key in options}
        cleaning = replace(cleaning, **said)
    points, notes = _points_of(job, options)
    if not len(points):
        return points, notes
    if cleaning.names != "auto":
        _check_recognised(points)
    cleaned = clean_as(points, cleaning, skeleton).points
    return cleaned, (*notes, *(note for note in cleaned.notes if note not in notes))


def _fitted(
    points: Points, height: float | None, dense: bool
) -> tuple[Skeleton | Subject, tuple[str, ...]]:
    """Return a body that is fitted to points, and what to say of it.

    Joints of a layout show their bones. Otherwise a subject is fitted, or the average body of the
    height taken if that fails.

    Raises:
        WrongOption: nothing can be fitted, and no height is known.
    """
    if dense:
        return measured_skeleton(points, height=height), () if height is not None else (MEASURED,)
    try:
        subject = fit_subject(points, height=height)
    except InputError as error:
        if height is None:
            raise WrongOption(
                f"No body was given, and none can be fitted: {error} Give it by `skeleton`, a "
                "file, or `height` in metres, or `subject`, a file of `sixpoint fit`."
            ) from error
        note = f"an average body of {height:g} m is used, as none can be fitted: {error}"
        return Skeleton.humanoid(height), (note,)
    if height is not None:
        return subject, ()
    stature = subject.skeleton.anatomy.stature
    worn = f", {len(subject.mounts)} trackers off their joints" if subject.mounts else ""
    note = f"no body was given: one of {stature:.2f} m{worn} was fitted"
    return subject, (f"{note} ({'; '.join(subject.found)})",)


def _points_of(job: Job, options: Mapping[str, Any]) -> tuple[Points, tuple[str, ...]]:
    """Read the points of a job, all of them or those of its person, and what was guessed.

    Raises:
        UnknownName: there is no such person.
        InputError: there are several people, and the job names none.
    """
    points, _, notes = formats.read_points(job.source, **options)
    people = people_of(points)
    if job.person is not None:
        if job.person not in people:
            raise UnknownName("person", job.person, people)
        return people[job.person], notes
    if len(people) > 1:
        raise InputError(
            f"{job.source} has points of {len(people)} people, {', '.join(people)}; expected "
            "`person` to say whose."
        )
    return points, notes


def people_jobs(job: Job, heights: Mapping[str, float] | None = None) -> list[Job]:
    """Return a job for each person of a file of points; the job itself where there is one person.

    Args:
        job: its output gets the label of each person before the ending: ``out.anna.bvh``.
        heights: statures of people who are not as tall as the job says, by label [m].

    Raises:
        UnknownName: a height of somebody who is not in the file.
    """
    heights = heights or {}
    people: list[str] = []
    if "layout" not in job.reading and formats.holds_points(job.source):
        reading = {k: v for k, v in job.reading.items() if k not in ("roles", "lenient")}
        people = [*people_of(formats.load_points(job.source, **reading))]
    for label in heights:
        if label not in people:
            raise UnknownName("person", label, people)
    if len(people) < 2 and not heights:
        return [job]
    output = Path(job.output)
    return [
        replace(
            job,
            person=label,
            output=str(output.with_suffix(f".{label}{output.suffix}")),
            height=heights.get(label, job.height),
            skeleton=None if label in heights else job.skeleton,
            subject=None if label in heights else job.subject,
        )
        for label in people
    ]


def reconstruct_people(
    points: Points,
    skeletons: Skeleton | Mapping[str, Skeleton],
    solver: str | Solver = "guided",
    **options: Any,
) -> dict[str, Result]:
    """Return the motion of each of several people, followed by a tracker of their own.

    Args:
        points: points with the labels of people, as in ``anna:head``.
        skeletons: the body of all of them, or one for each by label.
        solver: a key of `SOLVERS`, or a solver.
        **options: as of `reconstruct`.

    Raises:
        UnknownName: a person has no body, or a body belongs to nobody.
    """
    people = people_of(points)
    bodies = dict.fromkeys(people, skeletons) if isinstance(skeletons, Skeleton) else skeletons
    for label in people:
        if label not in bodies:
            raise UnknownName("body of", label, bodies)
    for label in bodies:
        if label not in people:
            raise UnknownName("person", label, people)
    return {
        label: reconstruct(each, bodies[label], solver, **options) for label, each in people.items()
    }


def read_limits(limits: str | None, skeleton: Skeleton) -> LimitsChoice:
    """Return the limits that a job names: "adult" and None as they are, others on the skeleton.

    Args:
        limits: "adult", "recorded", or a file of limits for this rig or by role.
        skeleton: whose limits they are.

    Raises:
        UnknownName: the file has limits of joints which the skeleton does not have.
    """
    if limits is None:
        return None
    if limits == "adult":
        return "adult"
    if limits == "recorded":
        return recorded_limits(skeleton)
    if is_by_role(limits):
        return RoleLimits.load(limits).limits(skeleton)
    found = Limits.load(limits)
    for name in found:
        if name not in skeleton.names:
            raise UnknownName(f"joint to limit, as {limits} does:", name, skeleton.names)
    return found


def reconstruct_file(job: Job) -> dict[str, Any]:
    """Reconstruct a clip from file to file; return a report with the keys of `REPORT_KEYS`."""
    original, points, skeleton, said = read_clip(job)
    if len(points) == 0:
        raise InputError(f"{job.source}: there are no frames to reconstruct.")
    result = reconstruct(
        points,
        skeleton,
        job.solver,
        limits=read_limits(
            job.limits, skeleton.skeleton if isinstance(skeleton, Subject) else skeleton
        ),
        tracked=original is None,
        clear_elbows=job.clear_elbows,
        bridge_gaps=original is None and job.cleaning is not None and job.cleaning.bridge_gaps,
    )
    motion, comparison = result.motion, None
    notes = list(said)
    if original is not None:
        # The output stands in its file as the input did: unit, axes, order of channels.
        motion = replace(motion, source=original.source)
        comparison = compare(motion, original)
        notes += original.source.notes
    notes += formats.save(motion, job.output)
    return report_of(result, comparison, notes)


def find_jobs(template: Job) -> list[Job]:
    """Return a job for each clip below a folder, its output at the same place below the output.

    Args:
        template: what all jobs share; its source and output are folders.
    """
    source, target = Path(template.source), Path(template.output)
    if target.exists() and not target.is_dir():
        raise WrongOption(f"{source} is a folder, so the output must be one; {target} is a file.")
    if target.exists() and target.samefile(source):
        raise WrongOption("The output folder is the input folder; give another one.")
    bodies = (template.skeleton, template.height, template.subject)
    given = any(body is not None for body in bodies) or "layout" in template.reading
    kinds = [kind for kind in formats.suffixes("read") if kind not in NO_CLIPS]
    if given:
        kinds += [kind for kind in formats.suffixes("read_points") if kind not in kinds]
    if "layout" not in template.reading:  # a folder may hold limits (.json) and other arrays
        kinds = [kind for kind in kinds if kind not in ARRAYS]
    inside = target.resolve()
    clips = [
        path
        for path in sorted(source.rglob("*"))
        if path.suffix.lower() in kinds and path.is_file() and inside not in path.resolve().parents
    ]
    if given:  # a body is for clips that have none
        clips = [p for p in clips if formats.holds_points(p) or formats.takes_skeleton(p)]
    if not clips:
        raise InputError(f"{source}: no clip in this folder; expected {', '.join(kinds)}.")
    jobs, taken = [], set()
    for path in clips:
        place = path.relative_to(source)
        keeps = path.suffix.lower() in formats.suffixes("write")
        name = place if keeps else place.with_suffix(".bvh")
        if name in taken or (not keeps and path.with_suffix(".bvh") in clips):
            name = place.with_name(place.name + ".bvh")  # walk.amc beside walk.bvh
        taken.add(name)
        job = replace(template, source=str(path), output=str(target / name))
        jobs += people_jobs(job) if given else [job]
    return jobs


def try_job(job: Job) -> dict[str, Any]:
    """Return the report of a clip with its file names, or the message of what went wrong."""
    entry: dict[str, Any] = {"input": job.source, "output": job.output, "error": None}
    if job.person is not None:
        entry["person"] = job.person
    try:
        Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        return entry | reconstruct_file(job)
    except (SixpointError, OSError, MemoryError) as error:
        message = str(error) or type(error).__name__
        if job.source not in message:
            message = f"{job.source}: {message}"
        return entry | dict.fromkeys(REPORT_KEYS) | {"output": None, "error": message}


def run_jobs(jobs: Sequence[Job], workers: int = 1) -> Iterator[dict[str, Any]]:
    """Yield what `try_job` returns for each job, in their order; several processes at a time."""
    workers = min(workers, len(jobs))
    if workers == 1:
        yield from map(try_job, jobs)
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
        yield from pool.map(try_job, jobs)
    except BrokenProcessPool as error:
        raise SixpointError(
            "a process died while reconstructing, perhaps for lack of memory; try fewer processes"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def summary_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the report of several clips, from what `run_jobs` yields.

    Means of errors, sums of counts, the largest of the largest; of clips that failed nothing.
    """
    good = [entry for entry in entries if not entry["error"]]

    def gather(key: str, merge: Callable[[list[Any]], Any]) -> Any:
        values = [e[key] for e in good if e[key] is not None and math.isfinite(e[key])]
        return merge(values) if values else None

    values: dict[str, Any] = dict.fromkeys(REPORT_KEYS)
    values |= {key: gather(key, statistics.fmean) for key in (*ERRORS, "target_mean_m")}
    values |= {
        key: gather(key, sum) or 0 for key in ("frames", "limit_violations", "steps_over_30deg")
    }
    values |= {key: gather(key, max) for key in ("target_max_m", "p99_us")}
    values["median_us"] = gather("median_us", statistics.median)
    for key in ("solver", "rate", "joints"):  # only what all clips share
        shared = {entry[key] for entry in good}
        values[key] = shared.pop() if len(shared) == 1 else None
    values["warnings"] = [
        f"{Path(entry['input']).name}: {text}" for entry in good for text in entry["warnings"]
    ]
    return values
