"""A body of which only head and hands are seen: it stands on its feet, and squats when it must.

Neither pelvis nor ankles being tracked (a headset and two controllers), the ground is taken to be
where the feet of a standing person are. A head that sinks bends the knees and leans the trunk; one
that rises takes the feet along, for a jump is no new ground; only a head that stays high or low
moves the ground, slowly. Feet follow the body, and glide when it walks: how they step cannot be
seen.

How far the trunk leans is told by the height of the head, by where the hands are and, if its
rotation is known, by how the head nods. Where a hand is still missed, for it is too far or a limit
holds the arm back, the whole body turns and swings about its head until the hand is met.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_from_columns,
    quat_rotate,
    quat_unrotate,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
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
from .frame import FIRST_LIMB, HEAD, PELVIS
from .guide_tables import Memory
from .hands_facing import HANDS, hands_facing, to_hands
from .hands_swing import ANKLES, STEEPEST, lift_feet
from .missing import last_pelvis
from .tables import MISSING, Body, Settings, State, Work

UNSEEN = MISSING << PELVIS | MISSING << (FIRST_LIMB + 2) | MISSING << (FIRST_LIMB + 3)
"""Pelvis and both ankles."""
HEAD_LOST = MISSING << HEAD
"""The head as well: nothing to stand below. Guessed from the pelvis, it would carry that along, and
be carried."""
LEAN = 0.8
"""How far the trunk leans in the deepest squat, before hands and head have their say [rad]."""
BLIND = (-0.17, -0.65, 0.64, 1.16, 0.53, 0.0, 0.35, 0.0)
LOOKING = (-0.108, -0.56, 0.462, 0.928, 0.835, -0.314, 0.817, -0.184)
"""Where the pelvis is, seen from the head, as a part of the trunk; without and with the head's
rotation. To the front: always, by the sine of `LEAN`, by how far the middle of the hands is in
front, above the head, and below `HANG` under it, in heights, and by how far the head nods; to the
left: by how far the hands are to the left, and by how far the head is tilted there. Fitted to 33
CMU clips; without a head's rotation hands to the left count a third of what was fitted, since a
body that faces the wrong way would fall over. On 33 other clips the pelvis is 0.096 and 0.078
heights off (RMS), 0.102 by `LEAN` alone."""
BEHIND = -0.1
"""Hands further behind the head, in heights, show that the body faces otherwise, not that it leans.
"""
TALL = 0.003
"""A head that is lower by this part of height than it can be lets the trunk lean by half of what
hands say: who stands tall stands upright."""
HANG = 0.3
"""Hands further below the head than this, in heights, reach down."""
LOWEST = 0.25
"""Height of the pelvis over the ankles in the deepest squat, as a part of the leg's."""
FOLLOW = 0.4
"""Time in which the feet follow [s]."""
LAG = 0.1
"""How far they stay behind at most, as a part of the leg's length."""
NEAR, SOON, RISE, FALL = 0.05, 3.0, 20.0, 120.0
"""Times in which the ground follows a head that is higher or lower than that of a standing person
[s]: by less than this part of height, higher, lower."""
SOFT = 0.005
"""Nobody stands with straight knees, and straight ones would snap with every bob of the head: legs
are shorter by twice this part of height, and become straight by degrees."""
EASE = 0.3
"""Time in which the body comes to stand when pelvis and ankles are lost [s]."""


@helper
def find_ground(settings: Settings, memory: Memory, height: float, standing: float) -> float:
    """Height of the ground, given where the ankles of a standing person would be."""
    ground = float(memory["ground"])
    away = standing - ground
    slow = SOON
    if abs(away) > NEAR * height:
        slow = RISE if away > 0.0 else FALL
    ground += away * (1.0 - math.exp(-settings.period / slow))
    memory.ground = ground
    return ground


