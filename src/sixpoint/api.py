"""From tracked points to a finished motion: what the command line and Python users call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .body.skeleton import Skeleton
from .errors import InputError
from .limits import Limits
from .motion.motion import Motion
from .motion.points import Points
from .motion.standing import stand_still, with_unseen
from .priors.plausibility import UNLIKE, find_mistake
from .solvers import GuidedSolver, LimitsChoice, Result, Solver
from .solvers import solver as solver_by_name
from .tasks import SelfContact, Task
from .tasks import clear_elbows as swivel_elbows

ANKLES = ("l_ankle", "r_ankle")
SLID = 0.01
"""Feet that end farther than this from where they stood are reported [m]."""


def reconstruct(
    points: Points,
    skeleton: Skeleton,
    solver: str | Solver = "sik",
    *,
    limits: LimitsChoice = "adult",
    tasks: Sequence[Task[Any]] | None = None,
    tracked: bool = True,
    clear_elbows: bool = False,
    **settings: Any,
) -> Result:
    """Return full-body motion from tracked points.

    People need a head or a pelvis; feet that were never tracked stay where they stood at first, or
    the solver finds them if it can. `Result.report.warnings` says what was assumed, and whether the
    points look as if they were mixed up.

    Args:
        points: what was seen; NaN where it was not. The six points of a person or fewer, or any
            nodes of any skeleton for solvers that say so.
        skeleton: the body that was tracked.
        solver: a key of `SOLVERS`, or a solver.
        limits: joint limits to keep; None for none.
        tasks: what is asked of the points; see `Solver.prepare`.
        tracked: whether the points come from trackers, which are easily mixed up. False for points
            taken from a motion: none is added, and only a mistake that can be named is reported.
        clear_elbows: swivel elbows out of the body after solving.
        **settings: settings of the solver, when it is given by name.
    """
    chosen = _solver(solver, settings)
    person = tasks is None and _is_person(points, skeleton, chosen)
    notes: list[str] = []
    if person and tracked:
        points, stood = _with_feet(points, skeleton, chosen)
        notes += stood
    tracker = chosen.prepare(
        skeleton, limits=limits, rate=points.rate, names=points.names, tasks=tasks
    )
    result = tracker.solve_clip(points)
    if notes:
        notes += _slid(result.motion, points, chosen)
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
    guided = getattr(solver, "first", None) or solver
    model = guided.model if isinstance(guided, GuidedSolver) else None
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
