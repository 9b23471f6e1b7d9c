"""The iterations of a frame outside of the kernel, with the bits of the compiled loop.

So that tasks which are Python functions can judge the particles, and iterations can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.pose import Pose
from ...tasks import FunctionTask
from ..articulated.context import SkeletonContext
from ..context import Frames
from .filter import add_to_begin
from .frames import BEGIN, END, EXPLORE, GOES_ON, WEIGH, run_phase
from .population import Particles

if TYPE_CHECKING:
    from .plan import FilterPlan


class FilterLoop:
    """Solves frames of a context phase by phase."""

    def __init__(self, plan: FilterPlan, context: SkeletonContext, frames: Frames) -> None:
        self._plan = plan
        self._context = context
        self._frames = frames
        self._particles: Particles = context.scratch.particles
        self._run = run_phase.bind(context, frames)

    def solve(self, first: int, last: int) -> None:
        """Solve the frames `first` to `last - 1`."""
        for frame in range(first, last):
            for _ in self.iterate(frame):
                pass

    def iterate(self, frame: int = 0) -> Iterator[None]:
        """Solve a frame, and stop after each iteration; left early, its answer is that so far."""
        self._run(frame, BEGIN)
        if self._plan.functions:
            cost, worst = judge_by_functions(
                self._plan.functions, [self._pose(self._particles.start, frame)]
            )
            opened = self._context._replace(settings=self._context.settings[0])
            add_to_begin(opened, float(cost[0]), float(worst[0]))
        try:
            while self._run(frame, GOES_ON):
                self._run(frame, EXPLORE)
                self._judge_particles()
                self._run(frame, WEIGH)
                self._judge_answer(frame)
                yield
        except GeneratorExit:
            self._end(frame)
            raise
        self._end(frame)

    def _judge_particles(self) -> None:
        plan, particles = self._plan, self._particles
        if not plan.functions:
            return
        poses = []
        if not all(task.batched for _, task in plan.functions):
            rotations = arrays.normalize(plan.skeleton.articulation.from_rest(particles.local))
            poses = [
                Pose(plan.skeleton, root, local)
                for root, local in zip(particles.root.copy(), rotations, strict=True)
            ]
        nodes = particles.nodes if particles.nodes.size else None
        particles.extra[:] = np.transpose(judge_by_functions(plan.functions, poses, nodes))

    def _judge_answer(self, frame: int) -> None:
        """Judge an answer that is no particle; the residuals of particles are known."""
        answer, particles = self._plan.solver.answer, self._particles
        if self._plan.functions and answer != "best":
            rows = particles.estimate if answer == "mean" else particles.smooth
            _, worst = judge_by_functions(self._plan.functions, [self._pose(rows, frame)])
            particles.state["worst"] = np.maximum(particles.state["worst"], worst)

    def _end(self, frame: int) -> None:
        self._run(frame, END)
        if self._plan.functions:
            answer = self._pose(self._particles.before[0], frame)
            for k, task in self._plan.functions:
                self._frames.out.numbers[frame, k] = task.residual_norm(answer)

    def _pose(self, rows: Floats, frame: int) -> Pose:
        return self._plan.pose_of(rows, self._frames, frame)


def judge_by_functions(
    functions: Sequence[tuple[int, FunctionTask]],
    poses: Sequence[Pose],
    nodes: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return what functions ask of poses: weighted, squared and summed [m^2], and the largest [m].

    Args:
        functions: tasks, with their places among the tasks.
        poses: those that functions of one pose judge.
        nodes: their nodes, for functions of many poses (M, K, 3) [m]. Default: of `poses`.
    """
    count = len(poses) if nodes is None else len(nodes)
    cost, worst = np.zeros(count), np.zeros(count)
    for _, task in functions:
        if task.batched and nodes is not None:
            residuals = np.abs(task.call(nodes, poses=count))
        else:
            residuals = np.array([task.residual_norm(pose) for pose in poses])
        cost += (task.weight * residuals) ** 2
        if task.weight > 0.0:
            worst = np.maximum(worst, residuals)
    return cost, worst
