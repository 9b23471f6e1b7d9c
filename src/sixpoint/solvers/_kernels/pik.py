"""Prioritized IK: steps until targets are met, nothing moves any more, or the budget is spent."""

from __future__ import annotations

import math

from ...kernels._jit import helper, kernel
from ...kernels.quaternion import (
    quat_conj,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
    quat_to_rotvec,
)
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_length, vec_load, vec_scale, vec_store
from .apart import touching_rows, with_touching
from .figure import (
    Figure,
    FigurePose,
    figure_forward,
    figure_jacobian,
    figure_read,
    figure_residuals,
)
from .figure_descent import may_fold
from .figure_frame import MET, SPENT, STILL, begin_person, end_figure, stop_flags, write_person
from .frame import FIRST_LIMB, PELVIS, end_frame, known_turn
from .pik_step import (
    PikWork,
    free_limits,
    judge_step,
    limited_step,
    posture_wish,
    scale_tasks,
    take_step,
    turn_axes,
)
from .tables import LIMBS, LIMITED, FrameTable, RecordArray, Settings

SETTLED = 1e-9
"""A step that turns no joint by more than this is none [rad]."""
SLACK, LEAST_SLACK = 0.1, 1e-7
"""Errors below these parts of the tolerance and of the size are none."""
BLIND = 1e-4
"""Slope of a task along what it asks for, below which it sees no way."""
NUDGE = 1.0
"""All that the joints are turned to leave a straight line, together [rad]."""
NUDGES = 2
"""Most tries of that."""
MOST_LEAN = 0.25
"""The root starts a frame turned against its estimate as before, but by no more than this [rad].
Without, the start would miss by all that the root had turned; with more, a pelvis whose estimate
flipped might never come back."""


@helper
def is_blind(figure: Figure, work: PikWork) -> bool:
    """Whether some task asks for what no joint can give: a straight chain sees no way to fold."""
    for task in range(figure.task_kind.shape[0]):
        asked = (work.asked[3 * task], work.asked[3 * task + 1], work.asked[3 * task + 2])
        square = 0.0
        for k in range(work.jacobian.shape[1]):
            slope = 0.0
            for c in range(3):
                slope += asked[c] * work.jacobian[3 * task + c, k]
            square += slope * slope
        length = vec_length(asked)
        if length > 0.0 and math.sqrt(square) < BLIND * length:
            return True
    return False


@helper
def prioritized(
    figure: Figure,
    settings: Settings,
    work: PikWork,
    pose: FigurePose,
    places: Floats,
    turns: Floats,
    root: Quat,
    fixed: bool,
) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended.

    There is always a step, so that the posture settles while targets rest. A root that moves is
    drawn to the rotation `root`; a `fixed` one keeps its own.
    """
    near = settings.tolerance * figure.size[0]
    least_gain = settings.least_gain * figure.size[0]
    slack = max(SLACK * settings.tolerance, LEAST_SLACK)
    nudges = 0
    figure_forward(figure, pose)
    found = figure_residuals(figure, pose, places, turns, work.asked)
    worst, total = with_touching(figure, pose, work.capsules, work.asked, found)
    for level in range(work.calm.shape[0]):
        work.calm[level] = 1.0
    judge_step(figure, work, math.inf)
    for iteration in range(settings.iterations):
        turn_axes(figure, pose, work.axes)
        figure_jacobian(figure, pose, work.axes, work.jacobian)
        if work.capsules.pair.shape[0] > 0:
            touching_rows(figure, pose, work.capsules, work.axes, work.jacobian)
        if scale_tasks(figure, work, places, turns, settings.task_step) == 0:
            return iteration, MET
        posture_wish(figure, work, pose, root)
        free_limits(figure, work, fixed)
        turn = limited_step(figure, settings, work, pose, settings.task_step)
        if turn < SETTLED and worst > near:
            blind = is_blind(figure, work) and may_fold(figure, pose, places, turns, near)
            if not blind or nudges == NUDGES or work.table.floats[0]:
                return iteration, STILL
            for k in range(work.wish.shape[0]):
                work.wish[k] = (NUDGE if nudges % 2 == 0 else -NUDGE) / work.wish.shape[0]
            free_limits(figure, work, fixed)
            limited_step(figure, settings, work, pose, settings.task_step)
            nudges += 1
        take_step(figure, work, pose)
        figure_forward(figure, pose)
        before = total
        found = figure_residuals(figure, pose, places, turns, work.asked)
        worst, total = with_touching(figure, pose, work.capsules, work.asked, found)
        if worst <= near:
            return iteration + 1, MET
        if abs(before - total) <= least_gain:
            return iteration + 1, STILL
        judge_step(figure, work, slack)
    return settings.iterations, SPENT


@helper
def limb_limits(figure: Figure, work: PikWork) -> int:
    """Flags of the limbs that a held joint moves, other than the root and loins."""
    flags = 0
    for limb in range(LIMBS):
        for row in range(1, figure.parent.shape[0]):
            if (
                row != work.table.loins[0]
                and work.held[row] > 0
                and figure.moves[FIRST_LIMB + limb, row]
            ):
                flags |= LIMITED << limb
    return flags


@kernel
def prioritize_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    figure: Figure,
    pose: FigurePose,
    lean: Floats,
    scratch: PikWork,
    lead: FrameTable,
    ahead: RecordArray,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People: the root starts at its estimate and moves like everything else (A0.23).

    `lean` (1, 4) is how the frame before left the root turned against the estimate. Tips are the
    six points, in their order. The pose of the frame before is the start (S0.56), and a relaxed
    stance the posture; or the pose of a solver that goes ahead is one of them or both. `lead` has
    its answers, or none.
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
        if settings[0].led_posture:
            figure_read(figure, lead.rotations[frame], scratch.table.posture)
        _, fixed = known_turn(turned[frame], PELVIS)
        if not fixed and not settings[0].led_start:
            turn = quat_to_rotvec(quat_load(lean, 0))
            turn = vec_scale(turn, min(1.0, MOST_LEAN / max(MOST_LEAN, vec_length(turn))))
            quat_store(pose.local, 0, quat_normalize(quat_mul(estimate, quat_from_rotvec(turn))))
        steps, reason = prioritized(
            figure,
            settings[0],
            scratch,
            pose,
            work[0].points,
            turned[frame],
            estimate,
            fixed,
        )
        quat_store(lean, 0, quat_mul(quat_conj(estimate), quat_load(pose.local, 0)))
        for p in range(seen.shape[1]):
            vec_store(work[0].ends, p, vec_load(pose.tips, p))
        write_person(figure, settings[0], pose, lead, out, frame)
        # Lost points go with the estimate, not with the root: a lost head that leaned with the
        # root would make the next estimate lean, and so on.
        end_frame(
            settings[0],
            state[0],
            work[0],
            estimate,
            estimate,
            seen[frame],
            out,
            frame,
            steps,
            flags | stop_flags(reason) | limb_limits(figure, scratch),
        )


@kernel
def prioritize_figures(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: PikWork,
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
        steps, reason = prioritized(
            figure,
            settings[0],
            scratch,
            pose,
            seen[frame],
            turned[frame],
            (1.0, 0.0, 0.0, 0.0),
            False,
        )
        end_figure(figure, pose, seen[frame], out, frame, steps, stop_flags(reason))
