"""A body of which only head and hands are seen: it stands on its feet, and squats when it must.

Neither pelvis nor ankles being tracked (a headset and two controllers), the ground is taken to be
where the feet of a standing person are. A head that sinks bends the knees and leans the trunk; one
that rises takes the feet along, for a jump is no new ground; only a head that stays high or low
moves the ground, slowly. Feet follow the body, and glide when it walks: how they step cannot be
seen.

The body faces where the hands are, and across the line between them: of hands that cross, the line
is short and wrong, but they are in front. It turns no faster than people do.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_from_columns,
    quat_rotate,
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
from .frame import FIRST_LIMB, HEAD, PELVIS
from .guide_tables import Memory
from .missing import last_pelvis
from .tables import MISSING, Body, Settings, State, Work

UNSEEN = MISSING << PELVIS | MISSING << (FIRST_LIMB + 2) | MISSING << (FIRST_LIMB + 3)
"""Pelvis and both ankles."""
HANDS = MISSING << FIRST_LIMB | MISSING << (FIRST_LIMB + 1)
"""Either wrist."""
ANKLES = FIRST_LIMB + 2
"""Row of the left ankle; the right one follows."""
LEAN = 0.8
"""How far the trunk leans in the deepest squat [rad]."""
LOWEST = 0.25
"""Height of the pelvis over the ankles in the deepest squat, as a part of the leg's."""
FOLLOW = 0.4
"""Time in which the feet follow [s]."""
LAG = 0.1
"""How far they stay behind at most, as a part of the leg's length."""
FRONT = 0.5
"""What the way from the head to the middle of the hands counts against the line between them.

With 0.4 to 0.6 the pelvis of 66 CMU clips is found best (26.5 degrees RMS, 29 by the line alone).
"""
TURN, SPAN = 0.06, 0.3
"""Time in which the body turns to where its hands are [s], if they are so far away, as a part of
height; the nearer they are, the longer it takes."""
FASTEST = math.radians(720.0)
"""And no faster than this [rad/s]: a spinning kick."""
NEAR, SOON, RISE, FALL = 0.05, 3.0, 20.0, 120.0
"""Times in which the ground follows a head that is higher or lower than that of a standing person
[s]: by less than this part of height, higher, lower."""
SOFT = 0.005
"""Nobody stands with straight knees, and straight ones would snap with every bob of the head: legs
are shorter by twice this part of height, and become straight by degrees."""
EASE = 0.3
"""Time in which the body comes to stand when pelvis and ankles are lost [s]."""


@helper
def hands_facing(
    body: Body, settings: Settings, state: State, work: Work, flags: int, estimate: Quat
) -> Vec3:
    """To the left of the body, level, by where its hands are."""
    up = (0.0, 1.0, 0.0)
    left = vec_unit(vec_reject(quat_rotate(estimate, (1.0, 0.0, 0.0)), up), (1.0, 0.0, 0.0))
    if state.frames > 0:
        left = vec_unit(vec_reject(as3(state.left), up), left)
    if flags & HANDS:
        return left
    one, other = vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1)
    middle = vec_scale(vec_add(one, other), 0.5)
    front = vec_sub(middle, vec_load(work.points, HEAD))
    goal = vec_add(vec_sub(one, other), vec_scale(vec_cross(up, front), FRONT))
    goal = vec_reject(goal, up)
    far = vec_length(goal) / (SPAN * body.height)
    if far < 1e-6:
        return left
    if state.frames == 0:
        return vec_unit(goal, left)
    angle = math.atan2(vec_dot(vec_cross(left, goal), up), vec_dot(left, goal))
    # Arms that swing turn the line to and fro: small angles are followed slowly.
    angle *= 1.0 - math.exp(-settings.period * min(far, 1.0) * min(abs(angle), 1.0) / TURN)
    most = FASTEST * settings.period
    return quat_rotate(quat_from_axis_angle(up, min(max(angle, -most), most)), left)


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
def stand_up(
    body: Body,
    settings: Settings,
    state: State,
    memory: Memory,
    work: Work,
    flags: int,
    estimate: Quat,
) -> Quat:
    """Write places of pelvis and ankles that suit the head; nothing else is known.

    Returns:
        Where the body faces: the rotation of a pelvis below the head.
    """
    up = (0.0, 1.0, 0.0)
    left = hands_facing(body, settings, state, work, flags, estimate)
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
    lean = LEAN * sunk * (2.0 - sunk)
    # Leaning lowers the head by itself; what is left, the knees do.
    drop = vec_add(
        vec_scale(up, -trunk * math.cos(lean)),
        vec_scale(front, body.stance[HEAD, 2] - trunk * math.sin(lean)),
    )
    pelvis = vec_add(head, drop)
    lowest = floor + LOWEST * leg
    pelvis = (pelvis[0], max(pelvis[1], lowest), pelvis[2])
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
    return quat_from_columns((across, along, vec_cross(across, along)))


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
