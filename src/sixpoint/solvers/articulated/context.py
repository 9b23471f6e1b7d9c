"""What kernels of articulated skeletons are given, and how each frame begins and ends.

A method comes in two forms: for people, whose pelvis follows its point as in sequential IK, and for
any skeleton, whose root stays where it is. Both have a model, a pose that is kept from frame to
frame, and scratch memory of the method.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from ...kernels._jit import Kernel, frame_kernel, helper
from ...kernels.quaternion import quat_conj, quat_load, quat_mul, quat_normalize, quat_store
from ...kernels.types import Quat
from ...kernels.vector import vec_add, vec_distance, vec_load, vec_scale, vec_store, vec_sub
from ..context import MET, MISSING, NOT_MET, OUT_OF_STEPS, SPENT, UNASKED, Frames
from ..people.plan import ALL_MISSING, begin_frame, end_frame, is_place, known_rotation
from ..people.tables import PELVIS, Body, Settings, State, Work
from .model import ORIENTATION, POSITION, Model, ModelPose, Targets, read_pose, write_pose

C = TypeVar("C")


class Context(Protocol):
    """What both forms of a method have in their contexts."""

    @property
    def settings(self) -> Settings:
        """Settings of the method."""

    @property
    def model(self) -> Model:
        """The skeleton."""

    @property
    def pose(self) -> ModelPose:
        """The pose of the skeleton, which is the start of the next frame."""

    @property
    def scratch(self) -> Any:
        """Scratch memory of the method."""


class SkeletonContext(NamedTuple):
    """Any skeleton; settings are an array of one record outside of kernels, a record inside."""

    settings: Settings
    model: Model
    pose: ModelPose
    scratch: Any


class PersonContext(NamedTuple):
    """A person by six points; arrays of one record outside of kernels, records inside."""

    body: Body
    settings: Settings
    state: State
    work: Work
    model: Model
    pose: ModelPose
    scratch: Any


def skeleton_kernel(
    solve_frame: Callable[[SkeletonContext, Frames, int], None],
) -> Kernel[[SkeletonContext, Frames, int, int], None]:
    """Return the loop that solves the frames of a clip one after the other."""

    def loop(context: SkeletonContext, frames: Frames, first: int, last: int) -> None:
        c = SkeletonContext(context.settings[0], *context[1:])
        for frame in range(first, last):
            solve_frame(c, frames, frame)

    return frame_kernel(solve_frame, loop)


def person_kernel(
    solve_frame: Callable[[C, Frames, int], None], kind: Any = PersonContext
) -> Kernel[[C, Frames, int, int], None]:
    """Return the loop that solves the frames of a clip one after the other.

    `kind` is the context, whose first four tables are those of `PersonContext`.
    """

    def loop(context: Any, frames: Frames, first: int, last: int) -> None:
        body, settings = context.body[0], context.settings[0]
        c = kind(body, settings, context.state[0], context.work[0], *context[4:])
        for frame in range(first, last):
            solve_frame(c, frames, frame)

    return frame_kernel(solve_frame, loop)


@helper
def stop_flags(reason: int) -> int:
    """Return why an iteration ended, as flags."""
    if reason == SPENT:
        return NOT_MET | OUT_OF_STEPS
    return NOT_MET if reason != MET else 0


@helper
def has_start(frames: Frames) -> bool:
    """Whether another solver has solved the frames already."""
    return len(frames.start.flags) > 0


@helper
def begin_person(c: PersonContext, frames: Frames, frame: int) -> tuple[int, Quat]:
    """Place the root like that of sequential IK; return flags, and the pelvis's rotation.

    Where another solver went first, its points and its pelvis are taken, and its pose if that is
    the start (setting `start`); otherwise all other joints are as the frame before left them.
    """
    if has_start(frames):
        first = frames.start
        for p in range(c.work.points.shape[0]):
            vec_store(c.work.points, p, vec_load(first.points[frame], p))
        flags = int(first.flags[frame] & ALL_MISSING)
        pelvis = quat_load(first.rotations[frame], c.model.rig[0])
        pelvis = quat_mul(quat_conj(quat_load(c.model.before, 0)), pelvis)
        estimate = quat_normalize(quat_mul(pelvis, quat_conj(quat_load(c.model.after, 0))))
        if c.settings.start != 0:
            read_pose(c.model, first.rotations[frame], c.pose.local)
    else:
        flags, estimate = begin_frame(c, frames, frame)
    quat_store(c.pose.local, 0, estimate)
    vec_store(c.pose.position, 0, vec_load(c.work.points, PELVIS))
    return flags, estimate


@helper
def pelvis_is_free(frames: Frames, frame: int) -> bool:
    """Whether a pelvis may turn: its rotation is estimated, not known nor another solver's."""
    _, known = known_rotation(frames.rotations[frame], PELVIS)
    return not (known or has_start(frames))


