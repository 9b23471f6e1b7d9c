"""Shortest arcs, swing and twist, polar angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from oracles import (
    assert_same_angle,
    assert_same_rotation,
    euler_angles,
    negative,
    quaternions,
    scipy_rotation,
    swing_from_polar,
    swing_polar,
    swing_twist_split,
)
from sixpoint.kernels.quaternion import quat_angle, quat_from_axis_angle, quat_mul, quat_rotate
from sixpoint.kernels.rotation import (
    rotation_between,
)
from sixpoint.kernels.vector import vec_angle, vec_cross, vec_dot, vec_length, vec_scale, vec_unit
from strategies import (
    AXES,
    X,
    Y,
    Z,
    angles,
    bases,
    directions,
    gaps,
    rotations,
    spans,
    triples,
    vectors,
)

DOWN = (0.0, -1.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)


# The shortest arc


@given(directions(), directions(), directions())
def test_between_takes_a_to_b_by_the_shortest_way(a, b, fallback):
    q = rotation_between(a, b, fallback)
    assert vec_length(q[1:]) ** 2 + q[0] ** 2 == pytest.approx(1.0, abs=1e-14)
    angle = vec_angle(a, b)
    assert quat_angle(IDENTITY, q) == pytest.approx(angle, abs=2e-9)  # opposed counts from 1e-9
    if angle < math.pi - 1e-8:
        np.testing.assert_allclose(quat_rotate(q, a), b, atol=1e-15)
        assert abs(vec_dot(q[1:], a)) <= 1e-15


@given(triples(10.0), triples(10.0))
def test_between_agrees_with_scipy(a, b):
    assume(vec_length(a) > 1e-3 and vec_length(b) > 1e-3 and vec_angle(a, b) < math.pi - 1e-3)
    expected, _ = Rotation.align_vectors([b], [a])
    assert_same_rotation(rotation_between(a, b, X), quaternions(expected), 1e-12)


@given(directions(), spans(10.0), spans(10.0))
def test_between_ignores_lengths(a, s, t):
    assume(min(abs(s), abs(t)) > 1e-6)
    b = vec_unit(vec_cross(a, vec_unit(vec_cross(a, X), Y)), Z)
    scaled = rotation_between(vec_scale(a, abs(s)), vec_scale(b, abs(t)), X)
    assert_same_rotation(scaled, rotation_between(a, b, X), 1e-15)


@given(directions(), directions())
def test_between_equal_directions_is_the_identity(a, fallback):
    np.testing.assert_allclose(rotation_between(a, a, fallback), IDENTITY, atol=1e-15)


@pytest.mark.parametrize("a", AXES)
def test_between_equal_axes_is_exactly_the_identity(a):
    assert rotation_between(a, a, X) == IDENTITY


@given(vectors(), directions())
def test_between_a_direction_and_nothing_is_the_identity(a, fallback):
    assert rotation_between(a, (0.0, 0.0, 0.0), fallback) == IDENTITY
    assert rotation_between((0.0, 0.0, 0.0), a, fallback) == IDENTITY


@given(bases(), st.floats(0.1, 10.0))
def test_between_opposed_directions_turns_about_the_fallback(basis, length):
    a, fallback, _ = basis
    q = rotation_between(a, vec_scale(a, -length), fallback)
    assert q[0] == 0.0
    np.testing.assert_allclose(q[1:], fallback, atol=1e-14)


@given(directions(), directions())
def test_between_opposed_directions_uses_what_is_perpendicular_of_the_fallback(a, fallback):
    assume(1e-3 < vec_angle(a, fallback) < math.pi - 1e-3)
    q = rotation_between(a, vec_scale(a, -1.0), fallback)
    np.testing.assert_allclose(quat_rotate(q, a), vec_scale(a, -1.0), atol=1e-12)
    assert vec_dot(q[1:], fallback) > 0.0


def test_between_opposed_directions_with_a_useless_fallback_is_still_a_unit_quaternion():
    assert rotation_between(Y, DOWN, Y) == (0.0, *Y)


@given(bases(), st.integers(-8, -1))
def test_between_nearly_opposed_directions_stays_exact(basis, exponent):
    a, side, axis = basis
    gap = 10.0**exponent
    b = quat_rotate(quat_from_axis_angle(axis, math.pi - gap), a)
    q = rotation_between(a, b, side)
    np.testing.assert_allclose(quat_rotate(q, a), b, atol=1e-14)
    # The axis is known as well as the two directions are: to rounding over the gap.
    np.testing.assert_allclose(q[1:], axis, atol=gap + 1e-15 / gap)


# Swing and twist


@given(rotations(), directions())
def test_split_recomposes(q, axis):
    swing, angle = swing_twist_split(q, axis)
    assert_same_rotation(quat_mul(swing, quat_from_axis_angle(axis, angle)), q, 1e-15)


@given(rotations(), directions())
def test_split_does_not_depend_on_the_sign(q, axis):
    assert swing_twist_split(q, axis) == swing_twist_split(negative(q), axis)


@given(rotations(), directions())
def test_swing_is_the_shortest_arc_of_the_axis(q, axis):
    swing, _ = swing_twist_split(q, axis)
    moved = quat_rotate(q, axis)
    np.testing.assert_allclose(quat_rotate(swing, axis), moved, atol=1e-14)
    assert quat_angle(IDENTITY, swing) == pytest.approx(vec_angle(axis, moved), abs=1e-14)
    if vec_angle(axis, moved) < math.pi - 1e-3:
        assert_same_rotation(swing, rotation_between(axis, moved, X), 1e-12)


@given(rotations())
def test_twist_about_z_is_the_sum_of_scipys_outer_zyz_angles(q):
    _, angle = swing_twist_split(q, Z)
    phi, psi, theta = euler_angles(scipy_rotation(q), "ZYZ")
    assume(psi < math.pi - 1e-3)
    assert_same_angle(angle, phi + theta, 1e-12)


@pytest.mark.parametrize("q", [(0.0, *X), (0.0, *Z), negative((0.0, *X))])
def test_split_of_a_bone_turned_backwards_has_no_twist(q):
    swing, angle = swing_twist_split(q, DOWN)
    assert angle == 0.0
    assert_same_rotation(swing, q, 0.0)


@given(angles(), gaps(), bases())
def test_polar_angles_lead_to_the_direction_and_back(theta, gap, basis):
    b, e1, e2 = basis
    for psi in (gap, math.pi - gap):
        d = quat_rotate(swing_from_polar(theta, psi, b, e1, e2), b)
        theta_back, psi_back = swing_polar(d, b, e1, e2)
        assert 0.0 <= psi_back <= math.pi
        assert psi_back == pytest.approx(psi, abs=1e-14)
        if gap >= 1e-8:
            assert_same_angle(theta_back, theta, 1e-14 / gap)
        if gap <= 1e-10:
            assert theta_back == 0.0


@given(directions(), bases())
def test_direction_leads_to_polar_angles_and_back(d, basis):
    b, e1, e2 = basis
    theta, psi = swing_polar(d, b, e1, e2)
    swing = swing_from_polar(theta, psi, b, e1, e2)
    np.testing.assert_allclose(quat_rotate(swing, b), d, atol=2e-9)  # poles count from 1e-9
    assert abs(vec_dot(swing[1:], b)) <= 1e-15


@pytest.mark.parametrize(("theta", "towards"), [(0.0, Z), (90.0, X), (-90.0, (-1.0, 0.0, 0.0))])
def test_azimuth_runs_from_e1_to_e2(theta, towards):
    assert np.degrees(swing_polar(towards, DOWN, Z, X)) == pytest.approx((theta, 90.0))


def test_polar_angles_at_the_poles():
    assert swing_polar(DOWN, DOWN, Z, X) == (0.0, 0.0)
    assert swing_polar(Y, DOWN, Z, X) == (0.0, math.pi)
    assert swing_from_polar(1.0, 0.0, DOWN, Z, X) == IDENTITY


def test_swing_and_twist_of_a_shoulder():
    # First part: Rz(60) Rx(-30) Ry(20) for a bone that hangs down.
    q = quat_mul(
        quat_mul(
            quat_from_axis_angle(Z, math.radians(60)), quat_from_axis_angle(X, math.radians(-30))
        ),
        quat_from_axis_angle(Y, math.radians(20)),
    )
    assert q == pytest.approx((0.846279, -0.304604, 0.017816, 0.436703), abs=1e-6)
    bone = quat_rotate(q, DOWN)
    assert bone == pytest.approx((0.75, -0.433013, 0.5), abs=1e-6)
    theta, psi = swing_polar(bone, DOWN, Z, X)
    swing, tau = swing_twist_split(q, DOWN)
    assert np.degrees((theta, psi, tau)) == pytest.approx(
        (56.309932, 64.341094, -2.412046), abs=1e-6
    )
    assert_same_rotation(swing, swing_from_polar(theta, psi, DOWN, Z, X), 1e-15)

    clamped = quat_mul(
        swing_from_polar(theta, math.radians(45), DOWN, Z, X), quat_from_axis_angle(DOWN, tau)
    )
    assert clamped == pytest.approx((0.923675, -0.218929, 0.019445, 0.313873), abs=1e-6)
    assert math.degrees(quat_angle(clamped, q)) == pytest.approx(19.341094, abs=1e-6)


def test_swing_and_twist_composed():
    # Second part.
    theta, psi, tau = np.radians((40, 100, -35))
    q = quat_mul(swing_from_polar(theta, psi, DOWN, Z, X), quat_from_axis_angle(DOWN, tau))
    assert q == pytest.approx((0.613037, -0.707733, 0.193290, 0.293153), abs=1e-6)
    for sign in (q, negative(q)):
        _, twist = swing_twist_split(sign, DOWN)
        polar = swing_polar(quat_rotate(sign, DOWN), DOWN, Z, X)
        assert np.degrees((*polar, twist)) == pytest.approx((40.0, 100.0, -35.0), abs=1e-12)
