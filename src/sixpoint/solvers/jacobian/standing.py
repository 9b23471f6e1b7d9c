"""Where a body stands: its feet on the ankles that are seen, its support, its legs, its balance.

Feet that carry a body stay where they are. The line between the ankles says where they face; the
hull of the soles is what the centre of mass shall stay above.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.tasks import (
    INSIDE,
    Masses,
    carry_masses,
    centre_column,
    convex_hull,
    support_nearest,
)
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from ..articulated.model import Model, ModelPose
from ..context import LIMITED, MISSING
from ..people.tables import FIRST_LIMB, LIMB_ROWS, PELVIS, Body, Settings, State, Work
from ..sequential.limb import FELT, level_foot, limb_begin, limb_end, triangle_angle, write_row
from .priority_step import PriorityWork

WRIST, ANKLE, SHOULDER = FIRST_LIMB, FIRST_LIMB + 2, 6
"""End effectors of the left side; those of the right follow. Two shoulders come after the six
points."""
SIMPLE, LEGS = 0, 1
"""Choices of `BalanceSolver.body`."""
UP = (0.0, 1.0, 0.0)
LEAST_STANCE_WIDTH = 0.25
"""Ankles nearer than this part of their distance in the neutral stance do not say where the feet
face."""
LEAST_TURN = 1e-9
"""Feet that face where they did to this angle stand still [rad]."""
LEG_TOLERANCE = 0.005
"""An ankle of a straight leg that is off by less than this part of the leg is met: the virtual foot
leans in one piece, legs side by side do not."""
MOST_STRADDLE = 0.9
"""Farthest that an ankle counts as away from below its hip, as a part of the leg."""
SUPPORT_PART = 0.8
"""Part of the soles above which a body with legs is kept: nobody stands on the very edge."""


class Stance(NamedTuple):
    """A body that stands: E end effectors, N joints, D degrees of freedom, K corners of soles."""

    masses: Masses
    # end effectors in the neutral stance, seen from where the body stands [m], (E, 3)
    neutral: Floats
    balance: Ints  # first row of the task of balance in the Jacobian, (1,)
    sole: Floats  # corners (x, z) of a sole as seen from its ankle [m], (K / 2, 2)
    leg: Floats  # height of the hips above the ankles in the neutral stance [m], (1,)
    # corners (x, z) of what the centre of mass shall stand above, seen from where the body stands,
    # counter-clockwise seen from below (x towards z) [m]: one, or K of a body with legs
    support: Floats
    ankles: Annotated[Floats, 2, 3]  # memory: where the left and the right ankle stand [m]
    # memory: where the body stands: on the ground between its feet [m]
    position: Annotated[Floats, 1, 3]
    heading: Annotated[Floats, 1, 4]  # memory: its rotation about the vertical
    # scratch: corners of both soles, seen from where the body stands [m]
    corners: Annotated[Floats, "K", 2]
    # scratch: mass that moves with each joint, and that mass times its centre [m]
    carried: Annotated[Floats, "N", 4]
    # scratch: change of the centre's x and z with each degree of freedom
    slopes: Annotated[Floats, 2, "D"]
    # scratch: positions of all end effectors that tasks ask for [m]
    goals: Annotated[Floats, "E", 3]
    drift: Annotated[Floats, 1]  # scratch: distance of the centre of mass from its support [m]


class BalanceContext(NamedTuple):
    """A person who stands; arrays of one record outside of kernels, records inside."""

    body: Body
    settings: Settings
    state: State
    work: Work
    limits: LimitTable
    rest: Floats
    model: Model
    pose: ModelPose
    scratch: PriorityWork
    stance: Stance


@helper
def in_world(stance: Stance, place: Vec3) -> Vec3:
    """World position of what is seen from where the body stands [m]."""
    away = quat_rotate(quat_load(stance.heading, 0), place)
    return vec_add(vec_load(stance.position, 0), away)


@helper
def from_stance(stance: Stance, position: Vec3) -> Vec3:
    """A world position as seen from where the body stands [m]."""
    away = vec_sub(position, vec_load(stance.position, 0))
    return quat_unrotate(quat_load(stance.heading, 0), away)


@helper
def stand_on(c: BalanceContext, flags: int, estimate: Quat, first: bool) -> bool:
    """Stand on the ankles that are seen; return whether anything moved.

    An ankle that is not seen stays, and eases to where it comes back.
    """
    stance, state = c.stance, c.state
    moved = first
    for side in range(2):
        ankle = ANKLE + side
        if first or not flags & (MISSING << ankle):
            here, stood = vec_load(c.work.points, ankle), vec_load(stance.ankles, side)
            moved = moved or here != stood
            left = 0.0 if first else max(0.0, state.eases[ankle] - state.ages[ankle])
            way = vec_scale(vec_sub(here, stood), 1.0 / (left + 1.0))
            vec_store(stance.ankles, side, vec_add(stood, way) if left > 0.0 else here)
    heading, turned = feet_heading(c, estimate, first)
    if not (moved or turned):
        return False
    quat_store(stance.heading, 0, heading)
    vec_store(stance.position, 0, standing_position(stance, heading))
    if c.settings.body == LEGS:
        support_soles(stance)
    return True


@helper
def feet_heading(c: BalanceContext, estimate: Quat, first: bool) -> tuple[Quat, bool]:
    """Return where the feet face, by the line between the ankles, and whether that changed.

    Ankles that are nearly at one place say nothing. After the first frame the feet turn slowly:
    who walks faces where the line is on average.
    """
    stance, settings = c.stance, c.settings
    before = quat_load(stance.heading, 0)
    line = vec_sub(vec_load(stance.ankles, 0), vec_load(stance.ankles, 1))
    apart = vec_distance(vec_load(stance.neutral, ANKLE), vec_load(stance.neutral, ANKLE + 1))
    if not math.hypot(line[0], line[2]) > LEAST_STANCE_WIDTH * apart:
        return (facing(quat_rotate(estimate, (1.0, 0.0, 0.0))) if first else before), False
    if first:
        return facing(line), True
    angle = quat_twist_angle(quat_mul(facing(line), quat_conj(before)), UP)
    step = min(max(angle / (settings.follow + 1.0), -settings.turn), settings.turn)
    return quat_mul(quat_from_axis_angle(UP, step), before), abs(angle) > LEAST_TURN


@helper
def facing(side: Vec3) -> Quat:
    """Rotation about the vertical that takes +X to the horizontal part of a direction."""
    return quat_from_axis_angle(UP, -math.atan2(side[2], side[0]))


@helper
def standing_position(stance: Stance, heading: Quat) -> Vec3:
    """Where a body stands that faces so: between its ankles, as deep as its legs allow.

    Feet farther apart than in the neutral stance: legs of the same length carry a lower pelvis.
    """
    one, other = vec_load(stance.ankles, 0), vec_load(stance.ankles, 1)
    left, right = vec_load(stance.neutral, ANKLE), vec_load(stance.neutral, ANKLE + 1)
    middle = vec_scale(vec_add(left, right), 0.5)
    position = vec_sub(vec_scale(vec_add(one, other), 0.5), quat_rotate(heading, middle))
    low = min(one[1] - left[1], other[1] - right[1])
    sunk = 0.0
    for side in range(2):
        beside = quat_rotate(heading, vec_load(stance.neutral, ANKLE + side))
        away = vec_sub(vec_sub(vec_load(stance.ankles, side), position), beside)
        part = min(math.hypot(away[0], away[2]) / stance.leg[0], MOST_STRADDLE)
        sunk = max(sunk, stance.leg[0] * (1.0 - math.sqrt(1.0 - part * part)))
    return (position[0], low - sunk, position[2])


@helper
def support_soles(stance: Stance) -> None:
    """Write the hull of both soles as the support, drawn in a little; corners repeat at the end."""
    sole, corners, support = stance.sole, stance.corners, stance.support
    count = sole.shape[0]
    x, z = 0.0, 0.0
    for side in range(2):
        ankle = from_stance(stance, vec_load(stance.ankles, side))
        for k in range(count):
            corners[side * count + k, 0] = ankle[0] + sole[k, 0]
            corners[side * count + k, 1] = ankle[2] + sole[k, 1]
            x += 0.5 * (ankle[0] + sole[k, 0]) / count
            z += 0.5 * (ankle[2] + sole[k, 1]) / count
    found = convex_hull(corners, support)
    # Drawn in towards the middle of all corners: that of the hull would jump with rounding.
    for k in range(found):
        support[k, 0] = x + SUPPORT_PART * (support[k, 0] - x)
        support[k, 1] = z + SUPPORT_PART * (support[k, 1] - z)
    for k in range(found, 2 * count):
        support[k, 0], support[k, 1] = support[found - 1, 0], support[found - 1, 1]


@helper
def plant_legs(c: BalanceContext) -> int:
    """Place the legs of a body on a virtual foot, from its pelvis to its ankles; return flags.

    Knees bend to the distance, then thighs turn from the neutral stance by the least angle. Fills
    the rows of the legs and their ends.
    """
    body, limits, work, stance = c.body, c.limits, c.work, c.stance
    flags = 0
    pelvis = c.model.effector_joint[PELVIS]
    quat_store(work.world, 0, quat_load(c.pose.world, pelvis))
    vec_store(work.places, 0, vec_load(c.pose.position, pelvis))
    for side in range(2):
        limb = 2 + side
        target = vec_load(stance.ankles, side)
        base, more = limb_begin(c, limb, target)
        upper, lower = body.bones[limb, 0], body.bones[limb, 1]
        wanted = math.pi - triangle_angle(upper, lower, vec_length(base.aim))
        angle = limit_clamp_angle(limits, base.row + 2, wanted)
        bend = quat_from_axis_angle((1.0, 0.0, 0.0), angle)
        leg = vec_add((0.0, -upper, 0.0), quat_rotate(bend, (0.0, -lower, 0.0)))
        turn = rotation_between(leg, base.aim, (1.0, 0.0, 0.0))
        held = limit_project(limits, base.row + 1, turn)
        if held != turn or abs(angle - wanted) > FELT:
            more |= LIMITED << limb
        end = limb_end(c, base, held, angle)
        vec_store(work.ends, ANKLE + side, end)
        if vec_distance(end, target) > LEG_TOLERANCE * stance.leg[0]:
            flags |= more
    return flags


@helper
def write_legs(c: BalanceContext, rotations: Floats) -> None:
    """Write the rows of legs into the rotations of the rig; of legs that have moved, level feet.

    Feet are level as far as ankles go: limits that were estimated may exclude a level foot.
    """
    first = 0
    for side in range(2):
        row = c.body.joints + LIMB_ROWS * (2 + side)
        if c.settings.body == LEGS:
            first = LIMB_ROWS - 1
            shank = quat_load(c.pose.world, c.model.effector_joint[ANKLE + side])
            quat_store(c.work.local, row + first, level_foot(shank))
        ankle = row + LIMB_ROWS - 1
        held = limit_project(c.limits, ankle, quat_load(c.work.local, ankle))
        quat_store(c.work.local, ankle, held)
        for k in range(first, LIMB_ROWS):
            write_row(c, row + k, rotations)


@helper
def centre_slopes(c: BalanceContext) -> Vec3:
    """Write how the centre's x and z change with every degree of freedom, as parts of the size.

    The height is free. Expects the axes. Returns the centre of mass [m].
    """
    model, pose, work, stance, slopes = c.model, c.pose, c.scratch, c.stance, c.stance.slopes
    size = model.size[0]
    carry_masses(stance.masses, model.parent, pose.world, pose.position, stance.carried)
    for joint in range(model.parent.shape[0]):
        position, carried = vec_load(pose.position, joint), stance.carried[joint]
        for k in range(model.first[joint], model.first[joint] + model.freedom[joint]):
            column = centre_column(vec_load(work.axes, k), position, carried)
            slopes[0, k], slopes[1, k] = column[0] / size, column[2] / size
    if work.floating[0]:
        d = slopes.shape[1]
        for k in range(3):
            slopes[0, d - 3 + k], slopes[1, d - 3 + k] = 0.0, 0.0
        slopes[0, d - 3], slopes[1, d - 1] = 1.0, 1.0
    return (stance.carried[0, 1], stance.carried[0, 2], stance.carried[0, 3])


@helper
def support_goal(stance: Stance, centre: Vec3) -> tuple[Vec3, bool]:
    """The place above the support nearest to the centre of mass, and whether that is the centre."""
    here = from_stance(stance, centre)
    support = stance.support
    x, z, edge = support_nearest(support, 0, support.shape[0], here[0], here[2])
    return in_world(stance, (x, here[1], z)), edge == INSIDE
