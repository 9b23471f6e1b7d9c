"""What is asked of a figure: every kind of task as a row of numbers, judged without derivatives."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_angle,
    quat_conj,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_to_rotvec,
    quat_twist_angle,
)
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import as3, vec_dot, vec_length, vec_load, vec_sub
from .apart import Capsules, apart_square
from .figure import Figure, FigurePose

PLACE, TURN, LOOK, BALANCE, SMOOTH, COUPLED, FLOOR, POSTURE, APART, OUTSIDE = range(10)
"""Kinds of tasks; those outside are functions, judged elsewhere."""
ABSURD = 1e24
"""A squared residual beyond this, or NaN, asks for nothing [m^2]."""


class Asked(NamedTuple):
    """T tasks of a figure of N rows."""

    kind: Ints
    """(T,)."""
    node: Ints
    """Tip that a task speaks of; of a coupling, the row that follows; (T,)."""
    first: Ints
    """First of its rows in `pairs` or `corners`, its row of `posture`; of a coupling, the row that
    leads; (T,)."""
    last: Ints
    """One beyond the last, (T,)."""
    weight: Floats
    """(T,)."""
    unit: Floats
    """What makes its residual a length: 1 for lengths, the figure's size for angles, (T,)."""
    precision: Floats
    """Inverse of the covariance of its residual, as the task gives it, (T, 3, 3)."""
    soft: Ints
    """Whether it chooses among poses that meet the others, and need not be met, (T,)."""
    numbers: Floats
    """Of a glance, its axis and its place; of the floor, its height and whether one may leave it;
    of a coupling, its ratio; of a balance, whether its support goes with the root; (T, 6)."""
    pairs: Ints
    """Rows whose evenness counts, (P, 2)."""
    corners: Floats
    """Of supports, each a convex polygon counter-clockwise in (x, z) [m], (H, 2)."""
    capsules: Capsules
    """Parts that shall stay apart."""
    mass: Floats
    """Centres of mass: weight of each row's place, (B, N)."""
    arm: Floats
    """And what to add, in the frame of the row [m], (B, N, 3)."""
    posture: Floats
    """Local rotations of postures, (Q, N, 4)."""


@helper
def task_square(
    figure: Figure, asked: Asked, pose: FigurePose, task: int, places: Floats, turns: Floats
) -> float:
    """Squared length of what a task still asks for [m^2]; not weighted.

    A target that is not known (NaN) asks for nothing.
    """
    kind = asked.kind[task]
    node = asked.node[task]
    square = 0.0
    if kind == PLACE:
        gap = vec_sub(vec_load(places, node), vec_load(pose.tips, node))
        square = _form(asked.precision[task], gap)
    elif kind == TURN:
        now = quat_load(pose.world, figure.tip_row[node])
        gap = quat_to_rotvec(quat_mul(quat_load(turns, node), quat_conj(now)))
        square = _form(asked.precision[task], gap)
    elif kind == LOOK:
        square = _look(figure, asked, pose, task, node)
    elif kind == BALANCE:
        square = _balance(asked, pose, task, node)
    elif kind == SMOOTH:
        total = 0.0
        for k in range(asked.first[task], asked.last[task]):
            total += quat_angle(
                quat_load(pose.local, asked.pairs[k, 0]), quat_load(pose.local, asked.pairs[k, 1])
            )
        square = total * total  # Eq. (16): half the angle, from both sides
    elif kind == COUPLED:
        lead = asked.first[task]
        follows = quat_twist_angle(quat_load(pose.local, node), vec_load(figure.axis, node))
        leads = quat_twist_angle(quat_load(pose.local, lead), vec_load(figure.axis, lead))
        square = (follows - asked.numbers[task, 0] * leads) ** 2
    elif kind == FLOOR:
        missing = asked.numbers[task, 0] - pose.tips[node, 1]
        if missing > 0.0 or asked.numbers[task, 1] == 0.0:
            square = missing * missing
    elif kind == APART:
        square = apart_square(pose, asked.capsules)
    elif kind == POSTURE:
        wanted = asked.posture[asked.first[task]]
        for row in range(figure.parent.shape[0]):
            if figure.freedom[row] > 0:
                square += quat_angle(quat_load(pose.local, row), quat_load(wanted, row)) ** 2
    square *= asked.unit[task] * asked.unit[task]
    return float(square) if square < ABSURD else 0.0


