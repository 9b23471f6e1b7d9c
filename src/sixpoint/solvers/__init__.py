"""How it is answered: one file for each method, one table of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..motion.points import Points
from ..tasks import Task
from .analytic_upper import AnalyticUpperSolver
from .base import Capabilities, LimitsChoice, Solver, Tracker, with_settings
from .ccd import CyclicSolver
from .dls import DampedSolver
from .expression import Expression, express
from .fabrik import ReachingSolver
from .guided import GuidedSolver
from .kma import KulpaMultonSolver
from .mass_spring import SpringForceSolver, SpringPositionSolver
from .monte_carlo import MonteCarloSolver
from .pik import PrioritizedSolver
from .pik_balance import BalanceSolver
from .pseudoinverse import PseudoinverseSolver
from .sdls import SelectivelyDampedSolver
from .sik import SequentialSolver
from .solution import Report, Result, Solution, StopReason
from .svd_dls import DampedSvdSolver
from .tgbsik import SwivelSolver
from .transpose import TransposeSolver

__all__ = [
    "SOLVERS",
    "AnalyticUpperSolver",
    "BalanceSolver",
    "Capabilities",
    "CyclicSolver",
    "DampedSolver",
    "DampedSvdSolver",
    "Expression",
    "GuidedSolver",
    "KulpaMultonSolver",
    "MonteCarloSolver",
    "PrioritizedSolver",
    "PseudoinverseSolver",
    "ReachingSolver",
    "Report",
    "Result",
    "SelectivelyDampedSolver",
    "SequentialSolver",
    "Solution",
    "Solver",
    "SpringForceSolver",
    "SpringPositionSolver",
    "StopReason",
    "SwivelSolver",
    "Tracker",
    "TransposeSolver",
    "express",
    "reconstruct",
    "solver",
]

SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in (
        SequentialSolver,
        GuidedSolver,
        KulpaMultonSolver,
        SwivelSolver,
        AnalyticUpperSolver,
        CyclicSolver,
        ReachingSolver,
        TransposeSolver,
        PseudoinverseSolver,
        DampedSolver,
        DampedSvdSolver,
        SelectivelyDampedSolver,
        PrioritizedSolver,
        SpringForceSolver,
        SpringPositionSolver,
        MonteCarloSolver,
        BalanceSolver,
    )
}
"""Every solver, by its name. Tests, command line, benches and docs read this table."""


def solver(name: str, **settings: Any) -> Solver:
    """A solver by its name, with some settings changed.

    Args:
        name: a key of `SOLVERS`.
        **settings: fields of that solver, such as ``weights=(0.1, 0.1, 1.0)``.
    """
    if name not in SOLVERS:
        raise UnknownName("solver", name, SOLVERS)
    return with_settings(SOLVERS[name], settings)


def reconstruct(
    points: Points,
    skeleton: Skeleton,
    solver: str | Solver = "sik",
    *,
    limits: LimitsChoice = "adult",
    tasks: Sequence[Task[Any]] | None = None,
    **settings: Any,
) -> Result:
    """Full-body motion from tracked points.

    Args:
        points: what was seen; NaN where it was not. The six points of a person, or any nodes of
            any figure for solvers that say so.
        skeleton: the body that was tracked.
        solver: a key of `SOLVERS`, or a solver.
        limits: joint limits to keep; None for none.
        tasks: what is asked of the points; see `Solver.prepare`.
        **settings: settings of the solver, when it is given by name.
    """
    if isinstance(solver, Solver) and settings:
        raise InputError(
            f"Expected settings only with the name of a solver, got {', '.join(settings)} with a "
            f"{type(solver).__name__}, which has its own."
        )
    chosen = solver if isinstance(solver, Solver) else _by_name(solver, **settings)
    tracker = chosen.prepare(
        skeleton, limits=limits, rate=points.rate, names=points.names, tasks=tasks
    )
    return tracker.solve_clip(points)


_by_name = solver
