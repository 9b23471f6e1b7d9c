"""Tables for prioritized IK: people whose pelvis moves, a relaxed stance, levels of tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..body.anatomy import Anatomy
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits import Limits
from ..motion.points import SIX
from ._kernels.figure import BALL, HINGE, Figure
from ._kernels.pik_step import PikTable, PikWork
from ._kernels.priority import Ladder
from .apart_tables import no_capsules
from .body_table import build_body
from .figure import Row, Tip, build_figure, human_rows, new_pose

HEAD = SIX.index("head")


def floating_rows(anatomy: Anatomy, *, loins: bool = False) -> tuple[list[Row], list[Tip]]:
    """A person whose pelvis turns as well, and whose head turns where its rotation is known.

    With `loins`, the joint on the pelvis that carries the spine turns, too.
    """
    rows, tips = human_rows(anatomy)
    head = tips[HEAD].row + 1
    rows[0] = replace(rows[0], freedom=BALL)
    if loins and (k := loins_of(anatomy, rows)) >= 0:
        rows[k] = replace(rows[k], freedom=BALL)
    if rows[head].joint >= 0:
        rows[head] = replace(rows[head], freedom=BALL)
        tips[HEAD] = Tip(head, np.zeros(3))
    return rows, tips


def loins_of(anatomy: Anatomy, rows: Sequence[Row]) -> int:
    """The row of the joint on the pelvis that carries the spine; -1 where there is none."""
    return 1 if rows[1].joint in anatomy.colocated else -1


def floating_figure(
    anatomy: Anatomy,
    limits: Limits,
    rows: Sequence[Row],
    tips: Sequence[Tip],
    tasks: Sequence[tuple[int, int, float]],
) -> Figure:
    """Those rows as tables."""
    record, rest = build_body(anatomy)
    body = record[0]
    return build_figure(
        anatomy.skeleton,
        rows,
        tips,
        tasks,
        limits,
        size=anatomy.height,
        rest=rest,
        anchor=body.anchor,
        anchor_turn=body.anchor_turn,
    )


def human_posture(rows: Sequence[Row], bent: float) -> Floats:
    """Local rotations of a relaxed stance (N, 4): elbows back, knees forward (S0.54)."""
    posture = arrays.identity(len(rows))
    for k, row in enumerate(rows):
        if row.freedom == HINGE:
            angle = math.copysign(bent, row.start)
            posture[k] = arrays.from_axis_angle(row.axis, angle)
            posture[row.parent] = arrays.from_axis_angle(row.axis, -0.5 * angle)
    return posture


def human_give(anatomy: Anatomy, rows: Sequence[Row], parts: Sequence[float]) -> Floats:
    """How readily each row moves (N,); parts are those of pelvis, spine and clavicles."""
    clavicles = {anatomy.node(f"{s}_clavicle") for s in "lr" if anatomy.has(f"{s}_clavicle")}
    spine = {*anatomy.bends, *anatomy.colocated}
    give = np.ones(len(rows))
    give[[row.joint in spine for row in rows]] = parts[1]
    give[0] = parts[0]
    give[[row.joint in clavicles for row in rows]] = parts[2]
    return give


def new_ladder(d: int, m: int) -> Ladder:
    """Scratch memory for d degrees of freedom and at most m rows in one level."""
    return Ladder(
        step=np.zeros(d),
        basis=np.zeros((d, d)),
        low=np.zeros(d, np.int64),
        high=np.zeros(d, np.int64),
        reduced=np.zeros((m, d)),
        need=np.zeros(m),
        square=np.zeros((m, m)),
        u=np.zeros((m, m)),
        v=np.zeros((m, m)),
        sigma=np.zeros(m),
        part=np.zeros(d),
    )


def new_work(
    figure: Figure,
    ranks: Sequence[int],
    *,
    pull: float,
    cut: float,
    posture: Floats | None = None,
    give: Floats | None = None,
    floats: bool = False,
    loins: int = -1,
) -> PikWork:
    """Tables and scratch memory.

    Args:
        figure: with tasks in the order of their levels.
        ranks: level of each task.
        pull: part of the way to the posture in one step.
        cut: directions with singular values below this are left to lower levels.
        posture: local rotations that rows are drawn to (N, 4). Default: the first pose.
        give: how readily rows move (N,). Default: all alike.
        floats: whether the root moves.
        loins: row that turns only while the root is held.
    """
    rows, tasks = len(figure.parent), len(figure.task_kind)
    d = int(figure.freedom.sum()) + (3 if floats else 0)
    starts = [3 * k for k in range(tasks) if k == 0 or ranks[k] != ranks[k - 1]] + [3 * tasks]
    m = int(np.diff(starts).max(initial=0))
    gives = np.ones(d)
    if give is not None:
        gives[: int(figure.freedom.sum())] = np.repeat(give, figure.freedom)
    table = PikTable(
        levels=np.array(starts, np.int64),
        floats=np.array([floats], np.int64),
        loins=np.array([loins], np.int64),
        posture=new_pose(figure).local if posture is None else posture,
        pull=np.array([pull]),
        give=gives,
        cut=np.array([cut]),
    )
    return PikWork(
        table=table,
        capsules=no_capsules(),
        ladder=new_ladder(d, m),
        axes=np.zeros((d, 3)),
        jacobian=np.zeros((3 * tasks, d)),
        asked=np.zeros(3 * tasks),
        wish=np.zeros(d),
        errors=np.zeros(len(starts) - 1),
        calm=np.ones(len(starts)),
        held=np.zeros(rows, np.int64),
        normal=np.zeros((rows, 3)),
        goal=np.zeros((rows, 3)),
    )
