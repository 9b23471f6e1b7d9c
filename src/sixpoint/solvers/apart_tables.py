"""Capsules of a person as tables, for solvers that keep parts of a body apart."""

from __future__ import annotations

import numpy as np

from ..body.shapes import free_pairs
from ..body.skeleton import Skeleton
from ..tasks import SelfCollision
from ._kernels.apart import Capsules
from ._kernels.figure import APART, Figure

SLOTS = 12
"""Pairs that are pushed apart at a time: the deepest."""


def no_capsules() -> Capsules:
    """Nothing to keep apart."""
    return _table(np.zeros((0, 7)), np.zeros(0, np.int64), np.zeros((0, 2), np.int64), 0, 0.0, 0)


def apart_slots(task: SelfCollision) -> list[tuple[int, int, float]]:
    """What stands for the task in a figure: kind, tip (none) and weight of each slot."""
    return [(APART, 0, task.weight)] * SLOTS


def capsule_table(
    skeleton: Skeleton, task: SelfCollision, figure: Figure | None = None
) -> Capsules:
    """The capsules of a person whose rows are its joints, with slots among a figure's tasks."""
    shape, pairs = free_pairs(skeleton)
    numbers = [(*capsule.start, *capsule.end, capsule.radius) for capsule in shape.capsules]
    rows = np.array([capsule.joint for capsule in shape.capsules], np.int64)
    moving = [skeleton.articulation.moving(int(row)) for row in rows]
    first = 0 if figure is None else int(np.argmax(figure.task_kind == APART))
    slots = 0 if figure is None else SLOTS
    table = _table(np.array(numbers), rows, np.array(pairs, np.int64), first, task.margin, slots)
    return table._replace(moves=np.array(moving, np.int64))


def _table(
    numbers: np.ndarray, rows: np.ndarray, pairs: np.ndarray, first: int, margin: float, slots: int
) -> Capsules:
    return Capsules(
        row=rows,
        start=np.ascontiguousarray(numbers[:, :3]),
        end=np.ascontiguousarray(numbers[:, 3:6]),
        radius=np.ascontiguousarray(numbers[:, 6]),
        moves=np.zeros((len(rows), 1), np.int64),
        pair=pairs,
        margin=np.array([margin]),
        first=np.array([first], np.int64),
        chosen=np.full(slots, -1, np.int64),
        depth=np.zeros(slots),
        ends=np.zeros((len(rows), 2, 3)),
        near=np.zeros((slots, 2, 3)),
    )
