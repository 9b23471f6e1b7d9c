"""The loops of prioritized IK: steps until targets are met, nothing moves any more, or the end.

There is always a step, so that the posture settles while targets rest. A straight chain cannot see
that it could fold: where a task has a residual that no joint can lessen, joints are nudged.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.quaternion import (
    quat_conj,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_store,
    quat_to_rotvec,
)
from ...kernels.types import Quat
from ...kernels.vector import vec_length, vec_load, vec_scale, vec_store
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    begin_person,
    end_skeleton,
    person_kernel,
    person_targets,
    skeleton_kernel,
    skeleton_targets,
    stop_flags,
    write_person,
)
from ..articulated.model import Targets, model_forward, read_pose, task_jacobian, task_residuals
from ..articulated.self_collision import touching_rows, with_touching
from ..context import MET, SPENT, STILL, Frames
from ..people.plan import end_frame, known_rotation
from ..people.tables import PELVIS
from .descent import may_fold
from .priority_step import (
    adapt_damping,
    limb_flags,
    limited_step,
    posture_step,
    release_joints,
    rotvec_axes,
    scale_tasks,
    take_step,
)

SETTLED = 1e-9
"""A step that turns no joint by more than this is none [rad]."""
SLACK, LEAST_SLACK = 0.1, 1e-7
"""Errors below these parts of the tolerance and of the size are none."""
LEAST_SLOPE = 1e-4
"""Slope of a task along its residual, below which no joint can lessen it."""
NUDGE = 1.0
"""All that the joints are turned to leave a straight line, together [rad]."""
NUDGES = 2
"""Most tries of that."""
MOST_ROOT_OFFSET = 0.25
"""The root starts a frame turned against its estimate as before, but by no more than this [rad].
Without, the start would miss by all that the root had turned; with more, a pelvis whose estimate
flipped might never come back."""


def solve_prioritized_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person whose root starts at its estimate and moves like all joints.

    End effectors are the six points, in their order. The pose of the frame before is the start, and
    a relaxed stance the posture; or the pose of a solver that goes first is one of them or both.
    """
    pose, work = c.pose, c.scratch
    flags, estimate = begin_person(c, frames, frame)
    if c.settings.towards != 0:
        read_pose(c.model, frames.start.rotations[frame], work.posture)
    _, root_known = known_rotation(frames.rotations[frame], PELVIS)
    if not root_known and c.settings.start == 0:
        turn = quat_to_rotvec(quat_load(work.root_offset, 0))
        turn = vec_scale(turn, min(1.0, MOST_ROOT_OFFSET / max(MOST_ROOT_OFFSET, vec_length(turn))))
        quat_store(pose.local, 0, quat_normalize(quat_mul(estimate, quat_from_rotvec(turn))))
    steps, reason = descend(c, person_targets(c, frames, frame), estimate, root_known)
    quat_store(work.root_offset, 0, quat_mul(quat_conj(estimate), quat_load(pose.local, 0)))
    for p in range(pose.effectors.shape[0]):
        vec_store(c.work.ends, p, vec_load(pose.effectors, p))
    write_person(c, frames, frame)
    frames.out.iterations[frame] = steps
    # Lost points go with the estimate, not with the root: a lost head that leaned with the root
    # would make the next estimate lean, and so on.
    end_frame(c, frames, frame, estimate, estimate, flags | stop_flags(reason) | limb_flags(c))


solve_people = person_kernel(solve_prioritized_person)


def solve_prioritized_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    targets = skeleton_targets(frames, frame)
    steps, reason = descend(c, targets, (1.0, 0.0, 0.0, 0.0), False)
    end_skeleton(c, frames, frame, steps, stop_flags(reason))


solve_skeletons = skeleton_kernel(solve_prioritized_skeleton)


@helper
def descend(c: Context, targets: Targets, root: Quat, root_known: bool) -> tuple[int, int]:
    """Iterate from the pose given; iterations taken, and why it ended.

    A root that moves is drawn to the rotation `root`, and keeps its own if that is known.
    """
    settings, work = c.settings, c.scratch
    ladder = work.ladder
    size = c.model.size[0]
    near, least_gain = settings.tolerance * size, settings.least_gain * size
    slack = max(SLACK * settings.tolerance, LEAST_SLACK)
    nudges = 0
    worst, total = measure(c, targets)
    for level in range(ladder.damping_scale.shape[0]):
        ladder.damping_scale[level] = 1.0
    adapt_damping(c, math.inf)
    for iteration in range(settings.iterations):
        rotvec_axes(c.model, c.pose, work.axes)
        task_jacobian(c.model, c.pose, work.axes, ladder.jacobian)
        if work.capsules.pair.shape[0] > 0:
            touching_rows(c.model, c.pose, work.capsules, work.axes, ladder.jacobian)
        if scale_tasks(c, targets) == 0:
            return iteration, MET
        posture_step(c, root)
        release_joints(c, root_known)
        farthest = limited_step(c, settings.task_step)
        if farthest < SETTLED and worst > near:
            blind = is_blind(c) and may_fold(c.model, c.pose, targets, near)
            if not blind or nudges == NUDGES or work.floating[0]:
                return iteration, STILL
            for k in range(ladder.secondary.shape[0]):
                nudge = NUDGE if nudges % 2 == 0 else -NUDGE
                ladder.secondary[k] = nudge / ladder.secondary.shape[0]
            release_joints(c, root_known)
            limited_step(c, settings.task_step)
            nudges += 1
        take_step(c)
        before = total
        worst, total = measure(c, targets)
        if worst <= near:
            return iteration + 1, MET
        if abs(before - total) <= least_gain:
            return iteration + 1, STILL
        adapt_damping(c, slack)
    return settings.iterations, SPENT


@helper
def measure(c: Context, targets: Targets) -> tuple[float, float]:
    """Place all joints, write the residuals of all tasks; their largest and summed length [m]."""
    residual = c.scratch.ladder.residual
    model_forward(c.model, c.pose)
    found = task_residuals(c.model, c.pose, targets, residual)
    return with_touching(c.model, c.pose, c.scratch.capsules, residual, found)


@helper
def is_blind(c: Context) -> bool:
    """Whether some task has a residual that no joint can lessen: the way to fold is not seen."""
    jacobian, residual = c.scratch.ladder.jacobian, c.scratch.ladder.residual
    for task in range(c.model.task_kind.shape[0]):
        gap = (residual[3 * task], residual[3 * task + 1], residual[3 * task + 2])
        square = 0.0
        for k in range(jacobian.shape[1]):
            slope = 0.0
            for i in range(3):
                slope += gap[i] * jacobian[3 * task + i, k]
            square += slope * slope
        length = vec_length(gap)
        if length > 0.0 and math.sqrt(square) < LEAST_SLOPE * length:
            return True
    return False
