"""Straight chains, which cannot see which way to turn: nudge them out of their line.

Methods that look at one joint or bone after the other leave a straight chain on one line with its
target as it is, or fold it along the line. Functions of a context `c` expect a table `Parts` in
`c.scratch.parts`.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.types import Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_sub,
    vec_unit,
)
from .context import Context
from .joint_rotation import swing_joint
from .model import BALL, HINGE, POSITION, Model, ModelPose, Targets
from .parts import has_target, parent_rotation, slack

NUDGE = 0.1
"""Turn of every joint that gets a straight chain out of its straightness [rad]."""
STRAIGHT = 1e-5
"""A chain that deviates from a line by less than this part of the skeleton's size is straight."""
STIFF = 0.06
"""A hinge this near to the line between its ends is stiff: sweeps would bend it, but by so little
at first that they end before it shows."""


@helper
def off_line(here: Vec3, base: Vec3, line: Vec3) -> float:
    """Distance of a point from a line through `base` along a unit vector [m]."""
    return vec_length(vec_cross(vec_sub(here, base), line))


@helper
def is_straight(c: Context, part: int, effector: int, goal: Vec3) -> bool:
    """Whether a chain and its goal lie on one line."""
    model, pose, parts = c.model, c.pose, c.scratch.parts
    first = parts.first_joint[part]
    base, end = vec_load(pose.position, first), vec_load(pose.effectors, effector)
    nowhere = (0.0, 0.0, 0.0)
    line = vec_unit(vec_sub(goal, base), vec_unit(vec_sub(end, base), nowhere))
    near = STRAIGHT * model.size[0]
    if off_line(end, base, line) > near:
        return False
    for joint in range(first + 1, parts.last_joint[part]):
        here = vec_load(pose.position, joint)
        if model.moves[effector, joint] and off_line(here, base, line) > near:
            return False
    return True


@helper
def is_stiff(model: Model, pose: ModelPose, joint: int, effector: int, goal: Vec3) -> bool:
    """Whether a hinge, the joint above it, its effector and a nearer goal are nearly on a line."""
    if model.freedom[joint] != HINGE or model.parent[joint] < 0:
        return False
    base = vec_load(pose.position, model.parent[joint])
    end = vec_load(pose.effectors, effector)
    if vec_distance(goal, base) > vec_distance(end, base):
        return False
    line = vec_unit(vec_sub(end, base), (0.0, 0.0, 0.0))
    near = STIFF * model.size[0]
    here = vec_load(pose.position, joint)
    return bool(off_line(here, base, line) < near and off_line(goal, base, line) < near)


@helper
def nudge_joint(model: Model, pose: ModelPose, joint: int, effector: int) -> None:
    """Turn a joint a little out of a straight chain, always the same way.

    A hinge bends to its own side. A ball turns about an axis across its bone that is mirrored with
    the body: bone x Y, or bone x Z where the bone is along Y.
    """
    local = quat_load(pose.local, joint)
    if model.freedom[joint] == HINGE:
        axis = vec_load(model.axis, joint)
        step = NUDGE if model.start[joint] >= 0.0 else -NUDGE
        angle = limit_clamp_angle(model.limits, joint, quat_twist_angle(local, axis) + step)
        quat_store(pose.local, joint, quat_from_axis_angle(axis, angle))
        return
    away = vec_sub(vec_load(pose.effectors, effector), vec_load(pose.position, joint))
    bone = vec_unit(quat_unrotate(quat_load(pose.world, joint), away), (0.0, 0.0, 0.0))
    up = (0.0, 1.0, 0.0) if abs(bone[1]) < 0.9 else (0.0, 0.0, 1.0)
    axis = vec_unit(vec_cross(bone, up), (0.0, 0.0, 0.0))
    rotated = quat_mul(local, quat_normalize(quat_from_axis_angle(axis, NUDGE)))
    quat_store(pose.local, joint, limit_project(model.limits, joint, quat_normalize(rotated)))


@helper
def bend_hinge(model: Model, pose: ModelPose, joint: int, effector: int, goal: Vec3) -> None:
    """Nudge a hinge, and let the ball above it point its effector to the goal as before.

    Otherwise the next sweep would find the hinge bent away from the line, and straighten it.
    """
    was = quat_load(pose.world, joint)
    nudge_joint(model, pose, joint, effector)
    above = model.parent[joint]
    if model.freedom[above] != BALL:
        return
    now = quat_mul(quat_load(pose.world, above), quat_load(pose.local, joint))
    position = vec_load(pose.position, joint)
    arm = quat_unrotate(was, vec_sub(vec_load(pose.effectors, effector), position))
    end = vec_add(position, quat_rotate(now, arm))
    below = parent_rotation(model, pose, above)
    base = vec_load(pose.position, above)
    held, _ = swing_joint(
        model.limits,
        above,
        quat_load(pose.local, above),
        quat_unrotate(below, vec_sub(end, base)),
        quat_unrotate(below, vec_sub(goal, base)),
    )
    quat_store(pose.local, above, held)


@helper
def unlock_part(c: Context, part: int, targets: Targets, still: bool) -> bool:
    """Nudge chains that cannot see which way to turn, though they could be nearer to a target.

    Straight chains are nudged, and once progress ends (`still`) limbs that are all but straight.
    Whether any was; then the part must be placed anew.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    near = c.settings.tolerance * model.size[0]
    nudged = False
    joints = range(parts.first_joint[part], parts.last_joint[part])
    for task in range(parts.first_task[part], parts.last_task[part]):
        if model.task_kind[task] != POSITION or not has_target(model, task, targets):
            continue
        effector = model.task_effector[task]
        goal = vec_load(targets.positions, effector)
        spare = slack(c, part, task, targets)
        error = vec_distance(goal, vec_load(pose.effectors, effector))
        if error <= max(-spare, 0.0) + near:
            continue  # as near as it can be
        straight = is_straight(c, part, effector, goal)
        for joint in joints:
            if model.freedom[joint] == 0 or not model.moves[effector, joint]:
                continue
            if straight:
                nudge_joint(model, pose, joint, effector)
                nudged = True
            elif still and is_stiff(model, pose, joint, effector, goal):
                bend_hinge(model, pose, joint, effector, goal)
                nudged = True
    return nudged
