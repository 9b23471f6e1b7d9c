"""Parts of a skeleton, solved one after the other: what joints carry, how near effectors are.

Methods that look at one joint or bone after the other leave a straight chain on one line with its
target as it is, or fold it along the line; `unlock_part` nudges such chains out of their line.

A person has five parts: the spine, then each clavicle with its arm, then the legs. Any other
skeleton is one part. A part is a range of joints, whose parents lie in it or above it, and a range
of tasks. *Nodes* are the joints, then the end effectors.

Functions of a context `c` expect a table `Parts` in `c.scratch.parts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_sub,
    vec_unit,
)
from ..context import LIMITED, MET, SPINE_LIMITED, SPINE_STRETCHED, UNREACHABLE, Frames
from ..people.plan import is_place
from ..people.tables import PELVIS
from .context import Context, PersonContext, begin_person, stop_flags
from .joint_rotation import fit_nothing, fit_position, joint_rotation, swing_joint
from .model import (
    BALL,
    HINGE,
    POSITION,
    Model,
    ModelPose,
    Targets,
    effector_forward,
    joints_forward,
    new_memory,
    parent_rotation,
    task_residual,
    turn_hinge,
)

SPINE = 0
"""Part of a person whose error is shared by both ends; limbs follow."""
NO_BONE = 1e-9
"""Joints nearer to each other than this part of the skeleton's size lie at one position."""
NUDGE = 0.1
"""Turn of each joint that gets a straight chain off its line [rad]."""
STRAIGHT_CHAIN = 1e-5
"""A chain that deviates from a line by less than this part of the skeleton's size is straight."""
STIFF_HINGE = 0.06
"""A hinge nearer to the line between its ends than this part of the size is stiff: sweeps would
bend it, but by so little at first that they end before it shows."""

Ranges: TypeAlias = Sequence[tuple[range, range]]
"""Joints and tasks of each part."""


class Parts(NamedTuple):
    """P parts of a skeleton with N joints, E end effectors and T tasks; and scratch memory."""

    first_joint: Ints  # (P,)
    last_joint: Ints  # one more than the last, (P,)
    first_task: Ints  # (P,)
    last_task: Ints  # one more than the last, (P,)
    # length of the chain from the first joint of each part to the end effector of each task [m],
    # (P, T)
    reach: Floats
    child: Ints  # first node that each joint carries, -1 for none, (N,)
    sibling: Ints  # next node with the same parent, -1 for none, (N + E,)
    goals: Annotated[Floats, "K", 3]  # where each of the K = N + E nodes shall be [m]
    weights: Annotated[Floats, "K"]  # weight of what each node carries
    best: Annotated[Floats, "N", 4]  # local rotations of the best pose so far


def whole_part(model: Model) -> Ranges:
    """Return the joints and tasks of a skeleton that is one part."""
    return [(range(len(model.parent)), range(len(model.task_kind)))]


def person_parts(model: Model) -> Ranges:
    """Return joints and tasks of each part of a person: spine, left and right arm, and legs.

    Every part has one task; its joints are those from its first to that of its end effector.
    """
    spine_end = int(model.effector_joint[model.task_effector[0]])
    limbs = [int(model.effector_joint[effector]) for effector in model.task_effector[1:]]
    # Joint 0 is the pelvis, placed with the loins; the joint after the spine's last is the head.
    first = next((k for k in range(1, spine_end + 1) if model.freedom[k]), spine_end + 1)
    starts = [first, spine_end + 2, *(end + 1 for end in limbs[:-1])]
    ends = [spine_end + 2, *(end + 1 for end in limbs)]
    joints = [range(a, b) for a, b in zip(starts, ends, strict=True)]
    return [(part, range(task, task + 1)) for task, part in enumerate(joints)]


