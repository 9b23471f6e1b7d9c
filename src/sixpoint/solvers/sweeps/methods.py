"""Methods that sweep over joints, one after the other: CCD and FABRIK.

On people the root is placed as in sequential IK. Then the spine is swept, then each clavicle with
its arm, then the legs, each from its pose in the frame before; any other skeleton is swept at once.
A part is swept until it is met, until a sweep gains too little, or until the budget is spent: the
stop rule of the comparison of Unzueta et al. 2008, section 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

from ...kernels import arrays
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
from ...kernels.types import Floats, Quat
from ...kernels.vector import vec_load, vec_scale, vec_store
from ..articulated.build import model_depth, new_pose
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    end_person,
    end_skeleton,
    pelvis_is_free,
    person_kernel,
    share_spine_error,
    skeleton_kernel,
    stop_flags,
)
from ..articulated.model import (
    HINGE,
    POSITION,
    Model,
    ModelPose,
    Targets,
    effectors_forward,
    hold_joint,
    new_memory,
    task_residual,
)
from ..articulated.parts import (
    SPINE,
    Parts,
    Ranges,
    begin_parts,
    copy_part,
    has_target,
    new_parts,
    part_flags,
    part_forward,
    part_residual,
    person_parts,
    slack,
    unlock_part,
    whole_part,
)
from ..articulated.plan import (
    RETRY,
    ArticulatedPersonPlan,
    ArticulatedSettings,
    SkeletonPlan,
    VariantSettings,
)
from ..base import Solver
from ..context import LIMITED, MET, SPENT, SPINE_LIMITED, STILL, Frames
from ..people.plan import PersonSettings
from ..people.tables import PELVIS
from ..settings import Number
from ..start import StartSettings
from .steps import ccd_sweep, fabrik_sweep

CCD, FABRIK = 0, 1
"""Methods."""
INWARDS, OUTWARDS, ALTERNATING = 0, 1, 2
"""Orders in which cyclic coordinate descent visits joints."""
ORDERS = {"inwards": INWARDS, "outwards": OUTWARDS, "alternating": ALTERNATING}
"""Choices of the setting `order`."""
FIRST, FREED, SWEPT, LEAPT, TAKEN_BACK, LAST = range(6)
"""Which pose is tried: that of the frame before; out of a straight line; after a sweep; farther on
its way; not as far after all; the best of all."""
WHOLE = 5
"""The part of a person that is the whole person."""
AGAIN = WHOLE + 1
"""The second attempt at that part."""
WORTHWHILE = 0.01
"""A second attempt is taken if it is nearer by this part of the size."""
LONG_CHAIN = 40
"""Joints of a chain beyond which sweeps alternate their order by default. In shorter ones rounding
may decide how a straight chain folds outwards, and a chain elsewhere folds otherwise."""
LONGEST_STRIDE = 64.0
"""Most that a sweep is gone on at once."""


class Sweeps(NamedTuple):
    """Scratch memory: N joints, E end effectors."""

    parts: Parts
    rotations: Floats  # world rotation of each end effector, (E, 4)
    before: Annotated[Floats, "N", 4]  # local rotations before a sweep
    after: Annotated[Floats, "N", 4]  # local rotations after it
    kept: Annotated[Floats, "N", 4]  # local rotations before another attempt
    first: Floats  # local rotations of the first pose, (N, 4)


def new_sweeps(model: Model, ranges: Ranges) -> Sweeps:
    """Return scratch memory for the parts of a model."""
    rotations = arrays.identity(len(model.effector_joint))
    joints = len(model.parent)
    parts, first = new_parts(model, ranges), new_pose(model).local
    return new_memory(Sweeps, {"N": joints}, parts=parts, rotations=rotations, first=first)


def solve_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person: the root is placed as in sequential IK, then part after part.

    Unless as published, what is still missed is tried again by sweeps over the whole person, whose
    pelvis turns. End effectors are the six points, in their order.
    """
    flags, estimate, targets = begin_parts(c, frames, frame)
    steps, missed, farthest, total = 0, 0, 0.0, 0.0
    again = not c.settings.literal and pelvis_is_free(frames, frame)
    for attempt in range(AGAIN + 1):  # one loop, so that `settle` is compiled once
        part, kept = min(attempt, WHOLE), total
        if part == WHOLE:
            if not again or missed == 0 or farthest <= RETRY * c.model.size[0]:
                break
            begin_whole(c, targets, estimate, attempt == AGAIN)
        taken, reason, limited = settle(c, part, targets, part in (SPINE, WHOLE), None)
        if part != WHOLE:
            steps = max(steps, taken)
            missed |= part_flags(c, part, targets, reason, limited)
            worst, _, _ = part_residual(c, part, targets)
            farthest = max(farthest, worst)
            continue
        steps += taken
        if reason == MET:
            missed = 0
        farthest, total, _ = part_residual(c, WHOLE, targets)
        if attempt == AGAIN and missed and total > kept - WORTHWHILE * c.model.size[0]:
            copy_part(c.scratch.parts, WHOLE, c.scratch.kept, c.pose.local)
            place_whole(c, targets)
        if missed and limited:
            missed |= limited_flags(c, targets)
    end_person(c, frames, frame, estimate, steps, flags | missed)