@helper
def write_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Write a pose; joints that are not in the model stay as in the start, or at rest."""
    rest = c.model.rest
    if has_start(frames) and c.settings.start != 0:
        rest = frames.start.rotations[frame]
    out = frames.out
    write_pose(c.model, c.pose, rest, out.rotations[frame], out.root[frame])


@helper
def end_person(
    c: PersonContext, frames: Frames, frame: int, estimate: Quat, steps: int, flags: int
) -> None:
    """Write a person's pose and how well it meets the six points, which are its end effectors."""
    for p in range(c.pose.effectors.shape[0]):
        vec_store(c.work.ends, p, vec_load(c.pose.effectors, p))
    write_person(c, frames, frame)
    frames.out.iterations[frame] = steps
    end_frame(c, frames, frame, estimate, quat_load(c.pose.world, 0), flags)


@helper
def share_spine_error(pose: ModelPose, targets: Targets) -> None:
    """Move a person so that pelvis and head, end effectors 0 and 1, miss by the same."""
    pelvis, head = vec_load(targets.positions, 0), vec_load(targets.positions, 1)
    reached = vec_sub(vec_load(pose.effectors, 1), vec_load(pose.effectors, 0))
    wanted = vec_sub(head, pelvis)
    goal = vec_add(pelvis, vec_scale(vec_sub(wanted, reached), 0.5))
    shift = vec_sub(goal, vec_load(pose.effectors, 0))
    for joint in range(pose.position.shape[0]):
        vec_store(pose.position, joint, vec_add(vec_load(pose.position, joint), shift))
    for effector in range(pose.effectors.shape[0]):
        vec_store(pose.effectors, effector, vec_add(vec_load(pose.effectors, effector), shift))


@helper
def target_flags(model: Model, targets: Targets) -> int:
    """Whether some position that is to be reached is missing, and whether nothing is asked."""
    # Tasks that speak of no end effector, as of self-collision, are asked for in every frame.
    missing = False
    asked = model.task_kind.shape[0] == 0 or model.effector_joint.shape[0] == 0
    for task in range(model.task_kind.shape[0]):
        if not model.task_weight[task] > 0.0:
            continue
        effector = model.task_effector[task]
        if model.task_kind[task] == POSITION:
            seen = is_place(vec_load(targets.positions, effector))
            asked = asked or seen
            missing = missing or not seen
        elif model.task_kind[task] == ORIENTATION:
            asked = asked or not math.isnan(targets.rotations[effector, 0])
        else:
            asked = True
    return (MISSING if missing else 0) | (0 if asked else UNASKED)


@helper
def end_skeleton(c: SkeletonContext, frames: Frames, frame: int, steps: int, flags: int) -> None:
    """Write a skeleton's pose and how well it meets the targets of its end effectors."""
    out = frames.out
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    for effector in range(targets.positions.shape[0]):
        position = vec_load(targets.positions, effector)
        out.residuals[frame, effector] = (
            vec_distance(vec_load(c.pose.effectors, effector), position)
            if is_place(position)
            else math.nan
        )
    out.iterations[frame] = steps
    out.flags[frame] = flags | target_flags(c.model, targets)
    write_pose(c.model, c.pose, c.model.rest, out.rotations[frame], out.root[frame])
