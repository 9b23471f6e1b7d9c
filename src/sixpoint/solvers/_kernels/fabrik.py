"""Forward and backward reaching (FABRIK): chains are dragged by their tips, then by their roots.

Aristidou and Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem",
Graphical Models 73 (2011). Inwards, every joint is moved along the line to where the next one shall
be, until the bone between them has its length. Outwards, each joint stays where its parent puts it
and turns its bone to where the next one shall be, within its limits: what comes out is a pose, with
bones, hinges and limits kept.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from .figure import HINGE, ORIENTATION, POSITION, Figure, FigurePose, rows_forward
from .joint_turn import fit_nothing, fit_place, fit_turn, joint_turn
from .parts import Parts, is_asked, rotation_above

NO_BONE = 1e-9
"""Joints nearer to each other than this part of the figure's size lie at one place."""


@helper
def node_offset(figure: Figure, node: int) -> Vec3:
    """A row or tip as seen from the row that carries it [m]."""
    rows = figure.parent.shape[0]
    if node < rows:
        return vec_load(figure.offset, node)
    return vec_load(figure.tip_offset, node - rows)


@helper
def pull(parts: Parts, row: int, place: Vec3, weight: float) -> None:
    """Ask for a place of a row. Its goal will be the centroid of what is asked: a sub-base."""
    asked = vec_add(vec_load(parts.wanted, row), vec_scale(place, weight))
    vec_store(parts.wanted, row, asked)
    parts.votes[row] += weight


@helper
def drag(figure: Figure, pose: FigurePose, parts: Parts, node: int, above: int) -> None:
    """Ask a row to come along with a node that it carries.

    It shall lie on the line from the node's goal to where it is now, a bone's length away.
    """
    rows = figure.parent.shape[0]
    goal = vec_load(parts.wanted, node)
    here = vec_load(pose.place, above)
    now = vec_load(pose.place, node) if node < rows else vec_load(pose.tips, node - rows)
    otherwise = vec_unit(vec_sub(here, now), (0.0, 0.0, 0.0))
    direction = vec_unit(vec_sub(here, goal), otherwise)
    place = vec_add(goal, vec_scale(direction, vec_length(node_offset(figure, node))))
    pull(parts, above, place, parts.votes[node])


@helper
def is_turn_asked(
    figure: Figure, parts: Parts, part: int, tip: int, places: Floats, turns: Floats
) -> bool:
    """Whether a rotation is asked of a tip, which fixes its last bone."""
    for task in range(parts.first_task[part], parts.last_task[part]):
        if figure.task_tip[task] == tip and figure.task_kind[task] == ORIENTATION:
            return is_asked(figure, task, places, turns)
    return False


