"""What the kernels of sequential IK are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ...kernels._jit import Kernel, frame_kernel
from ...kernels.limits import LimitTable
from ...kernels.types import Floats
from ..context import Frames
from ..people.tables import Body, PersonContext, Settings, State, Work


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
        c = SequentialContext(
            context.body[0],
            context.settings[0],
            context.state[0],
            context.work[0],
            context.limits,
            context.rest,
        )
        for frame in range(first, last):
            solve_frame(c, frames, frame)

    return frame_kernel(solve_frame, loop)
