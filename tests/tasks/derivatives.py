"""Jacobians by differences, for the tests of tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixpoint.kernels.types import Floats
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Task

STEP = 1e-6


def differences(task: Task, pose: Pose, target: Any = None) -> Floats:
    """Jacobian by central differences: what is missing of the pose itself after a small turn."""
    body = pose.skeleton.articulation
    target = task.measure(pose) if target is None else target
    angles = body.angles(pose.rotations)
    out = []
    for k in range(body.count):
        ends = []
        for sign in (1.0, -1.0):
            turned = angles.copy()
            turned[k] += sign * STEP
            moved = Pose(pose.skeleton, pose.root, body.rotations(turned))
            ends.append(task.residual(moved, target))
        out.append((ends[1] - ends[0]) / (2.0 * STEP))
    return np.array(out).T
