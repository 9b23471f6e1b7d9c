"""The loop of methods that sweep over joints: people part by part, any other skeleton at once.

Every part is swept until it is met, until a sweep gains too little, or until the budget is spent:
the stop rule of the comparison of Unzueta et al. 2008, section 9.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
)
from ...kernels.types import Floats
from ...kernels.vector import vec_load, vec_scale
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    end_person,
    end_skeleton,
    person_kernel,
    person_targets,
    share_spine_error,
    skeleton_kernel,
    skeleton_targets,
    stop_flags,
)
from ..articulated.model import (
    HINGE,
    POSITION,
    Model,
    Targets,
    effector_forward,
    joints_forward,
    task_residual,
)
from ..articulated.parts import (
    SPINE,
    Parts,
    Ranges,
    copy_part,
    has_target,
    new_parts,
    part_flags,
    part_forward,
    part_residual,
    slack,
)
from ..articulated.straightness import unlock_part
from ..context import LIMITED, MET, SPENT, STILL, Frames
from ..people.tables import PELVIS
from .ccd import ccd_sweep
from .fabrik import fabrik_sweep

CCD, FABRIK = 0, 1
"""Methods."""
FIRST, FREED, SWEPT, LEAPT, TAKEN_BACK, LAST = 0, 1, 2, 3, 4, 5
"""Which pose is tried: that of the frame before; out of a straight line; after a sweep; farther on
its way; not as far after all; the best of all."""


class Sweeps(NamedTuple):
    """Scratch memory: N joints, E end effectors."""

    parts: Parts
    rotations: Floats
    """World rotation of each end effector, (E, 4)."""
    before: Floats
    """Local rotations before a sweep, (N, 4)."""
    after: Floats
    """Local rotations after it, (N, 4)."""


def new_sweeps(model: Model, ranges: Ranges) -> Sweeps:
    """Return scratch memory for the parts of a model."""
    joints, effectors = len(model.parent), len(model.effector_joint)
    return Sweeps(
        parts=new_parts(model, ranges),
        rotations=arrays.identity(effectors),
        before=arrays.identity(joints),
        after=arrays.identity(joints),
    )


def solve_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person: the root is placed as in sequential IK, then part after part.

    End effectors are the six points, in their order.
    """
    flags, estimate = begin_person(c, frames, frame)
    targets = person_targets(c, frames, frame)
    joints_forward(c.model, c.pose, 0, c.scratch.parts.first_joint[SPINE])
    effector_forward(c.model, c.pose, PELVIS)
    most = 0
    for part in range(c.scratch.parts.first_joint.shape[0]):
        steps, reason, limited = settle(c, part, targets, part == SPINE, None)
        most = max(most, steps)
        flags |= part_flags(c, part, targets, reason, limited)
    end_person(c, frames, frame, estimate, most, flags)


solve_people = person_kernel(solve_person)


def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    patient = c.settings.least_gain < 0.0
    steps, reason, limited = settle(c, 0, skeleton_targets(frames, frame), False, patient)
    flags = stop_flags(reason)
    if reason != MET and limited:
        flags |= LIMITED
    for effector in range(c.model.effector_joint.shape[0]):  # those of no task, too
        effector_forward(c.model, c.pose, effector)
    end_skeleton(c, frames, frame, steps, flags)


solve_skeletons = skeleton_kernel(solve_skeleton)


@helper
def settle(
    c: Context, part: int, targets: Targets, shared: bool, patient: bool | None
) -> tuple[int, int, bool]:
    """Sweep over a part; sweeps taken, why they ended, and whether the last one felt a limit.

    The error of a spine (`shared`) is split evenly between its ends, before and after each sweep.
    One loop tries one pose after the other, so that placing and judging it are compiled once.

    Without a rule on gains (`patient`) a target out of reach would take all sweeps: there they end
    when no task can come nearer. None leaves the question out when the loop is compiled: people,
    who have a rule on gains and few sweeps, would take twice the time for its mere presence.
    """
    pose, settings, scratch = c.pose, c.settings, c.scratch
    parts, size = scratch.parts, c.model.size[0]
    near = settings.tolerance * size
    trying = FIRST
    steps, limited, stride = 0, False, 1.0
    before, swept, best = math.inf, math.inf, math.inf
    while True:
        part_forward(c, part)
        if shared:
            share_spine_error(pose, targets)
        worst, total = part_residual(c, part, targets)
        if worst <= near:
            return steps, MET, limited
        if patient is not None:  # noqa: SIM102  (alone, so that the compiler can leave it out)
            if patient and is_at_best(c, part, targets):
                return steps, STILL, limited
        if trying == LAST:
            return steps, SPENT if steps == settings.iterations else STILL, limited
        if trying == SWEPT and settings.longest_stride > 0.0:
            copy_part(parts, part, pose.local, scratch.after)
            leap(c, part, stride)
            swept = total
            trying = LEAPT
            continue
        if trying == LEAPT:
            if total < swept:
                stride = min(2.0 * stride, settings.longest_stride)
            else:
                copy_part(parts, part, scratch.after, pose.local)
                stride = max(0.5 * stride, 1.0)
                trying = TAKEN_BACK
                continue
        if total < best:
            copy_part(parts, part, pose.local, parts.best)
            best = total
        still = before - total <= settings.least_gain * size
        spent = steps == settings.iterations
        stuck = (trying == FIRST or still) and not spent
        if stuck and unlock_part(c, part, targets, still):
            trying, before = FREED, math.inf
            continue
        if still or spent:
            copy_part(parts, part, parts.best, pose.local)
            trying = LAST
            continue
        before = total
        copy_part(parts, part, pose.local, scratch.before)
        if settings.method == CCD:
            limited = ccd_sweep(c, part, targets)
        else:
            limited = fabrik_sweep(c, part, targets)
        steps += 1
        trying = SWEPT


@helper
def leap(c: Context, part: int, stride: float) -> None:
    """Go on the way that a sweep went, so many times as far, within limits."""
    model, parts = c.model, c.scratch.parts
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        if model.freedom[joint] == 0:
            continue
        after = quat_load(c.scratch.after, joint)
        way = quat_to_rotvec(quat_mul(quat_conj(quat_load(c.scratch.before, joint)), after))
        rotated = quat_mul(after, quat_from_rotvec(vec_scale(way, stride)))
        if model.freedom[joint] == HINGE:
            axis = vec_load(model.axis, joint)
            angle = limit_clamp_angle(model.limits, joint, quat_twist_angle(rotated, axis))
            held = quat_from_axis_angle(axis, angle)
        else:
            held = limit_project(model.limits, joint, quat_normalize(rotated))
        quat_store(c.pose.local, joint, held)


@helper
def is_at_best(c: Context, part: int, targets: Targets) -> bool:
    """Whether no task of a part can come nearer: met, or as near as its bones reach."""
    model, parts = c.model, c.scratch.parts
    near = c.settings.tolerance * model.size[0]
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not has_target(model, task, targets):
            continue
        least = 0.0
        if model.task_kind[task] == POSITION:
            least = max(0.0, -slack(c, part, task, targets))
        _, error = task_residual(model, c.pose, task, targets)
        if error > least + near:
            return False
    return True
