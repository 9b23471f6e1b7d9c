from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from oracles import (
    assert_same_angle,
    assert_same_rotation,
    euler_angles,
    quaternions,
    scipy_rotation,
)
from sixpoint.kernels import arrays, quaternion, rotation
from strategies import angles, directions, gaps, rotation_arrays, rotation_vectors, vectors

ORDERS = ["".join(letters) for letters in permutations("XYZ")]
N = 4


def stacks(strategy, count=N):
    return st.lists(strategy, min_size=count, max_size=count).map(np.array)


def each(function, *columns):
    """A kernel applied row by row to what the array version takes at once."""
    rows = zip(*(np.asarray(c).tolist() for c in columns), strict=True)
    return np.array([function(*(tuple(v) if isinstance(v, list) else v for v in r)) for r in rows])


@given(rotation_arrays(N), rotation_arrays(N), stacks(vectors()))
def test_arithmetic_gives_the_bits_of_the_kernels(a, b, v):
    np.testing.assert_array_equal(arrays.multiply(a, b), each(quaternion.quat_mul, a, b))
    np.testing.assert_array_equal(arrays.conjugate(a), each(quaternion.quat_conj, a))
    np.testing.assert_array_equal(arrays.rotate(a, v), each(quaternion.quat_rotate, a, v))
    np.testing.assert_array_equal(arrays.canonical(a), each(quaternion.quat_canonical, a))


@given(rotation_arrays(N), rotation_arrays(N), stacks(st.floats(0.0, 1.0)))
def test_maps_agree_with_the_kernels(a, b, t):
    v = each(quaternion.quat_to_rotvec, a)
    np.testing.assert_allclose(arrays.to_rotvec(a), v, atol=1e-14)
    np.testing.assert_allclose(arrays.from_rotvec(v), each(quaternion.quat_from_rotvec, v))
    np.testing.assert_allclose(
        arrays.angle_between(a, b), each(quaternion.quat_angle, a, b), atol=1e-15
    )
    assert_same_rotation(arrays.slerp(a, b, t), each(quaternion.quat_slerp, a, b, t), 1e-15)


@given(stacks(angles()))
def test_wrap_agrees_with_the_kernel(a):
    np.testing.assert_array_equal(arrays.wrap(a), each(rotation.angle_wrap, a))


@given(rotation_arrays(2, 3), stacks(directions(), 3))
def test_leading_axes_broadcast(q, v):
    turned = arrays.rotate(q, v)
    assert turned.shape == (2, 3, 3)
    np.testing.assert_array_equal(turned[1, 2], arrays.rotate(q[1, 2], v[2]))
    assert arrays.multiply(q, q[0, 0]).shape == (2, 3, 4)
    assert arrays.multiply(q[0, 0], q).shape == (2, 3, 4)


@given(rotation_arrays(N))
def test_matrices_are_scipys(q):
    np.testing.assert_allclose(arrays.to_matrix(q), scipy_rotation(q).as_matrix(), atol=1e-15)


@given(rotation_arrays(N))
def test_rotation_vectors_do_not_depend_on_the_sign(q):
    np.testing.assert_array_equal(arrays.to_rotvec(q), arrays.to_rotvec(-q))
    assert_same_rotation(arrays.from_rotvec(arrays.to_rotvec(q)), q, 1e-15)


@given(stacks(rotation_vectors()))
def test_from_rotation_vectors_agrees_with_scipy(v):
    expected = quaternions(Rotation.from_rotvec(v))
    assert_same_rotation(arrays.from_rotvec(v), expected, 1e-15)


@given(directions(), stacks(angles()))
def test_axis_angle_agrees_with_the_kernel(axis, angle):
    expected = each(quaternion.quat_from_axis_angle, np.tile(axis, (N, 1)), angle)
    np.testing.assert_allclose(arrays.from_axis_angle(axis, angle), expected, atol=1e-15)


def test_axis_angle_broadcasts_either_way():
    assert arrays.from_axis_angle((1, 0, 0), 0.5).shape == (4,)
    assert arrays.from_axis_angle((1, 0, 0), np.zeros((2, 3))).shape == (2, 3, 4)
    assert arrays.from_axis_angle(np.eye(3), 0.5).shape == (3, 4)
    assert arrays.from_axis_angle(np.eye(3), np.zeros((2, 3))).shape == (2, 3, 4)


@pytest.mark.parametrize("order", ORDERS)
@given(stacks(st.tuples(angles(), angles(), angles())))
def test_from_euler_agrees_with_scipy(order, triple):
    expected = quaternions(Rotation.from_euler(order, triple))
    assert_same_rotation(arrays.from_euler(order, triple), expected, 1e-14)


@pytest.mark.parametrize("order", ["", "Y", "ZX", "XYX", "XYZX"])
def test_from_euler_takes_any_sequence_of_axes(order):
    angle = np.linspace(0.3, 0.9, len(order))
    expected = Rotation.identity()
    for letter, a in zip(order, angle, strict=True):
        expected = expected * Rotation.from_euler(letter, a)
    assert_same_rotation(arrays.from_euler(order, angle), quaternions(expected), 1e-15)


