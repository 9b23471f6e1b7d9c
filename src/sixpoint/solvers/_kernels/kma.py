"""KMA, frame after frame: a spine by cyclic coordinate descent, limbs at swivel zero.

Everything starts from the standing pose in each frame (S0.47).
"""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable
from ...kernels.quaternion import quat_mul
from ...kernels.types import Floats
from .ccd_spine import lean_on, solve_spine_ccd, stand_spine, turn_head
from .frame import HEAD, PELVIS, begin_frame, known_turn
from .pose import finish_frame
from .tables import Body, FrameTable, RecordArray, Settings, State, Work
from .tgb import solve_limbs_tgb
from .trunk import hang_pelvis


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
    head, has_head = known_turn(turned, HEAD)
    _, fixed = known_turn(turned, PELVIS)
    apart = fixed and body.lumbar >= 0
    loins = lean_on(body, limits, work, estimate) if apart else (1.0, 0.0, 0.0, 0.0)
    stand_spine(body, limits, work, quat_mul(estimate, loins), head, has_head)
    steps, more = solve_spine_ccd(body, limits, settings, work)
    flags |= more
    if apart:
        hang_pelvis(body, work, loins)
    if has_head:
        turn_head(body, limits, work, head)
    flags |= solve_limbs_tgb(body, limits, settings, state, work, estimate)
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
