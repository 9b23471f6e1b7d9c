"""How skeletons become models: their first pose, their freedoms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from figures import FIGURES
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit
from sixpoint.solvers.articulated.build import (
    FIRST_BEND,
    model_depth,
    new_pose,
    person_model,
    skeleton_model,
)
from sixpoint.solvers.articulated.model import HINGE, POSITION
from sixpoint.solvers.jacobian.damped_descent import new_descent

FREE = Limits({})


def test_the_first_pose_is_rest_with_bent_hinges():
    person = FIGURES["person"]
    body = person.articulation
    model = skeleton_model(body, FREE, [body.node("l_wrist")], [(POSITION, 0, 1.0)])
    pose = new_pose(model)
    elbow, shoulder = body.node("l_elbow"), body.node("l_shoulder")
    angle = arrays.to_rotvec(pose.local[elbow])
    assert -FIRST_BEND <= angle[0] < 0.0  # elbows bend about -X
    assert pose.local[shoulder].tolist() == [1.0, 0.0, 0.0, 0.0]
    np.testing.assert_array_equal(pose.position[0], person.offsets[0])


def test_long_chains_begin_nearly_straight():
    for joints in (1, 5, 100):
        body = Skeleton.chain(joints, kind="hinge").articulation
        model = skeleton_model(body, FREE, [body.node("tip")], [(POSITION, 0, 1.0)])
        bent = np.linalg.norm(arrays.to_rotvec(new_pose(model).local), axis=1)
        assert bent.sum() <= np.radians(60.0) + 1e-9
        assert (bent > 0.0).all()


def test_the_first_pose_keeps_limits():
    chain = Skeleton.chain(2, kind="hinge")
    limits = Limits({"joint_2": FlexionLimit.degrees(-90.0, -20.0, (0.0, 0.0, 1.0))})
    model = skeleton_model(chain.articulation, limits, [2], [(POSITION, 0, 1.0)])
    angle = np.degrees(arrays.to_rotvec(new_pose(model).local[1])[2])
    assert angle == pytest.approx(-20.0)


def test_joints_that_move_no_target_are_left_out():
    tree = Skeleton.tree(2, 3, trunk=2)
    body = tree.articulation
    model = skeleton_model(
        body, FREE, [body.node("tip_1"), body.node("tip_2")], [(POSITION, 1, 1.0)]
    )
    moving = body.moving(body.node("tip_2"))
    assert ((model.freedom > 0) == moving).all()
    assert new_descent(model).jacobian.shape == (3, 15)
    assert model_depth(model) == 5


def test_hinges_of_people_are_the_same_in_both_models():
    person = FIGURES["person"]
    expected = sorted(
        person.anatomy.node(role) for role in ("l_elbow", "r_elbow", "l_knee", "r_knee")
    )
    model = person_model(person.anatomy, FREE)
    assert sorted(model.rig[model.freedom == HINGE]) == expected
    body = person.articulation
    assert sorted(np.flatnonzero(body.freedom == HINGE)) == expected
    for joint in expected:
        here = int(np.flatnonzero(model.rig == joint)[0])
        np.testing.assert_allclose(model.axis[here], body.axes[joint], atol=1e-12)


def test_a_skeleton_without_length_is_refused():
    point = Skeleton(("a", "b"), np.array((-1, 0)), np.zeros((2, 3)))
    message = "skeleton of some length, got one whose bones are all zero"
    with pytest.raises(InputError, match=message):
        skeleton_model(point.articulation, FREE, [1], [(POSITION, 0, 1.0)])


def test_several_roots_are_refused():
    twins = Skeleton(("a", "b"), np.array((-1, -1)), np.eye(3)[:2])
    with pytest.raises(InputError, match="one root, got 2: a, b"):
        skeleton_model(twins.articulation, FREE, [1], [(POSITION, 0, 1.0)])


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (FlexionLimit(0.0, 1.0, (0.0, 0.0, -1.0)), r"got a FlexionLimit about \(0.0, 0.0, -1.0\)"),
        (
            SwingTwistLimit.degrees(
                (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180: 9, 180: 9}, (0, 0)
            ),
            "got a SwingTwistLimit",
        ),
    ],
)
def test_limits_of_hinges_speak_of_their_axis(limit, message):
    body = Skeleton.chain(2, kind="hinge").articulation
    with pytest.raises(InputError, match=r"about \(0, 0, 1\) for the hinge 'joint_2', " + message):
        skeleton_model(body, Limits({"joint_2": limit}), [2], [(POSITION, 0, 1.0)])
