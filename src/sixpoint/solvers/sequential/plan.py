"""A person solved part by part: what the kernels of sequential IK are given, and their plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from ...kernels._jit import Kernel, frame_kernel
from ...kernels.limits import LimitTable
from ...kernels.types import Bools, Floats
from ..base import Solver
from ..context import (
    BLOCKED,
    CLAVICLE,
    COLLIDED,
    LIMITED,
    SPINE_BENT,
    SPINE_LIMITED,
    SPINE_STRETCHED,
    STALLED,
    SWIVELLED,
    UNREACHABLE,
    Frames,
    Output,
)
from ..people.body import row_names
from ..people.plan import PersonPlan
from ..people.tables import Body, PersonContext, Settings, State, Work
from ..problem import Problem
from ..settings import Number

LIMB_NAMES = ("l_arm", "r_arm", "l_leg", "r_leg")
"""Limbs in the order of their rows."""
SWIVELS: Mapping[str, Number] = {"twist_weight": 1.0, "prior_weight": 0.0, "keep_plane": False}
"""What limbs of the family read although only some methods have a setting for it."""


PELVIS_DEVIATION = 0
"""Column of `Output.numbers`: angle of the pelvis's X axis from its estimate [rad]."""
NUMBERS = 1
"""Columns of `Output.numbers` of every method of the family."""
BRANCHES: Mapping[str, int] = {
    "spine bends": SPINE_BENT,
    "spine at its limits": SPINE_LIMITED,
    "spine too short": SPINE_STRETCHED,
    **{
        f"{name} {what}": bit << limb
        for limb, name in enumerate(LIMB_NAMES)
        for what, bit in (
            ("out of reach", UNREACHABLE),
            ("at its limits", LIMITED),
            ("on another swivel", SWIVELLED),
        )
    },
    **{
        f"{name} {what}": bit << limb
        for limb, name in enumerate(LIMB_NAMES[:2])
        for what, bit in (
            ("moves its clavicle", CLAVICLE),
            ("pushed out of the torso", COLLIDED),
            ("gives way to the torso", BLOCKED),
            ("stays in the torso", STALLED),
        )
    },
}
"""What the steps of the method decide in a frame, and the flag of each; a spine that does not bend
stretches."""


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


def extras_of(out: Output) -> dict[str, Floats]:
    """Angle of the pelvis's X axis from its estimate [rad]: what the trunk turned it."""
    return {"pelvis_deviation": out.numbers[:, PELVIS_DEVIATION].copy()}


def branches_of(out: Output) -> dict[str, Bools]:
    """Which way the steps took in each frame."""
    return {name: (out.flags & bit) != 0 for name, bit in BRANCHES.items()}


class SequentialPlan(PersonPlan):
    """A person solved part by part.

    Args:
        solver: whose settings are used.
        problem: skeleton, limits, rate and names.
        kernel: solves one frame after the other.
        numbers: what the kernel reads besides the settings.
        start: a solver that solves each frame first.
    """

    numbers = NUMBERS

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

    def extras(self, out: Output) -> dict[str, Floats]:
        """Return what finished frames say besides."""
        return extras_of(out)

    def branches(self, out: Output) -> dict[str, Bools]:
        """Return which way the steps took in each frame."""
        return branches_of(out)
