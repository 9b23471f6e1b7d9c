"""Every solver, by its name."""

from __future__ import annotations

from typing import Any

from ..errors import UnknownName
from .base import Solver
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
from .sequential.analytic import AnalyticUpperSolver
from .sequential.guided import GuidedSolver
from .sequential.kma import KMASolver
from .sequential.sik import SequentialSolver
from .sequential.tgb import TGBSolver
from .settings import with_settings
from .springs.methods import SpringForceSolver, SpringPositionSolver
from .sweeps.methods import CCDSolver, FABRIKSolver

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
    chosen: Solver = with_settings(SOLVERS[name], settings)
    return chosen
