"""The spine of KMA by cyclic coordinate descent (section 9 of the SIK paper).

The paper gives KMA and CCD the same spine. Here CCD sweeps its own (`sweeps`), for the two differ
in where they start: KMA stands up anew in each frame, and a chain of ball joints in one record is
all it needs; CCD goes on from the frame before and unlocks, strides and keeps the best pose like
the other parts of its figure. What both share is the turn of one joint, `joint_turn.ccd_turn`.

The pelvis is placed and keeps its rotation. Then each joint in turn, from the one below the head
down to the one above the pelvis (A0.21), swings the head towards its target as far as its limits
let it. After each sweep the error that remains is shared evenly by pelvis and head.
"""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import LimitTable, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.types import Quat, Vec3
from ...kernels.vector import vec_add, vec_length, vec_load, vec_scale, vec_store, vec_sub
from .frame import HEAD, PELVIS
from .joint_turn import ccd_turn
from .spine import spine_twist
from .tables import (
    OUT_OF_STEPS,
    SPINE_LIMITED,
    SPINE_STRETCHED,
    STRETCH_SAMPLES,
    Body,
    Settings,
    Work,
)
from .trunk import spine_share


@helper
def stand_spine(
    body: Body, limits: LimitTable, work: Work, pelvis: Quat, head: Quat, has_head: bool
) -> None:
    """The standing pose in `trial`, on a pelvis turned so.

    Where the rotation of the head is known, the turn between the two is shared beforehand (S0.18):
    cyclic coordinate descent does not twist.
    """
    quat_store(work.trial, 0, pelvis)
    for k in range(1, body.joints):
        quat_store(work.trial, k, limit_project(limits, k, (1.0, 0.0, 0.0, 0.0)))
    if has_head:
        spine_twist(body, limits, work, pelvis, 0, head)


@helper
def lean_on(body: Body, limits: LimitTable, work: Work, pelvis: Quat) -> Quat:
    """Loins on a pelvis that is turned so, leaning as far as they can to where the head shall be.

    An estimated pelvis leans like that by itself (S0.46).
    """
    goal = vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS))
    chord = (0.0, 0.0, 0.0)
    for k in range(body.joints - 1):
        chord = vec_add(chord, vec_load(body.segments, k))
    lean = rotation_between(chord, quat_unrotate(pelvis, goal), (1.0, 0.0, 0.0))
    return limit_project(limits, body.lumbar, lean)


@helper
def turn_head(body: Body, limits: LimitTable, work: Work, head: Quat) -> None:
    """Give the head a rotation in the world, as far as the spine's last joint can."""
    last = body.joints - 1
    below = quat_load(work.world, last - 1)
    local = limit_project(limits, last, quat_mul(quat_conj(below), head))
    quat_store(work.local, last, local)
    quat_store(work.world, last, quat_mul(below, local))


@helper
def spine_forward(body: Body, work: Work) -> Vec3:
    """World rotations of `trial` and places from the pelvis on; the chord, from pelvis to head."""
    turn = quat_load(work.trial, 0)
    place = (0.0, 0.0, 0.0)
    quat_store(work.world, 0, turn)
    vec_store(work.places, 0, place)
    for k in range(1, body.joints):
        place = vec_add(place, quat_rotate(turn, vec_load(body.segments, k - 1)))
        turn = quat_mul(turn, quat_load(work.trial, k))
        vec_store(work.places, k, place)
        quat_store(work.world, k, turn)
    return place


@helper
def spine_sweep(body: Body, limits: LimitTable, work: Work, goal: Vec3) -> bool:
    """One sweep from the head down, after `spine_forward`; whether a limit was felt.

    The goal is the head's, as seen from the pelvis. A joint does not move those below it, so what
    `spine_forward` found for them stays true: the sweep costs no more than one pass.
    """
    limited = False
    reach = (0.0, 0.0, 0.0)  # from joint k to the head, in the frame of joint k
    for k in range(body.joints - 2, 0, -1):
        reach = vec_add(vec_load(body.segments, k), reach)
        local = quat_load(work.trial, k)
        below = quat_load(work.world, k - 1)
        wanted = quat_unrotate(below, vec_sub(goal, vec_load(work.places, k)))
        held, felt = ccd_turn(limits, k, local, quat_rotate(local, reach), wanted)
        limited = limited or felt
        quat_store(work.trial, k, held)
        reach = quat_rotate(held, reach)
    return limited


@helper
def solve_spine_ccd(
    body: Body, limits: LimitTable, settings: Settings, work: Work
) -> tuple[int, int]:
    """Sweep from the spine in `trial` until its ends are near; fills local, world and places.

    The first rotation of `trial` is the pelvis's in the world, and stays. Stop rule: both ends near
    enough, too little gained by a sweep, or the budget spent (S0.49).

    Returns:
        Sweeps, and flags.
    """
    goal = vec_sub(vec_load(work.points, HEAD), vec_load(work.points, PELVIS))
    near = settings.tolerance * body.height
    missing = vec_sub(goal, spine_forward(body, work))
    shift = (0.0, 0.0, 0.0)  # the pelvis is at its target, and the head has all of the error
    error = vec_length(missing)
    steps = 0
    limited, gaining = False, True
    while error > near and gaining and steps < settings.iterations:
        limited = spine_sweep(body, limits, work, vec_sub(goal, shift))
        missing = vec_sub(goal, spine_forward(body, work))
        shift = vec_scale(missing, 0.5)
        gaining = error - vec_length(shift) > settings.least_gain * body.height
        error = vec_length(shift)
        steps += 1
    flags = 0
    if error > near:
        if gaining:
            flags |= OUT_OF_STEPS
        if vec_length(goal) > body.stretch_lengths[0, STRETCH_SAMPLES - 1]:
            flags |= SPINE_STRETCHED
        elif limited:
            flags |= SPINE_LIMITED
    spine_share(body, limits, work)
    return steps, flags