def new_parts(model: Model, ranges: Ranges) -> Parts:
    """Return the tables of some parts, and their scratch memory."""
    joints, effectors = len(model.parent), len(model.effector_joint)
    child = np.full(joints, -1, np.int64)
    sibling = np.full(joints + effectors, -1, np.int64)
    above = np.concatenate([model.parent, model.effector_joint])
    for node in reversed(range(joints + effectors)):
        if above[node] >= 0:
            sibling[node] = child[above[node]]
            child[above[node]] = node
    reach = np.zeros((len(ranges), len(model.task_kind)))
    for row, (part, tasks) in zip(reach, ranges, strict=True):
        for task in tasks:
            effector = model.task_effector[task]
            bones = np.linalg.norm(model.offset[part], axis=1) * model.moves[effector][part]
            row[task] = bones[1:].sum() + np.linalg.norm(model.effector_offset[effector])
    return new_memory(
        Parts,
        {"K": joints + effectors},
        first_joint=np.array([part.start for part, _ in ranges], np.int64),
        last_joint=np.array([part.stop for part, _ in ranges], np.int64),
        first_task=np.array([tasks.start for _, tasks in ranges], np.int64),
        last_task=np.array([tasks.stop for _, tasks in ranges], np.int64),
        reach=reach,
        child=child,
        sibling=sibling,
        best=arrays.identity(joints),
    )


@helper
def has_target(model: Model, task: int, targets: Targets) -> bool:
    """Whether a task has a weight and a target."""
    effector = model.task_effector[task]
    if not model.task_weight[task] > 0.0:
        return False
    if model.task_kind[task] == POSITION:
        return is_place(vec_load(targets.positions, effector))
    rotations = targets.rotations
    return bool(rotations[effector, 0] == rotations[effector, 0])  # not NaN


@helper
def is_hinge(model: Model, node: int) -> bool:
    """Whether a node is a hinge, not an end effector or another joint."""
    return bool(node < model.parent.shape[0] and model.freedom[node] == HINGE)


@helper
def node_offset(model: Model, node: int) -> Vec3:
    """A joint or end effector as seen from the joint that carries it [m]."""
    joints = model.parent.shape[0]
    if node < joints:
        return vec_load(model.offset, node)
    return vec_load(model.effector_offset, node - joints)


@helper
def node_position(model: Model, pose: ModelPose, node: int) -> Vec3:
    """World position of a joint or end effector."""
    joints = model.parent.shape[0]
    if node < joints:
        return vec_load(pose.position, node)
    return vec_load(pose.effectors, node - joints)


@helper
def next_weighted(parts: Parts, node: int) -> int:
    """This node or the first of its siblings after it that carries a goal; -1 for none."""
    while node >= 0 and not parts.weights[node] > 0.0:
        node = parts.sibling[node]
    return node


@helper
def lever(c: Context, node: int) -> tuple[Vec3, int]:
    """Return a node, or the first below it that lies elsewhere, as seen from its joint.

    The vector [m] and that node; -1 if there is none.
    """
    model, parts = c.model, c.scratch.parts
    turn = (1.0, 0.0, 0.0, 0.0)
    while node >= 0:
        here = quat_rotate(turn, node_offset(model, node))
        if vec_length(here) > NO_BONE * model.size[0]:
            return here, node
        if node >= model.parent.shape[0]:
            break
        turn = quat_mul(turn, quat_load(c.pose.local, node))
        node = next_weighted(parts, parts.child[node])
    return (0.0, 0.0, 0.0), -1


