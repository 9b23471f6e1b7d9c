"""Any articulated figure as tables: forward kinematics, degrees of freedom, Jacobian.

Rows are joints, parents first; row 0 is the root. A ball joint is three one-axis joints in follower
order X, Y, Z (S0.52), a hinge is one. *Tips* are the points that tasks speak of.
"""

from __future__ import annotations

from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import quat_from_euler_xyz, quat_to_euler_xyz
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import as3, vec_add, vec_cross, vec_load, vec_store, vec_sub

HINGE, BALL = 1, 3
"""Degrees of freedom of a row; 0 is fixed."""
POSITION, ORIENTATION, APART = 0, 1, 2
"""Kinds of tasks; the last is a slot for parts that touch (see `apart`)."""


class Figure(NamedTuple):
    """What does not change: N rows, E tips, D degrees of freedom, T tasks."""

    parent: Ints
    """Parent row, -1 for the root, (N,)."""
    offset: Floats
    """From the parent's origin, in its frame [m], (N, 3)."""
    freedom: Ints
    """0, `HINGE` or `BALL`, (N,)."""
    axis: Floats
    """Axis of a hinge, (N, 3)."""
    first: Ints
    """First degree of freedom of each row, (N,)."""
    tip_row: Ints
    """Row that carries each tip, (E,)."""
    tip_offset: Floats
    """Tip in the frame of its row [m], (E, 3)."""
    moves: Ints
    """Whether each row moves each tip, (E, N)."""
    task_kind: Ints
    """`POSITION`, `ORIENTATION` or `APART`, (T,)."""
    task_tip: Ints
    """Tip that each task speaks of, (T,)."""
    task_weight: Floats
    """(T,)."""
    size: Floats
    """Length that tolerances are relative to [m], (1,)."""
    rig: Ints
    """Joint of the rig that each row turns, -1 for none, (N,)."""
    before: Floats
    """Rig rotation = before * local rotation * after, (N, 4)."""
    after: Floats
    """See `before`."""
    start: Floats
    """Angle of each hinge in the first pose [rad], (N,)."""
    rest: Floats
    """Rig rotations of all joints when no row is turned, (J, 4)."""
    anchor: Floats
    """World position of the root joint's parent, (3,)."""
    anchor_turn: Floats
    """Its world rotation, (4,)."""
    limits: LimitTable
    """One for each row."""


class FigurePose(NamedTuple):
    """What changes."""

    local: Floats
    """Local rotation of each row, (N, 4)."""
    world: Floats
    """(N, 4)."""
    place: Floats
    """World position; that of row 0 is given, (N, 3)."""
    tips: Floats
    """(E, 3)."""


@helper
def rows_forward(figure: Figure, pose: FigurePose, first: int, last: int) -> None:
    """World rotations and positions of rows whose parents have them; a root's position is given."""
    parent, offset = figure.parent, figure.offset
    local, world, place = pose.local, pose.world, pose.place
    for row in range(first, last):
        above = parent[row]
        if above < 0:
            quat_store(world, row, quat_load(local, row))
            continue
        turn = quat_load(world, above)
        step = quat_rotate(turn, vec_load(offset, row))
        vec_store(place, row, vec_add(vec_load(place, above), step))
        quat_store(world, row, quat_mul(turn, quat_load(local, row)))


@helper
def tip_forward(figure: Figure, pose: FigurePose, tip: int) -> None:
    """Position of a tip whose row is placed."""
    row = figure.tip_row[tip]
    step = quat_rotate(quat_load(pose.world, row), vec_load(figure.tip_offset, tip))
    vec_store(pose.tips, tip, vec_add(vec_load(pose.place, row), step))


@helper
def figure_forward(figure: Figure, pose: FigurePose) -> None:
    """World rotations, positions and tips from local rotations and the root's position."""
    rows_forward(figure, pose, 0, figure.parent.shape[0])
    for tip in range(figure.tip_row.shape[0]):
        tip_forward(figure, pose, tip)


@helper
def figure_axes(figure: Figure, pose: FigurePose, axes: Floats) -> None:
    """World axis of every degree of freedom, (D, 3)."""
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0:
            continue
        above = figure.parent[row]
        turn = (1.0, 0.0, 0.0, 0.0)
        if above >= 0:
            turn = quat_load(pose.world, above)
        k = figure.first[row]
        if freedom == HINGE:
            vec_store(axes, k, quat_rotate(turn, vec_load(figure.axis, row)))
            continue
        a, _, _ = quat_to_euler_xyz(quat_load(pose.local, row))
        vec_store(axes, k, quat_rotate(turn, (1.0, 0.0, 0.0)))
        turn = quat_mul(turn, quat_from_axis_angle((1.0, 0.0, 0.0), a))
        vec_store(axes, k + 1, quat_rotate(turn, (0.0, 1.0, 0.0)))
        # The third axis is not moved by its own rotation: it is Z of the joint itself.
        vec_store(axes, k + 2, quat_rotate(quat_load(pose.world, row), (0.0, 0.0, 1.0)))


