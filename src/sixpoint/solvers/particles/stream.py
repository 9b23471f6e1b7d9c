"""The particle filter of a tracker from the inside: its iterations, particles and other answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import InputError
from ...kernels.random import random_state
from ...kernels.types import Floats
from ...motion.points import Points
from ...motion.pose import Pose
from ..articulated.build import new_pose
from ..settings import check_whole
from ..tracker import FrameReader, Run, Tracker, copy_tables
from .filter import Particles, load_pose
from .frames import FilterLoop, frame_targets, judge_by_functions
from .methods import SEEDS, FilterPlan
from .task_cost import judge_pose

OTHER_STREAM = 1 << 32
"""Seeds this far apart make runs that have nothing to do with each other."""
ALIKE = 0.1
"""Poses whose nodes differ by less than this part of the skeleton's size are alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """One iteration of the filter: a frame that can be shown."""

    step: int
    """Counted from 1."""
    pose: Pose
    """The smoothed estimate, Courty and Arnaud, Eq. (15)."""
    estimate: Pose
    """The estimate itself: the heaviest particle, or the mean of all."""
    worst: float
    """Largest residual of a task for the answer so far [m]."""
    effective: float
    """Effective number of particles, from 1 to all."""
    noise: float
    """Deviation of the next draw of a joint, half an angle [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """One of several answers to the same question."""

    pose: Pose
    """The one of them with the smallest residual."""
    weight: float
    """Part of the particles' weight, or of the runs, that came to it."""
    worst: float
    """Its largest residual of a task [m]."""


class ParticleStream:
    """The iterations, the particles and the different answers of a tracker's particle filter.

    Args:
        tracker: of solver ``"monte-carlo"``. Its next frame goes on from the last one shown here.
    """

    def __init__(self, tracker: Tracker) -> None:
        if not isinstance(tracker.plan, FilterPlan):
            raise InputError(
                f"Expected a tracker of solver 'monte-carlo', got one of {tracker.solver.name!r}."
            )
        self.tracker = tracker
        self._plan = tracker.plan
        self._run = tracker.run
        self._particles: Particles = tracker.run.context.scratch.particles

    def begin(self, pose: Pose, seed: int | None = None) -> None:
        """Forget earlier frames, and start from a pose; with other random numbers if wished."""
        if seed is not None:
            check_whole("seed", seed, 0, SEEDS)
        self.tracker.reset(pose)
        if seed is not None:
            self._particles.random[:] = random_state(int(seed))

    def iterates(self, frame: Floats | Points | Mapping[str, Any]) -> Iterator[Iterate]:
        """Solve one frame, and show every iteration: each is a frame of an animation.

        The last is what `Tracker.solve` would have found. Iteration may be stopped early: the next
        frame then goes on from the answer so far.
        """
        self._read(self._run, frame)
        if self._run.first is not None:
            self._run.first.solve(0, 1)
        particles = self._particles
        for _ in self._loop.iterate():
            state = particles.state[0]
            yield Iterate(
                int(state.steps),
                self._pose(particles.smooth),
                self._pose(particles.estimate),
                float(state.worst),
                float(state.effective),
                float(state.scale),
            )

    def particles(self) -> tuple[Floats, Floats]:
        """Return the nodes of all particles (M, J+S, 3) [m], and their weights (M,)."""
        poses = [self._pose(rows) for rows in particle_rows(self._particles)]
        return np.array([pose.world()[0] for pose in poses]), self._particles.weight.copy()

    def modes(self, distance: float | None = None) -> list[Mode]:
        """Return the different answers of the last frame: those met first, then by weight.

        They are the particles as they stand, and the best of each population before. A population
        gathers around one answer: for others let `runs` of the solver make several, or `explore`.

        Args:
            distance: RMS distance of the nodes of poses that are alike [m]; a chain of such poses
                is one mode. Default: a tenth of the skeleton's size.
        """
        particles = self._particles
        before = max(int(particles.state[0].runs) - 1, 0)
        rows = [*particles.found[:before], *particle_rows(particles)]
        weights = np.concatenate([np.ones(before), particles.weight])
        worst = np.array([self._worst(pose) for pose in rows])
        return self._find_modes([*map(self._pose, rows)], weights, worst, distance)

    def explore(
        self,
        frame: Floats | Points | Mapping[str, Any],
        runs: int = 20,
        *,
        distance: float | None = None,
    ) -> list[Mode]:
        """Return different answers to a frame, from several runs with other random numbers.

        Every run starts where the tracker stands, which stays as it is.

        Args:
            frame: see `Tracker.solve`.
            runs: how many; the weights of modes are parts of them.
            distance: see `modes`.
        """
        check_whole("runs", runs, 1, 1_000_000)
        poses, worst = [], []
        run = Run(self._plan, self._run.rate, 1)
        particles = run.context.scratch.particles
        for k in range(runs):
            _copy_run(self._run, run)
            self._read(run, frame)
            particles.random[:] = random_state(self._plan.solver.seed + (k + 1) * OTHER_STREAM)
            run.solve(0, 1)
            poses.append(self._plan.pose_of(particles.before[0], run.frames))
            worst.append(float(particles.state[0].worst))
        return self._find_modes(poses, np.ones(runs), np.array(worst), distance)

    @cached_property
    def _loop(self) -> FilterLoop:
        return FilterLoop(self._plan, self._run.context, self._run.frames)

    def _read(self, run: Run, frame: Any) -> None:
        names = self._plan.names
        run.read(
            lambda frames, plan: FrameReader(names, plan.points, plan.rotated, plan.needed).read(
                frame, frames
            )
        )

    def _pose(self, rows: Floats) -> Pose:
        return self._plan.pose_of(rows, self._run.frames)

    def _worst(self, rows: Floats) -> float:
        """Return the largest residual of a task for such a pose in the last frame [m]."""
        c = self._run.context
        pose, targets = new_pose(c.model), frame_targets(self._run.frames, 0)
        load_pose(c.model, rows, pose)
        worst = judge_pose(
            c.model, c.scratch.tasks, pose, targets, np.zeros(c.scratch.tasks.kind.shape)
        )
        _, outside = judge_by_functions(self._plan.functions, [self._pose(rows)])
        return max(float(worst), float(outside[0]))

    def _find_modes(
        self, poses: Sequence[Pose], weights: Floats, worst: Floats, distance: float | None
    ) -> list[Mode]:
        size = float(self._plan.model.size[0])
        met = float(self._run.context.settings[0].tolerance) * size
        near = ALIKE * size if distance is None else distance
        return find_modes(poses, weights, worst, met, near)


