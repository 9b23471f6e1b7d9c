"""Parts of a figure, solved one after the other by sweeps over their joints.

A person has five parts: the spine, then each clavicle with its arm, then the legs. Any other figure
is one part. A part is a range of rows, whose parents lie in it or above it, and a range of tasks.
"""

from __future__ import annotations

from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_sub,
    vec_unit,
)
from .figure import BALL, HINGE, POSITION, Figure, FigurePose, rows_forward, task_gap, tip_forward
from .joint_turn import ccd_turn
from .missing import is_place

NUDGE = 0.1
"""Turn of every joint that gets a straight chain out of its straightness [rad]."""
STRAIGHT = 1e-5
"""A chain that deviates from a line by less than this part of the figure's size is straight."""
STIFF = 0.06
"""A hinge this near to the line between its ends is stiff: sweeps would bend it, but by so little
at first that they end before it shows."""


class Parts(NamedTuple):
    """P parts of a figure with N rows, E tips and T tasks; and scratch memory."""

    first_row: Ints
    """(P,)."""
    last_row: Ints
    """One more than the last, (P,)."""
    first_task: Ints
    """(P,)."""
    last_task: Ints
    """One more than the last, (P,)."""
    reach: Floats
    """Length of the chain from the first row of its part to the tip of each task [m], (T,)."""
    child: Ints
    """First node that each row carries, -1 for none, (N,). Nodes are the rows, then the tips."""
    sibling: Ints
    """Next node with the same parent, -1 for none, (N + E,)."""
    wanted: Floats
    """Where each node shall be [m], (N + E, 3)."""
    votes: Floats
    """Weight of what each node carries, (N + E,)."""
    turns: Floats
    """World rotation of each tip, (E, 4)."""
    kept: Floats
    """Local rotations of the best pose so far, (N, 4)."""
    begun: Floats
    """Before a sweep, (N, 4)."""
    swept: Floats
    """And after it, (N, 4)."""


@helper
def rotation_above(figure: Figure, pose: FigurePose, row: int) -> Quat:
    """World rotation of a row's parent."""
    above = figure.parent[row]
    if above < 0:
        return (1.0, 0.0, 0.0, 0.0)
    return quat_load(pose.world, above)


@helper
def is_asked(figure: Figure, task: int, places: Floats, turns: Floats) -> bool:
    """Whether a task has a weight and a target."""
    tip = figure.task_tip[task]
    if not figure.task_weight[task] > 0.0:
        return False
    if figure.task_kind[task] == POSITION:
        return is_place(vec_load(places, tip))
    return bool(turns[tip, 0] == turns[tip, 0])  # not NaN


@helper
def part_forward(figure: Figure, pose: FigurePose, parts: Parts, part: int) -> None:
    """World rotations and positions of a part, and the tips of its tasks."""
    rows_forward(figure, pose, parts.first_row[part], parts.last_row[part])
    for task in range(parts.first_task[part], parts.last_task[part]):
        tip_forward(figure, pose, figure.task_tip[task])


