"""The tracker: follows one body through time, whatever the method.

It reads points, brings them to the order of a kernel, runs the kernel of a `Plan` over them and
reports what came out. Everything that a method does differently is in its plan.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.types import Floats, Ints
from ..limits import Limits
from ..motion.metrics import count_steps
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..motion.pose import Pose
from .context import Frames, new_frames
from .plan import Plan
from .solution import Report, Result, Solution, StopReason

if TYPE_CHECKING:
    from .base import Solver

BLOCK = 16
"""Most frames that a kernel is asked for at once when a clip is timed."""
BROKEN_LIMIT = 1e-6
"""A limit exceeded by more than this is broken [rad]."""


class FrameReader:
    """Brings points from the order in which they are given to that of a kernel.

    Args:
        names: order of the points that are given.
        wanted: order of the points that the kernel reads.
        rotated: of how many of them, counted from the first, it reads rotations.
        needed: those that must be given; others may be absent, and are never seen then.
    """

    def __init__(
        self, names: Sequence[str], wanted: Sequence[str], rotated: int, needed: Sequence[str]
    ) -> None:
        self.names, self.wanted = tuple(names), tuple(wanted)
        self._rotated, self._needed = rotated, tuple(needed)
        lost = [name for name in self._needed if name not in self.names]
        if lost:
            many = "six" if self._needed == SIX else str(len(self._needed))
            raise InputError(
                f"Expected the {many} points {', '.join(self._needed)}; "
                f"got {', '.join(names) or 'none'}, without {', '.join(lost)}. "
                "A point that is seen only at times is NaN, not absent."
            )
        self.unused = tuple(name for name in self.names if name not in self.wanted)
        order = {name: k for k, name in enumerate(self.wanted)}
        self.columns: Ints = np.array([order.get(n, len(order)) for n in self.names], np.int64)
        """For each given point its place among the wanted ones; the number of these if unused."""
        there = [name for name in self.wanted if name in self.names]
        self._into = np.array([order[name] for name in there], np.int64)
        self._order = np.array([self.names.index(name) for name in there], np.int64)
        self._in_order = self.names == self.wanted
        self._shape = (len(self.names), 3)

    def read(self, frame: Any, frames: Frames) -> None:
        """Write one frame into the first of `frames`.

        Args:
            frame: an array (N, 3) in the order of `names`, one frame of `Points`, or positions by
                name; a name that is left out is a point that was not seen.
            frames: for the kernel.
        """
        if isinstance(frame, Points):
            if len(frame) != 1:
                raise InputError(f"Expected one frame of points, got {len(frame)}.")
            self.for_names(frame.names).read_clip(frame, frames)
            return
        positions = self._array(frame)
        frames.confidence.fill(1.0)
        frames.rotations.fill(np.nan)  # those of an earlier frame of `Points` are not this frame's
        if self._in_order:
            frames.positions[0] = positions
        else:
            frames.positions[0] = np.nan  # nor are points that only such a frame had
            frames.positions[0, self._into] = positions[self._order]

    def read_clip(self, points: Points, frames: Frames) -> None:
        """Write all frames of points that have this reader's names; rotations are normalized."""
        frames.positions[...] = np.nan
        frames.positions[:, self._into] = points.positions[:, self._order]
        frames.confidence[...] = 1.0
        if points.confidence is not None:
            frames.confidence[:, self._into] = points.confidence[:, self._order]
        frames.rotations[...] = np.nan
        if points.rotations is not None:
            of_use = self._into < self._rotated
            turns = points.rotations[:, self._order[of_use]]
            norm = np.linalg.norm(turns, axis=-1, keepdims=True)
            known = np.isfinite(norm) & (norm > 1e-6)
            turns = np.where(known, turns / np.where(known, norm, 1.0), np.nan)
            frames.rotations[:, self._into[of_use]] = turns

    def for_names(self, names: Sequence[str]) -> FrameReader:
        """Return the reader of points that are given in another order."""
        if tuple(names) == self.names:
            return self
        return FrameReader(names, self.wanted, self._rotated, self._needed)

    def as_given(self, values: Any, unused: Any = np.nan) -> Any:
        """Return values of the wanted points (..., N) in the order given; others get `unused`."""
        rest = np.full((*values.shape[:-1], 1), unused, values.dtype)
        return np.concatenate([values, rest], axis=-1)[..., self.columns]

    def _array(self, frame: Any) -> Floats:
        if not isinstance(frame, np.ndarray) and isinstance(frame, Mapping):
            for name in frame:
                if name not in self.names:
                    raise UnknownName("point of this tracker", str(name), self.names)
            frame = [frame.get(name, (np.nan, np.nan, np.nan)) for name in self.names]
        try:
            positions = np.asarray(frame, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                "Expected an array of numbers, positions by name, or Points; got "
                f"{type(frame).__name__}."
            ) from error
        if positions.shape != self._shape:
            raise InputError(
                f"Expected an array of shape {self._shape} in the order {', '.join(self.names)}; "
                f"got shape {positions.shape}."
            )
        return positions


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
        each: Plan | None = plan
        while each is not None:
            self._readers[each] = FrameReader(plan.names, each.points, each.rotated, each.needed)
            each = each.start
        self._reader = self._readers[plan]
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
            frames = run.frames
            if run.first is None:
                reader.read(frame, frames)
            else:
                run.read(lambda room, plan: self._readers[plan].read(frame, room))
            run.solve(0, 1)
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
        readers = {plan: own.for_names(points.names) for plan, own in self._readers.items()}
        run = Run(self.plan, points.rate, len(points))
        run.read(lambda frames, plan: readers[plan].read_clip(points, frames))
        spent = []
        for first in range(0, len(points), BLOCK):
            last = min(first + BLOCK, len(points))
            begin = time.perf_counter()
            run.solve(first, last)
            spent.append(1e6 * (time.perf_counter() - begin) / (last - first))
        return clip_result(self.plan, readers[self.plan], run.frames, points.rate, spent)

    def _details(self, frames: Frames) -> tuple[Any, ...]:
        """What only some methods say of a frame, as the last fields of `Solution`."""
        angles = self.plan.rotation_residuals(frames)
        tasks = self.plan.task_residuals(frames.out)
        extras = self.plan.extras(frames.out)
        return (
            None if angles is None else self._reader.as_given(angles)[0],
            {label: float(values[0]) for label, values in tasks.items()},
            {name: float(values[0]) for name, values in extras.items()},
        )

    def _enter(self) -> None:
        """Refuse to be used from two threads at once."""
        if not self._busy.acquire(blocking=False):
            raise InputError(
                "Expected a tracker to be used from one thread at a time; prepare one for each."
            )


