"""Whether a step of prioritized IK is a gain: the levels are compared in their order.

A step is right to first order only. Where goals are out of reach it swings past the best pose and
back, and what a lower level gains may cost a higher one more than it should. So a step is taken
only if some level comes nearer than it ever was while those above it stay as they are, the posture
being the last level. Otherwise it is halved, and where no part of it is a gain, the skeleton rests.

Levels are not compared with the step before, but with the best that they were since the targets
moved. Otherwise each step might lose a little of a higher level, which the next one wins back, for
ever. No sum of all errors is formed either: a little of a high level would outweigh all that the
posture has to gain.

Functions of a context `c` expect a `PriorityWork` in `c.scratch`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from ...kernels._jit import helper
from ...kernels.quaternion import quat_angle, quat_load
from ...kernels.types import Floats, Ints, Quat
from ...kernels.vector import vec_load, vec_store
from ..articulated.context import Context
from ..articulated.model import ORIENTATION, Model, Targets, copy_rotations, new_memory

HALVINGS = 8
"""A step that is no gain at this many halvings is none."""
LEVEL_TOLERANCE = 3e-5
"""Errors of a level that differ by less than this part of the size are alike (a twentieth of a
millimetre at 1.83 m)."""
POSTURE_TOLERANCE = 1e-5
"""A posture that is nearer by less than this part of its distance is no nearer."""


class Judgement(NamedTuple):
    """Memory: N joints, K levels with the posture, E end effectors."""

    kept: Annotated[Floats, "N", 4]  # local rotations before a step
    root: Annotated[Floats, 1, 3]  # position of the root before a step [m]
    # errors of all levels as parts of the size, then the squared distance from the posture [rad^2]
    errors: Annotated[Floats, "K"]
    best: Annotated[Floats, "K"]  # the least of them since targets moved
    targets: Annotated[Floats, "E", 3]  # positions of the targets of the frame before [m]
    turns: Annotated[Floats, "E", 4]  # rotations of the targets of the frame before
    begun: Annotated[Ints, 1]  # whether there was a frame before


def new_judgement(model: Model, levels: int) -> Judgement:
    """Return memory for a model with so many levels."""
    effectors = len(model.effector_joint)
    sizes = {"N": len(model.parent), "K": levels + 1, "E": effectors}
    return new_memory(Judgement, sizes)


@helper
def keep_pose(c: Context) -> None:
    """Remember the pose before a step."""
    judgement = c.scratch.judgement
    copy_rotations(c.pose.local, judgement.kept)
    vec_store(judgement.root, 0, vec_load(c.pose.position, 0))


@helper
def restore_pose(c: Context) -> None:
    """Go back to the pose before a step."""
    judgement = c.scratch.judgement
    copy_rotations(judgement.kept, c.pose.local)
    vec_store(c.pose.position, 0, vec_load(judgement.root, 0))


@helper
def level_error(c: Context, level: int) -> float:
    """Error of a level as a part of the size, from residuals as `task_residuals` leaves them."""
    model, ladder = c.model, c.scratch.ladder
    square = 0.0
    for i in range(ladder.levels[level], ladder.levels[level + 1]):
        unit = 1.0 if model.task_kind[i // 3] == ORIENTATION else 1.0 / model.size[0]
        part = ladder.residual[i] * unit
        square += part * part
    return math.sqrt(square)


@helper
def posture_error(c: Context, root: Quat) -> float:
    """Squared distance from the posture, in the measure that its steps lessen [rad^2]."""
    model, work = c.model, c.scratch
    total = 0.0
    for joint in range(model.parent.shape[0]):
        if model.freedom[joint] == 0:
            continue
        goal = root if joint == 0 and work.floating[0] else quat_load(work.posture, joint)
        away = quat_angle(quat_load(c.pose.local, joint), goal)
        away /= work.compliance[model.first[joint]]
        total += away * away
    return total


@helper
def write_errors(c: Context, root: Quat) -> None:
    """Write the errors of all levels and of the posture, a root that moves drawn to `root`."""
    errors = c.scratch.judgement.errors
    last = errors.shape[0] - 1
    for level in range(last):
        errors[level] = level_error(c, level)
    errors[last] = posture_error(c, root)


@helper
def forget_best(c: Context, root: Quat) -> None:
    """Compare with the pose as it is from now on."""
    judgement = c.scratch.judgement
    write_errors(c, root)
    for level in range(judgement.best.shape[0]):
        judgement.best[level] = judgement.errors[level]


@helper
def begin_judgement(c: Context, targets: Targets, root: Quat, fresh: bool) -> None:
    """Begin a frame: what was best is forgotten if targets have moved.

    Likewise before and after a descent from a `fresh` pose, which is no frame of its own.
    """
    judgement = c.scratch.judgement
    moved = fresh or judgement.begun[0] == 0
    for effector in range(targets.positions.shape[0]):
        for k in range(3):
            now = targets.positions[effector, k]
            moved = differs(now, judgement.targets[effector, k]) or moved
            judgement.targets[effector, k] = now
    for effector in range(targets.rotations.shape[0]):
        for k in range(4):
            now = targets.rotations[effector, k]
            moved = differs(now, judgement.turns[effector, k]) or moved
            judgement.turns[effector, k] = now
    judgement.begun[0] = 0 if fresh else 1
    if moved:
        forget_best(c, root)


@helper
def differs(one: float, other: float) -> bool:
    """Whether two numbers differ, of which both may be unknown (NaN)."""
    return one != other and not (math.isnan(one) and math.isnan(other))


@helper
def spoilt_level(c: Context) -> int:
    """Return the highest level that is farther than it was at best, -1 if one above it is nearer.

    Expects residuals as `task_residuals` leaves them; the posture does not count.
    """
    best = c.scratch.judgement.best
    for level in range(best.shape[0] - 1):
        error = level_error(c, level)
        if error > best[level] + LEVEL_TOLERANCE:
            return level
        if error < best[level] - LEVEL_TOLERANCE:
            break
    return -1


@helper
def is_gain(c: Context, root: Quat) -> bool:
    """Whether some level is nearer than ever, and none above it is farther; remember it then."""
    judgement = c.scratch.judgement
    errors, best = judgement.errors, judgement.best
    write_errors(c, root)
    last = errors.shape[0] - 1
    nearer = -1
    for level in range(last + 1):
        slack = POSTURE_TOLERANCE * best[last] if level == last else LEVEL_TOLERANCE
        if errors[level] > best[level] + slack:
            return False
        if errors[level] < best[level] - slack:
            nearer = level
            break
    if nearer < 0:
        return False
    for level in range(last + 1):
        if level < nearer:
            best[level] = min(best[level], errors[level])
        else:
            best[level] = errors[level]
    return True
