"""Help for limbs that joint limits keep from their points.

A kick that looks impossible is one of a pelvis that is turned otherwise than was thought: pelvis
and spine turn to bring the stiff limb to its point, as they do for a limb that is too short (see
`trunk_fit`). This assistance is remembered. It starts from that of the frame before, changes
only so fast and decays by itself: found anew in each frame, it would be that of one leg now and of
the other in the next frame, tens of degrees apart.

Limits can also leave a limb two poses far apart, each as far from its point, or take away the one
that it has from one frame to the next. Such a limb turns towards its new pose only so fast. One
that meets its point, now and a frame ago, is never delayed.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_angle,
    quat_load,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
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
    vec_unit,
)
from ..context import UNREACHABLE
from ..people.tables import FIRST_LIMB, LIMB_ROWS, LIMBS, PELVIS
from .guided_tables import GuidedContext
from .limb import MISS, limb_bend
from .limb_ends import FELT, LimbBase, limb_end
from .trunk_fit import CLOSE, apply_turns, gather_tasks, last_joint, solve_turns, write_levers

ARM_HELP, LEG_HELP = 0.06, 0.015
"""A limb that misses by more than this part of height asks for the impossible, and is helped less;
legs sooner, since two of them that cannot reach pull the pelvis to and fro."""
MOST_HELP = 0.2
"""Most that a joint helps [rad]: in a deep squat no turn of the pelvis brings the ankles nearer,
and more of it only tilts the body."""
EASE = 0.1
"""Time in which help that is not needed any more goes back to a third, and in which it grows from
nothing to the most [s]. Quicker, it trembles where two legs ask for what cannot be: in a deep squat
joints then shake with three times the acceleration of the person's."""


@helper
def recall_help(c: GuidedContext, fixed: bool) -> Quat:
    """Turn pelvis and spine as they helped in the frame before, a little less.

    Writes that help to `net.kept` and `net.helps`. Returns the frame in which it is remembered, the
    pelvis as the prior wishes it.
    """
    body, memory, work, net = c.body, c.memory, c.work, c.net
    seat = quat_load(work.world, PELVIS)
    left = math.exp(-c.settings.period / EASE)
    for joint in range(body.joints):
        part = 0.0 if joint == 0 and fixed else left
        turn = quat_rotate(seat, vec_scale(vec_load(memory.helps, joint), part))
        vec_store(net.kept, joint, turn)
        vec_store(net.helps, joint, turn)
        vec_store(net.turns, joint, turn)
    apply_turns(c)
    return seat


@helper
def help_growth(c: GuidedContext) -> float:
    """Most that the help of a joint changes in this frame [rad]."""
    state = c.state
    return MOST_HELP * c.settings.period / EASE if state.frames > 0 else math.inf


@helper
def remember_help(c: GuidedContext, seat: Quat) -> None:
    """Keep the help of this frame for the next."""
    body, memory, net = c.body, c.memory, c.net
    for joint in range(body.joints):
        vec_store(memory.helps, joint, quat_unrotate(seat, vec_load(net.helps, joint)))


@helper
def bring_ends(c: GuidedContext, fixed: bool, most: float) -> bool:
    """Turn pelvis and spine so that ends of limbs, held stiff by limits, come to their points.

    Reads where the ends lie from `work.ends`, and writes wishes for `spread_errors`. The help of a
    joint differs from `net.kept` by no more than `most` [rad]. False if all ends are met.
    """
    body, work, net = c.body, c.work, c.net
    tasks, _ = gather_tasks(c, fixed, False)
    head = tasks
    for limb in range(LIMBS):
        end = vec_load(work.ends, FIRST_LIMB + limb)
        miss = vec_sub(vec_load(work.points, FIRST_LIMB + limb), end)
        far = vec_length(miss)
        if far > CLOSE * body.height:
            gentle = LEG_HELP if body.bend[limb] < 0.0 else ARM_HELP
            part = far / (gentle * body.height)
            net.gaps[tasks] = far / (1.0 + part * part)
            along = vec_unit(miss, (0.0, -1.0, 0.0))
            last = last_joint(c, limb)
            write_levers(c, tasks, end, along, last, fixed)
            tasks += 1
    if tasks == head or not solve_turns(c, tasks):
        return False
    for joint in range(body.joints):
        kept, before = vec_load(net.kept, joint), vec_load(net.helps, joint)
        change = vec_sub(vec_add(before, vec_load(net.turns, joint)), kept)
        size = vec_length(change)
        if size > most:
            change = vec_scale(change, most / size)
        now = vec_add(kept, change)
        size = vec_length(now)
        if size > MOST_HELP:
            now = vec_scale(now, MOST_HELP / size)
        vec_store(net.helps, joint, now)
        vec_store(net.turns, joint, vec_sub(now, before))
    apply_turns(c)
    return True


LIMB_TURN = 2.0
"""Most that a limb held back by limits turns in a frame, in the most that a pelvis does: 2400
degrees a second, faster than thighs in kicks."""
PATIENCE = 0.25
"""Longest time for which a limb is held back [s]: limits may bar the way to its new pose."""
EASINGS = 4
"""Times that a way half as long is tried, where limits push a limb aside."""


@helper
def ease_limb(c: GuidedContext, base: LimbBase, end: Vec3, target: Vec3) -> Vec3:
    """Turn a limb that limits keep from its point, or did in the frame before, only so fast.

    Returns where its end comes to lie.
    """
    settings, state, work, memory = c.settings, c.state, c.work, c.memory
    limb, row = base.limb, base.row + 1
    before, now = quat_load(memory.roots, limb), quat_load(work.local, row)
    bent, wished = memory.bends[limb], hinge_angle(quat_load(work.local, row + 1))
    most = LIMB_TURN * settings.turn
    missed = max(vec_distance(end, target), memory.misses[limb]) > MISS * c.body.height
    angle = quat_angle(before, now)
    if state.frames == 0 or not missed or (angle <= most and abs(wished - bent) <= most):
        memory.freed[limb] = state.frames
        return end
    if (state.frames - memory.freed[limb]) * settings.period > PATIENCE:
        return end
    held, bend = now, wished
    if angle > most:
        held = before
        # Limits may push the limb aside, farther than it would turn: then half of the way.
        for halves in range(EASINGS):
            part = most / (angle * 2.0**halves)
            near = limit_project(c.limits, row, quat_slerp(before, now, part))
            if quat_angle(before, near) <= most + FELT:
                held = near
                break
        held, bend, _, _ = limb_bend(c, base, held)
    bend = min(max(bend, bent - most), bent + most)
    return limb_end(c, base, held, bend)


@helper
def hinge_angle(turn: Quat) -> float:
    """Angle of a turn about X, from -pi to pi [rad]."""
    return quat_twist_angle(turn, (1.0, 0.0, 0.0))


@helper
def remember_limbs(c: GuidedContext, flags: int) -> None:
    """How shoulders and hips are turned, and which ends limits keep from their points."""
    body, work, memory = c.body, c.work, c.memory
    for limb in range(LIMBS):
        row = body.joints + LIMB_ROWS * limb + 1
        quat_store(memory.roots, limb, quat_load(work.local, row))
        memory.bends[limb] = hinge_angle(quat_load(work.local, row + 1))
        p = FIRST_LIMB + limb
        far = vec_distance(vec_load(work.ends, p), vec_load(work.points, p))
        memory.misses[limb] = 0.0 if flags & (UNREACHABLE << limb) else far
