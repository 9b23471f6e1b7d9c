"""Other starts: where a descent ends in a dead end, it begins again from random poses.

A target with a place and a rotation has several answers (elbow up or down, wrist flipped), of which
joint limits may leave one; from the pose of the frame before, the way to it is often barred. Only
an answer that meets everything is taken. Otherwise the skeleton stays where the first descent led,
so that targets that nothing meets do not make it jump.

The random poses are the same in every frame. Where none of them helped, the next frames wait before
they try again: 1, 2, 4 ... frames, so that a stream of targets that cannot be met costs little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_interval, limit_project
from ...kernels.quaternion import quat_from_axis_angle, quat_normalize, quat_store
from ...kernels.random import random_normals, random_state, random_uniform
from ...kernels.types import Floats, Ints, Quat
from ...kernels.vector import vec_distance, vec_length, vec_load
from ..context import MET
from ..settings import Interval, Number
from .context import Context
from .model import (
    HINGE,
    POSITION,
    Model,
    ModelPose,
    Targets,
    copy_rotations,
    model_forward,
    new_memory,
)

SEED = 14
"""Of the random poses."""
MOST_WAIT = 64
"""Most frames that wait after starts that did not help."""
RESTART_STEPS = 60
"""Most iterations from one start; descents that succeed take a third of it, as a rule."""
STALLED, STALL_STEPS = 0.9, 8
"""A start whose squared error does not fall to this part in so many iterations is given up."""


@dataclass(frozen=True, kw_only=True)
class RestartSettings:
    """The setting of solvers that begin again."""

    restarts: Annotated[int, Interval(0, 10_000)] = 40
    """Random starts for a target of a skeleton that is within reach and not met from the pose
    before; for people by six points there are none. With 0 a skeleton never changes from one way of
    standing to another between two frames. Those that do not fit into `iterations`, where these are
    given, are left out; so are all where `least_gain` is given."""

    def restart_numbers(
        self, first: int, iterations: int | None, least_gain: float | None
    ) -> dict[str, Number]:
        """Return how many starts there are, and the most iterations of a frame in all.

        Args:
            first: most iterations of the first descent.
            iterations: the setting, which holds for all descents together.
            least_gain: the setting; one that is given ends a frame, so that there are no others.
        """
        restarts = self.restarts if least_gain is None else 0
        total = first + restarts * RESTART_STEPS if iterations is None else iterations
        return {"restarts": restarts, "most": total}


class Restarts(NamedTuple):
    """Memory of other starts of a model of N joints."""

    seed: Ints  # state of the generator at the first start of a frame, (4,)
    random: Annotated[Ints, 4]  # state of the generator
    first: Annotated[Floats, "N", 4]  # local rotations where the first descent ended
    wait: Annotated[Ints, 2]  # frames still to wait, and how many those are after a failure


def new_restarts(model: Model) -> Restarts:
    """Return the memory for a model."""
    return new_memory(Restarts, {"N": len(model.parent)}, seed=random_state(SEED))


@helper
def random_rotation(model: Model, joint: int, random: Ints) -> Quat:
    """Return a random local rotation of a hinge or ball within its limits."""
    if model.freedom[joint] == HINGE:
        low, high = limit_interval(model.limits, joint)
        angle = low + (high - low) * random_uniform(random)
        return quat_from_axis_angle(vec_load(model.axis, joint), angle)
    a, b = random_normals(random)
    c, d = random_normals(random)
    return limit_project(model.limits, joint, quat_normalize((a, b, c, d)))


@helper
def scatter_joints(model: Model, pose: ModelPose, random: Ints) -> None:
    """Turn all joints that move at random, within their limits."""
    for joint in range(model.parent.shape[0]):
        if model.freedom[joint] != 0:
            quat_store(pose.local, joint, random_rotation(model, joint, random))


@helper
def within_bones(model: Model, pose: ModelPose, targets: Targets) -> bool:
    """Whether the bones are long enough for every position that is asked for."""
    for task in range(model.task_kind.shape[0]):
        if model.task_kind[task] != POSITION or not model.task_weight[task] > 0.0:
            continue
        effector = model.task_effector[task]
        away = vec_distance(vec_load(targets.positions, effector), vec_load(pose.position, 0))
        if away > bones_to(model, effector):
            return False
    return True


@helper
def bones_to(model: Model, effector: int) -> float:
    """Length of the bones from the root to an end effector [m]."""
    length = vec_length(vec_load(model.effector_offset, effector))
    joint = model.effector_joint[effector]
    while model.parent[joint] >= 0:
        length += vec_length(vec_load(model.offset, joint))
        joint = model.parent[joint]
    return length


@helper
def begin_restarts(model: Model, pose: ModelPose, targets: Targets, restarts: Restarts) -> bool:
    """Return whether a frame that is not met shall be tried from other starts, and remember it."""
    if not within_bones(model, pose, targets):
        return False
    if restarts.wait[0] > 0:
        restarts.wait[0] -= 1
        return False
    for k in range(4):
        restarts.random[k] = restarts.seed[k]
    copy_rotations(pose.local, restarts.first)
    return True


@helper
def end_restarts(pose: ModelPose, restarts: Restarts) -> None:
    """Go back to where the first descent ended, and wait some frames before the next."""
    copy_rotations(restarts.first, pose.local)
    restarts.wait[1] = min(max(1, 2 * restarts.wait[1]), MOST_WAIT)
    restarts.wait[0] = restarts.wait[1]


@helper
def forget_failures(restarts: Restarts) -> None:
    """After a frame that is met: the next one that is not is tried from other starts at once."""
    restarts.wait[0] = restarts.wait[1] = 0


def restarting(
    descend_first: Callable[[Context, Targets], tuple[int, int, bool]],
    descend_again: Callable[[Context, Targets, int], tuple[int, bool]],
) -> Callable[[Context, Targets], tuple[int, int]]:
    """Return a descent that, where it leads nowhere, begins again from random poses.

    Args:
        descend_first: iterates from the pose given; returns iterations taken, why it ended, and
            whether everything is met.
        descend_again: iterates from a random pose, so often at most; returns iterations taken, and
            whether everything is met.
    """

    @helper
    def descend(c: Context, targets: Targets) -> tuple[int, int]:
        """Iterate; iterations taken, and why it ended."""
        model, pose, restarts = c.model, c.pose, c.scratch.restarts
        steps, reason, met = descend_first(c, targets)
        if met:
            forget_failures(restarts)
            return steps, reason
        if c.settings.restarts == 0 or not begin_restarts(model, pose, targets, restarts):
            return steps, reason
        for _ in range(c.settings.restarts):
            if steps >= c.settings.most:
                break
            scatter_joints(model, pose, restarts.random)
            more, met = descend_again(c, targets, min(RESTART_STEPS, c.settings.most - steps))
            steps += more
            if met:
                forget_failures(restarts)
                return steps, MET
        end_restarts(pose, restarts)
        model_forward(model, pose)
        return steps, reason

    return descend
