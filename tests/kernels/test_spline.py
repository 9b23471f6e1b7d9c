"""Splines: the boundary of the SIK paper, and SciPy's opinion on every fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, PchipInterpolator

from sixpoint.kernels._jit import kernel
from sixpoint.kernels.spline import (
    closed_slope,
    fit_clamped,
    fit_pchip,
    fit_periodic,
    spline_eval,
    spline_range,
)

# In degrees, as the numbers were worked out.
THETAS = np.array([-180.0, -90.0, 0.0, 90.0, 180.0])
PSIS = np.array([50.0, 40.0, 170.0, 150.0, 50.0])


@st.composite
def closed_curves(draw, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Knots from -pi to pi, never nearer than 0.05, with values of one turn."""
    steps = np.array(draw(st.lists(st.floats(0.05, 1.0), min_size=least - 1, max_size=12)))
    knots = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum() * 2.0 * math.pi - math.pi
    count = len(steps)
    values = draw(st.lists(st.floats(0.0, math.pi), min_size=count, max_size=count))
    return knots, np.array([*values, values[0]])


def values(knots: np.ndarray, coefficients: np.ndarray, at: np.ndarray) -> np.ndarray:
    return np.array([spline_eval(knots, coefficients, x) for x in at.tolist()])


def test_shoulder_boundary_with_the_papers_end_slopes():
    slope = closed_slope(THETAS, PSIS)
    assert slope == pytest.approx(-0.611111, abs=1e-6)
    c = fit_clamped(THETAS, PSIS, slope)
    np.testing.assert_allclose(c[:, 1], [-0.611111, 0.912698, 0.960317, -1.087302], atol=1e-6)
    end = c[-1, 1] + 90.0 * (2.0 * c[-1, 2] + 3.0 * 90.0 * c[-1, 3])
    assert end == pytest.approx(-0.611111, abs=1e-6)
    np.testing.assert_allclose(
        values(THETAS, c, np.array([-135.0, -45.0, 45.0, 135.0, 170.0])),
        [27.8571, 104.4643, 183.0357, 94.6429, 57.1840],
        atol=5e-5,
    )
    lowest, _ = spline_range(THETAS, c)
    assert lowest == pytest.approx(26.2804, abs=5e-5)
    assert spline_eval(THETAS, c, -122.5) == pytest.approx(lowest, abs=1e-3)
    # The seam is C1 only.
    assert 2.0 * c[0, 2] == pytest.approx(-0.000529, abs=1e-6)
    assert 2.0 * c[-1, 2] + 6.0 * c[-1, 3] * 90.0 == pytest.approx(0.022751, abs=1e-6)


def test_shoulder_boundary_of_a_periodic_spline():
    c = fit_periodic(THETAS, PSIS)
    np.testing.assert_allclose(
        values(THETAS, c, np.array([-135.0, 45.0])), [23.4375, 181.5625], atol=1e-9
    )


@given(closed_curves())
def test_clamped_fit_is_scipys(curve):
    x, y = curve
    slope = closed_slope(x, y)
    ours = fit_clamped(x, y, slope)
    theirs = CubicSpline(x, y, bc_type=((1, slope), (1, slope)))
    at = np.linspace(-math.pi, math.pi, 101)
    np.testing.assert_allclose(values(x, ours, at), theirs(at), atol=1e-9)


@given(closed_curves(least=3))
def test_periodic_fit_is_scipys(curve):
    x, y = curve
    theirs = CubicSpline(x, y, bc_type="periodic")
    at = np.linspace(-math.pi, math.pi, 101)
    np.testing.assert_allclose(values(x, fit_periodic(x, y), at), theirs(at), atol=1e-9)


@given(closed_curves())
def test_pchip_fit_is_scipys_on_the_unrolled_curve(curve):
    x, y = curve
    turns = np.concatenate([x[:-1] - 2.0 * math.pi, x[:-1], x + 2.0 * math.pi])
    theirs = PchipInterpolator(turns, np.concatenate([y[:-1], y[:-1], y]))
    at = np.linspace(-math.pi, math.pi, 101)
    # Values next to nothing: their slopes underflow in SciPy.
    np.testing.assert_allclose(values(x, fit_pchip(x, y), at), theirs(at), atol=1e-9)


@given(closed_curves())
def test_pchip_stays_between_its_points(curve):
    x, y = curve
    low, high = spline_range(x, fit_pchip(x, y))
    assert y.min() - 1e-12 <= low <= high <= y.max() + 1e-12


@given(closed_curves(), st.sampled_from([fit_periodic, fit_pchip]))
def test_slope_is_the_same_on_both_sides_of_the_seam(curve, fit):
    x, y = curve
    c = fit(x, y)
    width = x[-1] - x[-2]
    end = c[-1, 1] + width * (2.0 * c[-1, 2] + 3.0 * width * c[-1, 3])
    assert end == pytest.approx(c[0, 1], abs=1e-8 * (1.0 + abs(c).max()))


@given(closed_curves(), st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi))
def test_range_bounds_every_value_and_is_attained(curve, a, b):
    x, y = curve
    c = fit_periodic(x, y)
    low, high = spline_range(x, c, min(a, b), max(a, b))
    seen = values(x, c, np.linspace(min(a, b), max(a, b), 400))
    scale = 1.0 + np.abs(y).max()
    assert low <= seen.min() + 1e-9 * scale
    assert high >= seen.max() - 1e-9 * scale
    # Between two of 400 samples a cubic moves little.
    steepest = np.abs(np.diff(seen)).max()
    assert low >= seen.min() - steepest - 1e-9
    assert high <= seen.max() + steepest + 1e-9


def test_the_curve_passes_through_its_points_and_goes_on_beyond_them():
    c = fit_clamped(THETAS, PSIS, closed_slope(THETAS, PSIS))
    np.testing.assert_allclose(values(THETAS, c, THETAS), PSIS, atol=1e-12)
    line = fit_clamped([0.0, 1.0], [0.0, 1.0], 1.0)
    assert spline_eval(np.array([0.0, 1.0]), line, 3.0) == pytest.approx(3.0)
    assert spline_eval(np.array([0.0, 1.0]), line, -2.0) == pytest.approx(-2.0)


@kernel
def evaluate(knots, coefficients, at, out):
    for i in range(len(at)):
        out[i] = spline_eval(knots, coefficients, at[i])


def test_compiled_and_plain_agree_to_the_bit():
    c = fit_periodic(THETAS, PSIS)
    at = np.linspace(-180.0, 180.0, 777)
    out = np.empty_like(at)
    evaluate(THETAS, c, at, out)
    assert np.array_equal(out, values(THETAS, c, at))
