"""What tasks ask of a pose: every kind as a row of numbers, judged without derivatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...body.articulation import Articulation
from ...errors import InputError
from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate, quat_twist_angle
from ...kernels.tasks import (
    Masses,
    coupling_angle,
    floor_residual,
    look_residual,
    mass_centre,
    orient_residual,
    posture_square,
    precision_square,
    reach_residual,
    smoothness_energy,
    support_nearest,
)
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import as3, vec_load
from ...motion.pose import Pose
from ...tasks import (
    Balance,
    Coupling,
    Floor,
    FunctionTask,
    LookAt,
    Orient,
    Posture,
    Reach,
    SelfCollision,
    Smoothness,
    Task,
)
from ...tasks.balance import convex_hull
from ..articulated.model import Model, ModelPose, Targets
from ..articulated.self_collision import Capsules, apart_square, new_capsules, no_capsules

(POSITION, ORIENTATION, LOOK, BALANCE, SMOOTHNESS, COUPLING, FLOOR, POSTURE, SELF_COLLISION,
 FUNCTION) = range(10)  # fmt: skip
"""Kinds of tasks; functions are called outside of kernels."""
ABSURD = 1e24
"""A squared residual beyond this, or NaN, asks for nothing [m^2]."""
SOFT = (Smoothness, Posture)
"""Tasks that need not be met: they choose among the poses that meet the others."""


class TaskTable(NamedTuple):
    """T tasks of a model of N joints."""

    kind: Ints
    """(T,)."""
    node: Ints
    """End effector that a task speaks of; of a coupling, the joint that follows; of a balance, its
    row of `share`; (T,)."""
    first: Ints
    """First of its rows in `pairs` or `corners`, its row of `posture`; of a coupling, the joint
    that leads; (T,)."""
    last: Ints
    """One beyond the last, (T,)."""
    weight: Floats
    """(T,)."""
    unit: Floats
    """What makes its residual a length: 1 for lengths, the model's size for angles, (T,)."""
    precision: Floats
    """Inverse of the covariance of its residual, (T, 3, 3)."""
    soft: Ints
    """Whether it chooses among poses that meet the others, and need not be met, (T,)."""
    numbers: Floats
    """Of a line of sight, its axis and its target; of the floor, its height and whether one may
    leave it; of a coupling, its ratio; of a balance, whether its support goes with the root;
    (T, 6)."""
    pairs: Ints
    """Joints that shall be rotated alike, (P, 2)."""
    corners: Floats
    """Of supports, each a convex polygon counter-clockwise in (x, z) [m], (H, 2)."""
    capsules: Capsules
    """Parts that shall stay apart."""
    share: Floats
    """Of centres of mass, as in `Masses`, (B, N)."""
    moment: Floats
    """Likewise, (B, N, 3)."""
    posture: Floats
    """Local rotations of postures, (Q, N, 4)."""
    node_joint: Ints
    """Joint that carries each node that functions read, (K,)."""
    node_offset: Floats
    """The node in the frame of its joint [m], (K, 3)."""


@dataclass
class TaskRow:
    """One task as numbers; fields as in `TaskTable`."""

    kind: int
    weight: float
    node: int = 0
    first: int = 0
    last: int = 0
    unit: float = 1.0
    soft: bool = False
    numbers: tuple[float, ...] = ()


def new_table(rows: Sequence[TaskRow], joints: int) -> TaskTable:
    """Return a table of tasks that need nothing but their own numbers."""
    numbers = np.zeros((len(rows), 6))
    for k, row in enumerate(rows):
        numbers[k, : len(row.numbers)] = row.numbers
    return TaskTable(
        kind=np.array([row.kind for row in rows], np.int64),
        node=np.array([row.node for row in rows], np.int64),
        first=np.array([row.first for row in rows], np.int64),
        last=np.array([row.last for row in rows], np.int64),
        weight=np.array([row.weight for row in rows], np.float64),
        unit=np.array([row.unit for row in rows], np.float64),
        precision=np.tile(np.eye(3), (len(rows), 1, 1)),
        soft=np.array([row.soft for row in rows], np.int64),
        numbers=numbers,
        pairs=np.zeros((0, 2), np.int64),
        corners=np.zeros((0, 2)),
        capsules=no_capsules(),
        share=np.zeros((0, joints)),
        moment=np.zeros((0, joints, 3)),
        posture=np.zeros((0, joints, 4)),
        node_joint=np.zeros(0, np.int64),
        node_offset=np.zeros((0, 3)),
    )


