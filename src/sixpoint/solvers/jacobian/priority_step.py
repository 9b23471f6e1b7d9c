"""One step of prioritized IK: tasks, posture and limits made ready for the levels of `ladder`.

Ball joints turn by rotation vectors in their parent's frame: unlike angles about three axes these
know no gimbal lock and prefer no direction. Lengths are divided by the model's size, so that tasks
of position and of orientation stand side by side.

Functions of a context `c` expect a `PriorityWork` in `c.scratch`, and in `c.settings` the numbers
`damping`, `cut`, `posture` (part of the way to the posture in one step), `task_step` and
`joint_step`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project, limit_violation
from ...kernels.quaternion import (
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
    quat_twist_angle,
)
from ...kernels.rotation import angle_wrap
from ...kernels.tasks import orient_residual
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import vec_add, vec_dot, vec_length, vec_load, vec_scale, vec_store, vec_sub
from ..articulated.build import new_pose
from ..articulated.context import Context
from ..articulated.model import (
    ANGULAR_SLOT,
    BALL,
    HINGE,
    ORIENTATION,
    POSITION,
    SLOT,
    Model,
    ModelPose,
    Targets,
    new_memory,
    turn_hinge,
)
from ..articulated.restart import Restarts, new_restarts
from ..articulated.task_table import TaskTable
from ..context import LIMITED
from ..people.plan import is_place
from ..people.tables import FIRST_LIMB, LIMBS
from .judgement import Judgement, level_error, new_judgement
from .ladder import Damping, Ladder, ladder_step, new_ladder

NEARER = 1.0 - 1e-6
"""A level whose error is less than this part of what it was has come nearer."""
DAMPING_GROWTH, DAMPING_DECAY, MOST_DAMPING = 1.5, 1.2, 100.0
"""Damping is multiplied by the first after a step that brought nothing, divided by the second after
one that did, and multiplied by the third in all at most."""
ON_LIMIT = 1e-3
"""A ball joint this little beyond its limits is brought back without a new step [rad]."""
LEAST_LIMIT_SLOPE = 0.1
"""A boundary that rotations cross more slowly than this has no direction [rad/rad]."""
SLOT_TURN = 0.2
"""Most that a task of angles asks for in one step, but for rotations of end effectors [rad]: a gaze
far to one side would turn a body whose root moves in one step, away from its feet."""
HALF_TURN = 0.5e-6
"""Half of the small rotation by which slopes of limits are measured [rad]."""


class PriorityWork(NamedTuple):
    """Tables and scratch memory of prioritized steps: N joints, D degrees of freedom, L levels."""

    # whether the root moves: the last three degrees of freedom are its position, (1,)
    floating: Ints
    # joint that turns only while the root is held: both together could do the same in many ways; -1
    # for none, (1,)
    lumbar: Ints
    # local rotations that joints are drawn to, (N, 4); a root that moves, to its estimate
    posture: Floats
    compliance: Floats  # how readily each degree of freedom moves, compared with others, (D,)
    tasks: TaskTable | None  # if some fill slots, or the root of a skeleton moves
    # rows of inequalities that hold, put aside until a step would break them, (R, D)
    aside: Annotated[Floats, "R", "D"]
    ladder: Ladder  # the levels, three rows for each task
    axes: Annotated[Floats, "D", 3]  # world axes of the degrees of freedom that turn
    errors: Annotated[Floats, "L"]  # residual of each level as a part of the size
    held: Annotated[Ints, "N"]  # degrees of freedom of each joint that its limit holds
    normal: Annotated[Floats, "N", 3]  # direction in which a ball joint is held
    goal: Annotated[Floats, "N", 3]  # rotation vector that the limit allows [rad]
    restarts: Restarts
    judgement: Judgement
    # ball joints this little beyond their limits are brought back without a new step [rad], (1,)
    on_limit: Floats
    root_offset: Floats  # how the root was turned against its estimate in the frame before, (1, 4)


def new_work(
    model: Model,
    levels: Sequence[int],
    *,
    posture: Floats | None = None,
    compliance: Floats | None = None,
    tasks: TaskTable | None = None,
    floating: bool = False,
    lumbar: int = -1,
) -> PriorityWork:
    """Return tables and scratch memory for a model with tasks in the order of their `levels`.

    Joints are drawn to the local rotations `posture` (N, 4), by default the first pose, and move as
    readily as `compliance` (N,) says; `tasks` are given if some fill slots. The root moves if
    `floating`; the joint `lumbar` turns only while the root is held.
    """
    count, turning = len(model.task_kind), int(model.freedom.sum())
    d = turning + (3 if floating else 0)
    starts = [k for k in range(count) if k == 0 or levels[k] != levels[k - 1]]
    scale = np.ones(d)
    if compliance is not None:
        scale[:turning] = np.repeat(compliance, model.freedom)
    return new_memory(
        PriorityWork,
        {"N": len(model.parent), "D": d, "L": len(starts), "R": 0 if tasks is None else 3 * count},
        floating=np.array([floating], np.int64),
        lumbar=np.array([lumbar], np.int64),
        posture=new_pose(model).local if posture is None else posture.copy(),
        compliance=scale,
        tasks=tasks,
        restarts=new_restarts(model),
        judgement=new_judgement(model, len(starts)),
        ladder=new_ladder([3 * k for k in [*starts, count]], d),
        on_limit=np.array([ON_LIMIT]),
        root_offset=arrays.identity(1),
    )


@helper
def scale_tasks(c: Context, targets: Targets) -> int:
    """Make the Jacobian and the residuals ready for the levels; return how many targets are known.

    Lengths become parts of the size, residuals of positions at most `task_step` long; columns are
    scaled by compliance; the root gets its columns; a target that is not known leaves no rows.
    """
    model, work = c.model, c.scratch
    jacobian, residual = work.ladder.jacobian, work.ladder.residual
    d = jacobian.shape[1]
    turning = d - 3 if work.floating[0] else d
    count = 0
    for task in range(model.task_kind.shape[0]):
        effector = model.task_effector[task]
        kind = model.task_kind[task]
        position = kind == POSITION
        known = kind >= SLOT
        if position:
            known = is_place(vec_load(targets.positions, effector))
        elif kind == ORIENTATION:
            known = not math.isnan(targets.rotations[effector, 0])
        scale = 0.0
        if known:
            count += 1
            scale = 1.0 if kind == ORIENTATION else 1.0 / model.size[0]
        square = 0.0
        for i in range(3 * task, 3 * task + 3):
            for k in range(turning):
                jacobian[i, k] *= scale * work.compliance[k]
            for k in range(turning, d):
                jacobian[i, k] *= scale if kind >= SLOT else 0.0
            residual[i] *= scale
            square += residual[i] * residual[i]
        if position and known and turning < d:
            for k in range(3):
                jacobian[3 * task + k, turning + k] = model.task_weight[task]
        most = SLOT_TURN if kind == ANGULAR_SLOT else c.settings.task_step
        limit = most * model.task_weight[task]
        if kind != ORIENTATION and square > limit * limit:
            for i in range(3 * task, 3 * task + 3):
                residual[i] *= limit / math.sqrt(square)
    return count


@helper
def adapt_damping(c: Context, slack: float) -> None:
    """Damp a level more that did not come nearer, and all below it.

    A stretched limb would swing about the straight line for ever, lower levels and the posture bend
    it again and again: to first order they do not disturb higher levels, to second they do. Errors
    within the slack are none. Expects residuals as `task_residuals` leaves them.
    """
    work = c.scratch
    levels, scale = work.ladder.levels, work.ladder.damping_scale
    last = levels.shape[0] - 1
    worse = False
    for level in range(last + 1):
        if level < last:
            error = level_error(c, level)
            worse = worse or (error > slack and error > NEARER * work.errors[level])
            work.errors[level] = error
        if worse:
            scale[level] = min(scale[level] * DAMPING_GROWTH, MOST_DAMPING)
        else:
            scale[level] = max(1.0, scale[level] / DAMPING_DECAY)


@helper
def posture_step(c: Context, root: Quat) -> None:
    """Write a part of the way to the posture; a root that moves is drawn to the rotation given."""
    model, work = c.model, c.scratch
    step = work.ladder.secondary
    scale = work.ladder.damping_scale[work.ladder.damping_scale.shape[0] - 1]
    part = c.settings.posture / (scale * scale * scale * scale)
    step[:] = 0.0
    for joint in range(model.parent.shape[0]):
        freedom = model.freedom[joint]
        if freedom == 0:
            continue
        k = model.first[joint]
        pull = part / work.compliance[k]
        local = quat_load(c.pose.local, joint)
        goal = root if joint == 0 and work.floating[0] else quat_load(work.posture, joint)
        if freedom == HINGE:
            axis = vec_load(model.axis, joint)
            away = quat_twist_angle(goal, axis) - quat_twist_angle(local, axis)
            step[k] = pull * angle_wrap(away)
        else:
            rotvec = orient_residual(goal, local)
            step[k], step[k + 1], step[k + 2] = vec_scale(rotvec, pull)


@helper
def rotated_ball(pose: ModelPose, joint: int, step: Floats, k: int) -> Quat:
    """Local rotation of a ball joint after a step."""
    rotation = quat_from_rotvec((step[k], step[k + 1], step[k + 2]))
    return quat_normalize(quat_mul(rotation, quat_load(pose.local, joint)))


@helper
def limit_slope(model: Model, joint: int, local: Quat) -> Vec3:
    """How a rotation about the parent's X, Y and Z takes a ball joint farther beyond its limits.

    From both sides: a difference to one side is off by the curvature of the boundary, and left and
    right would part by a millionth in each step.
    """
    limits = model.limits
    x = limit_violation(limits, joint, quat_mul((1.0, HALF_TURN, 0.0, 0.0), local))
    y = limit_violation(limits, joint, quat_mul((1.0, 0.0, HALF_TURN, 0.0), local))
    z = limit_violation(limits, joint, quat_mul((1.0, 0.0, 0.0, HALF_TURN), local))
    x -= limit_violation(limits, joint, quat_mul((1.0, -HALF_TURN, 0.0, 0.0), local))
    y -= limit_violation(limits, joint, quat_mul((1.0, 0.0, -HALF_TURN, 0.0), local))
    z -= limit_violation(limits, joint, quat_mul((1.0, 0.0, 0.0, -HALF_TURN), local))
    scale = 0.25 / HALF_TURN
    return (x * scale, y * scale, z * scale)


@helper
def hold_limits(c: Context) -> bool:
    """Hold joints that the step takes beyond their limits; return whether more is held than before.

    A hinge is held on its limit. A ball joint is held across the boundary that it passed, so that
    it may slide along it; if it leaves its limits again, wholly.
    """
    model, work = c.model, c.scratch
    found = False
    step = work.ladder.step
    for joint in range(model.parent.shape[0]):
        freedom = model.freedom[joint]
        if freedom == 0 or work.held[joint] == freedom:
            continue
        k = model.first[joint]
        local = quat_load(c.pose.local, joint)
        if freedom == HINGE:
            angle = quat_twist_angle(local, vec_load(model.axis, joint)) + step[k]
            back = angle_wrap(limit_clamp_angle(model.limits, joint, angle) - angle)
            if back != 0.0:
                work.held[joint] = HINGE
                work.goal[joint, 0] = step[k] + back
                found = True
            continue
        rotated = rotated_ball(c.pose, joint, step, k)
        beyond = limit_violation(model.limits, joint, rotated)
        if beyond <= work.on_limit[0]:
            continue
        found = True
        slope = limit_slope(model, joint, rotated)
        steep = vec_length(slope)
        if work.held[joint] == 0 and steep > LEAST_LIMIT_SLOPE:
            work.held[joint] = 1
            normal = vec_scale(slope, 1.0 / steep)
            vec_store(work.normal, joint, normal)
            rotvec = (step[k], step[k + 1], step[k + 2])
            vec_store(work.goal, joint, vec_sub(rotvec, vec_scale(normal, beyond / steep)))
        else:
            inside = limit_project(model.limits, joint, rotated)
            work.held[joint] = BALL
            vec_store(work.goal, joint, orient_residual(inside, local))
    return found


@helper
def begin_step(c: Context) -> int:
    """Begin a step with what limits decide; the number of directions that they take."""
    model, work = c.model, c.scratch
    ladder = work.ladder
    rank = 0
    ladder.step[:] = 0.0
    for joint in range(model.parent.shape[0]):
        held = work.held[joint]
        if held == 0:
            continue
        k = model.first[joint]
        goal = vec_scale(vec_load(work.goal, joint), 1.0 / work.compliance[k])
        if held < model.freedom[joint]:
            normal = vec_load(work.normal, joint)
            along = vec_dot(normal, goal)
            for i in range(3):
                ladder.basis[rank, k + i] = normal[i]
                ladder.step[k + i] = along * normal[i]
            ladder.low[rank], ladder.high[rank] = k, k + 3
            rank += 1
            continue
        for i in range(held):
            ladder.basis[rank, k + i] = 1.0
            ladder.step[k + i] = goal[i]
            ladder.low[rank], ladder.high[rank] = k + i, k + i + 1
            rank += 1
    return rank


@helper
def release_joints(c: Context, root_known: bool) -> None:
    """Let go of all joints but a root whose rotation is known, or else of the lumbar joint."""
    work = c.scratch
    work.held[:] = 0
    kept = 0 if root_known else work.lumbar[0]
    if kept >= 0:
        work.held[kept] = c.model.freedom[kept]
        vec_store(work.goal, kept, (0.0, 0.0, 0.0))


@helper
def cap_rotations(model: Model, step: Floats, most: float) -> float:
    """Scale a step so that no joint turns by more than this; how far the farthest was to turn.

    Together, not one by one, and the root with them: what moves against each other would part.
    """
    farthest = 0.0
    for joint in range(model.parent.shape[0]):
        square = 0.0
        for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
            square += step[k] * step[k]
        farthest = max(farthest, math.sqrt(square))
    if farthest > most:
        for k in range(step.shape[0]):
            step[k] *= most / farthest
    return farthest


@helper
def limited_step(c: Context, near: float, most: float) -> float:
    """Compute the step of all levels within limits: the rest makes up for joints that are held.

    Every pass holds more than the one before, so that passes come to an end. `near` is that of
    `Damping`; no joint turns by more than `most` [rad], nor by more than `joint_step`. Returns how
    far the joint that turns farthest would turn if not capped.
    """
    settings, work = c.settings, c.scratch
    step = work.ladder.step
    d = step.shape[0]
    turning = d - 3 if work.floating[0] else d
    damping = Damping(settings.damping, near, settings.cut)
    farthest = 0.0
    for _ in range(d + 1):
        ladder_step(work.ladder, damping, begin_step(c))
        for k in range(turning):
            step[k] *= work.compliance[k]
        farthest = cap_rotations(c.model, step, min(most, settings.joint_step))
        if not hold_limits(c):
            break
    return farthest


@helper
def take_step(c: Context) -> None:
    """Turn every joint and move the root; what is a hair beyond a limit goes back to it."""
    model, pose, step = c.model, c.pose, c.scratch.ladder.step
    for joint in range(model.parent.shape[0]):
        freedom = model.freedom[joint]
        if freedom == 0:
            continue
        k = model.first[joint]
        if freedom == HINGE:
            turn_hinge(model, pose, joint, step[k])
        else:
            rotated = rotated_ball(pose, joint, step, k)
            quat_store(pose.local, joint, limit_project(model.limits, joint, rotated))
    if c.scratch.floating[0]:
        k = step.shape[0] - 3
        move = vec_scale((step[k], step[k + 1], step[k + 2]), model.size[0])
        vec_store(pose.position, 0, vec_add(vec_load(pose.position, 0), move))


@helper
def limb_flags(c: Context) -> int:
    """Flags of the limbs that a held joint moves, other than the root and the lumbar joint."""
    model, work = c.model, c.scratch
    flags = 0
    for joint in range(1, model.parent.shape[0]):
        if joint != work.lumbar[0] and work.held[joint] > 0:
            for limb in range(LIMBS):
                if model.moves[FIRST_LIMB + limb, joint]:
                    flags |= LIMITED << limb
    return flags
