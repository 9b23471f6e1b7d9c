"""A ball against convex prisms, and how a limb turns its middle joint out of them.

A prism stands on a frame: a convex polygon in the frame's XZ plane, extruded along Y. The SIK
paper, section 8, uses this for elbows and torso.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._jit import helper, kernel
from .quaternion import (
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_unrotate,
)
from .types import Floats, Ints, Quat, Vec3
from .vector import (
    TINY,
    vec_add,
    vec_angle,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_sub,
    vec_unit,
)


class PrismTable(NamedTuple):
    """Prisms as arrays, all with the same number of corners."""

    joints: Ints
    """Frame that carries each prism, shape (P,)."""
    y_low: Floats
    """Lower ends [m], shape (P,)."""
    y_high: Floats
    """Upper ends [m], shape (P,)."""
    polygons: Floats
    """Corners (x, z) [m], shape (P, K, 2), convex, in the order in which X turns towards Z."""


class PushedLimb(NamedTuple):
    """Joints of a limb in the world [m]."""

    root: Vec3
    middle: Vec3
    end: Vec3
    """Target of its end."""
    straight: bool
    """Whether the limb is almost stretched out."""


class PushSearch(NamedTuple):
    """Steps that take a limb out of prisms."""

    gain: float
    """Factor k of the swivel step (Unzueta et al. 2008, section 8)."""
    tolerance: float
    """Depth that counts as out [m]."""
    max_steps: int
    """Steps after which the pose with the least depth is kept."""


@helper
def prism_depth(
    point: Vec3, radius: float, polygon: Floats, y_low: float, y_high: float
) -> tuple[float, float, float]:
    """How deep a ball is in a prism, and the shortest way out.

    Args:
        point: centre of the ball in the prism's frame [m].
        radius: of the ball [m].
        polygon: corners (x, z) [m], shape (K, 2).
        y_low: lower end [m].
        y_high: upper end [m].

    Returns:
        Depth [m] and the outward unit direction (x, z). Positive: the ball must move that far along
        the direction to be out. Negative: the gap between them. Beyond the ends by more than the
        radius the prism does not act, and the depth is minus the distance to where it does.
    """
    beyond = max(y_low - radius - point[1], point[1] - y_high - radius)
    if beyond > 0.0:
        return (-beyond, 0.0, 0.0)
    x, z = point[0], point[2]
    outside = -math.inf  # distance outside the edge that is furthest out: inside, minus the exit
    edge_x, edge_z = 1.0, 0.0
    nearest = math.inf  # squared distance of the nearest point of the outline
    near_x, near_z = 0.0, 0.0
    count = polygon.shape[0]
    for k in range(count):
        ax, az = polygon[k, 0], polygon[k, 1]
        last = k + 1 == count
        bx = polygon[0, 0] if last else polygon[k + 1, 0]
        bz = polygon[0, 1] if last else polygon[k + 1, 1]
        dx, dz = bx - ax, bz - az
        length = math.sqrt(dx * dx + dz * dz)
        if length < TINY:
            continue
        dx, dz = dx / length, dz / length
        out = (x - ax) * dz - (z - az) * dx
        if out > outside:
            outside, edge_x, edge_z = out, dz, -dx
        along = min(max((x - ax) * dx + (z - az) * dz, 0.0), length)
        gap_x, gap_z = x - ax - along * dx, z - az - along * dz
        square = gap_x * gap_x + gap_z * gap_z
        if square < nearest:
            nearest, near_x, near_z = square, gap_x, gap_z
    if outside == -math.inf:
        return (outside, 0.0, 0.0)  # no edge has a length, or the point is not a number
    if outside <= TINY:
        return (radius - outside, edge_x, edge_z)
    # Outside the best direction is away from the nearest point, which may be a corner.
    gap = math.sqrt(nearest)
    return (radius - gap, near_x / gap, near_z / gap)


@helper
def prism_witness(point: Vec3, radius: float, depth: float, u: Vec3) -> tuple[Vec3, Vec3]:
    """The two points that must meet: p_t on the prism's face, p_e the deepest of the ball."""
    return (vec_add(point, vec_scale(u, depth - radius)), vec_sub(point, vec_scale(u, radius)))


