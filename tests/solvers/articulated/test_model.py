"""Models of skeletons: the kernels place, turn and differentiate them like the object level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from figures import FIGURES, poses, random_pose
from sixpoint.kernels import arrays
from sixpoint.limits import Limits
from sixpoint.motion.pose import Pose
from sixpoint.solvers.articulated.build import new_pose, skeleton_model
from sixpoint.solvers.articulated.model import (
    ORIENTATION,
    POSITION,
    Targets,
    apply_step,
    joint_axes,
    model_forward,
    read_pose,
    task_jacobian,
    task_residuals,
    write_pose,
)
from sixpoint.tasks import Orient, Reach

FREE = Limits({})


class Posed:
    """A model whose last node shall be reached and turned to, in a pose."""

    def __init__(self, pose: Pose, weights=(1.0, 1.0)) -> None:
        body = pose.skeleton.articulation
        node = len(pose.skeleton.node_names) - 1
        tasks = [(POSITION, 0, weights[0]), (ORIENTATION, 0, weights[1])]
        self.model = skeleton_model(body, FREE, [node], tasks)
        self.pose = new_pose(self.model)
        self.pose.local[:] = body.to_rest(pose.rotations)
        self.pose.position[0] = pose.root
        model_forward(self.model, self.pose)

    def jacobian(self) -> np.ndarray:
        freedom = int(self.model.freedom.sum())
        axes, jacobian = np.zeros((freedom, 3)), np.zeros((6, freedom))
        joint_axes(self.model, self.pose, axes)
        task_jacobian(self.model, self.pose, axes, jacobian)
        return jacobian

    def residual(self, position, rotation) -> tuple[np.ndarray, float, float]:
        """What tasks ask for, and the largest and the summed length."""
        residual = np.full(6, np.nan)
        targets = Targets(np.array([position]), np.array([rotation]))
        return residual, *task_residuals(self.model, self.pose, targets, residual)


@given(poses())
@settings(max_examples=40)
def test_kernels_place_skeletons_like_poses(pose: Pose):
    posed = Posed(pose)
    model, state = posed.model, posed.pose
    places, world = pose.world()
    joints = pose.skeleton.joint_count
    np.testing.assert_allclose(state.position, places[:joints], atol=1e-12)
    np.testing.assert_allclose(state.effectors[0], places[-1], atol=1e-12)
    rotations, root = np.zeros((joints, 4)), np.zeros(3)
    write_pose(model, state, model.rest, rotations, root)
    assert arrays.angle_between(rotations, pose.rotations).max() < 1e-7
    local = arrays.identity(joints)
    read_pose(model, rotations, local)
    assert arrays.angle_between(local, state.local).max() < 1e-7
    np.testing.assert_allclose(root, pose.root, atol=1e-12)
    assert len(world) == joints


@given(poses())
@settings(max_examples=40)
def test_kernels_differentiate_skeletons_like_tasks(pose: Pose):
    posed = Posed(pose, weights=(2.0, 0.5))
    jacobian = posed.jacobian()
    name = pose.skeleton.node_names[-1]
    body = pose.skeleton.articulation
    # Joints that move no target have no column in the kernels' Jacobian.
    turning = np.repeat(posed.model.freedom > 0, body.freedom)
    for rows, task, weight in ((slice(0, 3), Reach(name), 2.0), (slice(3, 6), Orient(name), 0.5)):
        expected = weight * task.jacobian(pose)
        assert not expected[:, ~turning].any()
        np.testing.assert_allclose(jacobian[rows], expected[:, turning], atol=1e-9)


@given(poses())
@settings(max_examples=30)
def test_kernels_and_tasks_miss_alike(pose: Pose):
    other = random_pose(pose.skeleton, 7)
    name = pose.skeleton.node_names[-1]
    place, turn = Reach(name).measure(other), Orient(name).measure(other)
    residual, worst, total = Posed(pose, weights=(2.0, 0.5)).residual(place, turn)
    missed, turned = Reach(name).residual(pose, place), Orient(name).residual(pose, turn)
    np.testing.assert_allclose(residual[:3], 2.0 * missed, atol=1e-12)
    np.testing.assert_allclose(residual[3:], 0.5 * turned, atol=1e-7)
    lengths = np.linalg.norm(missed), np.linalg.norm(turned) * pose.skeleton.articulation.length
    assert worst == pytest.approx(max(lengths))
    assert total == pytest.approx(sum(lengths))


def test_what_is_not_known_asks_for_nothing():
    posed = Posed(random_pose(FIGURES["balls"], 1))
    residual, worst, total = posed.residual(np.full(3, np.nan), np.full(4, np.nan))
    assert (worst, total) == (0.0, 0.0)
    assert np.array_equal(residual, np.zeros(6))


def test_a_step_adds_to_every_degree_of_freedom():
    for name in ("balls", "hinges", "odd", "hand"):
        pose = random_pose(FIGURES[name], 2, spread=0.7)
        body = pose.skeleton.articulation
        nodes = [body.node(end) for end in body.ends]
        model = skeleton_model(body, FREE, nodes, [(POSITION, k, 1.0) for k in range(len(nodes))])
        state = new_pose(model)
        state.local[:] = body.to_rest(pose.rotations)
        step = np.random.default_rng(3).uniform(-0.3, 0.3, body.count)
        apply_step(model, state, step)
        expected = body.rotations(body.angles(pose.rotations) + step)
        found = body.from_rest(state.local)
        assert arrays.angle_between(found, expected).max() < 1e-7
