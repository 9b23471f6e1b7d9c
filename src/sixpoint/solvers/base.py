"""The contract of solvers: settings in, tracker out, one frame or one clip at a time.

A `Solver` is an immutable set of settings. `prepare` returns a `Tracker`, which keeps what changes
from frame to frame: `Tracker.solve` answers one frame, `Tracker.solve_clip` a whole clip in a
compiled loop, with the same bits. A method is a `Solver` with its settings and a `Plan`:
its tables for one skeleton, and the kernel that reads them.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..motion.points import SIX
from ..tasks import Task
from .plan import Plan
from .problem import LimitsChoice, Problem, resolve_limits
from .settings import Number, check_settings, numbers_of
from .tracker import Tracker


@dataclass(frozen=True)
class Capabilities:
    """What a solver can do; the tables in the docs and the laws in `conformance` read this.

    The defaults are those of sequential IK.
    """

    humans: bool = True
    """Reconstructs a whole human from the six points."""
    chains: bool = False
    """Works on any articulated skeleton."""
    limits: bool = True
    """Keeps joint limits."""
    rotations: bool = True
    """Uses the rotations of pelvis and head where points have them."""
    missing: bool = True
    """Carries on when points are not seen."""
    history: bool = True
    """The answer depends on earlier frames, even when all points are seen."""
    exact: bool = True
    """Meets a reachable target to a millimetre when no limit is in the way."""
    random: bool = False
    """Draws random numbers: repeats itself by its seed, but does not mirror."""


@dataclass(frozen=True, kw_only=True)
class Solver(abc.ABC):
    """An immutable set of settings. Call `prepare` to get a tracker.

    Subclasses are dataclasses; each field is a setting, checked against its annotation.
    """

    name: ClassVar[str]
    """Key in `SOLVERS`."""
    title: ClassVar[str]
    """The method in a few words."""
    capabilities: ClassVar[Capabilities]

    @property
    def needed(self) -> tuple[str, ...]:
        """Points of a person that must be there, if not seen at all times; others may be absent."""
        return SIX

    def prepare(
        self,
        skeleton: Skeleton,
        *,
        limits: LimitsChoice = "adult",
        rate: float = 60.0,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> Tracker:
        """Return a tracker of one skeleton.

        A person whose six points are given is followed as a whole, the pelvis where its point is.
        Any other skeleton, and a person of whom other points are given, is solved as it stands: its
        root keeps its position, and its joints turn until the points are met.

        Args:
            skeleton: the body to move. People need joints with recognisable names.
            limits: limits to keep.
            rate: frames a second, for what lasts a time [Hz].
            names: order of the points in arrays given to `Tracker.solve`. Default: the six of a
                person; the sites of any other skeleton, or the ends of its chains.
            tasks: what is asked of the points, for solvers of any skeleton. Default: to be reached,
                all alike.
        """
        if not (np.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        problem = Problem(
            skeleton,
            resolve_limits(limits, skeleton),
            float(rate),
            None if names is None else tuple(names),
            None if tasks is None else tuple(tasks),
        )
        return Tracker(self.plan(problem))

    @abc.abstractmethod
    def plan(self, problem: Problem) -> Plan:
        """Return the tables and the kernel of the method for one skeleton."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings as numbers, by the names under which kernels read them."""
        return numbers_of(self)

    def __post_init__(self) -> None:
        check_settings(self)
        self.check()

    def check(self) -> None:  # noqa: B027  (most solvers have no more to refuse)
        """Raise `InputError` for settings that make no sense together."""
