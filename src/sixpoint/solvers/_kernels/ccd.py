"""Cyclic coordinate descent: one joint at a time brings the tips as near as it can.

Joints are visited from the tips to the root (A0.21), so those near the tips do most of the work.
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
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_load, vec_store, vec_sub
from .figure import POSITION, Figure, FigurePose
from .joint_turn import fit_nothing, fit_place, fit_turn, joint_turn
from .parts import Parts, is_asked, rotation_above


@helper
def ccd_sweep(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> bool:
    """Turn every joint of a part once; whether a limit was felt.

    Expects the part to be placed, and leaves that to be done again: a joint moves tips, but no
    joint that is still to come.
    """
    tasks = range(parts.first_task[part], parts.last_task[part])
    for task in tasks:
        tip = figure.task_tip[task]
        quat_store(parts.turns, tip, quat_load(pose.world, figure.tip_row[tip]))
    limited = False
    for row in range(parts.last_row[part] - 1, parts.first_row[part] - 1, -1):
        if figure.freedom[row] == 0:
            continue
        below = rotation_above(figure, pose, row)
        place = vec_load(pose.place, row)
        local = quat_load(pose.local, row)
        fit, asked = fit_nothing(), 0
        here, there = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for task in tasks:
            tip = figure.task_tip[task]
            if not figure.moves[tip, row] or not is_asked(figure, task, places, turns):
                continue
            weight = figure.task_weight[task]
            if figure.task_kind[task] == POSITION:
                here = quat_unrotate(below, vec_sub(vec_load(pose.tips, tip), place))
                there = quat_unrotate(below, vec_sub(vec_load(places, tip), place))
                fit = fit_place(fit, here, there, weight)
                asked += 1
            else:
                turn = quat_mul(quat_load(turns, tip), quat_conj(quat_load(parts.turns, tip)))
                turn = quat_mul(quat_mul(quat_conj(below), turn), below)
                fit = fit_turn(fit, turn, figure.size[0], weight)
                asked += 2  # never alone: a rotation is no point
        if asked == 0:
            continue
        held, felt = joint_turn(figure, row, local, fit, asked, here, there)
        limited = limited or felt
        quat_store(pose.local, row, held)
        move = quat_mul(below, quat_mul(held, quat_conj(quat_mul(below, local))))
        for task in tasks:
            tip = figure.task_tip[task]
            if not figure.moves[tip, row]:
                continue
            if figure.task_kind[task] == POSITION:
                away = vec_sub(vec_load(pose.tips, tip), place)
                vec_store(pose.tips, tip, vec_add(place, quat_rotate(move, away)))
            else:
                quat_store(parts.turns, tip, quat_mul(move, quat_load(parts.turns, tip)))
    return limited