@helper
def past_hinges(
    c: Context, joint: int, base: Vec3, local: Quat, hinge: int
) -> tuple[Vec3, Vec3, bool]:
    """Return the first node past the hinges after a joint, and its goal, as the parent sees them.

    The joint lies at `base` and is rotated by `local`; each hinge bends towards the goal of what it
    carries, within its limits. Last, whether there is such a node.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    below = parent_rotation(model, pose, joint)
    turn, position, node = quat_mul(below, local), base, hinge
    while is_hinge(model, node):
        position = vec_add(position, quat_rotate(turn, node_offset(model, node)))
        child = next_weighted(parts, parts.child[node])
        arm, end = lever(c, child)
        if end < 0:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False
        bend = quat_load(pose.local, node)
        here = quat_rotate(bend, arm)
        there = quat_unrotate(turn, vec_sub(vec_load(parts.goals, end), position))
        fit = fit_position(fit_nothing(), here, there, 1.0)
        bend, _ = joint_rotation(model, node, bend, fit, 1, (here, there))
        turn, node = quat_mul(turn, bend), child
    position = vec_add(position, quat_rotate(turn, node_offset(model, node)))
    here = quat_unrotate(below, vec_sub(position, base))
    there = quat_unrotate(below, vec_sub(vec_load(parts.goals, node), base))
    return here, there, True


@helper
def begin_parts(c: PersonContext, frames: Frames, frame: int) -> tuple[int, Quat, Targets]:
    """Place the root of a person and the joints above all parts.

    Returns flags, the estimated rotation of the pelvis, and the targets.
    """
    flags, estimate = begin_person(c, frames, frame)
    joints_forward(c.model, c.pose, 0, c.scratch.parts.first_joint[SPINE])
    effector_forward(c.model, c.pose, PELVIS)
    return flags, estimate, Targets(c.work.points, frames.rotations[frame])


@helper
def part_forward(c: Context, part: int) -> None:
    """World rotations and positions of a part, and the end effectors of its tasks."""
    model, pose, parts = c.model, c.pose, c.scratch.parts
    joints_forward(model, pose, parts.first_joint[part], parts.last_joint[part])
    for task in range(parts.first_task[part], parts.last_task[part]):
        effector_forward(model, pose, model.task_effector[task])


@helper
def part_residual(c: Context, part: int, targets: Targets) -> tuple[float, float, float]:
    """Largest and summed error of a part's tasks [m], and the sum of their squares by weight."""
    model, parts = c.model, c.scratch.parts
    worst, total, cost = 0.0, 0.0, 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        weight = model.task_weight[task]
        if weight > 0.0:
            _, length = task_residual(model, c.pose, task, targets)
            worst = max(worst, length)
            total += length
            cost += weight * length * length
    return worst, total, cost


@helper
def copy_part(parts: Parts, part: int, source: Floats, into: Floats) -> None:
    """Copy the rotations of a part's joints."""
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        quat_store(into, joint, quat_load(source, joint))


@helper
def slack(c: Context, part: int, task: int, targets: Targets) -> float:
    """How much longer a chain is than its target is far from its first joint [m]."""
    parts = c.scratch.parts
    base = vec_load(c.pose.position, parts.first_joint[part])
    goal = vec_load(targets.positions, c.model.task_effector[task])
    return float(parts.reach[part, task] - vec_distance(goal, base))


@helper
def part_flags(c: Context, part: int, targets: Targets, reason: int, limited: bool) -> int:
    """Why the iteration of a person's part ended, as flags; `limited` if it felt a limit."""
    flags = stop_flags(reason)
    if reason == MET:
        return flags
    limb = part - SPINE - 1
    if limited:
        flags |= SPINE_LIMITED if part == SPINE else LIMITED << limb
    if slack(c, part, c.scratch.parts.first_task[part], targets) < 0.0:
        flags |= SPINE_STRETCHED if part == SPINE else UNREACHABLE << limb
    return flags


@helper
def off_line(here: Vec3, base: Vec3, line: Vec3) -> float:
    """Distance of a point from a line through `base` along a unit vector [m]."""
    return vec_length(vec_cross(vec_sub(here, base), line))


@helper
def is_straight(c: Context, part: int, effector: int, goal: Vec3) -> bool:
    """Whether a chain and its goal lie on one line."""
    model, pose, parts = c.model, c.pose, c.scratch.parts
    first = parts.first_joint[part]
    base, end = vec_load(pose.position, first), vec_load(pose.effectors, effector)
    nowhere = (0.0, 0.0, 0.0)
    line = vec_unit(vec_sub(goal, base), vec_unit(vec_sub(end, base), nowhere))
    near = STRAIGHT_CHAIN * model.size[0]
    if off_line(end, base, line) > near:
        return False
    for joint in range(first + 1, parts.last_joint[part]):
        here = vec_load(pose.position, joint)
        if model.moves[effector, joint] and off_line(here, base, line) > near:
            return False
    return True


