"""Cyclic coordinate descent: one joint at a time brings the end effectors as near as it can.

Wang and Chen 1991. Joints are visited from the end effectors to the root, so those near the end
effectors do most of the work.
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
from ...kernels.vector import vec_add, vec_load, vec_store, vec_sub
from ..articulated.context import Context
from ..articulated.joint_rotation import (
    fit_nothing,
    fit_position,
    fit_rotation,
    joint_rotation,
)
from ..articulated.model import POSITION, Targets
from ..articulated.parts import has_target, parent_rotation


@helper
def ccd_sweep(c: Context, part: int, targets: Targets) -> bool:
    """Turn every joint of a part once; whether a limit was felt.

    Expects the part to be placed, and leaves that to be done again: a joint moves end effectors,
    but no joint that is still to come.
    """
    model, pose, parts, rotations = c.model, c.pose, c.scratch.parts, c.scratch.rotations
    tasks = range(parts.first_task[part], parts.last_task[part])
    for task in tasks:
        effector = model.task_effector[task]
        quat_store(rotations, effector, quat_load(pose.world, model.effector_joint[effector]))
    limited = False
    for joint in range(parts.last_joint[part] - 1, parts.first_joint[part] - 1, -1):
        if model.freedom[joint] == 0:
            continue
        below = parent_rotation(model, pose, joint)
        position = vec_load(pose.position, joint)
        local = quat_load(pose.local, joint)
        fit, count = fit_nothing(), 0
        last = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for task in tasks:
            effector = model.task_effector[task]
            if not model.moves[effector, joint] or not has_target(model, task, targets):
                continue
            weight = model.task_weight[task]
            if model.task_kind[task] == POSITION:
                away = vec_sub(vec_load(pose.effectors, effector), position)
                here = quat_unrotate(below, away)
                away = vec_sub(vec_load(targets.positions, effector), position)
                there = quat_unrotate(below, away)
                fit = fit_position(fit, here, there, weight)
                last = (here, there)
                count += 1
            else:
                now = quat_load(rotations, effector)
                turn = quat_mul(quat_load(targets.rotations, effector), quat_conj(now))
                turn = quat_mul(quat_mul(quat_conj(below), turn), below)
                fit = fit_rotation(fit, turn, model.size[0], weight)
                count += 2  # never alone: a rotation is no point
        if count == 0:
            continue
        held, felt = joint_rotation(model, joint, local, fit, count, last)
        limited = limited or felt
        quat_store(pose.local, joint, held)
        move = quat_mul(below, quat_mul(held, quat_conj(quat_mul(below, local))))
        for task in tasks:
            effector = model.task_effector[task]
            if not model.moves[effector, joint]:
                continue
            if model.task_kind[task] == POSITION:
                away = vec_sub(vec_load(pose.effectors, effector), position)
                vec_store(pose.effectors, effector, vec_add(position, quat_rotate(move, away)))
            else:
                quat_store(rotations, effector, quat_mul(move, quat_load(rotations, effector)))
    return limited
