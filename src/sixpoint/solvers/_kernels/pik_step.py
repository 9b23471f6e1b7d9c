"""One step of prioritized IK: tasks, posture and limits made ready for the levels of `priority`.

Ball joints turn by rotation vectors in their parent's frame: unlike angles about three axes these
know no gimbal lock and prefer no direction. Lengths are divided by the figure's size, so that tasks
of position and of orientation stand side by side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project, limit_violation
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
)
from ...kernels.rotation import angle_wrap
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import vec_add, vec_dot, vec_length, vec_load, vec_scale, vec_store, vec_sub
from .apart import Capsules
from .figure import APART, BALL, HINGE, ORIENTATION, POSITION, Figure, FigurePose
from .missing import is_place
from .priority import Damping, Ladder, priority_step
from .tables import Settings

PROGRESS = 1.0 - 1e-6
"""A level whose error is less than this part of what it was has come nearer."""
CALMER, BOLDER, CALMEST = 1.5, 1.2, 100.0
"""Damping is multiplied by the first after a step that brought nothing, divided by the second after
one that did, and multiplied by the third in all at most."""
ON_LIMIT = 1e-3
"""A ball joint this little beyond its limits is brought back without a new step [rad]."""
LEAST_SLOPE = 0.1
"""A boundary that turns cross more slowly than this has no direction [rad/rad]."""
HALF = 0.5e-6
"""Half of a small turn [rad]."""


class PikTable(NamedTuple):
    """What does not change: L levels, N rows of a figure, D degrees of freedom."""

    levels: Ints
    """First row of the Jacobian in each level, and the end, (L + 1,)."""
    floats: Ints
    """Whether the root moves: the last three degrees of freedom are its place, (1,)."""
    loins: Ints
    """Row that turns only while the root is held: both together could do the same in many ways;
    -1 for none, (1,)."""
    posture: Floats
    """Local rotations that the figure is drawn to, (N, 4); a root that moves, to its estimate."""
    pull: Floats
    """Part of the way there in one step, (1,)."""
    give: Floats
    """How readily each degree of freedom moves, compared with others, (D,)."""
    cut: Floats
    """See `Damping`, (1,)."""


class PikWork(NamedTuple):
    """Scratch memory: T tasks."""

    table: PikTable
    capsules: Capsules
    """What shall stay apart."""
    ladder: Ladder
    axes: Floats
    """(D, 3)."""
    jacobian: Floats
    """(3 T, D)."""
    asked: Floats
    """(3 T,)."""
    wish: Floats
    """(D,)."""
    errors: Floats
    """How far each level is from what it asks for, as a part of the size, (L,)."""
    calm: Floats
    """What each level's damping is multiplied by, then one for the posture, (L + 1,)."""
    held: Ints
    """Degrees of freedom of each row that its limit holds, (N,)."""
    normal: Floats
    """Direction in which a ball joint is held, (N, 3)."""
    goal: Floats
    """Turn that the limit allows [rad], (N, 3)."""


@helper
def turn_axes(figure: Figure, pose: FigurePose, axes: Floats) -> None:
    """World axis of every degree of freedom, (D, 3): X, Y and Z of its parent for a ball."""
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0:
            continue
        turn = (1.0, 0.0, 0.0, 0.0)
        if figure.parent[row] >= 0:
            turn = quat_load(pose.world, figure.parent[row])
        k = figure.first[row]
        if freedom == HINGE:
            vec_store(axes, k, quat_rotate(turn, vec_load(figure.axis, row)))
        else:
            vec_store(axes, k, quat_rotate(turn, (1.0, 0.0, 0.0)))
            vec_store(axes, k + 1, quat_rotate(turn, (0.0, 1.0, 0.0)))
            vec_store(axes, k + 2, quat_rotate(turn, (0.0, 0.0, 1.0)))


@helper
def scale_tasks(figure: Figure, work: PikWork, places: Floats, turns: Floats, most: float) -> int:
    """Make the Jacobian and what is asked ready for the levels.

    Lengths become parts of the size, requests for places at most `most` long; columns are scaled by
    how readily they move; the root gets its columns; a target that is not known leaves no rows.

    Returns:
        How many targets are known.
    """
    table = work.table
    d = work.jacobian.shape[1]
    turning = d - 3 if table.floats[0] else d
    count = 0
    for task in range(figure.task_kind.shape[0]):
        tip = figure.task_tip[task]
        kind = figure.task_kind[task]
        position = kind == POSITION
        known = kind == APART
        if position:
            known = is_place(vec_load(places, tip))
        elif kind == ORIENTATION:
            known = not math.isnan(turns[tip, 0])
        scale = 0.0
        if known:
            count += 1
            scale = 1.0 if kind == ORIENTATION else 1.0 / figure.size[0]
        square = 0.0
        for i in range(3 * task, 3 * task + 3):
            for k in range(turning):
                work.jacobian[i, k] *= scale * table.give[k]
            for k in range(turning, d):
                work.jacobian[i, k] = 0.0
            work.asked[i] *= scale
            square += work.asked[i] * work.asked[i]
        if position and known and turning < d:
            for c in range(3):
                work.jacobian[3 * task + c, turning + c] = figure.task_weight[task]
        limit = most * figure.task_weight[task]
        if kind != ORIENTATION and square > limit * limit:
            for i in range(3 * task, 3 * task + 3):
                work.asked[i] *= limit / math.sqrt(square)
    return count


