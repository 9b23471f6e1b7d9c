"""Sequential IK, frame after frame (Algorithm 1 of the SIK paper)."""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable
from ...kernels.types import Floats
from ...kernels.vector import vec_load, vec_store
from .frame import FIRST_LIMB, HEAD, PELVIS, begin_frame, known_turn
from .limb import solve_limb
from .pose import finish_frame
from .tables import LIMBS, Body, FrameTable, RecordArray, Settings, State, Work
from .trunk import solve_trunk


@helper
def solve_frame(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """One frame: positions of six points (6, 3) and rotations of pelvis and head (2, 4).

    NaN stands for a position that was not seen and for a rotation that is not known.
    """
    flags, estimate = begin_frame(body, settings, state, work, seen, turned)
    _, fixed = known_turn(turned, PELVIS)
    head, has_head = known_turn(turned, HEAD)
    steps, more = solve_trunk(body, limits, settings, state, work, estimate, fixed, head, has_head)
    flags |= more
    for limb in range(LIMBS):
        target = vec_load(work.points, FIRST_LIMB + limb)
        end, more = solve_limb(body, limits, settings, state, work, limb, target)
        vec_store(work.ends, FIRST_LIMB + limb, end)
        flags |= more
    finish_frame(
        body, limits, settings, state, work, rest, estimate, seen, out, frame, steps, flags
    )


@kernel
def solve_frames(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    limits: LimitTable,
    rest: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Frames first to last - 1 of a clip: positions (F, 6, 3), rotations (F, 2, 4).

    The records come as arrays of one; `rest` holds the rig's rotations in the neutral stance.
    """
    for frame in range(first, last):
        solve_frame(
            body[0],
            settings[0],
            state[0],
            work[0],
            limits,
            rest,
            seen[frame],
            turned[frame],
            out,
            frame,
        )
