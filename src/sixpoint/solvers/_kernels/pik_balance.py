"""Prioritized IK with balance, frame after frame (Boulic et al. 2006, section 6).

Levels: the centre of mass above its support, the wrists where they were seen, the shoulders where
they stood, and a joint-space wish for what is left (Table 1). With legs, feet that are pinned come
before all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper, kernel
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from .centre_of_mass import Masses, balance_rows, mass_centre, nearest_support
from .figure import Figure, FigurePose, figure_forward, figure_jacobian, figure_residuals
from .figure_frame import MET, SPENT, stop_flags
from .frame import FIRST_LIMB, begin_frame, end_frame
from .limb_ends import level_foot
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
from .tables import LIMB_ROWS, MISSING, FrameTable, RecordArray, Settings

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


class Stand(NamedTuple):
    """A body that stands: what its kernel needs besides the figure."""

    masses: Masses
    rest: Floats
    """Of the tips in the stance, relative to the root's place and rotation [m], (E, 3)."""
    above: Ints
    """Nearest row above each that turns a joint of the rig, -1 for none, (N,)."""
    pelvis: Ints
    """Row of the pelvis, (1,)."""
    shanks: Ints
    """Rows of the left and the right shank, (2,)."""
    elbows: Ints
    """Rows of the left and the right elbow, (2,)."""
    shoulders: Ints
    """Tips of the left and the right shoulder, (2,)."""
    observe: Ints
    """Whether straight elbows are told to bend, (1,)."""
    balance: Ints
    """First row of the task of balance in the Jacobian, (1,)."""
    foot: Floats
    """Memory: where the root stands [m], (1, 3)."""
    heading: Floats
    """Memory: how it is turned about the vertical, (1, 4)."""
    goals: Floats
    """Places of all tips that tasks ask for [m], (E, 3)."""
    drift: Floats
    """How far the centre of mass is from its support after the last step [m], (1,)."""


@helper
def facing(turn: Quat) -> Quat:
    """The part of a rotation about the vertical."""
    side = quat_rotate(turn, (1.0, 0.0, 0.0))
    return quat_from_axis_angle((0.0, 1.0, 0.0), -math.atan2(side[2], side[0]))


@helper
def stand_on(stand: Stand, points: Floats, flags: int, estimate: Quat, first: bool) -> bool:
    """Put the virtual foot below the ankles, where they are seen; else it stays.

    Returns:
        Whether it moved.
    """
    left, right = FIRST_LIMB + 2, FIRST_LIMB + 3
    unseen = flags & (MISSING << left | MISSING << right)
    if unseen and not first:
        return False
    middle = vec_scale(vec_add(vec_load(points, left), vec_load(points, right)), 0.5)
    heading = facing(estimate)
    down = vec_scale(vec_add(vec_load(stand.rest, left), vec_load(stand.rest, right)), 0.5)
    place = vec_sub(middle, quat_rotate(heading, down))
    vec_store(stand.foot, 0, place)
    quat_store(stand.heading, 0, heading)
    return True


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
def balanced(
    figure: Figure,
    settings: Settings,
    work: PikWork,
    stand: Stand,
    pose: FigurePose,
    turns: Floats,
    root: Quat,
) -> tuple[int, int]:
    """Steps until balance and wrists are met or the budget is spent; steps, and why it ended."""
    near = settings.tolerance * figure.size[0]
    floats = work.table.floats[0] != 0
    slack = max(settings.tolerance, LEAST_SLACK)
    # Steps are judged within a frame: a target that ran away meanwhile is no failure of the last.
    for level in range(work.calm.shape[0]):
        work.calm[level] = 1.0
    figure_forward(figure, pose)
    figure_residuals(figure, pose, stand.goals, turns, work.asked)
    balance_gap(stand, mass_centre(pose, stand.masses), work.asked)
    judge_step(figure, work, math.inf)
    for iteration in range(settings.iterations):
        turn_axes(figure, pose, work.axes)
        figure_jacobian(figure, pose, work.axes, work.jacobian)
        scale_tasks(figure, work, stand.goals, turns, settings.task_step)
        centre = mass_centre(pose, stand.masses)
        goal, met = support_goal(stand, centre)
        balance_rows(
            figure,
            pose,
            stand.masses,
            work.axes,
            work.table.give,
            floats,
            settings.task_step,
            goal,
            met,
            centre,
            stand.balance[0],
            work.jacobian,
            work.asked,
        )
        posture_wish(figure, work, pose, root)
        if stand.observe[0]:
            observe_elbows(figure, stand, work, pose)
        free_limits(figure, work, False)
        limited_step(figure, settings, work, pose, settings.near)
        take_step(figure, work, pose)
        figure_forward(figure, pose)
        figure_residuals(figure, pose, stand.goals, turns, work.asked)
        away = balance_gap(stand, mass_centre(pose, stand.masses), work.asked)
        stand.drift[0] = away
        judge_step(figure, work, slack)
        for side in range(2):
            tip = FIRST_LIMB + side
            away = max(away, vec_distance(vec_load(stand.goals, tip), vec_load(pose.tips, tip)))
        if away <= near:
            return iteration + 1, MET
    return settings.iterations, SPENT


@helper
def write_standing(
    body: RecordArray,
    figure: Figure,
    stand: Stand,
    pose: FigurePose,
    rotations: Floats,
    root: Floats,
    frame: int,
) -> None:
    """Rig rotations: rows that make up one joint become one rotation; soles are level."""
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
    for side in range(2):
        row = body[0].joints + LIMB_ROWS * (2 + side) + LIMB_ROWS - 1
        joint = body[0].rig[row]
        if joint >= 0:
            foot = level_foot(quat_load(pose.world, stand.shanks[side]))
            turned = quat_mul(quat_load(body[0].before, row), foot)
            quat_store(
                rotations, joint, quat_normalize(quat_mul(turned, quat_load(body[0].after, row)))
            )
    place = vec_load(pose.place, stand.pelvis[0])
    anchor: Vec3 = (figure.anchor[0], figure.anchor[1], figure.anchor[2])
    t = figure.anchor_turn
    vec_store(root, frame, quat_unrotate((t[0], t[1], t[2], t[3]), vec_sub(place, anchor)))


@kernel
def balance_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
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
        moved = stand_on(stand, points, flags, estimate, begins)
        place, heading = vec_load(stand.foot, 0), quat_load(stand.heading, 0)
        if scratch.table.floats[0]:
            if begins:
                quat_store(pose.local, 0, heading)
                start = quat_rotate(heading, vec_load(stand.rest, 0))
                vec_store(pose.place, 0, vec_add(place, start))
        elif moved or begins:
            quat_store(pose.local, 0, heading)
            vec_store(pose.place, 0, place)
        for tip in range(stand.rest.shape[0]):
            goal = vec_add(place, quat_rotate(heading, vec_load(stand.rest, tip)))
            if FIRST_LIMB <= tip < FIRST_LIMB + 2:
                goal = vec_load(points, tip)
            vec_store(stand.goals, tip, goal)
        steps, reason = balanced(figure, settings[0], scratch, stand, pose, no_turns, heading)
        for p in range(seen.shape[1]):
            vec_store(work[0].ends, p, vec_load(pose.tips, p))
        write_standing(body, figure, stand, pose, out.rotations[frame], out.root, frame)
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