@helper
def judge_step(figure: Figure, work: PikWork, slack: float) -> None:
    """Calm down a level that did not come nearer, and all below it.

    A stretched limb would swing about the straight line for ever, lower levels and the posture bend
    it again and again: to first order they do not disturb higher levels, to second they do. Errors
    within the slack are none. Expects `asked` as `figure_residuals` leaves it.
    """
    levels = work.table.levels
    worse = False
    for level in range(levels.shape[0] - 1):
        square = 0.0
        for i in range(levels[level], levels[level + 1]):
            unit = 1.0 if figure.task_kind[i // 3] == ORIENTATION else 1.0 / figure.size[0]
            part = work.asked[i] * unit
            square += part * part
        error = math.sqrt(square)
        worse = worse or (error > slack and error > PROGRESS * work.errors[level])
        work.errors[level] = error
        calm = work.calm[level]
        work.calm[level] = min(calm * CALMER, CALMEST) if worse else max(1.0, calm / BOLDER)
    last = levels.shape[0] - 1
    calm = work.calm[last]
    work.calm[last] = min(calm * CALMER, CALMEST) if worse else max(1.0, calm / BOLDER)


@helper
def posture_wish(figure: Figure, work: PikWork, pose: FigurePose, root: Quat) -> None:
    """A part of the way to the posture; a root that moves is drawn to the rotation given."""
    table, wish = work.table, work.wish
    calm = work.calm[work.calm.shape[0] - 1]
    part = table.pull[0] / (calm * calm * calm * calm)
    for k in range(wish.shape[0]):
        wish[k] = 0.0
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0:
            continue
        k = figure.first[row]
        pull = part / table.give[k]
        local = quat_load(pose.local, row)
        goal = root if row == 0 and table.floats[0] else quat_load(table.posture, row)
        if freedom == HINGE:
            axis = vec_load(figure.axis, row)
            away = quat_twist_angle(goal, axis) - quat_twist_angle(local, axis)
            wish[k] = pull * angle_wrap(away)
        else:
            turn = quat_to_rotvec(quat_mul(goal, quat_conj(local)))
            wish[k], wish[k + 1], wish[k + 2] = vec_scale(turn, pull)


@helper
def turned_ball(pose: FigurePose, row: int, step: Floats, k: int) -> Quat:
    """Local rotation of a ball joint after a step."""
    turn = quat_from_rotvec((step[k], step[k + 1], step[k + 2]))
    return quat_normalize(quat_mul(turn, quat_load(pose.local, row)))


@helper
def limit_slope(figure: Figure, row: int, turned: Quat) -> Vec3:
    """How a turn about the parent's X, Y and Z takes a ball joint farther beyond its limits.

    From both sides: a difference to one side is off by the curvature of the boundary, and left and
    right would part by a millionth in each step.
    """
    limits = figure.limits
    x = limit_violation(limits, row, quat_mul((1.0, HALF, 0.0, 0.0), turned))
    y = limit_violation(limits, row, quat_mul((1.0, 0.0, HALF, 0.0), turned))
    z = limit_violation(limits, row, quat_mul((1.0, 0.0, 0.0, HALF), turned))
    x -= limit_violation(limits, row, quat_mul((1.0, -HALF, 0.0, 0.0), turned))
    y -= limit_violation(limits, row, quat_mul((1.0, 0.0, -HALF, 0.0), turned))
    z -= limit_violation(limits, row, quat_mul((1.0, 0.0, 0.0, -HALF), turned))
    scale = 0.25 / HALF
    return (x * scale, y * scale, z * scale)


@helper
def hold_limits(figure: Figure, work: PikWork, pose: FigurePose) -> bool:
    """Look for joints that the step takes beyond their limits, and hold them there.

    A hinge is held on its limit. A ball joint is held across the boundary that it passed, so that
    it may slide along it; if it leaves its limits again, wholly.

    Returns:
        Whether more is held than before.
    """
    found = False
    step = work.ladder.step
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0 or work.held[row] == freedom:
            continue
        k = figure.first[row]
        local = quat_load(pose.local, row)
        if freedom == HINGE:
            angle = quat_twist_angle(local, vec_load(figure.axis, row)) + step[k]
            back = angle_wrap(limit_clamp_angle(figure.limits, row, angle) - angle)
            if back != 0.0:
                work.held[row] = HINGE
                work.goal[row, 0] = step[k] + back
                found = True
            continue
        turned = turned_ball(pose, row, step, k)
        beyond = limit_violation(figure.limits, row, turned)
        if beyond <= ON_LIMIT:
            continue
        found = True
        slope = limit_slope(figure, row, turned)
        steep = vec_length(slope)
        if work.held[row] == 0 and steep > LEAST_SLOPE:
            work.held[row] = 1
            normal = vec_scale(slope, 1.0 / steep)
            vec_store(work.normal, row, normal)
            turn = (step[k], step[k + 1], step[k + 2])
            vec_store(work.goal, row, vec_sub(turn, vec_scale(normal, beyond / steep)))
        else:
            inside = limit_project(figure.limits, row, turned)
            work.held[row] = BALL
            vec_store(work.goal, row, quat_to_rotvec(quat_mul(inside, quat_conj(local))))
    return found


@helper
def put_holds(figure: Figure, work: PikWork) -> int:
    """Begin a step with what limits decide; the number of directions that they take."""
    ladder = work.ladder
    rank = 0
    for k in range(ladder.step.shape[0]):
        ladder.step[k] = 0.0
    for row in range(figure.parent.shape[0]):
        held = work.held[row]
        if held == 0:
            continue
        k = figure.first[row]
        goal = vec_scale(vec_load(work.goal, row), 1.0 / work.table.give[k])
        if held < figure.freedom[row]:
            normal = vec_load(work.normal, row)
            along = vec_dot(normal, goal)
            for c in range(3):
                ladder.basis[rank, k + c] = normal[c]
                ladder.step[k + c] = along * normal[c]
            ladder.low[rank], ladder.high[rank] = k, k + 3
            rank += 1
            continue
        for c in range(held):
            ladder.basis[rank, k + c] = 1.0
            ladder.step[k + c] = goal[c]
            ladder.low[rank], ladder.high[rank] = k + c, k + c + 1
            rank += 1
    return rank


@helper
def free_limits(figure: Figure, work: PikWork, fixed: bool) -> None:
    """Let go of all joints but a root that is known, or else of loins."""
    for row in range(figure.parent.shape[0]):
        work.held[row] = 0
    kept = 0 if fixed else work.table.loins[0]
    if kept >= 0:
        work.held[kept] = figure.freedom[kept]
        vec_store(work.goal, kept, (0.0, 0.0, 0.0))


@helper
def cap_turns(figure: Figure, step: Floats, most: float) -> float:
    """Scale a step so that no joint turns by more than this; how far the farthest wanted to turn.

    Together, not one by one: joints that move against each other would part.
    """
    farthest = 0.0
    for row in range(figure.parent.shape[0]):
        square = 0.0
        for k in range(figure.first[row], figure.first[row] + figure.freedom[row]):
            square += step[k] * step[k]
        farthest = max(farthest, math.sqrt(square))
    if farthest > most:
        last = figure.first.shape[0] - 1
        for k in range(figure.first[last] + figure.freedom[last]):
            step[k] *= most / farthest
    return farthest


@helper
def limited_step(
    figure: Figure, settings: Settings, work: PikWork, pose: FigurePose, near: float
) -> float:
    """The step of all levels within limits: what leaves them is held, and the rest makes up for it.

    Every pass holds more than the one before, so that passes come to an end. `near` is that of
    `Damping`.

    Returns:
        How far the joint that turns farthest would turn if that were not capped [rad].
    """
    table, step = work.table, work.ladder.step
    d = step.shape[0]
    turning = d - 3 if table.floats[0] else d
    damping = Damping(settings.damping, near, table.cut[0])
    farthest = 0.0
    for _ in range(d + 1):
        held = put_holds(figure, work)
        priority_step(
            work.jacobian,
            work.asked,
            table.levels,
            work.wish,
            damping,
            work.calm,
            work.ladder,
            held,
        )
        for k in range(turning):
            step[k] *= table.give[k]
        farthest = cap_turns(figure, step, settings.joint_step)
        if not hold_limits(figure, work, pose):
            break
    return farthest


@helper
def take_step(figure: Figure, work: PikWork, pose: FigurePose) -> None:
    """Turn every joint and move the root; what is a hair beyond a limit goes back to it."""
    step = work.ladder.step
    for row in range(figure.parent.shape[0]):
        freedom = figure.freedom[row]
        if freedom == 0:
            continue
        k = figure.first[row]
        if freedom == HINGE:
            axis = vec_load(figure.axis, row)
            angle = quat_twist_angle(quat_load(pose.local, row), axis) + step[k]
            angle = limit_clamp_angle(figure.limits, row, angle)
            quat_store(pose.local, row, quat_from_axis_angle(axis, angle))
        else:
            turned = turned_ball(pose, row, step, k)
            quat_store(pose.local, row, limit_project(figure.limits, row, turned))
    if work.table.floats[0]:
        k = step.shape[0] - 3
        move = vec_scale((step[k], step[k + 1], step[k + 2]), figure.size[0])
        vec_store(pose.place, 0, vec_add(vec_load(pose.place, 0), move))
