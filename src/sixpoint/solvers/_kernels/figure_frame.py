"""What every solver of articulated figures does before and after its own work on a frame."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_store
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_distance, vec_load, vec_store
from .figure import Figure, FigurePose, figure_write
from .frame import PELVIS, begin_frame, end_frame
from .missing import is_place
from .tables import OUT_OF_STEPS, Body, FrameTable, Settings, State, Work

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
def begin_person(
    body: Body,
    settings: Settings,
    state: State,
    work: Work,
    pose: FigurePose,
    seen: Floats,
    turned: Floats,
) -> tuple[int, Quat]:
    """Place the root like that of sequential IK (S0.46); flags, and the pelvis's rotation."""
    flags, estimate = begin_frame(body, settings, state, work, seen, turned)
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
    figure_write(figure, pose, out.rotations[frame], out.root, frame)
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
    figure_write(figure, pose, out.rotations[frame], out.root, frame)
