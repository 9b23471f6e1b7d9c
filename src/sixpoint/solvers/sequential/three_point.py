"""A body of which only head and hands are seen (a headset and two controllers).

**Feet.** The ground is taken to be where the feet of a standing person are. A head that sinks bends
the knees and leans the trunk; one that rises takes the feet along, for a jump is no new ground; a
head that stays high or low moves the ground slowly. Feet follow the body, and glide when it
walks: how they step cannot be seen. How far the trunk leans is told by the height of the head, by
where the hands are and, if its rotation is known, by how the head nods.

**Facing.** Four cues are added as level vectors to the left of the body: the line between the
hands; where the middle of the hands is, seen from the head, for hands that cross make the line
short and wrong, but they are in front; where the head looks, if its rotation is known; and where
the head moves, for people mostly walk forwards. The body turns no faster than people do.

**Reach.** A hand that is too far, or an arm that a limit holds back, turns body and trunk by the
least that helps both hands; what was swung eases back when it can.

**Lost hands** go with where the body faces, not with its pelvis. The facing is found from wrists
and ankles, and the network turns the pelvis from there. Hands kept with that pelvis would turn the
facing after it, and the pelvis again, until the body stands back to front.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.linalg import cholesky_factor, cholesky_solve
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_columns,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import MISSING
from ..people.plan import last_pelvis
from ..people.tables import FIRST_LIMB, HEAD, LIMBS, PELVIS
from .network import GuidedContext
from .trunk_fit import ARM_HELP, MET, limb_root

HANDS = MISSING << FIRST_LIMB | MISSING << (FIRST_LIMB + 1)
"""Either wrist."""
FRONT_CUE = 0.5
"""What the way from the head to the middle of the hands counts against the line between them."""
GAZE_CUE = 0.3
"""What the head counts, as a length in parts of height: half as much as outstretched hands."""
WALK_CUE = 0.8
"""What the head's speed counts [s]: that of a walk as much as its arms, that of a run more.

These three were fitted to 33 CMU clips, their form chosen on all 66. On the other 33 they find the
pelvis 22.9 degrees off (RMS), 20.0 if the head's rotation is known; line and middle of the hands
alone 24.9."""
SWAY_SPEED = 0.2
"""Speed in heights a second below which a head sways rather than walks."""
SPEED_TIME = 0.4
"""Time over which the speed is taken [s]: swaying is none."""
TURN_TIME, CUE_LENGTH = 0.03, 0.3
"""Time in which the body turns to where the cues say [s], if these are so long, as a part of
height; the shorter they are, the longer it takes."""
FASTEST_YAW = math.radians(720.0)
"""And no faster than this [rad/s]: a spinning kick."""
ANKLES = FIRST_LIMB + 2
"""Row of the left ankle; the right one follows."""
STEEPEST = 0.95
"""Most that pelvis and head are beside each other, as a part of the trunk."""
USABLE_LEG = 0.995
"""Part of a leg's length within which its ankle is put."""
MOST_ASIDE = 0.4
"""Most that the pelvis swings aside for the hands, as a part of the trunk: beyond, hands ask for a
body that faces elsewhere."""
SHOULDER_WEIGHT = 5.0
"""Weight of a shoulder that has to come nearer against that of a hand: its lever is so much
shorter, squared, that it would hardly count."""
YAW_DAMPING, SWING_DAMPING = 0.005, 0.1
"""Of the turn that helps the hands, about the vertical and across, in squares of height: people
turn sooner than they tilt."""
MOST_SWING = 0.3
"""Most that the body turns at a time [rad]."""
UNSEEN = MISSING << PELVIS | MISSING << (FIRST_LIMB + 2) | MISSING << (FIRST_LIMB + 3)
"""Pelvis and both ankles."""
HEAD_LOST = MISSING << HEAD
"""The head as well: nothing to stand below. Guessed from the pelvis, it would carry that along, and
be carried."""
SQUAT_LEAN = 0.8
"""How far the trunk leans in the deepest squat, before hands and head have their say [rad]."""
NO_HEAD_ROTATION_WEIGHTS = (-0.17, -0.65, 0.64, 1.16, 0.53, 0.0, 0.35, 0.0)
HEAD_ROTATION_WEIGHTS = (-0.108, -0.56, 0.462, 0.928, 0.835, -0.314, 0.817, -0.184)
"""Where the pelvis is, seen from the head, as a part of the trunk; without and with the head's
rotation. To the front: always, by the sine of `SQUAT_LEAN`, by how far the middle of the hands is
in front, above the head, and below `HANGING_HANDS` under it, in heights, and by how far the head
nods; to the left: by how far the hands are to the left, and by how far the head is tilted there.
Fitted to 33 CMU clips; without a head's rotation hands to the left count a third of what was
fitted, since a body that faces the wrong way would fall over. On 33 other clips the pelvis is 0.096
and 0.078 heights off (RMS), 0.102 by `SQUAT_LEAN` alone."""
MOST_BEHIND = -0.1
"""Hands further behind the head, in heights, show that the body faces otherwise, not a lean."""
UPRIGHT_SLACK = 0.003
"""A head that is lower by this part of height than it can be lets the trunk lean by half of what
hands say: who stands tall stands upright."""
HANGING_HANDS = 0.3
"""Hands further below the head than this, in heights, reach down."""
SQUAT_HEIGHT = 0.25
"""Height of the pelvis over the ankles in the deepest squat, as a part of the leg's."""
FEET_TIME = 0.4
"""Time in which the feet follow [s]."""
MOST_LAG = 0.1
"""How far they stay behind at most, as a part of the leg's length."""
GROUND_BAND, GROUND_TIME, GROUND_RISE_TIME, GROUND_FALL_TIME = 0.05, 3.0, 20.0, 120.0
"""Times in which the ground follows a head that is higher or lower than that of a standing person
[s]: by less than this part of height, higher, lower."""
KNEE_SLACK = 0.005
"""Nobody stands with straight knees, and straight ones would snap with every bob of the head: legs
are shorter by twice this part of height, and become straight by degrees."""
STANDING_TIME = 0.3
"""Time in which the body comes to stand when pelvis and ankles are lost [s]."""


