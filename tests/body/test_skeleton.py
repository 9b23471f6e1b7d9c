from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.skeleton import Skeleton
from sixpoint.body.tree import depth_first
from sixpoint.body.values import frozen_array
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays

ARM = Skeleton(
    names=("root", "upper", "lower", "other"),
    parents=[-1, 0, 1, 0],
    offsets=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],
    site_names=("tip", "nail"),
    site_parents=[2, 2],
    site_offsets=[[0.0, 3.0, 0.0], [0.0, 0.0, 1.0]],
)


def test_nodes_are_joints_then_sites():
    assert ARM.joint_count == 4
    assert ARM.node_names == ("root", "upper", "lower", "other", "tip", "nail")
    assert ARM.node_parents.tolist() == [-1, 0, 1, 0, 2, 2]
    assert ARM.node_offsets[4].tolist() == [0.0, 3.0, 0.0]
    assert [ARM.index(name) for name in ARM.node_names] == list(range(6))


def test_an_unknown_joint_is_refused_with_the_nearest_names():
    with pytest.raises(UnknownName, match=r"No joint 'uper'. Nearest: upper.*There are 6: root, "):
        ARM.index("uper")


def test_paths_and_children():
    assert ARM.path(0) == [0]
    assert ARM.path(ARM.index("tip")) == [0, 1, 2, 4]
    assert ARM.children(0) == [1, 3]
    assert ARM.children(2) == [4, 5]
    assert ARM.children(5) == []


def test_rest_is_the_unturned_body():
    positions, rotations = ARM.rest()
    assert positions[4].tolist() == [1.0, 6.0, 0.0]
    assert positions[5].tolist() == [1.0, 3.0, 1.0]
    assert rotations.tolist() == arrays.identity(4).tolist()


def test_rest_is_the_bind_pose_where_there_is_one():
    bind = arrays.identity(4)
    bind[1] = arrays.from_axis_angle(arrays.AXES["Z"], -np.pi / 2)
    positions, rotations = replace(ARM, bind=bind).rest()
    np.testing.assert_allclose(positions[4], [6.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(rotations[2], bind[1])


def test_node_positions_carry_sites_in_any_number_of_frames():
    turn = arrays.from_axis_angle(arrays.AXES["X"], np.pi / 2)
    at, world = arrays.forward(ARM.parents, ARM.offsets, np.tile(turn, (5, 4, 1)))
    nodes = ARM.node_positions(at, world)
    assert nodes.shape == (5, 6, 3)
    # Lower is turned by three quarter turns: its Y points along -Z.
    np.testing.assert_allclose(nodes[:, 4] - nodes[:, 2], [[0.0, 0.0, -3.0]] * 5, atol=1e-12)


def test_equal_bodies_are_equal_whatever_their_bind_pose():
    same = replace(ARM, bind=arrays.identity(4), roles={"head": "tip"})
    assert same == ARM
    assert hash(same) == hash(ARM)
    offsets = ARM.offsets.copy()
    offsets[2, 0] += 1e-9
    assert replace(ARM, offsets=offsets) != ARM
    assert replace(ARM, names=("a", "b", "c", "d")) != ARM
    assert ARM != "ARM"


def test_a_skeleton_keeps_its_own_copy_and_cannot_be_changed():
    offsets = np.zeros((1, 3))
    skeleton = Skeleton(["only"], [-1], offsets)
    offsets += 1.0
    assert skeleton.offsets.max() == 0.0
    assert skeleton.names == ("only",)
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        skeleton.names = ()
    assert repr(ARM) == "Skeleton(4 joints, 2 sites, root 'root')"


def test_frozen_arrays_are_contiguous_copies():
    array = frozen_array(np.arange(6).reshape(2, 3).T)
    assert array.flags.c_contiguous
    assert not array.flags.writeable
    assert array.dtype == np.float64


def test_numbers_that_make_no_skeleton_are_refused():
    zeros = np.zeros((2, 3))
    with pytest.raises(InputError, match="at least one joint"):
        Skeleton((), [], np.zeros((0, 3)))
    with pytest.raises(InputError, match=r"`parents` to have shape \(2,\), got \(1,\)"):
        Skeleton(("a", "b"), [-1], zeros)
    with pytest.raises(InputError, match=r"`offsets` to have shape \(2, 3\), got \(1, 3\)"):
        Skeleton(("a", "b"), [-1, 0], zeros[:1])
    with pytest.raises(InputError, match=r"`site_parents` to have shape \(1,\)"):
        Skeleton(("a", "b"), [-1, 0], zeros, ("tip",), [], [[0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match=r"`site_offsets` to have shape \(1, 3\)"):
        Skeleton(("a", "b"), [-1, 0], zeros, ("tip",), [0], np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"`bind` to have shape \(2, 4\)"):
        Skeleton(("a", "b"), [-1, 0], zeros, bind=arrays.identity(1))
    with pytest.raises(InputError, match="finite `offsets`"):
        Skeleton(("a", "b"), [-1, 0], zeros + np.nan)
    with pytest.raises(InputError, match="finite `site_offsets`"):
        Skeleton(("a", "b"), [-1, 0], zeros, ("tip",), [0], [[np.inf, 0.0, 0.0]])
    with pytest.raises(InputError, match="'a' is there more than once"):
        Skeleton(("a", "b"), [-1, 0], zeros, ("a",), [0], [[0.0, 0.0, 0.0]])
    for parents in ([0, 0], [-1, 1], [1, -1], [-2, 0]):
        with pytest.raises(InputError, match="Parents must come before"):
            Skeleton(("a", "b"), parents, zeros)
    for parent in (-1, 2):
        with pytest.raises(InputError, match="Every site must hang from a joint"):
            Skeleton(("a", "b"), [-1, 0], zeros, ("tip",), [parent], [[0.0, 0.0, 0.0]])


def test_the_humanoid_and_its_anatomy_are_one_call_away():
    figure = Skeleton.humanoid(1.8)
    assert figure.joint_count == 34
    assert figure.anatomy is figure.anatomy
    assert Skeleton.humanoid(lengths={"calf": 0.4}) != Skeleton.humanoid()


def test_the_kind_is_found_without_building_an_anatomy():
    assert Skeleton.humanoid().kind == "human"
    assert ARM.kind == "other"
    with pytest.raises(UnknownName, match="No role 'tail'"):
        replace(ARM, roles={"tail": "tip"}).kind  # noqa: B018


@given(st.lists(st.integers(0, 100), max_size=30))
def test_depth_first_keeps_parents_first_and_subtrees_together(choices):
    parents = [-1, *(choice % (k + 1) for k, choice in enumerate(choices))]
    order = depth_first(parents)
    assert sorted(order) == list(range(len(parents)))
    place = {joint: k for k, joint in enumerate(order)}
    for joint, parent in enumerate(parents):
        assert parent < 0 or place[parent] < place[joint]
    for joint in range(len(parents)):
        below = [k for k in range(len(parents)) if _is_under(parents, k, joint)]
        places = sorted(place[k] for k in below)
        assert places == list(range(places[0], places[0] + len(places)))
    for a in range(len(parents)):
        for b in range(a + 1, len(parents)):
            if parents[a] == parents[b]:
                assert place[a] < place[b]


def _is_under(parents: list[int], node: int, above: int) -> bool:
    while node >= 0 and node != above:
        node = parents[node]
    return node == above
