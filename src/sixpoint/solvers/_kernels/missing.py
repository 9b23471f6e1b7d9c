"""Points that were not seen: keep them with the body, and bring them back without a pop.

A lost wrist, ankle or head keeps its place relative to the pelvis, so that a person who walks or
turns takes it along; with `predict` it also moves on with its last speed for a moment. A lost
pelvis moves with the head, or with the mean of what is seen. When a point is seen again, its target
starts where the guess was and eases to the measurement: after a long gap slowly, after a blink at
once.

A guess is no evidence of where the pelvis faces: it goes where the pelvis goes, and would turn it
round and round. Only lines that were measured count; without one of them the pelvis turns slowly.
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
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_cross,
    vec_dot,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from .pelvis import flat_direction, pelvis_frame
from .tables import MISSING, RECOVERING, Body, Settings, State, Work

LONG_AGO = 1_000_000
EASE_OVER_GAP = 2.0
"""A point eases back in this many times as long as it was lost, `recovery` at most."""
PELVIS, HEAD = 0, 1
FARTHEST = 1e9
"""A coordinate beyond this is no place on earth [m]: not seen, like NaN."""


@helper
def is_place(v: Vec3) -> bool:
    """Whether a position was seen: no NaN, no infinity, nothing absurd."""
    return abs(v[0]) < FARTHEST and abs(v[1]) < FARTHEST and abs(v[2]) < FARTHEST


@helper
def last_pelvis(state: State) -> Quat:
    """World rotation of the pelvis in the frame before: what lost points turn with."""
    return (state.pelvis[0], state.pelvis[1], state.pelvis[2], state.pelvis[3])


@helper
def easing(settings: Settings, gap: float) -> float:
    """Frames in which to ease back after a gap of so many frames."""
    return float(min(settings.recovery, EASE_OVER_GAP * gap))


@helper
def eased(state: State, p: int, here: Vec3, age: int) -> Vec3:
    """A place that was seen; for some frames a smooth step from the guess to it."""
    if age >= state.eases[p]:
        return here
    x = (age + 1.0) / (state.eases[p] + 1.0)
    left = 1.0 - x * x * (3.0 - 2.0 * x)
    return vec_add(here, vec_scale(vec_load(state.corrections, p), left))


@helper
def guess_pelvis(body: Body, state: State, seen: Floats) -> Vec3:
    """Where a pelvis that was not seen is likely to be."""
    known = state.frames > 0
    moved, count = (0.0, 0.0, 0.0), 0
    for p in range(HEAD, seen.shape[0]):
        here = vec_load(seen, p)
        age = state.ages[p]
        if not is_place(here) or (known and age < 0):
            continue  # a point that is just back does not say how it went
        if known:
            here = vec_sub(eased(state, p, here, age), vec_load(state.points, p))
        else:
            here = vec_sub(here, vec_load(body.stance, p))
        moved = vec_add(moved, here)
        count += 1
        if p == HEAD:
            break  # the head moves with the pelvis; hands and feet have their own ways
    start = vec_load(state.points, PELVIS) if known else (0.0, 0.0, 0.0)
    if count == 0:
        return start
    return vec_add(start, vec_scale(moved, 1.0 / count))


@helper
def first_facing(settings: Settings, state: State, work: Work, seen: Floats) -> Quat:
    """Rotation of the pelvis in a first frame that is not whole, from the lines that are."""
    for p in range(PELVIS, seen.shape[0], 2):
        whole = is_place(vec_load(seen, p)) and is_place(vec_load(seen, p + 1))
        vec_store(work.points, p, vec_load(seen, p) if whole else (0.0, 0.0, 0.0))
        vec_store(work.points, p + 1, vec_load(seen, p + 1) if whole else (0.0, 0.0, 0.0))
    return pelvis_frame(settings, state, work.points)


@helper
def fill_points(body: Body, settings: Settings, state: State, work: Work, seen: Floats) -> int:
    """Write the six positions to use into `work.points`; flags of those that were guessed."""
    known = state.frames > 0
    turn = last_pelvis(state) if known else first_facing(settings, state, work, seen)
    flags = 0
    for p in range(seen.shape[0]):
        local = vec_load(state.held, p) if known else vec_load(body.stance, p)
        if p == PELVIS:
            guess = guess_pelvis(body, state, seen)
        else:
            guess = vec_add(vec_load(work.points, PELVIS), quat_rotate(turn, local))
        here = vec_load(seen, p)
        age = state.ages[p]
        if not is_place(here):
            flags |= MISSING << p
            state.ages[p] = min(age, 0) - 1
            vec_store(state.held, p, local)
            vec_store(work.points, p, guess)
            continue
        if age < 0 and known:  # back again: start from the guess
            guess = vec_add(guess, quat_rotate(turn, vec_load(state.drifts, p)))
            vec_store(state.corrections, p, vec_sub(guess, here))
            vec_store(state.drifts, p, (0.0, 0.0, 0.0))
            state.eases[p] = easing(settings, -age)
            age = 0
        elif age < 0:
            age = LONG_AGO
        if age < state.eases[p]:
            flags |= RECOVERING
        state.ages[p] = min(age + 1, LONG_AGO)
        vec_store(work.points, p, eased(state, p, here, age))
    return flags


@helper
def measured_facing(settings: Settings, state: State, work: Work, flags: int, seen: Floats) -> Quat:
    """Rotation of the pelvis from the lines between wrists and ankles that were measured."""
    gap = 0
    for p in range(work.lines.shape[0]):
        vec_store(work.lines, p, vec_load(work.points, p))
    for p in range(HEAD + 1, work.lines.shape[0], 2):
        whole = flags & (3 * (MISSING << p)) == 0
        for side in range(p, p + 2):  # without a point the line has no length, and no vote
            vec_store(work.lines, side, vec_load(seen, side) if whole else (0.0, 0.0, 0.0))
            if settings.weights[p // 2 - 1] > 0.0:
                gap = max(gap, -state.ages[side])
    estimate = pelvis_frame(settings, state, work.lines)
    if state.frames == 0:
        return estimate
    part = 1.0
    if gap > 0:
        part = 1.0 / (settings.follow + 1.0)
        state.turning = int(easing(settings, gap))
    elif state.turning > 0:
        part = 1.0 / (state.turning + 1.0)
        state.turning -= 1
    if part == 1.0:
        return estimate
    up = quat_rotate(estimate, (0.0, 1.0, 0.0))
    goal = quat_rotate(estimate, (1.0, 0.0, 0.0))
    left, known = flat_direction(as3(state.left), up)
    if known == 0.0:
        return estimate
    angle = part * math.atan2(vec_dot(vec_cross(left, goal), up), vec_dot(left, goal))
    if abs(angle) > settings.turn:  # no faster than people turn, however long it takes
        angle = math.copysign(settings.turn, angle)
        state.turning = max(state.turning, 1)
    left = quat_rotate(quat_from_axis_angle(up, angle), left)
    return quat_from_columns((left, up, vec_cross(left, up)))


@helper
def predict_points(state: State, work: Work, flags: int) -> None:
    """Let lost points move on with their last speed."""
    turn = last_pelvis(state)
    for p in range(HEAD, work.points.shape[0]):
        if flags & (MISSING << p):
            drift = vec_add(vec_load(state.drifts, p), vec_load(state.speeds, p))
            vec_store(state.drifts, p, drift)
            vec_store(work.points, p, vec_add(vec_load(work.points, p), quat_rotate(turn, drift)))


@helper
def is_steady(state: State, p: int) -> bool:
    """Whether a point was seen in this frame and in the one before, and is where it was seen."""
    return bool(state.ages[p] >= 2 and state.ages[p] > state.eases[p] + 1)


@helper
def remember_points(settings: Settings, state: State, work: Work, flags: int, pelvis: Quat) -> None:
    """Keep what the next frame needs."""
    known = state.frames > 0
    for p in range(work.points.shape[0]):
        here = vec_load(work.points, p)
        vec_store(state.points, p, here)
        if known and flags & (MISSING << p):
            vec_store(state.speeds, p, vec_scale(vec_load(state.speeds, p), settings.fade))
            continue
        now = quat_unrotate(pelvis, vec_sub(here, vec_load(work.points, PELVIS)))
        # A speed is measured: point and pelvis were seen in this frame and in the one before, and
        # neither is easing back. One that was guessed would feed on itself.
        speed = (0.0, 0.0, 0.0)
        if known and is_steady(state, p) and is_steady(state, PELVIS):
            speed = vec_sub(now, vec_load(state.held, p))
        vec_store(state.speeds, p, speed)
        vec_store(state.held, p, now)
    state.pelvis[0], state.pelvis[1], state.pelvis[2], state.pelvis[3] = pelvis
