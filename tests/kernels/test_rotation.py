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
    quaternions,
    scipy_rotation,
)
from sixpoint.kernels.quaternion import (
    quat_angle,
    quat_canonical,
    quat_from_axis_angle,
    quat_mul,
    quat_rotate,
)
from sixpoint.kernels.rotation import (
    XYZ_LOCK,
    ZYZ_LOCK,
    angle_wrap,
    circular_clamp,
    quat_from_euler_xyz,
    quat_from_zyz,
    quat_to_euler_xyz,
    quat_to_zyz,
    rotation_between,
    rotation_mean,
    swing_from_polar,
    swing_polar,
    swing_twist_split,
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
    rotation_arrays,
    rotations,
    spans,
    triples,
    vectors,
)

DOWN = (0.0, -1.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0)


def negative(q):
    return (-q[0], -q[1], -q[2], -q[3])


def degrees(*values):
    return tuple(math.degrees(v) for v in values)


def radians(*values):
    return tuple(math.radians(v) for v in values)


# Angles


@given(angles())
def test_wrap_gives_the_same_angle_in_half_open_range(a):
    w = angle_wrap(a)
    assert -math.pi < w <= math.pi
    assert_same_angle(w, a, 1e-14)
    assert angle_wrap(w) == w


@pytest.mark.parametrize(
    ("angle", "expected"),
    [
        (math.pi, math.pi),
        (-math.pi, math.pi),
        (3.0 * math.pi, math.pi),
        (2.0 * math.pi, 0.0),
        (-2.0 * math.pi, 0.0),
        (-1e-300, -1e-300),
        (0.0, 0.0),
    ],
)
def test_wrap_at_its_seam(angle, expected):
    assert angle_wrap(angle) == expected


def test_wrap_just_beyond_the_seam_stays_in_range():
    assert -math.pi < angle_wrap(math.nextafter(math.pi, 4.0)) < 0.0
    assert 0.0 < angle_wrap(math.nextafter(-math.pi, -4.0)) <= math.pi


def test_wrap_hands_nan_on():
    assert math.isnan(angle_wrap(math.nan))


@pytest.mark.parametrize(("x", "expected"), [(-170, 190), (-100, 200), (100, 150), (20, 150)])
def test_clamp_across_the_seam(x, expected):
    # G1
    assert math.degrees(circular_clamp(*radians(x, 150, 200))) == pytest.approx(expected, abs=1e-12)


@st.composite
def intervals(draw):
    lo = draw(angles())
    width = draw(st.one_of(st.floats(0.0, 2.0 * math.pi), st.sampled_from([0.0, 2.0 * math.pi])))
    return lo, lo + width


def circular_distance(a, b):
    return abs(angle_wrap(a - b))


@given(angles(), intervals())
def test_clamp_lands_inside_and_stays_there(x, interval):
    lo, hi = interval
    y = circular_clamp(x, lo, hi)
    assert lo <= y <= hi
    assert circular_clamp(y, lo, hi) == y


@given(spans(3.0))
def test_clamp_keeps_what_is_inside_to_the_bit(x):
    assert circular_clamp(x, -3.0, 3.0) == x


@given(angles(), intervals())
def test_clamp_takes_the_nearest_angle(x, interval):
    lo, hi = interval
    moved = circular_distance(circular_clamp(x, lo, hi), x)
    samples = np.linspace(lo, hi, 37)
    assert moved <= min(circular_distance(s, x) for s in samples) + 1e-13


@given(angles(), intervals(), st.integers(-3, 3))
def test_clamp_ignores_whole_turns(x, interval, turns):
    lo, hi = interval
    a, b = circular_clamp(x, lo, hi), circular_clamp(x + 2.0 * math.pi * turns, lo, hi)
    # At the middle of the forbidden arc rounding decides between the ends: both are as near.
    assert circular_distance(a, x) == pytest.approx(circular_distance(b, x), abs=1e-13)


def test_clamp_to_a_point_and_to_the_full_circle():
    assert circular_clamp(2.0, 0.5, 0.5) == 0.5
    assert circular_clamp(-2.0, 0.5, 0.5) == 0.5
    assert_same_angle(circular_clamp(-20.0, 0.5, 0.5 + 2.0 * math.pi), -20.0, 1e-14)


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
    assert degrees(*swing_polar(towards, DOWN, Z, X)) == pytest.approx((theta, 90.0))


def test_polar_angles_at_the_poles():
    assert swing_polar(DOWN, DOWN, Z, X) == (0.0, 0.0)
    assert swing_polar(Y, DOWN, Z, X) == (0.0, math.pi)
    assert swing_from_polar(1.0, 0.0, DOWN, Z, X) == IDENTITY


def test_swing_and_twist_of_a_shoulder():
    # G10, first part: Rz(60) Rx(-30) Ry(20) for a bone that hangs down.
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
    assert degrees(theta, psi, tau) == pytest.approx((56.309932, 64.341094, -2.412046), abs=1e-6)
    assert_same_rotation(swing, swing_from_polar(theta, psi, DOWN, Z, X), 1e-15)

    clamped = quat_mul(
        swing_from_polar(theta, math.radians(45), DOWN, Z, X), quat_from_axis_angle(DOWN, tau)
    )
    assert clamped == pytest.approx((0.923675, -0.218929, 0.019445, 0.313873), abs=1e-6)
    assert math.degrees(quat_angle(clamped, q)) == pytest.approx(19.341094, abs=1e-6)


def test_swing_and_twist_composed():
    # G10, second part.
    theta, psi, tau = radians(40, 100, -35)
    q = quat_mul(swing_from_polar(theta, psi, DOWN, Z, X), quat_from_axis_angle(DOWN, tau))
    assert q == pytest.approx((0.613037, -0.707733, 0.193290, 0.293153), abs=1e-6)
    for sign in (q, negative(q)):
        _, twist = swing_twist_split(sign, DOWN)
        polar = swing_polar(quat_rotate(sign, DOWN), DOWN, Z, X)
        assert degrees(*polar, twist) == pytest.approx((40.0, 100.0, -35.0), abs=1e-12)


# Euler angles


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
    # G23
    q = quat_from_zyz(*radians(*given_angles))
    if quaternion is not None:
        assert q == pytest.approx(quaternion, abs=1e-6)
    assert degrees(*quat_to_zyz(q)) == pytest.approx(found, abs=1e-12)
    assert_same_rotation(quat_from_zyz(*quat_to_zyz(q)), q, 1e-15)


def test_zyz_second_lock_in_vector_form():
    q = quat_from_zyz(*radians(20, 180, 35))
    x, y, _ = quat_rotate(q, X)
    assert quat_to_zyz(q)[0] == pytest.approx(math.atan2(-y, -x), abs=1e-15)


# The mean


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
