from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body.articulation import BALL, HINGE
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError


@given(st.integers(1, 40), st.floats(1e-3, 1e3), st.sampled_from(["ball", "hinge"]))
def test_chains_are_straight_and_of_the_length_asked_for(joints, length, kind):
    chain = Skeleton.chain(joints, length, kind=kind)
    places, _ = chain.rest()
    expected = length * np.arange(joints + 1) / joints
    np.testing.assert_allclose(places[:, 1], expected, rtol=1e-12, atol=1e-15 * length)
    assert not places[:, [0, 2]].any()
    assert chain.articulation.freedom.tolist() == [BALL if kind == "ball" else HINGE] * joints
    assert chain.site_names == ("tip",)


def test_bones_may_differ_and_point_anywhere():
    chain = Skeleton.chain(3, (0.5, 0.0, 2.0), bone=(3.0, 0.0, 4.0))
    np.testing.assert_allclose(
        chain.rest()[0], [(0, 0, 0), (0.3, 0, 0.4), (0.3, 0, 0.4), (1.5, 0, 2.0)], atol=1e-15
    )


def test_axes_are_given_in_turn():
    chain = Skeleton.chain(3, kind="hinge", axis=((2.0, 0.0, 0.0), (0.0, 0.0, -1.0)))
    assert list(chain.hinges.values()) == [(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)]


def test_a_tree_has_a_trunk_and_branches():
    tree = Skeleton.tree(3, 2, trunk=2, length=4.0, spread=np.pi)
    places, _ = tree.rest()
    tips = places[[tree.index(f"tip_{k}") for k in (1, 2, 3)]]
    np.testing.assert_allclose(tips, [(-2, 2, 0), (0, 4, 0), (2, 2, 0)], atol=1e-12)
    fork = tree.index("trunk_2")
    assert [tree.parents[tree.index(f"branch_{b}_1")] for b in (1, 2, 3)] == [fork] * 3
    assert tree.joint_count == 8
    assert Skeleton.tree(1, 1, kind="hinge").articulation.freedom.tolist() == [HINGE] * 3


def test_one_branch_stands_upright():
    tips = Skeleton.tree(1, 2, length=1.0).rest()[0][-1]
    np.testing.assert_allclose(tips, (0.0, 1.0, 0.0), atol=1e-15)


@pytest.mark.parametrize("count", [0, -1, 2.0, True, 10**9])
def test_senseless_numbers_of_joints_are_refused(count):
    with pytest.raises(InputError, match="`joints` from 1 to"):
        Skeleton.chain(count)
    with pytest.raises(InputError, match="`branches` from 1 to"):
        Skeleton.tree(count)
    with pytest.raises(InputError, match="`trunk` from 1 to"):
        Skeleton.tree(trunk=count)


@pytest.mark.parametrize("length", [0.0, -1.0, np.nan, np.inf])
def test_a_figure_without_length_is_refused(length: float):
    for make in (lambda n: Skeleton.chain(3, n), lambda n: Skeleton.tree(length=n), Skeleton.hand):
        with pytest.raises(InputError, match="positive `length` in metres"):
            make(length)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": (1.0, 1.0)}, r"one for each of 3 bones; got shape \(2,\)"),
        ({"length": (1.0, -1.0, 1.0)}, "bones of finite length"),
        ({"length": (0.0, 0.0, 0.0)}, "positive `length`"),
        ({"kind": "screw"}, "`kind` to be one of ball, hinge; got 'screw'"),
        ({"kind": "hinge", "axis": (0.0, 0.0, 0.0)}, "`axis` to have a direction"),
        ({"kind": "hinge", "axis": (1.0, 0.0)}, r"`axis` of shape \(3,\) or \(n, 3\)"),
        ({"bone": (np.nan, 0.0, 0.0)}, "`bone` to have a direction"),
    ],
)
def test_senseless_chains_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Skeleton.chain(3, **options)


def test_a_spread_without_number_is_refused():
    with pytest.raises(InputError, match="finite `spread`"):
        Skeleton.tree(spread=np.nan)


def test_too_many_joints_in_a_tree_are_refused():
    with pytest.raises(InputError, match=r"`trunk \+ branches \* joints` from 1 to 10000"):
        Skeleton.tree(200, 200)
