"""Pelvis and spine of sequential IK together: limits, known rotations, odd spines and heads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import assert_same_rotation
from sixpoint.kernels.quaternion import quat_twist_angle
from sixpoint.solvers.context import SPINE_LIMITED
from strategies import rotations, vectors

from ..bodies import (
    CURVED_BODY,
    CURVED_SPINE,
    IDENTITY,
    STIFF_BODY,
    Trunk,
    curved_spine,
    human,
    spine_body,
    straight_spine,
    turned_about,
)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


# --- limits ---------------------------------------------------------------------------------------


@given(vectors(), st.one_of(st.none(), rotations()), st.one_of(st.none(), rotations()))
def test_limits_hold_in_the_spine(head, pelvis_turn, head_turn):
    for changed in ({}, {"spine_search": "two-phase", "bend": "previous"}):
        trunk = Trunk(STIFF_BODY, **changed)
        trunk.solve(head, pelvis_turn=pelvis_turn, head_turn=head_turn)
        assert max(trunk.violations()) == 0.0


def test_limits_are_kept_in_every_step_of_the_search():  # Algorithm 2 line 15
    body = STIFF_BODY
    free = Trunk(CURVED_BODY).solve((0.0, 0.5, 0.05))
    held = Trunk(body).solve((0.0, 0.5, 0.05))
    # Limits clip each joint during the search, which therefore bends further to reach the length.
    assert held.angle >= free.angle
    # What is beyond all limits is given up, said so, and shared by both ends.
    short = Trunk(body).solve((0.0, 0.2, 0.0))
    assert short.flags == SPINE_LIMITED
    assert np.linalg.norm(short.chord) > 0.3
    assert short.steps < 32


# --- known rotations ------------------------------------------------------------------------------


def test_a_known_pelvis_keeps_its_rotation():
    turn = turned_about(Z, 25.0)
    trunk = Trunk(CURVED_BODY).solve((-0.1, 0.45, 0.1), pelvis_turn=turn)
    assert_same_rotation(trunk.work.world[0], turn)
    # The joint above takes over: the chord from there on points to the head.
    assert np.linalg.norm(trunk.places[-1] - (-0.1, 0.45, 0.1)) < 1e-5
    assert np.linalg.norm(trunk.places[0]) < 1e-5


def test_a_known_head_keeps_its_rotation():
    turn = turned_about((0.0, 0.6, 0.8), 70.0)
    for pelvis in (None, turned_about(X, 10.0)):
        trunk = Trunk(CURVED_BODY)
        trunk.solve((0.0, 0.5, 0.05), pelvis_turn=pelvis, head_turn=turn)
        assert_same_rotation(trunk.work.world[trunk.body.joints - 1], turn, atol=1e-12)


def test_twist_is_shared_above_the_loins():
    body = spine_body(np.tile((0.0, 0.1, 0.0), (5, 1)), lumbar=(1, 2))
    trunk = Trunk(body).solve((0.0, 0.5, 0.0), head_turn=turned_about(Y, 60.0))
    twist = [np.degrees(quat_twist_angle(tuple(q), Y)) for q in trunk.local]
    assert twist == pytest.approx([0.0, 0.0, 0.0, 20.0, 20.0, 20.0], abs=1e-9)


def test_lumbar_joints_receive_no_twist_in_a_bow():
    body = spine_body(CURVED_SPINE, lumbar=(1, 2))
    for known in (None, turned_about(Y, -30.0)):
        plain = Trunk(body).solve((0.0, 0.4, 0.2), pelvis_turn=known)
        turned = Trunk(body).solve(
            (0.0, 0.4, 0.2), pelvis_turn=known, head_turn=turned_about(Y, 50)
        )
        lumbar = slice(1, 3) if known is None else slice(2, 3)  # a known pelvis aims with joint 1
        assert np.array_equal(turned.local[lumbar], plain.local[lumbar])
        assert not np.array_equal(turned.local[3:5], plain.local[3:5])


def test_limits_of_twist_hold():
    body = STIFF_BODY
    trunk = Trunk(body).solve((0.0, 0.55, 0.0), head_turn=turned_about(Y, 90.0))
    twist = [np.degrees(quat_twist_angle(tuple(q), Y)) for q in trunk.local[1:]]
    assert twist == pytest.approx([3.0] * 5, abs=1e-6)


# --- short spines, odd spines, odd heads ----------------------------------------------------------

SPINES = {
    "one segment": [(0.0, 0.5, 0.0)],
    "two segments": [(0.0, 0.3, 0.02), (0.0, 0.2, 0.05)],
    "two straight segments": [(0.0, 0.3, 0.0), (0.0, 0.2, 0.0)],
    "a joint on another": [(0.0, 0.2, 0.0), (0.0, 0.0, 0.0), (0.0, 0.2, 0.03), (0.0, 0.1, 0.0)],
    "a joint on the pelvis": [(0.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.2, 0.05)],
    "twenty-four vertebrae": curved_spine(
        10.0 * np.sin(np.linspace(0, 6, 24)), np.full(24, 0.02)
    ).tolist(),
}
spines = pytest.mark.parametrize("segments", SPINES.values(), ids=SPINES.keys())


@spines
@pytest.mark.parametrize("known", [None, IDENTITY])
def test_spines_of_any_make(segments, known):
    for head in ((0.0, 0.45, 0.05), (0.0, 0.7, 0.0), (0.3, 0.2, -0.1), (0.0, -0.3, 0.0)):
        trunk = Trunk(spine_body(segments)).solve(head, pelvis_turn=known, head_turn=IDENTITY)
        assert np.isfinite(trunk.places).all()
        assert np.isfinite(trunk.local).all()
        assert np.linalg.norm(trunk.local, axis=-1) == pytest.approx(1.0, abs=1e-12)
        lengths = np.linalg.norm(np.diff(trunk.places, axis=0), axis=1)
        assert lengths == pytest.approx(np.linalg.norm(segments, axis=1), abs=1e-12)


def test_one_segment_only_turns():  # n = 2: Eq. (1) divides by n - 2
    trunk = Trunk(straight_spine(2, 0.5)).solve((0.0, 0.24, 0.32))
    assert trunk.places == pytest.approx(np.array([(0, -0.03, -0.04), (0, 0.27, 0.36)]), abs=1e-12)
    assert (trunk.steps, trunk.flags) == (0, SPINE_LIMITED)


def test_two_segments_bend_in_the_middle():  # n = 3
    trunk = Trunk(straight_spine(3, 0.25)).solve((0.0, 0.4, 0.0))
    assert trunk.places[1] == pytest.approx((0.0, 0.2, -0.15), abs=1e-5)
    # With a known pelvis nothing is left to bend.
    fixed = Trunk(straight_spine(3, 0.25)).solve((0.0, 0.4, 0.0), pelvis_turn=IDENTITY)
    assert fixed.places[:, 1] == pytest.approx((-0.05, 0.2, 0.45))
    assert fixed.flags == SPINE_LIMITED


@pytest.mark.parametrize("head", [(0.0, 0.0, 0.0), (0.0, 1e-12, 0.0), (1e-7, 0.0, 0.0)])
@pytest.mark.parametrize("limited", [False, True])
def test_head_at_the_pelvis(head, limited):
    trunk = Trunk(human(limited)).solve(head)
    assert np.isfinite(trunk.places).all()
    assert max(trunk.violations()) == 0.0
    # Both ends are as near to their common place as the spine allows.
    low, high = (np.linalg.norm(trunk.places[k] - head) for k in (0, -1))
    assert low == pytest.approx(high, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_spine_does_not_depend_on_the_unit(scale):
    head = np.array((0.05, 0.4, 0.1))
    usual = Trunk(CURVED_BODY).solve(head)
    other = Trunk(spine_body(scale * CURVED_SPINE)).solve(scale * head, left=np.array(X) * scale)
    assert np.abs(other.local - usual.local).max() < 1e-6
