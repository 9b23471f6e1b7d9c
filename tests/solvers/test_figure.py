"""Figures as tables: the kernels place, turn and differentiate them like the object level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from figures import FIGURES, poses, random_pose
from sixpoint.body.articulation import HINGE
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit
from sixpoint.motion.pose import Pose
from sixpoint.solvers._kernels.figure import (
    ORIENTATION,
    POSITION,
    figure_axes,
    figure_forward,
    figure_jacobian,
    figure_read,
    figure_residuals,
    figure_turn,
    figure_write,
)
from sixpoint.solvers.figure import (
    BENT,
    figure_depth,
    human_figure,
    new_descent,
    new_pose,
    plain_figure,
    reset_pose,
)
from sixpoint.tasks import Orient, Reach

FREE = Limits({})


def tables(pose: Pose, weights=(1.0, 1.0)):
    """A figure whose last node shall be reached and turned to, in a pose, with scratch memory."""
    body = pose.skeleton.articulation
    node = len(pose.skeleton.node_names) - 1
    tasks = [(POSITION, 0, weights[0]), (ORIENTATION, 0, weights[1])]
    figure = plain_figure(body, FREE, [node], tasks)
    state = new_pose(figure)
    state.local[:] = body.to_rest(pose.rotations)
    state.place[0] = pose.root
    figure_forward(figure, state)
    return figure, state, new_descent(figure)


@given(poses())
@settings(max_examples=40)
def test_kernels_place_figures_like_poses(pose: Pose):
    figure, state, _ = tables(pose)
    places, world = pose.world()
    joints = pose.skeleton.joint_count
    np.testing.assert_allclose(state.place, places[:joints], atol=1e-12)
    np.testing.assert_allclose(state.tips[0], places[-1], atol=1e-12)
    rotations, root = np.zeros((joints, 4)), np.zeros((1, 3))
    figure_write(figure, state, figure.rest, rotations, root, 0)
    assert arrays.angle_between(rotations, pose.rotations).max() < 1e-7
    local = arrays.identity(joints)
    figure_read(figure, rotations, local)
    assert arrays.angle_between(local, state.local).max() < 1e-7
    np.testing.assert_allclose(root[0], pose.root, atol=1e-12)
    assert len(world) == joints


@given(poses())
@settings(max_examples=40)
def test_kernels_differentiate_figures_like_tasks(pose: Pose):
    figure, state, scratch = tables(pose, weights=(2.0, 0.5))
    figure_axes(figure, state, scratch.axes)
    figure_jacobian(figure, state, scratch.axes, scratch.jacobian)
    name = pose.skeleton.node_names[-1]
    body = pose.skeleton.articulation
    # Joints that move no target have no column in the kernels' Jacobian.
    turning = np.repeat(figure.freedom > 0, body.freedom)
    for rows, task, weight in ((slice(0, 3), Reach(name), 2.0), (slice(3, 6), Orient(name), 0.5)):
        expected = weight * task.jacobian(pose)
        assert not expected[:, ~turning].any()
        np.testing.assert_allclose(scratch.jacobian[rows], expected[:, turning], atol=1e-9)


@given(poses())
@settings(max_examples=30)
def test_kernels_and_tasks_miss_alike(pose: Pose):
    figure, state, scratch = tables(pose, weights=(2.0, 0.5))
    other = random_pose(pose.skeleton, 7)
    name = pose.skeleton.node_names[-1]
    place, turn = Reach(name).measure(other), Orient(name).measure(other)
    worst, total = figure_residuals(figure, state, place[None], turn[None], scratch.asked)
    missed, turned = Reach(name).residual(pose, place), Orient(name).residual(pose, turn)
    np.testing.assert_allclose(scratch.asked[:3], 2.0 * missed, atol=1e-12)
    np.testing.assert_allclose(scratch.asked[3:], 0.5 * turned, atol=1e-7)
    lengths = np.linalg.norm(missed), np.linalg.norm(turned) * pose.skeleton.articulation.length
    assert worst == pytest.approx(max(lengths))
    assert total == pytest.approx(sum(lengths))


def test_what_is_not_known_asks_for_nothing():
    figure, state, scratch = tables(random_pose(FIGURES["balls"], 1))
    nowhere, unturned = np.full((1, 3), np.nan), np.full((1, 4), np.nan)
    assert figure_residuals(figure, state, nowhere, unturned, scratch.asked) == (0.0, 0.0)
    assert not scratch.asked.any()


def test_turning_adds_to_every_degree_of_freedom():
    for name in ("balls", "hinges", "odd", "hand"):
        pose = random_pose(FIGURES[name], 2, spread=0.7)
        body = pose.skeleton.articulation
        nodes = [body.node(end) for end in body.ends]
        figure = plain_figure(body, FREE, nodes, [(POSITION, k, 1.0) for k in range(len(nodes))])
        state = new_pose(figure)
        state.local[:] = body.to_rest(pose.rotations)
        step = np.random.default_rng(3).uniform(-0.3, 0.3, body.count)
        figure_turn(figure, state, step)
        expected = body.rotations(body.angles(pose.rotations) + step)
        found = body.from_rest(state.local)
        assert arrays.angle_between(found, expected).max() < 1e-7


def test_the_first_pose_is_rest_with_bent_hinges():
    person = FIGURES["person"]
    body = person.articulation
    figure = plain_figure(body, FREE, [body.node("l_wrist")], [(POSITION, 0, 1.0)])
    pose = new_pose(figure)
    elbow, shoulder = body.node("l_elbow"), body.node("l_shoulder")
    angle = arrays.to_rotvec(pose.local[elbow])
    assert -BENT <= angle[0] < 0.0  # elbows bend about -X
    assert pose.local[shoulder].tolist() == [1.0, 0.0, 0.0, 0.0]
    pose.local[:] = 0.5
    reset_pose(figure, pose)
    np.testing.assert_array_equal(arrays.to_rotvec(pose.local[elbow]), angle)
    np.testing.assert_array_equal(pose.place[0], person.offsets[0])


def test_long_chains_begin_nearly_straight():
    for joints in (1, 5, 100):
        body = Skeleton.chain(joints, kind="hinge").articulation
        figure = plain_figure(body, FREE, [body.node("tip")], [(POSITION, 0, 1.0)])
        bent = np.linalg.norm(arrays.to_rotvec(new_pose(figure).local), axis=1)
        assert bent.sum() <= np.radians(60.0) + 1e-9
        assert (bent > 0.0).all()


def test_the_first_pose_keeps_limits():
    chain = Skeleton.chain(2, kind="hinge")
    limits = Limits({"joint_2": FlexionLimit.degrees(-90.0, -20.0, (0.0, 0.0, 1.0))})
    figure = plain_figure(chain.articulation, limits, [2], [(POSITION, 0, 1.0)])
    angle = np.degrees(arrays.to_rotvec(new_pose(figure).local[1])[2])
    assert angle == pytest.approx(-20.0)


def test_joints_that_move_no_target_are_left_out():
    tree = Skeleton.tree(2, 3, trunk=2)
    body = tree.articulation
    figure = plain_figure(
        body, FREE, [body.node("tip_1"), body.node("tip_2")], [(POSITION, 1, 1.0)]
    )
    moving = body.moving(body.node("tip_2"))
    assert ((figure.freedom > 0) == moving).all()
    assert new_descent(figure).jacobian.shape == (3, 15)
    assert figure_depth(figure) == 5


def test_hinges_of_people_are_the_same_in_both_tables():
    person = FIGURES["person"]
    figure = human_figure(person.anatomy, FREE)
    rigs = figure.rig[figure.freedom == HINGE]
    assert sorted(rigs) == sorted(
        person.anatomy.node(role) for role in ("l_elbow", "r_elbow", "l_knee", "r_knee")
    )


def test_a_figure_without_length_is_refused():
    point = Skeleton(("a", "b"), np.array((-1, 0)), np.zeros((2, 3)))
    with pytest.raises(InputError, match="figure of some length, got one whose bones are all zero"):
        plain_figure(point.articulation, FREE, [1], [(POSITION, 0, 1.0)])


def test_several_roots_are_refused():
    twins = Skeleton(("a", "b"), np.array((-1, -1)), np.eye(3)[:2])
    with pytest.raises(InputError, match="one root, got 2: a, b"):
        plain_figure(twins.articulation, FREE, [1], [(POSITION, 0, 1.0)])


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
        plain_figure(body, Limits({"joint_2": limit}), [2], [(POSITION, 0, 1.0)])
