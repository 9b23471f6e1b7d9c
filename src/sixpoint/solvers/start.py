"""Warm start: another solver that solves each frame first and provides its initial pose.

The solver that follows takes the points as the first one used them, guesses included, so that both
solve the same frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ..errors import InputError
from ..motion.points import SIX
from ..priors.model import prior_of
from .base import Solver


@dataclass(frozen=True, kw_only=True)
class StartSettings:
    """Settings of iterative methods that may start anywhere."""

    start: Literal["previous", "sik", "guided"] = "previous"
    """Where a frame of a person by six points begins: at the pose of the frame before, as
    published; or at that of sequential IK or of the guided solver in the same frame, whose pelvis,
    hands and feet are kept. Other skeletons begin at the frame before."""
    prior: str = ""
    """File of the guided solver's model, where it provides the start; empty for the one built
    in."""

    def check(self) -> None:
        """Refuse a model that nobody would read."""
        check_prior(self, self.prior, self.start == "guided", 'start="guided"')

    @property
    def first(self) -> Solver | None:
        """The solver that goes first, if there is one."""
        return None if self.start == "previous" else start_solver(self.start, self, self.prior)

    @property
    def needed(self) -> tuple[str, ...]:
        """Those of the solver that goes first, where there is one: it guesses the others."""
        return SIX if self.first is None else self.first.needed


def start_solver(name: str, follower: Any, prior: str = "") -> Solver:
    """Return a solver that goes first; it treats points that were not seen as its follower."""
    from .guided.solver import GuidedSolver
    from .sequential.sik import SequentialSolver

    if name == "sik":
        return SequentialSolver(
            weights=follower.weights, missing=follower.missing, recovery=follower.recovery
        )
    return GuidedSolver(prior=prior, recovery=follower.recovery)


def check_prior(solver: Any, prior: str, used: bool, how: str) -> None:
    """Refuse the file of a model that nobody would read, or that cannot be read."""
    if prior and not used:
        raise InputError(
            f"Expected `prior` only where solver {solver.name!r} follows the guided solver, as "
            f"with {how}; got {prior!r} without."
        )
    if prior:
        prior_of(prior)