def clip_result(
    plan: Plan, reader: FrameReader, frames: Frames, rate: float, spent: Sequence[float]
) -> Result:
    """Judge a clip: what was reached, what limits did, how long each block took per frame [us]."""
    out = frames.out
    motion = plan.motion(out, rate)
    status = plan.status(frames)
    residuals = out.residuals[:, : len(plan.points)]
    seen = residuals[np.isfinite(residuals)]
    counts = status.missing.sum(axis=0)
    lost = {name: int(n) for name, n in zip(plan.points, counts, strict=True) if n > 0}
    unused = "point {!r} is not used by solver {!r}"
    warnings = [unused.format(name, plan.solver.name) for name in reader.unused]
    warnings += plan.limits.remarks
    never = [name for name, count in lost.items() if count == len(motion)]
    if never:
        warnings.append(f"never seen in the whole clip, placed by guess: {', '.join(never)}")
    stops = tuple(plan.stop_reason(frames, frame) for frame in range(len(motion)))
    tasks, branches = plan.task_residuals(out), plan.branches(out)
    median, late = np.percentile(spent, (50.0, 99.0)) if spent else (0.0, 0.0)
    report = Report(
        solver=plan.solver.name,
        frames=len(motion),
        rate=motion.rate,
        joints=motion.skeleton.joint_count,
        target_mean_m=float(seen.mean()) if seen.size else 0.0,
        target_max_m=float(seen.max(initial=0.0)),
        limit_violations=count_violations(motion, plan.limits),
        steps_over_30deg=count_steps(motion),
        median_us=float(median),
        p99_us=float(late),
        unreachable=int(status.unreachable.sum()),
        limited=int(status.limited.sum()),
        blocked=int(status.blocked.sum()),
        missed=int(status.missed.sum()),
        missing=lost,
        stops=dict(Counter(stop.value for stop in stops)),
        branches={way: int(taken.sum()) for way, taken in branches.items()},
        tasks={label: float(values.max(initial=0.0)) for label, values in tasks.items()},
        warnings=(*warnings, *plan.remarks(frames)),
    )
    angles = plan.rotation_residuals(frames)
    return Result(
        motion,
        report,
        reader.names,
        reader.as_given(residuals),
        out.iterations,
        reader.as_given(status.unreachable, False),
        reader.as_given(status.limited, False),
        reader.as_given(status.blocked, False),
        reader.as_given(status.missing, False),
        stops,
        out.confidence,
        None if angles is None else reader.as_given(angles),
        tasks,
        plan.extras(out),
        branches,
    )


def count_violations(motion: Motion, limits: Limits) -> int:
    """Return the joint-frames beyond their limit, judged from the finished motion."""
    return int((limits.violations(motion) > BROKEN_LIMIT).sum()) if limits else 0