def person_tasks(model: Model, posture: float) -> TaskTable:
    """Return the six points of a person but the pelvis, and the posture where a frame starts."""
    points = zip(model.task_effector, model.task_weight, strict=True)
    rows = [TaskRow(POSITION, weight, effector) for effector, weight in points]
    rows.append(TaskRow(POSTURE, posture, unit=float(model.size[0]), soft=True))
    table = new_table(rows, len(model.parent))
    return table._replace(posture=arrays.identity(1, len(model.parent)))


def task_nodes(body: Articulation, names: Sequence[str], tasks: Sequence[Task[Any]]) -> list[int]:
    """Return the nodes that tasks speak of: those of the points first, then others, each once."""
    nodes = [body.node(name) for name in names]
    for task in tasks:
        if isinstance(task, LookAt | Floor) and (node := body.node(task.node)) not in nodes:
            nodes.append(node)
    return nodes


def skeleton_tasks(
    body: Articulation, names: Sequence[str], tasks: Sequence[Task[Any]]
) -> TaskTable:
    """Flatten tasks for a model with a joint for each of a skeleton's; see `task_nodes`."""
    skeleton, joints = body.skeleton, body.skeleton.joint_count
    rest = Pose(skeleton, body.offsets[0], body.from_rest(arrays.identity(joints)))
    nodes = task_nodes(body, names, tasks)
    wishes = [isinstance(task, SOFT) for task in tasks]
    rows: list[TaskRow] = []
    pairs: list[Any] = []
    corners: list[Any] = []
    masses: list[Masses] = []
    postures: list[Floats] = []
    capsules = no_capsules()
    for task, soft in zip(tasks, wishes, strict=True):
        row = TaskRow(FUNCTION, task.weight)
        row.unit = body.length if task.angular else 1.0
        row.soft = soft and not all(wishes)  # with nothing to be met, wishes are
        rows.append(row)
        if isinstance(task, Reach | Orient):
            row.kind = POSITION if isinstance(task, Reach) else ORIENTATION
            row.node = names.index(task.node)
        elif isinstance(task, LookAt):
            row.kind, row.node = LOOK, nodes.index(body.node(task.node))
            axis = np.array(task.axis) / np.linalg.norm(task.axis)
            row.numbers = (*axis, *_own(task, task.at, "position `at`"))
        elif isinstance(task, Floor):
            row.kind, row.node = FLOOR, nodes.index(body.node(task.node))
            row.numbers = (task.height, task.lifts)
        elif isinstance(task, Coupling):
            row.kind = COUPLING
            row.node, row.first = task.joints(skeleton)
            row.numbers = (task.ratio,)
        elif isinstance(task, Smoothness):
            row.kind, row.first = SMOOTHNESS, len(pairs)
            pairs += task.pairs(skeleton).tolist()
            row.last = len(pairs)
        elif isinstance(task, Balance):
            row.kind, row.node, row.first = BALANCE, len(masses), len(corners)
            row.numbers = (task.over is None,)
            corners += (
                [(0.0, 0.0)] if task.over is None else convex_hull(np.array(task.over)).tolist()
            )
            row.last = len(corners)
            masses.append(_masses(body, task))
        elif isinstance(task, SelfCollision):
            row.kind, capsules = SELF_COLLISION, new_capsules(skeleton, task)
        elif isinstance(task, Posture):
            row.kind, row.first = POSTURE, len(postures)
            _own(task, task.like, "pose `like`")
            postures.append(body.to_rest(task.like_of(rest).rotations))
        else:
            assert isinstance(task, FunctionTask)
    table = new_table(rows, joints)._replace(
        precision=np.array([task.precision() for task in tasks]).reshape(-1, 3, 3),
        pairs=np.array(pairs, np.int64).reshape(-1, 2),
        corners=np.array(corners, np.float64).reshape(-1, 2),
        capsules=capsules,
        share=np.array([own.share for own in masses]).reshape(-1, joints),
        moment=np.array([own.moment for own in masses]).reshape(-1, joints, 3),
        posture=np.array(postures, np.float64).reshape(-1, joints, 4),
    )
    if not any(isinstance(task, FunctionTask) and task.batched for task in tasks):
        return table
    every = range(len(skeleton.node_names))
    offsets = np.where(np.arange(len(every))[:, None] < joints, 0.0, body.offsets)
    carriers = np.array([body.skeleton.carrier(node) for node in every], np.int64)
    return table._replace(node_joint=carriers, node_offset=offsets)


def _own(task: Task[Any], target: Any, words: str) -> Any:
    """Return the target of a task, which no frame brings."""
    if target is None:
        raise InputError(
            f"Expected a {words} of the task {task.label!r}: solver 'monte-carlo' has the same "
            "target in all frames; got none."
        )
    return target


