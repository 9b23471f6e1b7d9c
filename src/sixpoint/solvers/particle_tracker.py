"""Any figure followed by the particle filter: every kind of task, one iteration at a time too.

Built-in tasks are judged inside the kernel. Tasks that are Python functions are asked between its
two halves, with the same particles and the same random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.random import random_state
from ..kernels.types import Bools, Floats
from ..motion.points import Points
from ..motion.pose import Pose
from ..tasks import FunctionTask, Orient, Reach
from ._kernels.figure import ORIENTATION, POSITION, Figure, FigurePose
from ._kernels.monte_carlo import (
    filter_add,
    filter_begin,
    filter_end,
    filter_explore,
    filter_places,
    filter_weigh,
)
from ._kernels.particles import (
    EFFECTIVE,
    PROJECTED,
    REJECTED,
    SCALE,
    STEPS,
    WORST,
    Filter,
)
from ._kernels.tables import FrameTable
from .body_table import new_frames
from .figure import new_pose, plain_figure, reset_pose
from .figure_tracker import FigureTracker
from .particle_solution import Iterate, Mode, ParticleSolution, cluster, mean_weight
from .particle_tables import (
    asked_nodes,
    build_asked,
    build_noise,
    clear_swarm,
    new_swarm,
)
from .solution import Solution

if TYPE_CHECKING:
    from .monte_carlo import MonteCarloSolver

OTHER_STREAM = 1 << 32
"""Seeds this far apart make runs that have nothing to do with each other."""
ALIKE = 0.05
"""Poses whose nodes differ by less than this part of the figure's length are one mode."""


class Memory(NamedTuple):
    """What is kept from frame to frame."""

    pose: FigurePose
    filter: Filter


