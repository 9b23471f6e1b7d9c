"""What passes between trackers and kernels, whatever the method.

A kernel takes a *context*, which is a `NamedTuple` of tables that each method defines for itself
(model, limits, settings, state, scratch memory), and `Frames`, which holds the points of a clip and
room for the answers::

    def solve_frame(context, frames, frame): ...

    solve_frames = frame_kernel(solve_frame)

Tables with fixed fields are records: compiled code passes one pointer for each. NumPy hands them
over as arrays of one element; the loop of a kernel opens them (see `sequential.plan`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..kernels.types import Floats, Ints

# Bits of `Output.flags`.
UNREACHABLE = 1  # << limb: the target is farther than the limb is long
LIMITED = 1 << 4  # << limb: a limit of the limb holds it back; of any other skeleton: << 0
CLAVICLE = 1 << 8  # << limb: the clavicle left its rest
COLLIDED = 1 << 12  # << limb: the elbow was pushed out of the torso
STALLED = 1 << 16  # << limb: and could not be pushed out wholly
SPINE_LIMITED = 1 << 20  # limits keep the spine from bending to its length
SPINE_STRETCHED = 1 << 21  # pelvis and head are farther apart than the spine is long
MISSING = 1 << 22  # << point: not seen, its position was guessed
RECOVERING = 1 << 28  # some point is easing back after it was lost
NOT_MET = 1 << 29  # the iteration ended without meeting every target
OUT_OF_STEPS = 1 << 30  # the budget of iterations was spent short of the targets
UNASKED = 1 << 31  # nothing was asked of the skeleton
BLOCKED = 1 << 32  # << limb: the elbow was pushed out of the torso, and the target is missed
SWIVELLED = 1 << 36  # << limb: limits barred the neutral swivel, and another was searched
SPINE_BENT = 1 << 40  # pelvis and head are nearer than the neutral spine is long

MET, STILL, SPENT = 0, 1, 2
"""Why an iteration ended."""

RecordArray: TypeAlias = NDArray[np.record]
"""An array of one record, which is how compiled code takes it."""


@cache
def record_type(
    *fields: tuple[str, str] | tuple[str, str, tuple[int, ...]],
) -> np.dtype[np.record]:
    """Return the record of these fields: one and the same, since numba compares addresses."""
    return cast("np.dtype[np.record]", np.dtype((np.record, list(fields))))


class Output(NamedTuple):
    """What a method writes for each of F frames."""

    root: Floats
    """Position of the root relative to its parent joint, (F, 3); of people, the pelvis."""
    rotations: Floats
    """Rotations of the rig's joints, (F, J, 4)."""
    points: Floats
    """Positions of the points as used, guesses included, (F, N, 3); written for people."""
    residuals: Floats
    """Distance of each point from where it was seen, NaN if it was not, (F, N + 1); the last column
    is always NaN and stands for points that are not used."""
    iterations: Ints
    """(F,)."""
    flags: Ints
    """Bits as above, (F,)."""
    confidence: Floats
    """How far the answer is to be trusted, from 0 to 1; NaN if the method does not say, (F,)."""
    numbers: Floats
    """What a method says besides, (F, K)."""


class Frames(NamedTuple):
    """The frames of a clip, or the one of a stream."""

    positions: Floats
    """Where the points were seen, (F, N, 3); NaN where they were not."""
    rotations: Floats
    """Rotations of the first R points, (F, R, 4); NaN where they are not known."""
    confidence: Floats
    """How far each point is to be trusted, from 0 to 1, (F, N)."""
    start: Output
    """Answers of the solver that provides the initial poses; without frames if there is none."""
    out: Output
    """Answers."""


def new_output(joints: int, points: int, count: int, numbers: int = 0) -> Output:
    """Return room for the answers to some frames."""
    return Output(
        root=np.zeros((count, 3)),
        rotations=np.zeros((count, joints, 4)),
        points=np.zeros((count, points, 3)),
        residuals=np.full((count, points + 1), np.nan),
        iterations=np.zeros(count, np.int64),
        flags=np.zeros(count, np.int64),
        confidence=np.full(count, np.nan),
        numbers=np.zeros((count, numbers)),
    )


def new_frames(out: Output, points: int, rotations: int, start: Output | None = None) -> Frames:
    """Return frames without points, for some answers."""
    count, joints = out.rotations.shape[:2]
    return Frames(
        positions=np.full((count, points, 3), np.nan),
        rotations=np.full((count, rotations, 4), np.nan),
        confidence=np.ones((count, points)),
        start=new_output(joints, points, 0) if start is None else start,
        out=out,
    )
