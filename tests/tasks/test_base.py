"""Every task: its Jacobian is the derivative of what it measures, on any figure in any pose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figures import FIGURES, poses, random_pose
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.kernels.tasks import orient_column
from sixpoint.motion.pose import Pose
from sixpoint.tasks import Balance, Floor, LookAt, Orient, Posture, Reach, Task
from sixpoint.tasks.base import rows_of

from .derivatives import differences

SMALL = tuple(name for name in FIGURES if name not in ("person", "hand"))


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
    """Where nothing is missing, and where much is: the target is that of another pose."""
    other = random_pose(pose.skeleton, 9)
    for task in tasks_of(pose.skeleton):
        found = task.jacobian(pose)
        assert found.shape[1] == pose.skeleton.articulation.count
        np.testing.assert_allclose(found, differences(task, pose), atol=1e-8)
        target = task.measure(other)
        if task.angular and np.abs(task.residual(pose, target)).max() > 1.8:
            continue  # near half a turn, where the shorter way is the other one
        far = task.jacobian(pose, target)
        np.testing.assert_allclose(far, differences(task, pose, target), atol=1e-6)


@given(st.floats(0.0, 3.1), st.integers(0, 1000))
@settings(max_examples=50)
def test_turns_fall_as_their_jacobian_says(angle: float, seed: int):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    missing = angle * axis / np.linalg.norm(axis)
    found = rows_of(orient_column(tuple(missing), tuple(e)) for e in np.eye(3))
    np.testing.assert_allclose(found @ missing, missing, atol=1e-12)  # it goes straight
    for k in range(3):
        w = np.zeros(3)
        w[k] = 1e-6
        up, down = (
            arrays.to_rotvec(arrays.multiply(arrays.from_rotvec(missing), arrays.from_rotvec(-v)))
            for v in (w, -w)
        )
        np.testing.assert_allclose(found[:, k], (down - up) / 2e-6, atol=1e-6)


@given(poses(), st.integers(0, 1000))
@settings(max_examples=30)
def test_a_pose_meets_what_it_measures(pose: Pose, seed: int):
    other = random_pose(pose.skeleton, seed)
    for task in tasks_of(pose.skeleton):
        np.testing.assert_allclose(task.residual(pose, task.measure(pose)), 0.0, atol=1e-12)
        assert task.residual(other, task.measure(pose)).shape == task.jacobian(pose).shape[:1]


@pytest.mark.parametrize("weight", [0.0, 1.0, 3.0])
def test_costs_are_squares_over_covariances(weight: float):
    pose = random_pose(FIGURES["person"], 4)
    task = Reach("l_wrist", weight)
    target = task.measure(pose) + np.array((0.1, 0.2, -0.2))
    assert task.residual_norm(pose, target) == pytest.approx(0.3)
    assert task.cost(pose, target) == pytest.approx(0.09 * weight**2)
    # Deviations along the axes of the world; what has no end does not matter.
    shaped = Reach("l_wrist", weight, covariance=(1.0, 4.0, np.inf))
    assert shaped.residual_norm(pose, target) == pytest.approx(np.hypot(0.1, 0.05))
    assert shaped.cost(pose, target) == pytest.approx((0.01 + 0.0025) * weight**2)
    # The same as a matrix, and turned.
    turn = arrays.to_matrix(arrays.from_euler("XYZ", np.array((0.3, -0.5, 0.7))))
    matrix = turn @ np.diag((1.0, 16.0, 4.0)) @ turn.T
    slanted = Reach("l_wrist", weight, covariance=tuple(map(tuple, matrix.tolist())))
    gap = turn.T @ task.residual(pose, target)
    expected = gap[0] ** 2 + gap[1] ** 2 / 16.0 + gap[2] ** 2 / 4.0
    assert slanted.residual_norm(pose, target) ** 2 == pytest.approx(expected)
    assert hash(slanted) == hash(Reach("l_wrist", weight, covariance=slanted.covariance))


def test_senseless_covariances_are_refused():
    for given_ in ((1.0, 2.0), (1.0, 0.0, 1.0), (np.nan, 1.0, 1.0), "wide", 3, np.diag((1, 1, 0))):
        with pytest.raises(InputError, match=r"three deviations > 0.* for the task 'reach tip'"):
            Reach("tip", covariance=given_)


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


def test_tasks_without_a_target_say_so():
    pose = random_pose(FIGURES["person"], 1)
    for task, label in ((Reach("head"), "reach head"), (LookAt("head"), "look head")):
        with pytest.raises(InputError, match=f"target for the task '{label}', got none"):
            task.residual(pose)
    with pytest.raises(InputError, match="target for the task 'posture'"):
        Posture().residual(pose)


def test_a_second_wish_in_the_null_space_leaves_the_first_alone():
    # Eq. (6) of the Monte Carlo paper, its baseline: dq = J+ (P_d - P) + (1 - J+ J) z, with
    # z = -k grad h over all degrees of freedom, downhill. The error of the first task
    # changes by the square of k only, and h falls.
    chain = Skeleton.chain(5)
    pose, like = random_pose(chain, 1), random_pose(chain, 2)
    body = chain.articulation
    first, wish = Reach("tip"), Posture(like=like)
    jacobian = first.jacobian(pose)
    uphill = -2.0 * wish.jacobian(pose).T @ wish.residual(pose)
    null = np.eye(body.count) - np.linalg.pinv(jacobian) @ jacobian
    tip, angles = first.measure(pose), body.angles(pose.rotations)
    moved, costs = [], []
    for k in (1e-3, 1e-4):
        turned = body.rotations(angles - k * null @ uphill)
        after = Pose(chain, pose.root, turned)
        moved.append(np.linalg.norm(first.residual(after, tip)))
        costs.append(wish.cost(after))
    assert moved[0] < 1e-4
    assert moved[1] < 0.02 * moved[0]  # a tenth of the step, a hundredth of the error
    assert costs[0] < costs[1] < wish.cost(pose)
