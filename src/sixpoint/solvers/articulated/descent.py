"""Kernels of methods that descend to the targets of a frame, for any skeleton.

There are two for each method: one for positions and rotations alone, and one for tasks of all
kinds. Most problems have no other tasks; their kernel knows nothing of them, and is quicker by a
third.
"""

from __future__ import annotations

from collections.abc import Callable

from ...kernels._jit import Kernel
from ..context import Frames
from .context import Context, SkeletonContext, end_skeleton, skeleton_kernel, stop_flags
from .model import Targets
from .task_value import write_task_residuals


def descent_kernel(
    descend: Callable[[Context, Targets], tuple[int, int]], *, slots: bool, module: str
) -> Kernel[[SkeletonContext, Frames, int, int], None]:
    """Return the loop that solves the frames of a clip of any skeleton one after the other.

    Args:
        descend: iterates from the pose given; returns iterations taken, and why it ended.
        slots: whether the kernel is for tasks that fill slots, which are in `scratch.tasks`.
        module: name of the module of the method; its compiled kernels are kept under it.
    """

    def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
        """Solve one frame of any skeleton."""
        targets = Targets(frames.positions[frame], frames.rotations[frame])
        steps, reason = descend(c, targets)
        end_skeleton(c, frames, frame, steps, stop_flags(reason))
        if slots:
            tasks, numbers = c.scratch.tasks, frames.out.numbers[frame]
            write_task_residuals(c.model, tasks, c.pose, targets, numbers)

    solve_skeleton.__module__ = module
    solve_skeleton.__name__ = "solve_task" if slots else "solve_skeleton"
    return skeleton_kernel(solve_skeleton)
