"""XYZ and ZYZ angles of rotations, at their locks too."""

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
)
from sixpoint.kernels import arrays
from sixpoint.kernels.arrays import ZYZ_LOCK
from sixpoint.kernels.quaternion import quat_rotate
from sixpoint.kernels.rotation import (
    XYZ_LOCK,
    quat_from_euler_xyz,
    quat_from_zyz,
    quat_to_euler_xyz,
)
from strategies import X, angles, gaps, rotations


def quat_to_zyz(q):
    return tuple(arrays.to_zyz(np.array(q)).tolist())


@given(angles(), angles(), angles())
def test_from_angles_agrees_with_scipy(a, b, c):
    for function, order in ((quat_from_euler_xyz, "XYZ"), (quat_from_zyz, "ZYZ")):
        expected = Rotation.from_euler(order, [a, b, c])
        assert_same_rotation(function(a, b, c), quaternions(expected), 1e-14)


@given(rotations())
def test_xyz_recomposes_for_both_signs(q):
    a, b, c = quat_to_euler_xyz(q)
    assert_same_rotation(quat_from_euler_xyz(a, b, c), q, 1e-9)  # locked from 1e-9
    assert_same_angle(quat_to_euler_xyz(negative(q)), (a, b, c), 1e-14)
    assert -math.pi < a <= math.pi
    assert -math.pi < c <= math.pi
    assert abs(b) <= 0.5 * math.pi + 1e-15


@given(rotations())
def test_xyz_agrees_with_scipy(q):
    expected = euler_angles(scipy_rotation(q), "XYZ")
    assume(abs(expected[1]) < 0.5 * math.pi - 1e-3)
    assert_same_angle(quat_to_euler_xyz(q), expected, 1e-12)


@given(angles(), gaps(), st.sampled_from([1.0, -1.0]), angles())
def test_xyz_near_the_lock_recomposes_to_rounding(a, gap, side, c):
    q = quat_from_euler_xyz(a, side * (0.5 * math.pi - gap), c)
    back = quat_to_euler_xyz(q)
    if gap > 2.0 * XYZ_LOCK:
        assert_same_rotation(quat_from_euler_xyz(*back), q, 1e-15)
    if gap < 0.5 * XYZ_LOCK:
        assert back[2] == 0.0
        assert_same_rotation(quat_from_euler_xyz(*back), q, 1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_xyz_in_the_lock_follows_the_rule(side):
    # The third angle is zero and the first atan2(R21, R11).
    q = quat_from_euler_xyz(0.3, side * 0.5 * math.pi, 0.8)
    r = scipy_rotation(q).as_matrix()
    a, b, c = quat_to_euler_xyz(q)
    assert (b, c) == (pytest.approx(side * 0.5 * math.pi, abs=1e-15), 0.0)
    assert a == pytest.approx(math.atan2(r[2, 1], r[1, 1]), abs=1e-15)
    np.testing.assert_allclose((a, b, c), euler_angles(scipy_rotation(q), "XYZ"), atol=1e-15)


@given(rotations())
def test_zyz_recomposes_for_both_signs(q):
    phi, psi, theta = quat_to_zyz(q)
    locked = psi in (0.0, math.pi)
    assert_same_rotation(quat_from_zyz(phi, psi, theta), q, ZYZ_LOCK if locked else 1e-15)
    assert_same_angle(quat_to_zyz(negative(q)), (phi, psi, theta), 1e-14)
    assert -math.pi < phi <= math.pi
    assert -math.pi < theta <= math.pi
    assert 0.0 <= psi <= math.pi


@given(rotations())
def test_zyz_agrees_with_scipy(q):
    expected = euler_angles(scipy_rotation(q), "ZYZ")
    assume(1e-3 < expected[1] < math.pi - 1e-3)
    assert_same_angle(quat_to_zyz(q), expected, 1e-12)


@given(angles(), gaps(), st.booleans(), angles())
def test_zyz_near_both_locks_recomposes_to_rounding(phi, gap, top, theta):
    q = quat_from_zyz(phi, math.pi - gap if top else gap, theta)
    back = quat_to_zyz(q)
    if gap > 2.0 * ZYZ_LOCK:
        assert_same_rotation(quat_from_zyz(*back), q, 1e-15)
    if gap < 0.5 * ZYZ_LOCK:
        assert back[1:] == (math.pi if top else 0.0, 0.0)
        assert_same_rotation(quat_from_zyz(*back), q, gap + 1e-15)


@pytest.mark.parametrize(
    ("given_angles", "quaternion", "found"),
    [
        ((30, 50, -100), (0.742404, -0.383022, 0.178606, -0.519837), (30, 50, -100)),
        ((20, 0, 35), None, (55, 0, 0)),
        ((20, 180, 35), (0.0, 0.130526, 0.991445, 0.0), (-15, 180, 0)),
    ],
)
def test_zyz_golden_numbers(given_angles, quaternion, found):
    q = quat_from_zyz(*np.radians(given_angles))
    if quaternion is not None:
        assert q == pytest.approx(quaternion, abs=1e-6)
    assert np.degrees(quat_to_zyz(q)) == pytest.approx(found, abs=1e-12)
    assert_same_rotation(quat_from_zyz(*quat_to_zyz(q)), q, 1e-15)


def test_zyz_second_lock_in_vector_form():
    q = quat_from_zyz(*np.radians((20, 180, 35)))
    x, y, _ = quat_rotate(q, X)
    assert quat_to_zyz(q)[0] == pytest.approx(math.atan2(-y, -x), abs=1e-15)