@helper
def head_speed(c: GuidedContext, head: Vec3) -> Vec3:
    """Level speed of the head, smoothed [m/s]."""
    settings, state, memory = c.settings, c.state, c.memory
    if not memory.grounded or state.frames == 0 or settings.period <= 0.0:
        memory.speed[0], memory.speed[1] = 0.0, 0.0
        return (0.0, 0.0, 0.0)
    moved = vec_sub(head, vec_load(state.points, HEAD))
    part = 1.0 - math.exp(-settings.period / SPEED_TIME)
    memory.speed[0] += part * (moved[0] / settings.period - memory.speed[0])
    memory.speed[1] += part * (moved[2] / settings.period - memory.speed[1])
    return (memory.speed[0], 0.0, memory.speed[1])


@helper
def to_hands(c: GuidedContext) -> Vec3:
    """From the head to the middle of the hands [m]."""
    work = c.work
    one, other = vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1)
    return vec_sub(vec_scale(vec_add(one, other), 0.5), vec_load(work.points, HEAD))


@helper
def hands_facing(c: GuidedContext, flags: int, estimate: Quat, look: Quat, has_look: bool) -> Vec3:
    """To the left of the body, level, by hands, head and where it goes."""
    body, settings, state, work = c.body, c.settings, c.state, c.work
    up = (0.0, 1.0, 0.0)
    head = vec_load(work.points, HEAD)
    left = vec_unit(vec_reject(quat_rotate(estimate, (1.0, 0.0, 0.0)), up), (1.0, 0.0, 0.0))
    if state.frames > 0:
        left = vec_unit(vec_reject(as3(state.left), up), left)
    goal = (0.0, 0.0, 0.0)
    if not flags & HANDS:
        one, other = vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1)
        front = to_hands(c)
        goal = vec_add(vec_sub(one, other), vec_scale(vec_cross(up, front), FRONT_CUE))
    if has_look:
        goal = vec_add(goal, vec_scale(quat_rotate(look, (1.0, 0.0, 0.0)), GAZE_CUE * body.height))
    speed = vec_cross(up, head_speed(c, head))
    pace = vec_length(speed) + SWAY_SPEED * body.height
    # Who goes sideways faces neither way. Nor may a speed backwards have a say: a body that once
    # faces the wrong way would stay so.
    goal = vec_add(goal, vec_scale(speed, WALK_CUE * max(vec_dot(speed, left), 0.0) / pace))
    goal = vec_reject(goal, up)
    far = vec_length(goal) / (CUE_LENGTH * body.height)
    if far < 1e-6:
        return left
    if state.frames == 0:
        return vec_unit(goal, left)
    angle = math.atan2(vec_dot(vec_cross(left, goal), up), vec_dot(left, goal))
    # Arms that swing turn the line to and fro: small angles are followed slowly.
    angle *= 1.0 - math.exp(-settings.period * min(far, 1.0) * min(abs(angle), 1.0) / TURN_TIME)
    most = FASTEST_YAW * settings.period
    return quat_rotate(quat_from_axis_angle(up, min(max(angle, -most), most)), left)


