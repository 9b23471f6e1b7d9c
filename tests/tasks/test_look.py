from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import LookAt

from .derivatives import differences


def standing() -> Pose:
    person = FIGURES["person"]
    body = person.articulation
    return Pose(person, person.offsets[0], body.from_rest(arrays.identity(person.joint_count)))


def test_people_look_ahead_at_rest():
    pose = standing()
    head = pose.world()[0][pose.skeleton.articulation.node("head")]
    ahead = LookAt("head", at=tuple(head + np.array((0.0, 0.0, 4.0))))
    np.testing.assert_allclose(ahead.residual(pose), 0.0, atol=1e-12)
    aside = LookAt("head", at=tuple(head + np.array((4.0, 0.0, 0.0))))
    np.testing.assert_allclose(aside.residual(pose), (1.0, 0.0, -1.0), atol=1e-12)
    assert aside.cost(pose) == pytest.approx(2.0)
    # The eye itself has no direction.
    nowhere = LookAt("head", at=tuple(head))
    assert not nowhere.residual(pose).any()
    assert not nowhere.jacobian(pose).any()


@pytest.mark.parametrize("name", ["odd", "person", "hand"])
def test_the_jacobian_of_a_glance_is_the_derivative(name: str):
    pose = random_pose(FIGURES[name], 11)
    node = pose.skeleton.node_names[-1]
    for at in ((0.3, 2.0, -1.0), (-4.0, 0.1, 0.2)):
        task = LookAt(node, axis=(0.0, 2.0, 1.0))
        target = np.array(at)
        found = task.jacobian(pose, target)
        np.testing.assert_allclose(found, differences(task, pose, target), atol=1e-7)
        own = LookAt(node, at, (0.0, 2.0, 1.0))
        np.testing.assert_array_equal(own.jacobian(pose), found)


def test_senseless_glances_are_refused():
    for axis in ((0.0, 0.0, 0.0), (1.0, 2.0), (np.nan, 0.0, 1.0)):
        with pytest.raises(InputError, match="`axis` with a direction"):
            LookAt("head", axis=axis)
    with pytest.raises(InputError, match="place `at` of three finite"):
        LookAt("head", at=(1.0, np.inf, 0.0))