@helper
def part_error(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> tuple[float, float]:
    """Largest and summed error of a part's tasks [m]."""
    worst, total = 0.0, 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        if figure.task_weight[task] > 0.0:
            _, length = task_gap(figure, pose, task, places, turns)
            worst = max(worst, length)
            total += length
    return worst, total


@helper
def part_copy(parts: Parts, part: int, source: Floats, into: Floats) -> None:
    """Copy the rotations of a part's rows."""
    for row in range(parts.first_row[part], parts.last_row[part]):
        quat_store(into, row, quat_load(source, row))


@helper
def part_leap(figure: Figure, pose: FigurePose, parts: Parts, part: int, stride: float) -> None:
    """Go on the way from `begun` to `swept`, so many times as far, within limits."""
    for row in range(parts.first_row[part], parts.last_row[part]):
        if figure.freedom[row] == 0:
            continue
        swept = quat_load(parts.swept, row)
        way = quat_to_rotvec(quat_mul(quat_conj(quat_load(parts.begun, row)), swept))
        turned = quat_mul(swept, quat_from_rotvec(vec_scale(way, stride)))
        if figure.freedom[row] == HINGE:
            axis = vec_load(figure.axis, row)
            angle = limit_clamp_angle(figure.limits, row, quat_twist_angle(turned, axis))
            quat_store(pose.local, row, quat_from_axis_angle(axis, angle))
        else:
            quat_store(pose.local, row, limit_project(figure.limits, row, quat_normalize(turned)))


@helper
def slack(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, task: int, places: Floats
) -> float:
    """How much longer a chain is than its target is far from its first joint [m]."""
    base = vec_load(pose.place, parts.first_row[part])
    goal = vec_load(places, figure.task_tip[task])
    return float(parts.reach[task] - vec_distance(goal, base))


@helper
def is_at_best(
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    part: int,
    places: Floats,
    turns: Floats,
    near: float,
) -> bool:
    """Whether no task of a part can come nearer: met, or as near as its bones reach."""
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not is_asked(figure, task, places, turns):
            continue
        least = 0.0
        if figure.task_kind[task] == POSITION:
            least = max(0.0, -slack(figure, pose, parts, part, task, places))
        _, error = task_gap(figure, pose, task, places, turns)
        if error > least + near:
            return False
    return True


@helper
def off_line(here: Vec3, base: Vec3, line: Vec3) -> float:
    """Distance of a point from a line through `base` along a unit vector [m]."""
    return vec_length(vec_cross(vec_sub(here, base), line))


@helper
def is_straight(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, tip: int, goal: Vec3
) -> bool:
    """Whether a chain and its goal lie on one line."""
    first = parts.first_row[part]
    base, end = vec_load(pose.place, first), vec_load(pose.tips, tip)
    nowhere = (0.0, 0.0, 0.0)
    line = vec_unit(vec_sub(goal, base), vec_unit(vec_sub(end, base), nowhere))
    near = STRAIGHT * figure.size[0]
    if off_line(end, base, line) > near:
        return False
    for row in range(first + 1, parts.last_row[part]):
        if figure.moves[tip, row] and off_line(vec_load(pose.place, row), base, line) > near:
            return False
    return True


@helper
def is_stiff(figure: Figure, pose: FigurePose, row: int, tip: int, goal: Vec3) -> bool:
    """Whether a hinge, the joint above it, its tip and a nearer goal lie nearly on one line."""
    if figure.freedom[row] != HINGE or figure.parent[row] < 0:
        return False
    base, end = vec_load(pose.place, figure.parent[row]), vec_load(pose.tips, tip)
    if vec_distance(goal, base) > vec_distance(end, base):
        return False
    line = vec_unit(vec_sub(end, base), (0.0, 0.0, 0.0))
    near = STIFF * figure.size[0]
    here = vec_load(pose.place, row)
    return bool(off_line(here, base, line) < near and off_line(goal, base, line) < near)


@helper
def nudge(figure: Figure, pose: FigurePose, row: int, tip: int) -> None:
    """Turn a joint a little out of a straight chain, always the same way.

    A hinge bends to its own side. A ball turns about an axis across its bone that is mirrored with
    the body: bone x Y, or bone x Z where the bone is along Y.
    """
    local = quat_load(pose.local, row)
    if figure.freedom[row] == HINGE:
        axis = vec_load(figure.axis, row)
        step = NUDGE if figure.start[row] >= 0.0 else -NUDGE
        angle = limit_clamp_angle(figure.limits, row, quat_twist_angle(local, axis) + step)
        quat_store(pose.local, row, quat_from_axis_angle(axis, angle))
        return
    away = vec_sub(vec_load(pose.tips, tip), vec_load(pose.place, row))
    bone = vec_unit(quat_unrotate(quat_load(pose.world, row), away), (0.0, 0.0, 0.0))
    up = (0.0, 1.0, 0.0) if abs(bone[1]) < 0.9 else (0.0, 0.0, 1.0)
    axis = vec_unit(vec_cross(bone, up), (0.0, 0.0, 0.0))
    turned = quat_mul(local, quat_normalize(quat_from_axis_angle(axis, NUDGE)))
    quat_store(pose.local, row, limit_project(figure.limits, row, quat_normalize(turned)))


@helper
def bend(figure: Figure, pose: FigurePose, row: int, tip: int, goal: Vec3) -> None:
    """Nudge a hinge, and let the ball above it point its tip to the goal as before.

    Otherwise the next sweep would find the hinge bent away from the line, and straighten it.
    """
    was = quat_load(pose.world, row)
    nudge(figure, pose, row, tip)
    above = figure.parent[row]
    if figure.freedom[above] != BALL:
        return
    now = quat_mul(quat_load(pose.world, above), quat_load(pose.local, row))
    place = vec_load(pose.place, row)
    arm = quat_unrotate(was, vec_sub(vec_load(pose.tips, tip), place))
    end = vec_add(place, quat_rotate(now, arm))
    below = rotation_above(figure, pose, above)
    base = vec_load(pose.place, above)
    held, _ = ccd_turn(
        figure.limits,
        above,
        quat_load(pose.local, above),
        quat_unrotate(below, vec_sub(end, base)),
        quat_unrotate(below, vec_sub(goal, base)),
    )
    quat_store(pose.local, above, held)


@helper
def part_unlock(
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    part: int,
    places: Floats,
    turns: Floats,
    near: float,
    still: bool,
) -> bool:
    """Nudge chains that cannot see which way to turn, though they could be nearer to a target.

    Sweeps would leave a straight chain on one line with its target as it is, or fold it along the
    line; and they stop short (`still`) at a limb that is all but straight. Whether anything was
    nudged; then the part must be placed anew.
    """
    nudged = False
    rows = range(parts.first_row[part], parts.last_row[part])
    for task in range(parts.first_task[part], parts.last_task[part]):
        if figure.task_kind[task] != POSITION or not is_asked(figure, task, places, turns):
            continue
        tip = figure.task_tip[task]
        goal = vec_load(places, tip)
        spare = slack(figure, pose, parts, part, task, places)
        error = vec_distance(goal, vec_load(pose.tips, tip))
        if error <= max(-spare, 0.0) + near:
            continue  # as near as it can be
        straight = is_straight(figure, pose, parts, part, tip, goal)
        for row in rows:
            if figure.freedom[row] == 0 or not figure.moves[tip, row]:
                continue
            if straight:
                nudge(figure, pose, row, tip)
                nudged = True
            elif still and is_stiff(figure, pose, row, tip, goal):
                bend(figure, pose, row, tip, goal)
                nudged = True
    return nudged