@helper
def limited_flags(c: PersonContext, targets: Targets) -> int:
    """Flags of what is missed after sweeps over the whole person that felt a limit."""
    flags = 0
    for task in range(c.model.task_kind.shape[0]):
        _, length = task_residual(c.model, c.pose, task, targets)
        if length > c.settings.tolerance * c.model.size[0]:
            flags |= SPINE_LIMITED if task == SPINE else LIMITED << (task - SPINE - 1)
    return flags


@helper
def begin_whole(c: PersonContext, targets: Targets, estimate: Quat, again: bool) -> None:
    """Start to sweep over the whole person, whose pelvis turns: from the pose given, or `again`.

    The second time it starts from the first pose, which frees limbs that are caught in a corner of
    their limits.
    """
    anchor_pelvis(c.pose, targets)
    if again:
        copy_part(c.scratch.parts, WHOLE, c.pose.local, c.scratch.kept)
        copy_part(c.scratch.parts, WHOLE, c.scratch.first, c.pose.local)
        quat_store(c.pose.local, 0, estimate)


@helper
def anchor_pelvis(pose: ModelPose, targets: Targets) -> None:
    """Put the pelvis, joint and end effector, at its target."""
    goal = vec_load(targets.positions, PELVIS)
    vec_store(pose.position, 0, goal)
    vec_store(pose.effectors, PELVIS, goal)


@helper
def place_whole(c: PersonContext, targets: Targets) -> None:
    """Place a person, and share the error between pelvis and head."""
    anchor_pelvis(c.pose, targets)
    part_forward(c, WHOLE)
    share_spine_error(c.pose, targets)


solve_people = person_kernel(solve_person)


def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    patient = c.settings.least_gain < 0.0
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    steps, reason, limited = settle(c, 0, targets, False, patient)
    flags = stop_flags(reason)
    if reason != MET and limited:
        flags |= LIMITED
    effectors_forward(c.model, c.pose)  # those of no task, too
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
        worst, total, _ = part_residual(c, part, targets)
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
        stuck = (trying == FIRST or still) and not spent and not settings.literal
        if stuck and unlock_part(c, part, targets, still):
            trying, before = FREED, math.inf
            continue
        if still or spent:
            if settings.literal:
                return steps, SPENT if spent else STILL, limited
            copy_part(parts, part, parts.best, pose.local)
            trying = LAST
            continue
        before = total
        copy_part(parts, part, pose.local, scratch.before)
        if settings.method == CCD:
            limited = ccd_sweep(c, part, targets, goes_outwards(settings.order, steps))
        else:
            limited = fabrik_sweep(c, part, targets)
        steps += 1
        trying = SWEPT


