"""What every solver of whole bodies does before and after its own work on a frame."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_distance, vec_load
from .missing import fill_points, measured_facing, predict_points, remember_points
from .tables import BLOCK, MISSING, Body, FrameTable, Settings, State, Work

PELVIS, HEAD, FIRST_LIMB = 0, 1, 2
"""Rows of the six points."""
ALL_MISSING = 63 * MISSING


@helper
def known_turn(turned: Floats, p: int) -> tuple[Quat, bool]:
    """Rotation of the pelvis or the head, and whether it is known; otherwise the identity."""
    if math.isnan(turned[p, 0]):
        return (1.0, 0.0, 0.0, 0.0), False
    return quat_load(turned, p), True


@helper
def begin_frame(
    body: Body, settings: Settings, state: State, work: Work, seen: Floats, turned: Floats
) -> tuple[int, Quat]:
    """Fill in the points that were not seen, and find how the pelvis is turned (S0.46).

    Positions of six points (6, 3) and rotations of pelvis and head (2, 4); NaN stands for a
    position that was not seen and for a rotation that is not known.

    Returns:
        Flags, and the rotation of the pelvis: the known one, or the estimate.
    """
    flags = fill_points(body, settings, state, work, seen)
    estimate, fixed = known_turn(turned, PELVIS)
    if not fixed:
        estimate = measured_facing(settings, state, work, flags, seen)
    if settings.predict:
        predict_points(state, work, flags)
    return flags, estimate


@helper
def end_frame(
    settings: Settings,
    state: State,
    work: Work,
    estimate: Quat,
    pelvis: Quat,
    seen: Floats,
    out: FrameTable,
    frame: int,
    steps: int,
    flags: int,
) -> None:
    """Remember what the next frame needs, and write how well the points are met.

    Expects `work.ends`; `pelvis` is its world rotation as solved.
    """
    remember_points(settings, state, work, flags, pelvis)
    left = quat_rotate(estimate, (1.0, 0.0, 0.0))
    state.left[0], state.left[1], state.left[2] = left
    if state.frames > 0 or flags & ALL_MISSING != ALL_MISSING:
        state.frames += 1  # before anything was seen, the next frame is the first again
    for p in range(seen.shape[0]):
        missed = vec_distance(vec_load(work.ends, p), vec_load(seen, p))
        out.residuals[frame, p] = math.nan if flags & (MISSING << p) else missed
        for k in range(3):
            work.recent[frame % BLOCK, p, k] = work.points[p, k]
    out.iterations[frame] = steps
    out.flags[frame] = flags
