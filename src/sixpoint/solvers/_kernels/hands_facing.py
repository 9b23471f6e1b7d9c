"""Where a body faces of which only head and hands are seen.

Four cues, added as level vectors to the left of the body: the line between the hands; where the
middle of the hands is, seen from the head, for hands that cross make the line short and wrong, but
they are in front; where the head looks, if its rotation is known; and where the head moves, for
people mostly walk forwards. The body turns no faster than people do.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_from_axis_angle, quat_rotate
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
    vec_sub,
    vec_unit,
)
from .frame import FIRST_LIMB, HEAD
from .guide_tables import Memory
from .tables import MISSING, Body, Settings, State, Work

HANDS = MISSING << FIRST_LIMB | MISSING << (FIRST_LIMB + 1)
"""Either wrist."""
FRONT = 0.5
"""What the way from the head to the middle of the hands counts against the line between them."""
LOOK = 0.3
"""What the head counts, as a length in parts of height: half as much as outstretched hands."""
WALK = 0.8
"""What the head's speed counts [s]: that of a walk as much as its arms, that of a run more.

These three were fitted to 33 CMU clips, their form chosen on all 66. On the other 33 they find the
pelvis 22.9 degrees off (RMS), 20.0 if the head's rotation is known; line and middle of the hands
alone 24.9."""
STROLL = 0.2
"""Speed in heights a second below which a head sways rather than walks."""
STRIDE = 0.4
"""Time over which the speed is taken [s]: swaying is none."""
TURN, SPAN = 0.03, 0.3
"""Time in which the body turns to where the cues say [s], if these are so long, as a part of
height; the shorter they are, the longer it takes."""
FASTEST = math.radians(720.0)
"""And no faster than this [rad/s]: a spinning kick."""


@helper
def head_speed(settings: Settings, state: State, memory: Memory, head: Vec3) -> Vec3:
    """Level speed of the head, smoothed [m/s]."""
    if not memory.grounded or state.frames == 0 or settings.period <= 0.0:
        memory.speed[0], memory.speed[1] = 0.0, 0.0
        return (0.0, 0.0, 0.0)
    moved = vec_sub(head, vec_load(state.points, HEAD))
    part = 1.0 - math.exp(-settings.period / STRIDE)
    memory.speed[0] += part * (moved[0] / settings.period - memory.speed[0])
    memory.speed[1] += part * (moved[2] / settings.period - memory.speed[1])
    return (memory.speed[0], 0.0, memory.speed[1])


@helper
def to_hands(work: Work) -> Vec3:
    """From the head to the middle of the hands [m]."""
    one, other = vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1)
    return vec_sub(vec_scale(vec_add(one, other), 0.5), vec_load(work.points, HEAD))


@helper
def hands_facing(
    body: Body,
    settings: Settings,
    state: State,
    memory: Memory,
    work: Work,
    flags: int,
    estimate: Quat,
    look: Quat,
    has_look: bool,
) -> Vec3:
    """To the left of the body, level, by hands, head and where it goes."""
    up = (0.0, 1.0, 0.0)
    head = vec_load(work.points, HEAD)
    left = vec_unit(vec_reject(quat_rotate(estimate, (1.0, 0.0, 0.0)), up), (1.0, 0.0, 0.0))
    if state.frames > 0:
        left = vec_unit(vec_reject(as3(state.left), up), left)
    goal = (0.0, 0.0, 0.0)
    if not flags & HANDS:
        one, other = vec_load(work.points, FIRST_LIMB), vec_load(work.points, FIRST_LIMB + 1)
        front = to_hands(work)
        goal = vec_add(vec_sub(one, other), vec_scale(vec_cross(up, front), FRONT))
    if has_look:
        goal = vec_add(goal, vec_scale(quat_rotate(look, (1.0, 0.0, 0.0)), LOOK * body.height))
    speed = vec_cross(up, head_speed(settings, state, memory, head))
    pace = vec_length(speed) + STROLL * body.height
    # Who goes sideways faces neither way. Nor may a speed backwards have a say: a body that once
    # faces the wrong way would stay so.
    goal = vec_add(goal, vec_scale(speed, WALK * max(vec_dot(speed, left), 0.0) / pace))
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
