"""Settle: the most probable pose of a whole body near a predicted one that meets what was seen.

Gauss-Newton over the whole body (`tree_step`), at most `Settling.iterations` times. A joint that a
limit holds back is gated, so that the others take over.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

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
from ...kernels.types import Floats, Ints, Quat, Vec3
from ...kernels.vector import (
    TINY,
    as3,
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import MET, SPENT, STILL
from .model import (
    HINGE,
    Model,
    ModelPose,
    copy_rotations,
    hold_joint,
    model_forward,
    new_memory,
    parent_rotation,
)
from .tree_step import (
    CORNERED,
    FREE,
    GATED,
    PASSES,
    SILENT,
    TURNS,
    TreeStep,
    tree_clear,
    tree_observe_point,
    tree_observe_rotation,
    tree_step,
)
from .whole_body import LIMB_VARIANCE, WholeBody

HELD_BACK = 1e-7
"""A rotation that its limit changes by less than this is within it, but for rounding [rad]."""
SETTLED_TURN = 2e-3
"""A step that turns no joint further than this ends the iteration [rad]."""
STRAIGHT = 1e-3
"""A hinge that is bent by less than this does not show to which side it bends [rad]."""
WITHIN = 1.0 - 1e-12
"""Least scalar product of two quaternions that are the same, but for rounding."""
PROGRESS, IDLE_STEPS = 0.95, 3
"""After so many steps that each leave more than this part of what was missed, the iteration ends,
or points are given up."""
FIRST_DAMPING, DAMPING_RISE, DAMPING_FALL = 1.0, 4.0, 0.25
"""Joints are stiffer by this part in the first step after one that was taken back, and how that
goes on."""
MOST_OPENED = 4
"""A gate that was opened so often and is closed again stays closed: it would go on for ever."""
SAME_GATE = 0.8
"""Least cosine between two directions in which the same limit holds a joint back."""
UNASKED, EXACT, UNREACHABLE = 0, 1, 2
"""Points: not seen with full confidence; to be met; given up."""
PATIENCE = 7
"""Steps before a point may be given up."""
PATIENCE_AFTER = 3
"""Steps after that before another one may be given up."""
SLOW = 0.7
"""A point that is still missed by more than this part of the last distance comes no nearer."""
GIVEN_UP_SHARE = 0.5
"""Only points that are missed by this part of the largest distance are given up: one that is out of
reach pulls others away from theirs."""
GIVEN_UP_BELOW = 50.0
"""Points nearer than so many tolerances are not given up."""


class Observations(NamedTuple):
    """What was seen of E landmarks in one frame; NaN: nothing. World axes, anatomical frames."""

    positions: Floats  # [m], (E, 3)
    rotations: Floats  # of the joint that carries the landmark, (E, 4)
    confidence: Floats  # from 0 (not seen) to 1 (exact), (E,)


class Settling(NamedTuple):
    """Settings of `settle`."""

    iterations: int = 12
    """Steps at most."""
    tolerance: float = 1e-4
    """Points of full confidence are met when they are all this near [m]."""
    point_spread: float = 3e-4
    """Standard deviation of a point of full confidence [m]."""
    rotation_spread: float = 3e-3
    """Standard deviation of a rotation of full confidence [rad]."""
    doubtful_point: float = 0.05
    """Standard deviation of a point of confidence 0.5 [m]."""
    doubtful_rotation: float = 0.2
    """Standard deviation of a rotation of confidence 0.5 [rad]."""
    unmet_point: float = 0.01
    """Standard deviation of a point that turns out to be out of reach [m]."""
    root_spread: float = 0.1
    """Standard deviation of the predicted position of the pelvis [m]."""
    caution: float = 0.1
    """Standard deviation of all points in a step, as a part of the largest distance missed."""
    largest_turn: float = 0.6
    """No joint turns further in one step [rad]."""


class SettleScratch(NamedTuple):
    """Scratch memory for N joints and E landmarks."""

    step: TreeStep
    predicted: Annotated[Floats, "N", 4]  # local rotations
    best: Annotated[Floats, "N", 4]  # local rotations of the best pose so far
    best_place: Annotated[Floats, 3]  # and where joint 0 was [m]
    stiffness: Annotated[Floats, "N"]  # of each joint against turning from its prediction [1/rad^2]
    point_weight: Annotated[Floats, "E"]
    rotation_weight: Annotated[Floats, "E"]
    exact: Annotated[Ints, "E"]  # `EXACT`, `UNREACHABLE`, or `UNASKED`: not of full confidence
    missed: Annotated[Floats, "E"]  # how far each point is from where it was seen [m]
    before: Annotated[Floats, "E"]  # how far it was before the last step [m]
    opened: Annotated[Ints, "N"]  # how often a gate of each joint was opened again
    gate: Annotated[Floats, "N", 3]  # direction in which a joint is held, in its parent's frame
    other_gate: Annotated[Floats, "N", 3]  # and another one, of a joint in a corner


def new_scratch(body: WholeBody) -> SettleScratch:
    """Return scratch memory for one person."""
    joints, effectors = len(body.model.parent), len(body.model.effector_joint)
    sizes = {"N": joints, "E": effectors}
    return new_memory(SettleScratch, sizes, step=new_memory(TreeStep, sizes))


@helper
def settle(
    body: WholeBody, pose: ModelPose, scratch: SettleScratch, seen: Observations, settings: Settling
) -> tuple[int, int]:
    """Make a predicted pose meet what was seen.

    Args:
        body: the person.
        pose: at entry the predicted local rotations, and the predicted position of joint 0; at the
            end the answer, with world rotations, positions and end effectors.
        scratch: memory.
        seen: points and rotations.
        settings: weights and tolerances.

    Returns:
        How many steps were taken; why they ended: `MET` if all points of full confidence are met,
        `STILL` if no step helps, `SPENT` if none was left.
    """
    model, step = body.model, scratch.step
    for joint in range(model.parent.shape[0]):
        held = hold_joint(model, joint, quat_load(pose.local, joint))
        quat_store(pose.local, joint, held)
        quat_store(scratch.predicted, joint, held)
        step.held[joint] = FREE
        scratch.opened[joint] = 0
        vec_store(step.force, joint, (0.0, 0.0, 0.0))
    place = vec_load(pose.position, 0)
    model_forward(model, pose)
    if not _weigh(body, scratch, seen, settings):
        return 0, MET
    turned, damping, least, patient, idle = math.inf, 0.0, math.inf, PATIENCE, 0
    for iteration in range(settings.iterations):
        merit = _merit(model, pose, scratch, seen)
        idle = idle + 1 if merit > PROGRESS * least else 0
        if merit < least:
            least = merit
            damping = DAMPING_FALL * damping if damping > FIRST_DAMPING else 0.0
            _keep_best(pose, scratch)
        else:
            damping = max(FIRST_DAMPING, DAMPING_RISE * damping)
            _return_to_best(model, pose, scratch)
            turned = math.inf
        within, worst = _misses(pose, scratch, seen)
        met = worst <= settings.tolerance
        still = within <= settings.tolerance or turned < SETTLED_TURN or idle >= IDLE_STEPS
        impatient = iteration >= patient or idle >= IDLE_STEPS
        if impatient and _give_up(body, scratch, settings, within):
            still, least, idle, patient = False, math.inf, 0, iteration + PATIENCE_AFTER
            within, _ = _misses(pose, scratch, seen)
        if iteration > 0 and (met or still):
            return iteration, MET if met else STILL
        copy_numbers(scratch.missed, scratch.before)
        tree_clear(step)
        _observe(model, pose, scratch, seen, settings.caution * within)
        _prepare_joints(body, pose, scratch, damping)
        weight = 1.0 / (settings.root_spread * settings.root_spread)
        tree_step(model, pose, step, weight, vec_sub(place, vec_load(pose.position, 0)))
        for joint in range(model.parent.shape[0]):
            _open_gates(model, pose, scratch, joint)
        turned = _apply_step(body, pose, scratch, seen, settings.largest_turn)
    if not _merit(model, pose, scratch, seen) <= least:
        _return_to_best(model, pose, scratch)
    _, worst = _misses(pose, scratch, seen)
    return settings.iterations, MET if worst <= settings.tolerance else SPENT


@helper
def _merit(model: Model, pose: ModelPose, scratch: SettleScratch, seen: Observations) -> float:
    """Weighted squares of what is missed."""
    total = 0.0
    for effector in range(model.effector_joint.shape[0]):
        weight = scratch.point_weight[effector]
        if weight > 0.0:
            gap = vec_sub(vec_load(seen.positions, effector), vec_load(pose.effectors, effector))
            total += weight * vec_dot(gap, gap)
        weight = scratch.rotation_weight[effector]
        if weight > 0.0:
            joint = model.effector_joint[effector]
            c = quat_dot(quat_load(seen.rotations, effector), quat_load(pose.world, joint))
            total += weight * 4.0 * max(0.0, 1.0 - c * c)
    return total


@helper
def _keep_best(pose: ModelPose, scratch: SettleScratch) -> None:
    """Keep the best pose so far."""
    copy_rotations(pose.local, scratch.best)
    for k in range(scratch.best_place.shape[0]):
        scratch.best_place[k] = pose.position[0, k]


@helper
def copy_numbers(source: Floats, into: Floats) -> None:
    """Copy numbers (E,)."""
    for k in range(source.shape[0]):
        into[k] = source[k]


@helper
def _return_to_best(model: Model, pose: ModelPose, scratch: SettleScratch) -> None:
    """Take back the best pose so far."""
    copy_rotations(scratch.best, pose.local)
    vec_store(pose.position, 0, as3(scratch.best_place))
    model_forward(model, pose)


@helper
def _weigh(body: WholeBody, scratch: SettleScratch, seen: Observations, settings: Settling) -> bool:
    """Weigh what was seen, and mark the joints that it asks something of. Whether there is any."""
    model, step = body.model, scratch.step
    for joint in range(model.parent.shape[0]):
        step.asked[joint] = SILENT
        scratch.stiffness[joint] = 1.0 / body.variance[joint]
    any_seen = False
    for effector in range(model.effector_joint.shape[0]):
        confidence = seen.confidence[effector]
        point = vec_load(seen.positions, effector)
        rotation = quat_load(seen.rotations, effector)
        joint = model.effector_joint[effector]
        scratch.point_weight[effector] = 0.0
        scratch.rotation_weight[effector] = 0.0
        scratch.exact[effector] = UNASKED
        scratch.missed[effector] = math.inf
        if not confidence > 0.0:
            continue
        doubt = max(0.0, 1.0 / confidence - 1.0)
        if abs(vec_dot(point, (1.0, 1.0, 1.0))) < math.inf:
            spread = doubt * settings.doubtful_point
            least = settings.point_spread
            scratch.point_weight[effector] = 1.0 / (spread * spread + least * least)
            scratch.exact[effector] = EXACT if confidence >= 1.0 else UNASKED
            offset = vec_load(model.effector_offset, effector)
            asked = PASSES
            if vec_dot(offset, offset) > 0.0:
                asked = TURNS
                scratch.stiffness[joint] = min(scratch.stiffness[joint], 1.0 / LIMB_VARIANCE)
            step.asked[joint] = max(step.asked[joint], asked)
            any_seen = True
        known = abs(quat_dot(rotation, (1.0, 1.0, 1.0, 1.0))) < math.inf
        if known and body.turns[effector]:
            spread = doubt * settings.doubtful_rotation
            least = settings.rotation_spread
            scratch.rotation_weight[effector] = 1.0 / (spread * spread + least * least)
            step.asked[joint] = TURNS
            # The world rotation is known: how the joint is turned against its parent follows.
            scratch.stiffness[joint] = min(scratch.stiffness[joint], 1.0 / LIMB_VARIANCE)
            any_seen = True
    for k in range(model.parent.shape[0] - 1):
        joint = model.parent.shape[0] - 1 - k
        if step.asked[joint] != SILENT:
            step.asked[model.parent[joint]] = TURNS
    return any_seen


@helper
def _misses(pose: ModelPose, scratch: SettleScratch, seen: Observations) -> tuple[float, float]:
    """Measure how far points of full confidence are missed.

    Returns:
        The largest distance of points within reach, and of all [m].
    """
    within, worst = 0.0, 0.0
    for effector in range(scratch.exact.shape[0]):
        if scratch.exact[effector] != UNASKED:
            gap = vec_sub(vec_load(seen.positions, effector), vec_load(pose.effectors, effector))
            missed = vec_length(gap)
            scratch.missed[effector] = missed
            worst = max(worst, missed)
            if scratch.exact[effector] == EXACT:
                within = max(within, missed)
    return within, worst


@helper
def _give_up(body: WholeBody, scratch: SettleScratch, settings: Settling, worst: float) -> bool:
    """Give up points that are out of reach, so that they do not pull the others away from theirs.

    These are the ends of limbs, which are stretched when they miss (`_close_limb`); if all are met,
    the points that are missed most. Returns whether there were any.
    """
    gave_up, worst_end = False, 0.0
    for limb in range(body.limbs.shape[0]):
        end = _closed_end(body, scratch, limb)
        if end >= 0 and scratch.exact[end] == EXACT:
            worst_end = max(worst_end, scratch.missed[end])
    for limb in range(body.limbs.shape[0]):
        end = _closed_end(body, scratch, limb)
        if end >= 0 and scratch.missed[end] > GIVEN_UP_SHARE * worst_end:
            gave_up |= _give_up_point(scratch, settings, end)
    if not gave_up:
        for effector in range(scratch.exact.shape[0]):
            if scratch.missed[effector] > GIVEN_UP_SHARE * worst:
                gave_up |= _give_up_point(scratch, settings, effector)
    return gave_up


@helper
def _closed_end(body: WholeBody, scratch: SettleScratch, limb: int) -> int:
    """The effector that a limb is closed on; -1: its end was not seen exactly, or its hinge was."""
    middle, end = body.limbs[limb, 2], body.limbs[limb, 3]
    known = scratch.rotation_weight[middle] + scratch.point_weight[middle]
    return end if scratch.exact[end] != UNASKED and known == 0.0 else -1


@helper
def _give_up_point(scratch: SettleScratch, settings: Settling, effector: int) -> bool:
    """Give up a point if it no longer comes nearer; whether it is given up.

    From then on it pulls as hard as one that is `Settling.unmet_point` away, however far it is.
    """
    missed = scratch.missed[effector]
    if (
        scratch.exact[effector] != EXACT
        or missed < GIVEN_UP_BELOW * settings.tolerance
        or missed < SLOW * scratch.before[effector]
    ):
        return False
    scratch.exact[effector] = UNREACHABLE
    least = settings.unmet_point * max(settings.unmet_point, missed)
    scratch.point_weight[effector] = min(scratch.point_weight[effector], 1.0 / least)
    return True


@helper
def _observe(
    model: Model, pose: ModelPose, scratch: SettleScratch, seen: Observations, caution: float
) -> None:
    """Write what was seen into the values of the joints that carry it.

    No point pulls harder than one of a standard deviation of `caution` [m].
    """
    hardest = 1.0 / max(caution * caution, TINY)
    for effector in range(model.effector_joint.shape[0]):
        joint = model.effector_joint[effector]
        weight = min(scratch.point_weight[effector], hardest)
        if weight > 0.0:
            at = vec_load(pose.effectors, effector)
            arm = vec_sub(at, vec_load(pose.position, joint))
            gap = vec_sub(vec_load(seen.positions, effector), at)
            tree_observe_point(scratch.step, joint, arm, gap, weight)
        weight = scratch.rotation_weight[effector]
        if weight > 0.0:
            way = quat_mul(
                quat_load(seen.rotations, effector), quat_conj(quat_load(pose.world, joint))
            )
            tree_observe_rotation(scratch.step, joint, quat_to_rotvec(way), weight)


@helper
def _prepare_joints(
    body: WholeBody, pose: ModelPose, scratch: SettleScratch, damping: float
) -> None:
    """Write how far each joint is turned from its prediction, and its gate, in world axes."""
    model, step = body.model, scratch.step
    for joint in range(model.parent.shape[0]):
        if step.asked[joint] != TURNS:
            continue
        above = parent_rotation(model, pose, joint)
        way = quat_mul(quat_load(pose.local, joint), quat_conj(quat_load(scratch.predicted, joint)))
        drift = vec_scale(quat_to_rotvec(way), 1.0 / (1.0 + damping))
        vec_store(step.drift, joint, quat_rotate(above, drift))
        step.stiffness[joint] = scratch.stiffness[joint] * (1.0 + damping)
        if step.held[joint] != FREE:
            gate = vec_load(scratch.gate, joint)
            if step.held[joint] == CORNERED:
                gate = vec_unit(vec_cross(gate, vec_load(scratch.other_gate, joint)), gate)
            vec_store(step.gate, joint, quat_rotate(above, gate))


@helper
def _apply_step(
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
    end = _closed_end(body, scratch, limb)
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
def _open_gates(model: Model, pose: ModelPose, scratch: SettleScratch, joint: int) -> None:
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
