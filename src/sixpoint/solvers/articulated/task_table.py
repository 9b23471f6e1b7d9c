"""Tasks as rows of numbers: what kernels know of what is asked of a pose.

Methods that judge poses read the values (`task_value`); those that follow derivatives read rows as
well (`task_rows`), for which a model has *slots*: tasks of three rows each that these fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...body.articulation import Articulation
from ...errors import InputError
from ...kernels import arrays
from ...kernels.tasks import Masses
from ...kernels.types import Floats, Ints
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
from .model import ANGULAR_SLOT, SLOT, Model, new_memory
from .self_collision import SLOTS, Capsules, new_capsules, no_capsules

(POSITION, ORIENTATION, LOOK, BALANCE, SMOOTHNESS, COUPLING, FLOOR, POSTURE, SELF_COLLISION,
 FUNCTION) = range(10)  # fmt: skip
"""Kinds of tasks; functions are called outside of kernels."""
SOFT = (Smoothness, Posture)
"""Tasks that need not be met: they choose among the poses that meet the others."""


class TaskTable(NamedTuple):
    """T tasks of a model of N joints."""

    kind: Annotated[Ints, "T"]
    # end effector that a task speaks of; of a coupling, the joint that follows; of a balance, its
    # row of `share`
    node: Annotated[Ints, "T"]
    # first of its rows in `pairs` or `corners`, its row of `posture`; of a coupling, the joint that
    # leads
    first: Annotated[Ints, "T"]
    last: Annotated[Ints, "T"]  # one beyond the last of these rows
    weight: Annotated[Floats, "T"]
    unit: Annotated[Floats, "T"]  # makes its residual a length: 1, or the model's size for angles
    precision: Annotated[Floats, "T", 3, 3]  # inverse of the covariance of its residual
    soft: Annotated[Ints, "T"]  # whether it need not be met, and chooses among poses that do
    # of a line of sight, its axis and its target; of the floor, its height and whether one may
    # leave it; of a coupling, its ratio; of a balance, whether its support goes with the root
    numbers: Annotated[Floats, "T", 6]
    capsules: Capsules  # parts that shall stay apart
    pairs: Annotated[Ints, 0, 2]  # joints that shall be rotated alike, (P, 2)
    # of supports, each a convex polygon counter-clockwise in (x, z) [m], (H, 2)
    corners: Annotated[Floats, 0, 2]
    share: Annotated[Floats, 0, "N"]  # of centres of mass, as in `Masses`, (B, N)
    moment: Annotated[Floats, 0, "N", 3]  # of centres of mass, as in `Masses`, (B, N, 3)
    posture: Annotated[Floats, 0, "N", 4]  # local rotations of postures, (Q, N, 4)
    node_joint: Annotated[Ints, 0]  # joint that carries each node that functions read, (K,)
    node_offset: Annotated[Floats, 0, 3]  # the node in the frame of its joint [m], (K, 3)
    # task of the model that is the first slot of each task, -1 for tasks without slots
    slot: Annotated[Ints, "T"]
    last_slot: Annotated[Ints, "T"]  # one beyond the last
    # scratch: of each slot of an inequality that holds, its residual if it were an equation, which
    # is how far it may go [m]; NaN of all others, (S,)
    room: Annotated[Floats, "S"]
    carried: Annotated[
        Floats, "N", 4
    ]  # scratch: mass that moves with each joint, as `carry_masses`
    wishes: Annotated[Floats, 1]  # scratch: summed residuals of soft tasks [m]
    # scratch: what functions gave around a pose, three for each of their slots, (F,)
    values: Annotated[Floats, "F"]
    # scratch: its change as each joint turns about X, Y and Z of its parent [1/rad], and as the
    # root moves [1/m], (F, 3 N + 3)
    slopes: Annotated[Floats, "F", "V"]
    around: Annotated[Floats, "N", 4]  # scratch: local rotations of that pose
    origin: Annotated[Floats, 1, 3]  # scratch: position of its root [m]


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


def new_table(rows: Sequence[TaskRow], joints: int, slots: int = 0, **given: Any) -> TaskTable:
    """Return a table of tasks; `given` are the arrays that some of them need.

    `slots` is how many tasks the model has, for methods that fill some of them.
    """
    table = new_memory(
        TaskTable,
        {"T": len(rows), "N": joints, "S": slots, "F": 0, "V": 3 * joints + 3},
        **{"capsules": no_capsules(), **given},
    )
    table.slot[:] = -1
    table.precision[:] = given.get("precision", np.eye(3))
    for k, row in enumerate(rows):
        for name, value in vars(row).items():
            if name != "numbers":
                getattr(table, name)[k] = value
        table.numbers[k, : len(row.numbers)] = row.numbers
    return table


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
    table = new_table(
        rows,
        joints,
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
            f"Expected a {words} of the task {task.label!r}, whose target is the same in all "
            "frames; got none."
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


def no_tasks(joints: int) -> TaskTable:
    """Return a table without tasks, for a model with so many joints."""
    return new_table([], joints)


def task_slots(body: Articulation, task: Task[Any]) -> int:
    """Return how many slots a task takes: three rows each."""
    if isinstance(task, Reach | Orient):
        return 0
    if isinstance(task, SelfCollision):
        return SLOTS
    if isinstance(task, Posture):
        return body.skeleton.joint_count
    if isinstance(task, Smoothness):
        return len(task.pairs(body.skeleton))
    if isinstance(task, FunctionTask):
        rest = body.from_rest(arrays.identity(body.skeleton.joint_count))
        return -(-len(task.measure(Pose(body.skeleton, body.offsets[0], rest))) // 3)
    return 1


def slot_kind(task: Task[Any]) -> int:
    """Return the kind of the slots of a task."""
    return ANGULAR_SLOT if task.angular else SLOT


def with_slots(table: TaskTable, model: Model, slots: Sequence[range]) -> TaskTable:
    """Return a table whose tasks fill slots of a model, those of each task given as a range."""
    rows = table._replace(room=np.full(len(model.task_kind), np.nan))
    count = 0
    for k, own in enumerate(slots):
        if rows.kind[k] == FUNCTION:
            rows.first[k] = count
            count += len(own)
        rows.slot[k], rows.last_slot[k] = (own.start, own.stop) if len(own) else (-1, -1)
    width = table.slopes.shape[1]
    return rows._replace(values=np.zeros(3 * count), slopes=np.zeros((3 * count, width)))


def numbered_labels(tasks: Sequence[Task[Any]]) -> tuple[str, ...]:
    """Return the labels of tasks, each once: those that repeat one have a number."""
    found: dict[str, None] = {}
    for task in tasks:
        label, count = task.label, 2
        while label in found:
            label, count = f"{task.label} ({count})", count + 1
        found[label] = None
    return tuple(found)


def unmet_tasks(
    table: TaskTable, labels: Sequence[str], residuals: Floats, near: float
) -> list[str]:
    """Return a warning for each task that frames leave unmet; points are counted elsewhere.

    Args:
        table: the tasks.
        labels: their names.
        residuals: of each task in each frame (F, T) [m].
        near: what is nearer than this is met [m].
    """
    found = []
    for k, label in enumerate(labels):
        unmet = int((residuals[:, k] > near).sum())
        wish = table.soft[k] or not table.weight[k] > 0.0 or table.kind[k] == POSITION
        if unmet and not wish:
            most = residuals[:, k].max() / table.unit[k]
            unit = "m" if table.unit[k] == 1.0 else "rad"
            found.append(
                f"task {label!r} is not met in {unmet} of {len(residuals)} frames: its residual is "
                f"up to {most:.3g} {unit}"
            )
    return found
