"""Pelvis and spine that follow the prior and meet the points: the exact step of the guided solver.

The prior's turns put the head some centimetres from its point, and a shoulder or hip sometimes too
far from a wrist or ankle for the limb to reach. Both are corrected at once by the least turning of
pelvis and spine: with J the change of the head's place and of each limb's missing length by small
turns of the joints, W how readily these turn, and e what is missing,

    turns = W J^T (J W J^T + damping)^-1 e,

a few times over, joint limits kept each time. What limits leave is shared by pelvis and head.

**Assistance.** Pelvis and spine likewise turn to bring a limb that joint limits keep from its point
nearer: a kick that looks impossible is one of a pelvis that is turned otherwise than was thought.
This assistance is remembered. It starts from that of the frame before, changes only so fast and
decays by itself: found anew in each frame, it would be that of one leg now and of the other in the
next frame, tens of degrees apart.

**Easing.** Limits can also leave a limb two poses far apart, each as far from its point, or take
away the one that it has from one frame to the next. Such a limb turns towards its new pose only so
fast. One that meets its point, now and a frame ago, is never delayed.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.linalg import cholesky_factor, cholesky_solve
from ...kernels.quaternion import (
    quat_angle,
    quat_conj,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_twist_angle,
    quat_unrotate,
)
from ...kernels.types import Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import UNREACHABLE
from ..people.tables import FIRST_LIMB, HEAD, LIMB_ROWS, LIMBS, PELVIS
from .limb import FELT, MISS, LimbBase, limb_bend, limb_end
from .network import GuidedContext

HEAD_ROUNDS, LIMB_ROUNDS, ROUNDS = 2, 3, 7
"""Rounds for the head alone, then for the limbs that are too short as well, and most of all. Limbs
come when the head is met: a limb that just begins to be too short then changes nothing at first,
and nothing jumps. Always the same number of rounds for limbs: where two of them want what cannot
be, more would not end the quarrel but make it louder. The head has the last word."""
MET = 1e-5
"""What is nearer than this part of height is met."""
HEAD_DAMPING = 1e-4
"""Of the head's place, in squares of height: a straight spine cannot grow."""
LIMB_DAMPING = 0.3
"""Of a limb's length, as a part of what its joints can do."""
USABLE_LENGTH = 0.9995
"""Part of a limb's length that it may reach: short of straight, where a hinge has no side."""
MOST_TURN = 0.15
"""Most that a joint turns in one round [rad]: farther away the levers are others, and noisy points
of stretched limbs would throw the body about."""
ARM_HELP, LEG_HELP = 0.06, 0.015
"""A limb that misses by more than this part of height asks for the impossible, and is helped less;
legs sooner, since two of them that cannot reach pull the pelvis to and fro."""
MOST_HELP = 0.2
"""Most that a joint helps [rad]: in a deep squat no turn of the pelvis brings the ankles nearer,
and more of it only tilts the body."""
HELP_TIME = 0.1
"""Time in which help that is not needed any more goes back to a third, and in which it grows from
nothing to the most [s]. Quicker, it trembles where two legs ask for what cannot be: in a deep squat
joints then shake with three times the acceleration of the person's."""
LIMB_TURN = 2.0
"""Most that a limb held back by limits turns in a frame, in the most that a pelvis does: 2400
degrees a second, faster than thighs in kicks."""
LONGEST_EASING = 0.25
"""Longest time for which a limb is held back [s]: limits may bar the way to its new pose."""
HINGE_AXIS: Vec3 = (1.0, 0.0, 0.0)
HALVINGS = 4
"""Times that a way half as long is tried, where limits push a limb aside."""


@helper
def place_spine(c: GuidedContext) -> None:
    """World rotations, made local within limits; then where the joints are.

    Reads the wished world rotations from `work.world` and `net.lower`, and writes back what limits
    leave of them. The pelvis stands where its point is.
    """
    body, limits, work, net = c.body, c.limits, c.work, c.net
    n = body.joints
    pelvis = quat_normalize(quat_load(work.world, PELVIS))
    quat_store(work.world, PELVIS, pelvis)
    quat_store(work.local, PELVIS, pelvis)
    below = pelvis
    if body.lumbar >= 0:
        turn = quat_normalize(quat_mul(quat_conj(pelvis), quat_load(net.lower, 0)))
        turn = limit_project(limits, body.lumbar, turn)
        below = quat_mul(pelvis, turn)
        quat_store(net.lower, 0, below)
        quat_store(work.local, body.lumbar, turn)
    else:
        quat_store(net.lower, 0, pelvis)
    vec_store(work.places, PELVIS, vec_load(work.points, PELVIS))
    for k in range(1, n):
        place = vec_add(
            vec_load(work.places, k - 1), quat_rotate(below, vec_load(body.segments, k - 1))
        )
        vec_store(work.places, k, place)
        turn = quat_normalize(quat_mul(quat_conj(below), quat_load(work.world, k)))
        turn = limit_project(limits, k, turn)
        quat_store(work.local, k, turn)
        below = quat_mul(below, turn)
        quat_store(work.world, k, below)


