"""Angles on the circle: wrapped, and clamped to a range that may cross the seam."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import assert_same_angle
from sixpoint.kernels.rotation import angle_wrap, circular_clamp
from strategies import angles, spans


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
    assert math.degrees(circular_clamp(*np.radians((x, 150, 200)))) == pytest.approx(
        expected, abs=1e-12
    )


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
