"""From masses back to joints: rotations that point bones where springs do, within limits.

**Rotations.** The root first, every joint turns its bone from where it points to where the masses
are, by the smallest rotation. The *up vector* across the bone is carried along by that rotation
from the pose before; for two vectors this is the closed-form answer to absolute orientation (Horn
1987) that the paper uses. A bone that moves around a loop comes back twisted, though, by the area
that its direction encloses. So the up vector then is turned to where the smallest rotation from
the *first* pose takes it (setting `twist`): the twist depends on where the bone points, not on the
way there. Where the next joint is a hinge its axis is the up vector, and the plane in which the
limb bends says where it points.

**Limits** (the paper's angular constraint solver). From the end effectors to the root, every joint
is cut back to its limit. If that takes away a rotation by alpha, the end effector is L2 away from
the joint and the bone of its parent L1 long, the parent turns about the same axis by beta, so that
the end effector moves along about the same arc (Fig. 3 of Huang and Pelachaud 2012)::

    alpha L2 = beta (L1 + L2)

Then the parent is cut back, and so on; the root is only cut. Any kind of limit will do; a hinge is
one that allows rotations about its axis only.

Functions of a context `c` expect a `Scratch` in `c.scratch`.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle
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
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_angle,
    vec_cross,
    vec_distance,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..articulated.context import Context
from ..articulated.joint_rotation import (
    NO_AXIS,
    Fit,
    fit_ball,
    fit_hinge,
    fit_nothing,
    fit_position,
    fit_rotation,
)
from ..articulated.model import (
    HINGE,
    Model,
    ModelPose,
    Targets,
    hold_joint,
    joints_forward,
    parent_rotation,
)
from ..articulated.parts import is_hinge, lever, next_weighted, node_offset, past_hinges
from ..people.plan import is_place
from .masses import Scratch

LEAST_BEND = 1e-3
"""Sine of the bend below which a limb is straight: the plane in which it bends is noise."""
FIT, WEIGHT, PRIORITY = 0, 1, 2
"""Choices of `SpringSolver.branch`."""
PAIRS = 1
"""Choice of `SpringSolver.rebuild` besides the positions of joints."""
LEAST_EXCESS = 1e-9
"""Joints turned back by less than this have met no limit [rad]."""
CARRIED = 1
"""Choice of `SpringSolver.twist` besides that of the first pose."""
FOLD = -0.5
"""Cosine of a bone's turn from the first pose beyond which its twist is let go, by and by: none is
the smallest for a bone that is folded back, and the twist would spin."""
STRAIGHT_ON = 1
"""Choice of `SpringSolver.lever` for the distance of the parent from the end effector; the other is
L1 + L2, the paper's."""