@helper
def limb_root(c: GuidedContext, limb: int) -> Vec3:
    """Where a shoulder or hip is while its clavicle rests."""
    body, work = c.body, c.work
    carrier = body.carrier[limb]
    turn = quat_load(work.world, carrier)
    if carrier == 0 and body.bend[limb] > 0.0:  # an arm at the pelvis goes with the spine
        turn = quat_load(c.net.lower, 0)
    away = vec_add(vec_load(body.bases, limb), vec_load(body.clavicles, limb))
    return vec_add(vec_load(work.places, carrier), quat_rotate(turn, away))


@helper
def spread_errors(c: GuidedContext, fixed: bool) -> int:
    """Turn pelvis and spine until the head is met and limbs can reach; rounds that it took."""
    body = c.body
    close = MET * body.height
    for done in range(ROUNDS):
        place_spine(c)
        with_limbs = HEAD_ROUNDS <= done < HEAD_ROUNDS + LIMB_ROUNDS
        tasks, worst = gather_tasks(c, fixed, with_limbs)
        if worst < close and done >= HEAD_ROUNDS:
            return done
        if not solve_turns(c, tasks):
            break
        apply_turns(c)
    place_spine(c)
    return ROUNDS


@helper
def gather_tasks(c: GuidedContext, fixed: bool, with_limbs: bool) -> tuple[int, float]:
    """Write how each task moves with each joint and what is missing; tasks, and the worst gap.

    Joint 0 is the pelvis, 1 the joint that turns the spine alone, 2 the first above it, and so on.
    """
    body, work, net = c.body, c.work, c.net
    n = body.joints
    tip = vec_load(work.places, n - 1)
    miss = vec_sub(vec_load(work.points, HEAD), tip)
    worst = vec_length(miss)
    for k in range(3):
        net.gaps[k] = miss[k]
        axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        write_levers(c, k, tip, axis, n - 1, fixed)
    tasks = 3
    for limb in range(LIMBS if with_limbs else 0):
        root = limb_root(c, limb)
        away = vec_sub(vec_load(work.points, FIRST_LIMB + limb), root)
        missing = vec_length(away) - USABLE_LENGTH * (body.bones[limb, 0] + body.bones[limb, 1])
        if missing > 0.0:
            worst = max(worst, missing)
            net.gaps[tasks] = missing
            along = vec_unit(away, (0.0, -1.0, 0.0))
            write_levers(c, tasks, root, along, last_joint(c, limb), fixed)
            tasks += 1
    return tasks, worst


@helper
def last_joint(c: GuidedContext, limb: int) -> int:
    """The highest joint that carries a limb, counted as in `gather_tasks`."""
    body = c.body
    carrier = int(body.carrier[limb])
    if carrier == 0 and body.bend[limb] <= 0.0:
        return 0
    return carrier + 1  # an arm that hangs from the pelvis goes with the spine


@helper
def write_levers(
    c: GuidedContext, task: int, tip: Vec3, axis: Vec3, last: int, fixed: bool
) -> None:
    """How a place moves along an axis by turns of joints 0 to `last`; the others do not move it."""
    body, work, net = c.body, c.work, c.net
    for joint in range(body.joints):
        lever = (0.0, 0.0, 0.0)
        held = (joint == 0 and fixed) or (joint == 1 and body.lumbar < 0)
        if joint <= last and not held:
            place = vec_load(work.places, max(joint - 1, 0))  # the first two share the pelvis
            lever = vec_cross(vec_sub(tip, place), axis)
        vec_store(net.levers[task], joint, lever)


@helper
def solve_turns(c: GuidedContext, tasks: int) -> bool:
    """Turns of joints for what is missing, into `net.turns`; False if there are none."""
    body, guide, net = c.body, c.guide, c.net
    joints = body.joints
    for a in range(tasks):
        for b in range(a + 1):
            total = 0.0
            for joint in range(joints):
                dot = 0.0
                for k in range(3):
                    dot += net.levers[a, joint, k] * net.levers[b, joint, k]
                total += guide.give[joint] * dot
            net.normal[a, b] = total
        if a < 3:
            net.normal[a, a] += HEAD_DAMPING * body.height * body.height
        else:
            net.normal[a, a] *= 1.0 + LIMB_DAMPING
    if not cholesky_factor(net.normal, tasks):
        return False
    cholesky_solve(net.normal, tasks, net.gaps)
    largest = 0.0
    for joint in range(joints):
        turn = (0.0, 0.0, 0.0)
        for a in range(tasks):
            lever = vec_load(net.levers[a], joint)
            turn = vec_add(turn, vec_scale(lever, guide.give[joint] * net.gaps[a]))
        vec_store(net.turns, joint, turn)
        largest = max(largest, vec_length(turn))
    if largest > MOST_TURN:  # all of them less: one alone would throw the head aside
        for joint in range(joints):
            vec_store(net.turns, joint, vec_scale(vec_load(net.turns, joint), MOST_TURN / largest))
    return True