@helper
def figure_jacobian(figure: Figure, pose: FigurePose, axes: Floats, out: Floats) -> None:
    """Change of every task with every degree of freedom, (3 T, D), rows weighted.

    Slots are left as they are.
    """
    for task in range(figure.task_kind.shape[0]):
        if figure.task_kind[task] == APART:
            continue
        tip = figure.task_tip[task]
        weight = figure.task_weight[task]
        for row in range(figure.parent.shape[0]):
            for k in range(figure.first[row], figure.first[row] + figure.freedom[row]):
                column = (0.0, 0.0, 0.0)
                if figure.moves[tip, row]:
                    column = vec_load(axes, k)
                    if figure.task_kind[task] == POSITION:
                        arm = vec_sub(vec_load(pose.tips, tip), vec_load(pose.place, row))
                        column = vec_cross(column, arm)
                out[3 * task, k] = weight * column[0]
                out[3 * task + 1, k] = weight * column[1]
                out[3 * task + 2, k] = weight * column[2]


@helper
def task_gap(
    figure: Figure, pose: FigurePose, task: int, places: Floats, turns: Floats
) -> tuple[Vec3, float]:
    """What one task still asks for [m] or [rad], and its length [m].

    A target that is not known (NaN) asks for nothing.
    """
    tip = figure.task_tip[task]
    if figure.task_kind[task] == POSITION:
        gap = vec_sub(vec_load(places, tip), vec_load(pose.tips, tip))
        scale = 1.0
    else:
        now = quat_load(pose.world, figure.tip_row[tip])
        gap = quat_to_rotvec(quat_mul(quat_load(turns, tip), quat_conj(now)))
        scale = figure.size[0]  # a radian counts like a turn of the whole figure
    length = (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]) ** 0.5 * scale
    if not length < 1e12:
        return (0.0, 0.0, 0.0), 0.0
    return gap, length


@helper
def figure_residuals(
    figure: Figure, pose: FigurePose, places: Floats, turns: Floats, out: Floats
) -> tuple[float, float]:
    """What every task still asks for, (3 T,), weighted; largest and summed length, unweighted.

    Slots are left as they are.
    """
    worst, total = 0.0, 0.0
    for task in range(figure.task_kind.shape[0]):
        if figure.task_kind[task] == APART:
            continue
        gap, length = task_gap(figure, pose, task, places, turns)
        weight = figure.task_weight[task]
        out[3 * task] = weight * gap[0]
        out[3 * task + 1] = weight * gap[1]
        out[3 * task + 2] = weight * gap[2]
        if weight > 0.0:
            worst = max(worst, length)
            total += length
    return worst, total


@helper
def figure_turn(figure: Figure, pose: FigurePose, step: Floats) -> None:
    """Add a step (D,) to every degree of freedom, within limits."""
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0:
            continue
        k = figure.first[row]
        local = quat_load(pose.local, row)
        if freedom == HINGE:
            axis = vec_load(figure.axis, row)
            angle = quat_twist_angle(local, axis) + step[k]
            angle = limit_clamp_angle(figure.limits, row, angle)
            quat_store(pose.local, row, quat_from_axis_angle(axis, angle))
            continue
        a, b, c = quat_to_euler_xyz(local)
        turned = quat_from_euler_xyz(a + step[k], b + step[k + 1], c + step[k + 2])
        quat_store(pose.local, row, limit_project(figure.limits, row, quat_normalize(turned)))


@helper
def figure_read(figure: Figure, rotations: Floats, local: Floats) -> None:
    """Local rotations of rows (N, 4) from those of the rig (J, 4); hinges turn about their axes."""
    for row in range(figure.rig.shape[0]):
        joint = figure.rig[row]
        if joint < 0:
            continue
        turned = quat_mul(quat_conj(quat_load(figure.before, row)), quat_load(rotations, joint))
        turned = quat_normalize(quat_mul(turned, quat_conj(quat_load(figure.after, row))))
        if figure.freedom[row] == HINGE:
            axis = vec_load(figure.axis, row)
            angle = limit_clamp_angle(figure.limits, row, quat_twist_angle(turned, axis))
            turned = quat_from_axis_angle(axis, angle)
        quat_store(local, row, turned)


@helper
def figure_write(
    figure: Figure, pose: FigurePose, rest: Floats, rotations: Floats, root: Floats, frame: int
) -> None:
    """Local rotations in the rig's own frames, and the root relative to its parent.

    Joints of the rig that are no rows turn as in `rest` (J, 4).
    """
    for joint in range(rest.shape[0]):
        quat_store(rotations, joint, quat_load(rest, joint))
    for row in range(figure.rig.shape[0]):
        joint = figure.rig[row]
        if joint >= 0:
            turned = quat_mul(quat_load(figure.before, row), quat_load(pose.local, row))
            turned = quat_mul(turned, quat_load(figure.after, row))
            quat_store(rotations, joint, quat_normalize(turned))
    anchor = as3(figure.anchor)
    turn = figure.anchor_turn
    away = vec_sub(vec_load(pose.place, 0), anchor)
    vec_store(root, frame, quat_unrotate((turn[0], turn[1], turn[2], turn[3]), away))
