"""The step of every Jacobian method, and the loop that takes it on people.

Ask, step, keep limits, until met, still or spent. The stop rule is that of the SIK paper's
comparison (S0.49): the largest error is small, or the sum of errors improved by too little, or the
budget is spent.
"""

from __future__ import annotations

from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.dense import svd_rows
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_load, vec_scale, vec_store, vec_sub
from .apart import Capsules, touching_rows
from .dls import dls_step
from .figure import (
    ORIENTATION,
    Figure,
    FigurePose,
    figure_axes,
    figure_forward,
    figure_jacobian,
    figure_residuals,
    figure_turn,
)
from .figure_frame import MET, SPENT, STILL
from .svd_steps import clamp_largest, filtered_step, selective_step
from .tables import Settings
from .transpose import transpose_step

TRANSPOSE, PSEUDOINVERSE, DLS, DLS_SVD, SDLS = 0, 1, 2, 3, 4
"""Methods."""


class Descent(NamedTuple):
    """Scratch memory: D degrees of freedom, T tasks."""

    capsules: Capsules
    """What shall stay apart."""
    axes: Floats
    """(D, 3)."""
    jacobian: Floats
    """(3 T, D)."""
    asked: Floats
    """(3 T,)."""
    square: Floats
    """(3 T, 3 T)."""
    u: Floats
    """(3 T, 3 T)."""
    v: Floats
    """(3 T, D)."""
    sigma: Floats
    """(3 T,)."""
    x: Floats
    """(3 T,)."""
    part: Floats
    """(D,)."""
    step: Floats
    """(D,)."""
    trial: Floats
    """A part of the step, (D,)."""
    kept: Floats
    """Local rotations before the step, (N, 4)."""
    best: Floats
    """The best local rotations so far, (N, 4)."""


@helper
def share_spine_error(pose: FigurePose, places: Floats) -> None:
    """Move the whole figure so that pelvis and head, tips 0 and 1, miss by the same (S0.16)."""
    pelvis, head = vec_load(places, 0), vec_load(places, 1)
    reached = vec_sub(vec_load(pose.tips, 1), vec_load(pose.tips, 0))
    wanted = vec_sub(head, pelvis)
    goal = vec_add(pelvis, vec_scale(vec_sub(wanted, reached), 0.5))
    shift = vec_sub(goal, vec_load(pose.tips, 0))
    for row in range(pose.place.shape[0]):
        vec_store(pose.place, row, vec_add(vec_load(pose.place, row), shift))
    for tip in range(pose.tips.shape[0]):
        vec_store(pose.tips, tip, vec_add(vec_load(pose.tips, tip), shift))


@helper
def scale_tasks(figure: Figure, scratch: Descent, most: float) -> None:
    """Bring all tasks to metres, and shorten what each one asks for to a length [m].

    A radian of orientation counts like the size of the figure. No limit where `most` is zero.
    """
    for task in range(figure.task_kind.shape[0]):
        rows = range(3 * task, 3 * task + 3)
        if figure.task_kind[task] == ORIENTATION:
            for i in rows:
                scratch.asked[i] *= figure.size[0]
                for k in range(scratch.jacobian.shape[1]):
                    scratch.jacobian[i, k] *= figure.size[0]
        square = 0.0
        for i in rows:
            square += scratch.asked[i] * scratch.asked[i]
        limit = most * figure.task_weight[task]
        if most > 0.0 and square > limit * limit:
            for i in rows:
                scratch.asked[i] *= limit / square**0.5


@helper
def method_step(figure: Figure, settings: Settings, pose: FigurePose, scratch: Descent) -> None:
    """The step that a method takes from the pose given and from what is asked."""
    m, d = scratch.jacobian.shape
    figure_axes(figure, pose, scratch.axes)
    figure_jacobian(figure, pose, scratch.axes, scratch.jacobian)
    if scratch.capsules.pair.shape[0] > 0:
        touching_rows(figure, pose, scratch.capsules, scratch.axes, scratch.jacobian)
    size = figure.size[0]
    damping = settings.damping * size
    scale_tasks(figure, scratch, settings.task_step * size)
    if settings.method == TRANSPOSE:
        transpose_step(scratch.jacobian, m, d, scratch.asked, scratch.step)
    elif settings.method == DLS:
        dls_step(
            scratch.jacobian, m, d, scratch.asked, damping, scratch.square, scratch.x, scratch.step
        )
    else:
        svd_rows(scratch.jacobian, m, d, scratch.u, scratch.v, scratch.sigma)
        if settings.method == SDLS:
            selective_step(
                scratch.jacobian,
                scratch.u,
                scratch.v,
                scratch.sigma,
                m,
                d,
                scratch.asked,
                settings.joint_step,
                settings.soft != 0,
                scratch.part,
                scratch.step,
            )
        else:
            filtered_step(
                scratch.u,
                scratch.v,
                scratch.sigma,
                m,
                d,
                scratch.asked,
                damping,
                settings.cut,
                scratch.step,
            )
    clamp_largest(scratch.step, d, settings.joint_step)


@helper
def descend_person(
    figure: Figure,
    settings: Settings,
    pose: FigurePose,
    scratch: Descent,
    places: Floats,
    turns: Floats,
) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended.

    `places` (E, 3) and `turns` (E, 4) are the targets of the tips. Tips 0 and 1 are pelvis and
    head, and the error between them is shared after each iteration (S0.52).
    """
    size = figure.size[0]
    figure_forward(figure, pose)
    share_spine_error(pose, places)
    worst, total = figure_residuals(figure, pose, places, turns, scratch.asked)
    for iteration in range(settings.iterations):
        if worst <= settings.tolerance * size:
            return iteration, MET
        method_step(figure, settings, pose, scratch)
        figure_turn(figure, pose, scratch.step)
        figure_forward(figure, pose)
        share_spine_error(pose, places)
        before = total
        worst, total = figure_residuals(figure, pose, places, turns, scratch.asked)
        if before - total <= settings.least_gain * size:
            return iteration + 1, MET if worst <= settings.tolerance * size else STILL
    return settings.iterations, MET if worst <= settings.tolerance * size else SPENT
