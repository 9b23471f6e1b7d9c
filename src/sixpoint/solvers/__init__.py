"""How points become poses: a package for each family of methods, one table of them all."""

from __future__ import annotations

from typing import Any

from ..errors import UnknownName
from .base import Capabilities, Solver
from .jacobian.balance import BalanceSolver
from .jacobian.damped import (
    DampedSolver,
    DampedSvdSolver,
    PseudoinverseSolver,
    SelectivelyDampedSolver,
    TransposeSolver,
)
from .jacobian.priority import PrioritizedSolver
from .particles.methods import MonteCarloSolver
from .particles.stream import ParticleStream
from .problem import LimitsChoice
from .sequential.analytic import AnalyticUpperSolver
from .sequential.guided import GuidedSolver
from .sequential.kma import KMASolver
from .sequential.sik import SequentialSolver
from .sequential.tgb import TGBSolver
from .settings import settings_of
from .solution import Report, Result, Solution, StopReason
from .springs.batch import ChainBatch, solve_batch, solve_positions
from .springs.expression import Expression, express
from .springs.methods import SpringForceSolver, SpringPositionSolver
from .sweeps.methods import CCDSolver, FABRIKSolver
from .tracker import Tracker

__all__ = [
    "SOLVERS",
    "AnalyticUpperSolver",
    "BalanceSolver",
    "CCDSolver",
    "Capabilities",
    "ChainBatch",
    "DampedSolver",
    "DampedSvdSolver",
    "Expression",
    "FABRIKSolver",
    "GuidedSolver",
    "KMASolver",
    "LimitsChoice",
    "MonteCarloSolver",
    "ParticleStream",
    "PrioritizedSolver",
    "PseudoinverseSolver",
    "Report",
    "Result",
    "SelectivelyDampedSolver",
    "SequentialSolver",
    "Solution",
    "Solver",
    "SpringForceSolver",
    "SpringPositionSolver",
    "StopReason",
    "TGBSolver",
    "Tracker",
    "TransposeSolver",
    "express",
    "solve_batch",
    "solve_positions",
    "solver",
]

SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in (
        SequentialSolver,
        GuidedSolver,
        KMASolver,
        TGBSolver,
        AnalyticUpperSolver,
        CCDSolver,
        FABRIKSolver,
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
    """Return a solver by its name, with some settings changed.

    Args:
        name: a key of `SOLVERS`.
        **settings: fields of that solver, such as ``weights=(0.1, 0.1, 1.0)``.
    """
    if name not in SOLVERS:
        raise UnknownName("solver", name, SOLVERS)
    kind = SOLVERS[name]
    known = settings_of(kind)
    for setting in settings:
        if setting not in known:
            raise UnknownName(f"setting of solver {name!r}", setting, known)
    return kind(**settings)
