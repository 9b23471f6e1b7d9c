"""Pelvis and spine that help limbs which limits hold back.

A kick that looks impossible is one of a pelvis that is turned otherwise than was thought: pelvis
and spine turn to bring the stiff limb to its point, as they do for a limb that is too short (see
`guided_trunk`). Help is remembered. It starts from that of the frame before, changes only so fast
and goes back by itself: found anew in each frame, it would be that of one leg now and of the other
in the next frame, tens of degrees apart.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate, quat_unrotate
from ...kernels.types import Quat
from ...kernels.vector import (
    vec_add,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from .frame import FIRST_LIMB, PELVIS
from .guide_tables import Guide, Memory, Net
from .guided_trunk import CLOSE, apply_turns, gather_tasks, last_joint, solve_turns, write_levers
from .tables import LIMBS, Body, State, Work

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
def recall_help(
    body: Body, guide: Guide, memory: Memory, work: Work, net: Net, fixed: bool
) -> Quat:
    """Turn pelvis and spine as they helped in the frame before, a little less.

    Writes that help to `net.kept` and `net.helps`. Returns the frame in which it is remembered, the
    pelvis as the prior wishes it.
    """
    seat = quat_load(work.world, PELVIS)
    left = math.exp(-guide.period / EASE)
    for joint in range(body.joints):
        part = 0.0 if joint == 0 and fixed else left
        turn = quat_rotate(seat, vec_scale(vec_load(memory.helps, joint), part))
        vec_store(net.kept, joint, turn)
        vec_store(net.helps, joint, turn)
        vec_store(net.turns, joint, turn)
    apply_turns(body, work, net)
    return seat


@helper
def help_growth(guide: Guide, state: State) -> float:
    """Most that the help of a joint changes in this frame [rad]."""
    return MOST_HELP * guide.period / EASE if state.frames > 0 else math.inf


@helper
def remember_help(body: Body, memory: Memory, net: Net, seat: Quat) -> None:
    """Keep the help of this frame for the next."""
    for joint in range(body.joints):
        vec_store(memory.helps, joint, quat_unrotate(seat, vec_load(net.helps, joint)))


@helper
def bring_ends(body: Body, guide: Guide, work: Work, net: Net, fixed: bool, most: float) -> bool:
    """Turn pelvis and spine so that ends of limbs, held stiff by limits, come to their points.

    Reads where the ends lie from `work.ends`, and writes wishes for `spread_errors`. The help of a
    joint differs from `net.kept` by no more than `most` [rad]. False if all ends are met.
    """
    tasks, _ = gather_tasks(body, guide, work, net, fixed, False)
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
            last = last_joint(body, limb)
            write_levers(body, guide, work, net, tasks, end, along, last, fixed)
            tasks += 1
    if tasks == head or not solve_turns(body, guide, net, tasks):
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
    apply_turns(body, work, net)
    return True
