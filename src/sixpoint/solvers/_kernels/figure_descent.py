"""The loop of the Jacobian methods on any figure: no step that makes things worse.

Far targets make Jacobian methods overshoot and swing to and fro. Here a step is halved until it
brings something. Where no step does, the figure is at its best, or it only seems to be: stretched
straight at a target within its reach (the Jacobian cannot see that it could fold), or pressed
against limits. So it tries to escape a few times, by a nudge out of line or by the whole step
although that makes things worse, and comes back to the best pose it had if that leads nowhere.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.types import Floats
from ...kernels.vector import vec_distance, vec_length, vec_load
from .apart import with_touching
from .descent import Descent, method_step
from .figure import (
    ORIENTATION,
    POSITION,
    Figure,
    FigurePose,
    figure_forward,
    figure_residuals,
    figure_turn,
    task_gap,
)
from .figure_frame import MET, SPENT, STILL
from .tables import Settings

HALVINGS = 12
"""A step that brings nothing at this many halvings brings nothing."""
LEAST_PART = 1e-8
"""An iteration that improves the squared error by less than this part of it is the last."""
ESCAPES = 20
"""Most tries to leave a pose that no step improves."""
NUDGE = 1.0
"""All that the joints are turned by a nudge, together [rad]."""
NO_STEP = 1e-3
"""A whole step that turns no joint by more than this is no way out [rad]."""
FOLD = 0.01
"""A target out of reach that is missed by this part of the size more than need be is worth one."""


@helper
def task_squares(figure: Figure, asked: Floats) -> float:
    """Weighted squared error of all tasks [m^2]; a radian counts like the figure's size."""
    total = 0.0
    for task in range(figure.task_kind.shape[0]):
        unit = figure.size[0] if figure.task_kind[task] == ORIENTATION else 1.0
        for i in range(3 * task, 3 * task + 3):
            total += asked[i] * asked[i] * unit * unit
    return total


@helper
def copy_rows(source: Floats, target: Floats) -> None:
    """Copy local rotations (N, 4)."""
    for row in range(source.shape[0]):
        for c in range(4):
            target[row, c] = source[row, c]


@helper
def may_fold(figure: Figure, pose: FigurePose, places: Floats, turns: Floats, near: float) -> bool:
    """Whether some place is missed by clearly more than the length of the bones explains."""
    size = figure.size[0]
    for task in range(figure.task_kind.shape[0]):
        if figure.task_kind[task] != POSITION:
            continue
        tip = figure.task_tip[task]
        reach = vec_length(vec_load(figure.tip_offset, tip))
        row = figure.tip_row[tip]
        while figure.parent[row] >= 0:
            reach += vec_length(vec_load(figure.offset, row))
            row = figure.parent[row]
        beyond = vec_distance(vec_load(pose.place, row), vec_load(places, tip)) - reach
        _, missed = task_gap(figure, pose, task, places, turns)
        if missed > (near if beyond <= 0.0 else beyond + FOLD * size):
            return True
    return False


@helper
def judge(
    figure: Figure, pose: FigurePose, scratch: Descent, places: Floats, turns: Floats
) -> tuple[float, float]:
    """Write what every task still asks for; its largest and summed length [m]."""
    found = figure_residuals(figure, pose, places, turns, scratch.asked)
    return with_touching(figure, pose, scratch.capsules, scratch.asked, found)


@helper
def try_step(
    figure: Figure,
    pose: FigurePose,
    scratch: Descent,
    places: Floats,
    turns: Floats,
    squares: float,
    part: float,
) -> tuple[float, float]:
    """Take a part of the step, or a half, a quarter ... of it: the first that helps.

    Returns:
        The weighted squared error and the part taken. If nothing lowers it, the part is zero and
        the pose as before.
    """
    d = scratch.step.shape[0]
    copy_rows(pose.local, scratch.kept)
    for _ in range(HALVINGS):
        for k in range(d):
            scratch.trial[k] = part * scratch.step[k]
        figure_turn(figure, pose, scratch.trial)
        figure_forward(figure, pose)
        judge(figure, pose, scratch, places, turns)
        now = task_squares(figure, scratch.asked)
        if now < squares:
            return now, part
        copy_rows(scratch.kept, pose.local)
        part *= 0.5
    return squares, 0.0


@helper
def escape(figure: Figure, pose: FigurePose, scratch: Descent, tries: int) -> None:
    """Take the whole step or, if there is hardly any, turn all joints a little, either way."""
    d = scratch.step.shape[0]
    largest = 0.0
    for k in range(d):
        largest = max(largest, abs(scratch.step[k]))
    if largest < NO_STEP:
        for k in range(d):
            scratch.step[k] = (NUDGE if tries % 2 == 0 else -NUDGE) / d
    figure_turn(figure, pose, scratch.step)


@helper
def descend_figure(
    figure: Figure,
    settings: Settings,
    pose: FigurePose,
    scratch: Descent,
    places: Floats,
    turns: Floats,
) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended.

    `places` (E, 3) and `turns` (E, 4) are the targets of the tips.
    """
    near = settings.tolerance * figure.size[0]
    least_gain = settings.least_gain * figure.size[0]
    tries, part, best = 0, 1.0, math.inf
    figure_forward(figure, pose)
    worst, total = judge(figure, pose, scratch, places, turns)
    squares = task_squares(figure, scratch.asked)
    steps, reason = 0, SPENT
    while steps < settings.iterations and worst > near:
        method_step(figure, settings, pose, scratch)
        steps += 1
        before, before_squares = total, squares
        squares, part = try_step(
            figure, pose, scratch, places, turns, squares, min(1.0, 2.0 * part)
        )
        if before_squares - squares <= LEAST_PART * before_squares:
            if tries == ESCAPES or not may_fold(figure, pose, places, turns, near):
                reason = STILL
                break
            if squares < best:
                best = squares
                copy_rows(pose.local, scratch.best)
            escape(figure, pose, scratch, tries)
            tries, part = tries + 1, 1.0
        figure_forward(figure, pose)
        worst, total = judge(figure, pose, scratch, places, turns)
        squares = task_squares(figure, scratch.asked)
        if before - total <= least_gain:
            reason = STILL
            break
    if worst <= near:
        return steps, MET
    if best < squares:
        copy_rows(scratch.best, pose.local)
    figure_forward(figure, pose)
    return steps, reason