@helper
def lift_feet(c: GuidedContext, faced: Quat) -> None:
    """Bring ankles that are too far from the hips within reach: who leans far lifts a heel."""
    body, work = c.body, c.work
    pelvis = vec_load(work.points, PELVIS)
    for limb in range(ANKLES - FIRST_LIMB, LIMBS):
        hip = vec_add(pelvis, quat_rotate(faced, vec_load(body.bases, limb)))
        away = vec_sub(vec_load(work.points, FIRST_LIMB + limb), hip)
        reach = USABLE_LEG * (body.bones[limb, 0] + body.bones[limb, 1])
        far = vec_length(away)
        if far > reach:
            vec_store(work.points, FIRST_LIMB + limb, vec_add(hip, vec_scale(away, reach / far)))


@helper
def swing_body(c: GuidedContext, estimate: Quat) -> Quat:
    """Turn the whole body about its head so that hands, held stiff by limits, come to their points.

    Reads where the ends of limbs lie from `work.ends`. Nothing being known of the pelvis, it may go
    anywhere; it goes by the least turn that helps both hands, and eases back when it can. Returns
    the rotation of the pelvis, turned with it.
    """
    body, memory, work, net = c.body, c.memory, c.work, c.net
    head = vec_load(work.points, HEAD)
    for a in range(3):
        net.gaps[a] = 0.0
        for b in range(3):
            net.normal[a, b] = 0.0
        damping = YAW_DAMPING if a == 1 else SWING_DAMPING
        net.normal[a, a] = damping * body.height * body.height
    missed = False
    for limb in range(ANKLES - FIRST_LIMB):
        end = vec_load(work.ends, FIRST_LIMB + limb)
        miss = vec_sub(vec_load(work.points, FIRST_LIMB + limb), end)
        far = vec_length(miss)
        arm = vec_sub(end, head)
        missed = missed or far > MET * body.height
        part = far / (ARM_HELP * body.height)
        miss = vec_scale(miss, 1.0 / (1.0 + part * part))
        root = limb_root(c, limb)
        away = vec_sub(vec_load(work.points, FIRST_LIMB + limb), root)
        if vec_length(away) > body.bones[limb, 0] + body.bones[limb, 1]:
            # Too short, whichever way it points: the shoulder has to come nearer.
            along = vec_unit(away, (0.0, -1.0, 0.0))
            lever = vec_cross(vec_sub(root, head), along)
            add_row(c, lever, SHOULDER_WEIGHT * vec_length(miss), SHOULDER_WEIGHT)
            continue
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            add_row(c, vec_cross(arm, axis), miss[k], 1.0)
    if not missed or not cholesky_factor(net.normal, 3):
        return estimate
    cholesky_solve(net.normal, 3, net.gaps)
    turn = as3(net.gaps)
    size = vec_length(turn)
    if size > MOST_SWING:
        turn = vec_scale(turn, MOST_SWING / size)
    step = quat_from_rotvec(turn)
    for k in range(body.joints):
        quat_store(work.world, k, quat_mul(step, quat_load(work.world, k)))
        vec_store(work.places, k, about(head, step, vec_load(work.places, k)))
    quat_store(net.lower, 0, quat_mul(step, quat_load(net.lower, 0)))
    pelvis = vec_load(work.points, PELVIS)
    swung = stay_below(head, about(head, step, pelvis))
    vec_store(work.points, PELVIS, swung)
    memory.swing[0] += (swung[0] - pelvis[0]) / body.stance[HEAD, 1]
    memory.swing[1] += (swung[2] - pelvis[2]) / body.stance[HEAD, 1]
    far = math.sqrt(memory.swing[0] * memory.swing[0] + memory.swing[1] * memory.swing[1])
    for k in range(2 if far > MOST_ASIDE else 0):
        memory.swing[k] *= MOST_ASIDE / far
    estimate = quat_mul(step, estimate)
    lift_feet(c, estimate)
    for limb in range(LIMBS):
        p = FIRST_LIMB + limb
        vec_store(work.ends, p, about(head, step, vec_load(work.ends, p)))
        if p >= ANKLES:
            vec_store(work.ends, p, vec_load(work.points, p))  # nobody saw where they are
    return estimate


