"""Prioritized IK with balance, frame after frame (Boulic et al. 2006, section 6).

Levels: the centre of mass above its support, the wrists where they were seen, the shoulders where
they stood, and a posture for what is left (Table 1). With legs, feet that are pinned come before
all.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_load,
    quat_store,
    quat_twist_angle,
)
from ...kernels.tasks import mass_centre
from ...kernels.types import Vec3
from ...kernels.vector import vec_distance, vec_dot, vec_length, vec_load, vec_store, vec_sub
from ..articulated.context import stop_flags
from ..articulated.model import (
    Targets,
    model_forward,
    task_jacobian,
    task_residuals,
    write_pose,
    write_root,
)
from ..context import MET, SPENT, Frames
from ..people.plan import begin_frame, end_frame
from ..people.tables import PELVIS
from .priority_step import (
    adapt_damping,
    limb_flags,
    limited_step,
    posture_step,
    release_joints,
    rotvec_axes,
    scale_tasks,
    take_step,
)
from .standing import (
    ANKLE,
    LEGS,
    SHOULDER,
    WRIST,
    BalanceContext,
    balance_kernel,
    centre_slopes,
    in_world,
    plant_legs,
    stand_on,
    support_goal,
    write_legs,
)

STRAIGHT = math.radians(5.0)
"""An elbow bent less than this is straight ..."""
AHEAD = math.cos(math.radians(15.0))
"""... and sees no way to a goal within this angle of the line to its shoulder ..."""
AWAY = 0.005 / 1.83
"""... that is farther than this part of the size (5 mm) ..."""
FLEX = -0.1
"""... so that it is told to bend by so much [rad] (the observer, section 6.3)."""
LEAST_SLACK = 1e-6
"""Errors below this part of the size are none."""
OFF = 0.0004 / 1.83
"""A step after which balance or pinned feet are off by more than this part of the size ..."""
REPAIRS = 3
"""... is followed by a few of these levels alone."""
SETTLE = 60
"""Most steps in which a body with legs comes to stand on its feet, before its first frame."""


def solve_frame(c: BalanceContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person who stands, from wrists and ankles.

    The pose of the frame before is the start.
    """
    model, pose, stance, work = c.model, c.pose, c.stance, c.work
    legs = c.settings.body == LEGS
    flags, estimate = begin_frame(c, frames, frame)
    first = c.state.frames == 0
    moved = stand_on(c, flags, estimate, first)
    if first or (moved and not legs):
        place_root(c)
        model_forward(model, pose)
    targets = Targets(stance.goals, frames.rotations[frame])
    steps, reason, settling = 0, SPENT, SETTLE if first and legs else 0
    while True:
        place_goals(c, settling > 0)
        steps, reason = balance(c, targets)
        if settling == 0:
            break
        met = feet_error(c) <= c.settings.tolerance * model.size[0]
        settling = 0 if met else settling - 1
    for p in range(work.ends.shape[0]):
        vec_store(work.ends, p, vec_load(pose.effectors, p))
    if not legs:
        flags |= plant_legs(c)
    out, pelvis = frames.out, model.effector_joint[PELVIS]
    write_pose(model, pose, c.rest, out.rotations[frame], out.root[frame])
    write_root(model, vec_load(pose.position, pelvis), out.root[frame])
    write_legs(c, out.rotations[frame])
    out.iterations[frame] = steps
    out.numbers[frame, 0] = stance.drift[0]
    flags |= stop_flags(reason) | limb_flags(c)
    end_frame(c, frames, frame, estimate, quat_load(pose.world, pelvis), flags)


solve_frames = balance_kernel(solve_frame)


@helper
def place_root(c: BalanceContext) -> None:
    """Put the root where the body stands; that of a body with legs is its pelvis."""
    position = vec_load(c.stance.position, 0)
    if c.settings.body == LEGS:
        position = in_world(c.stance, vec_load(c.stance.neutral, 0))
    quat_store(c.pose.local, 0, quat_load(c.stance.heading, 0))
    vec_store(c.pose.position, 0, position)


@helper
def place_goals(c: BalanceContext, settling: bool) -> None:
    """Where the end effectors shall be; a body that settles on its feet asks for nothing else."""
    stance = c.stance
    for effector in range(stance.goals.shape[0]):
        goal = in_world(stance, vec_load(stance.neutral, effector))
        if ANKLE <= effector < SHOULDER:
            goal = vec_load(stance.ankles, effector - ANKLE)
        elif settling:
            goal = vec_load(c.pose.effectors, effector)
        elif WRIST <= effector < ANKLE:
            goal = vec_load(c.work.points, effector)
        vec_store(stance.goals, effector, goal)


@helper
def balance(c: BalanceContext, targets: Targets) -> tuple[int, int]:
    """Steps until balance and wrists are met or the budget is spent; steps, and why it ended.

    A step disturbs balance and pinned feet to second order; they are repaired at once (ours: the
    paper waits for the next step, which with one step a frame is too late).
    """
    model, pose, stance, scratch, settings = c.model, c.pose, c.stance, c.scratch, c.settings
    size = model.size[0]
    # Steps are judged within a frame: a target that ran away meanwhile is no failure of the last.
    for level in range(scratch.ladder.damping_scale.shape[0]):
        scratch.ladder.damping_scale[level] = 1.0
    measure(c, targets)
    adapt_damping(c, math.inf)
    for iteration in range(settings.steps):
        for attempt in range(1 + REPAIRS):
            rotvec_axes(model, pose, scratch.axes)
            task_jacobian(model, pose, scratch.axes, scratch.ladder.jacobian)
            scale_tasks(c, targets)
            posture_step(c, quat_load(stance.heading, 0))
            if settings.observer:
                observe_elbows(c)
            if attempt > 0:
                clear_lower_levels(c)
            balanced_step(c)
            take_step(c)
            measure(c, targets)
            if max(stance.drift[0], feet_error(c)) <= OFF * size:
                break
        adapt_damping(c, max(settings.tolerance, LEAST_SLACK))
        away = stance.drift[0]
        for wrist in range(WRIST, WRIST + 2):
            reached = vec_load(pose.effectors, wrist)
            away = max(away, vec_distance(vec_load(stance.goals, wrist), reached))
        if away <= settings.tolerance * size:
            return iteration + 1, MET
    return settings.steps, SPENT