@helper
def lean_trunk(
    body: Body,
    work: Work,
    flags: int,
    left: Vec3,
    front: Vec3,
    short: float,
    sunk: float,
    room: float,
    look: Quat,
    has_look: bool,
) -> Vec3:
    """How far the pelvis is beside the head, as parts of the trunk.

    Of a body that is sunk so far (0 to 1), the head that high over the lowest pelvis (trunks).
    """
    c = LOOKING if has_look else BLIND
    hands = (0.0, -HANG * body.height, 0.0)
    if not flags & HANDS:
        hands = to_hands(work)
    hands = vec_scale(hands, 1.0 / body.height)
    crown = quat_rotate(look, (0.0, 1.0, 0.0))
    ahead = c[0] - body.stance[HEAD, 2] / body.stance[HEAD, 1]
    ahead += c[1] * math.sin(LEAN * sunk * (2.0 - sunk)) + c[2] * max(vec_dot(hands, front), BEHIND)
    ahead += c[3] * max(hands[1], 0.0) + c[4] * max(-hands[1] - HANG, 0.0)
    ahead += c[5] * vec_dot(crown, front)
    aside = c[6] * vec_dot(hands, left) + c[7] * vec_dot(crown, left)
    # Who stands tall stands upright.
    if ahead < 0.0 and not has_look:
        ahead *= short / (short + TALL * body.height)
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
def stand_up(
    body: Body,
    settings: Settings,
    state: State,
    memory: Memory,
    work: Work,
    flags: int,
    estimate: Quat,
    look: Quat,
    has_look: bool,
) -> Quat:
    """Write places of pelvis and ankles that suit head and hands; nothing else is known.

    Returns:
        Where the body faces: the rotation of a pelvis below the head.
    """
    up = (0.0, 1.0, 0.0)
    left = hands_facing(body, settings, state, memory, work, flags, estimate, look, has_look)
    front = vec_cross(left, up)
    head = vec_load(work.points, HEAD)
    leg = -0.5 * (body.stance[ANKLES, 1] + body.stance[ANKLES + 1, 1])
    trunk = body.stance[HEAD, 1]
    standing = head[1] - leg - trunk
    soft = SOFT * body.height
    usual = standing + 2.0 * soft
    if not memory.grounded:
        memory.ground = usual
        if state.frames > 0:
            memory.ground = min(state.points[ANKLES, 1], state.points[ANKLES + 1, 1])
    floor = find_ground(settings, memory, body.height, usual)
    short = floor - standing
    short = 0.5 * (short + math.sqrt(short * short + 4.0 * soft * soft))
    sunk = min(short / ((1.0 - LOWEST) * leg), 1.0)
    room = (head[1] - floor - LOWEST * leg) / trunk
    level = lean_trunk(body, work, flags, left, front, short, sunk, room, look, has_look)
    fade = math.exp(-settings.period / EASE) if memory.grounded else 0.0
    memory.swing[0] *= fade
    memory.swing[1] *= fade
    level = vec_add(level, (memory.swing[0], 0.0, memory.swing[1]))
    drop = hang_down(level, room)
    pelvis = vec_add(head, vec_scale(drop, trunk))
    # Feet under the middle of the body; a body that is higher than it stands is in the air.
    middle = vec_scale(vec_add(head, pelvis), 0.5)
    if memory.grounded:
        part = 1.0 - math.exp(-settings.period / FOLLOW)
        x, z = middle[0] - memory.feet[0], middle[2] - memory.feet[1]
        away = math.sqrt(x * x + z * z)
        part = max(part, 1.0 - LAG * leg / away if away > 0.0 else 0.0)
        memory.feet[0] += part * x
        memory.feet[1] += part * z
    else:
        memory.feet[0], memory.feet[1] = middle[0], middle[2]
    stand = (memory.feet[0], standing + short, memory.feet[1])
    put(settings, state, memory, work, PELVIS, 0, pelvis)
    for side in range(2):
        p = ANKLES + side
        foot = vec_add(stand, vec_scale(left, body.stance[p, 0]))
        put(settings, state, memory, work, p, 1 + side, foot)
    memory.grounded = 1
    along = vec_unit(vec_sub(head, vec_load(work.points, PELVIS)), up)
    across = vec_unit(vec_reject(left, along), left)
    faced = quat_from_columns((across, along, vec_cross(across, along)))
    lift_feet(body, work, faced)
    return faced


@helper
def put(
    settings: Settings, state: State, memory: Memory, work: Work, p: int, row: int, place: Vec3
) -> None:
    """Write a point's place, eased from where it was when it was lost."""
    if memory.grounded:
        away = vec_scale(vec_load(memory.eased, row), math.exp(-settings.period / EASE))
    elif state.frames > 0:
        away = vec_sub(vec_load(work.points, p), place)
    else:
        away = (0.0, 0.0, 0.0)
    vec_store(memory.eased, row, away)
    vec_store(work.points, p, vec_add(place, away))


@helper
def remember_feet(state: State, work: Work) -> None:
    """Keep ankles where they stand: one that is seen again eases from there."""
    pelvis = vec_load(work.points, PELVIS)
    for p in range(ANKLES, ANKLES + 2):
        away = vec_sub(vec_load(work.points, p), pelvis)
        vec_store(state.held, p, quat_unrotate(last_pelvis(state), away))
