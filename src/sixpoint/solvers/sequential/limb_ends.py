"""How every limb begins and ends: its clavicle, where its root is, and what hangs below it.

The clavicle is that of the SIK paper's section 5 (Algorithm 4); in between, each method turns root
and hinge in its own way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_sub,
    vec_unit,
)
from ..context import CLAVICLE, UNREACHABLE
from ..people.tables import LIMB_ROWS
from .context import Context

FELT = 1e-6
"""A hinge that its limit holds back by less than this is straight, and not limited [rad]."""
JUST = 1e-9
"""A target farther away than the limb is long by less than this part is reached."""
DORSIFLEXION, PLANTARFLEXION, EVERSION = math.radians(20.0), math.radians(45.0), math.radians(15.0)
"""How far a level foot may turn at the ankle; usual ranges of motion (Merck Manual)."""
STANDING, LYING = math.cos(math.radians(45.0)), math.cos(math.radians(75.0))
"""Between these inclinations of the shank a foot eases from level to neutral."""

IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)


REST, HOLD, FIXED = 0, 1, 2
"""Choices of `SequentialSolver.clavicle`; the last is for methods whose clavicles never move."""
NEUTRAL, LEVEL = 0, 1
"""Choices of `SequentialSolver.feet`."""


class LimbBase(NamedTuple):
    """Where a limb hangs, and what it reaches for."""

    limb: int
    row: int
    """Row of its clavicle; root, hinge and end follow."""
    parent: Quat
    """World rotation of what its root hangs from."""
    place: Vec3
    """World position of its root [m]."""
    aim: Vec3
    """The target as seen from the root, in the parent's frame [m]."""


@helper
def triangle_angle(a: float, b: float, opposite: float) -> float:
    """Angle between sides a and b of a triangle, by the law of cosines [rad]."""
    if a <= 0.0 or b <= 0.0:
        return 0.0
    cosine = (a * a + b * b - opposite * opposite) / (2.0 * a * b)
    return math.acos(min(1.0, max(-1.0, cosine)))


@helper
def solve_clavicle(c: Context, limb: int, target: Vec3) -> tuple[Quat, bool]:
    """Algorithm 4: move the clavicle only as far as the straight arm needs.

    The wrist's target is given relative to the clavicle joint, in the chest's frame. Returns the
    local rotation of the clavicle, and whether it moved.
    """
    body, limits, settings, state = c.body, c.limits, c.settings, c.state
    row = body.joints + LIMB_ROWS * limb
    bone = vec_load(body.clavicles, limb)
    reach = body.bones[limb, 0] + body.bones[limb, 1]
    start = IDENTITY
    if settings.clavicle == HOLD and state.frames > 0:  # literal: "remains in its current"
        start = quat_slerp(quat_load(state.clavicles, limb), IDENTITY, settings.clavicle_relax)
    start = limit_project(limits, row, start)  # limits from motion need not allow the neutral one
    arm = quat_rotate(start, bone)
    a = vec_length(arm)
    d = vec_length(target)
    beyond = vec_distance(target, arm)
    if beyond <= reach:
        return start, False
    swing = triangle_angle(a, d, beyond) - triangle_angle(a, d, reach)
    if swing <= 0.0:
        return start, False
    axis = vec_unit(vec_cross(arm, target), (0.0, 0.0, 1.0))
    turned = quat_mul(quat_from_axis_angle(axis, swing), start)
    return limit_project(limits, row, turned), True


@helper
def level_foot(shank: Quat) -> Quat:
    """Ankle rotation that keeps the sole level, as far as an ankle goes.

    Ours (`feet="level"`): the points do not see feet, but people mostly stand on them. A shank that
    lies down has no use for it: the foot eases to neutral.
    """
    # Pitch about X, then roll about Z, that take the shank's up to the world's.
    up = quat_unrotate(shank, (0.0, 1.0, 0.0))
    x = min(max((up[1] - LYING) / (STANDING - LYING), 0.0), 1.0)
    share = x * x * (3.0 - 2.0 * x)
    pitch = share * min(max(math.atan2(up[2], up[1]), -DORSIFLEXION), PLANTARFLEXION)
    roll = share * min(max(-math.asin(min(max(up[0], -1.0), 1.0)), -EVERSION), EVERSION)
    return quat_mul(
        quat_from_axis_angle((1.0, 0.0, 0.0), pitch), quat_from_axis_angle((0.0, 0.0, 1.0), roll)
    )


@helper
def limb_begin(c: Context, limb: int, target: Vec3) -> tuple[LimbBase, int]:
    """Solve and write the clavicle of a limb that has one.

    Returns:
        Where the limb hangs, and flags.
    """
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    row = body.joints + LIMB_ROWS * limb
    carrier = body.carrier[limb]
    parent = quat_load(work.world, carrier)
    place = vec_add(vec_load(work.places, carrier), quat_rotate(parent, vec_load(body.bases, limb)))
    flags = 0
    bone = vec_load(body.clavicles, limb)
    girdle = IDENTITY
    if vec_length(bone) > 0.0:
        if settings.clavicle != FIXED:
            aim = quat_unrotate(parent, vec_sub(target, place))
            girdle, moved = solve_clavicle(c, limb, aim)
            quat_store(state.clavicles, limb, girdle)
            if moved:
                flags |= CLAVICLE << limb
        else:
            girdle = limit_project(limits, row, girdle)
        parent = quat_mul(parent, girdle)
        place = vec_add(place, quat_rotate(parent, bone))
    quat_store(work.local, row, girdle)
    aim = quat_unrotate(parent, vec_sub(target, place))
    # The clavicle brings a far target just within reach: rounding must not decide.
    if vec_length(aim) > (body.bones[limb, 0] + body.bones[limb, 1]) * (1.0 + JUST):
        flags |= UNREACHABLE << limb
    return LimbBase(limb, row, parent, place, aim), flags


@helper
def limb_end(c: Context, base: LimbBase, turn: Quat, angle: float) -> Vec3:
    """Write root, hinge and end of a limb; where its end comes to lie.

    The root turns by `turn` in its parent's frame, the hinge by `angle` about its X.
    """
    body, settings, work = c.body, c.settings, c.work
    limb, row = base.limb, base.row
    upper, lower = body.bones[limb, 0], body.bones[limb, 1]
    hinge = quat_from_axis_angle((1.0, 0.0, 0.0), angle)
    quat_store(work.local, row + 1, turn)
    quat_store(work.local, row + 2, hinge)
    thigh = quat_mul(base.parent, turn)
    shank = quat_mul(thigh, hinge)
    foot = level_foot(shank) if settings.feet == LEVEL and body.bend[limb] < 0.0 else IDENTITY
    quat_store(work.local, row + 3, foot)
    knee = vec_add(base.place, quat_rotate(thigh, (0.0, -upper, 0.0)))
    return vec_add(knee, quat_rotate(shank, (0.0, -lower, 0.0)))
