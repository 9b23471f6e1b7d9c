"""One sweep of each method over the joints of a part.

**Cyclic coordinate descent** (Wang and Chen 1991): one joint at a time brings the end effectors as
near as it can. As published, joints are visited from the end effectors to the root, so those near
the end effectors do most of the work. In the other order joints near the root do; where the two
take turns, long chains neither curl up at their ends nor sweep to and fro.

**Forward and backward reaching** (FABRIK; Aristidou and Lasenby 2011): chains are dragged by their
ends, then by their roots. Inwards, every joint is moved along the line to where the next one shall
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
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_add, vec_length, vec_load, vec_scale, vec_store, vec_sub, vec_unit
from ..articulated.context import Context
from ..articulated.joint_rotation import fit_nothing, fit_position, fit_rotation, joint_rotation
from ..articulated.model import ORIENTATION, POSITION, Targets, joints_forward, parent_rotation
from ..articulated.parts import (
    Parts,
    has_target,
    is_hinge,
    lever,
    next_weighted,
    node_offset,
    node_position,
    past_hinges,
)


@helper
def turn_in_parent(now: Quat, wanted: Quat, parent: Quat) -> Quat:
    """The turn from one world rotation to another, as seen from a parent joint."""
    turn = quat_mul(wanted, quat_conj(now))
    return quat_mul(quat_mul(quat_conj(parent), turn), parent)


@helper
def ccd_sweep(c: Context, part: int, targets: Targets, outwards: bool) -> bool:
    """Turn every joint of a part once; return whether a limit was felt.

    Joints are visited from the end effectors to the root or, `outwards`, from the root to the end
    effectors. Expects a part that is placed, and leaves that to be done again.
    """
    model, pose, parts, rotations = c.model, c.pose, c.scratch.parts, c.scratch.rotations
    tasks = range(parts.first_task[part], parts.last_task[part])
    for task in tasks:
        effector = model.task_effector[task]
        quat_store(rotations, effector, quat_load(pose.world, model.effector_joint[effector]))
    limited = False
    first, beyond = parts.first_joint[part], parts.last_joint[part]
    for k in range(beyond - first):
        joint = first + k if outwards else beyond - 1 - k
        if outwards:
            joints_forward(model, pose, joint, joint + 1)
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
                wanted = quat_load(targets.rotations, effector)
                turn = turn_in_parent(quat_load(rotations, effector), wanted, below)
                fit = fit_rotation(fit, turn, model.size[0], weight)
                count += 2  # never alone: a rotation is no point
        if count == 0:
            continue
        held, felt = joint_rotation(model, joint, local, fit, count, last)
        limited = limited or felt
        quat_store(pose.local, joint, held)
        quat_store(pose.world, joint, quat_mul(below, held))
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


@helper
def fabrik_sweep(c: Context, part: int, targets: Targets) -> bool:
    """Reach inwards, then outwards; whether a limit was felt."""
    reach_inwards(c, part, targets)
    return reach_outwards(c, part, targets)


@helper
def reach_inwards(c: Context, part: int, targets: Targets) -> None:
    """Goals of all nodes of a part, from its end effectors to its first joint."""
    model, parts = c.model, c.scratch.parts
    first = parts.first_joint[part]
    joints = model.parent.shape[0]
    parts.goals[:] = 0.0
    parts.weights[:] = 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        if model.task_kind[task] == POSITION and has_target(model, task, targets):
            effector = model.task_effector[task]
            goal, weight = vec_load(targets.positions, effector), model.task_weight[task]
            vec_store(parts.goals, joints + effector, goal)
            parts.weights[joints + effector] = weight
            joint = model.effector_joint[effector]
            if joint >= first and has_rotation(c, part, effector, targets):
                turn = quat_load(targets.rotations, effector)
                arm = quat_rotate(turn, vec_load(model.effector_offset, effector))
                pull(parts, joint, vec_sub(goal, arm), weight)
            elif joint >= first:
                drag(c, joints + effector, joint)
    for joint in range(parts.last_joint[part] - 1, first - 1, -1):
        weight = parts.weights[joint]
        if weight > 0.0:
            vec_store(parts.goals, joint, vec_scale(vec_load(parts.goals, joint), 1.0 / weight))
            if model.parent[joint] >= first:  # otherwise it stays where it is
                drag(c, joint, model.parent[joint])


@helper
def has_rotation(c: Context, part: int, effector: int, targets: Targets) -> bool:
    """Whether an end effector has a target of its rotation, which fixes its last bone."""
    model, parts = c.model, c.scratch.parts
    for task in range(parts.first_task[part], parts.last_task[part]):
        if model.task_effector[task] == effector and model.task_kind[task] == ORIENTATION:
            return has_target(model, task, targets)
    return False


@helper
def pull(parts: Parts, joint: int, position: Vec3, weight: float) -> None:
    """Ask for a position of a joint. Its goal will be the centroid of all: it is a sub-base."""
    total = vec_add(vec_load(parts.goals, joint), vec_scale(position, weight))
    vec_store(parts.goals, joint, total)
    parts.weights[joint] += weight


@helper
def drag(c: Context, node: int, above: int) -> None:
    """Ask a joint to come along with a node that it carries.

    It shall lie on the line from the node's goal to where it is now, a bone's length away.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    goal = vec_load(parts.goals, node)
    here = vec_load(pose.position, above)
    now = node_position(model, pose, node)
    otherwise = vec_unit(vec_sub(here, now), (0.0, 0.0, 0.0))
    direction = vec_unit(vec_sub(here, goal), otherwise)
    position = vec_add(goal, vec_scale(direction, vec_length(node_offset(model, node))))
    pull(parts, above, position, parts.weights[node])


