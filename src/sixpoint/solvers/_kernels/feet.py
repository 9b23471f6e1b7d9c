"""Where a body stands: its feet on the ankles that are seen, its support, and its legs.

Feet that carry a body stay where they are. The line between the ankles says where they face; the
hull of the soles is what the centre of mass shall stay above.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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
from .centre_of_mass import Masses
from .figure import Figure, FigurePose
from .frame import FIRST_LIMB
from .limb_ends import FELT, level_foot, limb_begin, limb_end, triangle_angle
from .tables import LIMB_ROWS, LIMITED, MISSING, Body, Settings, State, Work

NARROW = 0.25
"""Ankles nearer than this part of their distance in the neutral stance do not say where the feet
face."""
TURNED = 1e-9
"""Feet that face where they did to this angle stand still [rad]."""
SHORT = 0.005
"""An ankle of a straight leg that is off by less than this part of the leg is met: the virtual foot
leans in one piece, legs side by side do not."""
WIDEST = 0.9
"""Farthest that an ankle counts as away from below its hip, as a part of the leg."""
SUPPORT = 0.8
"""Part of the soles above which a body with legs is kept: nobody stands on the very edge."""
SAME = 1e-12
"""Corners whose triangle is smaller than this are on a line [m^2]."""


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
    """Rows of the left and the right shank; -1 for a body on a virtual foot, (2,)."""
    elbows: Ints
    """Rows of the left and the right elbow, (2,)."""
    shoulders: Ints
    """Tips of the left and the right shoulder, (2,)."""
    observe: Ints
    """Whether straight elbows are told to bend, (1,)."""
    balance: Ints
    """First row of the task of balance in the Jacobian, (1,)."""
    sole: Floats
    """Corners (x, z) of a sole as seen from its ankle [m], (K, 2); none: `support` stays."""
    leg: Floats
    """Height of the hips above the ankles in the neutral stance [m], (1,)."""
    ankles: Floats
    """Memory: where the left and the right ankle stand [m], (2, 3)."""
    slopes: Floats
    """Scratch: change of the centre's x and z with each degree of freedom, (2, D)."""
    foot: Floats
    """Memory: where the root stands [m], (1, 3)."""
    heading: Floats
    """Memory: how it is turned about the vertical, (1, 4)."""
    goals: Floats
    """Places of all tips that tasks ask for [m], (E, 3)."""
    drift: Floats
    """How far the centre of mass is from its support after the last step [m], (1,)."""


@helper
def facing(side: Vec3) -> Quat:
    """Turn about the vertical that takes +X to the horizontal part of a direction."""
    return quat_from_axis_angle((0.0, 1.0, 0.0), -math.atan2(side[2], side[0]))


@helper
def stand_on(
    stand: Stand,
    settings: Settings,
    state: State,
    points: Floats,
    flags: int,
    estimate: Quat,
    first: bool,
) -> bool:
    """Stand on the ankles that are seen; one that is not stays, and eases to where it comes back.

    The line between the ankles says where the feet face, whatever the hands do. Ankles that are
    nearly at one place say nothing. Who walks faces where the line is on average: after the first
    frame the feet turn slowly, as fast as people do.

    Returns:
        Whether anything moved.
    """
    moved = first
    for side in range(2):
        ankle = FIRST_LIMB + 2 + side
        if first or not flags & (MISSING << ankle):
            here, stood = vec_load(points, ankle), vec_load(stand.ankles, side)
            moved = moved or here != stood
            left = 0.0 if first else max(0.0, state.eases[ankle] - state.ages[ankle])
            way = vec_scale(vec_sub(here, stood), 1.0 / (left + 1.0))
            vec_store(stand.ankles, side, vec_add(stood, way) if left > 0.0 else here)
    one, other = vec_load(stand.ankles, 0), vec_load(stand.ankles, 1)
    before = quat_load(stand.heading, 0)
    heading = facing(quat_rotate(estimate, (1.0, 0.0, 0.0))) if first else before
    line = vec_sub(one, other)
    apart = vec_distance(vec_load(stand.rest, FIRST_LIMB + 2), vec_load(stand.rest, FIRST_LIMB + 3))
    if math.hypot(line[0], line[2]) > NARROW * apart:
        heading = facing(line)
        if not first:
            angle = quat_twist_angle(quat_mul(heading, quat_conj(before)), (0.0, 1.0, 0.0))
            moved = moved or abs(angle) > TURNED
            angle = min(max(angle / (settings.follow + 1.0), -settings.turn), settings.turn)
            heading = quat_mul(quat_from_axis_angle((0.0, 1.0, 0.0), angle), before)
    if not moved:
        return False
    place = vec_sub(
        vec_scale(vec_add(one, other), 0.5),
        quat_rotate(
            heading,
            vec_scale(
                vec_add(vec_load(stand.rest, FIRST_LIMB + 2), vec_load(stand.rest, FIRST_LIMB + 3)),
                0.5,
            ),
        ),
    )
    low = min(one[1] - stand.rest[FIRST_LIMB + 2, 1], other[1] - stand.rest[FIRST_LIMB + 3, 1])
    # Feet farther apart than in the neutral stance: legs of the same length carry a lower pelvis.
    sunk = 0.0
    for side in range(2):
        rest = quat_rotate(heading, vec_load(stand.rest, FIRST_LIMB + 2 + side))
        away = vec_sub(vec_sub(vec_load(stand.ankles, side), place), rest)
        part = min(math.hypot(away[0], away[2]) / stand.leg[0], WIDEST)
        sunk = max(sunk, stand.leg[0] * (1.0 - math.sqrt(1.0 - part * part)))
    place = (place[0], low - sunk, place[2])
    vec_store(stand.foot, 0, place)
    quat_store(stand.heading, 0, heading)
    if stand.sole.shape[0] > 0:
        support_soles(stand)
    return True


