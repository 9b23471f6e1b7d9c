"""What a method makes of one skeleton: its tables, its kernel, and what the answers mean."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..kernels._jit import Kernel
from ..kernels.types import Bools, Floats
from ..motion.motion import Motion
from ..motion.pose import Pose
from .context import Frames, Output, new_output
from .problem import Problem
from .solution import StopReason


@dataclass(frozen=True, eq=False)
class Status:
    """What limits and distance did to each of N points in each of F frames."""

    unreachable: Bools
    """Targets that bones cannot reach, however they turn, (F, N)."""
    limited: Bools
    """Points that joint limits keep from their targets, (F, N)."""
    blocked: Bools
    """Points kept from their targets since their limbs give way to the torso, (F, N)."""
    missing: Bools
    """Points that were asked for and not seen, (F, N)."""
    missed: Bools
    """Points away from a target that bones can reach, (F, N)."""


class Plan(abc.ABC):
    """A method made ready for one skeleton: the points that it reads, its tables, its kernel.

    A plan does not change. What does is in the contexts that it makes, one for each tracker or
    clip: named tuples of arrays, in which there may be others.
    """

    kernel: Kernel[[Any, Frames, int, int], None]
    """Solves some frames."""
    points: tuple[str, ...]
    """Points in the order in which the kernel reads them."""
    rotated: int
    """Of how many of them, counted from the first, the kernel reads rotations."""
    start: Plan | None = None
    """Another method that solves each frame first, so that this one can start from its answer."""
    detailed: bool = False
    """Whether the method says something of rotations, tasks or extras."""
    numbers: int = 0
    """Columns of `Output.numbers`."""

    def __init__(self, solver: Any, problem: Problem) -> None:
        self.solver = solver
        self.problem = problem
        self.skeleton = problem.skeleton
        self.limits = problem.limits

    def __reduce__(self) -> Any:
        """A plan is made anew where it is unpickled: kernels are not copied."""
        return _plan_of, (self.solver, self.problem)

    @property
    def needed(self) -> tuple[str, ...]:
        """Points that must be given; others may be absent."""
        return self.points

    @property
    def names(self) -> tuple[str, ...]:
        """Points in the order of the arrays that users give."""
        return self.points if self.problem.names is None else self.problem.names

    @abc.abstractmethod
    def new_context(self, rate: float) -> Any:
        """Return the tables of the kernel, with the memory of a tracker that has seen nothing."""

    @abc.abstractmethod
    def begin(self, context: Any, pose: Pose) -> None:
        """Let a fresh context start from a pose, as if it had been the answer to a frame before."""

    def bind(self, context: Any, frames: Frames) -> Callable[[int, int], None]:
        """Return a function that solves the frames from a first to before a last one."""
        return self.kernel.bind(context, frames)

    def new_output(self, count: int) -> Output:
        """Return room for the answers to some frames."""
        return new_output(self.skeleton.joint_count, len(self.points), count, self.numbers)

    @abc.abstractmethod
    def pose(self, out: Output) -> Pose:
        """Return the pose of the first frame, in arrays of its own."""

    @abc.abstractmethod
    def motion(self, out: Output, rate: float) -> Motion:
        """Return the motion of all frames."""

    @abc.abstractmethod
    def stop_reason(self, frames: Frames, frame: int) -> StopReason:
        """Say why the method stopped on a frame."""

    @abc.abstractmethod
    def status(self, frames: Frames) -> Status:
        """Say what happened to each point in each frame, in the order of `points`."""

    def missing(self, frames: Frames) -> tuple[str, ...]:
        """Return the points that were not seen in the first frame."""
        lost = self.status(frames).missing[0]
        return tuple(name for name, gone in zip(self.points, lost, strict=True) if gone)

    def rotation_residuals(self, frames: Frames) -> Floats | None:
        """Angle of each point from the rotation asked for [rad], (F, N); None if none is."""
        return None

    def task_residuals(self, out: Output) -> dict[str, Floats]:
        """What each task lacks in each frame, (F,), by its label; of methods that say so."""
        return {}

    def extras(self, out: Output) -> dict[str, Floats]:
        """What else the method says of each frame, (F,), by name."""
        return {}

    def branches(self, out: Output) -> dict[str, Bools]:
        """Which way the steps of the method took in each frame, (F,), by name; if it says so."""
        return {}

    def remarks(self, frames: Frames) -> list[str]:
        """What the report of a clip should warn of."""
        return []


def _plan_of(solver: Any, problem: Problem) -> Plan:
    plan: Plan = solver.plan(problem)
    return plan
