"""The particle filter one iteration at a time: figures and people alike.

Every iterate can be shown, every particle can be seen, and at the end the different answers that
the populations of a frame came to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.random import random_state
from ..kernels.types import Floats
from ..motion.points import Points
from ..motion.pose import Pose
from ._kernels.asked import PLACE
from ._kernels.figure import Figure, FigurePose
from ._kernels.filter_steps import (
    filter_explore,
    filter_goes_on,
    filter_judge,
    filter_weigh,
    filter_write,
)
from ._kernels.particles import EFFECTIVE, RUNS, SCALE, STEPS, WORST, Filter
from ._kernels.tables import FrameTable, RecordArray
from .base import check_whole
from .figure import new_pose
from .frames import FrameReader
from .particle_solution import (
    Iterate,
    Mode,
    ParticleReport,
    ParticleResult,
    ParticleSolution,
    find_modes,
)
from .solution import Report, Result, Solution

if TYPE_CHECKING:
    from .monte_carlo import MonteCarloSolver

SEEDS = 2**63 - 1
"""The largest seed."""
OTHER_STREAM = 1 << 32
"""Seeds this far apart make runs that have nothing to do with each other."""
ALIKE = 0.1
"""Poses whose nodes differ by less than this part of the figure's size are alike."""


class Memory(NamedTuple):
    """What is kept from frame to frame."""

    pose: FigurePose
    filter: Filter
    state: RecordArray
    """Of sequential IK, for people; empty for other figures."""