class ParticleTracker(FigureTracker):
    """A figure followed by the particle filter; its root moves if the solver lets it."""

    solver: MonteCarloSolver

    def _build_figure(self) -> Figure:
        self._functions = [task for task in self.tasks if isinstance(task, FunctionTask)]
        self._built_in = [task for task in self.tasks if not isinstance(task, FunctionTask)]
        tips = asked_nodes(self.body, self.names, self._built_in)
        asked = []
        for task in self.tasks:
            if isinstance(task, Reach | Orient):
                kind = POSITION if isinstance(task, Reach) else ORIENTATION
                asked.append((kind, self.names.index(task.node), task.weight))
        # A root that moves brings every point along; other tasks speak of any joint.
        whole = len(asked) < len(self.tasks)
        figure = plain_figure(self.body, self.limits, tips, asked, whole=whole)
        joints = self.skeleton.joint_count
        self._table = build_asked(
            self.body,
            self.names,
            tips,
            self._built_in,
            self.length,
            functions=bool(self._functions),
        )
        self._noise = build_noise(
            figure,
            self.skeleton.names,
            self.limits,
            self._covariances(),
            literal=self.solver.sampler == "paper",
            root=self.solver.root,
            tries=self.solver.tries,
        )
        nodes = len(self.skeleton.node_names)
        self._node_row = np.array([self.body.carrier(node) for node in range(nodes)], np.int64)
        self._node_offset = np.zeros((nodes, 3))
        self._node_offset[joints:] = self.body.offsets[joints:]
        self._places = np.zeros((self.solver.particles, nodes, 3))
        return figure

    def _covariances(self) -> dict[str, Floats]:
        found = self.solver.covariances()
        for name in found:
            if name not in self.skeleton.names:
                raise UnknownName("joint to give a covariance", name, self.skeleton.names)
        return found

    def _new_memory(self) -> Memory:
        solver = self.solver
        swarm = new_swarm(self._figure, solver.particles, len(self._built_in), solver.seed)
        return Memory(
            new_pose(self._figure), Filter(solver.rules(), self._noise, self._table, swarm)
        )

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
        pose, filt = memory
        if not self._functions:
            self._kernel(self._settings, self._figure, pose, filt, seen, turned, out, first, last)
            return
        for frame in range(first, last):
            for _ in self._iterate(memory, seen, turned, out, frame):
                pass

    def _iterate(
        self, memory: Memory, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> Iterator[None]:
        """One frame, iteration by iteration; the same bits as in the compiled loop."""
        pose, filt = memory
        swarm, settings, figure = filt.swarm, self._settings, self._figure
        filter_begin(figure, pose, filt, seen, turned, frame)
        cost, worst = self._judge([self._pose_of(swarm.best)], None)
        done = filter_add(settings, figure, filt, float(cost[0]), float(worst[0]))
        try:
            while not done and swarm.counts[STEPS] < settings[0].iterations:
                filter_explore(figure, pose, filt, seen, turned, frame)
                if self._functions:
                    swarm.extra[:, 0], swarm.extra[:, 1] = self._judge_particles(memory)
                done = filter_weigh(settings, figure, pose, filt, seen, turned, frame)
                yield
        finally:
            filter_end(settings, figure, pose, filt, seen, out, frame)

    def begin(self, pose: Pose, seed: int | None = None) -> None:
        """Forget earlier frames, and start from a pose; with other random numbers if wished."""
        self.reset()
        rows = self._memory.pose
        rows.local[:] = arrays.normalize(self.body.to_rest(pose.rotations))
        rows.place[0] = pose.root
        if seed is not None:
            self._memory.filter.swarm.random[:] = random_state(seed)

    def _judge_particles(self, memory: Memory) -> tuple[Floats, Floats]:
        """What functions ask of all particles, see `_judge`."""
        swarm = memory.filter.swarm
        places, poses = None, []
        if any(task.batched for task in self._functions):
            places = self._find_places(memory)
        if not all(task.batched for task in self._functions):
            rotations = arrays.normalize(self.body.from_rest(swarm.local))
            poses = [
                Pose(self.skeleton, root, turns)
                for root, turns in zip(swarm.root.copy(), rotations, strict=True)
            ]
        return self._judge(poses, places)

    def _judge(self, poses: Sequence[Pose], places: Floats | None) -> tuple[Floats, Floats]:
        """What functions ask of poses: squared and summed [m^2], and the longest [m]; weighted."""
        count = len(poses) if places is None else len(places)
        cost, worst = np.zeros(count), np.zeros(count)
        for task in self._functions:
            if task.batched and places is not None:
                lengths = np.abs(task.call(places, poses=count))
            else:
                lengths = np.array([np.linalg.norm(task.measure(pose)) for pose in poses])
            lengths = task.weight * lengths
            cost += lengths**2
            worst = np.maximum(worst, lengths)
        return cost, worst

    def _find_places(self, memory: Memory) -> Floats:
        """Nodes of all particles (M, J+S, 3) [m]; room that is used again."""
        filter_places(
            self._figure, memory.pose, memory.filter, self._node_row, self._node_offset,
            self._places,
        )  # fmt: skip
        return self._places

    def _pose_of(self, rows: Floats) -> Pose:
        """Local rotations and the place of the root (N + 1, 4) as a pose."""
        rotations = arrays.normalize(self.body.from_rest(rows[:-1]))
        return Pose(self.skeleton, rows[-1, :3].copy(), rotations)

    def solve(self, frame: Floats | Points) -> ParticleSolution:
        """Pose for one frame; see `Tracker.solve`. It also says what each task lacks."""
        found = super().solve(frame)
        swarm = self._memory.filter.swarm
        given = {name.name: getattr(found, name.name) for name in fields(Solution)}
        return ParticleSolution(
            **given,
            tasks=self._lacks(found.pose),
            effective=float(swarm.numbers[EFFECTIVE]),
            rejections=int(swarm.counts[REJECTED]),
            projections=int(swarm.counts[PROJECTED]),
        )

    def _lacks(self, pose: Pose) -> dict[str, float]:
        """What each task asks for of the best pose, by its label."""
        asked = self._memory.filter.asked
        lengths = self._memory.filter.swarm.lengths / asked.unit
        found: dict[str, float] = {}
        built_in = iter(lengths.tolist())
        for task in self.tasks:
            label, count = task.label, 2
            while label in found:
                label, count = f"{task.label} ({count})", count + 1
            if isinstance(task, FunctionTask):
                found[label] = float(np.linalg.norm(task.measure(pose)))
            else:
                found[label] = next(built_in)
        return found

    def iterates(self, frame: Floats | Points) -> Iterator[Iterate]:
        """Solve one frame, and show every iteration: each is a frame of an animation.

        What comes last is what `solve` would have found. Stop when you like: the next frame goes on
        from the best pose so far.
        """
        seen, turned = (array.copy() for array in self._reader.read(frame))
        swarm = self._memory.filter.swarm
        for _ in self._iterate(self._memory, seen, turned, self._one, 0):
            yield Iterate(
                int(swarm.counts[STEPS]),
                self._pose_of(swarm.smooth),
                self._pose_of(swarm.estimate),
                float(swarm.numbers[WORST]),
                float(swarm.numbers[EFFECTIVE]),
                float(swarm.numbers[SCALE]),
            )

    def particles(self) -> tuple[Floats, Floats]:
        """Nodes of all particles as they are now (M, J+S, 3) [m], and their weights (M,)."""
        return self._find_places(self._memory).copy(), self._memory.filter.swarm.weight.copy()

    def modes(self, distance: float | None = None) -> list[Mode]:
        """The different poses among the particles, the heaviest first.

        Args:
            distance: RMS distance of the nodes of poses that are the same mode [m]. Default: a
                twentieth of the figure's length.
        """
        places, weights = self.particles()
        swarm = self._memory.filter.swarm
        near = ALIKE * self.length if distance is None else distance
        found = []
        for group in cluster(places, weights, near):
            rows = np.concatenate([swarm.local[group[0]], np.zeros((1, 4))])
            rows[-1, :3] = swarm.root[group[0]]
            weight = mean_weight(weights, group)
            found.append(Mode(self._pose_of(rows), weight, float("nan")))
        return found

    def explore(
        self, frame: Floats | Points, runs: int = 20, *, distance: float | None = None
    ) -> list[Mode]:
        """Different answers to the same frame, from several runs with other random numbers.

        The population of one run gathers around one answer, so that its `modes` rarely tell of
        others. Every run here starts where the tracker stands, which stays as it is.

        Args:
            frame: see `solve`.
            runs: how many.
            distance: see `modes`.

        Returns:
            The modes, most frequent first, those that meet the tasks before those that do not.
        """
        if runs < 1:
            raise InputError(f"Expected one run or more, got {runs}.")
        seen, turned = (array.copy() for array in self._reader.read(frame))
        rows, worst = [], []
        for run in range(runs):
            memory = self._new_memory()
            for name, array in self._memory.pose._asdict().items():
                getattr(memory.pose, name)[:] = array
            swarm, kept = memory.filter.swarm, self._memory.filter.swarm
            swarm.before[:], swarm.counts[:] = kept.before, kept.counts
            swarm.random[:] = random_state(self.solver.seed + (run + 1) * OTHER_STREAM)
            out = new_frames(self.skeleton.joint_count, 1, len(self.names))
            self._run(memory, seen, turned, out, 0, 1)
            rows.append(swarm.best.copy())
            worst.append(float(swarm.numbers[WORST]))
        poses = [self._pose_of(row) for row in rows]
        places = np.array([pose.world()[0] for pose in poses])
        missed = np.array(worst) > self._settings[0].tolerance * self.length
        near = ALIKE * self.length if distance is None else distance
        # Those that meet the tasks make the groups.
        groups = cluster(places, np.where(missed, 0.5, 1.0) - 1e-9 * np.array(worst), near)
        groups.sort(key=lambda group: (bool(missed[group[0]]), -len(group)))
        return [Mode(poses[g[0]], len(g) / runs, worst[g[0]]) for g in groups]

    def _unreachable(self, seen: Floats) -> Bools:
        if self.solver.root > 0.0:  # the root goes where it must
            return np.zeros(seen.shape[:-1], np.bool_)
        return super()._unreachable(seen)
