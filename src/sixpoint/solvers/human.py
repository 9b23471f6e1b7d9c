"""Solvers of whole bodies: what they share around their kernels.

Every one of them gets the same six points, fills in those that were not seen, estimates the same
rotation of the pelvis (S0.46), writes into the same tables and is judged by the same report.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels._jit import Kernel
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..motion.pose import Pose
from ..tasks import Task
from ._kernels import tables
from ._kernels.tables import BLOCK, SETTINGS, FrameTable, RecordArray
from .base import LimitsChoice, Solver, Tracker, one_of, resolve_limits
from .body_table import (
    build_body,
    clear_state,
    held_rest,
    new_frames,
    new_state,
    new_work,
    row_names,
)
from .frames import FrameReader
from .report import report_clip
from .solution import Result, Solution, StopReason

TOLERANCE = 1e-3
"""A point nearer to its target than this part of the body height is met, to exact solvers."""
FADE = 0.075
"""Time in which the speed of a point that is predicted falls to a third [s]."""
FOLLOW = 1.0
"""Time in which the pelvis turns to the one line that is seen, wrists or ankles [s]: alone it
swings too much to be followed at once."""
FASTEST_TURN = math.radians(1200.0)
"""People turn no faster than this [rad/s]; a pirouette has about 1000 degrees a second."""


@dataclass(frozen=True, kw_only=True)
class HumanSolver(Solver):
    """Settings that all solvers of whole bodies have."""

    kernel: ClassVar[Kernel[..., None]]
    """Solves some frames; its arguments are those of `_kernels.sik.solve_frames`."""
    tracker: ClassVar[type[HumanTracker]]
    """What `prepare` gives."""

    weights: tuple[float, float, float] = (1.0, 1.0, 0.0)
    """How much the line between the wrists, the line between the ankles and the frame before decide
    where the pelvis faces. (1, 1, 0) suits fights and sports; (0.1, 0.1, 1) walking and climbing,
    where wrists and ankles swing against each other; a third weight that outweighs the others also
    prevents flips."""
    missing: Literal["hold", "predict"] = "hold"
    """Points that are not seen stay with the body, or also keep their speed for a moment."""
    recovery: float = 0.25
    """Time in which a point that is seen again eases to its place [s]."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        if len(self.weights) != 3 or not all(np.isfinite(w) and w >= 0 for w in self.weights):
            raise InputError(f"Expected `weights` to be three numbers >= 0, got {self.weights!r}.")
        if sum(self.weights) <= 0.0:
            raise InputError("Expected at least one of the `weights` to be above zero.")
        one_of("missing", self.missing, ("hold", "predict"))
        if not 0.0 <= self.recovery <= 60.0:
            raise InputError(f"Expected `recovery` in [0, 60] seconds, got {self.recovery}.")

    def prepare(
        self,
        skeleton: Skeleton,
        *,
        limits: LimitsChoice = "adult",
        rate: float = 60.0,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> Tracker:
        """Build the tables for one skeleton; see `Solver.prepare`."""
        if tasks is not None:
            raise InputError(
                f"Expected a solver of any figure for `tasks`, got {self.name!r}, which moves "
                "people by six points."
            )
        kept = resolve_limits(limits, skeleton)
        return self.tracker(self, skeleton, kept, rate, SIX if names is None else names)

    @property
    def leader(self) -> HumanSolver | None:
        """Another solver that goes ahead in every frame, for those that follow one."""
        return None

    @property
    def needed(self) -> tuple[str, ...]:
        """Those of the leader, where there is one: it guesses the others."""
        leader = self.leader
        return super().needed if leader is None else leader.needed

    @property
    def closeness(self) -> float:
        """A point nearer to its target than this part of the body height is met."""
        return TOLERANCE

    def numbers(self) -> dict[str, Any]:
        """The settings of one method as fields of `SETTINGS`; those it does not name are zero."""
        return {}

    def records(self, rate: float) -> RecordArray:
        """All settings as the kernels read them."""
        settings = np.zeros(1, SETTINGS)
        settings["weights"] = self.weights
        settings["project_previous"] = True
        settings["predict"] = self.missing == "predict"
        settings["recovery"] = round(self.recovery * rate)
        settings["fade"] = math.exp(-1.0 / (FADE * rate))
        settings["period"] = 1.0 / rate
        settings["follow"] = FOLLOW * rate
        settings["turn"] = FASTEST_TURN / rate
        for name, value in self.numbers().items():
            settings[name] = value
        return settings


class HumanTracker(Tracker):
    """One body followed by a compiled kernel, with its memory of the frames before."""

    def __init__(
        self,
        solver: HumanSolver,
        skeleton: Skeleton,
        limits: Limits,
        rate: float,
        names: Sequence[str],
    ) -> None:
        if not (np.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        self.solver = solver
        self.skeleton = skeleton
        self.limits = limits
        self._reader = FrameReader(names, needed=solver.needed)
        self.names = self._reader.names
        self._body, rest = build_body(skeleton.anatomy)
        self._rest = held_rest(skeleton, limits, rest)
        self._limits = limits.table(row_names(skeleton, self._body[0]))
        self._settings = solver.records(rate)
        self._rate = float(rate)
        self._work = new_work()
        self._one = self._new_frames(1)
        self._tolerance = solver.closeness * float(self._body[0].height)
        self._pelvis = skeleton.anatomy.node("pelvis")
        self._prepare()
        self._memory = self._new_memory()

    def _prepare(self) -> None:
        """Tables that one method needs besides the body's."""
        self._kernel = self.solver.kernel.compiled

    def _new_memory(self) -> Any:
        """What is kept from frame to frame."""
        return new_state()

    def _clear(self, memory: Any) -> None:
        clear_state(memory)

    def reset(self) -> None:
        """Forget earlier frames."""
        self._clear(self._memory)

    def warm_up(self) -> None:
        """Compile what is not compiled yet. Earlier frames are forgotten."""
        self.solve(self._reader.place(self._body[0].stance))
        self.reset()

    def solve(self, frame: Floats | Points) -> Solution:
        """Pose for one frame; see `Tracker.solve`."""
        begin = time.perf_counter()
        reader = self._reader
        seen, turned = reader.read(frame)
        out = self._one
        self._run(self._settings, self._memory, seen, turned, out, 0, 1)
        residuals = out.residuals[0][reader.order_back]
        flags = int(out.flags[0])
        missing = reader.missing(flags // tables.MISSING) if flags >= tables.MISSING else ()
        worst = float(np.fmax.reduce(residuals))
        converged = worst <= self._tolerance  # not if nothing was seen: NaN
        return Solution(
            self._one_pose(out),
            residuals,
            converged,
            int(out.iterations[0]),
            StopReason.CONVERGED if converged else _reason(flags),
            missing,
            time.perf_counter() - begin,
        )

    def _new_frames(self, count: int) -> FrameTable:
        """Room for the answers to some frames."""
        return new_frames(self.skeleton.joint_count, count, more=self._more)

    @property
    def _more(self) -> int:
        """Numbers that a method has to say of each frame besides the usual."""
        return 0

    def _one_pose(self, out: FrameTable) -> Pose:
        pose = Pose.__new__(Pose)  # our own arrays: nothing to check
        put = object.__setattr__
        put(pose, "skeleton", self.skeleton)
        put(pose, "rotations", out.rotations[0].copy())
        if self._pelvis == 0:
            put(pose, "root", out.root[0].copy())
            put(pose, "translations", None)
        else:
            moves = self.skeleton.offsets.copy()
            moves[self._pelvis] = out.root[0]
            put(pose, "root", moves[0])
            put(pose, "translations", moves)
        return pose

    def solve_clip(self, points: Points) -> Result:
        """Poses for a clip, from a fresh start; see `Tracker.solve_clip`."""
        reader = FrameReader(points.names, needed=self.solver.needed)
        seen, turned = reader.read_clip(points)
        count = len(points)
        out = self._new_frames(count)
        settings = self.solver.records(points.rate)
        memory = self._new_memory()
        self._run(settings, memory, seen, turned, out, 0, 0)  # compile before the clock runs
        spent = []
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            begin = time.perf_counter()
            self._run(settings, memory, seen, turned, out, first, last)
            spent.append((time.perf_counter() - begin) / (last - first))
        motion = self._motion(out, points.rate)
        return self._report(motion, reader, out, np.array(spent) * 1e6)

    def _report(
        self, motion: Motion, reader: FrameReader, out: FrameTable, spent_us: Floats
    ) -> Result:
        return report_clip(self.solver, motion, self.limits, reader, out, spent_us)

    def _run(
        self,
        settings: RecordArray,
        memory: Any,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        self._kernel(
            self._body,
            settings,
            memory,
            self._work,
            self._limits,
            self._rest,
            seen,
            turned,
            out,
            first,
            last,
        )

    def _motion(self, out: FrameTable, rate: float) -> Motion:
        if self._pelvis == 0:
            return Motion(self.skeleton, out.root, out.rotations, rate)
        moves = np.tile(self.skeleton.offsets, (len(out.root), 1, 1))
        moves[:, self._pelvis] = out.root
        return Motion(self.skeleton, moves[:, 0], out.rotations, rate, moves)


def _reason(flags: int) -> StopReason:
    if flags & (0xF * tables.STALLED):
        return StopReason.STALLED
    if flags & (0xF * tables.UNREACHABLE | tables.SPINE_STRETCHED):
        return StopReason.UNREACHABLE
    if flags & (0xF * tables.LIMITED | tables.SPINE_LIMITED):
        return StopReason.LIMITS_SATURATED
    if flags & tables.OUT_OF_STEPS:
        return StopReason.MAX_ITERATIONS
    return StopReason.STALLED


HumanSolver.tracker = HumanTracker
