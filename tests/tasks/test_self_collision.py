"""Self-collision as a task."""

from __future__ import annotations

import numpy as np
import pytest

from rigs import folded_arms, still_motion
from sixpoint.errors import InputError
from sixpoint.motion.pose import Pose
from sixpoint.tasks import SelfCollision


def test_the_task_pushes_along_its_jacobian():
    motion = folded_arms()
    pose = motion[0]
    task = SelfCollision()
    residual, slopes = task.residual(pose), task.jacobian(pose)
    assert task.cost(pose) > 0.0
    body = pose.skeleton.articulation
    for k in np.flatnonzero(np.abs(slopes).max(axis=0) > 1e-3)[:12]:
        angles = body.angles(pose.rotations)
        step = 1e-6
        angles[k] += step
        other = Pose(pose.skeleton, pose.root, body.rotations(angles))
        numeric = (task.measure(other) - task.measure(pose)) / step
        np.testing.assert_allclose(slopes[:, k], numeric, atol=1e-4)
    step = slopes.T @ np.linalg.solve(slopes @ slopes.T + 1e-3 * np.eye(len(slopes)), residual)
    moved = Pose(pose.skeleton, pose.root,
                 body.rotations(body.angles(pose.rotations) + 0.3 * step))  # fmt: skip
    assert task.measure(moved).max() < task.measure(pose).max()


def test_what_is_apart_asks_for_nothing():
    apart = still_motion(folded_arms().skeleton)[0]
    assert SelfCollision().cost(apart) == 0.0
    assert not SelfCollision().jacobian(apart).any()
    assert SelfCollision(margin=0.2).cost(apart) > 0.0
    with pytest.raises(InputError, match="`margin` >= 0"):
        SelfCollision(margin=-1.0)
