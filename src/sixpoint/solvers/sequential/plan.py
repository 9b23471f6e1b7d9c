"""A person solved part by part: what the kernels of sequential IK are given, and their plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from ...kernels._jit import Kernel, frame_kernel
from ...kernels.limits import LimitTable
from ...kernels.types import Floats
from ..base import Solver
from ..context import Frames
from ..people.body import row_names
from ..people.plan import PersonPlan
from ..people.tables import Body, PersonContext, Settings, State, Work
from ..problem import Problem
from ..settings import Number

SWIVELS: Mapping[str, Number] = {"twist_weight": 1.0, "prior_weight": 0.0, "keep_plane": False}
"""What limbs of the family read although only some methods have a setting for it."""


class Context(PersonContext, Protocol):
    """What every method of the family has in its contexts."""

    @property
    def limits(self) -> LimitTable:
        """Limits of the rows of joints."""

    @property
    def rest(self) -> Floats:
        """Rotations of the rig's joints in the neutral stance, within limits, (J, 4)."""


class SequentialContext(NamedTuple):
    """One person; arrays of one record outside of kernels, records inside."""

    body: Body
    settings: Settings
    state: State
    work: Work
    limits: LimitTable
    rest: Floats


def sequential_kernel(
    solve_frame: Callable[[Context, Frames, int], None],
) -> Kernel[[SequentialContext, Frames, int, int], None]:
    """Return the loop that solves the frames of a clip one after the other."""

    def loop(context: SequentialContext, frames: Frames, first: int, last: int) -> None:
        body, settings, state, work, limits, rest = context
        c = SequentialContext(body[0], settings[0], state[0], work[0], limits, rest)
        for frame in range(first, last):
            solve_frame(c, frames, frame)

    return frame_kernel(solve_frame, loop)


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
