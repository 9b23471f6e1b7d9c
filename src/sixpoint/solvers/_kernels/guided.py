"""Guided sequential IK, frame after frame: ask the prior, make the answer exact, keep limits."""

from __future__ import annotations

import math

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable
from ...kernels.quaternion import (
    quat_from_columns,
    quat_load,
    quat_mul,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_unrotate,
)
from ...kernels.types import Floats, Quat, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_unit,
)
from .critic import belief
from .frame import FIRST_LIMB, HEAD, PELVIS, begin_frame, known_turn
from .guide import hand_of, look, part_turn, read_stations, rotation_of, smooth
from .guide_tables import ENDS, HINGES, STATIONS, Guide, Memory, Net
from .guided_ease import ease_limb, remember_limbs
from .guided_help import bring_ends, help_growth, recall_help, remember_help
from .guided_trunk import share_rest, spread_errors
from .hands_facing import HANDS
from .hands_lost import keep_hands
from .hands_swing import swing_body
from .limb import limb_aim, settle_limb
from .limb_ends import limb_begin, triangle_angle
from .pose import finish_frame
from .standing import HEAD_LOST, UNSEEN, remember_feet, stand_up
from .tables import (
    LIMB_ROWS,
    LIMBS,
    MISSING,
    SPINE_LIMITED,
    UNREACHABLE,
    Body,
    FrameTable,
    RecordArray,
    Settings,
    State,
    Work,
)
from .trunk import solve_trunk

GUESSED = 0xF * (MISSING << FIRST_LIMB)
"""Any wrist or ankle that was not seen."""
HELD = 1e-3
"""A head further than this part of height from its point is held back by limits."""
HELPS = 3
"""Times that pelvis and spine help limbs that limits hold back."""
KEPT = 0.02
"""Weight of the hinge axis of the frame before, where the prior's is nearly along the limb."""


@helper
def guide_trunk(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    guide: Guide,
    net: Net,
    estimate: Quat,
    fixed: bool,
    head: Quat,
    has_head: bool,
    trust: float,
) -> tuple[int, int]:
    """What the prior wishes of pelvis and spine, into `world` and `lower`. Steps, and flags."""
    n = body.joints
    last = n - 1
    steps, flags = 0, 0
    if trust < 1.0:
        steps, flags = solve_trunk(
            body, limits, settings, state, work, estimate, fixed, head, has_head
        )
        quat_store(net.lower, 0, quat_load(work.world, PELVIS))
    else:  # the start of the blend does not count
        for k in range(n):
            quat_store(work.world, k, quat_load(net.world, 0))
        quat_store(net.lower, 0, quat_load(net.world, 0))
    pelvis = estimate if fixed else quat_load(net.world, 0)
    quat_store(work.world, PELVIS, quat_slerp(quat_load(work.world, PELVIS), pelvis, trust))
    if fixed:
        quat_store(work.world, PELVIS, estimate)
    quat_store(net.lower, 0, quat_slerp(quat_load(net.lower, 0), part_turn(guide, net, 0), trust))
    for k in range(1, last):
        quat_store(
            work.world, k, quat_slerp(quat_load(work.world, k), part_turn(guide, net, k), trust)
        )
    face = head if has_head else quat_load(net.world, STATIONS - 1)
    quat_store(
        work.world, last, quat_slerp(quat_load(work.world, last), face, 1.0 if has_head else trust)
    )
    return steps, flags


@helper
def guide_limb(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    guide: Guide,
    memory: Memory,
    net: Net,
    limb: int,
    trust: float,
) -> tuple[Vec3, int]:
    """One limb with the hinge axis of the prior; where its end comes to lie, and flags."""
    target = vec_load(work.points, FIRST_LIMB + limb)
    parent, place, aim, flags = limb_begin(body, limits, settings, state, work, limb, target)
    upper, lower = body.bones[limb, 0], body.bones[limb, 1]
    bend = body.bend[limb]
    along = vec_unit(aim, (0.0, -1.0, 0.0))
    # A limb that is a little too short keeps its swivel: it points at the target, straight.
    distance = min(vec_length(aim), upper + lower)
    aim = vec_scale(along, distance)
    short = flags & (UNREACHABLE << limb)
    flags -= short
    axis = vec_reject(quat_unrotate(parent, vec_load(net.vectors, HINGES + limb)), along)
    if trust < 1.0:
        neutral = limb_aim(settings, state, limb, bend, upper, lower, aim)
        usual = quat_rotate(neutral, (1.0, 0.0, 0.0))
        axis = vec_add(vec_scale(axis, trust), vec_scale(vec_reject(usual, along), 1.0 - trust))
    before = vec_reject(vec_load(memory.normals, limb), along)
    axis = vec_add(axis, vec_scale(before, KEPT))
    if vec_length(axis) < 1e-6:
        axis = vec_reject((1.0, 0.0, 0.0), along)
        if vec_length(axis) < 1e-6:
            axis = (0.0, 0.0, 1.0)
    hinge = vec_unit(axis, (1.0, 0.0, 0.0))
    vec_store(memory.normals, limb, hinge)
    angle = triangle_angle(upper, distance, lower)
    # Elbows stand off to the back, knees to the front.
    side = vec_scale(vec_cross(along, hinge), -bend)
    bone = vec_add(vec_scale(along, math.cos(angle)), vec_scale(side, math.sin(angle)))
    up = vec_scale(bone, -1.0)
    free = quat_from_columns((hinge, up, vec_cross(hinge, up)))
    end, flags = settle_limb(
        body, limits, settings, state, work, limb, parent, place, aim, free, flags
    )
    if not short:
        end = ease_limb(
            body, limits, settings, state, work, memory, limb, parent, place, aim, end, target
        )
    flags |= short
    if guide.ends:
        guide_end(body, work, net, limb, trust)
    return end, flags


