"""Settle: the most probable pose of a whole body near a predicted one that meets what was seen.

Gauss-Newton over the whole body (`tree_step`), at most `Settling.iterations` times. While points
are far, they pull gently (`Settling.caution`): near a straight limb the linear step would fly off.
A step that makes things worse is taken back, and joints are stiffer in the next one (Levenberg and
Marquardt). A joint that a limit holds back is gated, so that the others take over. A point that
does not come nearer is given up: it pulls with a bounded force, and the others are met without it.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_dot,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_to_rotvec,
)
from ...kernels.types import Floats
from ...kernels.vector import (
    TINY,
    as3,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import MET, SPENT, STILL
from .model import (
    Model,
    ModelPose,
    copy_rotations,
    hold_joint,
    model_forward,
    parent_rotation,
)
from .settle_moves import MOST_OPENED, apply_step, closed_end, open_gates
from .tree_step import (
    CORNERED,
    FREE,
    LOCKED,
    PASSES,
    SILENT,
    TURNS,
    tree_clear,
    tree_observe_point,
    tree_observe_rotation,
    tree_step,
)
from .whole_body import (
    EXACT,
    LIMB_VARIANCE,
    UNASKED,
    UNREACHABLE,
    Observations,
    SettleScratch,
    Settling,
    WholeBody,
)

SETTLED_TURN = 2e-3
"""A step that turns no joint further than this ends the iteration [rad]."""
PROGRESS, IDLE_STEPS = 0.95, 3
"""After so many steps that each leave more than this part of what was missed, the iteration ends,
or points are given up."""
FIRST_DAMPING, DAMPING_RISE, DAMPING_FALL = 1.0, 4.0, 0.25
"""Joints are stiffer by this part in the first step after one that was taken back, and how that
goes on."""
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
    _lock_root(model, pose, scratch, seen)
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
            open_gates(model, pose, scratch, joint)
        turned = apply_step(body, pose, scratch, seen, settings.largest_turn)
    if not _merit(model, pose, scratch, seen) <= least:
        _return_to_best(model, pose, scratch)
    _, worst = _misses(pose, scratch, seen)
    return settings.iterations, MET if worst <= settings.tolerance else SPENT


@helper
def _lock_root(model: Model, pose: ModelPose, scratch: SettleScratch, seen: Observations) -> None:
    """Give the root its rotation where that is known with full confidence, and let it keep it."""
    for effector in range(model.effector_joint.shape[0]):
        rotation = quat_load(seen.rotations, effector)
        known = abs(quat_dot(rotation, (1.0, 1.0, 1.0, 1.0))) < math.inf
        if model.effector_joint[effector] == 0 and known and seen.confidence[effector] >= 1.0:
            quat_store(pose.local, 0, hold_joint(model, 0, rotation))
            scratch.step.held[0] = LOCKED
            scratch.opened[0] = MOST_OPENED


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
        end = closed_end(body, scratch, limb)
        if end >= 0 and scratch.exact[end] == EXACT:
            worst_end = max(worst_end, scratch.missed[end])
    for limb in range(body.limbs.shape[0]):
        end = closed_end(body, scratch, limb)
        if end >= 0 and scratch.missed[end] > GIVEN_UP_SHARE * worst_end:
            gave_up |= _give_up_point(scratch, settings, end)
    if not gave_up:
        for effector in range(scratch.exact.shape[0]):
            if scratch.missed[effector] > GIVEN_UP_SHARE * worst:
                gave_up |= _give_up_point(scratch, settings, effector)
    return gave_up


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
