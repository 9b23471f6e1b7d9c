"""The whole body, turned and swung about its head for hands that it would miss.

Of a body of which only head and hands are seen the pelvis may be anywhere below the head. A hand
that is too far, or an arm that a limit holds back, turns body and trunk by the least that helps
both hands; what was swung eases back when it can.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.dense import cholesky_factor, cholesky_solve
from ...kernels.quaternion import (
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from .frame import FIRST_LIMB, HEAD, PELVIS
from .guide_tables import Memory, Net
from .guided_help import ARM_HELP
from .guided_trunk import CLOSE, limb_root
from .tables import LIMBS, Body, Work

ANKLES = FIRST_LIMB + 2
"""Row of the left ankle; the right one follows."""
STEEPEST = 0.95
"""Most that pelvis and head are beside each other, as a part of the trunk."""
STRAIGHT = 0.995
"""Part of a leg's length within which its ankle is put."""
FARTHEST = 0.4
"""Most that the pelvis swings aside for the hands, as a part of the trunk: beyond, hands ask for a
body that faces elsewhere."""
SHOULDER = 5.0
"""Weight of a shoulder that has to come nearer against that of a hand: its lever is so much
shorter, squared, that it would hardly count."""
YAW_DAMPING, SWING_DAMPING = 0.005, 0.1
"""Of the turn that helps the hands, about the vertical and across, in squares of height: people
turn sooner than they tilt."""

MOST = 0.3
"""Most that the body turns at a time [rad]."""


@helper
def lift_feet(body: Body, work: Work, faced: Quat) -> None:
    """Bring ankles that are too far from the hips within reach: who leans far lifts a heel."""
    pelvis = vec_load(work.points, PELVIS)
    for limb in range(ANKLES - FIRST_LIMB, LIMBS):
        hip = vec_add(pelvis, quat_rotate(faced, vec_load(body.bases, limb)))
        away = vec_sub(vec_load(work.points, FIRST_LIMB + limb), hip)
        reach = STRAIGHT * (body.bones[limb, 0] + body.bones[limb, 1])
        far = vec_length(away)
        if far > reach:
            vec_store(work.points, FIRST_LIMB + limb, vec_add(hip, vec_scale(away, reach / far)))


@helper
def swing_body(body: Body, memory: Memory, work: Work, net: Net, estimate: Quat) -> Quat:
    """Turn the whole body about its head so that hands, held stiff by limits, come to their points.

    Reads where the ends of limbs lie from `work.ends`. Nothing being known of the pelvis, it may go
    anywhere; it goes by the least turn that helps both hands, and eases back when it can.

    Returns:
        The rotation of the pelvis, turned with it.
    """
    head = vec_load(work.points, HEAD)
    for a in range(3):
        net.gaps[a] = 0.0
        for b in range(3):
            net.normal[a, b] = 0.0
        damping = YAW_DAMPING if a == 1 else SWING_DAMPING
        net.normal[a, a] = damping * body.height * body.height
    missed = False
    for limb in range(ANKLES - FIRST_LIMB):
        end = vec_load(work.ends, FIRST_LIMB + limb)
        miss = vec_sub(vec_load(work.points, FIRST_LIMB + limb), end)
        far = vec_length(miss)
        arm = vec_sub(end, head)
        missed = missed or far > CLOSE * body.height
        part = far / (ARM_HELP * body.height)
        miss = vec_scale(miss, 1.0 / (1.0 + part * part))
        root = limb_root(body, work, net, limb)
        away = vec_sub(vec_load(work.points, FIRST_LIMB + limb), root)
        if vec_length(away) > body.bones[limb, 0] + body.bones[limb, 1]:
            # Too short, whichever way it points: the shoulder has to come nearer.
            along = vec_unit(away, (0.0, -1.0, 0.0))
            lever = vec_cross(vec_sub(root, head), along)
            add_row(net, lever, SHOULDER * vec_length(miss), SHOULDER)
            continue
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            add_row(net, vec_cross(arm, axis), miss[k], 1.0)
    if not missed or not cholesky_factor(net.normal, 3):
        return estimate
    cholesky_solve(net.normal, 3, net.gaps)
    turn = (net.gaps[0], net.gaps[1], net.gaps[2])
    size = vec_length(turn)
    if size > MOST:
        turn = vec_scale(turn, MOST / size)
    step = quat_from_rotvec(turn)
    for k in range(body.joints):
        quat_store(work.world, k, quat_mul(step, quat_load(work.world, k)))
        vec_store(work.places, k, about(head, step, vec_load(work.places, k)))
    quat_store(net.lower, 0, quat_mul(step, quat_load(net.lower, 0)))
    pelvis = vec_load(work.points, PELVIS)
    swung = stay_below(head, about(head, step, pelvis))
    vec_store(work.points, PELVIS, swung)
    memory.swing[0] += (swung[0] - pelvis[0]) / body.stance[HEAD, 1]
    memory.swing[1] += (swung[2] - pelvis[2]) / body.stance[HEAD, 1]
    far = math.sqrt(memory.swing[0] * memory.swing[0] + memory.swing[1] * memory.swing[1])
    if far > FARTHEST:
        memory.swing[0] *= FARTHEST / far
        memory.swing[1] *= FARTHEST / far
    estimate = quat_mul(step, estimate)
    lift_feet(body, work, estimate)
    for limb in range(LIMBS):
        p = FIRST_LIMB + limb
        vec_store(work.ends, p, about(head, step, vec_load(work.ends, p)))
        if p >= ANKLES:
            vec_store(work.ends, p, vec_load(work.points, p))  # nobody saw where they are
    return estimate


@helper
def add_row(net: Net, lever: Vec3, gap: float, weight: float) -> None:
    """Add to the normal equations of a turn that it should move something by a gap."""
    for a in range(3):
        net.gaps[a] += lever[a] * gap
        for b in range(3):
            net.normal[a, b] += weight * lever[a] * lever[b]


@helper
def stay_below(head: Vec3, pelvis: Vec3) -> Vec3:
    """A pelvis as far from the head, but below it: nobody is taken to stand on his hands."""
    away = vec_sub(pelvis, head)
    flat = (away[0], 0.0, away[2])
    far, beside = vec_length(away), vec_length(flat)
    if beside <= STEEPEST * far and away[1] <= 0.0:
        return pelvis
    flat = vec_scale(vec_unit(flat, (0.0, 0.0, 0.0)), STEEPEST * far)
    return vec_add(head, (flat[0], -far * math.sqrt(1.0 - STEEPEST * STEEPEST), flat[2]))


@helper
def about(centre: Vec3, turn: Quat, place: Vec3) -> Vec3:
    """A place, turned about another."""
    return vec_add(centre, quat_rotate(turn, vec_sub(place, centre)))