@helper
def reach_inwards(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> None:
    """Goals of all nodes of a part, from its tips to its first row."""
    first = parts.first_row[part]
    rows = figure.parent.shape[0]
    for node in range(parts.votes.shape[0]):
        vec_store(parts.wanted, node, (0.0, 0.0, 0.0))
        parts.votes[node] = 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        if figure.task_kind[task] == POSITION and is_asked(figure, task, places, turns):
            tip = figure.task_tip[task]
            vec_store(parts.wanted, rows + tip, vec_load(places, tip))
            parts.votes[rows + tip] = figure.task_weight[task]
            row = figure.tip_row[tip]
            if row >= first and is_turn_asked(figure, parts, part, tip, places, turns):
                arm = quat_rotate(quat_load(turns, tip), vec_load(figure.tip_offset, tip))
                pull(parts, row, vec_sub(vec_load(places, tip), arm), figure.task_weight[task])
            elif row >= first:
                drag(figure, pose, parts, rows + tip, row)
    for row in range(parts.last_row[part] - 1, first - 1, -1):
        votes = parts.votes[row]
        if votes > 0.0:
            vec_store(parts.wanted, row, vec_scale(vec_load(parts.wanted, row), 1.0 / votes))
            if figure.parent[row] >= first:  # otherwise it stays where it is
                drag(figure, pose, parts, row, figure.parent[row])


@helper
def next_asked(parts: Parts, node: int) -> int:
    """This node or the first of its siblings after it that carries a goal; -1 for none."""
    while node >= 0 and not parts.votes[node] > 0.0:
        node = parts.sibling[node]
    return node


@helper
def lever(figure: Figure, pose: FigurePose, parts: Parts, node: int) -> tuple[Vec3, int]:
    """A node as seen from the row that carries it [m]; or, if it lies there, the first below it.

    Returns:
        The vector, and the node; -1 if there is none.
    """
    turn = (1.0, 0.0, 0.0, 0.0)
    while node >= 0:
        here = quat_rotate(turn, node_offset(figure, node))
        if vec_length(here) > NO_BONE * figure.size[0]:
            return here, node
        if node >= figure.parent.shape[0]:
            break
        turn = quat_mul(turn, quat_load(pose.local, node))
        node = next_asked(parts, parts.child[node])
    return (0.0, 0.0, 0.0), -1


@helper
def is_hinge(figure: Figure, node: int) -> bool:
    """Whether a node is a hinge, not a tip or another joint."""
    return bool(node < figure.parent.shape[0] and figure.freedom[node] == HINGE)


@helper
def aim_past_hinges(
    figure: Figure, pose: FigurePose, parts: Parts, row: int, held: Quat, hinge: int
) -> tuple[Quat, bool]:
    """Turn a joint so that what the hinges after it carry points to its goal, within limits.

    Where a hinge shall be does not say how its axis shall lie. A shoulder therefore lets the elbow
    bend as it will, and swings the hand, not the elbow alone, to its place.
    """
    below = rotation_above(figure, pose, row)
    base = vec_load(pose.place, row)
    turn, place, node = quat_mul(below, held), base, hinge
    while is_hinge(figure, node):
        place = vec_add(place, quat_rotate(turn, node_offset(figure, node)))
        child = next_asked(parts, parts.child[node])
        arm, end = lever(figure, pose, parts, child)
        if end < 0:
            return held, False
        bend = quat_load(pose.local, node)
        here = quat_rotate(bend, arm)
        there = quat_unrotate(turn, vec_sub(vec_load(parts.wanted, end), place))
        fit = fit_place(fit_nothing(), here, there, 1.0)
        bend, _ = joint_turn(figure, node, bend, fit, 1, here, there)
        turn, node = quat_mul(turn, bend), child
    place = vec_add(place, quat_rotate(turn, node_offset(figure, node)))
    here = quat_unrotate(below, vec_sub(place, base))
    there = quat_unrotate(below, vec_sub(vec_load(parts.wanted, node), base))
    fit = fit_place(fit_nothing(), here, there, 1.0)
    return joint_turn(figure, row, held, fit, 1, here, there)


@helper
def reach_outwards(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> bool:
    """Turn every joint to the goals of what it carries, the first row first.

    Rows and their rotations are placed anew on the way, tips are not. Whether a limit was felt.
    """
    limited = False
    for row in range(parts.first_row[part], parts.last_row[part]):
        rows_forward(figure, pose, row, row + 1)
        if figure.freedom[row] == 0:
            continue
        below = rotation_above(figure, pose, row)
        place = vec_load(pose.place, row)
        local = quat_load(pose.local, row)
        fit, asked, last = fit_nothing(), 0, -1
        here, there = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        child = next_asked(parts, parts.child[row])
        while child >= 0:
            arm, node = lever(figure, pose, parts, child)
            if node >= 0:
                here = quat_rotate(local, arm)
                there = quat_unrotate(below, vec_sub(vec_load(parts.wanted, node), place))
                fit = fit_place(fit, here, there, parts.votes[node])
                asked += 1
                last = child
            child = next_asked(parts, parts.sibling[child])
        for task in range(parts.first_task[part], parts.last_task[part]):
            tip = figure.task_tip[task]
            if figure.task_kind[task] == POSITION or figure.tip_row[tip] != row:
                continue
            if is_asked(figure, task, places, turns):
                turn = quat_mul(quat_load(turns, tip), quat_conj(quat_load(pose.world, row)))
                turn = quat_mul(quat_mul(quat_conj(below), turn), below)
                fit = fit_turn(fit, turn, figure.size[0], figure.task_weight[task])
                asked += 2  # never alone: a rotation is no point
        if asked == 0:
            continue
        held, felt = joint_turn(figure, row, local, fit, asked, here, there)
        if asked == 1 and is_hinge(figure, last):
            held, felt = aim_past_hinges(figure, pose, parts, row, held, last)
        limited = limited or felt
        quat_store(pose.local, row, held)
        quat_store(pose.world, row, quat_mul(below, held))
    return limited


@helper
def fabrik_sweep(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> bool:
    """Reach inwards, then outwards; whether a limit was felt."""
    reach_inwards(figure, pose, parts, part, places, turns)
    return reach_outwards(figure, pose, parts, part, places, turns)