@helper
def support_soles(stand: Stand) -> None:
    """Write the hull of both soles as the support, drawn in a little; corners repeat at the end."""
    heading, foot = quat_load(stand.heading, 0), vec_load(stand.foot, 0)
    support, sole = stand.masses.support, stand.sole
    count = sole.shape[0]
    start, x, z = 0, math.inf, math.inf
    for k in range(2 * count):
        px, pz = sole_corner(stand, heading, foot, k)
        if px < x or (px == x and pz < z):
            start, x, z = k, px, pz
    # Gift wrapping: from each corner to the one that has all others on its left.
    here, found = start, 0
    for _ in range(2 * count):
        ax, az = sole_corner(stand, heading, foot, here)
        support[found, 0], support[found, 1] = ax, az
        found += 1
        there = here
        tx, tz = ax, az
        for k in range(2 * count):
            px, pz = sole_corner(stand, heading, foot, k)
            turn = (tx - ax) * (pz - az) - (tz - az) * (px - ax)
            longer = math.hypot(px - ax, pz - az) > math.hypot(tx - ax, tz - az)
            if there == here or turn < -SAME or (turn < SAME and longer):
                there, tx, tz = k, px, pz
        if there == start or (tx == x and tz == z):
            break
        here = there
    # Drawn in towards the middle of all corners: that of the hull would jump with rounding.
    mx, mz = 0.0, 0.0
    for k in range(2 * count):
        px, pz = sole_corner(stand, heading, foot, k)
        mx += 0.5 * px / count
        mz += 0.5 * pz / count
    for k in range(found):
        support[k, 0] = mx + SUPPORT * (support[k, 0] - mx)
        support[k, 1] = mz + SUPPORT * (support[k, 1] - mz)
    for k in range(found, support.shape[0]):
        support[k, 0], support[k, 1] = support[found - 1, 0], support[found - 1, 1]


@helper
def sole_corner(stand: Stand, heading: Quat, foot: Vec3, k: int) -> tuple[float, float]:
    """Corner k of both soles, as seen from where the root stands and faces."""
    count = stand.sole.shape[0]
    ankle = quat_unrotate(heading, vec_sub(vec_load(stand.ankles, k // count), foot))
    return ankle[0] + stand.sole[k % count, 0], ankle[2] + stand.sole[k % count, 1]


@helper
def plant_legs(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    stand: Stand,
    pose: FigurePose,
) -> int:
    """Legs of a body on a virtual foot, from its pelvis to where the ankles stand; flags.

    Knees bend to the distance, then thighs turn from the neutral stance by the least angle. Fills
    the rows of the legs and their ends.
    """
    flags = 0
    pelvis = stand.pelvis[0]
    quat_store(work.world, 0, quat_load(pose.world, pelvis))
    vec_store(work.places, 0, vec_load(pose.place, pelvis))
    for side in range(2):
        limb = 2 + side
        row = body.joints + LIMB_ROWS * limb
        target = vec_load(stand.ankles, side)
        parent, place, aim, more = limb_begin(body, limits, settings, state, work, limb, target)
        upper, lower = body.bones[limb, 0], body.bones[limb, 1]
        wanted = math.pi - triangle_angle(upper, lower, vec_length(aim))
        angle = limit_clamp_angle(limits, row + 2, wanted)
        bend = quat_from_axis_angle((1.0, 0.0, 0.0), angle)
        leg = vec_add((0.0, -upper, 0.0), quat_rotate(bend, (0.0, -lower, 0.0)))
        turn = rotation_between(leg, aim, (1.0, 0.0, 0.0))
        held = limit_project(limits, row + 1, turn)
        if held != turn or abs(angle - wanted) > FELT:
            more |= LIMITED << limb
        end = limb_end(body, settings, work, limb, parent, place, held, angle)
        vec_store(work.ends, FIRST_LIMB + limb, end)
        if vec_distance(end, target) > SHORT * stand.leg[0]:
            flags |= more
    return flags


@helper
def keep_legs(body: Body, work: Work, stand: Stand, figure: Figure, pose: FigurePose) -> None:
    """Rows of legs that the steps have moved; soles are level."""
    for side in range(2):
        row = body.joints + LIMB_ROWS * (2 + side)
        shank = stand.shanks[side]
        quat_store(work.local, row + 1, quat_load(pose.local, figure.parent[shank]))
        quat_store(work.local, row + 2, quat_load(pose.local, shank))
        quat_store(work.local, row + 3, level_foot(quat_load(pose.world, shank)))
