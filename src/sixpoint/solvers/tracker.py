"""The tracker: follows one body through time, whatever the method.

It reads points, runs the kernel of a `Plan` over them and reports what came out. Everything that a
method does differently is in its plan.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.points import Points
from ..motion.pose import Pose
from .context import BLOCK, Frames, new_frames
from .plan import Plan
from .reading import FrameReader
from .report import clip_result
from .solution import Result, Solution, StopReason

if TYPE_CHECKING:
    from .base import Solver


class Run:
    """A plan with its memory and room for some frames; where another method goes first, its run."""

    def __init__(self, plan: Plan, rate: float, count: int) -> None:
        self.plan = plan
        self.rate = rate
        self.first = None if plan.start is None else Run(plan.start, rate, count)
        self.context = plan.new_context(rate)
        start = None if self.first is None else self.first.frames.out
        self.frames: Frames = new_frames(
            plan.new_output(count), len(plan.points), plan.rotated, start
        )
        self._solve: Callable[[int, int], None] = plan.bind(self.context, self.frames)

    def solve(self, first: int, last: int) -> None:
        """Solve the frames `first` to `last - 1`."""
        if self.first is not None:
            self.first.solve(first, last)
        self._solve(first, last)

    def clear(self, pose: Pose | None = None) -> None:
        """Forget earlier frames."""
        if self.first is not None:
            self.first.clear(pose)
        copy_tables(self.plan.new_context(self.rate), self.context)
        if pose is not None:
            self.plan.begin(self.context, pose)

    def read(self, write: Callable[[Frames, Plan], None]) -> None:
        """Write points, for the method that goes first, too."""
        if self.first is not None:
            self.first.read(write)
        write(self.frames, self.plan)


def copy_tables(source: Any, into: Any) -> None:
    """Copy all arrays of a context into those of another of the same kind."""
    if isinstance(source, np.ndarray):
        if source is not into:
            into[...] = source
    elif isinstance(source, tuple):
        for part, other in zip(source, into, strict=True):
            copy_tables(part, other)


@final
class Tracker:
    """Follows one body through time. Made by `Solver.prepare`.

    A tracker remembers earlier frames. Use one for each body, and from one thread at a time.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._rate = plan.problem.rate
        self._readers: dict[Plan, FrameReader] = {}
        self._reader = self._reader_of(plan)
        self.run = Run(plan, self._rate, 1)
        """The kernel, its memory and the last frame; for functions of single methods."""
        self._busy = threading.Lock()

    @property
    def solver(self) -> Solver:
        """The settings."""
        solver: Solver = self.plan.solver
        return solver

    @property
    def skeleton(self) -> Skeleton:
        """The body that is followed."""
        return self.plan.skeleton

    @property
    def limits(self) -> Limits:
        """What joints are kept within."""
        return self.plan.limits

    @property
    def names(self) -> tuple[str, ...]:
        """Order of the points in arrays and in `Solution.residuals`."""
        return self.plan.names

    def __repr__(self) -> str:
        return f"Tracker({self.solver.name}, {self.skeleton!r}, {', '.join(self.names)})"

    def __reduce__(self) -> Any:
        """A copy begins anew: memory is not copied."""
        return Tracker, (self.plan,)

    def reset(self, pose: Pose | None = None) -> None:
        """Forget earlier frames.

        Args:
            pose: start from this pose of the same skeleton, as if it had been the last answer.
                Default: the usual first pose.
        """
        if pose is not None and pose.skeleton.names != self.skeleton.names:
            raise InputError(
                f"Expected a pose of the same skeleton, with {self.skeleton.joint_count} joints; "
                f"got one with {pose.skeleton.joint_count}."
            )
        self._enter()
        try:
            self.run.clear(pose)
        finally:
            self._busy.release()

    def warm_up(self) -> None:
        """Compile what is not compiled yet, so that the first frame is as quick as the others.

        Earlier frames are forgotten.
        """
        self._enter()
        try:
            self.run.read(lambda frames, plan: frames.positions.fill(np.nan))
            self.run.solve(0, 1)
            self.run.clear()
        finally:
            self._busy.release()

    def solve(self, frame: Floats | Points | Mapping[str, Any]) -> Solution:
        """Return the pose for one frame.

        Args:
            frame: an array (N, 3) in the order of `names`, one frame of `Points`, or positions by
                name. NaN stands for a point that was not seen.
        """
        begin = time.perf_counter()
        self._enter()
        try:
            run, plan, reader = self.run, self.plan, self._reader
            if run.first is None:
                reader.read(frame, run.frames)
            else:
                run.read(lambda frames, plan: self._reader_of(plan).read(frame, frames))
            run.solve(0, 1)
            frames = run.frames
            out = frames.out
            stop = plan.stop_reason(frames, 0)
            return Solution(
                plan.pose(out),
                out.residuals[0][reader.columns],
                stop is StopReason.CONVERGED,
                int(out.iterations[0]),
                stop,
                plan.missing(frames),
                time.perf_counter() - begin,
                float(out.confidence[0]),
                *(self._details(frames) if plan.detailed else ()),
            )
        finally:
            self._busy.release()

    def solve_clip(self, points: Points) -> Result:
        """Return the poses for a clip, from a fresh start. Streamed frames are not forgotten."""
        readers = {plan: self._reader_of(plan).for_names(points.names) for plan in self._plans()}
        run = Run(self.plan, points.rate, len(points))
        run.read(lambda frames, plan: readers[plan].read_clip(points, frames))
        spent = []
        for first in range(0, len(points), BLOCK):
            last = min(first + BLOCK, len(points))
            begin = time.perf_counter()
            run.solve(first, last)
            spent.append((time.perf_counter() - begin) / (last - first))
        us = np.array(spent) * 1e6
        return clip_result(self.plan, readers[self.plan], run.frames, points.rate, us)

    def _details(self, frames: Frames) -> tuple[Any, ...]:
        """What only some methods say of a frame, as the last fields of `Solution`."""
        angles = self.plan.rotation_residuals(frames)
        tasks = self.plan.task_residuals(frames.out)
        extras = self.plan.extras(frames.out)
        return (
            None if angles is None else self._reader.as_given(angles, np.nan)[0],
            {label: float(values[0]) for label, values in tasks.items()},
            {name: float(values[0]) for name, values in extras.items()},
        )

    def _plans(self) -> Iterator[Plan]:
        plan: Plan | None = self.plan
        while plan is not None:
            yield plan
            plan = plan.start

    def _reader_of(self, plan: Plan) -> FrameReader:
        if plan not in self._readers:
            self._readers[plan] = FrameReader(
                self.plan.names, plan.points, plan.rotated, plan.needed
            )
        return self._readers[plan]

    def _enter(self) -> None:
        """Refuse to be used from two threads at once."""
        if not self._busy.acquire(blocking=False):
            raise InputError(
                "Expected a tracker to be used from one thread at a time; prepare one for each."
            )
