"""Parts of a skeleton that shall not be in each other: rows of a Jacobian for those that are.

Every part is a capsule on a joint. The deepest pairs take the slots that a model's tasks of kind
`SLOT` leave for them, three rows each, of which the first is used: it pushes the parts
along the line between their nearest points. Pairs that are apart ask for nothing; those that are
nearly in touch may have a slot, for methods that look ahead.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from ...body.shapes import free_pairs
from ...body.skeleton import Skeleton
from ...kernels._jit import helper
from ...kernels.capsule import nearest_points, way_apart
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.tasks import reach_column
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_dot,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from ...tasks import SelfCollision
from .build import TaskSpec
from .model import SLOT, Model, ModelPose, new_memory

SLOTS = 12
"""Pairs that are pushed apart at a time: the deepest."""


class Capsules(NamedTuple):
    """C capsules on a skeleton of N joints, P pairs of them, K slots."""

    joint: Ints  # joint that carries each, (C,)
    start: Floats  # one end of its line in the joint's frame [m], (C, 3)
    end: Floats  # the other end of its line, (C, 3)
    radius: Floats  # radius of each [m], (C,)
    moves: Annotated[Ints, "C", 1]  # whether each joint moves each capsule, (C, N)
    pair: Ints  # capsules that shall stay apart, (P, 2)
    margin: Floats  # distance that shall be left [m], (1,)
    ahead: Annotated[Floats, 1]  # pairs that are nearer than this get a slot, too [m]
    first: Annotated[Ints, 1]  # task of the first slot
    chosen: Annotated[Ints, "K"]  # scratch: pair in each slot, -1 for none
    depth: Annotated[Floats, "K"]  # scratch: how deep it is, margin and all; negative apart [m]
    ends: Annotated[Floats, "C", 2, 3]  # scratch: both ends of every line in the world [m]
    near: Annotated[Floats, "K", 2, 3]  # scratch: nearest points of the pair in each slot [m]


@helper
def place_ends(pose: ModelPose, capsules: Capsules) -> None:
    """Where the ends of all lines are in the world."""
    for i in range(capsules.joint.shape[0]):
        joint = capsules.joint[i]
        turn, position = quat_load(pose.world, joint), vec_load(pose.position, joint)
        start = quat_rotate(turn, vec_load(capsules.start, i))
        end = quat_rotate(turn, vec_load(capsules.end, i))
        vec_store(capsules.ends[i], 0, vec_add(position, start))
        vec_store(capsules.ends[i], 1, vec_add(position, end))


@helper
def pair_depth(capsules: Capsules, pair: int) -> tuple[Vec3, Vec3, float]:
    """Nearest points of two capsules whose ends are placed, and how deep they are in each other.

    The depth counts the margin; it is negative where they are apart.
    """
    i, j = capsules.pair[pair, 0], capsules.pair[pair, 1]
    a, b = vec_load(capsules.ends[i], 0), vec_load(capsules.ends[i], 1)
    one, other = nearest_points(a, b, vec_load(capsules.ends[j], 0), vec_load(capsules.ends[j], 1))
    reach = capsules.radius[i] + capsules.radius[j] + capsules.margin[0]
    return one, other, reach - vec_distance(one, other)


@helper
def capsule_line(capsules: Capsules, i: int) -> Vec3:
    """From one end of a capsule's line to the other in the world [m]."""
    return vec_sub(vec_load(capsules.ends[i], 1), vec_load(capsules.ends[i], 0))


@helper
def apart_square(pose: ModelPose, capsules: Capsules) -> float:
    """Depths of all pairs, squared and summed [m^2]."""
    place_ends(pose, capsules)
    total = 0.0
    for p in range(capsules.pair.shape[0]):
        _, _, depth = pair_depth(capsules, p)
        total += max(depth, 0.0) ** 2
    return total