class ParticleStream:
    """What trackers of the filter have in common; they say how a frame begins and ends."""

    solver: MonteCarloSolver
    skeleton: Skeleton
    _figure: Figure
    _settings: RecordArray
    _memory: Any
    _reader: FrameReader
    _one: FrameTable
    _last: tuple[Floats, Floats]
    """Targets of the last frame of the tracker's own memory."""

    def _labels(self) -> Sequence[str]:
        """Of the tasks, in their order, each once."""
        raise NotImplementedError

    def _begin(
        self, memory: Any, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> None:
        raise NotImplementedError

    def _end(self, memory: Any, seen: Floats, turned: Floats, out: FrameTable, frame: int) -> None:
        raise NotImplementedError

    if TYPE_CHECKING:  # trackers of figures and of people have these

        def _new_frames(self, count: int) -> FrameTable: ...

        def _one_pose(self, out: FrameTable) -> Pose: ...

    def _own(self, memory: Any) -> Memory:
        """The filter's part of what is kept."""
        raise NotImplementedError

    def _still(self) -> Floats:
        """Rig rotations of joints that the filter does not turn, (J, 4)."""
        return self._figure.rest

    def _ask_functions(self, memory: Memory) -> None:
        """Let functions judge all particles, where there are any."""

    def _lack_of_functions(self, pose: Pose) -> float:
        """What the function that lacks most lacks of a pose [m]."""
        return 0.0

    @property
    def _more(self) -> int:
        """Numbers of each frame besides the usual: what tasks lack, rejections, projections."""
        return len(self._labels()) + 2

    @property
    def _near(self) -> float:
        """What lacks no more than this is met [m]."""
        return float(self._settings[0].tolerance * self._figure.size[0])

    def _iterate(
        self, memory: Any, seen: Floats, turned: Floats, out: FrameTable, frame: int
    ) -> Iterator[None]:
        """One frame, iteration by iteration; the same bits as in the compiled loop."""
        self._begin(memory, seen, turned, out, frame)
        try:
            yield from self._steps(memory, seen, turned, frame)
        except GeneratorExit:  # left on the way: what was found is the answer
            self._end(memory, seen, turned, out, frame)
            raise
        self._end(memory, seen, turned, out, frame)

    def _steps(self, memory: Any, seen: Floats, turned: Floats, frame: int) -> Iterator[None]:
        own = self._own(memory)
        pose, filt, _ = own
        figure, lack = self._figure, 0.0
        while filter_goes_on(self._settings, figure, pose, filt, lack):
            filter_explore(figure, pose, filt, seen, turned, frame)
            self._ask_functions(own)
            filter_weigh(figure, pose, filt, seen, turned, frame)
            if self.solver.answer != "best":  # what particles lack is known
                lack = self._lack_of_functions(self._pose_of(_answer(own, self.solver)))
            yield

    def _pose_of(self, rows: Floats) -> Pose:
        """Local rotations and the place of the root (N + 1, 4) as a pose."""
        out = self._new_frames(1)
        filter_write(
            self._figure, new_pose(self._figure), rows, self._still(), out.rotations[0], out.root
        )
        return self._one_pose(out)

    def _worst_of(self, rows: Floats) -> float:
        """What the task that lacks most lacks of such a pose, in the frame of last [m]."""
        filt = self._own(self._memory).filter
        seen, turned = self._last
        kept = filt.swarm.lengths.copy()
        worst = filter_judge(self._figure, new_pose(self._figure), filt, rows, seen, turned, 0)
        filt.swarm.lengths[:] = kept
        return max(float(worst), self._lack_of_functions(self._pose_of(rows)))

    def iterates(self, frame: Floats | Points) -> Iterator[Iterate]:
        """Solve one frame, and show every iteration: each is a frame of an animation.

        What comes last is what `solve` would have found. Stop when you like: the next frame goes on
        from the answer so far.
        """
        seen, turned = (array.copy() for array in self._reader.read(frame))
        self._last = seen, turned
        swarm = self._own(self._memory).filter.swarm
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
        rows = _particle_rows(self._own(self._memory))
        places = np.array([self._pose_of(row).world()[0] for row in rows])
        return places, self._own(self._memory).filter.swarm.weight.copy()

    def modes(self, distance: float | None = None) -> list[Mode]:
        """The different answers of the last frame: those that are met first, then by weight.

        They are the particles as they stand, and the best of each population before. A population
        gathers around one answer: for others let `runs` of the solver make several, or `explore`.

        Args:
            distance: RMS distance of the nodes of poses that are alike [m]; a chain of such poses
                is one mode. Default: a tenth of the figure's size.
        """
        swarm = self._own(self._memory).filter.swarm
        before = max(int(swarm.counts[RUNS]) - 1, 0)
        rows = [*swarm.found[:before].copy(), *_particle_rows(self._own(self._memory))]
        weights = np.concatenate([np.ones(before), swarm.weight])
        worst = np.array([self._worst_of(row) for row in rows])
        return self._find_modes(rows, weights, worst, distance)

    def explore(
        self, frame: Floats | Points, runs: int = 20, *, distance: float | None = None
    ) -> list[Mode]:
        """Different answers to the same frame, from several runs with other random numbers.

        Every run starts where the tracker stands, which stays as it is.

        Args:
            frame: see `solve`.
            runs: how many.
            distance: see `modes`.

        Returns:
            The modes; weights are parts of the runs.
        """
        check_whole("runs", runs, 1, 1_000_000)
        seen, turned = (array.copy() for array in self._reader.read(frame))
        rows, worst = [], []
        for run in range(runs):
            memory = _copied(self._memory)
            swarm = self._own(memory).filter.swarm
            swarm.random[:] = random_state(self.solver.seed + (run + 1) * OTHER_STREAM)
            for _ in self._iterate(memory, seen, turned, self._new_frames(1), 0):
                pass
            rows.append(swarm.before[0].copy())
            worst.append(float(swarm.numbers[WORST]))
        return self._find_modes(rows, np.ones(runs), np.array(worst), distance)

    def _find_modes(
        self, rows: Sequence[Floats], weights: Floats, worst: Floats, distance: float | None
    ) -> list[Mode]:
        near = ALIKE * float(self._figure.size[0]) if distance is None else distance
        return find_modes([self._pose_of(row) for row in rows], weights, worst, self._near, near)

    def _solution(self, found: Solution) -> ParticleSolution:
        """With what the filter says besides."""
        swarm = self._own(self._memory).filter.swarm
        given = {name.name: getattr(found, name.name) for name in fields(Solution)}
        *lacks, rejections, projections = self._one.more[0].tolist()
        lacks = (np.array(lacks) / self._own(self._memory).filter.asked.unit).tolist()
        return ParticleSolution(
            **given,
            tasks=dict(zip(self._labels(), lacks, strict=True)),
            effective=float(swarm.numbers[EFFECTIVE]),
            rejections=int(rejections),
            projections=int(projections),
            runs=int(swarm.counts[RUNS]),
        )

    def _clip(self, found: Result, more: Floats) -> ParticleResult:
        """With what the filter says besides.

        Points that are missed are counted already; of other tasks that are not met it warns.
        """
        asked = self._own(self._memory).filter.asked
        labels = tuple(self._labels())
        lacks, drawn = more[:, :-2], more[:, -2:].astype(np.int64)
        must = (asked.soft == 0) & (asked.weight > 0.0)
        unmet = ((lacks > self._near) & must).sum(axis=0)
        tasks = lacks / asked.unit
        most = tasks.max(axis=0, initial=0.0)
        missed = {label: int(n) for label, n in zip(labels, unmet, strict=True) if n}
        warnings = [
            f"task {label!r} is not met in {unmet[k]} of {len(more)} frames: it lacks up to "
            f"{most[k]:.3g} {'m' if asked.unit[k] == 1.0 else 'rad'}"
            for k, label in enumerate(labels)
            if unmet[k] and asked.kind[k] != PLACE
        ]
        given = {name.name: getattr(found.report, name.name) for name in fields(Report)}
        report = ParticleReport(
            **given | {"warnings": (*found.report.warnings, *warnings)},
            tasks=dict(zip(labels, most.tolist(), strict=True)),
            unmet=missed,
            rejections=int(drawn[:, 0].sum()),
            projections=int(drawn[:, 1].sum()),
        )
        kept = {name.name: getattr(found, name.name) for name in fields(Result)}
        return ParticleResult(
            **kept | {"report": report},
            labels=labels,
            tasks=tasks,
            rejections=drawn[:, 0],
            projections=drawn[:, 1],
        )


def _answer(memory: Memory, solver: MonteCarloSolver) -> Floats:
    swarm = memory.filter.swarm
    return {"best": swarm.best, "mean": swarm.estimate, "smooth": swarm.smooth}[solver.answer]


def _particle_rows(memory: Memory) -> Floats:
    """All particles as poses, (M, N + 1, 4)."""
    swarm = memory.filter.swarm
    rows = np.zeros((len(swarm.local), swarm.local.shape[1] + 1, 4))
    rows[:, :-1], rows[:, -1, :3] = swarm.local, swarm.root
    return rows


def _copied(memory: Any) -> Any:
    """Tables in tables, copied down to their arrays."""
    if isinstance(memory, np.ndarray):
        return memory.copy()
    if not isinstance(memory, tuple):
        return memory
    parts = [_copied(part) for part in memory]
    return type(memory)(*parts) if hasattr(memory, "_fields") else tuple(parts)
