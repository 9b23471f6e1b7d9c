from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Floor, LookAt, Orient, Reach

from .derivatives import differences


def test_reach_measures_places():
    chain = Skeleton.chain(3, 3.0)
    pose = Pose(chain, np.array((1.0, 0.0, 0.0)), arrays.identity(3))
    assert Reach("tip").measure(pose).tolist() == [1.0, 3.0, 0.0]
    assert Reach("joint_2").measure(pose).tolist() == [1.0, 1.0, 0.0]
    assert Reach("tip").residual(pose, np.array((1.0, 2.0, 0.5))).tolist() == [0.0, -1.0, 0.5]
    # The root turns the tip about X at 3 m: towards +Z.
    assert Reach("tip").jacobian(pose)[:, 0].tolist() == [0.0, 0.0, 3.0]
    # What hangs below a joint does not move it.
    assert not Reach("joint_2").jacobian(pose)[:, 3:].any()


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


def test_floors_hold_or_only_stop():
    chain = Skeleton.chain(1)
    high, low = (
        Pose(chain, np.array((0.0, y, 0.0)), arrays.identity(1)) for y in (0.5, -1.5)
    )  # the tip at 1.5, and at -0.5
    assert Floor("tip").residual(high) == pytest.approx([-1.5])
    assert Floor("tip", 0.1).residual(low) == pytest.approx([0.6])
    loose = Floor("tip", lifts=True)
    assert loose.residual(high).tolist() == [0.0]
    assert not loose.jacobian(high).any()
    assert loose.residual(low) == pytest.approx([0.5])
    np.testing.assert_array_equal(loose.jacobian(low), Reach("tip").jacobian(low)[1:2])


def test_floors_at_no_height_are_refused():
    with pytest.raises(InputError, match="finite `height`"):
        Floor("l_ankle", np.nan)
