"""The mean of rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import assert_same_rotation, quaternions, scipy_rotation
from sixpoint.kernels.quaternion import quat_canonical, quat_from_axis_angle
from sixpoint.kernels.rotation import rotation_mean
from strategies import X, Y, directions, rotation_arrays, rotations

IDENTITY = (1.0, 0.0, 0.0, 0.0)


def weights_for(count):
    return st.lists(st.floats(0.0, 10.0), min_size=count, max_size=count).map(np.array)


@given(rotation_arrays(5), weights_for(5))
def test_mean_is_the_best_fit(quats, weights):
    q = np.array(rotation_mean(quats, weights))
    scatter = (weights[:, None] * quats).T @ quats
    assert q @ q == pytest.approx(1.0, abs=1e-14)
    largest = np.linalg.eigvalsh(scatter)[-1]
    assert q @ scatter @ q == pytest.approx(largest, abs=1e-13 * max(1.0, weights.sum()))


@given(rotation_arrays(5), weights_for(5))
def test_mean_agrees_with_scipy(quats, weights):
    low, high = np.linalg.eigvalsh((weights[:, None] * quats).T @ quats)[-2:]
    assume(high - low > 1e-3)  # else the mean is not unique
    expected = quaternions(scipy_rotation(quats).mean(weights))
    assert_same_rotation(rotation_mean(quats, weights), expected, 1e-11)


@given(rotation_arrays(4), st.lists(st.sampled_from([1.0, -1.0]), min_size=4, max_size=4))
def test_mean_ignores_signs_to_the_bit(quats, signs):
    weights = np.ones(4)
    flipped = np.array(signs)[:, None] * quats
    mean = rotation_mean(quats, weights)
    assert rotation_mean(flipped, weights) == mean
    assert quat_canonical(mean) == mean


@given(rotations(), st.integers(1, 4))
def test_mean_of_equal_rotations_is_that_rotation(q, count):
    mean = rotation_mean(np.tile(q, (count, 1)), np.full(count, 0.25))
    assert_same_rotation(mean, q, 1e-14)


@given(directions(), st.sampled_from([1e-7, 1e-3, 1.0, 3.0]))
def test_mean_of_two_turns_about_one_axis_is_half_way(axis, angle):
    quats = np.array([IDENTITY, quat_from_axis_angle(axis, angle)])
    half = quat_from_axis_angle(axis, 0.5 * angle)
    assert_same_rotation(rotation_mean(quats, np.ones(2)), half, 1e-14)


def test_mean_of_half_a_turn_apart_is_one_of_the_best():
    quats = np.array([IDENTITY, (0.0, *X)])
    w, x, y, z = rotation_mean(quats, np.ones(2))
    assert w * w + x * x == pytest.approx(1.0)
    assert (y, z) == (0.0, 0.0)


def test_mean_without_weight_or_rotations_is_the_identity():
    assert rotation_mean(np.array([(0.0, *X)]), np.zeros(1)) == IDENTITY
    assert rotation_mean(np.zeros((0, 4)), np.zeros(0)) == IDENTITY


def test_a_rotation_without_weight_does_not_count():
    quats = np.array([(0.0, *X), (0.0, *Y)])
    assert rotation_mean(quats, np.array([0.0, 2.0])) == pytest.approx((0.0, *Y))
