"""Pelvis and spine of sequential IK put together (Algorithm 2 of the SIK paper)."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.limits import (
    limit_project,
)
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import (
    rotation_between,
)
from ...kernels.types import (
    Quat,
    Vec3,
)
from ...kernels.vector import (
    vec_add,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..context import SPINE_LIMITED, SPINE_STRETCHED
from ..people.tables import STRETCH_SAMPLES
from .context import Context
from .spine import bend_normal, spine_chord, spine_search, spine_stretch, spine_twist


@helper
def hang_pelvis(c: Context, loins: Quat) -> None:
    """Hang the pelvis, from which the legs hang, below loins that are turned so."""
    body, work = c.body, c.work
    pelvis = quat_load(work.trial, 0)
    if loins != (1.0, 0.0, 0.0, 0.0):
        pelvis = quat_mul(pelvis, quat_conj(loins))
    quat_store(work.local, body.lumbar, loins)
    quat_store(work.local, 0, pelvis)
    quat_store(work.world, 0, pelvis)


@helper
def spine_share(c: Context) -> Vec3:
    """Place the spine of `trial`; the error that remains is shared evenly by pelvis and head.

    Line 17 of Algorithm 2. The first rotation of `trial` is the pelvis's in the world.
    Fills local, world and places. Loins, where the rig has such, are as near to neutral as their
    limits let them be.

    Returns:
        The chord, from pelvis to head.
    """
    body, limits, work = c.body, c.limits, c.work
    n = body.joints
    pelvis = vec_load(work.points, 0)
    quat_store(work.world, 0, quat_load(work.trial, 0))
    vec_store(work.places, 0, pelvis)
    for k in range(1, n):
        below = quat_load(work.world, k - 1)
        place = vec_add(
            vec_load(work.places, k - 1), quat_rotate(below, vec_load(body.segments, k - 1))
        )
        vec_store(work.places, k, place)
        quat_store(work.world, k, quat_mul(below, quat_load(work.trial, k)))
    whole = vec_sub(vec_load(work.points, 1), pelvis)
    reached = vec_sub(vec_load(work.places, n - 1), pelvis)
    shift = vec_scale(vec_sub(whole, reached), 0.5)
    for k in range(n):
        vec_store(work.places, k, vec_add(vec_load(work.places, k), shift))
        quat_store(work.local, k, quat_load(work.trial, k))
    if body.lumbar >= 0:
        hang_pelvis(c, limit_project(limits, body.lumbar, (1.0, 0.0, 0.0, 0.0)))
    return reached


@helper
def bend_trunk(c: Context, frame: Quat, start: int, head: Quat, has_head: bool) -> tuple[int, int]:
    """Algorithm 2 up to its line 16: bend or stretch, then point at the head; fills `trial`.

    A chain that starts at the joint above (`start` 1) leaves its base as `frame` turns it.

    Returns:
        Steps of the search, and flags.
    """
    body, limits, settings, state, work = c.body, c.limits, c.settings, c.state, c.work
    n = body.joints
    base = vec_load(work.points, 0)
    if start == 1:
        base = vec_add(base, quat_rotate(frame, vec_load(body.segments, 0)))
    goal = vec_sub(vec_load(work.points, 1), base)
    wanted = vec_length(goal)
    for k in range(n):
        quat_store(work.trial, k, (1.0, 0.0, 0.0, 0.0))
    neutral = spine_chord(c, start)
    flags = 0
    steps = 0
    if wanted < vec_length(neutral):
        normal = bend_normal(c, frame, neutral, goal)
        axis = quat_unrotate(frame, normal)
        angle, steps, limited = spine_search(c, start, axis, wanted)
        first = quat_from_axis_angle(axis, -angle)
        if limited:
            flags |= SPINE_LIMITED
        state.normal[0], state.normal[1], state.normal[2] = normal[0], normal[1], normal[2]
        state.bent = 1
        state.angle = angle
    else:
        first = spine_stretch(c, start, wanted)
        if wanted > body.stretch_lengths[start, STRETCH_SAMPLES - 1]:
            flags |= SPINE_STRETCHED
        state.bent = 0  # the neutral shape is restored
    if has_head:
        spine_twist(c, quat_mul(frame, first), start, head)

    # Line 16: turn the whole chain so that its chord points at the head.
    turned = quat_mul(frame, first)
    chord = quat_rotate(turned, spine_chord(c, start))
    turned = quat_mul(rotation_between(chord, goal, quat_rotate(frame, (1.0, 0.0, 0.0))), turned)
    if settings.retwist and start == 0:  # give the pelvis its X axis back
        about = vec_unit(goal, (0.0, 1.0, 0.0))
        want = vec_reject(quat_rotate(frame, (1.0, 0.0, 0.0)), about)
        have = vec_reject(quat_rotate(turned, (1.0, 0.0, 0.0)), about)
        turned = quat_mul(rotation_between(have, want, about), turned)
    if start == 1:
        quat_store(work.trial, 1, limit_project(limits, 1, quat_mul(quat_conj(frame), turned)))
        turned = frame
    quat_store(work.trial, 0, turned)
    return steps, flags


@helper
def solve_trunk(
    c: Context, frame: Quat, fixed_pelvis: bool, head: Quat, has_head: bool
) -> tuple[int, int]:
    """Algorithm 2: pelvis and spine from the estimated frame; fills local, world and places.

    Where the pelvis's rotation is known and another joint on it carries the spine, that joint turns
    as the pelvis would, within its limits; what these hold back is left to the joints above. (The
    paper knows no rotation of the pelvis and keeps the two together.)

    Returns:
        Steps of the search, and flags.
    """
    body, limits, state, work = c.body, c.limits, c.state, c.work
    n = body.joints
    above = 1 if fixed_pelvis and n > 2 else 0
    apart = fixed_pelvis and body.lumbar >= 0
    start = 0 if apart else above
    steps, flags = bend_trunk(c, frame, start, head, has_head)
    held = (1.0, 0.0, 0.0, 0.0)
    if apart:
        turn = quat_mul(quat_conj(frame), quat_load(work.trial, 0))
        held = limit_project(limits, body.lumbar, turn)
        if held != turn and above == 1:
            more, flags = bend_trunk(c, quat_mul(frame, held), 1, head, has_head)
            steps += more
        quat_store(work.trial, 0, quat_mul(frame, held))
    if has_head:
        below = quat_load(work.trial, 0)
        for k in range(1, n - 1):
            below = quat_mul(below, quat_load(work.trial, k))
        local = quat_mul(quat_conj(below), head)
        quat_store(work.trial, n - 1, limit_project(limits, n - 1, local))

    reached = spine_share(c)
    if apart:
        hang_pelvis(c, held)
    state.chord[0], state.chord[1], state.chord[2] = reached[0], reached[1], reached[2]
    return steps, flags