@helper
def add_row(c: GuidedContext, lever: Vec3, gap: float, weight: float) -> None:
    """Add to the normal equations of a turn that it should move something by a gap."""
    net = c.net
    for a in range(3):
        net.gaps[a] += lever[a] * gap
        for b in range(3):
            net.normal[a, b] += weight * lever[a] * lever[b]


@helper
def stay_below(head: Vec3, pelvis: Vec3) -> Vec3:
    """A pelvis as far from the head, but below it: nobody is taken to stand on his hands."""
    away = vec_sub(pelvis, head)
    flat = (away[0], 0.0, away[2])
    far, beside = vec_length(away), vec_length(flat)
    if beside <= STEEPEST * far and away[1] <= 0.0:
        return pelvis
    flat = vec_scale(vec_unit(flat, (0.0, 0.0, 0.0)), STEEPEST * far)
    return vec_add(head, (flat[0], -far * math.sqrt(1.0 - STEEPEST * STEEPEST), flat[2]))


@helper
def about(centre: Vec3, turn: Quat, place: Vec3) -> Vec3:
    """A place, turned about another."""
    return vec_add(centre, quat_rotate(turn, vec_sub(place, centre)))


@helper
def find_ground(c: GuidedContext, height: float, standing: float) -> float:
    """Height of the ground, given where the ankles of a standing person would be."""
    settings, memory = c.settings, c.memory
    ground = float(memory["ground"])
    away = standing - ground
    slow = GROUND_TIME
    if abs(away) > GROUND_BAND * height:
        slow = GROUND_RISE_TIME if away > 0.0 else GROUND_FALL_TIME
    ground += away * (1.0 - math.exp(-settings.period / slow))
    memory.ground = ground
    return ground


@helper
def lean_trunk(
    c: GuidedContext,
    flags: int,
    left: Vec3,
    depth: tuple[float, float, float],
    look: Quat,
    has_look: bool,
) -> Vec3:
    """How far the pelvis is beside the head, as parts of the trunk.

    `depth` tells by how much the head is lower than it can be [m], how far the body is sunk (0 to
    1), and how high the head is over the lowest pelvis (trunks).
    """
    body = c.body
    short, sunk, room = depth
    front = vec_cross(left, (0.0, 1.0, 0.0))
    w = HEAD_ROTATION_WEIGHTS if has_look else NO_HEAD_ROTATION_WEIGHTS
    hands = (0.0, -HANGING_HANDS * body.height, 0.0)
    if not flags & HANDS:
        hands = to_hands(c)
    hands = vec_scale(hands, 1.0 / body.height)
    crown = quat_rotate(look, (0.0, 1.0, 0.0))
    ahead = w[0] - body.stance[HEAD, 2] / body.stance[HEAD, 1]
    ahead += w[1] * math.sin(SQUAT_LEAN * sunk * (2.0 - sunk)) + w[2] * max(
        vec_dot(hands, front), MOST_BEHIND
    )
    ahead += w[3] * max(hands[1], 0.0) + w[4] * max(-hands[1] - HANGING_HANDS, 0.0)
    ahead += w[5] * vec_dot(crown, front)
    aside = w[6] * vec_dot(hands, left) + w[7] * vec_dot(crown, left)
    # Who stands tall stands upright.
    if ahead < 0.0 and not has_look:
        ahead *= short / (short + UPRIGHT_SLACK * body.height)
    # Who sits low bends forwards: with the head this high over the lowest pelvis, at least so far.
    ahead = min(ahead, max(2.0 * (room - 1.0), -STEEPEST))
    return vec_add(vec_scale(front, ahead), vec_scale(left, aside))


@helper
def hang_down(level: Vec3, room: float) -> Vec3:
    """From head to pelvis, as parts of the trunk, of a pelvis that is beside the head by so much.

    `room` is the height of the head over the lowest place of the pelvis.
    """
    beside = vec_length(level)
    if beside > STEEPEST:
        level, beside = vec_scale(level, STEEPEST / beside), STEEPEST
    flat = math.sqrt(1.0 - STEEPEST * STEEPEST)
    down = min(math.sqrt(1.0 - beside * beside), max(room, flat))
    return (level[0], -down, level[2])