@helper
def pose_cost(
    figure: Figure, asked: Asked, pose: FigurePose, places: Floats, turns: Floats
) -> tuple[float, float]:
    """What is asked of a pose, and what is wished, weighted and squared [m^2].

    Eq. (14) without its noise. Tasks that must be met and wishes are apart: noise of the first
    shrinks, that of the second does not.
    """
    demands, wishes = 0.0, 0.0
    for task in range(asked.kind.shape[0]):
        weight = asked.weight[task]
        if weight > 0.0:
            square = task_square(figure, asked, pose, task, places, turns)
            if asked.soft[task]:
                wishes += weight * weight * square
            else:
                demands += weight * weight * square
    return demands, wishes


@helper
def judge_pose(
    figure: Figure, asked: Asked, pose: FigurePose, places: Floats, turns: Floats, lengths: Floats
) -> float:
    """What every task asks for [m], (T,), not weighted; the most of those that are to be met."""
    worst = 0.0
    for task in range(asked.kind.shape[0]):
        lengths[task] = math.sqrt(task_square(figure, asked, pose, task, places, turns))
        if asked.weight[task] > 0.0 and not asked.soft[task]:
            worst = max(worst, lengths[task])
    return worst


@helper
def _form(precision: Floats, v: Vec3) -> float:
    """Squared length of a residual by the covariance of its task."""
    total = 0.0
    for k in range(3):
        total += v[k] * vec_dot(vec_load(precision, k), v)
    return total


@helper
def _look(figure: Figure, asked: Asked, pose: FigurePose, task: int, node: int) -> float:
    """Between the direction of a glance and that to its place, as unit vectors."""
    numbers = asked.numbers[task]
    place: Vec3 = (numbers[3], numbers[4], numbers[5])
    away = vec_sub(place, vec_load(pose.tips, node))
    distance = vec_length(away)
    if distance < 1e-9:
        return 0.0
    turn = quat_load(pose.world, figure.tip_row[node])
    ahead = quat_rotate(turn, as3(numbers))
    away = (away[0] / distance, away[1] / distance, away[2] / distance)
    return _form(asked.precision[task], vec_sub(away, ahead))


@helper
def _balance(asked: Asked, pose: FigurePose, task: int, model: int) -> float:
    """Squared distance of the centre of mass from above its support."""
    x, z = 0.0, 0.0
    for row in range(pose.place.shape[0]):
        mass = asked.mass[model, row]
        arm = vec_load(asked.arm[model], row)
        if arm[0] != 0.0 or arm[1] != 0.0 or arm[2] != 0.0:
            arm = quat_rotate(quat_load(pose.world, row), arm)
        x += mass * pose.place[row, 0] + arm[0]
        z += mass * pose.place[row, 2] + arm[2]
    if asked.numbers[task, 0] != 0.0:
        x, z = x - pose.place[0, 0], z - pose.place[0, 2]
    first, last = asked.first[task], asked.last[task]
    best, inside = ABSURD, last - first > 2
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        ax, az = asked.corners[k, 0], asked.corners[k, 1]
        ex, ez = asked.corners[after, 0] - ax, asked.corners[after, 1] - az
        px, pz = x - ax, z - az
        if ex * pz - ez * px < 0.0:
            inside = False
        edge = ex * ex + ez * ez
        along = 0.0
        if edge > 0.0:
            along = min(1.0, max(0.0, (px * ex + pz * ez) / edge))
        px, pz = px - along * ex, pz - along * ez
        best = min(best, px * px + pz * pz)
    return 0.0 if inside else best