@helper
def prisms_depth(
    table: PrismTable, positions: Floats, rotations: Floats, point: Vec3, radius: float
) -> tuple[float, Vec3]:
    """The deepest of all prisms: depth [m] and the way out as a unit vector of the world.

    Args:
        table: the prisms.
        positions: world positions of the frames [m], shape (>= J, 3).
        rotations: world rotations of the frames, shape (J, 4).
        point: centre of the ball in the world [m].
        radius: of the ball [m].
    """
    deepest = -math.inf
    way = (0.0, 0.0, 0.0)
    for p in range(table.joints.shape[0]):
        j = table.joints[p]
        q = quat_load(rotations, j)
        local = quat_unrotate(q, vec_sub(point, vec_load(positions, j)))
        depth, ux, uz = prism_depth(
            local, radius, table.polygons[p], table.y_low[p], table.y_high[p]
        )
        if depth > deepest:
            deepest = depth
            way = quat_rotate(q, (ux, 0.0, uz))
    return (deepest, way)


@helper
def prism_push_straight(root: Vec3, middle: Vec3, radius: float, depth: float, u: Vec3) -> Quat:
    """Rotation about the root of a straight limb that takes p_e towards p_t (section 8)."""
    p_t, p_e = prism_witness(middle, radius, depth, u)
    v = vec_unit(vec_sub(p_e, root), u)
    w = vec_unit(vec_sub(p_t, root), u)
    normal = vec_cross(v, w)
    sine = vec_length(normal)
    if sine < TINY:
        return (1.0, 0.0, 0.0, 0.0)  # no turn brings them nearer
    return quat_from_axis_angle(vec_scale(normal, 1.0 / sine), vec_angle(v, w))


@helper
def prism_push_swivel(root: Vec3, middle: Vec3, end: Vec3, angle: float, u: Vec3) -> Quat:
    """Rotation by an angle about the line from root to end that takes the middle along u."""
    axis = vec_unit(vec_sub(end, root), (0.0, -1.0, 0.0))
    # In the plane of limb and u both ways are as good: take the positive one.
    against = vec_dot(vec_cross(axis, vec_sub(middle, root)), u) < 0.0
    return quat_from_axis_angle(axis, -angle if against else angle)


@helper
def prisms_push_limb(
    table: PrismTable,
    positions: Floats,
    rotations: Floats,
    limb: PushedLimb,
    radius: float,
    search: PushSearch,
) -> tuple[Quat, float, int]:
    """Rotate a limb until the ball around its middle joint is out of all prisms.

    A bent limb swivels about the line from its root to its end, which stays where it is; a straight
    one rotates about its root.

    Args:
        table: the prisms.
        positions: world positions of the prisms' frames [m], shape (>= J, 3).
        rotations: world rotations of the prisms' frames, shape (J, 4).
        limb: its joints in the world.
        radius: of the ball [m].
        search: how large the steps are, and when they end.

    Returns:
        World rotation to apply at the root, the depth that is left [m] (at most `tolerance` unless
        it stalled), and the steps taken.
    """
    root = limb.root
    arm = vec_sub(limb.middle, root)
    length = vec_length(arm)
    turn: Quat = (1.0, 0.0, 0.0, 0.0)
    at = limb.middle
    depth, u = prisms_depth(table, positions, rotations, at, radius)
    best, least, steps = turn, depth, 0
    while depth > search.tolerance and steps < search.max_steps:
        if limb.straight:
            step = prism_push_straight(root, at, radius, depth, u)
        else:
            angle = search.gain * depth / max(length, TINY)
            step = prism_push_swivel(root, at, limb.end, angle, u)
        turn = quat_normalize(quat_mul(step, turn))
        at = vec_add(root, quat_rotate(turn, arm))
        depth, u = prisms_depth(table, positions, rotations, at, radius)
        steps += 1
        if depth < least:
            best, least = turn, depth
    return (best, least, steps)


@kernel
def prisms_depth_clip(
    table: PrismTable,
    positions: Floats,
    rotations: Floats,
    points: Ints,
    radius: float,
    out: Floats,
) -> None:
    """Depth of some nodes in every frame.

    Args:
        table: the prisms.
        positions: world positions of all nodes [m], shape (F, J+S, 3).
        rotations: world rotations of all joints, shape (F, J, 4).
        points: nodes to test, shape (n,).
        radius: of the ball around each [m].
        out: depths [m], shape (F, n), written.
    """
    for f in range(positions.shape[0]):
        for k in range(points.shape[0]):
            point = vec_load(positions[f], points[k])
            depth, _ = prisms_depth(table, positions[f], rotations[f], point, radius)
            out[f, k] = depth
