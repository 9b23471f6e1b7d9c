"""The clavicle, which brings the shoulder near enough, against the numbers of the SIK paper."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels import arrays
from sixpoint.limits import FixedLimit, SwingTwistLimit
from sixpoint.solvers.context import CLAVICLE
from sixpoint.solvers.sequential.limb import solve_clavicle, triangle_angle
from strategies import directions

from ..bodies import IDENTITY, L_ARM, Limb, context, limb_body, limb_row

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BODY = limb_body(0.30, 0.23, clavicle=(0.15, 0.0, 0.0))
TARGET = np.array((0.30, 1.98, 0.20)) - (0.03, 1.45, 0.0)
"""A wrist farther from the shoulder than the arm is long, relative to the clavicle."""


def test_clavicle_brings_the_shoulder_near_enough():
    turn, moved = solve_clavicle(context(BODY), L_ARM, tuple(TARGET))
    w, *v = turn
    size = float(np.linalg.norm(v))
    assert moved
    assert math.degrees(2.0 * math.atan2(size, w)) == pytest.approx(20.506076, abs=1e-6)
    assert np.array(v) / size == pytest.approx((0.0, -0.353057, 0.935602), abs=1e-6)
    shoulder = arrays.rotate(np.array(turn), np.array((0.15, 0.0, 0.0)))
    place = shoulder + np.array((0.03, 1.45, 0.0))
    assert place == pytest.approx((0.170495, 1.499162, 0.018552), abs=1e-6)
    assert np.linalg.norm(TARGET - shoulder) == pytest.approx(0.53, abs=1e-9)


def test_angles_of_the_clavicle():
    a, d, reach = 0.15, float(np.linalg.norm(TARGET)), 0.53
    beyond = float(np.linalg.norm(TARGET - (a, 0.0, 0.0)))
    assert (d, beyond) == (pytest.approx(0.627535, abs=1e-6), pytest.approx(0.579051, abs=1e-6))
    assert math.degrees(triangle_angle(a, d, reach)) == pytest.approx(44.010181, abs=1e-6)
    assert math.degrees(triangle_angle(a, d, beyond)) == pytest.approx(64.516257, abs=1e-6)


def test_the_wrist_follows_the_clavicle():
    arm = Limb(BODY).solve(TARGET)
    assert arm.miss < 1e-6
    assert arm.flags & (CLAVICLE << L_ARM)


@given(directions(), st.floats(0.0, 1.0))
def test_clavicle_rests_when_the_arm_reaches(direction, part):  # to the bit
    target = np.array((0.15, 0.0, 0.0)) + part * (0.53 - 1e-9) * np.array(direction)
    arm = Limb(BODY).solve(target)
    assert tuple(arm.turn(0)) == IDENTITY
    assert not arm.flags & (CLAVICLE << L_ARM)


@given(directions(), st.floats(0.0, 3.0))
def test_clavicle_helps_and_never_hurts(direction, distance):
    target = distance * np.array(direction)
    free, fixed = (
        Limb(BODY),
        Limb(BODY.with_limits({limb_row(BODY, 0, 0): FixedLimit()})),
    )
    helped, alone = free.solve(target).miss, fixed.solve(target).miss
    assert helped <= alone + 1e-9
    if distance > 0.15 + 0.53:  # out of reach: everything points at the target
        assert helped == pytest.approx(distance - 0.68, abs=1e-6)
    elif distance > 0.53 - 0.15:
        assert helped < 1e-6


def test_clavicle_stays_within_its_limit():  # Algorithm 4 line 10
    limit = SwingTwistLimit.degrees(X, Y, Z, {-180: 10, -90: 10, 0: 10, 90: 10, 180: 10}, (-5, 5))
    body = BODY.with_limits({limb_row(BODY, L_ARM, 0): limit})
    arm = Limb(body).solve(TARGET)
    assert max(arm.violations()) == 0.0
    assert 2.0 * math.acos(arm.turn(0)[0]) == pytest.approx(math.radians(10.0), abs=1e-6)
    assert arm.miss > 0.01


def test_a_held_clavicle_stays_raised():  # the paper's words
    arm = Limb(BODY, clavicle="hold", clavicle_relax=0.0).solve(TARGET)
    raised = arm.turn(0)
    for _ in range(5):
        arm.solve((0.15, -0.4, 0.1))
        assert arm.turn(0) == pytest.approx(raised, abs=1e-12)
        assert arm.miss < 1e-9


def test_a_held_clavicle_relaxes():  # with a rate
    arm = Limb(BODY, clavicle="hold", clavicle_relax=0.1).solve(TARGET)
    turns = [arm.turn(0), *(arm.solve((0.15, -0.4, 0.1)).turn(0) for _ in range(5))]
    lift = [2.0 * math.acos(turn[0]) for turn in turns]
    assert [b / a for a, b in pairwise(lift)] == pytest.approx([0.9] * 5, abs=1e-9)


def test_a_resting_clavicle_remembers_nothing():  # default
    arm = Limb(BODY).solve(TARGET).solve((0.15, -0.4, 0.1))
    assert tuple(arm.turn(0)) == IDENTITY
