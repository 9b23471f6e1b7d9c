"""Thousands of skeletons alike in one call, each with its own targets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats, Ints
from ..articulated.context import SkeletonContext
from ..articulated.plan import SkeletonPlan
from ..context import NOT_MET, Frames, new_frames, new_output
from ..tracker import Tracker
from .methods import SpringSolver
from .solve import solve_positions as position_kernel


@dataclass(frozen=True)
class ChainBatch:
    """B skeletons alike, each with its own targets."""

    rotations: Floats
    """Local rotations, (B, J, 4)."""
    residuals: Floats
    """Distance of each point from its target, NaN without one [m], (B, N)."""
    iterations: Ints
    """Steps, (B,)."""
    converged: Bools
    """Whether every target is met, (B,)."""


def solve_batch(
    tracker: Tracker, targets: Floats, *, start: Floats | None = None, threads: int = 1
) -> ChainBatch:
    """Solve many skeletons in one call.

    Args:
        tracker: of a mass-spring solver and any skeleton but a person by six points. What it
            follows is left alone.
        targets: of its points in their order, NaN for none [m], (B, N, 3).
        start: local rotations to start from, one pose (J, 4) or one for each skeleton (B, J, 4).
            Default: the first pose.
        threads: that share the work; the answer does not depend on it.
    """
    plan, positions = _plan_of(tracker), _positions(tracker, targets)
    if threads < 1:
        raise InputError(f"Expected `threads` >= 1, got {threads}.")
    starts = _start_poses(plan, start, len(positions))
    frames = new_frames(plan.new_output(len(positions)), len(plan.points), plan.rotated)
    frames.positions[...] = positions
    edges = np.linspace(0, len(positions), threads + 1).astype(int)

    def work(first: int, last: int) -> None:
        plan.kernel(_context(plan, starts), frames, first, last)

    if threads == 1:
        work(0, len(positions))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, edges[:-1], edges[1:]))
    out = frames.out
    met = (out.flags & NOT_MET) == 0
    return ChainBatch(out.rotations, out.residuals[:, :-1], out.iterations, met)


def solve_positions(tracker: Tracker, targets: Floats) -> tuple[Floats, Ints, Bools]:
    """Solve many skeletons without rotations or limits, which is quicker still.

    Args:
        tracker: as of `solve_batch`.
        targets: as of `solve_batch`, (B, N, 3).

    Returns:
        Positions of the joints, then of the points [m], (B, J + N, 3); steps, (B,); whether every
        target is met, (B,). Where one is not, because it is out of reach or another is in its way,
        bones have their lengths all the same; weights do not count then, as they do for
        `solve_batch`.
    """
    plan, positions = _plan_of(tracker), _positions(tracker, targets)
    context = _context(plan, _start_poses(plan, None, len(positions)))
    nodes = plan.scratch.springs.mass_of
    if (nodes < 0).any():
        raise InputError("Expected a target for each of the points; some have no task.")
    out = new_output(0, len(nodes), len(positions))
    frames: Frames = new_frames(out, len(plan.points), plan.rotated)
    frames.positions[...] = positions
    position_kernel(context, frames, 0, len(positions))
    return out.points, out.iterations, (out.flags & NOT_MET) == 0


def _plan_of(tracker: Tracker) -> SkeletonPlan:
    if not (isinstance(tracker.solver, SpringSolver) and isinstance(tracker.plan, SkeletonPlan)):
        raise InputError(
            "Expected a tracker of a mass-spring solver and any skeleton but a person by six "
            f"points, got {tracker!r}."
        )
    return tracker.plan


def _positions(tracker: Tracker, targets: Floats) -> Floats:
    positions = np.asarray(targets, dtype=np.float64)
    expected = (len(tracker.names), 3)
    if positions.ndim != 3 or positions.shape[1:] != expected:
        raise InputError(
            f"Expected `targets` of shape (B, {expected[0]}, 3), got {positions.shape}."
        )
    return positions


def _context(plan: SkeletonPlan, starts: Floats) -> SkeletonContext:
    """Return a fresh context whose frames start from given poses."""
    context = plan.new_context(plan.problem.rate)
    return context._replace(scratch=context.scratch._replace(starts=starts))


def _start_poses(plan: SkeletonPlan, start: Floats | None, count: int) -> Floats:
    """Return local rotations of the model, one pose or one for each skeleton, (S, N, 4)."""
    if start is None:
        first: Floats = plan.scratch.springs.start[None]
        return first
    joints = plan.skeleton.joint_count
    given = np.asarray(start, dtype=np.float64)
    if given.shape not in ((joints, 4), (count, joints, 4)):
        raise InputError(
            f"Expected `start` of shape ({joints}, 4) or ({count}, {joints}, 4), got {given.shape}."
        )
    if not (np.isfinite(given).all() and (np.linalg.norm(given, axis=-1) > 0.0).all()):
        raise InputError("Expected rotations in `start`, got some that are zero or not finite.")
    local = plan.body.to_rest(arrays.normalize(given.reshape(-1, joints, 4)))
    return np.ascontiguousarray(local[:, plan.model.rig])
