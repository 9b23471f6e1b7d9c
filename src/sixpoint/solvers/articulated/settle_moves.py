"""How a step moves a body: joints turn within limits, and limbs close on their targets.

A joint that its limit holds back is *gated*: steps no longer turn it that way, and the others take
over. Its gate is opened when it no longer presses against it.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_dot,
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
from ...kernels.rotation import angle_wrap, rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    TINY,
    vec_add,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
)
from .model import HINGE, Model, ModelPose, hold_joint, parent_rotation
from .tree_step import CORNERED, FREE, GATED, TURNS, TreeStep
from .whole_body import UNASKED, Observations, SettleScratch, WholeBody

HELD_BACK = 1e-7
"""A rotation that its limit changes by less than this is within it, but for rounding [rad]."""
STRAIGHT = 1e-3
"""A hinge that is bent by less than this does not show to which side it bends [rad]."""
WITHIN = 1.0 - 1e-12
"""Least scalar product of two quaternions that are the same, but for rounding."""
MOST_OPENED = 4
"""A gate that was opened so often and is closed again stays closed: it would go on for ever."""
SAME_GATE = 0.8
"""Least cosine between two directions in which the same limit holds a joint back."""


@helper
def closed_end(body: WholeBody, scratch: SettleScratch, limb: int) -> int:
    """The effector that a limb is closed on; -1: its end was not seen exactly, or its hinge was."""
    middle, end = body.limbs[limb, 2], body.limbs[limb, 3]
    known = scratch.rotation_weight[middle] + scratch.point_weight[middle]
    return end if scratch.exact[end] != UNASKED and known == 0.0 else -1


@helper
def apply_step(
    body: WholeBody, pose: ModelPose, scratch: SettleScratch, seen: Observations, largest: float
) -> float:
    """Turn all joints within their limits and place them; return the largest turn [rad].

    A ball joint turns to where its step leads in the world: if a joint above it is held back, the
    bone keeps its direction.
    """
    model, step, most = body.model, scratch.step, 0.0
    vec_store(pose.position, 0, vec_add(vec_load(pose.position, 0), vec_load(step.shift, 0)))
    for joint in range(model.parent.shape[0]):
        above = parent_rotation(model, pose, joint)  # turned already
        local = quat_load(pose.local, joint)
        if step.asked[joint] == TURNS and model.freedom[joint] > 0:
            if model.freedom[joint] == HINGE:
                turned = _hinge_turn(model, pose, step, joint, largest)
            else:
                wanted = _turned_bone(
                    vec_load(step.whole, joint),
                    quat_load(pose.world, joint),
                    vec_load(body.bones, joint),
                )
                turned = _limited_turn(local, quat_mul(quat_conj(above), wanted), largest)
            local = _hold(model, scratch, joint, turned)
            quat_store(pose.local, joint, local)
            most = max(most, vec_length(vec_load(step.turn, joint)))
        _place(model, pose, joint, above, local)
        if body.limb_of[joint] >= 0:
            _close_limb(body, pose, scratch, seen, body.limb_of[joint])
    for effector in range(model.effector_joint.shape[0]):
        joint = model.effector_joint[effector]
        arm = quat_rotate(quat_load(pose.world, joint), vec_load(model.effector_offset, effector))
        vec_store(pose.effectors, effector, vec_add(vec_load(pose.position, joint), arm))
    return most


@helper
def _place(model: Model, pose: ModelPose, joint: int, above: Quat, local: Quat) -> None:
    """World rotation and position of a joint whose parent has them."""
    quat_store(pose.world, joint, quat_normalize(quat_mul(above, local)))
    parent = model.parent[joint]
    if parent >= 0:
        arm = quat_rotate(above, vec_load(model.offset, joint))
        vec_store(pose.position, joint, vec_add(vec_load(pose.position, parent), arm))


@helper
def _hinge_turn(model: Model, pose: ModelPose, step: TreeStep, joint: int, largest: float) -> Quat:
    """The local rotation of a hinge after its step."""
    axis = vec_load(model.axis, joint)
    # The joint's own world rotation is still that before the step, and keeps the axis.
    turn = quat_unrotate(quat_load(pose.world, joint), vec_load(step.turn, joint))
    angle = min(max(vec_dot(turn, axis), -largest), largest)
    return quat_from_axis_angle(axis, quat_twist_angle(quat_load(pose.local, joint), axis) + angle)


@helper
def _turned_bone(turn: Vec3, rotation: Quat, bone: Vec3) -> Quat:
    """Twist a joint about its bone (in its own frame), then swing it.

    However large the twist, the bone goes where the step wants it.
    """
    along = quat_rotate(rotation, bone)
    swing = vec_reject(turn, along)
    twist = quat_from_rotvec(vec_sub(turn, swing))
    return quat_mul(quat_from_rotvec(swing), quat_mul(twist, rotation))


@helper
def _limited_turn(start: Quat, end: Quat, largest: float) -> Quat:
    """The rotation on the way from one to another, no further than an angle [rad]."""
    if abs(quat_dot(start, end)) >= math.cos(0.5 * largest):
        return quat_normalize(end)
    turn = quat_to_rotvec(quat_mul(end, quat_conj(start)))
    turn = vec_scale(turn, largest / vec_length(turn))
    return quat_normalize(quat_mul(quat_from_rotvec(turn), start))


@helper
def _close_limb(
    body: WholeBody, pose: ModelPose, scratch: SettleScratch, seen: Observations, limb: int
) -> None:
    """Bend a limb and point it so that its end is where it was seen, or as near as it can be.

    Nothing is done if its hinge was seen, too, or where a limit forbids it. Near a straight limb
    steps alone converge slowly: its length hardly changes with the angle of the hinge.
    """
    model = body.model
    root, hinge = body.limbs[limb, 0], body.limbs[limb, 1]
    end = closed_end(body, scratch, limb)
    if end < 0:
        return
    axis, reach = vec_load(model.axis, hinge), body.reach[limb]
    world, above = quat_load(pose.world, root), parent_rotation(model, pose, root)
    way = vec_sub(vec_load(seen.positions, end), vec_load(pose.position, root))
    cosine = (vec_dot(way, way) - reach[3]) / max(reach[4], TINY)
    now = angle_wrap(quat_twist_angle(quat_load(pose.local, hinge), axis) - reach[5])
    if abs(now) < STRAIGHT:
        now = model.start[hinge]
    angle = reach[5] + math.copysign(math.acos(min(max(cosine, -1.0), 1.0)), now)
    bent = hold_joint(model, hinge, quat_from_axis_angle(axis, angle))
    lower = quat_rotate(bent, (reach[0], reach[1], reach[2]))
    points = quat_rotate(world, vec_add(vec_load(model.offset, hinge), lower))
    swing = rotation_between(points, way, quat_rotate(world, axis))
    wanted = quat_normalize(quat_mul(quat_conj(above), quat_mul(swing, world)))
    held = hold_joint(model, root, wanted)
    if abs(quat_dot(held, wanted)) < WITHIN:
        return
    quat_store(pose.local, hinge, bent)
    quat_store(pose.local, root, held)
    _place(model, pose, root, above, held)
    _place(model, pose, hinge, quat_load(pose.world, root), bent)


@helper
def _hold(model: Model, scratch: SettleScratch, joint: int, rotation: Quat) -> Quat:
    """The nearest rotation within the limit; a joint that is held back is gated from now on."""
    held = hold_joint(model, joint, rotation)
    away = quat_to_rotvec(quat_mul(rotation, quat_conj(held)))
    size = vec_length(away)
    if size > HELD_BACK:
        _close_gate(scratch, joint, vec_scale(away, 1.0 / size))
    return held


@helper
def open_gates(model: Model, pose: ModelPose, scratch: SettleScratch, joint: int) -> None:
    """Open the gates that a joint no longer presses against.

    `TreeStep.slope` is minus the sum of the gates, each times how hard the joint presses.
    """
    held = scratch.step.held[joint]
    if held == FREE or scratch.opened[joint] >= MOST_OPENED:
        return
    slope = quat_unrotate(parent_rotation(model, pose, joint), vec_load(scratch.step.slope, joint))
    one, two = vec_load(scratch.gate, joint), vec_load(scratch.other_gate, joint)
    along, across = -vec_dot(slope, one), -vec_dot(slope, two)
    if held == GATED:
        if along < 0.0:
            scratch.step.held[joint] = FREE
            scratch.opened[joint] += 1
        return
    cosine = vec_dot(one, two)
    press, press_two = along - cosine * across, across - cosine * along
    if press < 0.0 or press_two < 0.0:
        scratch.step.held[joint] = GATED
        scratch.opened[joint] += 1
        if press < press_two:
            vec_store(scratch.gate, joint, two)


@helper
def _close_gate(scratch: SettleScratch, joint: int, outward: Vec3) -> None:
    """Keep a joint from turning further in a direction, besides one in which it is gated."""
    held = scratch.step.held[joint]
    one, two = vec_load(scratch.gate, joint), vec_load(scratch.other_gate, joint)
    like_one, like_two = abs(vec_dot(outward, one)), abs(vec_dot(outward, two))
    if held == FREE or (held == GATED and like_one > SAME_GATE):
        scratch.step.held[joint] = GATED
        vec_store(scratch.gate, joint, outward)
    elif held == GATED or like_two > like_one:
        scratch.step.held[joint] = CORNERED
        vec_store(scratch.other_gate, joint, outward)
    else:
        vec_store(scratch.gate, joint, outward)