@helper
def is_stiff(model: Model, pose: ModelPose, joint: int, effector: int, goal: Vec3) -> bool:
    """Whether a hinge, the joint above it, its effector and a nearer goal are nearly on a line."""
    if model.freedom[joint] != HINGE or model.parent[joint] < 0:
        return False
    base = vec_load(pose.position, model.parent[joint])
    end = vec_load(pose.effectors, effector)
    if vec_distance(goal, base) > vec_distance(end, base):
        return False
    line = vec_unit(vec_sub(end, base), (0.0, 0.0, 0.0))
    near = STIFF_HINGE * model.size[0]
    here = vec_load(pose.position, joint)
    return bool(off_line(here, base, line) < near and off_line(goal, base, line) < near)


@helper
def nudge_joint(model: Model, pose: ModelPose, joint: int, effector: int) -> None:
    """Turn a joint a little out of a straight chain, always the same way.

    A hinge bends to its own side. A ball turns about an axis across its bone that is mirrored with
    the body: bone x Y, or bone x Z where the bone is along Y.
    """
    if model.freedom[joint] == HINGE:
        turn_hinge(model, pose, joint, NUDGE if model.start[joint] >= 0.0 else -NUDGE)
        return
    away = vec_sub(vec_load(pose.effectors, effector), vec_load(pose.position, joint))
    bone = vec_unit(quat_unrotate(quat_load(pose.world, joint), away), (0.0, 0.0, 0.0))
    up = (0.0, 1.0, 0.0) if abs(bone[1]) < 0.9 else (0.0, 0.0, 1.0)
    axis = vec_unit(vec_cross(bone, up), (0.0, 0.0, 0.0))
    rotated = quat_mul(
        quat_load(pose.local, joint), quat_normalize(quat_from_axis_angle(axis, NUDGE))
    )
    quat_store(pose.local, joint, limit_project(model.limits, joint, quat_normalize(rotated)))


@helper
def bend_hinge(model: Model, pose: ModelPose, joint: int, effector: int, goal: Vec3) -> None:
    """Nudge a hinge, and let the ball above it point its effector to the goal as before.

    Otherwise the next sweep would find the hinge bent away from the line, and straighten it.
    """
    was = quat_load(pose.world, joint)
    nudge_joint(model, pose, joint, effector)
    above = model.parent[joint]
    if model.freedom[above] != BALL:
        return
    now = quat_mul(quat_load(pose.world, above), quat_load(pose.local, joint))
    position = vec_load(pose.position, joint)
    arm = quat_unrotate(was, vec_sub(vec_load(pose.effectors, effector), position))
    end = vec_add(position, quat_rotate(now, arm))
    below = parent_rotation(model, pose, above)
    base = vec_load(pose.position, above)
    held, _ = swing_joint(
        model.limits,
        above,
        quat_load(pose.local, above),
        quat_unrotate(below, vec_sub(end, base)),
        quat_unrotate(below, vec_sub(goal, base)),
    )
    quat_store(pose.local, above, held)


@helper
def unlock_part(c: Context, part: int, targets: Targets, still: bool) -> bool:
    """Nudge chains that cannot see which way to turn; return whether any was, to be placed anew.

    Straight chains are nudged, and once progress ends (`still`) limbs that are all but straight.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    near = c.settings.tolerance * model.size[0]
    nudged = False
    joints = range(parts.first_joint[part], parts.last_joint[part])
    for task in range(parts.first_task[part], parts.last_task[part]):
        if model.task_kind[task] != POSITION or not has_target(model, task, targets):
            continue
        effector = model.task_effector[task]
        goal = vec_load(targets.positions, effector)
        spare = slack(c, part, task, targets)
        error = vec_distance(goal, vec_load(pose.effectors, effector))
        if error <= max(-spare, 0.0) + near:
            continue  # as near as it can be
        straight = is_straight(c, part, effector, goal)
        for joint in joints:
            if model.freedom[joint] == 0 or not model.moves[effector, joint]:
                continue
            if straight:
                nudge_joint(model, pose, joint, effector)
                nudged = True
            elif still and is_stiff(model, pose, joint, effector, goal):
                bend_hinge(model, pose, joint, effector, goal)
                nudged = True
    return nudged