@helper
def find_touching(
    model: Model, pose: ModelPose, capsules: Capsules, residual: Floats
) -> tuple[float, float]:
    """Fill the slots with the deepest pairs, and write what they ask for, weighted [m].

    Returns the greatest depth, and the sum of all depths.
    """
    place_ends(pose, capsules)
    count = capsules.chosen.shape[0]
    for k in range(count):
        capsules.chosen[k], capsules.depth[k] = -1, -capsules.ahead[0]
    deepest, total = 0.0, 0.0
    for p in range(capsules.pair.shape[0]):
        one, other, depth = pair_depth(capsules, p)
        if not depth > -capsules.ahead[0]:
            continue
        deepest, total = max(deepest, depth), total + max(depth, 0.0)
        slot = 0
        for k in range(1, count):
            if capsules.depth[k] < capsules.depth[slot]:
                slot = k
        if depth > capsules.depth[slot]:
            capsules.chosen[slot], capsules.depth[slot] = p, depth
            vec_store(capsules.near[slot], 0, one)
            vec_store(capsules.near[slot], 1, other)
    for k in range(count):
        task = capsules.first[0] + k
        residual[3 * task] = -model.task_weight[task] * max(capsules.depth[k], 0.0)
        residual[3 * task + 1], residual[3 * task + 2] = 0.0, 0.0
    return deepest, total


@helper
def touching_rows(
    model: Model, pose: ModelPose, capsules: Capsules, axes: Floats, jacobian: Floats
) -> None:
    """Change of the depths in the slots with every degree of freedom, weighted."""
    for k in range(capsules.chosen.shape[0]):
        task = capsules.first[0] + k
        for i in range(3 * task, 3 * task + 3):
            for c in range(jacobian.shape[1]):
                jacobian[i, c] = 0.0
        pair = capsules.chosen[k]
        if pair < 0:
            continue
        one, other = vec_load(capsules.near[k], 0), vec_load(capsules.near[k], 1)
        first, second = capsules.pair[pair, 0], capsules.pair[pair, 1]
        way = way_apart(one, other, capsule_line(capsules, first), capsule_line(capsules, second))
        away = vec_scale(way, -model.task_weight[task])
        for joint in range(model.parent.shape[0]):
            moves, moved = capsules.moves[first, joint], capsules.moves[second, joint]
            if moves == moved:
                continue  # both go together, or neither
            point = one if moves else other
            arm = vec_sub(point, vec_load(pose.position, joint))
            sign = 1.0 if moves else -1.0
            for c in range(model.first[joint], model.first[joint] + model.freedom[joint]):
                speed = reach_column(vec_load(axes, c), arm)
                jacobian[3 * task, c] = sign * vec_dot(speed, away)


def no_capsules() -> Capsules:
    """Return a table with nothing to keep apart."""
    return _table(np.zeros((0, 7)), np.zeros(0, np.int64), np.zeros((0, 2), np.int64), 0.0, 0)


def collision_slots(task: SelfCollision) -> list[TaskSpec]:
    """Return what stands for the task in a model: kind, end effector (none) and weight of slots."""
    return [(SLOT, 0, task.weight)] * SLOTS


def new_capsules(skeleton: Skeleton, task: SelfCollision, model: Model | None = None) -> Capsules:
    """Return the capsules of a figure whose joints are a model's, with slots among its tasks."""
    shape, pairs = free_pairs(skeleton, task.shape)
    numbers = [(*capsule.start, *capsule.end, capsule.radius) for capsule in shape.capsules]
    sized = np.array(numbers).reshape(-1, 7)
    joints = np.array([capsule.joint for capsule in shape.capsules], np.int64)
    moves = np.zeros((len(joints), skeleton.joint_count), np.int64)
    for row, joint in zip(moves, joints, strict=True):
        row[:] = skeleton.articulation.moving(int(joint))
    apart = np.array(pairs, np.int64).reshape(-1, 2)
    slots = 0 if model is None else SLOTS
    table = _table(sized, joints, apart, task.margin, slots)
    first = 0 if model is None else int(np.argmax(model.task_kind == SLOT))
    return table._replace(moves=moves, first=np.array([first], np.int64))


def _table(numbers: Floats, joints: Ints, pairs: Ints, margin: float, slots: int) -> Capsules:
    return new_memory(
        Capsules,
        {"C": len(joints), "K": slots},
        joint=joints,
        start=np.ascontiguousarray(numbers[:, :3]),
        end=np.ascontiguousarray(numbers[:, 3:6]),
        radius=np.ascontiguousarray(numbers[:, 6]),
        pair=pairs,
        margin=np.array([margin]),
        ahead=np.zeros(1),
        chosen=np.full(slots, -1, np.int64),
    )