@helper
def stand_up(c: GuidedContext, flags: int, estimate: Quat, look: Quat, has_look: bool) -> Quat:
    """Write places of pelvis and ankles that suit head and hands; nothing else is known.

    Returns where the body faces: the rotation of a pelvis below the head.
    """
    body, settings, state, memory, work = c.body, c.settings, c.state, c.memory, c.work
    up = (0.0, 1.0, 0.0)
    left = hands_facing(c, flags, estimate, look, has_look)
    head = vec_load(work.points, HEAD)
    leg = -0.5 * (body.stance[ANKLES, 1] + body.stance[ANKLES + 1, 1])
    trunk = body.stance[HEAD, 1]
    standing = head[1] - leg - trunk
    soft = KNEE_SLACK * body.height
    usual = standing + 2.0 * soft
    if not memory.grounded:
        memory.ground = usual
        if state.frames > 0:
            memory.ground = min(state.points[ANKLES, 1], state.points[ANKLES + 1, 1])
    floor = find_ground(c, body.height, usual)
    short = floor - standing
    short = 0.5 * (short + math.sqrt(short * short + 4.0 * soft * soft))
    sunk = min(short / ((1.0 - SQUAT_HEIGHT) * leg), 1.0)
    room = (head[1] - floor - SQUAT_HEIGHT * leg) / trunk
    level = lean_trunk(c, flags, left, (short, sunk, room), look, has_look)
    fade = math.exp(-settings.period / STANDING_TIME) if memory.grounded else 0.0
    memory.swing[0] *= fade
    memory.swing[1] *= fade
    level = vec_add(level, (memory.swing[0], 0.0, memory.swing[1]))
    drop = hang_down(level, room)
    pelvis = vec_add(head, vec_scale(drop, trunk))
    # Feet under the middle of the body; a body that is higher than it stands is in the air.
    middle = vec_scale(vec_add(head, pelvis), 0.5)
    if memory.grounded:
        part = 1.0 - math.exp(-settings.period / FEET_TIME)
        x, z = middle[0] - memory.feet[0], middle[2] - memory.feet[1]
        away = math.sqrt(x * x + z * z)
        part = max(part, 1.0 - MOST_LAG * leg / away if away > 0.0 else 0.0)
        memory.feet[0] += part * x
        memory.feet[1] += part * z
    else:
        memory.feet[0], memory.feet[1] = middle[0], middle[2]
    stand = (memory.feet[0], standing + short, memory.feet[1])
    put(c, PELVIS, 0, pelvis)
    for side in range(2):
        p = ANKLES + side
        foot = vec_add(stand, vec_scale(left, body.stance[p, 0]))
        put(c, p, 1 + side, foot)
    memory.grounded = 1
    along = vec_unit(vec_sub(head, vec_load(work.points, PELVIS)), up)
    across = vec_unit(vec_reject(left, along), left)
    faced = quat_from_columns((across, along, vec_cross(across, along)))
    lift_feet(c, faced)
    return faced


@helper
def put(c: GuidedContext, p: int, row: int, place: Vec3) -> None:
    """Write a point's place, eased from where it was when it was lost."""
    settings, state, memory, work = c.settings, c.state, c.memory, c.work
    if memory.grounded:
        away = vec_scale(vec_load(memory.eased, row), math.exp(-settings.period / STANDING_TIME))
    elif state.frames > 0:
        away = vec_sub(vec_load(work.points, p), place)
    else:
        away = (0.0, 0.0, 0.0)
    vec_store(memory.eased, row, away)
    vec_store(work.points, p, vec_add(place, away))


@helper
def remember_feet(c: GuidedContext) -> None:
    """Keep ankles where they stand: one that is seen again eases from there."""
    state, work = c.state, c.work
    pelvis = vec_load(work.points, PELVIS)
    for p in range(ANKLES, ANKLES + 2):
        away = vec_sub(vec_load(work.points, p), pelvis)
        vec_store(state.held, p, quat_unrotate(last_pelvis(c), away))


@helper
def keep_hands(c: GuidedContext, pelvis: Quat, faced: Quat) -> None:
    """Put hands that are both lost where they are, seen from the facing; in the pelvis's frame."""
    state, memory = c.state, c.memory
    turn = quat_mul(quat_conj(pelvis), faced)
    for side in range(2):
        p = FIRST_LIMB + side
        if not memory.handless:  # just lost
            there = quat_rotate(quat_conj(turn), vec_load(state.held, p))
            vec_store(memory.hands, side, there)
        vec_store(state.held, p, quat_rotate(turn, vec_load(memory.hands, side)))
