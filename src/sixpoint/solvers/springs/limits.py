"""The angular constraint solver: what is beyond a joint's limit is passed on to its parent.

From the end effectors to the root, every joint is cut back to its limit. If that takes away a
rotation by alpha, the end effector is L2 away from the joint and the bone of its parent L1 long,
the parent turns about the same axis by beta, so that the end effector moves along about the same
arc (Fig. 3 of Huang and Pelachaud 2012)::

    alpha L2 = beta (L1 + L2)

Then the parent is cut back, and so on; the root is only cut. Any kind of limit will do; a hinge is
one that allows rotations about its axis only.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from ..articulated.context import Context
from ..articulated.model import HINGE, Model, ModelPose, Targets
from ..articulated.parts import parent_rotation
from ..people.plan import is_place

FELT = 1e-9
"""Joints turned back by less than this have met no limit [rad]."""
STRAIGHT_ON = 1
"""Choice of `SpringSolver.lever` for the distance of the parent from the end effector; the other is
L1 + L2, the paper's."""


@helper
def nearest_allowed(model: Model, joint: int, local: Quat) -> Quat:
    """The nearest rotation that a joint allows."""
    if model.freedom[joint] == HINGE:
        axis = vec_load(model.axis, joint)
        angle = limit_clamp_angle(model.limits, joint, quat_twist_angle(local, axis))
        return quat_from_axis_angle(axis, angle)
    return limit_project(model.limits, joint, local)


@helper
def cut_part(c: Context, part: int) -> None:
    """Bring the joints of a part within their limits."""
    parts, local = c.scratch.parts, c.pose.local
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        if c.model.freedom[joint] != 0:
            quat_store(local, joint, nearest_allowed(c.model, joint, quat_load(local, joint)))


@helper
def constrain(c: Context, part: int, targets: Targets) -> bool:
    """One sweep from the end effectors to the root of a part that has been placed.

    All joints are within their limits afterwards, and must be placed anew. Whether a limit was
    felt.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    first = parts.first_joint[part]
    limited = False
    for joint in range(parts.last_joint[part] - 1, first - 1, -1):
        if model.freedom[joint] == 0:
            continue
        excess = cut(model, pose, joint)
        if vec_length(excess) <= FELT:
            continue
        limited = True
        turn_effectors(model, pose, joint, vec_scale(excess, -1.0))
        above = model.parent[joint]
        if above >= first and model.freedom[above] != 0:
            pass_on(c, part, joint, excess, targets)
    return limited


@helper
def cut(model: Model, pose: ModelPose, joint: int) -> Vec3:
    """Cut a joint back to its limit; what was taken away, as a rotation vector in the world."""
    local = quat_load(pose.local, joint)
    held = nearest_allowed(model, joint, local)
    quat_store(pose.local, joint, held)
    excess = quat_to_rotvec(quat_mul(quat_conj(held), local))
    if vec_length(excess) <= FELT:
        return (0.0, 0.0, 0.0)
    world = quat_mul(parent_rotation(model, pose, joint), held)
    quat_store(pose.world, joint, world)
    return quat_rotate(world, excess)


@helper
def turn_effectors(model: Model, pose: ModelPose, joint: int, turn: Vec3) -> None:
    """Where the end effectors that a joint moves are after it has turned in the world."""
    rotation = quat_from_rotvec(turn)
    base = vec_load(pose.position, joint)
    for effector in range(model.effector_joint.shape[0]):
        if model.moves[effector, joint]:
            arm = vec_sub(vec_load(pose.effectors, effector), base)
            vec_store(pose.effectors, effector, vec_add(base, quat_rotate(rotation, arm)))


@helper
def pass_on(c: Context, part: int, joint: int, excess: Vec3, targets: Targets) -> None:
    """Turn a joint's parent so that its end effectors move along the arc that was taken away."""
    model, pose = c.model, c.pose
    end, weight = effector_mean(c, part, joint, targets)
    if not weight > 0.0:
        return
    above = model.parent[joint]
    here, base = vec_load(pose.position, joint), vec_load(pose.position, above)
    arm = vec_distance(here, end)
    straight = c.settings.lever == STRAIGHT_ON
    lever = vec_distance(base, end) if straight else vec_distance(base, here) + arm
    if not lever > 0.0:
        return
    turn = vec_scale(excess, min(arm / lever, 1.0))
    world = quat_normalize(quat_mul(quat_from_rotvec(turn), quat_load(pose.world, above)))
    quat_store(pose.world, above, world)
    local = quat_mul(quat_conj(parent_rotation(model, pose, above)), world)
    quat_store(pose.local, above, quat_normalize(local))
    turn_effectors(model, pose, above, turn)


@helper
def effector_mean(c: Context, part: int, joint: int, targets: Targets) -> tuple[Vec3, float]:
    """Mean of the end effectors with targets that a joint moves, by their weights; these summed."""
    model, parts = c.model, c.scratch.parts
    mean, weight = (0.0, 0.0, 0.0), 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        effector = model.task_effector[task]
        if model.moves[effector, joint] and is_place(vec_load(targets.positions, effector)):
            share = model.task_weight[task]
            mean = vec_add(mean, vec_scale(vec_load(c.pose.effectors, effector), share))
            weight += share
    if weight > 0.0:
        mean = vec_scale(mean, 1.0 / weight)
    return mean, weight