@helper
def measure(c: BalanceContext, targets: Targets) -> None:
    """Write what every task still asks for [m], and how far the centre of mass is off."""
    model, pose, stance, residual = c.model, c.pose, c.stance, c.scratch.ladder.residual
    model_forward(model, pose)
    task_residuals(model, pose, targets, residual)
    centre = mass_centre(stance.masses, pose.world, pose.position)
    goal, met = support_goal(stance, centre)
    first = stance.balance[0]
    residual[first] = 0.0 if met else goal[0] - centre[0]
    residual[first + 1] = 0.0
    residual[first + 2] = 0.0 if met else goal[2] - centre[2]
    stance.drift[0] = math.hypot(residual[first], residual[first + 2])


@helper
def feet_error(c: BalanceContext) -> float:
    """How far the farther ankle of legs that move is from where it stands [m]."""
    away = 0.0
    if c.settings.body == LEGS:
        for side in range(2):
            ankle = vec_load(c.pose.effectors, ANKLE + side)
            away = max(away, vec_distance(ankle, vec_load(c.stance.ankles, side)))
    return away


@helper
def observe_elbows(c: BalanceContext) -> None:
    """Bend a straight arm whose goal lies towards its shoulder: to first order none is needed."""
    model, pose, stance = c.model, c.pose, c.stance
    for side in range(2):
        joint = model.effector_joint[WRIST + side]
        if model.freedom[joint] == 0:
            continue
        bend = quat_twist_angle(quat_load(pose.local, joint), vec_load(model.axis, joint))
        if abs(bend) >= STRAIGHT:
            continue
        wrist = vec_load(pose.effectors, WRIST + side)
        to_goal = vec_sub(vec_load(stance.goals, WRIST + side), wrist)
        inward = vec_sub(vec_load(pose.effectors, SHOULDER + side), wrist)
        far = vec_length(to_goal)
        ahead = vec_dot(to_goal, inward) > AHEAD * far * vec_length(inward)
        if far > AWAY * model.size[0] and ahead:
            k = model.first[joint]
            c.scratch.ladder.secondary[k] = FLEX / c.scratch.compliance[k]


@helper
def clear_lower_levels(c: BalanceContext) -> None:
    """Leave balance and what stands above it alone to ask for anything."""
    ladder = c.scratch.ladder
    for k in range(ladder.secondary.shape[0]):
        for i in range(c.stance.balance[0] + 3, ladder.residual.shape[0]):
            ladder.residual[i], ladder.jacobian[i, k] = 0.0, 0.0
        ladder.secondary[k] = 0.0


@helper
def balanced_step(c: BalanceContext) -> None:
    """The step of all levels. A support of some width acts like a limit (Fig. 10).

    It asks for nothing until a step would take the centre of mass beyond it. Then the centre is
    held at the edge, nearest to where it would have gone, and the step is computed anew.
    """
    stance, settings, size = c.stance, c.settings, c.model.size[0]
    centre = centre_slopes(c)
    near = settings.task_step if settings.ease else 0.0
    bound = settings.body != LEGS
    goal, _ = support_goal(stance, centre)
    while True:
        x, z = (goal[0] - centre[0]) / size, (goal[2] - centre[2]) / size
        balance_rows(c, x, z, 1.0 if bound else 0.0)
        release_joints(c, False)
        limited_step(c, near)
        if bound:
            return
        goal, met = support_goal(stance, centre_ahead(c, centre))
        if met:
            return
        bound = True


@helper
def balance_rows(c: BalanceContext, x: float, z: float, part: float) -> None:
    """Rows of the task of balance: move the centre by x and z, parts of the size; part 0: none."""
    ladder, slopes, first = c.scratch.ladder, c.stance.slopes, c.stance.balance[0]
    length = part * math.hypot(x, z)
    way = part * min(1.0, c.settings.task_step / length) if length > 0.0 else 0.0
    ladder.residual[first], ladder.residual[first + 1] = way * x, 0.0
    ladder.residual[first + 2] = way * z
    for k in range(slopes.shape[1]):
        scale = part * c.scratch.compliance[k]
        ladder.jacobian[first, k] = scale * slopes[0, k]
        ladder.jacobian[first + 1, k] = 0.0
        ladder.jacobian[first + 2, k] = scale * slopes[1, k]


@helper
def centre_ahead(c: BalanceContext, centre: Vec3) -> Vec3:
    """Where the step would take the centre, to first order."""
    slopes, step, size = c.stance.slopes, c.scratch.ladder.step, c.model.size[0]
    x, z = 0.0, 0.0
    for k in range(step.shape[0]):
        x += slopes[0, k] * step[k]
        z += slopes[1, k] * step[k]
    return (centre[0] + size * x, centre[1], centre[2] + size * z)
