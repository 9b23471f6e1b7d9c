from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Posture


def test_posture_takes_the_shorter_way():
    hinge = Skeleton.chain(1, kind="hinge")

    def pose(angle: float) -> Pose:
        return Pose(hinge, np.zeros(3), hinge.articulation.rotations(np.array([angle])))

    assert Posture().residual(pose(3.0), pose(-3.0)) == pytest.approx([2.0 * np.pi - 6.0])


def test_a_posture_of_its_own():
    pose, like = (random_pose(FIGURES["hand"], seed) for seed in (1, 2))
    np.testing.assert_array_equal(Posture(like=like).residual(pose), Posture().residual(pose, like))


def test_postures_of_other_figures_are_refused():
    hand, arm = random_pose(FIGURES["hand"], 1), random_pose(Skeleton.chain(3), 1)
    with pytest.raises(InputError, match=r"same skeleton, with 17 joints; got one with 3"):
        Posture(like=arm).residual(hand)
    with pytest.raises(InputError, match="a pose for the task 'posture', got 3"):
        Posture(like=3).residual(hand)
