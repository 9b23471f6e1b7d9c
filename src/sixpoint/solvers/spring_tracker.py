"""Figures followed by mass-spring IK, one after the other or thousands at once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats, Ints
from ..limits import Limits
from ..tasks import Reach, Task
from ._kernels.figure import FigurePose
from ._kernels.figure_frame import NOT_MET
from ._kernels.mass_spring import spring_places
from ._kernels.tables import FrameTable
from .body_table import new_frames
from .figure import new_pose
from .figure_tracker import FigureTracker
from .numeric import NumericTracker
from .spring_tables import whole
from .sweeping import human_parts

if TYPE_CHECKING:
    from .mass_spring import SpringSolver


@dataclass(frozen=True)
class ChainBatch:
    """B figures alike, each with its own targets."""

    rotations: Floats
    """Local rotations, (B, J, 4)."""
    residuals: Floats
    """Distance of each point from its target, NaN without one [m], (B, N)."""
    iterations: Ints
    """Steps, (B,)."""
    converged: Bools
    """Whether every target is met, (B,)."""


class SpringTracker(NumericTracker):
    """A person followed part by part: spine, clavicles with arms, legs."""

    def _prepare(self) -> None:
        super()._prepare()
        solver: Any = self.solver
        parts = human_parts(self._figure)
        self._scratch: Any = solver.scratch(self._figure, parts, self.skeleton)

    def _clear_own(self, memory: Any) -> None:
        super()._clear_own(memory)
        self._scratch.springs.energy[:] = 0.0

    @property
    def energies(self) -> Floats:
        """Energy of the springs of each part when the last frame's targets were asked for, (5,).

        Spine, left arm, right arm, left leg, right leg; zero for a part whose target was met
        without a step, or that had none.
        """
        return np.array(self._scratch.springs.energy)


class SpringFigureTracker(FigureTracker):
    """Any other figure; see `FigureTracker`."""

    def __init__(
        self,
        solver: SpringSolver,
        skeleton: Skeleton,
        limits: Limits,
        rate: float,
        names: Sequence[str] | None = None,
        tasks: Sequence[Task[Any]] | None = None,
    ) -> None:
        super().__init__(solver, skeleton, limits, rate, names, tasks)
        self._springs = solver
        self._scratch = self._new_scratch()
        self._starts: Floats = np.zeros((0, len(self._figure.parent), 4))

    def _new_scratch(self) -> Any:
        ranks = [task.priority for task in self.tasks if isinstance(task, Reach)]
        return self._springs.scratch(self._figure, whole(self._figure), self.skeleton, ranks)

    def _run(
        self,
        pose: FigurePose,
        seen: Floats,
        turned: Floats,
        out: FrameTable,
        first: int,
        last: int,
    ) -> None:
        figure, scratch, starts = self._figure, self._scratch, self._starts
        self._kernel(self._settings, figure, pose, scratch, starts, seen, turned, out, first, last)

    def solve_batch(
        self, targets: Floats, *, start: Floats | None = None, threads: int = 1
    ) -> ChainBatch:
        """Solve many figures in one call; what the tracker follows is left alone.

        Args:
            targets: of the points in their order, NaN for none [m], (B, N, 3).
            start: local rotations to start from, one pose (J, 4) or one for each figure (B, J, 4).
                Default: the first pose.
            threads: that share the work; the answer does not depend on it.
        """
        count = len(self.names)
        seen = self._read_targets(targets)
        if threads < 1:
            raise InputError(f"Expected `threads` >= 1, got {threads}.")
        figure, starts = self._figure, self._start_poses(start, len(seen))
        turned = np.full((len(seen), count, 4), np.nan)
        out = new_frames(self.skeleton.joint_count, len(seen), count)
        edges = np.linspace(0, len(seen), threads + 1).astype(int)

        def work(first: int, last: int) -> None:
            pose, scratch = new_pose(figure), self._new_scratch()
            self._kernel(
                self._settings, figure, pose, scratch, starts, seen, turned, out, first, last
            )

        if threads == 1:
            work(0, len(seen))
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(work, edges[:-1], edges[1:]))
        met = (out.flags & NOT_MET) == 0
        return ChainBatch(out.rotations, out.residuals[:, :-1], out.iterations, met)

    def solve_places(self, targets: Floats) -> tuple[Floats, Ints, Bools]:
        """Only where joints and points come to rest, without rotations or limits: quicker still.

        Args:
            targets: as of `solve_batch`, (B, N, 3).

        Returns:
            Places of the joints, then of the points [m], (B, J + N, 3); steps, (B,); whether every
            target is met, (B,). Where one is not, because it is out of reach or another is in its
            way, bones have their lengths all the same; weights do not count then, as they do for
            `solve_batch`.
        """
        seen = self._read_targets(targets)
        figure = self._figure
        if (np.array(self._scratch.springs.mass_of) < 0).any():
            raise InputError("Expected a target for each of the points; some have no task.")
        turned = np.full((len(seen), len(self.names), 4), np.nan)
        out = np.empty((len(seen), len(figure.parent) + len(self.names), 3))
        steps = np.zeros(len(seen), np.int64)
        converged = np.zeros(len(seen), np.bool_)
        pose, scratch = new_pose(figure), self._new_scratch()
        spring_places.compiled(
            self._settings, figure, pose, scratch, seen, turned, out, steps, converged
        )
        return out, steps, converged

    def _read_targets(self, targets: Floats) -> Floats:
        seen = np.ascontiguousarray(targets, dtype=np.float64)
        if seen.ndim != 3 or seen.shape[1:] != (len(self.names), 3):
            raise InputError(
                f"Expected `targets` of shape (B, {len(self.names)}, 3), got {seen.shape}."
            )
        return seen

    def _start_poses(self, start: Floats | None, count: int) -> Floats:
        if start is None:
            return new_pose(self._figure).local[None]
        joints = self.skeleton.joint_count
        given = np.asarray(start, dtype=np.float64)
        if given.shape not in ((joints, 4), (count, joints, 4)):
            raise InputError(
                f"Expected `start` of shape ({joints}, 4) or ({count}, {joints}, 4), "
                f"got {given.shape}."
            )
        if not (np.isfinite(given).all() and (np.linalg.norm(given, axis=-1) > 0.0).all()):
            raise InputError("Expected rotations in `start`, got some that are zero or not finite.")
        turned = self.body.to_rest(arrays.normalize(given.reshape(-1, joints, 4)))
        return np.ascontiguousarray(turned[:, self._figure.rig])
