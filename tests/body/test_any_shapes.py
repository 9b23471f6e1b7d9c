"""Collision shapes of figures that are no people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.arm import ARM, random_pose
from sixpoint.body.shapes import BONE_GIRTH, BodyShape, Capsule, body_shape, free_pairs
from sixpoint.errors import InputError
from sixpoint.formats import load_robot
from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.tasks import Orient, Reach, SelfCollision
from sixpoint.tasks.self_collision import SelfContact


def folded_chain() -> sp.Pose:
    """A chain of six balls whose fifth bone runs into its first two."""
    chain = sp.Skeleton.chain(6)
    angles = np.zeros((6, 3))
    angles[[2, 3, 4], 2] = 1.5
    angles[5, 0] = 0.1
    return sp.Pose(chain, np.zeros(3), arrays.from_rotvec(angles))


def test_bones_of_any_figure_have_capsules():
    hand = sp.Skeleton.hand()
    shape = body_shape(hand)
    assert len(shape.capsules) == 21  # the forearm, and four for each finger
    starts, ends = shape.place(*hand.rest())
    k = shape.names.index("index_knuckle to index_middle")
    places = hand.rest()[0]
    np.testing.assert_allclose(starts[k], places[hand.index("index_knuckle")], atol=1e-12)
    np.testing.assert_allclose(ends[k], places[hand.index("index_middle")], atol=1e-12)
    assert shape.radii[k] == pytest.approx(BONE_GIRTH * np.linalg.norm(ends[k] - starts[k]))


def test_capsules_follow_the_bones_of_rigs_that_rest_turned():
    robot = load_robot(ARM)
    rng = np.random.default_rng(0)
    body = robot.skeleton.articulation
    angles = rng.uniform(-1.0, 1.0, body.count)
    pose = sp.Pose(robot.skeleton, np.zeros(3), body.rotations(angles))
    shape = body_shape(robot.skeleton)
    _, ends = shape.place(*pose.world())
    for capsule, end in zip(shape.capsules, ends, strict=True):
        node = capsule.name.split(" to ")[1]
        np.testing.assert_allclose(end, pose.world()[0][robot.skeleton.index(node)], atol=1e-9)


@pytest.mark.parametrize("name", ["dls", "pik", "monte-carlo"])
def test_solvers_keep_a_chain_out_of_itself(name: str):
    pose = folded_chain()
    skeleton, target = pose.skeleton, pose.world()[0][-1]
    touching = SelfCollision()
    assert touching.measure(pose).max() > 0.01
    tracker = sp.solver(name).prepare(skeleton, tasks=[Reach("tip"), touching])
    tracker.reset(pose)
    solution = tracker.solve(target[None])
    assert solution.residuals[0] < 1e-2
    assert touching.measure(solution.pose).max() < 1e-3


def test_the_jacobian_of_a_chain_that_touches_is_that_of_its_depths():
    pose, task = folded_chain(), SelfCollision(margin=0.005)
    body = pose.skeleton.articulation
    angles, found = body.angles(pose.rotations), task.jacobian(pose)
    for k in range(body.count):
        step = np.zeros(body.count)
        step[k] = 1e-6
        after, before = (
            task.measure(sp.Pose(pose.skeleton, pose.root, body.rotations(angles + s)))
            for s in (step, -step)
        )
        np.testing.assert_allclose(found[:, k], (after - before) / 2e-6, atol=1e-5)


def test_a_robot_brings_its_own_shape():
    robot = load_robot(ARM)
    task = SelfCollision(shape=robot.shape)
    folded = np.zeros(robot.skeleton.articulation.count)
    body = robot.skeleton.articulation
    for joint, angle in (("joint_2", -1.2), ("joint_3", 1.22), ("joint_5", 2.0)):
        folded[body.first[robot.skeleton.index(joint)]] = angle
    pose = sp.Pose(robot.skeleton, np.zeros(3), body.rotations(folded))
    motion = sp.Motion(robot.skeleton, np.zeros((1, 3)), pose.rotations[None], 60.0)
    contact = SelfContact(robot.skeleton, robot.shape)
    assert ("base_link", "link_5") in contact.pairs
    depths = contact.depths(motion)[0]
    np.testing.assert_allclose(np.maximum(depths, 0.0), task.measure(pose))
    # Measured by hand: the gap of two spheres is the distance of their centres without the radii.
    places = dict(zip(robot.skeleton.node_names, pose.world()[0], strict=True))
    k = contact.pairs.index(("link_1", "link_5"))
    centre = places["joint_1"] + (0.0, 0.05, 0.0)
    gap = np.linalg.norm(places["joint_5"] - centre) - 0.09 - 0.045
    assert -depths[k] == pytest.approx(gap)


def test_the_arm_leaves_its_own_base_at_the_same_place():
    robot, rng = load_robot(ARM), np.random.default_rng(0)
    apart = SelfCollision(shape=robot.shape)
    poses = [random_pose(robot, rng) for _ in range(500)]
    colliding = [pose for pose in poses if apart.measure(pose).max() > 0.02]
    assert len(colliding) > 5
    tasks = [Reach("flange"), apart]
    tracker = sp.solver("pik").prepare(robot.skeleton, limits=robot.limits, tasks=tasks)
    reached = 0
    for pose in colliding:
        tracker.reset(pose)
        solution = tracker.solve(pose.world()[0][-1][None])
        assert apart.measure(solution.pose).max() < 1e-3
        reached += solution.residuals[0] < 1e-3
    assert reached >= 3  # all others lie inside the base, where no pose is free


def test_shapes_of_another_figure_are_refused():
    chain, longer = sp.Skeleton.chain(3), sp.Skeleton.chain(4)
    with pytest.raises(InputError, match="shape of a skeleton with 4 joints"):
        free_pairs(longer, body_shape(chain))
    with pytest.raises(InputError, match="'far' on a joint from 0 to 2, got 7"):
        BodyShape(chain, (Capsule("far", 7, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.1),))


def test_figures_that_rest_otherwise_have_shapes_of_their_own():
    # Equal skeletons, as bind poses do not count: their capsules are not.
    straight = sp.Skeleton.chain(3)
    bind = arrays.from_rotvec(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    bent = replace(straight, bind=bind)
    assert straight == bent
    one, other = free_pairs(straight)[0], free_pairs(bent)[0]
    assert one.capsules != other.capsules


def test_reach_and_orient_with_a_shape_work_together():
    robot = load_robot(ARM)
    tasks = [Reach("flange"), Orient("flange"), SelfCollision(shape=robot.shape)]
    places = robot.skeleton.rest()[0][-1] + (0.0, -0.1, 0.1)
    points = Points(("flange",), places[None, None], 60.0, arrays.identity(1, 1))
    for name in ("dls", "pik", "monte-carlo"):
        tracker = sp.solver(name).prepare(robot.skeleton, limits=robot.limits, tasks=tasks)
        assert tracker.solve(points).converged, name
