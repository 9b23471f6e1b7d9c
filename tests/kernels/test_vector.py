from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from sixpoint.kernels.vector import (
    TINY,
    as3,
    vec_add,
    vec_angle,
    vec_cross,
    vec_distance,
    vec_dot,
    vec_length,
    vec_load,
    vec_reject,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from strategies import X, Y, directions, triples, vectors


@given(vectors(), vectors())
def test_arithmetic_agrees_with_numpy(a, b):
    np.testing.assert_array_equal(vec_add(a, b), np.add(a, b))
    np.testing.assert_array_equal(vec_sub(a, b), np.subtract(a, b))
    np.testing.assert_array_equal(vec_scale(a, b[0]), np.multiply(a, b[0]))
    np.testing.assert_allclose(vec_dot(a, b), np.dot(a, b), atol=1e-13)
    np.testing.assert_allclose(vec_cross(a, b), np.cross(a, b), atol=1e-13)
    np.testing.assert_allclose(vec_length(a), np.linalg.norm(a), rtol=1e-14)
    np.testing.assert_allclose(vec_distance(a, b), np.linalg.norm(np.subtract(a, b)), rtol=1e-14)


@given(vectors())
def test_unit_has_length_one_or_is_the_fallback(a):
    u = vec_unit(a, Y)
    if vec_length(a) < TINY:
        assert u == Y
    else:
        assert vec_length(u) == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(vec_scale(u, vec_length(a)), a, rtol=1e-14)


def test_unit_of_nothing_is_the_fallback():
    assert vec_unit((0.0, 0.0, 0.0), X) == X
    assert vec_unit((0.0, 0.9 * TINY, 0.0), X) == X
    assert vec_unit((0.0, 1.1 * TINY, 0.0), X) == pytest.approx(Y)


@given(vectors(), directions())
def test_rejection_is_perpendicular_and_leaves_a_multiple_of_the_axis(a, axis):
    r = vec_reject(a, axis)
    size = vec_length(a)
    assert abs(vec_dot(r, axis)) <= 1e-14 * size
    assert vec_length(vec_cross(vec_sub(a, r), axis)) <= 1e-14 * size


@given(directions(), triples(1.0))
def test_angle_is_symmetric_and_supplementary(a, b):
    assert vec_angle(a, b) == vec_angle(b, a)
    if vec_length(b) > TINY:
        assert vec_angle(a, b) + vec_angle(a, vec_scale(b, -1.0)) == pytest.approx(math.pi)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1.0, math.pi - 1e-8, math.pi])
def test_angle_keeps_its_digits_where_acos_loses_them(angle):
    assert vec_angle(X, (math.cos(angle), math.sin(angle), 0.0)) == pytest.approx(angle, rel=1e-15)


def test_angle_with_the_zero_vector_is_zero():
    assert vec_angle(X, (0.0, 0.0, 0.0)) == 0.0


def test_rows_are_loaded_as_floats_and_stored_in_place():
    rows = np.arange(6.0).reshape(2, 3)
    assert vec_load(rows, 1) == (3.0, 4.0, 5.0)
    assert all(type(c) is float for c in vec_load(rows, 1))
    assert as3(rows[1]) == (3.0, 4.0, 5.0)
    vec_store(rows, 0, (7.0, 8.0, 9.0))
    np.testing.assert_array_equal(rows, [[7, 8, 9], [3, 4, 5]])