@helper
def rebuild(c: Context, part: int, aligned: bool) -> None:
    """Turn every joint of a part to its masses, the root first; limits are not looked at.

    A joint that carries several chains, a *sub-base*, takes the rotation that brings all of them
    together nearest to their masses; or the mean of the rotations that they ask for, by their
    weights; or that of the preferred one. Joints before hinges take the plane in which these bend
    (`aligned`) or keep their twist. Joints are placed anew on the way, end effectors are not.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    branch = c.settings.branch
    # What limits pass on to parents may be a twist, which must stay.
    untwisted = c.scratch.springs.free[part] != 0 and c.settings.twist != CARRIED
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        joints_forward(model, pose, joint, joint + 1)
        if model.freedom[joint] == 0 or not parts.weights[joint] > 0.0:
            continue
        pairs = c.settings.rebuild == PAIRS
        base = vec_load(parts.goals, joint) if pairs else vec_load(pose.position, joint)
        below, local = parent_rotation(model, pose, joint), quat_load(pose.local, joint)
        only = preferred_child(c.scratch, joint) if branch == PRIORITY else -1
        fit, count, last = fit_nothing(), 0, -1
        bone, here, there = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        child = next_weighted(parts, parts.child[joint])
        while child >= 0:
            arm, node = lever(c, child)
            if node >= 0 and (only < 0 or child == only):
                bone = vec_sub(vec_load(parts.goals, node), base)
                here, there = quat_rotate(local, arm), quat_unrotate(below, bone)
                if model.freedom[joint] == HINGE or branch == FIT:
                    fit = fit_position(fit, here, there, parts.weights[node])
                else:
                    turn = rotation_between(here, there, NO_AXIS)
                    fit = fit_rotation(fit, turn, 1.0, parts.weights[node])
                count += 1
                last = child if node == child else -1
            child = next_weighted(parts, parts.sibling[child])
        if count == 0:
            continue
        if model.freedom[joint] == HINGE:
            rotated = hinge_to(model, joint, local, fit)
        else:
            turn = rotation_between(here, there, NO_AXIS) if count == 1 else fit_ball(fit)
            rotated = quat_normalize(quat_mul(turn, local))
            if untwisted and count == 1 and last >= 0:
                rotated = untwist(c, joint, rotated, last)
        if count == 1 and is_hinge(model, last):
            done = False
            if aligned and model.freedom[joint] != HINGE:
                along = vec_unit(bone, (0.0, 0.0, 0.0))
                rotated, done = align_hinge(c, rotated, last, along)
            if not done:
                rotated = aim_past_hinges(c, joint, base, rotated, last)
        quat_store(pose.local, joint, rotated)
        quat_store(pose.world, joint, quat_mul(below, rotated))


@helper
def untwist(c: Context, joint: int, rotated: Quat, child: int) -> Quat:
    """Turn a joint about its bone to the twist that it has in the first pose.

    `rotated` is its local rotation, `child` the node at the other end of the bone. The twist is
    measured from where the smallest rotation from the first pose would turn the joint.
    """
    arm = node_offset(c.model, child)
    start = quat_load(c.scratch.springs.start, joint)
    before, now = quat_rotate(start, arm), quat_rotate(rotated, arm)
    along, was = vec_unit(now, (0.0, 0.0, 0.0)), vec_unit(before, (0.0, 0.0, 0.0))
    open_part = min((1.0 + vec_dot(along, was)) / (1.0 + FOLD), 1.0)
    if not open_part > 0.0:
        return rotated
    untwisted = quat_mul(rotation_between(before, now, NO_AXIS), start)
    twist = quat_twist_angle(quat_mul(rotated, quat_conj(untwisted)), along)
    back = quat_from_axis_angle(along, -twist * open_part * open_part * (3.0 - 2.0 * open_part))
    return quat_normalize(quat_mul(back, rotated))


@helper
def hinge_to(model: Model, joint: int, local: Quat, fit: Fit) -> Quat:
    """The best rotation of a hinge, whatever its limits."""
    axis = vec_load(model.axis, joint)
    return quat_from_axis_angle(axis, quat_twist_angle(local, axis) + fit_hinge(fit, axis))


@helper
def preferred_child(scratch: Scratch, joint: int) -> int:
    """The child whose chain decides: the one that was chosen, or the first of the heaviest."""
    parts = scratch.parts
    chosen = scratch.springs.preferred[joint]
    if chosen >= 0 and parts.weights[chosen] > 0.0:
        return int(chosen)
    best = next_weighted(parts, parts.child[joint])
    child = best
    while child >= 0:
        if parts.weights[child] > parts.weights[best]:
            best = child
        child = next_weighted(parts, parts.sibling[child])
    return best


@helper
def align_hinge(c: Context, rotated: Quat, hinge: int, bone: Vec3) -> tuple[Quat, bool]:
    """Turn a joint about its bone so that the hinge after it bends in the plane of the masses.

    `rotated` is the local rotation that points the bone the right way, `bone` a unit vector along
    it. Returns the rotation, and whether it will do: masses that bend a knee backwards would turn
    the leg around.
    """
    model, parts = c.model, c.scratch.parts
    arm, end = lever(c, next_weighted(parts, parts.child[hinge]))
    if end < 0:
        return rotated, True
    below = parent_rotation(model, c.pose, model.parent[hinge])
    onwards = vec_sub(vec_load(parts.goals, end), vec_load(parts.goals, hinge))
    normal = vec_cross(bone, onwards)
    if vec_length(normal) < LEAST_BEND * vec_length(arm):
        return rotated, True
    axis = quat_rotate(quat_mul(below, rotated), vec_load(model.axis, hinge))
    across = vec_reject(axis, bone)
    sense = hinge_sense(model, hinge, vec_angle(bone, onwards), vec_dot(across, normal) >= 0.0)
    if sense * vec_dot(across, normal) < 0.0:
        return rotated, False
    twist = rotation_between(across, vec_scale(normal, sense), bone)
    seen = quat_unrotate(below, (twist[1], twist[2], twist[3]))
    return quat_normalize(quat_mul((twist[0], seen[0], seen[1], seen[2]), rotated)), True


@helper
def hinge_sense(model: Model, hinge: int, bend: float, along: bool) -> float:
    """1 or -1: whether a hinge bends by an angle about its axis or against it.

    The way that its limits allow; where both are as good, the one that twists less (`along`).
    """
    gap_plus = abs(limit_clamp_angle(model.limits, hinge, bend) - bend)
    gap_minus = abs(limit_clamp_angle(model.limits, hinge, -bend) + bend)
    if gap_plus != gap_minus:
        along = gap_plus < gap_minus
    return 1.0 if along else -1.0


@helper
def aim_past_hinges(c: Context, joint: int, base: Vec3, rotated: Quat, hinge: int) -> Quat:
    """Turn a joint so that what the hinges after it carry, bent as they will, points to its mass.

    A limit that has cut off a twist would do so again if the up vector were asked for again. So it
    stays as it is: the limb swings as one, and the masses of its hinges follow.
    """
    here, there, found = past_hinges(c, joint, base, rotated, hinge)
    if not found:
        return rotated
    if c.model.freedom[joint] == HINGE:
        return hinge_to(c.model, joint, rotated, fit_position(fit_nothing(), here, there, 1.0))
    return quat_normalize(quat_mul(rotation_between(here, there, NO_AXIS), rotated))


@helper
def cut_part(c: Context, part: int) -> None:
    """Bring the joints of a part within their limits."""
    parts, local = c.scratch.parts, c.pose.local
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        if c.model.freedom[joint] != 0:
            quat_store(local, joint, hold_joint(c.model, joint, quat_load(local, joint)))


@helper
def constrain(c: Context, part: int, targets: Targets) -> bool:
    """Sweep from the end effectors of a part to its root; return whether a limit was felt.

    All joints are within their limits afterwards, and must be placed anew.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    first = parts.first_joint[part]
    limited = False
    for joint in range(parts.last_joint[part] - 1, first - 1, -1):
        if model.freedom[joint] == 0:
            continue
        excess = cut(model, pose, joint)
        if vec_length(excess) <= LEAST_EXCESS:
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
    held = hold_joint(model, joint, local)
    quat_store(pose.local, joint, held)
    excess = quat_to_rotvec(quat_mul(quat_conj(held), local))
    if vec_length(excess) <= LEAST_EXCESS:
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
