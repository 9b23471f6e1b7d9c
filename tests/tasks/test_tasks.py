"""Every task: its Jacobian is the derivative of what it measures, on any figure in any pose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figures import FIGURES, poses, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.kernels.types import Floats
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Balance, Floor, LookAt, Orient, Posture, Reach, Task

STEP = 1e-6
SMALL = tuple(name for name in FIGURES if name not in ("person", "hand"))


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


def tasks_of(skeleton: Skeleton) -> list[Task]:
    names = skeleton.node_names
    return [
        Reach(names[-1]),
        Reach(names[skeleton.joint_count // 2]),
        Orient(names[-1]),
        Posture(),
        Balance(),
        Floor(names[-1]),
        LookAt(names[-1], axis=(1.0, 2.0, 0.5)),
    ]


@given(poses(SMALL))
@settings(max_examples=30)
def test_jacobians_are_derivatives(pose: Pose):
    check_jacobians(pose)


def test_jacobians_are_derivatives_on_people():
    check_jacobians(random_pose(FIGURES["person"], 3))


def check_jacobians(pose: Pose) -> None:
    for task in tasks_of(pose.skeleton):
        found = task.jacobian(pose)
        assert found.shape[1] == pose.skeleton.articulation.count
        np.testing.assert_allclose(found, differences(task, pose), atol=1e-8)


@given(poses(), st.integers(0, 1000))
@settings(max_examples=30)
def test_a_pose_meets_what_it_measures(pose: Pose, seed: int):
    other = random_pose(pose.skeleton, seed)
    for task in tasks_of(pose.skeleton):
        np.testing.assert_allclose(task.residual(pose, task.measure(pose)), 0.0, atol=1e-12)
        assert task.residual(other, task.measure(pose)).shape == task.jacobian(pose).shape[:1]


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


def test_posture_takes_the_shorter_way():
    hinge = Skeleton.chain(1, kind="hinge")

    def pose(angle: float) -> Pose:
        return Pose(hinge, np.zeros(3), hinge.articulation.rotations(np.array([angle])))

    assert Posture().residual(pose(3.0), pose(-3.0)) == pytest.approx([2.0 * np.pi - 6.0])


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_senseless_weights_are_refused(weight: float):
    for make in (lambda w: Reach("tip", w), lambda w: Orient("tip", w), Posture):
        with pytest.raises(InputError, match="`weight` >= 0, got"):
            make(weight)


def test_unknown_nodes_are_refused():
    pose = random_pose(Skeleton.chain(2), 0)
    for task in (Reach("toe"), Orient("toe")):
        with pytest.raises(UnknownName, match=r"No joint 'toe'.* joint_1, joint_2, tip"):
            task.measure(pose)
