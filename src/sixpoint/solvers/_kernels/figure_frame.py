"""What every solver of articulated figures does before and after its own work on a frame."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_conj, quat_load, quat_mul, quat_normalize, quat_store
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_distance, vec_load, vec_store
from .figure import Figure, FigurePose, figure_read, figure_write
from .frame import ALL_MISSING, PELVIS, begin_frame, end_frame
from .missing import is_place
from .tables import BLOCK, OUT_OF_STEPS, Body, FrameTable, Settings, State, Work

MET, STILL, SPENT = 0, 1, 2
"""Why a loop ended."""
NOT_MET = 1 << 29
"""Flag: the loop ended without meeting every target."""


@helper
def stop_flags(reason: int) -> int:
    """Why the loop ended, as flags."""
    flags = 0
    if reason in (STILL, SPENT):
        flags |= NOT_MET
    if reason == SPENT:
        flags |= OUT_OF_STEPS
    return flags


@helper
def is_led(lead: FrameTable) -> bool:
    """Whether another solver has gone ahead, with these answers."""
    return len(lead.flags) > 0


@helper
def follow_points(work: Work, ahead: Work, lead: FrameTable, frame: int) -> int:
    """Take the six points as the leader had them, guesses included; flags of those not seen."""
    for p in range(work.points.shape[0]):
        vec_store(work.points, p, vec_load(ahead.recent[frame % BLOCK], p))
    return int(lead.flags[frame] & ALL_MISSING)


@helper
def led_turn(figure: Figure, lead: FrameTable, frame: int) -> Quat:
    """World rotation of the leader's pelvis."""
    turn = quat_load(lead.rotations[frame], figure.rig[0])
    turn = quat_mul(quat_conj(quat_load(figure.before, 0)), turn)
    return quat_normalize(quat_mul(turn, quat_conj(quat_load(figure.after, 0))))


@helper
def write_person(
    figure: Figure,
    settings: Settings,
    pose: FigurePose,
    lead: FrameTable,
    out: FrameTable,
    frame: int,
) -> None:
    """Write a pose; joints that no row moves are as in the start, the leader's, or at rest."""
    rest = figure.rest
    if is_led(lead) and settings.led_start:
        rest = lead.rotations[frame]
    figure_write(figure, pose, rest, out.rotations[frame], out.root, frame)


@helper
def begin_person(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    figure: Figure,
    pose: FigurePose,
    lead: FrameTable,
    ahead: Work,
    seen: Floats,
    turned: Floats,
    frame: int,
) -> tuple[int, Quat]:
    """Place the root like that of sequential IK (S0.46); flags, and the pelvis's rotation.

    Where another solver goes ahead, its points and its pelvis are taken, and its pose if that is
    the start; otherwise all other joints are as the frame before left them. `lead` has its answers
    and `ahead` is its scratch memory. Positions (F, 6, 3) and rotations (F, 2, 4) are those of all
    frames.
    """
    if is_led(lead):
        flags = follow_points(work, ahead, lead, frame)
        estimate = led_turn(figure, lead, frame)
        if settings.led_start:
            figure_read(figure, lead.rotations[frame], pose.local)
    else:
        flags, estimate = begin_frame(body, settings, state, work, seen[frame], turned[frame])
    quat_store(pose.local, 0, estimate)
    vec_store(pose.place, 0, vec_load(work.points, PELVIS))
    return flags, estimate


@helper
def end_person(
    settings: Settings,
    state: State,
    work: Work,
    figure: Figure,
    pose: FigurePose,
    lead: FrameTable,
    estimate: Quat,
    seen: Floats,
    out: FrameTable,
    frame: int,
    steps: int,
    flags: int,
) -> None:
    """Write a person's pose and how well it meets the six points, which are its tips."""
    for p in range(seen.shape[0]):
        vec_store(work.ends, p, vec_load(pose.tips, p))
    write_person(figure, settings, pose, lead, out, frame)
    pelvis = quat_load(pose.world, 0)
    end_frame(settings, state, work, estimate, pelvis, seen, out, frame, steps, flags)


@helper
def end_figure(
    figure: Figure,
    pose: FigurePose,
    seen: Floats,
    out: FrameTable,
    frame: int,
    steps: int,
    flags: int,
) -> None:
    """Write a figure's pose and how well it meets the targets of its tips."""
    for tip in range(seen.shape[0]):
        place = vec_load(seen, tip)
        if is_place(place):
            out.residuals[frame, tip] = vec_distance(vec_load(pose.tips, tip), place)
        else:
            out.residuals[frame, tip] = math.nan
    out.iterations[frame] = steps
    out.flags[frame] = flags
    figure_write(figure, pose, figure.rest, out.rotations[frame], out.root, frame)
