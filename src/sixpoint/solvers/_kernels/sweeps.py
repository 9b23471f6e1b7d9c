"""Frames for methods that sweep over joints: people part by part, any other figure at once.

Every part is swept until it is met, until a sweep gains too little, or until the budget is spent:
the stop rule of the SIK paper's comparison (S0.49).
"""

from __future__ import annotations

import math

from ...kernels._jit import helper, kernel
from ...kernels.types import Floats
from .ccd import ccd_sweep
from .descent import share_spine_error
from .fabrik import fabrik_sweep
from .figure import Figure, FigurePose, rows_forward, tip_forward
from .figure_frame import MET, SPENT, STILL, begin_person, end_figure, end_person, stop_flags
from .frame import PELVIS
from .parts import (
    Parts,
    is_at_best,
    part_copy,
    part_error,
    part_forward,
    part_leap,
    part_unlock,
    slack,
)
from .tables import (
    LIMITED,
    SPINE_LIMITED,
    SPINE_STRETCHED,
    UNREACHABLE,
    FrameTable,
    RecordArray,
    Settings,
)

CCD, FABRIK = 0, 1
"""Methods."""
FIRST, FREED, SWEPT, LEAPT, TAKEN_BACK, LAST = 0, 1, 2, 3, 4, 5
"""Which pose is tried: that of the frame before; out of a straight line; after a sweep; farther on
its way; not as far after all; the best of all."""
SPINE = 0
"""Part of a person whose error is shared by both ends."""


@helper
def settle(
    figure: Figure,
    settings: Settings,
    pose: FigurePose,
    parts: Parts,
    part: int,
    places: Floats,
    turns: Floats,
    shared: bool,
    patient: bool | None,
) -> tuple[int, int, bool]:
    """Sweep over a part; sweeps taken, why they ended, and whether the last one felt a limit.

    The error of a spine (`shared`) is split evenly between its ends, before and after each sweep
    (S0.16). One loop tries one pose after the other, so that placing and judging it are compiled
    once.

    Without a rule on gains (`patient`) a target out of reach would take all sweeps: there they end
    when no task can come nearer. None leaves the question out when the loop is compiled: people,
    who have a rule on gains and few sweeps, would take twice the time for its mere presence.
    """
    size = figure.size[0]
    near = settings.tolerance * size
    trying = FIRST
    steps, limited, stride = 0, False, 1.0
    before, swept, best = math.inf, math.inf, math.inf
    while True:
        part_forward(figure, pose, parts, part)
        if shared:
            share_spine_error(pose, places)
        worst, total = part_error(figure, pose, parts, part, places, turns)
        if worst <= near:
            return steps, MET, limited
        if patient is not None:  # noqa: SIM102  (alone, so that the compiler can leave it out)
            if patient and is_at_best(figure, pose, parts, part, places, turns, near):
                return steps, STILL, limited
        if trying == LAST:
            return steps, SPENT if steps == settings.iterations else STILL, limited
        if trying == SWEPT and settings.longest_stride > 0.0:
            part_copy(parts, part, pose.local, parts.swept)
            part_leap(figure, pose, parts, part, stride)
            swept = total
            trying = LEAPT
            continue
        if trying == LEAPT:
            if total < swept:
                stride = min(2.0 * stride, settings.longest_stride)
            else:
                part_copy(parts, part, parts.swept, pose.local)
                stride = max(0.5 * stride, 1.0)
                trying = TAKEN_BACK
                continue
        if total < best:
            part_copy(parts, part, pose.local, parts.kept)
            best = total
        still = before - total <= settings.least_gain * size
        spent = steps == settings.iterations
        stuck = (trying == FIRST or still) and not spent
        if stuck and part_unlock(figure, pose, parts, part, places, turns, near, still):
            trying, before = FREED, math.inf
            continue
        if still or spent:
            part_copy(parts, part, parts.kept, pose.local)
            trying = LAST
            continue
        before = total
        part_copy(parts, part, pose.local, parts.begun)
        if settings.method == CCD:
            limited = ccd_sweep(figure, pose, parts, part, places, turns)
        else:
            limited = fabrik_sweep(figure, pose, parts, part, places, turns)
        steps += 1
        trying = SWEPT


@kernel
def sweep_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    lead: FrameTable,
    ahead: RecordArray,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People: the root is placed like that of sequential IK, then part after part is swept.

    Tips are the six points, in their order; the spine is the first part, limbs follow. The pose of
    the frame before is the start (S0.51, S0.56), or that of a solver that goes ahead: `lead` has
    its answers, or none.
    """
    for frame in range(first, last):
        flags, estimate = begin_person(
            body[0],
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            ahead[0],
            seen,
            turned,
            frame,
        )
        places = work[0].points
        rows_forward(figure, pose, 0, parts.first_row[SPINE])
        tip_forward(figure, pose, PELVIS)
        most = 0
        for part in range(parts.first_row.shape[0]):
            steps, reason, limited = settle(
                figure, settings[0], pose, parts, part, places, turned[frame], part == SPINE, None
            )
            most = max(most, steps)
            flags |= stop_flags(reason)
            limb = part - SPINE - 1
            task = parts.first_task[part]
            if reason != MET and limited:
                flags |= SPINE_LIMITED if part == SPINE else LIMITED << limb
            if reason != MET and slack(figure, pose, parts, part, task, places) < 0.0:
                flags |= SPINE_STRETCHED if part == SPINE else UNREACHABLE << limb
        end_person(
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            estimate,
            seen[frame],
            out,
            frame,
            most,
            flags,
        )


@kernel
def sweep_figures(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Any figure: targets of its tips (F, E, 3) and (F, E, 4), NaN where there is none.

    The root stays where it is; the pose of the frame before is the start.
    """
    patient = settings[0].least_gain < 0.0
    for frame in range(first, last):
        steps, reason, limited = settle(
            figure, settings[0], pose, parts, 0, seen[frame], turned[frame], False, patient
        )
        flags = stop_flags(reason)
        if reason != MET and limited:
            flags |= LIMITED
        for tip in range(figure.tip_row.shape[0]):  # those of no task, too
            tip_forward(figure, pose, tip)
        end_figure(figure, pose, seen[frame], out, frame, steps, flags)
