"""Limits in kernels: golden numbers, singular rotations first, and the laws of a projection."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import swing_from_polar, swing_polar
from sixpoint.kernels.limits import (
    EULER_BOX,
    FIXED,
    FLEXION,
    FREE_ROW,
    KNOT_BLOCK,
    POLE,
    SWING_TWIST,
    TOLERANCE,
    LimitRow,
    limit_amplitude,
    limit_clamp_angle,
    limit_project,
    limit_project_frames,
    limit_table,
    limit_violation,
    limit_violation_frames,
)
from sixpoint.kernels.quaternion import (
    quat_angle,
    quat_from_axis_angle,
    quat_mul,
    quat_rotate,
    quat_twist_angle,
)
from sixpoint.kernels.rotation import circular_clamp
from sixpoint.kernels.spline import closed_slope, fit_clamped
from sixpoint.kernels.types import Quat
from strategies import bases, gaps, rotations

DOWN, FORWARD, LEFT = (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
QUARTERS = np.radians([-180.0, -90.0, 0.0, 90.0, 180.0])
NO_KNOTS = (np.zeros(0), np.zeros((0, 4)))


def ball(frame, amplitudes, twist) -> LimitRow:
    """Amplitudes at the four quarters from the back round, twist, all in degrees."""
    psi = np.radians([*amplitudes, amplitudes[0]])
    coefficients = fit_clamped(QUARTERS, psi, closed_slope(QUARTERS, psi))
    low, high = np.radians(twist).tolist()
    return LimitRow(SWING_TWIST, np.array(frame), (low, high), QUARTERS, coefficients)


def hinge(low: float, high: float, axis=(1.0, 0.0, 0.0)) -> LimitRow:
    frame = np.array([axis, (0.0,) * 3, (0.0,) * 3])
    return LimitRow(FLEXION, frame, (math.radians(low), math.radians(high)), *NO_KNOTS)


SHOULDER = ball((DOWN, FORWARD, LEFT), (50.0, 30.0, 180.0, 180.0), (-80.0, 95.0))
CONE = ball((DOWN, FORWARD, LEFT), (45.0,) * 4, (-180.0, 180.0))
FIXED_ROW = LimitRow(FIXED, np.array([LEFT, (0.0,) * 3, (0.0,) * 3]), (0.0, 0.0), *NO_KNOTS)


@st.composite
def rows(draw) -> LimitRow:
    """Limits of every kind, the narrow and the boundless ones too."""
    low, high = sorted(draw(st.tuples(st.floats(-180.0, 180.0), st.floats(-180.0, 180.0))))
    low, high = draw(st.sampled_from([(low, high), (low, low), (-180.0, 180.0), (0.0, 0.0)]))
    kind = draw(st.sampled_from(["ball", "hinge", "fixed"]))
    frame = draw(bases())
    if kind == "ball":
        if draw(st.booleans()):
            frame = (frame[0], frame[2], frame[1])  # left-handed, as on one side of the body
        amplitude = st.one_of(st.floats(0.0, 180.0), st.sampled_from([0.0, 1e-3, 90.0, 180.0]))
        return ball(frame, draw(st.tuples(*[amplitude] * 4)), (low, high))
    return hinge(low, high, frame[0]) if kind == "hinge" else FIXED_ROW


@st.composite
def framed_rows(draw) -> LimitRow:
    """Hinges with a reference, and boxes."""
    if draw(st.booleans()):
        return hinge(-20.0, 70.0)._replace(before=draw(rotations()))
    outer, middle = st.floats(-3.0, 3.0), st.floats(0.0, math.pi)
    ends = [sorted(draw(st.tuples(end, end))) for end in (outer, middle, outer)]
    return LimitRow(
        EULER_BOX,
        np.zeros((3, 3)),
        (-math.pi, math.pi),
        *NO_KNOTS,
        draw(rotations()),
        draw(rotations()),
        tuple((low, high) for low, high in ends),
    )


@st.composite
def rotations_at(draw, row: LimitRow) -> Quat:
    """Any rotation, or one at or near the poles of the limit, its boundary and its interval."""
    if draw(st.booleans()):
        return draw(rotations())
    b, e1, e2 = (tuple(v) for v in row.frame.tolist())
    if row.kind != SWING_TWIST:
        e1, e2 = (-b[1], b[0], 0.0), (0.0, -b[2], b[1])
        n1, n2 = math.hypot(*e1), math.hypot(*e2)
        if n1 < 0.1 or n2 < 0.1:
            return draw(rotations())
        e1, e2 = tuple(c / n1 for c in e1), tuple(c / n2 for c in e2)
    theta = draw(st.one_of(st.floats(-math.pi, math.pi), st.sampled_from(QUARTERS.tolist())))
    edge = limit_amplitude(limit_table([row]), 0, theta)
    gap = draw(gaps()) * draw(st.sampled_from([-1.0, 1.0]))
    psi = min(max(draw(st.sampled_from([0.0, math.pi, edge])) + gap, 0.0), math.pi)
    tau = draw(st.one_of(st.floats(-math.pi, math.pi), st.sampled_from(row.interval)))
    tau += draw(gaps()) * draw(st.sampled_from([-1.0, 1.0]))
    return quat_mul(swing_from_polar(theta, psi, b, e1, e2), quat_from_axis_angle(b, tau))


limited_rotations = rows().flatmap(lambda row: st.tuples(st.just(row), rotations_at(row)))


# Golden numbers

TURNED = (0.846279, -0.304604, 0.017816, 0.436703)


def test_clamped_swing_keeps_theta_and_twist():
    table = limit_table([CONE])
    held = limit_project(table, 0, TURNED)
    np.testing.assert_allclose(held, (0.923675, -0.218929, 0.019445, 0.313873), atol=1e-6)
    assert math.degrees(limit_violation(table, 0, TURNED)) == pytest.approx(19.341094, abs=1e-4)
    assert math.degrees(quat_angle(held, TURNED)) == pytest.approx(19.341094, abs=1e-4)
    theta, psi = swing_polar(quat_rotate(held, DOWN), DOWN, FORWARD, LEFT)
    assert math.degrees(theta) == pytest.approx(56.309932, abs=1e-4)
    assert math.degrees(psi) == pytest.approx(45.0, abs=1e-9)
    assert math.degrees(quat_twist_angle(held, DOWN)) == pytest.approx(-2.412046, abs=1e-4)


def test_the_other_golden_rotation_comes_back_from_its_angles():
    q = quat_mul(
        swing_from_polar(math.radians(40.0), math.radians(100.0), DOWN, FORWARD, LEFT),
        quat_from_axis_angle(DOWN, math.radians(-35.0)),
    )
    np.testing.assert_allclose(q, (0.613037, -0.707733, 0.193290, 0.293153), atol=1e-6)
    table = limit_table([CONE])
    assert math.degrees(limit_violation(table, 0, q)) == pytest.approx(55.0, abs=1e-9)
    opposite = (-q[0], -q[1], -q[2], -q[3])
    assert limit_violation(table, 0, opposite) == limit_violation(table, 0, q)


def test_amplitude_is_the_spline_clipped_to_half_a_turn():
    golden = ball((DOWN, FORWARD, LEFT), (50.0, 40.0, 170.0, 150.0), (-80.0, 95.0))
    table = limit_table([golden, hinge(0.0, 90.0), FREE_ROW])
    at = [math.degrees(limit_amplitude(table, 0, math.radians(a))) for a in (-135, 45, 170, 180)]
    np.testing.assert_allclose(at, [27.8571, 180.0, 57.1840, 50.0], atol=5e-5)
    assert limit_amplitude(table, 0, math.radians(45.0)) == math.pi
    assert limit_amplitude(table, 1, 1.0) == 0.0
    assert limit_amplitude(table, 2, 1.0) == math.pi


def test_amplitude_never_falls_below_zero():
    table = limit_table([ball((DOWN, FORWARD, LEFT), (0.0, 0.0, 180.0, 0.0), (0.0, 0.0))])
    assert limit_amplitude(table, 0, math.radians(-135.0)) == 0.0


def test_angles_go_to_the_nearer_end_of_their_interval():
    table = limit_table([hinge(150.0, 200.0), hinge(-145.0, 0.0), FREE_ROW])
    for angle, expected in ((-170.0, 190.0), (-100.0, 200.0), (100.0, 150.0), (20.0, 150.0)):
        held = limit_clamp_angle(table, 0, math.radians(angle))
        assert math.degrees(held) == pytest.approx(expected, abs=1e-9)
    assert limit_clamp_angle(table, 1, -1.0) == -1.0
    assert limit_clamp_angle(table, 1, 0.3) == 0.0
    assert limit_clamp_angle(table, 2, 5.0) == 5.0


# Singular rotations

SINGULAR = {
    "identity": (1.0, 0.0, 0.0, 0.0),
    "backwards, about X": (0.0, 1.0, 0.0, 0.0),
    "backwards, about Z": (0.0, 0.0, 0.0, 1.0),
    "backwards, almost": (1e-17, 0.8, 1e-17, 0.6),
    "half a turn of twist": (0.0, 0.0, 1.0, 0.0),
    "nothing": (0.0, 0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("row", [SHOULDER, CONE, hinge(10.0, 135.0), FIXED_ROW, FREE_ROW])
@pytest.mark.parametrize("q", SINGULAR.values(), ids=SINGULAR.keys())
def test_singular_rotations_land_inside(row, q):
    table = limit_table([row])
    held = limit_project(table, 0, q)
    assert np.isfinite(held).all()
    assert limit_violation(table, 0, held) == 0.0
    assert limit_project(table, 0, held) == held


def test_a_bone_that_points_backwards_returns_about_the_axis_it_turned_about():
    # There theta and twist are undefined; without a twist the axis says where the bone went.
    held = limit_project(limit_table([CONE]), 0, (0.0, 0.6, 0.0, 0.8))
    np.testing.assert_allclose(
        held, quat_from_axis_angle((0.6, 0.0, 0.8), math.radians(45.0)), atol=1e-15
    )


def test_any_twist_is_allowed_where_the_bone_points_backwards_and_may():
    table = limit_table([ball((DOWN, FORWARD, LEFT), (180.0,) * 4, (10.0, 20.0))])
    backwards = (0.0, 0.6, 0.0, 0.8)
    assert limit_project(table, 0, backwards) == backwards


def test_nan_is_handed_on():
    table = limit_table([SHOULDER, hinge(0.0, 90.0)])
    for row in (0, 1):
        assert np.isnan(limit_project(table, row, (math.nan,) * 4)).any()


# Laws


@given(limited_rotations)
def test_projection_lands_inside_and_stays(case):
    row, q = case
    table = limit_table([row])
    held = limit_project(table, 0, q)
    assert limit_violation(table, 0, held) == 0.0
    assert limit_project(table, 0, held) == held
    assert math.hypot(*held) == pytest.approx(1.0, abs=1e-12)


@given(limited_rotations)
def test_inside_is_untouched_and_outside_moves_by_no_more_than_the_violation(case):
    row, q = case
    table = limit_table([row])
    held = limit_project(table, 0, q)
    violation = limit_violation(table, 0, q)
    if violation == 0.0:
        assert held == q
    else:
        assert violation > TOLERANCE
        assert held != q
        assert quat_angle(held, q) <= violation + 1e-9


@given(limited_rotations)
def test_both_signs_are_one_rotation(case):
    row, q = case
    table = limit_table([row])
    flipped = (-q[0], -q[1], -q[2], -q[3])
    assert limit_violation(table, 0, flipped) == limit_violation(table, 0, q)
    assert quat_angle(limit_project(table, 0, flipped), limit_project(table, 0, q)) < 1e-7


@given(limited_rotations)
def test_rebuilding_from_clamped_angles_is_the_same_as_turning_back(case):
    row, q = case
    if row.kind != SWING_TWIST:
        return
    b, e1, e2 = (tuple(v) for v in row.frame.tolist())
    theta, psi = swing_polar(quat_rotate(q, b), b, e1, e2)
    if not 1e-3 < psi < math.pi - 1e-3:
        return  # theta is not worth comparing
    table = limit_table([row])
    # Ends of the interval: within half a turn of rounding either is as near as the other.
    tau = quat_twist_angle(q, b)
    held_tau = circular_clamp(tau, *row.interval)
    far = abs(abs(math.remainder(tau - sum(row.interval) / 2.0, 2.0 * math.pi)) - math.pi)
    if far < 1e-6:
        return
    held_psi = min(psi, limit_amplitude(table, 0, theta))
    rebuilt = quat_mul(
        swing_from_polar(theta, held_psi, b, e1, e2), quat_from_axis_angle(b, held_tau)
    )
    assert quat_angle(rebuilt, limit_project(table, 0, q)) < 1e-8


@given(limited_rotations)
def test_the_violation_is_what_the_angles_say(case):
    row, q = case
    table = limit_table([row])
    b = tuple(row.frame[0].tolist())
    direction = quat_rotate(q, b)
    if row.kind == SWING_TWIST:
        theta, psi = swing_polar(direction, b, *(tuple(v) for v in row.frame[1:].tolist()))
        edge = limit_amplitude(table, 0, theta)
    else:
        psi, edge = swing_polar(direction, b, (0.0,) * 3, (0.0,) * 3)[1], 0.0
    if not 1e-3 < psi < math.pi - 1e-3:
        return
    tau = quat_twist_angle(q, b)
    beyond = abs(math.remainder(tau - circular_clamp(tau, *row.interval), 2.0 * math.pi))
    expected = max(psi - edge, 0.0) + beyond
    assert limit_violation(table, 0, q) == pytest.approx(expected, abs=1e-8)


@settings(max_examples=40)
@given(
    st.lists(
        st.one_of(limited_rotations, st.tuples(framed_rows(), rotations())), min_size=1, max_size=4
    )
)
def test_compiled_and_plain_agree_to_the_bit(cases):
    table = limit_table([row for row, _ in cases] + [FREE_ROW])
    q = np.array([[*(q for _, q in cases), (0.5, 0.5, 0.5, 0.5)]])
    held, violation = np.empty_like(q), np.empty(q.shape[:2])
    limit_project_frames(table, q, held)
    limit_violation_frames(table, q, violation)
    for r in range(len(table)):
        one = tuple(q[0, r].tolist())
        assert tuple(held[0, r]) == limit_project(table, r, one)
        assert violation[0, r] == limit_violation(table, r, one)


def test_the_quick_test_agrees_with_the_full_one_on_a_dense_grid():
    # Rotations 1e-7 within and beyond the boundary, all round, in and out of every sector.
    table = limit_table([SHOULDER])
    for theta in np.linspace(-math.pi, math.pi, 721).tolist():
        edge = limit_amplitude(table, 0, theta)
        if edge > math.pi - 1e-3:
            continue
        for gap, beyond in ((-1e-7, 0.0), (1e-7, 1e-7)):
            q = swing_from_polar(theta, edge + gap, DOWN, FORWARD, LEFT)
            assert limit_violation(table, 0, q) == pytest.approx(beyond, abs=1e-10)


@pytest.mark.parametrize("row", [SHOULDER, hinge(0.0, 135.0), hinge(150.0, 200.0)])
def test_the_quick_test_agrees_with_the_full_one_at_both_ends_of_the_interval(row):
    table = limit_table([row])
    b = tuple(row.frame[0].tolist())
    for end, outwards in zip(row.interval, (-1.0, 1.0), strict=True):
        for gap in (-1e-7, 1e-7):
            q = quat_from_axis_angle(b, end + outwards * gap)
            assert limit_violation(table, 0, q) == pytest.approx(max(gap, 0.0), abs=1e-10)


def test_free_joints_may_do_anything_and_rows_do_not_mix():
    table = limit_table([FREE_ROW, hinge(0.0, 90.0), FREE_ROW])
    q = quat_from_axis_angle((0.0, 1.0, 0.0), math.pi)
    assert limit_project(table, 0, q) == q
    assert limit_violation(table, 2, q) == 0.0
    assert limit_violation(table, 1, q) == pytest.approx(math.pi)


def test_many_knots_fit_into_a_larger_record():
    thetas = np.linspace(-math.pi, math.pi, 37)
    psi = 1.0 + 0.2 * np.cos(3.0 * thetas)
    psi[-1] = psi[0]
    fine = LimitRow(
        SWING_TWIST,
        SHOULDER.frame,
        SHOULDER.interval,
        thetas,
        fit_clamped(thetas, psi, closed_slope(thetas, psi)),
    )
    table = limit_table([fine, SHOULDER])
    for theta in (-math.pi, -1.0, 0.0, 2.0, math.pi):
        assert limit_amplitude(table, 0, theta) == pytest.approx(
            1.0 + 0.2 * math.cos(3.0 * theta), abs=1e-4
        )
    assert limit_amplitude(table, 1, 0.0) == math.pi


def test_an_empty_table_is_a_table():
    assert len(limit_table([])) == 0


def test_poles_are_wider_than_rounding():
    assert 1e-16 / POLE < 0.1 * TOLERANCE


def test_tables_of_other_sizes_do_not_mix():
    """Numba knows record types by their address: a table's must not be reused for another size."""
    knots = np.linspace(-math.pi, math.pi, KNOT_BLOCK + 3)
    psi = np.full(len(knots), 0.5)
    fine = LimitRow(
        SWING_TWIST,
        np.array((DOWN, FORWARD, LEFT)),
        (-0.1, 0.1),
        knots,
        fit_clamped(knots, psi, 0.0),
    )
    q = np.array([[quat_from_axis_angle((0.0, 0.0, 1.0), 1.0)]])
    sizes = set()
    for row in [CONE, fine] * 20:
        table = limit_table([row])
        out = np.empty((1, 1))
        limit_violation_frames(table, q, out)
        edge = limit_amplitude(table, 0, 0.5 * math.pi)
        assert out[0, 0] == pytest.approx(1.0 - edge)
        sizes.add(table.dtype.itemsize)
        del table
    assert len(sizes) == 2
    assert limit_table([CONE]).dtype is limit_table([SHOULDER]).dtype
