from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES, random_pose
from sixpoint.errors import InputError
from sixpoint.tasks import PlacesFunction, PoseFunction, Reach

from .derivatives import differences


def height(pose):
    return pose.world()[0][-1, 1]


def heights(places):
    return places[:, -1, 1]


def test_functions_of_one_pose_and_of_many_agree():
    pose = random_pose(FIGURES["hand"], 3)
    one, many = PoseFunction(height), PlacesFunction(heights)
    assert one.name == "height"
    assert many.label == "heights"
    np.testing.assert_array_equal(one.measure(pose), many.measure(pose))
    np.testing.assert_array_equal(one.residual(pose), -one.measure(pose))
    assert one.cost(pose) == pytest.approx(height(pose) ** 2)
    np.testing.assert_allclose(one.jacobian(pose), many.jacobian(pose))


def test_a_function_may_give_several_numbers():
    pose = random_pose(FIGURES["odd"], 3)
    task = PoseFunction(lambda pose: pose.world()[0][-1] - (1.0, 2.0, 3.0), name="corner")
    reach = Reach(pose.skeleton.node_names[-1])
    np.testing.assert_allclose(task.residual(pose), reach.residual(pose, np.array((1.0, 2.0, 3.0))))
    np.testing.assert_allclose(task.jacobian(pose), reach.jacobian(pose), atol=1e-8)
    np.testing.assert_allclose(task.jacobian(pose), differences(task, pose), atol=1e-8)


def fails(pose):
    raise ZeroDivisionError("by nothing")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (fails, "task 'mine' to judge a pose; it raised ZeroDivisionError: by nothing"),
        (lambda pose: np.zeros((2, 2)), r"task 'mine' to give the shape .*got \(2, 2\)"),
        (lambda pose: [], r"task 'mine' to give the shape .*got \(0,\)"),
        (lambda pose: np.nan, "task 'mine' to give finite numbers below 1e\\+12, got nan"),
        (lambda pose: [1.0, np.inf], "task 'mine' to give finite numbers below 1e\\+12, got inf"),
        (lambda pose: [1.0, -1e200], r"task 'mine' to give finite .*, got -1e\+200"),
        (lambda pose: 1.0 + 2.0j, r"task 'mine' to judge .*TypeError: \(1\+2j\) is no real number"),
        (lambda pose: "much", "task 'mine' to judge a pose; it raised ValueError"),
    ],
)
def test_functions_that_fail_are_named(function, message: str):
    with pytest.raises(InputError, match=message):
        PoseFunction(function, name="mine").measure(random_pose(FIGURES["balls"], 0))


def test_batches_of_another_size_are_refused():
    task = PlacesFunction(lambda places: np.zeros(3), name="mine")
    with pytest.raises(InputError, match=r"'mine' to give the shape \(1,\), got \(3,\)"):
        task.measure(random_pose(FIGURES["balls"], 0))


def test_what_is_no_function_is_refused():
    with pytest.raises(InputError, match="Expected a function for a task, got 3"):
        PoseFunction(3)


def test_a_function_without_a_name_gets_one():
    assert PoseFunction(lambda pose: 0.0).label == "function"
    assert PoseFunction(lambda pose: 0.0, name="mine").label == "mine"
