"""Frames for the Jacobian methods: people from six points, and any figure from its targets."""

from __future__ import annotations

from ...kernels._jit import kernel
from ...kernels.types import Floats
from .descent import Descent, descend_person
from .figure import Figure, FigurePose
from .figure_descent import descend_figure
from .figure_frame import begin_person, end_figure, end_person, stop_flags
from .tables import FrameTable, RecordArray


@kernel
def solve_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Descent,
    lead: FrameTable,
    ahead: RecordArray,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People: the root is placed like that of sequential IK, then everything else descends.

    Tips are the six points, in their order. The pose of the frame before is the start (S0.56), or
    that of a solver that goes ahead: `lead` has its answers, or none.
    """
    for frame in range(first, last):
        flags, estimate = begin_person(
            body[0],
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            ahead[0],
            seen,
            turned,
            frame,
        )
        steps, reason = descend_person(
            figure, settings[0], pose, scratch, work[0].points, turned[frame]
        )
        end_person(
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            estimate,
            seen[frame],
            out,
            frame,
            steps,
            flags | stop_flags(reason),
        )


@kernel
def solve_figures(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Descent,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Any figure: targets of its tips (F, E, 3) and (F, E, 4), NaN where there is none.

    The root stays where it is; the pose of the frame before is the start.
    """
    for frame in range(first, last):
        steps, reason = descend_figure(
            figure, settings[0], pose, scratch, seen[frame], turned[frame]
        )
        end_figure(figure, pose, seen[frame], out, frame, steps, stop_flags(reason))
