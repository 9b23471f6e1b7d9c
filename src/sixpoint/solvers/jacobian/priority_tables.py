"""Tables for prioritized IK: people whose pelvis moves, a relaxed stance, levels of tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...body.anatomy import Anatomy
from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.points import SIX
from ..articulated.build import Effector, ModelJoint, new_pose, person_joints
from ..articulated.model import BALL, HINGE, Model
from ..articulated.self_collision import no_capsules
from .ladder import new_ladder
from .priority_step import PriorityWork

HEAD = SIX.index("head")


def floating_joints(
    anatomy: Anatomy, *, lumbar: bool = False
) -> tuple[list[ModelJoint], list[Effector]]:
    """Return a person whose pelvis turns as well, and whose head turns to its known rotation.

    With `lumbar`, the joint on the pelvis that carries the spine turns, too.
    """
    joints, effectors = person_joints(anatomy)
    head = effectors[HEAD].joint + 1
    joints[0] = replace(joints[0], freedom=BALL)
    if lumbar and (k := lumbar_joint(anatomy, joints)) >= 0:
        joints[k] = replace(joints[k], freedom=BALL)
    if joints[head].rig >= 0:
        joints[head] = replace(joints[head], freedom=BALL)
        effectors[HEAD] = Effector(head, np.zeros(3))
    return joints, effectors


def lumbar_joint(anatomy: Anatomy, joints: Sequence[ModelJoint]) -> int:
    """Return the joint on the pelvis that carries the spine; -1 where there is none."""
    return 1 if joints[1].rig in anatomy.colocated else -1


def relaxed_posture(joints: Sequence[ModelJoint], bent: float) -> Floats:
    """Return local rotations of a relaxed stance (N, 4): elbows back, knees forward."""
    posture = arrays.identity(len(joints))
    for k, joint in enumerate(joints):
        if joint.freedom == HINGE:
            angle = math.copysign(bent, joint.start)
            posture[k] = arrays.from_axis_angle(joint.axis, angle)
            posture[joint.parent] = arrays.from_axis_angle(joint.axis, -0.5 * angle)
    return posture


def person_compliance(
    anatomy: Anatomy, joints: Sequence[ModelJoint], parts: Sequence[float]
) -> Floats:
    """Return how readily each joint moves (N,); parts are those of pelvis, spine and clavicles."""
    clavicles = {anatomy.node(f"{s}_clavicle") for s in "lr" if anatomy.has(f"{s}_clavicle")}
    spine = {*anatomy.bends, *anatomy.colocated}
    compliance = np.ones(len(joints))
    compliance[[joint.rig in spine for joint in joints]] = parts[1]
    compliance[0] = parts[0]
    compliance[[joint.rig in clavicles for joint in joints]] = parts[2]
    return compliance


def new_work(
    model: Model,
    ranks: Sequence[int],
    *,
    posture: Floats | None = None,
    compliance: Floats | None = None,
    floating: bool = False,
    lumbar: int = -1,
) -> PriorityWork:
    """Return tables and scratch memory.

    Args:
        model: with tasks in the order of their levels.
        ranks: level of each task.
        posture: local rotations that joints are drawn to (N, 4). Default: the first pose.
        compliance: how readily joints move (N,). Default: all alike.
        floating: whether the root moves.
        lumbar: joint that turns only while the root is held.
    """
    joints, tasks = len(model.parent), len(model.task_kind)
    turning = int(model.freedom.sum())
    d = turning + (3 if floating else 0)
    starts = [k for k in range(tasks) if k == 0 or ranks[k] != ranks[k - 1]]
    levels = [3 * k for k in [*starts, tasks]]
    scale = np.ones(d)
    if compliance is not None:
        scale[:turning] = np.repeat(compliance, model.freedom)
    return PriorityWork(
        floating=np.array([floating], np.int64),
        lumbar=np.array([lumbar], np.int64),
        posture=new_pose(model).local if posture is None else posture.copy(),
        compliance=scale,
        capsules=no_capsules(),
        ladder=new_ladder(levels, d),
        axes=np.zeros((d, 3)),
        errors=np.zeros(len(starts)),
        held=np.zeros(joints, np.int64),
        normal=np.zeros((joints, 3)),
        goal=np.zeros((joints, 3)),
        root_offset=arrays.identity(1),
    )
