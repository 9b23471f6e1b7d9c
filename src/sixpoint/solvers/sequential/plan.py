"""The tables of a person for sequential methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...motion.pose import Pose
from ..base import Solver
from ..people.body import row_names
from ..people.plan import PersonPlan
from ..problem import Problem
from ..settings import Number
from .context import SequentialContext

SWIVELS: Mapping[str, Number] = {"twist_weight": 1.0, "prior_weight": 0.0, "keep_plane": False}
"""What limbs of the family read although only some methods have a setting for it."""


class SequentialPlan(PersonPlan):
    """A person solved part by part.

    Args:
        solver: whose settings are used.
        problem: skeleton, limits, rate and names.
        kernel: solves one frame after the other.
        numbers: what the kernel reads besides the settings.
        start: a solver that solves each frame first.
    """

    def __init__(
        self,
        solver: Any,
        problem: Problem,
        kernel: Any,
        numbers: Mapping[str, Number] | None = None,
        start: Solver | None = None,
    ) -> None:
        super().__init__(solver, problem)
        self.kernel = kernel
        self.start = None if start is None else start.plan(problem)
        self._numbers = {**SWIVELS, **solver.numbers(), **(numbers or {})}
        self._limits = problem.limits.table(row_names(problem.skeleton, self.body[0]))

    def numbers_of_method(self) -> Mapping[str, Number]:
        """Return what the kernel reads besides the times of `PersonSettings`."""
        return self._numbers

    def new_context(self, rate: float) -> SequentialContext:
        """Return the tables of the kernel, with fresh memory."""
        return SequentialContext(*self.new_body_tables(rate), self._limits, self.rest)

    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose."""
        self.begin_state(context.state, pose)