def _copy_run(source: Run, into: Run) -> None:
    """Let a run stand where another of the same plan stands."""
    copy_tables(source.context, into.context)
    if source.first is not None and into.first is not None:
        _copy_run(source.first, into.first)


def particle_rows(particles: Particles) -> Floats:
    """Return all particles as rows, (M, N + 1, 4)."""
    rows = np.zeros((len(particles.local), len(particles.start), 4))
    rows[:, :-1], rows[:, -1, :3] = particles.local, particles.root
    return rows


def cluster(places: Floats, weights: Floats, distance: float) -> list[list[int]]:
    """Group poses that are alike, the heaviest group first, and in it the heaviest pose.

    Poses are in one group if a chain of others leads from one to the other in steps that are short
    enough: answers that go over into each other are one, not many.

    Args:
        places: of the nodes of each pose (M, K, 3) [m].
        weights: of each pose (M,), >= 0.
        distance: RMS distance of the nodes of poses that count as alike [m].
    """
    if not distance >= 0.0:
        raise InputError(f"Expected a `distance` >= 0 in metres, got {distance}.")
    left = [int(k) for k in np.argsort(-weights, kind="stable")]
    groups: list[list[int]] = []
    while left:
        group = [left.pop(0)]
        for member in group:  # grows on the way
            away = np.sqrt(((places[left] - places[member]) ** 2).sum(axis=2).mean(axis=1))
            group += [k for k, far in zip(left, away, strict=True) if far <= distance]
            left = [k for k, far in zip(left, away, strict=True) if not far <= distance]
        groups.append(sorted(group, key=lambda k: (-weights[k], k)))
    return sorted(groups, key=lambda group: -float(weights[group].sum()))


def find_modes(
    poses: Sequence[Pose], weights: Floats, worst: Floats, met: float, distance: float
) -> list[Mode]:
    """Return the different ones of some poses: those that are met first, then by weight.

    `weights` and the largest residuals `worst` [m] are those of the poses; residuals up to `met`
    [m] are met. See `cluster` for `distance`.
    """
    places = np.array([pose.world()[0] for pose in poses])
    modes = []
    for group in cluster(places, weights, distance):
        best = min(group, key=lambda k: worst[k])
        weight = float(weights[group].sum() / max(weights.sum(), 1e-300))
        modes.append(Mode(poses[best], weight, float(worst[best])))
    return sorted(modes, key=lambda mode: (mode.worst > met, -mode.weight))
