"""Prioritized IK with balance, frame after frame (Boulic et al. 2006, section 6).

Levels: the centre of mass above its support, the wrists where they were seen, the shoulders where
they stood, and a joint-space wish for what is left (Table 1). With legs, feet that are pinned come
before all.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_distance,
    vec_dot,
    vec_length,
    vec_load,
    vec_store,
    vec_sub,
)
from .centre_of_mass import (
    ask_centre,
    centre_ahead,
    centre_slopes,
    mass_centre,
    nearest_support,
)
from .feet import Stand, keep_legs, plant_legs, stand_on
from .figure import Figure, FigurePose, figure_forward, figure_jacobian, figure_residuals
from .figure_frame import MET, SPENT, stop_flags
from .frame import FIRST_LIMB, begin_frame, end_frame
from .pik import limb_limits
from .pik_step import (
    PikWork,
    free_limits,
    judge_step,
    limited_step,
    posture_wish,
    scale_tasks,
    take_step,
    turn_axes,
)
from .tables import LIMB_ROWS, FrameTable, RecordArray, Settings, Work

STRAIGHT = math.radians(5.0)
"""An elbow bent less than this is straight ..."""
AHEAD = math.cos(math.radians(15.0))
"""... and sees no way to a goal within this angle of the line to its shoulder ..."""
AWAY = 0.005 / 1.83
"""... that is farther than this part of the size (5 mm) ..."""
LEAST_SLACK = 1e-6
"""Errors below this part of the size are none."""
FLEX = -0.1
"""... so that it is told to bend by so much [rad] (the observer, section 6.3)."""
OFF = 0.0004 / 1.83
"""A step after which balance or pinned feet are off by more than this part of the size ..."""
REPAIRS = 3
"""... is followed by a few of these levels alone."""
SETTLE = 60
"""Most steps in which a body with legs comes to stand on its feet, before its first frame."""


@helper
def support_goal(stand: Stand, centre: Vec3) -> tuple[Vec3, bool]:
    """The place above the support nearest to the centre of mass, and whether that is the centre."""
    heading = quat_load(stand.heading, 0)
    local = quat_unrotate(heading, vec_sub(centre, vec_load(stand.foot, 0)))
    x, z, met = nearest_support(stand.masses.support, local[0], local[2])
    return vec_add(vec_load(stand.foot, 0), quat_rotate(heading, (x, local[1], z))), met


@helper
def balance_gap(stand: Stand, centre: Vec3, asked: Floats) -> float:
    """Write what balance asks for [m], and return how long that is."""
    goal, met = support_goal(stand, centre)
    first = stand.balance[0]
    asked[first] = 0.0 if met else goal[0] - centre[0]
    asked[first + 1] = 0.0
    asked[first + 2] = 0.0 if met else goal[2] - centre[2]
    return math.hypot(asked[first], asked[first + 2])


@helper
def feet_gap(stand: Stand, pose: FigurePose) -> float:
    """How far the farther ankle of legs that move is from where it stands [m]."""
    away = 0.0
    for side in range(2):
        if stand.shanks[side] >= 0:
            ankle = vec_load(pose.tips, FIRST_LIMB + 2 + side)
            away = max(away, vec_distance(ankle, vec_load(stand.ankles, side)))
    return away


@helper
def observe_elbows(figure: Figure, stand: Stand, work: PikWork, pose: FigurePose) -> None:
    """Bend a straight arm whose goal lies towards its shoulder: first order is blind to that."""
    for side in range(stand.elbows.shape[0]):
        row = stand.elbows[side]
        if figure.freedom[row] == 0:
            continue
        bend = quat_twist_angle(quat_load(pose.local, row), vec_load(figure.axis, row))
        if abs(bend) >= STRAIGHT:
            continue
        wrist = vec_load(pose.tips, FIRST_LIMB + side)
        to_goal = vec_sub(vec_load(stand.goals, FIRST_LIMB + side), wrist)
        inward = vec_sub(vec_load(pose.tips, stand.shoulders[side]), wrist)
        far = vec_length(to_goal)
        if far > AWAY * figure.size[0] and vec_dot(to_goal, inward) > AHEAD * far * vec_length(
            inward
        ):
            work.wish[figure.first[row]] = FLEX / work.table.give[figure.first[row]]


@helper
def balanced_step(
    figure: Figure, settings: Settings, work: PikWork, stand: Stand, pose: FigurePose
) -> None:
    """The step of all levels. A support of some width acts like a limit (Fig. 10).

    It asks for nothing until a step would take the centre of mass beyond it. Then the centre is
    held at the edge, nearest to where it would have gone, and the step is computed anew.
    """
    size = figure.size[0]
    wide = stand.sole.shape[0] > 0
    centre = mass_centre(pose, stand.masses)
    centre_slopes(figure, pose, stand.masses, work.axes, wide, stand.slopes)
    goal, _ = support_goal(stand, centre)
    awake = 0.0 if wide else 1.0
    for _ in range(2):
        x, z = awake * (goal[0] - centre[0]) / size, awake * (goal[2] - centre[2]) / size
        length = math.hypot(x, z)
        part = min(1.0, settings.task_step / length) if length > 0.0 else 1.0
        ask_centre(
            stand.slopes,
            work.table.give,
            awake,
            part * x,
            part * z,
            stand.balance[0],
            work.jacobian,
            work.asked,
        )
        free_limits(figure, work, False)
        limited_step(figure, settings, work, pose, settings.near)
        if awake > 0.0:
            return
        ahead = centre_ahead(figure, stand.slopes, work.ladder.step, centre)
        goal, met = support_goal(stand, ahead)
        if met:
            return
        awake = 1.0


@helper
def quiet_below(stand: Stand, work: PikWork) -> None:
    """Leave balance and what stands above it alone to ask for anything."""
    for i in range(stand.balance[0] + 3, work.asked.shape[0]):
        work.asked[i] = 0.0
        for k in range(work.wish.shape[0]):
            work.jacobian[i, k] = 0.0
    for k in range(work.wish.shape[0]):
        work.wish[k] = 0.0


@helper
def balanced(
    figure: Figure,
    settings: Settings,
    work: PikWork,
    stand: Stand,
    pose: FigurePose,
    turns: Floats,
    root: Quat,
) -> tuple[int, int]:
    """Steps until balance and wrists are met or the budget is spent; steps, and why it ended.

    A step disturbs balance and pinned feet to second order; they are repaired at once (ours: the
    paper waits for the next step, which with one step a frame is too late).
    """
    near = settings.tolerance * figure.size[0]
    slack = max(settings.tolerance, LEAST_SLACK)
    # Steps are judged within a frame: a target that ran away meanwhile is no failure of the last.
    for level in range(work.calm.shape[0]):
        work.calm[level] = 1.0
    figure_forward(figure, pose)
    figure_residuals(figure, pose, stand.goals, turns, work.asked)
    balance_gap(stand, mass_centre(pose, stand.masses), work.asked)
    judge_step(figure, work, math.inf)
    for iteration in range(settings.iterations):
        away = 0.0
        for attempt in range(1 + REPAIRS):
            turn_axes(figure, pose, work.axes)
            figure_jacobian(figure, pose, work.axes, work.jacobian)
            scale_tasks(figure, work, stand.goals, turns, settings.task_step)
            posture_wish(figure, work, pose, root)
            if stand.observe[0]:
                observe_elbows(figure, stand, work, pose)
            if attempt > 0:
                quiet_below(stand, work)
            balanced_step(figure, settings, work, stand, pose)
            take_step(figure, work, pose)
            figure_forward(figure, pose)
            figure_residuals(figure, pose, stand.goals, turns, work.asked)
            away = balance_gap(stand, mass_centre(pose, stand.masses), work.asked)
            if max(away, feet_gap(stand, pose)) <= OFF * figure.size[0]:
                break
        stand.drift[0] = away
        judge_step(figure, work, slack)
        for tip in range(FIRST_LIMB, FIRST_LIMB + 2):
            away = max(away, vec_distance(vec_load(stand.goals, tip), vec_load(pose.tips, tip)))
        if away <= near:
            return iteration + 1, MET
    return settings.iterations, SPENT


@helper
def write_standing(
    body: RecordArray,
    work: Work,
    figure: Figure,
    stand: Stand,
    pose: FigurePose,
    rotations: Floats,
    root: Floats,
    frame: int,
) -> None:
    """Rig rotations: rows that make up one joint become one rotation; legs as `feet` left them."""
    for joint in range(figure.rest.shape[0]):
        quat_store(rotations, joint, quat_load(figure.rest, joint))
    for row in range(figure.rig.shape[0]):
        joint = figure.rig[row]
        if joint < 0:
            continue
        turn = quat_load(pose.world, row)
        if stand.above[row] >= 0:
            turn = quat_mul(quat_conj(quat_load(pose.world, stand.above[row])), turn)
        turned = quat_mul(quat_load(figure.before, row), turn)
        quat_store(rotations, joint, quat_normalize(quat_mul(turned, quat_load(figure.after, row))))
    for row in range(body[0].joints + 2 * LIMB_ROWS, body[0].joints + 4 * LIMB_ROWS):
        joint = body[0].rig[row]
        if joint >= 0:
            turned = quat_mul(quat_load(body[0].before, row), quat_load(work.local, row))
            quat_store(
                rotations, joint, quat_normalize(quat_mul(turned, quat_load(body[0].after, row)))
            )
    place = vec_load(pose.place, stand.pelvis[0])
    anchor = as3(figure.anchor)
    t = figure.anchor_turn
    vec_store(root, frame, quat_unrotate((t[0], t[1], t[2], t[3]), vec_sub(place, anchor)))


@helper
def place_root(stand: Stand, pose: FigurePose, floats: bool) -> None:
    """Put the root where the body stands; that of a body with legs is its pelvis."""
    place, heading = vec_load(stand.foot, 0), quat_load(stand.heading, 0)
    if floats:
        place = vec_add(place, quat_rotate(heading, vec_load(stand.rest, 0)))
    quat_store(pose.local, 0, heading)
    vec_store(pose.place, 0, place)


@helper
def place_goals(stand: Stand, pose: FigurePose, points: Floats, settling: bool) -> None:
    """Where the tips shall be; a body that settles on its feet asks for nothing else."""
    place, heading = vec_load(stand.foot, 0), quat_load(stand.heading, 0)
    for tip in range(stand.rest.shape[0]):
        goal = vec_add(place, quat_rotate(heading, vec_load(stand.rest, tip)))
        if FIRST_LIMB + 2 <= tip < FIRST_LIMB + 4:
            goal = vec_load(stand.ankles, tip - FIRST_LIMB - 2)
        elif settling:
            goal = vec_load(pose.tips, tip)
        elif FIRST_LIMB <= tip < FIRST_LIMB + 2:
            goal = vec_load(points, tip)
        vec_store(stand.goals, tip, goal)


@kernel
def balance_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    limits: LimitTable,
    figure: Figure,
    pose: FigurePose,
    scratch: PikWork,
    stand: Stand,
    seen: Floats,
    turned: Floats,
    no_turns: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People who stand: positions (F, 6, 3), of which wrists and ankles are used.

    The pose of the frame before is the start. Tips are the six points, then the shoulders.
    """
    for frame in range(first, last):
        flags, estimate = begin_frame(
            body[0], settings[0], state[0], work[0], seen[frame], turned[frame]
        )
        begins = state[0].frames == 0
        points = work[0].points
        moved = stand_on(stand, settings[0], state[0], points, flags, estimate, begins)
        floats = scratch.table.floats[0] != 0
        if begins or (moved and not floats):
            place_root(stand, pose, floats)
            figure_forward(figure, pose)
        heading = quat_load(stand.heading, 0)
        steps, reason, settling = 0, SPENT, SETTLE if begins and floats else 0
        while True:
            place_goals(stand, pose, points, settling > 0)
            steps, reason = balanced(figure, settings[0], scratch, stand, pose, no_turns, heading)
            if settling == 0:
                break
            met = feet_gap(stand, pose) <= settings[0].tolerance * figure.size[0]
            settling = 0 if met else settling - 1
        for p in range(seen.shape[1]):
            vec_store(work[0].ends, p, vec_load(pose.tips, p))
        if scratch.table.floats[0]:
            keep_legs(body[0], work[0], stand, figure, pose)
        else:
            flags |= plant_legs(body[0], limits, settings[0], state[0], work[0], stand, pose)
        write_standing(body, work[0], figure, stand, pose, out.rotations[frame], out.root, frame)
        pelvis = quat_load(pose.world, stand.pelvis[0])
        end_frame(
            settings[0],
            state[0],
            work[0],
            estimate,
            pelvis,
            seen[frame],
            out,
            frame,
            steps,
            flags | stop_flags(reason) | limb_limits(figure, scratch),
        )
