"""People for whom another solver goes ahead: its pose of the same frame is a start or a wish.

The leader runs its own kernel over the frames first; the one that follows takes what it found,
points that were not seen included, so that both solve the same frame. What follows no leader starts
from the pose of the frame before, as the iterative methods were published.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.points import SIX, Points
from ._kernels.tables import FrameTable, RecordArray
from .base import one_of
from .body_table import new_frames
from .figure_solver import FigureSolver
from .guided import GuidedSolver
from .human import HumanSolver, HumanTracker
from .sik import SequentialSolver
from .solution import Result

LEADERS = ("sik", "guided")
"""Solvers that can go ahead."""


class LedMemory(NamedTuple):
    """What is kept from frame to frame."""

    own: Any
    ahead: Any
    """The leader's; None where there is none."""


class LedTracker(HumanTracker):
    """A person followed behind the solver's `leader`, where it has one."""

    def _prepare(self) -> None:
        super()._prepare()
        ahead = self.solver.leader
        self._leader: HumanTracker | None = None
        if ahead is not None:
            self._leader = ahead.tracker(ahead, self.skeleton, self.limits, self._rate, SIX)
        self._lead = new_frames(self.skeleton.joint_count, 0)

    def _new_memory(self) -> LedMemory:
        return LedMemory(self._new_own(), self._leader and self._leader._new_memory())

    def _clear(self, memory: LedMemory) -> None:
        self._clear_own(memory.own)
        if self._leader is not None:
            self._leader._clear(memory.ahead)

    def solve_clip(self, points: Points) -> Result:
        """Poses for a clip, from a fresh start; see `Tracker.solve_clip`."""
        if self._leader is None or points.rate == self._rate:
            return super().solve_clip(points)
        usual = self._leader._settings
        self._leader._settings = self._leader.solver.records(points.rate)
        try:
            return super().solve_clip(points)
        finally:
            self._leader._settings = usual

    def _run(
        self,
        settings: RecordArray,
        memory: LedMemory,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        self._go_ahead(memory, seen, turned, first, last)
        self._follow(settings, memory.own, self._lead, seen, turned, out, first, last)

    def _go_ahead(
        self, memory: LedMemory, seen: Floats, turned: Floats, first: int, last: int
    ) -> None:
        """Let the leader solve some frames first, where there is one."""
        if (leader := self._leader) is not None:
            if len(self._lead.flags) != len(seen):
                self._lead = new_frames(self.skeleton.joint_count, len(seen))
            leader._run(leader._settings, memory.ahead, seen, turned, self._lead, first, last)

    @property
    def _ahead(self) -> RecordArray:
        """The leader's scratch memory, where the points are that it used; or one's own."""
        return self._work if self._leader is None else self._leader._work

    @abc.abstractmethod
    def _new_own(self) -> Any:
        """What the solver itself keeps from frame to frame."""

    @abc.abstractmethod
    def _clear_own(self, memory: Any) -> None:
        """Forget it."""

    @abc.abstractmethod
    def _follow(
        self,
        settings: RecordArray,
        memory: Any,
        lead: FrameTable,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        """Solve some frames; `lead` has the leader's answers, or none."""


@dataclass(frozen=True, kw_only=True)
class LedSolver(FigureSolver):
    """Settings of iterative methods that may start anywhere."""

    start: Literal["previous", "sik", "guided"] = "previous"
    """Where a frame of a person by six points begins: at the pose of the frame before, as
    published; or at that of sequential IK or of the guided solver in the same frame, whose pelvis,
    hands and feet are kept. Other figures begin at the frame before."""
    prior: str = ""
    """File of the guided solver's model, where it goes ahead; empty for the one built in."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        one_of("start", self.start, ("previous", *LEADERS))
        check_prior(self, self.prior, 'start="guided"')

    @property
    def leader(self) -> HumanSolver | None:
        """Who goes ahead."""
        return None if self.start == "previous" else leader_of(self.start, self, self.prior)

    def records(self, rate: float) -> RecordArray:
        """All settings as the kernels read them."""
        settings = super().records(rate)
        settings["led_start"] = self.start != "previous"
        return settings


def leader_of(name: str, follower: HumanSolver, prior: str = "") -> HumanSolver:
    """A leader by its name; it treats points that were not seen as its follower would."""
    missing, recovery = follower.missing, follower.recovery
    if name == "sik":
        return SequentialSolver(weights=follower.weights, missing=missing, recovery=recovery)
    return GuidedSolver(prior=prior, missing=missing, recovery=recovery)


def check_prior(solver: HumanSolver, prior: str, how: str) -> None:
    """Refuse the file of a prior that nobody would read, or that cannot be read."""
    if prior and not isinstance(solver.leader, GuidedSolver):
        raise InputError(
            f"Expected `prior` only where solver {solver.name!r} follows the guided solver, as "
            f"with {how}; got {prior!r} without."
        )