@pytest.mark.parametrize("order", ORDERS)
@given(rotation_arrays(N))
def test_to_euler_recomposes_for_both_signs(order, q):
    triple = arrays.to_euler(order, q)
    # Locked from 1e-9.
    assert_same_rotation(quaternions(Rotation.from_euler(order, triple)), q, 1e-9)
    assert_same_angle(arrays.to_euler(order, -q), triple, 1e-14)
    assert np.all((triple[:, ::2] > -math.pi) & (triple[:, ::2] <= math.pi))
    assert np.all(np.abs(triple[:, 1]) <= 0.5 * math.pi + 1e-15)


@pytest.mark.parametrize("order", ORDERS)
@given(rotation_arrays(1))
def test_to_euler_agrees_with_scipy(order, q):
    expected = euler_angles(scipy_rotation(q), order)
    assume(abs(expected[0, 1]) < 0.5 * math.pi - 1e-3)
    assert_same_angle(arrays.to_euler(order, q), expected, 1e-12)


@pytest.mark.parametrize("order", ORDERS)
@given(angles(), gaps(), st.sampled_from([1.0, -1.0]), angles())
def test_to_euler_near_the_lock_recomposes_to_rounding(order, a, gap, side, c):
    q = arrays.from_euler(order, np.array([a, side * (0.5 * math.pi - gap), c]))
    back = arrays.to_euler(order, q)
    if gap > 2.0 * rotation.XYZ_LOCK:
        assert_same_rotation(arrays.from_euler(order, back), q, 2e-15)
    if gap < 0.5 * rotation.XYZ_LOCK:
        assert back[2] == 0.0
        assert_same_rotation(arrays.from_euler(order, back), q, 1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_to_euler_in_the_lock_agrees_with_scipy(order, side):
    q = arrays.from_euler(order, np.array([0.3, side * 0.5 * math.pi, 0.8]))
    expected = euler_angles(scipy_rotation(q), order)
    assert_same_angle(arrays.to_euler(order, q), expected, 1e-14)


@given(rotation_arrays(N))
def test_to_euler_agrees_with_the_kernel(q):
    expected = each(rotation.quat_to_euler_xyz, q)
    assert_same_angle(arrays.to_euler("XYZ", q), expected, 1e-14)


def test_normalize_gives_unit_length_and_the_identity_for_zero():
    q = np.array([[3.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, -1e-200]])
    expected = [[0.6, 0.0, 0.8, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(arrays.normalize(q), expected)
    assert arrays.normalize(q[0]).shape == (4,)


@given(rotation_arrays(6, 2))
def test_neighbours_share_a_hemisphere(q):
    before = q.copy()
    out = arrays.same_hemisphere(q)
    assert_same_rotation(out, q, 0.0)
    assert np.all(np.sum(out[1:] * out[:-1], axis=-1) >= 0.0)
    np.testing.assert_array_equal(out[0], q[0])
    np.testing.assert_array_equal(q, before)


@pytest.mark.parametrize("frames", [0, 1])
def test_neighbours_of_a_short_clip(frames):
    q = arrays.identity(frames, 2)
    np.testing.assert_array_equal(arrays.same_hemisphere(q), q)


def test_identity_has_the_shape_asked_for():
    assert arrays.identity().tolist() == [1.0, 0.0, 0.0, 0.0]
    assert arrays.identity(2, 3).shape == (2, 3, 4)


@given(rotation_arrays(3, 4))
def test_forward_of_constant_bones_broadcasts_over_frames(q):
    parents = np.array([-1, 0, 1, 0])
    bones = np.array([[0.0, 1.0, 0.0], [0.2, 0.0, 0.0], [0.0, -0.3, 0.0], [0.0, 0.0, 0.4]])
    positions, world = arrays.forward(parents, bones, q)
    assert positions.shape == (3, 4, 3)
    for frame in range(3):
        alone = arrays.forward(parents, bones, q[frame])
        np.testing.assert_array_equal(positions[frame], alone[0])
        np.testing.assert_array_equal(world[frame], alone[1])


def sums(a, b):
    """What `best_rotation` reads of two sets of vectors (..., K, 3)."""
    return np.einsum("...ki,...kj->...ij", a, b)


@given(rotation_arrays(N), st.integers(0, 1000))
def test_the_best_rotation_takes_turned_vectors_back(turn, seed):
    a = np.random.default_rng(seed).normal(size=(N, 5, 3))
    found, determined = arrays.best_rotation(sums(a, arrays.rotate(turn[:, None], a)))
    assert determined.all()
    assert arrays.angle_between(found, turn).max() < 1e-6


def test_the_best_rotation_is_that_of_scipy_with_noise_and_with_mirrors():
    rng = np.random.default_rng(0)
    for mirror in (1.0, -1.0):
        a = rng.normal(size=(6, 3))
        b = rng.normal(size=(6, 3)) * 0.3 + a * (mirror, 1.0, 1.0)
        found, _ = arrays.best_rotation(sums(a, b))
        expected = Rotation.align_vectors(b, a)[0].as_quat(scalar_first=True)
        assert arrays.angle_between(found, expected) < 1e-6


@pytest.mark.parametrize("vectors", [np.zeros((4, 3)), np.outer(np.arange(4.0), (0.6, 0.0, 0.8))])
def test_vectors_along_one_line_leave_the_rotation_open(vectors):
    found, determined = arrays.best_rotation(sums(vectors, vectors))
    assert not determined
    assert np.isfinite(found).all()
