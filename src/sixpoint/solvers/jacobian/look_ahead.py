"""Inequalities among the levels: they ask for something only when a step would break them.

A floor, a support of some width or the distance between two parts acts like a joint limit (Boulic
et al. 2006, Fig. 10): it asks for nothing while it holds. A step that would break it is computed
anew, and takes it just to its edge. Levels above it decide first, as ever; those below make up
for it.

Functions of a context `c` expect a `PriorityWork` in `c.scratch`.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.tasks import INSIDE, support_nearest
from ...kernels.types import Floats
from ..articulated.context import Context
from ..articulated.task_table import BALANCE
from ..articulated.task_value import centre_over
from .priority_step import limited_step, release_joints

ROUNDING = 1e-12
"""A step that goes beyond an edge by less than this part of the size does not break it."""


@helper
def put_aside(c: Context) -> None:
    """Take the rows of inequalities that hold out of the levels; expects them to be scaled."""
    work = c.scratch
    jacobian, residual, room = work.ladder.jacobian, work.ladder.residual, work.tasks.room
    for slot in range(room.shape[0]):
        if math.isnan(room[slot]):
            continue
        for i in range(3 * slot, 3 * slot + 3):
            residual[i] = 0.0
            for k in range(jacobian.shape[1]):
                work.aside[i, k] = jacobian[i, k]
                jacobian[i, k] = 0.0


@helper
def foresighted_step(c: Context, near: float, most: float) -> float:
    """Compute the step of all levels within limits and inequalities, see `limited_step`."""
    release_joints(c, False)
    farthest = limited_step(c, near, most)
    for _ in range(c.scratch.tasks.room.shape[0]):
        if not bring_back(c):
            break
        release_joints(c, False)
        farthest = limited_step(c, near, most)
    return farthest


@helper
def bring_back(c: Context) -> bool:
    """Bring rows that were put aside back, if the step would break them; whether there are any."""
    tasks, size = c.scratch.tasks, c.model.size[0]
    found = False
    for task in range(tasks.kind.shape[0]):
        first = tasks.slot[task]
        if first < 0 or not tasks.weight[task] > 0.0:
            continue
        for slot in range(first, tasks.last_slot[task]):
            if math.isnan(tasks.room[slot]):
                continue
            if tasks.kind[task] == BALANCE:
                found = bring_balance_back(c, task) or found
                continue
            room = tasks.room[slot] / size
            beyond = along_step(c, 3 * slot) * (1.0 if room > 0.0 else -1.0) - abs(room)
            if beyond > ROUNDING:
                copy_back(c, slot)
                c.scratch.ladder.residual[3 * slot] = room
                found = True
    return found


@helper
def bring_balance_back(c: Context, task: int) -> bool:
    """Bring a balance back if the step would take the centre of mass beyond its support."""
    tasks, size = c.scratch.tasks, c.model.size[0]
    slot, weight = tasks.slot[task], tasks.weight[task]
    (x, z), _, _ = centre_over(tasks, c.pose, task)
    ahead_x = x + size * along_step(c, 3 * slot) / weight
    ahead_z = z + size * along_step(c, 3 * slot + 2) / weight
    first, last = tasks.first[task], tasks.last[task]
    near_x, near_z, edge = support_nearest(tasks.corners, first, last, ahead_x, ahead_z)
    if edge == INSIDE:
        return False
    copy_back(c, slot)
    c.scratch.ladder.residual[3 * slot] = weight * (near_x - x) / size
    c.scratch.ladder.residual[3 * slot + 2] = weight * (near_z - z) / size
    return True


@helper
def along_step(c: Context, row: int) -> float:
    """What the step changes of a row that was put aside, to first order."""
    work = c.scratch
    step: Floats = work.ladder.step
    turning = step.shape[0] - 3 if work.floating[0] else step.shape[0]
    change = 0.0
    for k in range(step.shape[0]):
        # The step is in radians again, the row is scaled by compliance.
        own = work.compliance[k] if k < turning else 1.0
        change += work.aside[row, k] * step[k] / own
    return change


@helper
def copy_back(c: Context, slot: int) -> None:
    """Put the rows of a slot among the levels again."""
    work = c.scratch
    for i in range(3 * slot, 3 * slot + 3):
        for k in range(work.ladder.jacobian.shape[1]):
            work.ladder.jacobian[i, k] = work.aside[i, k]
    work.tasks.room[slot] = math.nan