@helper
def apply_turns(c: GuidedContext) -> None:
    """Turn the wished rotations by `net.turns`; a joint takes along all above it."""
    body, work, net = c.body, c.work, c.net
    sum_of = (0.0, 0.0, 0.0)
    for joint in range(body.joints):
        sum_of = vec_add(sum_of, vec_load(net.turns, joint))
        step = quat_from_rotvec(sum_of)
        if joint == 0:
            quat_store(work.world, PELVIS, quat_mul(step, quat_load(work.world, PELVIS)))
        elif joint == 1:
            quat_store(net.lower, 0, quat_mul(step, quat_load(net.lower, 0)))
        else:
            quat_store(work.world, joint - 1, quat_mul(step, quat_load(work.world, joint - 1)))


@helper
def share_rest(c: GuidedContext) -> float:
    """Share what is left between pelvis and head; how much it was [m]."""
    body, work = c.body, c.work
    n = body.joints
    left = vec_sub(vec_load(work.points, HEAD), vec_load(work.places, n - 1))
    shift = vec_scale(left, 0.5)
    for k in range(n):
        vec_store(work.places, k, vec_add(vec_load(work.places, k), shift))
    return vec_length(left)


@helper
def recall_help(c: GuidedContext, fixed: bool) -> Quat:
    """Turn pelvis and spine as they helped in the frame before, a little less.

    Writes that help to `net.kept` and `net.helps`. Returns the frame in which it is remembered, the
    pelvis as the prior wishes it.
    """
    body, memory, work, net = c.body, c.memory, c.work, c.net
    seat = quat_load(work.world, PELVIS)
    left = math.exp(-c.settings.period / HELP_TIME)
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
    return MOST_HELP * c.settings.period / HELP_TIME if state.frames > 0 else math.inf


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
        if far > MET * body.height:
            gentle = LEG_HELP if body.bend[limb] < 0.0 else ARM_HELP
            part = far / (gentle * body.height)
            net.gaps[tasks] = far / (1.0 + part * part)
            along = vec_unit(miss, (0.0, -1.0, 0.0))
            write_levers(c, tasks, end, along, last_joint(c, limb), fixed)
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


@helper
def ease_limb(c: GuidedContext, base: LimbBase, target: Vec3) -> None:
    """Turn a limb that limits keep from its point, or did in the frame before, only so fast."""
    settings, state, work, memory = c.settings, c.state, c.work, c.memory
    limb, row = base.limb, base.row + 1
    before, now = quat_load(memory.roots, limb), quat_load(work.local, row)
    bent, wished = memory.bends[limb], quat_twist_angle(quat_load(work.local, row + 1), HINGE_AXIS)
    most = LIMB_TURN * settings.turn
    end = vec_load(work.ends, FIRST_LIMB + limb)
    missed = max(vec_distance(end, target), memory.misses[limb]) > MISS * c.body.height
    angle = quat_angle(before, now)
    if state.frames == 0 or not missed or (angle <= most and abs(wished - bent) <= most):
        memory.freed[limb] = state.frames
        return
    if (state.frames - memory.freed[limb]) * settings.period > LONGEST_EASING:
        return
    held, bend = now, wished
    if angle > most:
        held = before
        # Limits may push the limb aside, farther than it would turn: then half of the way.
        for halves in range(HALVINGS):
            part = most / (angle * 2.0**halves)
            near = limit_project(c.limits, row, quat_slerp(before, now, part))
            if quat_angle(before, near) <= most + FELT:
                held = near
                break
        bent_limb = limb_bend(c, base, held)
        held, bend = bent_limb.turn, bent_limb.angle
    bend = min(max(bend, bent - most), bent + most)
    limb_end(c, base, held, bend)


@helper
def remember_limbs(c: GuidedContext, flags: int) -> None:
    """How shoulders and hips are turned, and which ends limits keep from their points."""
    body, work, memory = c.body, c.work, c.memory
    for limb in range(LIMBS):
        row = body.joints + LIMB_ROWS * limb + 1
        quat_store(memory.roots, limb, quat_load(work.local, row))
        memory.bends[limb] = quat_twist_angle(quat_load(work.local, row + 1), HINGE_AXIS)
        p = FIRST_LIMB + limb
        far = vec_distance(vec_load(work.ends, p), vec_load(work.points, p))
        memory.misses[limb] = 0.0 if flags & (UNREACHABLE << limb) else far