@helper
def guide_end(body: Body, work: Work, net: Net, limb: int, trust: float) -> None:
    """A hand or foot as the prior has it; where a joint twists the forearm, it twists the hand.

    Limits are kept when the frame is finished.
    """
    row = body.joints + LIMB_ROWS * limb + LIMB_ROWS - 1
    if body.bend[limb] < 0.0:
        turn = rotation_of(net.vectors, ENDS + 2 * limb)
        quat_store(work.local, row, quat_slerp(quat_load(work.local, row), turn, trust))
        return
    twist, swing = hand_of(net.vectors, ENDS + 2 * limb)
    twist = quat_slerp((1.0, 0.0, 0.0, 0.0), twist, trust)
    swing = quat_slerp((1.0, 0.0, 0.0, 0.0), swing, trust)
    if body.twists[limb] >= 0:
        quat_store(work.local, body.twists[limb], twist)
        quat_store(work.local, row, swing)
    else:
        quat_store(work.local, row, quat_mul(twist, swing))


@helper
def guide_limbs(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    guide: Guide,
    memory: Memory,
    net: Net,
    trust: float,
) -> int:
    """All limbs, into `work.local` and `work.ends`; flags."""
    flags = 0
    pelvis = quat_load(work.world, PELVIS)
    for limb in range(LIMBS):
        if body.carrier[limb] == 0 and body.bend[limb] > 0.0:
            # An arm that hangs from the pelvis goes with the spine.
            quat_store(work.world, PELVIS, quat_load(net.lower, 0))
        end, more = guide_limb(body, limits, settings, state, work, guide, memory, net, limb, trust)
        quat_store(work.world, PELVIS, pelvis)
        vec_store(work.ends, FIRST_LIMB + limb, end)
        flags |= more
    return flags


@helper
def try_limbs(
    body: Body,
    limits: LimitTable,
    settings: Settings,
    state: State,
    work: Work,
    guide: Guide,
    memory: Memory,
    net: Net,
    trust: float,
) -> None:
    """Where the ends of all limbs would lie, into `work.ends`; nothing is remembered of it."""
    for limb in range(LIMBS):
        net.swivels[limb] = state.swivels[limb]
        vec_store(net.normals, limb, vec_load(memory.normals, limb))
    guide_limbs(body, limits, settings, state, work, guide, memory, net, trust)
    for limb in range(LIMBS):
        state.swivels[limb] = net.swivels[limb]
        vec_store(memory.normals, limb, vec_load(net.normals, limb))


@helper
def seen_part(flags: int, points: int) -> float:
    """Part of the points that were measured: guesses look usual, and say nothing."""
    lost = 0
    for p in range(points):
        if flags & (MISSING << p):
            lost += 1
    return 1.0 - lost / points


@helper
def solve_frame(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    guide: Guide,
    memory: Memory,
    net: Net,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """One frame: positions of six points (6, 3) and rotations of pelvis and head (2, 4)."""
    flags, estimate = begin_frame(body, settings, state, work, seen, turned)
    unseen = flags & (UNSEEN | HEAD_LOST) == UNSEEN
    _, fixed = known_turn(turned, PELVIS)
    head, has_head = known_turn(turned, HEAD)
    if unseen:
        faced = stand_up(body, settings, state, memory, work, flags, estimate, head, has_head)
        estimate = estimate if fixed else faced
    else:
        memory.grounded = 0
    guessed = flags & GUESSED != 0
    facing, trust = look(body, guide, state, work, estimate, fixed or guessed, net)
    memory.confidence = trust * belief(net) * seen_part(flags, seen.shape[0])
    smooth(guide, memory, facing, net)
    read_stations(net)
    steps, more = guide_trunk(
        body, limits, settings, state, work, guide, net, estimate, fixed, head, has_head, trust
    )
    flags |= more
    seat = recall_help(body, guide, memory, work, net, fixed)
    most = help_growth(guide, state)
    for attempt in range(HELPS + 1):
        steps += spread_errors(body, limits, guide, work, net, fixed)
        if attempt == HELPS:
            break
        try_limbs(body, limits, settings, state, work, guide, memory, net, trust)
        if unseen and not fixed:
            estimate = swing_body(body, memory, work, net, estimate)
        if not bring_ends(body, guide, work, net, fixed, most):
            break
    remember_help(body, memory, net, seat)
    if share_rest(body, work) > HELD * body.height:
        flags |= SPINE_LIMITED
    flags |= guide_limbs(body, limits, settings, state, work, guide, memory, net, trust)
    remember_limbs(body, work, memory, flags)
    pelvis = quat_load(work.world, PELVIS)
    # A guessed limb goes where the pelvis goes, and would turn it round and round.
    faced = estimate if guessed else pelvis
    finish_frame(body, limits, settings, state, work, rest, faced, seen, out, frame, steps, flags)
    keep_hands(state, memory, pelvis, faced, flags & HANDS == HANDS and not unseen)
    if unseen:
        remember_feet(state, work)


@kernel
def solve_frames(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    guide: RecordArray,
    memory: RecordArray,
    net: Net,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    trusts: Floats,
    first: int,
    last: int,
) -> None:
    """Frames first to last - 1 of a clip: positions (F, 6, 3), rotations (F, 2, 4).

    Also writes the confidence of each frame, (F,).
    """
    for frame in range(first, last):
        solve_frame(
            body[0],
            settings[0],
            state[0],
            work[0],
            guide[0],
            memory[0],
            net,
            limits,
            rest,
            seen[frame],
            turned[frame],
            out,
            frame,
        )
        trusts[frame] = memory[0].confidence
