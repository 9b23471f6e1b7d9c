"""Feet that stay level on the ground, as far as ankles let them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.solvers.sequential.limb import level_foot
from strategies import directions

from ..bodies import HUMAN, IDENTITY, Plain, angle, human, standing, turned_about

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def test_level_feet_keep_the_sole_level():
    """As far as an ankle goes, and not at all when the shank lies down."""
    up = np.array((0.0, 1.0, 0.0))

    def sole(shank):
        return arrays.rotate(arrays.multiply(np.array(shank), np.array(level_foot(shank))), up)

    for degrees in (-40.0, -10.0, 0.0, 15.0):
        assert sole(turned_about(X, degrees)) == pytest.approx(up, abs=1e-12)
    assert level_foot(turned_about(X, 90.0)) == IDENTITY
    bent = sole(turned_about(X, 40.0))  # a deep crouch: the heel comes off the ground
    assert math.degrees(angle(bent, up)) == pytest.approx(40.0 - 20.0, abs=1e-9)


def test_level_feet_leave_everything_else_alone():
    frame = standing()
    frame[0, 1] -= 0.1
    level, plain = Plain(feet="level").solve(frame), Plain().solve(frame)
    assert np.array_equal(level.ends, plain.ends)
    changed = np.abs(level.out.rotations - plain.out.rotations).max(axis=(0, 2)) > 0.0
    assert {HUMAN.names[j] for j in np.flatnonzero(changed)} == {"l_ankle", "r_ankle"}


@given(st.floats(-180.0, 180.0), st.floats(-19.0, 44.0), st.floats(-14.0, 14.0))
def test_a_level_foot_keeps_its_sole_on_the_ground(heading, forward, sideways):
    shank = arrays.multiply(
        arrays.from_axis_angle(Y, np.radians(heading)),
        arrays.from_rotvec(np.radians((-forward, 0.0, sideways))),
    )
    foot = arrays.multiply(shank, np.array(level_foot(tuple(shank))))
    tilt = angle(arrays.rotate(foot, np.array(Y)), np.array(Y))
    assert tilt < 1e-9 or abs(sideways) > 13.0 or forward < -18.0 or forward > 43.0
    # And it looks where the shin looks.
    ahead, shin = (arrays.rotate(q, np.array(Z)) * (1.0, 0.0, 1.0) for q in (foot, shank))
    assert angle(ahead, shin) < np.radians(12.0)


@given(directions(), st.floats(0.0, 180.0))
def test_a_level_foot_stays_within_the_range_of_ankles(axis, degrees):
    shank = arrays.from_axis_angle(axis, np.radians(degrees))
    pitch, roll, yaw = arrays.to_euler("XZY", np.array(level_foot(tuple(shank))))
    assert -np.radians(20.001) <= pitch <= np.radians(45.001)
    assert abs(roll) <= np.radians(15.001)
    assert abs(yaw) < 1e-12


def test_a_foot_in_the_air_is_neutral():
    for lying in (80.0, 90.0, 180.0):
        assert level_foot(tuple(arrays.from_axis_angle(X, np.radians(lying)))) == IDENTITY
    assert level_foot(IDENTITY) == pytest.approx(IDENTITY)


def test_a_level_foot_eases_between_standing_and_lying():
    turns = [
        np.array(level_foot(tuple(arrays.from_axis_angle(X, np.radians(lean)))))
        for lean in np.arange(-90.0, 90.0, 0.5)
    ]
    steps = [float(arrays.angle_between(a, b)) for a, b in pairwise(turns)]
    assert max(steps) < np.radians(2.0)


def test_level_feet_move_only_feet():
    frame = standing()
    frame[0:2] += (0.0, -0.03, 0.0)  # knees a little bent
    neutral, level = (Plain(human(True), feet=feet).solve(frame) for feet in ("neutral", "level"))
    ankles = [HUMAN.index("l_ankle"), HUMAN.index("r_ankle")]
    rest = [j for j in range(HUMAN.joint_count) if j not in ankles]
    a, b = neutral.out.rotations[0], level.out.rotations[0]
    assert np.array_equal(a[rest], b[rest])
    assert np.array_equal(neutral.ends, level.ends)
    assert np.array_equal(a[ankles], arrays.identity(2))
    moves = np.concatenate([level.out.root, HUMAN.offsets[1:]])
    _, world = arrays.forward(HUMAN.parents, moves, b)
    for ankle in ankles:
        sole = arrays.rotate(world[ankle], np.array(Y))
        assert angle(sole, np.array(Y)) < np.radians(1.0)
