"""Steps of a body that stands: all levels, shortened where a whole step would bring nothing.

To first order, lower levels do not disturb higher ones; to second order they do. Near the end of
its reach an arm is straightened by one level and bent by another for ever. Two remedies, both ours:
a step is halved until it lowers one cost for the whole body, and damping grows from frame to frame
while steps have to be shortened. A step that lowers nothing is not taken, so that goals that keep
still leave the body still, and noise of a goal out of reach hardly moves it.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_store, quat_twist_angle
from ...kernels.tasks import mass_centre
from ...kernels.types import Vec3
from ...kernels.vector import vec_distance, vec_dot, vec_length, vec_load, vec_store, vec_sub
from ..articulated.model import Targets, joint_axes, model_forward, task_jacobian, task_residuals
from ..context import MET, SPENT, STILL
from ..people.plan import PAPER_HEIGHT
from .priority_step import limited_step, posture_step, release_joints, scale_tasks, take_step
from .standing import (
    ANKLE,
    LEGS,
    SHOULDER,
    WRIST,
    BalanceContext,
    centre_slopes,
    support_goal,
)

STRAIGHT_ELBOW = math.radians(5.0)
"""An elbow bent less than this is straight: it does not see the way to a goal towards its
shoulder, and is told to bend (the observer, section 6.3)."""
TOWARDS_SHOULDER = math.cos(math.radians(15.0))
"""Least cosine between the ways from the wrist to its goal and to the shoulder, for that."""
LEAST_OBSERVED_MISS = 0.005 / PAPER_HEIGHT
"""Least distance of the wrist from its goal for that, as a part of the size (5 mm)."""
OBSERVED_BEND = -0.1
"""How far such an elbow is told to bend [rad]."""
LEAST_TOLERANCE = 1e-6
"""Errors below this part of the size are none."""
OUT_OF_BALANCE = 0.0004 / PAPER_HEIGHT
"""A step after which balance or pinned feet are off by more than this part of the size is followed
by some of these levels alone."""
REPAIRS = 3
"""Most such steps."""
TRIALS = 6
"""Most lengths of a step that are tried, each half of the one before."""
LEAST_PROGRESS = 1e-4
"""A step must lower the cost by this part: the errors are constant otherwise (section 6.2)."""
SHOULDER_COST = 1e-3
"""Cost of shoulders that are off, compared with wrists."""
POSTURE_COST = 1e-5
"""Cost of a radian of posture, compared with wrists that are off by the size of the body."""
STILL_STEP = 1e-4
"""A step in which all joints together turn less than this ends the frame [rad]."""
GROWTH, DECAY, MOST_DAMPING = 1.5, 1.2, 5.0
"""Damping is multiplied by the first after a trial that brought nothing, divided by the second
after a whole step, and multiplied by the third in all at most."""


@helper
def balance(c: BalanceContext, targets: Targets) -> tuple[int, int]:
    """Step until the body keeps still or the budget is spent; return steps, and why it ended.

    Without the setting `steady`, steps are taken whole, and end when balance and wrists are met.
    """
    settings = c.settings
    near = max(settings.tolerance, LEAST_TOLERANCE) * c.model.size[0]
    met = False
    measure(c, targets)
    for iteration in range(settings.steps):
        turned = steady_step(c, targets)
        met = wrists_error(c) <= near and c.stance.drift[0] <= near
        if met:  # damping remembers goals that are missed, nothing else
            scale_damping(c, 0.0)
        if turned < STILL_STEP or (met and not settings.steady):
            return iteration + 1, MET if met else STILL
    return settings.steps, MET if met else SPENT


@helper
def steady_step(c: BalanceContext, targets: Targets) -> float:
    """Take a step of all levels, shortened until it lowers the cost, or none.

    A step disturbs balance and pinned feet to second order; they are repaired at once (ours: the
    paper waits for the next step, which with one step a frame is too late). A body that is out of
    balance takes any step that brings it nearer. Returns the length of the step [rad].
    """
    model, pose, stance, step = c.model, c.pose, c.stance, c.scratch.ladder.step
    cost, off = posture_cost(c), support_error(c)
    allowed = OUT_OF_BALANCE * model.size[0]
    find_step(c, targets, False)
    root, length, part = vec_load(pose.position, 0), 0.0, 1.0
    for k in range(step.shape[0]):
        stance.whole_step[k] = step[k]
        length += step[k] * step[k]
    length = math.sqrt(length)
    for joint in range(model.parent.shape[0]):
        quat_store(stance.kept, joint, quat_load(pose.local, joint))
    for _ in range(TRIALS):
        for k in range(step.shape[0]):
            step[k] = part * stance.whole_step[k]
        take_step(c)
        measure(c, targets)
        for _ in range(REPAIRS):
            if support_error(c) <= allowed:
                break
            find_step(c, targets, True)
            take_step(c)
            measure(c, targets)
        now = support_error(c)
        balanced = now <= allowed and posture_cost(c) < (1.0 - LEAST_PROGRESS) * cost
        if balanced or (now < off and off > allowed) or not c.settings.steady:
            if part == 1.0:
                scale_damping(c, 1.0 / DECAY)
            return part * length
        scale_damping(c, GROWTH)
        part *= 0.5
        for joint in range(model.parent.shape[0]):
            quat_store(pose.local, joint, quat_load(stance.kept, joint))
        vec_store(pose.position, 0, root)
    measure(c, targets)
    return 0.0


@helper
def find_step(c: BalanceContext, targets: Targets, repair: bool) -> None:
    """Compute the step of all levels from the pose; to repair, that of balance and feet alone."""
    model, pose, work = c.model, c.pose, c.scratch
    joint_axes(model, pose, work.axes, False)
    task_jacobian(model, pose, work.axes, work.ladder.jacobian)
    scale_tasks(c, targets)
    posture_step(c, quat_load(c.stance.heading, 0))
    if c.settings.observer:
        observe_elbows(c)
    if repair:
        clear_lower_levels(c)
    balanced_step(c)


@helper
def scale_damping(c: BalanceContext, by: float) -> None:
    """Damp the levels of wrists and shoulders more or less; balance and posture stay."""
    scale = c.scratch.ladder.damping_scale
    last = scale.shape[0] - 1
    for level in range(last - 2, last):
        scale[level] = min(max(1.0, scale[level] * by), MOST_DAMPING)


@helper
def posture_cost(c: BalanceContext) -> float:
    """What a pose costs: squared errors of wrists, much less of shoulders, least of the posture."""
    stance, ladder, size = c.stance, c.scratch.ladder, c.model.size[0]
    total = 0.0
    for side in range(2):
        for effector, weight in ((WRIST + side, 1.0), (SHOULDER + side, SHOULDER_COST)):
            reached = vec_load(c.pose.effectors, effector)
            part = vec_distance(vec_load(stance.goals, effector), reached) / size
            total += weight * part * part
    if c.settings.posture > 0.0:
        posture_step(c, quat_load(stance.heading, 0))
        for k in range(ladder.secondary.shape[0]):
            away = ladder.secondary[k] / c.settings.posture
            total += POSTURE_COST * away * away
    return total


@helper
def wrists_error(c: BalanceContext) -> float:
    """How far the farther wrist is from its goal [m]."""
    away = 0.0
    for wrist in range(WRIST, WRIST + 2):
        reached = vec_load(c.pose.effectors, wrist)
        away = max(away, vec_distance(vec_load(c.stance.goals, wrist), reached))
    return away


@helper
def support_error(c: BalanceContext) -> float:
    """How far the centre of mass or a pinned ankle is off [m], whichever is more."""
    return max(c.stance.drift[0], feet_error(c))


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
        if abs(bend) >= STRAIGHT_ELBOW:
            continue
        wrist = vec_load(pose.effectors, WRIST + side)
        to_goal = vec_sub(vec_load(stance.goals, WRIST + side), wrist)
        inward = vec_sub(vec_load(pose.effectors, SHOULDER + side), wrist)
        far = vec_length(to_goal)
        ahead = vec_dot(to_goal, inward) > TOWARDS_SHOULDER * far * vec_length(inward)
        if far > LEAST_OBSERVED_MISS * model.size[0] and ahead:
            k = model.first[joint]
            c.scratch.ladder.secondary[k] = OBSERVED_BEND / c.scratch.compliance[k]


@helper
def clear_lower_levels(c: BalanceContext) -> None:
    """Leave balance and what stands above it alone to ask for anything."""
    ladder, first = c.scratch.ladder, c.stance.balance[0] + 3
    ladder.residual[first:] = 0.0
    ladder.jacobian[first:] = 0.0
    ladder.secondary[:] = 0.0


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
