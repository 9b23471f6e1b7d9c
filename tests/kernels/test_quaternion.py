from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Slerp

from oracles import (
    assert_same_angle,
    assert_same_rotation,
    negative,
    quat_to_columns,
    quaternions,
    scipy_rotation,
)
from sixpoint.kernels.quaternion import (
    quat_angle,
    quat_canonical,
    quat_conj,
    quat_dot,
    quat_from_axis_angle,
    quat_from_columns,
    quat_from_rotvec,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_to_rotvec,
    quat_twist_angle,
    quat_unrotate,
)
from sixpoint.kernels.vector import vec_length, vec_scale, vec_sub
from strategies import AXES, X, Y, angles, directions, rotation_vectors, rotations, triples, vectors

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@given(rotations(), rotations())
def test_product_turns_by_b_then_a(a, b):
    assert_same_rotation(quat_mul(a, b), quaternions(scipy_rotation(a) * scipy_rotation(b)), 1e-15)


@given(rotations(), vectors())
def test_rotate_agrees_with_scipy(q, v):
    expected = scipy_rotation(q).apply(v)
    np.testing.assert_allclose(quat_rotate(q, v), expected, atol=1e-14 + 1e-15 * vec_length(v))
    assert quat_rotate(q, v) == quat_rotate(negative(q), v)


@given(rotations(), vectors())
def test_unrotate_undoes_rotate(q, v):
    back = quat_unrotate(q, quat_rotate(q, v))
    assert vec_length(vec_sub(back, v)) <= 1e-14 * max(vec_length(v), 1e-300)


@given(rotations())
def test_conjugate_is_the_inverse(q):
    assert quat_mul(q, quat_conj(q)) == pytest.approx(IDENTITY, abs=1e-15)


@given(st.tuples(*[st.floats(-1e3, 1e3)] * 4))
def test_normalize_gives_unit_length_for_anything(q):
    assert quat_dot(quat_normalize(q), quat_normalize(q)) == pytest.approx(1.0, abs=1e-14)


def test_normalize_gives_the_identity_for_zero():
    assert quat_normalize((0.0, 0.0, 0.0, 0.0)) == IDENTITY


@given(rotations())
def test_canonical_chooses_one_of_the_two_signs(q):
    c = quat_canonical(q)
    assert c in (q, negative(q))
    assert c == quat_canonical(negative(q))
    assert next(part for part in c if part != 0.0) > 0.0


