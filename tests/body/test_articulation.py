from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from figures import FIGURES, poses
from sixpoint.body.articulation import BALL, HINGE
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose


@given(poses())
@settings(max_examples=40)
def test_angles_and_rotations_say_the_same(pose: Pose):
    body = pose.skeleton.articulation
    again = body.rotations(body.angles(pose.rotations))
    assert arrays.angle_between(again, pose.rotations).max() < 1e-7
    np.testing.assert_allclose(
        body.from_rest(body.to_rest(pose.rotations)), pose.rotations, atol=1e-12
    )


@given(poses())
@settings(max_examples=20)
def test_offsets_at_rest_are_turned_by_rotations_relative_to_rest(pose: Pose):
    body = pose.skeleton.articulation
    places, world = pose.world()
    turned = arrays.multiply(world, arrays.conjugate(body.neutral))
    for node, parent in enumerate(pose.skeleton.node_parents):
        if parent >= 0:
            step = arrays.rotate(turned[parent], body.offsets[node])
            np.testing.assert_allclose(places[node] - places[parent], step, atol=1e-12)


def test_degrees_of_freedom_are_counted_parents_first():
    body = FIGURES["odd"].articulation
    assert body.freedom.tolist() == [BALL, HINGE, BALL, BALL, HINGE]
    assert body.first.tolist() == [0, 3, 4, 7, 10]
    assert body.count == 11
    np.testing.assert_allclose(np.linalg.norm(body.axes[[1, 4]], axis=1), 1.0)
    assert not body.axes[[0, 2, 3]].any()


def test_elbows_and_knees_of_people_are_hinges_about_x():
    person = FIGURES["person"]
    body = person.articulation
    assert body.anatomy is person.anatomy
    for role in ("l_elbow", "r_elbow", "l_knee", "r_knee"):
        joint = body.node(role)
        assert body.freedom[joint] == HINGE
        assert body.axes[joint].tolist() == [1.0, 0.0, 0.0]
    assert body.freedom[body.node("l_shoulder")] == BALL


def test_people_are_at_rest_in_the_neutral_stance():
    person = FIGURES["person"]
    np.testing.assert_array_equal(person.articulation.neutral, person.anatomy.neutral)
    np.testing.assert_array_equal(person.articulation.offsets, person.anatomy.offsets)


def test_a_chain_is_no_person():
    body = Skeleton.chain(3).articulation
    assert body.anatomy is None
    with pytest.raises(UnknownName, match="No joint 'pelvis'"):
        body.node("pelvis")


def test_nodes_are_found_by_name_or_role():
    person = FIGURES["person"]
    assert person.articulation.node("l_wrist") == person.anatomy.node("l_wrist")
    assert person.articulation.node(person.names[3]) == 3


def test_ends_are_sites_or_joints_without_children():
    assert Skeleton.tree(2, 2).articulation.ends == ("tip_1", "tip_2")
    bare = Skeleton(("a", "b", "c"), np.array((-1, 0, 0)), np.eye(3))
    assert bare.articulation.ends == ("b", "c")


def test_what_moves_a_node():
    body = Skeleton.tree(2, 1, trunk=2).articulation  # trunk 0, 1; branches 2, 3
    assert body.moving(body.node("tip_2")).tolist() == [True, True, False, True]
    assert body.moving(1).tolist() == [True, True, False, False]
    assert body.skeleton.carrier(body.node("tip_2")) == 3
    assert body.skeleton.carrier(2) == 2


def test_length_is_the_longest_way_along_the_bones():
    assert Skeleton.chain(7, 3.0).articulation.length == pytest.approx(3.0)
    assert Skeleton.tree(3, 2, trunk=4, length=1.5).articulation.length == pytest.approx(1.5)
    far = Skeleton(("a",), np.array([-1]), np.array([(5.0, 0.0, 0.0)]))
    assert far.articulation.length == 0.0  # where the root stands is no bone


def test_axes_without_direction_are_refused():
    chain = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), hinges={"a": (0.0, 0.0, 0.0)})
    with pytest.raises(InputError, match="axis of a joint as hinge 'a'"):
        chain.articulation  # noqa: B018
