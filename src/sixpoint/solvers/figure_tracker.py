"""Any articulated figure followed by an iterative method: chains, trees, hands, people in parts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..limits import FixedLimit, FlexionLimit, Limits
from ..motion.motion import Motion
from ..motion.points import Points
from ..motion.pose import Pose
from ..tasks import Orient, Reach, SelfCollision, Task
from ._kernels.figure import ORIENTATION, POSITION, Figure
from ._kernels.figure_frame import NOT_MET
from ._kernels.missing import FARTHEST
from ._kernels.tables import BLOCK, LIMITED, OUT_OF_STEPS, FrameTable
from .apart_tables import apart_slots, capsule_table
from .base import Tracker
from .body_table import new_frames
from .figure import new_pose, plain_figure, reset_pose
from .frames import FrameReader
from .report import make_report
from .solution import Result, Solution, StopReason

if TYPE_CHECKING:
    from .figure_solver import FigureSolver

MISSED = 1e-3
"""A point farther from its target than this part of the figure's length has missed it."""
NUDGE = 1e-6
"""A joint that may not turn this much further stands at its limit [rad]."""


class FigureTracker(Tracker):
    """A figure whose root keeps its place; the pose of the frame before is the start of the next.

    Args:
        solver: brings the kernel, its settings and its scratch memory.
        skeleton: any tree of joints with one root and some length.
        limits: of its joints.
        rate: frames a second [Hz].
        names: points in the order of arrays: nodes of the skeleton, or roles of a person. None:
            those of the tasks or, without tasks, the ends of the figure.
        tasks: what is asked of them; None: to reach every one.
    """

    def __init__(
        self,
        solver: FigureSolver,
        skeleton: Skeleton,
        limits: Limits,
        rate: float,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> None:
        if not (np.isfinite(rate) and rate > 0.0):
            raise InputError(f"Expected a positive `rate` in Hz, got {rate}.")
        self.solver = solver
        self.skeleton = skeleton
        self.limits = limits
        self.body = skeleton.articulation
        self.tasks = self._known(tasks, names)
        self.names = _names(self.body.ends, names, tasks)
        self._reader = FrameReader(self.names, self.names, len(self.names))
        self._nodes = [self.body.node(name) for name in self.names]
        self._figure = self._build_figure()
        self._settings = solver.figure_records(self._figure)
        self._scratch = self._with_capsules(solver.new_scratch(self._figure))
        self._kernel = solver.figure_kernel.compiled
        self._one = self._new_frames(1)
        self._memory = self._new_memory()
        self._sought = self._asked(Reach)
        self._turned = self._asked(Orient)
        self._least, self._most = self._reaches()

    def _known(
        self, tasks: Sequence[Task[Any]] | None, names: Sequence[str] | None
    ) -> tuple[Task[Any], ...]:
        """Tasks that this solver answers."""
        if tasks is None:
            return tuple(Reach(name) for name in _names(self.body.ends, names, tasks))
        kinds = self.solver.answers
        for task in tasks:
            if not isinstance(task, kinds):
                listed = ", ".join(kind.__name__ for kind in kinds)
                raise InputError(
                    f"Expected `tasks` of solver {self.solver.name!r} to be of {listed}; "
                    f"got {type(task).__name__}."
                )
            if task.covariance is not None and not self.solver.weighs_axes:
                raise InputError(
                    f"Expected no `covariance` of the task {task.label!r}: solver "
                    f"{self.solver.name!r} knows only its weight."
                )
        _refuse_twins(tasks)
        return tuple(tasks)

    def _build_figure(self) -> Figure:
        """The figure as tables, with one tip for each point."""
        tasks = []
        for task in self.tasks:
            if isinstance(task, Reach | Orient):
                kind = POSITION if isinstance(task, Reach) else ORIENTATION
                tasks.append((kind, self.names.index(task.node), task.weight))
            elif isinstance(task, SelfCollision):
                tasks += apart_slots(task)
        whole = any(isinstance(task, SelfCollision) for task in self.tasks)
        return plain_figure(self.body, self.limits, self._nodes, tasks, whole=whole)

    def _with_capsules(self, scratch: Any) -> Any:
        """Scratch memory that also knows what shall stay apart."""
        for task in self.tasks:
            if isinstance(task, SelfCollision):
                scratch = scratch._replace(
                    capsules=capsule_table(self.skeleton, task, self._figure)
                )
        return scratch

    def _asked(self, kind: type[Reach] | type[Orient]) -> Bools:
        """Points of which tasks of a kind speak, (N,)."""
        nodes = [t.node for t in self.tasks if isinstance(t, kind) and t.weight > 0.0]
        return np.array([name in nodes for name in self.names], np.bool_)

    def _reaches(self) -> tuple[Floats, Floats]:
        """Least and greatest distance of each point from the root, whatever the joints do [m]."""
        least, most = np.zeros(len(self.names)), np.zeros(len(self.names))
        for k, node in enumerate(self._nodes):
            bones = np.linalg.norm(self.body.offsets[self.skeleton.path(node)[1:]], axis=1)
            most[k] = bones.sum()
            least[k] = max(0.0, 2.0 * bones.max(initial=0.0) - most[k])
        return least, most

    def _new_frames(self, count: int) -> FrameTable:
        """Room for the answers to some frames."""
        return new_frames(self.skeleton.joint_count, count, len(self.names), self._more)

    @property
    def _more(self) -> int:
        """Numbers that a method has to say of each frame besides the usual."""
        return 0

    def _one_pose(self, out: FrameTable) -> Pose:
        return Pose(self.skeleton, out.root[0].copy(), out.rotations[0].copy())

    def _new_memory(self) -> Any:
        """What is kept from frame to frame."""
        return new_pose(self._figure)

    def _clear(self, memory: Any) -> None:
        reset_pose(self._figure, memory)

    @property
    def length(self) -> float:
        """Longest way from the root along the bones, the unit of all tolerances [m]."""
        return self.body.length

    def reset(self) -> None:
        """Back to the first pose: at rest, hinges a little bent."""
        self._clear(self._memory)

    def warm_up(self) -> None:
        """Compile what is not compiled yet. Earlier frames are forgotten."""
        self.solve(np.full((len(self.names), 3), np.nan))
        self.reset()

    def solve(self, frame: Floats | Points) -> Solution:
        """Pose for one frame; see `Tracker.solve`. NaN: nothing is asked of that point.

        Rotations of points are the targets of `Orient` tasks.
        """
        begin = time.perf_counter()
        seen, turned = self._reader.read(frame)
        out = self._one
        self._run(self._memory, seen, turned, out, 0, 1)
        pose = self._one_pose(out)
        flags = int(out.flags[0])
        missing = self._missing(seen)[0]
        converged = not flags & NOT_MET and self._is_asked(missing, turned)
        return Solution(
            pose,
            out.residuals[0, : len(self.names)].copy(),
            converged,
            int(out.iterations[0]),
            StopReason.CONVERGED if converged else self._reason(flags, seen, out.rotations),
            tuple(name for name, lost in zip(self.names, missing, strict=True) if lost),
            time.perf_counter() - begin,
            None if not self._turned.any() else self._angles(pose.world()[1][None], turned)[0],
        )

    def solve_clip(self, points: Points) -> Result:
        """Poses for a clip, from a fresh start; see `Tracker.solve_clip`."""
        reader = FrameReader(points.names, self.names, len(self.names))
        seen, turned = reader.read_clip(points)
        count = len(points)
        out = self._new_frames(count)
        memory = self._new_memory()
        self._run(memory, seen, turned, out, 0, 0)  # compile before the clock runs
        spent = []
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            begin = time.perf_counter()
            self._run(memory, seen, turned, out, first, last)
            spent.append((time.perf_counter() - begin) / (last - first))
        motion = Motion(self.skeleton, out.root, out.rotations, points.rate)
        return self._result(motion, reader, seen, turned, out, np.array(spent) * 1e6)

    def _run(
        self,
        memory: Any,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        self._kernel(
            self._settings, self._figure, memory, self._scratch, seen, turned, out, first, last
        )

    def _result(
        self,
        motion: Motion,
        reader: FrameReader,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        spent_us: Floats,
    ) -> Result:
        missing = self._missing(seen)
        unreachable = self._unreachable(seen)
        missed = (out.residuals[:, :-1] > MISSED * self.length) & self._sought & ~unreachable
        limited = self._limited(motion.rotations) & ((out.flags & NOT_MET) != 0)[:, None]
        limited |= ((out.flags & LIMITED) != 0)[:, None] & self._sought
        report = make_report(
            self.solver,
            motion,
            self.limits,
            reader,
            out,
            spent_us,
            unreachable,
            limited,
            missed,
            missing,
        )
        return Result(
            motion,
            report,
            out.residuals[:, reader.order_back],
            out.iterations,
            unreachable,
            limited,
            missing,
            None if not self._turned.any() else self._angles(motion.world()[1], turned),
        )

    def _is_asked(self, missing: Bools, turned: Floats) -> bool:
        """Whether anything is asked: a frame without targets has met nothing, as with people."""
        if not self.names or (self._sought & ~missing).any():
            return True
        return bool((np.isfinite(turned).all(axis=-1) & self._turned).any())

    def _missing(self, seen: Floats) -> Bools:
        """Points that shall be reached and have no target, (F, N)."""
        return np.asarray(~(np.abs(seen) < FARTHEST).all(axis=-1) & self._sought)

    def _unreachable(self, seen: Floats) -> Bools:
        """Targets that the bones cannot reach, however they turn, (F, N)."""
        root = self._figure.anchor + self._figure.offset[0]
        away = np.linalg.norm(seen - root, axis=-1)
        slack = 1e-9 * self.length
        return np.asarray(
            ((away > self._most + slack) | (away < self._least - slack)) & self._sought
        )

    def _angles(self, world: Floats, turned: Floats) -> Floats:
        """Angles between rotations (F, J, 4) and those asked for (F, N, 4) [rad], (F, N)."""
        joints = [self.body.carrier(node) for node in self._nodes]
        now = arrays.multiply(world[:, joints], arrays.conjugate(self.body.neutral[joints]))
        known = np.isfinite(turned).all(axis=-1) & self._turned
        return np.where(
            known, arrays.angle_between(now, np.where(known[..., None], turned, now)), np.nan
        )

    def _limited(self, rotations: Floats) -> Bools:
        """Points that a joint at its limit moves, (F, N)."""
        turned = self.body.to_rest(rotations)
        out = np.zeros((len(rotations), len(self.names)), np.bool_)
        for joint, name in enumerate(self.skeleton.names):
            limit = self.limits.get(name)
            if limit is None or isinstance(limit, FixedLimit):
                continue
            moved = np.array([self.body.moving(node)[joint] for node in self._nodes], np.bool_)
            axes = np.array(limit.axis)[None] if isinstance(limit, FlexionLimit) else np.eye(3)
            for axis in (*axes, *-axes):
                further = arrays.multiply(turned[:, joint], arrays.from_axis_angle(axis, NUDGE))
                out |= (limit.violation(further) > 0.1 * NUDGE)[:, None] & moved
        return out

    def _reason(self, flags: int, seen: Floats, rotations: Floats) -> StopReason:
        if self._unreachable(seen).any():
            return StopReason.UNREACHABLE
        if flags & LIMITED or self._limited(rotations).any():
            return StopReason.LIMITS_SATURATED
        return StopReason.MAX_ITERATIONS if flags & OUT_OF_STEPS else StopReason.STALLED


def _refuse_twins(tasks: Sequence[Task[Any]]) -> None:
    """Refuse two tasks that ask the same of one point: a frame brings one target for both.

    And two tasks of keeping apart, which have one set of slots.
    """
    if sum(isinstance(task, SelfCollision) for task in tasks) > 1:
        raise InputError("Expected one SelfCollision task, got two or more.")
    known: set[tuple[type[Task[Any]], str]] = set()
    for task in tasks:
        if isinstance(task, Reach | Orient):
            key = (type(task), task.node)
            if key in known:
                raise InputError(
                    f"Expected one {key[0].__name__} task for {task.node!r}, got two or more."
                )
            known.add(key)


def _names(
    ends: Sequence[str], names: Sequence[str] | None, tasks: Sequence[Task[Any]] | None
) -> tuple[str, ...]:
    """Points in the order of arrays."""
    nodes = [task.node for task in tasks or () if isinstance(task, Reach | Orient)]
    if names is None:
        names = ends if tasks is None else tuple(dict.fromkeys(nodes))
    for node in nodes:
        if node not in names:
            raise InputError(
                f"Expected `names` to hold every point of a task; got {', '.join(names)}, "
                f"without {node}."
            )
    others = any(not isinstance(task, Reach | Orient) for task in tasks or ())
    if not (names or others) or len(set(names)) != len(names):
        raise InputError(
            f"Expected the names of one point or more, each once; got {', '.join(names) or 'none'}."
        )
    return tuple(names)
