"""Any figure followed by the particle filter: every kind of task, one iteration at a time too.

Built-in tasks are judged inside the kernel. Tasks that are Python functions are asked between its
two halves, with the same particles and the same random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.random import random_state
from ..kernels.types import Bools, Floats
from ..motion.motion import Motion
from ..motion.points import Points
from ..motion.pose import Pose
from ..tasks import FunctionTask, LookAt, Orient, Reach, Task
from ._kernels.figure import ORIENTATION, POSITION, Figure
from ._kernels.filter_steps import filter_add, filter_begin, filter_end, filter_places
from ._kernels.particles import Filter
from ._kernels.tables import FrameTable
from .base import check_whole
from .figure import new_pose, plain_figure, reset_pose
from .figure_tracker import FigureTracker
from .frames import FrameReader
from .particle_solution import ParticleResult, ParticleSolution
from .particle_stream import SEEDS, Memory, ParticleStream
from .particle_tables import (
    asked_nodes,
    build_asked,
    build_noise,
    clear_swarm,
    longest_below,
    new_swarm,
)

if TYPE_CHECKING:
    from .monte_carlo import MonteCarloSolver


class ParticleTracker(ParticleStream, FigureTracker):
    """A figure followed by the particle filter; its root moves if the solver lets it."""

    solver: MonteCarloSolver

    def _known(
        self, tasks: Sequence[Task[Any]] | None, names: Sequence[str] | None
    ) -> tuple[Task[Any], ...]:
        """Tasks that this solver answers; functions of one name get a number, for messages too."""
        known = super()._known(tasks, names)
        return tuple(
            replace(task, name=label) if isinstance(task, FunctionTask) else task
            for task, label in zip(known, _numbered(known), strict=True)
        )

    def _build_figure(self) -> Figure:
        self._functions = [
            (k, task) for k, task in enumerate(self.tasks) if isinstance(task, FunctionTask)
        ]
        tips = asked_nodes(self.body, self.names, self.tasks)
        asked = []
        for task in self.tasks:
            if isinstance(task, Reach | Orient):
                kind = POSITION if isinstance(task, Reach) else ORIENTATION
                asked.append((kind, self.names.index(task.node), task.weight))
        # A root that moves brings every point along; other tasks speak of any joint.
        self._others = [task for task in self.tasks if not isinstance(task, Reach | Orient)]
        figure = plain_figure(self.body, self.limits, tips, asked, whole=bool(self._others))
        joints = self.skeleton.joint_count
        self._table = build_asked(self.body, self.names, tips, self.tasks, self.length)
        self._noise = build_noise(
            figure,
            self.skeleton.names,
            self.limits,
            self.solver.covariances(self.skeleton.names),
            literal=self.solver.sampler == "paper",
            root=self.solver.root,
            tries=self.solver.tries,
            lever=self.solver.levers(),
            reach=self._reach(),
        )
        nodes = len(self.skeleton.node_names)
        self._node_row = np.array([self.body.carrier(node) for node in range(nodes)], np.int64)
        self._node_offset = np.zeros((nodes, 3))
        self._node_offset[joints:] = self.body.offsets[joints:]
        self._places = np.zeros((self.solver.particles, nodes, 3))
        count = len(self.names)
        self._last = np.full((1, count, 3), np.nan), np.full((1, count, 4), np.nan)
        return figure

    def _reach(self) -> Floats:
        """How far each joint moves what is asked for, (J,) [m].

        To rotations that are asked for all joints matter alike: a radian counts like the size.
        """
        joints = self.skeleton.joint_count
        reach = longest_below(self.skeleton.node_parents, self.body.offsets)[:joints]
        for task in self.tasks:
            if isinstance(task, Orient | LookAt):
                reach[self.body.moving(self.body.node(task.node))] = self.length
        return reach

    def _labels(self) -> Sequence[str]:
        return _numbered(self.tasks)

    def _new_memory(self) -> Memory:
        solver = self.solver
        swarm = new_swarm(self._figure, solver.particles, len(self.tasks), solver.runs, solver.seed)
        filt = Filter(solver.rules(), self._noise, self._table, swarm)
        return Memory(new_pose(self._figure), filt, np.zeros(0, np.int64))

    def _own(self, memory: Memory) -> Memory:
        return memory

    def _with_capsules(self, scratch: Any) -> Any:
        return scratch  # what stays apart is asked for like all else

    def _clear(self, memory: Memory) -> None:
        reset_pose(self._figure, memory.pose)
        clear_swarm(memory.filter.swarm, self.solver.seed)

    def _run(
        self,
        memory: Memory,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        pose, filt, _ = memory
        if memory is self._memory:
            self._last = seen.copy(), turned.copy()
        if not self._functions:
            self._kernel(self._settings, self._figure, pose, filt, seen, turned, out, first, last)
            return
        for frame in range(first, last):
            for _ in self._iterate(memory, seen, turned, out, frame):
                pass

    def _begin(
        self, memory: Memory, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> None:
        pose, filt, _ = memory
        filter_begin(self._figure, pose, filt, seen, turned, frame)
        if self._functions:
            cost, worst = self._judge([self._pose_of(filt.swarm.start)], None)
            filter_add(self._figure, filt, float(cost[0]), float(worst[0]))

    def _end(
        self, memory: Memory, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> None:
        pose, filt, _ = memory
        filter_end(self._settings, self._figure, pose, filt, seen, turned, out, frame)
        answer = self._pose_of(filt.swarm.before[0])
        for k, task in self._functions:
            out.more[frame, k] = task.residual_norm(answer)

    def begin(self, pose: Pose, seed: int | None = None) -> None:
        """Forget earlier frames, and start from a pose; with other random numbers if wished."""
        if pose.skeleton.names != self.skeleton.names:
            raise InputError(
                f"Expected a pose of the same skeleton, with {self.skeleton.joint_count} joints; "
                f"got one with {pose.skeleton.joint_count}."
            )
        if seed is not None:
            check_whole("seed", seed, 0, SEEDS)
        self.reset()
        rows = self._memory.pose
        rows.local[:] = arrays.normalize(self.body.to_rest(pose.rotations))
        rows.place[0] = pose.root
        if seed is not None:
            self._memory.filter.swarm.random[:] = random_state(int(seed))

    def _ask_functions(self, memory: Memory) -> None:
        if not self._functions:
            return
        swarm = memory.filter.swarm
        places, poses = None, []
        if any(task.batched for _, task in self._functions):
            places = self._find_places(memory)
        if not all(task.batched for _, task in self._functions):
            rotations = arrays.normalize(self.body.from_rest(swarm.local))
            poses = [
                Pose(self.skeleton, root, turns)
                for root, turns in zip(swarm.root.copy(), rotations, strict=True)
            ]
        swarm.extra[:, 0], swarm.extra[:, 1] = self._judge(poses, places)

    def _lack_of_functions(self, pose: Pose) -> float:
        return float(self._judge([pose], None)[1][0])

    def _judge(self, poses: Sequence[Pose], places: Floats | None) -> tuple[Floats, Floats]:
        """What functions ask of poses: weighted, squared and summed [m^2], and the longest [m]."""
        count = len(poses) if places is None else len(places)
        cost, worst = np.zeros(count), np.zeros(count)
        for _, task in self._functions:
            if task.batched and places is not None:
                lengths = np.abs(task.call(places, poses=count))
            else:
                lengths = np.array([task.residual_norm(pose) for pose in poses])
            cost += (task.weight * lengths) ** 2
            if task.weight > 0.0:
                worst = np.maximum(worst, lengths)
        return cost, worst

    def _find_places(self, memory: Memory) -> Floats:
        """Nodes of all particles (M, J+S, 3) [m]; room that is used again."""
        filter_places(
            self._figure, memory.pose, memory.filter, self._node_row, self._node_offset,
            self._places,
        )  # fmt: skip
        return self._places

    def particles(self) -> tuple[Floats, Floats]:
        """Nodes of all particles as they are now (M, J+S, 3) [m], and their weights (M,)."""
        return self._find_places(self._memory).copy(), self._memory.filter.swarm.weight.copy()

    def solve(self, frame: Floats | Points) -> ParticleSolution:
        """Pose for one frame; see `Tracker.solve`. It also says what each task lacks."""
        return self._solution(super().solve(frame))

    def _result(
        self,
        motion: Motion,
        reader: FrameReader,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        spent_us: Floats,
    ) -> ParticleResult:
        found = super()._result(motion, reader, seen, turned, out, spent_us)
        return self._clip(found, out.more)

    def _is_asked(self, missing: Bools, turned: Floats) -> bool:
        # Other tasks ask in every frame.
        return super()._is_asked(missing, turned) or any(task.weight > 0 for task in self._others)

    def _unreachable(self, seen: Floats) -> Bools:
        if self.solver.root > 0.0:  # the root goes where it must
            return np.zeros(seen.shape[:-1], np.bool_)
        return super()._unreachable(seen)


def _numbered(tasks: Sequence[Task[Any]]) -> tuple[str, ...]:
    """Labels of tasks, each once: those that repeat one have a number."""
    found: dict[str, None] = {}
    for task in tasks:
        label, count = task.label, 2
        while label in found:
            label, count = f"{task.label} ({count})", count + 1
        found[label] = None
    return tuple(found)
