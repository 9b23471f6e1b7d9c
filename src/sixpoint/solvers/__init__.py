"""How points become poses: a package for each family of methods, one table of them all.

A solver is imported when it is first asked for: a command that needs one does not wait for the
others.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import UnknownName
from .base import Capabilities, Solver
from .problem import LimitsChoice
from .settings import settings_of
from .solution import Report, Result, Solution, StopReason
from .tracker import Tracker

if TYPE_CHECKING:
    from .guided.solver import GuidedSolver as GuidedSolver
    from .jacobian.balance import BalanceSolver as BalanceSolver
    from .jacobian.damped import DampedSolver as DampedSolver
    from .jacobian.damped import DampedSvdSolver as DampedSvdSolver
    from .jacobian.damped import PseudoinverseSolver as PseudoinverseSolver
    from .jacobian.damped import SelectivelyDampedSolver as SelectivelyDampedSolver
    from .jacobian.damped import TransposeSolver as TransposeSolver
    from .jacobian.priority import PrioritizedSolver as PrioritizedSolver
    from .particles.methods import MonteCarloSolver as MonteCarloSolver
    from .particles.stream import ParticleStream as ParticleStream
    from .sequential.analytic import AnalyticUpperSolver as AnalyticUpperSolver
    from .sequential.kma import KMASolver as KMASolver
    from .sequential.sik import SequentialSolver as SequentialSolver
    from .sequential.tgb import TGBSolver as TGBSolver
    from .springs.batch import ChainBatch as ChainBatch
    from .springs.batch import solve_batch as solve_batch
    from .springs.batch import solve_positions as solve_positions
    from .springs.expression import Expression as Expression
    from .springs.expression import express as express
    from .springs.methods import SpringForceSolver as SpringForceSolver
    from .springs.methods import SpringPositionSolver as SpringPositionSolver
    from .sweeps.methods import CCDSolver as CCDSolver
    from .sweeps.methods import FABRIKSolver as FABRIKSolver

_BY_NAME = {
    "sik": "sequential.sik.SequentialSolver",
    "guided": "guided.solver.GuidedSolver",
    "kma": "sequential.kma.KMASolver",
    "tgbsik": "sequential.tgb.TGBSolver",
    "analytic-upper": "sequential.analytic.AnalyticUpperSolver",
    "ccd": "sweeps.methods.CCDSolver",
    "fabrik": "sweeps.methods.FABRIKSolver",
    "jacobian-transpose": "jacobian.damped.TransposeSolver",
    "pseudoinverse": "jacobian.damped.PseudoinverseSolver",
    "dls": "jacobian.damped.DampedSolver",
    "dls-svd": "jacobian.damped.DampedSvdSolver",
    "sdls": "jacobian.damped.SelectivelyDampedSolver",
    "pik": "jacobian.priority.PrioritizedSolver",
    "mass-spring-force": "springs.methods.SpringForceSolver",
    "mass-spring": "springs.methods.SpringPositionSolver",
    "monte-carlo": "particles.methods.MonteCarloSolver",
    "pik-balance": "jacobian.balance.BalanceSolver",
}
"""Name of a solver -> its module in this package, and its class."""
_OTHERS = (
    "particles.stream.ParticleStream",
    "springs.batch.ChainBatch",
    "springs.batch.solve_batch",
    "springs.batch.solve_positions",
    "springs.expression.Expression",
    "springs.expression.express",
)
_MODULES = {
    path.rpartition(".")[2]: path.rpartition(".")[0] for path in (*_BY_NAME.values(), *_OTHERS)
}
"""Public name -> module."""

__all__ = [
    "SOLVERS",
    "Capabilities",
    "LimitsChoice",
    "Report",
    "Result",
    "Solution",
    "Solver",
    "StopReason",
    "Tracker",
    "solver",
    *_MODULES,
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class SolverTable(MutableMapping[str, type[Solver]]):
    """Classes of solvers by name, imported at their first lookup."""

    def __init__(self, paths: dict[str, str]) -> None:
        self._found: dict[str, str | type[Solver]] = dict(paths)

    def __getitem__(self, name: str) -> type[Solver]:
        found = self._found[name]
        if isinstance(found, str):
            module, _, kind = found.rpartition(".")
            found = self._found[name] = getattr(import_module(f"{__name__}.{module}"), kind)
        return found

    def __setitem__(self, name: str, kind: type[Solver]) -> None:
        self._found[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


SOLVERS = SolverTable(_BY_NAME)
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