@helper
def reach_outwards(c: Context, part: int, targets: Targets) -> bool:
    """Turn joints to the goals of what they carry, the first joint first.

    Joints and their rotations are placed anew on the way, end effectors are not. Returns whether a
    limit was felt.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    limited = False
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        joints_forward(model, pose, joint, joint + 1)
        if model.freedom[joint] == 0:
            continue
        below = parent_rotation(model, pose, joint)
        position = vec_load(pose.position, joint)
        local = quat_load(pose.local, joint)
        fit, count, after = fit_nothing(), 0, -1
        last = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        child = next_weighted(parts, parts.child[joint])
        while child >= 0:
            arm, node = lever(c, child)
            if node >= 0:
                here = quat_rotate(local, arm)
                there = quat_unrotate(below, vec_sub(vec_load(parts.goals, node), position))
                fit = fit_position(fit, here, there, parts.weights[node])
                last = (here, there)
                count += 1
                after = child
            child = next_weighted(parts, parts.sibling[child])
        for task in range(parts.first_task[part], parts.last_task[part]):
            effector = model.task_effector[task]
            if model.task_kind[task] == POSITION or model.effector_joint[effector] != joint:
                continue
            if has_target(model, task, targets):
                wanted = quat_load(targets.rotations, effector)
                turn = turn_in_parent(quat_load(pose.world, joint), wanted, below)
                fit = fit_rotation(fit, turn, model.size[0], model.task_weight[task])
                count += 2  # never alone: a rotation is no point
        if count == 0:
            continue
        held, felt = joint_rotation(model, joint, local, fit, count, last)
        if count == 1 and is_hinge(model, after):
            held, felt = aim_past_hinges(c, joint, held, after)
        limited = limited or felt
        quat_store(pose.local, joint, held)
        quat_store(pose.world, joint, quat_mul(below, held))
    return limited


@helper
def aim_past_hinges(c: Context, joint: int, held: Quat, hinge: int) -> tuple[Quat, bool]:
    """Turn a joint so that what the hinges after it carry points to its goal, within limits.

    Where a hinge shall be does not say how its axis shall lie: the elbow bends as it will, and the
    shoulder swings the hand, not the elbow alone, to its goal.
    """
    base = vec_load(c.pose.position, joint)
    here, there, found = past_hinges(c, joint, base, held, hinge)
    if not found:
        return held, False
    fit = fit_position(fit_nothing(), here, there, 1.0)
    return joint_rotation(c.model, joint, held, fit, 1, (here, there))
