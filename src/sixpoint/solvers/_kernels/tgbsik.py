"""TGBSIK, frame after frame: trunk and clavicles of sequential IK, limbs by swivel angle."""

from __future__ import annotations

from ...kernels._jit import helper, kernel
from ...kernels.limits import LimitTable
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.types import Floats
from ...kernels.vector import vec_store
from .figure import Figure, FigurePose, figure_read, rows_forward
from .frame import FIRST_LIMB, HEAD, PELVIS, begin_frame, known_turn
from .pose import finish_frame
from .tables import LIMBS, Body, FrameTable, RecordArray, Settings, State, Work
from .tgb import solve_limbs_tgb
from .trunk import solve_trunk


@helper
def read_hinges(figure: Figure, pose: FigurePose, rotations: Floats, work: Work) -> None:
    """World hinge axes of the limbs in a pose of the rig (J, 4)."""
    figure_read(figure, rotations, pose.local)
    rows_forward(figure, pose, 0, figure.parent.shape[0])
    for limb in range(LIMBS):
        turn = quat_load(pose.world, figure.tip_row[FIRST_LIMB + limb])
        vec_store(work.hinges, limb, quat_rotate(turn, (1.0, 0.0, 0.0)))


@helper
def solve_frame(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    limits: LimitTable,
    rest: Floats,
    figure: Figure,
    pose: FigurePose,
    lead: FrameTable,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    frame: int,
) -> None:
    """One frame: positions of six points (6, 3) and rotations of pelvis and head (2, 4).

    NaN stands for a position that was not seen and for a rotation that is not known. Limbs may be
    drawn to where those of another solver are: `lead` has its answers for all frames, or none.
    """
    if settings.prior_weight > 0.0:
        read_hinges(figure, pose, lead.rotations[frame], work)
    flags, estimate = begin_frame(body, settings, state, work, seen, turned)
    _, fixed = known_turn(turned, PELVIS)
    head, has_head = known_turn(turned, HEAD)
    steps, more = solve_trunk(body, limits, settings, state, work, estimate, fixed, head, has_head)
    flags |= more
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
    figure: Figure,
    pose: FigurePose,
    lead: FrameTable,
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
            figure,
            pose,
            lead,
            seen[frame],
            turned[frame],
            out,
            frame,
        )