@helper
def goes_outwards(order: int, sweeps: int) -> bool:
    """Whether the sweep after so many visits the root first.

    Sweeps of alternating order go in runs of 1, 2, 4 ... sweeps, the first run outwards: most
    targets are met in the short ones, and in the long ones an extrapolation gathers speed.
    """
    outwards, run = order != INWARDS, 1
    while order == ALTERNATING and sweeps >= run:
        sweeps -= run
        outwards, run = not outwards, 2 * run
    return outwards


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
        if model.freedom[joint] != HINGE:
            rotated = quat_normalize(rotated)
        quat_store(c.pose.local, joint, hold_joint(model, joint, rotated))


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


@dataclass(frozen=True, kw_only=True)
class SweepingSolver(VariantSettings, ArticulatedSettings, StartSettings, PersonSettings, Solver):
    """Settings of methods of this kind; lengths are parts of the skeleton's size."""

    solve_people = solve_people
    solve_skeletons = solve_skeletons
    method: ClassVar[int]
    """Which sweep, `CCD` or `FABRIK`."""

    stride: bool | None = None
    """After each sweep, go on the way that it went as long as that helps. Unfolds long chains many
    times faster. Default: yes, but not for people with `variant` paper."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings for people as numbers."""
        stride = self.variant != "paper" if self.stride is None else self.stride
        return {
            "method": self.method,
            "literal": int(self.variant == "paper"),
            "start": super().numbers()["start"],
            "longest_stride": LONGEST_STRIDE if stride else 0.0,
            "order": INWARDS,
        }

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers."""
        stride = 0.0 if self.stride is False else LONGEST_STRIDE
        return super().skeleton_settings(plan) | {"longest_stride": stride}

    def person_scratch(self, plan: ArticulatedPersonPlan) -> Sweeps:
        """Return scratch memory for the five parts of a person, and the whole as another one."""
        return new_sweeps(plan.model, [*person_parts(plan.model), *whole_part(plan.model)])

    def skeleton_scratch(self, plan: SkeletonPlan) -> Sweeps:
        """Return scratch memory for a skeleton as one part."""
        return new_sweeps(plan.model, whole_part(plan.model))


@dataclass(frozen=True, kw_only=True)
class CCDSolver(SweepingSolver):
    """Settings of cyclic coordinate descent: one joint after the other turns to the target.

    Wang and Chen, "A combined optimization method for solving the inverse kinematics problem of
    mechanical manipulators", IEEE Transactions on Robotics and Automation 7 (1991), as Unzueta et
    al. 2008, section 9, compare with it. With several end effectors a joint takes the rotation that
    brings them nearest to their targets together.

    **Good at** being simple and quick: it needs no matrix, and knows no singular poses. **Bad at**
    looking natural: joints near the end effector do most of the work, so spines curl at the neck
    like snakes, and since every frame starts from the last, limbs turn about themselves more and
    more.
    """

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "Cyclic coordinate descent"
    method: ClassVar[int] = CCD

    order: Literal["inwards", "outwards", "alternating"] | None = None
    """Visit joints from the end effectors to the root, as published; from the root to the end
    effectors; or in runs of either, each twice as long as the one before, which meets targets with
    chains of hundreds of joints in a few sweeps. Default: "alternating" for one end effector that
    more than forty joints move, "inwards" otherwise."""

    def numbers(self) -> dict[str, Number]:
        """Return the settings for people as numbers."""
        return super().numbers() | {"order": ORDERS[self.order or "inwards"]}

    def skeleton_settings(self, plan: SkeletonPlan) -> dict[str, Number]:
        """Return the settings for another skeleton as numbers."""
        single = len(plan.model.effector_joint) == 1
        long = single and model_depth(plan.model) > LONG_CHAIN
        order = self.order or ("alternating" if long else "inwards")
        return super().skeleton_settings(plan) | {"order": ORDERS[order]}


@dataclass(frozen=True, kw_only=True)
class FABRIKSolver(SweepingSolver):
    """Settings of FABRIK: forward and backward reaching along chains of positions.

    Aristidou and Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem",
    Graphical Models 73 (2011).
    """

    name: ClassVar[str] = "fabrik"
    title: ClassVar[str] = "Forward and backward reaching"
    method: ClassVar[int] = FABRIK
