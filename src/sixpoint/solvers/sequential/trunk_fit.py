"""Pelvis and spine that follow the prior and meet the points: the exact step of the guided solver.

The prior's turns put the head some centimetres from its point, and a shoulder or hip sometimes too
far from a wrist or ankle for the limb to reach. Both are mended at once by the least turning of
pelvis and spine: with J the change of the head's place and of each limb's missing length by small
turns of the joints, W how readily these turn, and e what is missing,

    turns = W J^T (J W J^T + damping)^-1 e,

a few times over, joint limits kept each time. What limits leave is shared by pelvis and head.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.linalg import cholesky_factor, cholesky_solve
from ...kernels.quaternion import (
    quat_conj,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
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
from ..people.tables import FIRST_LIMB, HEAD, LIMBS, PELVIS
from .guided_tables import GuidedContext

HEAD_ROUNDS, LIMB_ROUNDS, ROUNDS = 2, 3, 7
"""Rounds for the head alone, then for the limbs that are too short as well, and most of all. Limbs
come when the head is met: a limb that just begins to be too short then changes nothing at first,
and nothing jumps. Always the same number of rounds for limbs: where two of them want what cannot
be, more would not end the quarrel but make it louder. The head has the last word."""
CLOSE = 1e-5
"""What is nearer than this part of height is met."""
DAMPING = 1e-4
"""Of the head's place, in squares of height: a straight spine cannot grow."""
LIMB_DAMPING = 0.3
"""Of a limb's length, as a part of what its joints can do."""
FULL = 0.9995
"""Part of a limb's length that it may reach: short of straight, where a hinge has no side."""
MOST = 0.15
"""Most that a joint turns in one round [rad]: farther away the levers are others, and noisy points
of stretched limbs would throw the body about."""


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
def carrier_turn(c: GuidedContext, limb: int) -> Quat:
    """World rotation of what a limb hangs from; an arm at the pelvis goes with the spine."""
    body, work, net = c.body, c.work, c.net
    carrier = body.carrier[limb]
    if carrier == 0 and body.bend[limb] > 0.0:
        return quat_load(net.lower, 0)
    return quat_load(work.world, carrier)


@helper
def limb_root(c: GuidedContext, limb: int) -> Vec3:
    """Where a shoulder or hip is while its clavicle rests."""
    body, work = c.body, c.work
    away = vec_add(vec_load(body.bases, limb), vec_load(body.clavicles, limb))
    turn = carrier_turn(c, limb)
    return vec_add(vec_load(work.places, body.carrier[limb]), quat_rotate(turn, away))


@helper
def spread_errors(c: GuidedContext, fixed: bool) -> int:
    """Turn pelvis and spine until the head is met and limbs can reach; rounds that it took."""
    body = c.body
    close = CLOSE * body.height
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
        missing = vec_length(away) - FULL * (body.bones[limb, 0] + body.bones[limb, 1])
        if missing > 0.0:
            worst = max(worst, missing)
            net.gaps[tasks] = missing
            along = vec_unit(away, (0.0, -1.0, 0.0))
            last = last_joint(c, limb)
            write_levers(c, tasks, root, along, last, fixed)
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
    body, net = c.body, c.net
    for joint in range(body.joints):
        lever = (0.0, 0.0, 0.0)
        held = (joint == 0 and fixed) or (joint == 1 and body.lumbar < 0)
        if joint <= last and not held:
            lever = vec_cross(vec_sub(tip, joint_place(c, joint)), axis)
        for k in range(3):
            net.levers[task, joint, k] = lever[k]


@helper
def joint_place(c: GuidedContext, joint: int) -> Vec3:
    """Where a joint is; the first two share the pelvis."""
    work = c.work
    return vec_load(work.places, joint - 1 if joint > 0 else 0)


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
            net.normal[a, a] += DAMPING * body.height * body.height
        else:
            net.normal[a, a] *= 1.0 + LIMB_DAMPING
    if not cholesky_factor(net.normal, tasks):
        return False
    cholesky_solve(net.normal, tasks, net.gaps)
    largest = 0.0
    for joint in range(joints):
        turn = (0.0, 0.0, 0.0)
        for a in range(tasks):
            lever = (net.levers[a, joint, 0], net.levers[a, joint, 1], net.levers[a, joint, 2])
            turn = vec_add(turn, vec_scale(lever, guide.give[joint] * net.gaps[a]))
        vec_store(net.turns, joint, turn)
        largest = max(largest, vec_length(turn))
    if largest > MOST:  # all of them less: one alone would throw the head aside
        for joint in range(joints):
            vec_store(net.turns, joint, vec_scale(vec_load(net.turns, joint), MOST / largest))
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