def _masses(body: Articulation, task: Balance) -> Masses:
    """Return the masses that joints carry, those of sites included."""
    joints = body.skeleton.joint_count
    weights = task.weights(body.skeleton)
    share, moment = weights[:joints].copy(), np.zeros((joints, 3))
    for site in range(joints, len(weights)):
        share[body.skeleton.carrier(site)] += weights[site]
        moment[body.skeleton.carrier(site)] += weights[site] * body.offsets[site]
    return Masses(share, moment)


@helper
def task_square(
    model: Model, tasks: TaskTable, pose: ModelPose, task: int, targets: Targets
) -> float:
    """Squared length of what a task still asks for [m^2]; not weighted.

    A target that is not known (NaN) asks for nothing.
    """
    kind, node, first = tasks.kind[task], tasks.node[task], tasks.first[task]
    precision, numbers = tasks.precision[task], tasks.numbers[task]
    square = 0.0
    if kind == POSITION:
        gap = reach_residual(vec_load(targets.positions, node), vec_load(pose.effectors, node))
        square = precision_square(precision, gap)
    elif kind == ORIENTATION:
        now = quat_load(pose.world, model.effector_joint[node])
        gap = orient_residual(quat_load(targets.rotations, node), now)
        square = precision_square(precision, gap)
    elif kind == LOOK:
        target: Vec3 = (numbers[3], numbers[4], numbers[5])
        turn = quat_load(pose.world, model.effector_joint[node])
        sight = quat_rotate(turn, as3(numbers))
        gap = look_residual(target, vec_load(pose.effectors, node), sight)
        square = precision_square(precision, gap)
    elif kind == BALANCE:
        square = balance_square(tasks, pose, task)
    elif kind == SMOOTHNESS:
        square = smoothness_energy(pose.local, tasks.pairs, first, tasks.last[task]) ** 2
    elif kind == COUPLING:
        follower = quat_twist_angle(quat_load(pose.local, node), vec_load(model.axis, node))
        leader = quat_twist_angle(quat_load(pose.local, first), vec_load(model.axis, first))
        square = coupling_angle(follower, leader, numbers[0]) ** 2
    elif kind == FLOOR:
        square = floor_residual(numbers[0], pose.effectors[node, 1], numbers[1] != 0.0) ** 2
    elif kind == SELF_COLLISION:
        square = apart_square(pose, tasks.capsules)
    elif kind == POSTURE:
        wanted = tasks.posture[first]
        for joint in range(model.parent.shape[0]):
            if model.freedom[joint] > 0:
                square += posture_square(quat_load(pose.local, joint), quat_load(wanted, joint))
    square *= tasks.unit[task] * tasks.unit[task]
    return float(square) if square < ABSURD else 0.0


@helper
def pose_cost(
    model: Model, tasks: TaskTable, pose: ModelPose, targets: Targets
) -> tuple[float, float]:
    """Cost of the tasks to be met, and of the soft ones, weighted and squared [m^2].

    Courty and Arnaud, Eq. (14), without its noise: that of tasks to be met shrinks, that of soft
    ones does not.
    """
    demands, wishes = 0.0, 0.0
    for task in range(tasks.kind.shape[0]):
        weight = tasks.weight[task]
        if weight > 0.0:
            square = task_square(model, tasks, pose, task, targets)
            if tasks.soft[task]:
                wishes += weight * weight * square
            else:
                demands += weight * weight * square
    return demands, wishes


@helper
def judge_pose(
    model: Model, tasks: TaskTable, pose: ModelPose, targets: Targets, residuals: Floats
) -> float:
    """Write the residual of every task [m], (T,), not weighted; the largest that is to be met."""
    worst = 0.0
    for task in range(tasks.kind.shape[0]):
        residuals[task] = math.sqrt(task_square(model, tasks, pose, task, targets))
        if tasks.weight[task] > 0.0 and not tasks.soft[task]:
            worst = max(worst, residuals[task])
    return worst


@helper
def balance_square(tasks: TaskTable, pose: ModelPose, task: int) -> float:
    """Squared distance of the centre of mass from above its support."""
    masses = Masses(tasks.share[tasks.node[task]], tasks.moment[tasks.node[task]])
    x, _, z = mass_centre(masses, pose.world, pose.position)
    if tasks.numbers[task, 0] != 0.0:
        x, z = x - pose.position[0, 0], z - pose.position[0, 2]
    near_x, near_z, _ = support_nearest(tasks.corners, tasks.first[task], tasks.last[task], x, z)
    return float((x - near_x) * (x - near_x) + (z - near_z) * (z - near_z))
