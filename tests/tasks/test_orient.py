from __future__ import annotations

import numpy as np

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Orient


def test_orient_measures_rotations_relative_to_rest():
    odd = FIGURES["odd"]
    assert odd.bind is not None
    at_rest = Pose(odd, odd.offsets[0], odd.bind)
    for name in odd.names:
        np.testing.assert_allclose(
            np.abs(Orient(name).measure(at_rest)), (1.0, 0.0, 0.0, 0.0), atol=1e-12
        )
    person = FIGURES["person"]
    pose = random_pose(person, 1)
    wrist = person.articulation.node("l_wrist")
    world = pose.world()[1][wrist]
    expected = arrays.multiply(world, arrays.conjugate(person.anatomy.neutral[wrist]))
    np.testing.assert_array_equal(Orient("l_wrist").measure(pose), expected)


def test_orient_of_a_site_is_that_of_its_joint():
    pose = random_pose(Skeleton.chain(3), 4)
    np.testing.assert_array_equal(Orient("tip").measure(pose), Orient("joint_3").measure(pose))
    np.testing.assert_array_equal(Orient("tip").jacobian(pose), Orient("joint_3").jacobian(pose))
