from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Floor, LookAt, Posture, Reach

from .test_tasks import differences


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


def test_costs_are_squares_over_variances():
    pose = random_pose(FIGURES["person"], 4)
    for weight in (0.0, 1.0, 3.0):
        task = Reach("l_wrist", weight)
        target = task.measure(pose) + np.array((0.1, 0.2, -0.2))
        assert task.cost(pose, target) == pytest.approx(0.09 * weight**2)
        covariance = task.covariance(pose, target)
        assert covariance.shape == (3, 3)
        assert covariance[0, 0] == (1.0 / weight**2 if weight else np.inf)
        assert covariance[0, 1] == 0.0


def test_a_posture_of_its_own():
    pose, like = (random_pose(FIGURES["hand"], seed) for seed in (1, 2))
    np.testing.assert_array_equal(Posture(like=like).residual(pose), Posture().residual(pose, like))


def test_tasks_without_a_target_say_so():
    pose = standing()
    for task, label in ((Reach("head"), "reach head"), (LookAt("head"), "look head")):
        with pytest.raises(InputError, match=f"target for the task '{label}', got none"):
            task.residual(pose)
    with pytest.raises(InputError, match="target for the task 'posture'"):
        Posture().residual(pose)


def test_senseless_glances_and_floors_are_refused():
    for axis in ((0.0, 0.0, 0.0), (1.0, 2.0), (np.nan, 0.0, 1.0)):
        with pytest.raises(InputError, match="`axis` with a direction"):
            LookAt("head", axis=axis)
    with pytest.raises(InputError, match="place `at` of three finite"):
        LookAt("head", at=(1.0, np.inf, 0.0))
    with pytest.raises(InputError, match="finite `height`"):
        Floor("l_ankle", np.nan)