def test_canonical_at_half_a_turn_looks_at_the_next_component():
    assert quat_canonical((0.0, -1.0, 0.0, 0.0)) == (0.0, 1.0, 0.0, 0.0)
    assert quat_canonical((-0.0, 0.0, 0.0, -1.0)) == (0.0, 0.0, 0.0, 1.0)
    assert quat_canonical((0.0, 0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0, 0.0)


@given(directions(), angles())
def test_axis_angle_agrees_with_scipy(axis, angle):
    expected = scipy_rotation(IDENTITY).from_rotvec(np.multiply(axis, angle))
    assert_same_rotation(quat_from_axis_angle(axis, angle), quaternions(expected), 1e-14)


@given(rotation_vectors())
def test_rotation_vector_agrees_with_scipy(v):
    expected = scipy_rotation(IDENTITY).from_rotvec(v)
    assert_same_rotation(quat_from_rotvec(v), quaternions(expected), 1e-15)


@given(rotation_vectors())
def test_rotation_vector_survives_the_round_trip(v):
    assume(vec_length(v) < math.pi - 1e-9)  # at half a turn v and -v are the same
    back = quat_to_rotvec(quat_from_rotvec(v))
    assert vec_length(vec_sub(back, v)) <= 4e-15 * max(1e-7, vec_length(v))


@given(rotations())
def test_rotation_vector_is_the_shorter_way_for_both_signs(q):
    v = quat_to_rotvec(q)
    assert vec_length(v) <= math.pi + 1e-15
    assert v == quat_to_rotvec(negative(q))
    assert_same_rotation(quat_from_rotvec(v), q, 1e-15)
    assert vec_length(v) == pytest.approx(scipy_rotation(q).magnitude(), abs=1e-14)


@pytest.mark.parametrize("axis", AXES)
def test_rotation_vector_of_exactly_half_a_turn(axis):
    v = quat_to_rotvec((0.0, *axis))
    assert vec_length(v) == math.pi
    assert max(v) == math.pi  # canonical sign


@given(rotations(), rotations())
def test_angle_agrees_with_scipy_and_ignores_signs(a, b):
    expected = (scipy_rotation(a).inv() * scipy_rotation(b)).magnitude()
    assert quat_angle(a, b) == pytest.approx(expected, abs=1e-14)
    assert quat_angle(a, b) == quat_angle(negative(a), b) == quat_angle(a, negative(b))
    assert quat_angle(a, negative(a)) == pytest.approx(0.0, abs=1e-15)


@given(rotations())
def test_columns_are_scipys_matrix_and_lead_back(q):
    columns = quat_to_columns(q)
    np.testing.assert_allclose(np.transpose(columns), scipy_rotation(q).as_matrix(), atol=1e-15)
    assert_same_rotation(quat_from_columns(columns), q, 1e-15)


@given(rotations(), rotations(), st.floats(0.0, 1.0))
def test_slerp_agrees_with_scipy(a, b, t):
    assume(quat_angle(a, b) < math.pi - 1e-6)  # both ways are equally short at half a turn
    keys = scipy_rotation([a, b])
    assert_same_rotation(quat_slerp(a, b, t), quaternions(Slerp([0, 1], keys)(t)), 1e-14)


@given(rotations(), rotations(), st.floats(0.0, 1.0))
def test_slerp_moves_at_constant_speed_and_ignores_signs(a, b, t):
    q = quat_slerp(a, b, t)
    assert quat_angle(a, q) == pytest.approx(t * quat_angle(a, b), abs=1e-14)
    assert_same_rotation(quat_slerp(a, negative(b), t), q, 1e-15)
    assert_same_rotation(quat_slerp(a, b, 0.0), a, 1e-15)
    assert_same_rotation(quat_slerp(a, b, 1.0), b, 1e-15)


@given(directions(), angles())
def test_twist_about_its_own_axis_is_the_angle(axis, angle):
    assert_same_angle(quat_twist_angle(quat_from_axis_angle(axis, angle), axis), angle, 1e-13)


@given(rotations(), directions())
def test_twist_lies_in_half_open_range_for_both_signs(q, axis):
    angle = quat_twist_angle(q, axis)
    assert -math.pi < angle <= math.pi
    assert angle == quat_twist_angle(negative(q), axis)


@given(directions(), triples(1e-7))
def test_twist_near_the_identity_is_the_component_along_the_axis(axis, v):
    along = sum(a * b for a, b in zip(axis, v, strict=True))
    assert quat_twist_angle(quat_from_rotvec(v), axis) == pytest.approx(along, abs=1e-20, rel=1e-6)


def test_twist_of_a_bone_turned_backwards_is_zero():
    assert quat_twist_angle((0.0, *X), Y) == 0.0
    assert quat_twist_angle(negative((0.0, *X)), Y) == 0.0


def test_twist_of_exactly_half_a_turn_is_plus_pi():
    assert quat_twist_angle((0.0, *Y), Y) == math.pi
    assert quat_twist_angle((0.0, *vec_scale(Y, -1.0)), Y) == math.pi


@pytest.mark.parametrize("degrees", [30.0, 90.0, -50.0])
def test_twist_keeps_the_sense_of_a_hinge(degrees):
    # With the norm of the vector part in place of its component, -50 would come out as 50.
    q = quat_from_axis_angle(Y, math.radians(degrees))
    assert math.degrees(quat_twist_angle(q, Y)) == pytest.approx(degrees, abs=1e-12)
    assert math.degrees(quat_twist_angle(negative(q), Y)) == pytest.approx(degrees, abs=1e-12)


def test_rows_are_loaded_as_floats_and_stored_in_place():
    rows = np.arange(8.0).reshape(2, 4)
    assert quat_load(rows, 1) == (4.0, 5.0, 6.0, 7.0)
    assert all(type(c) is float for c in quat_load(rows, 1))
    quat_store(rows, 0, (1.0, 2.0, 3.0, 9.0))
    np.testing.assert_array_equal(rows, [[1, 2, 3, 9], [4, 5, 6, 7]])
