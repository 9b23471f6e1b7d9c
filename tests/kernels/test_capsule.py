from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels.capsule import part_box_gap, segment_box_gap, segment_gap, way_apart

places = st.tuples(*[st.floats(-2.0, 2.0)] * 3).map(np.array)


def brute(a, b, c, d, n=61):
    t = np.linspace(0.0, 1.0, n)[:, None]
    one, two = a + t * (b - a), c + t * (d - c)
    return float(np.linalg.norm(one[:, None] - two[None], axis=-1).min())


@given(places, places, places, places)
def test_the_nearest_points_are_the_nearest(a, b, c, d):
    first, second, gap = segment_gap(a, b, c, d)
    assert gap <= brute(a, b, c, d) + 1e-6  # lines shorter than a micrometre are points
    assert gap >= brute(a, b, c, d) - 0.1
    assert np.linalg.norm(first - second) == pytest.approx(float(gap), abs=1e-12)
    assert segment_gap(c, d, a, b)[2] == pytest.approx(float(gap), abs=1e-7)


@pytest.mark.parametrize(
    ("ends", "gap"),
    [
        (((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 1.0),  # parallel
        (((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)), 1.0),  # on one line
        (((0, 0, 0), (0, 0, 0), (3, 4, 0), (3, 4, 0)), 5.0),  # points
        (((0, 0, 0), (0, 0, 0), (-1, 1, 0), (1, 1, 0)), 1.0),  # point and line
        (((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)), 0.0),  # crossing
        (((0, 0, 0), (1, 0, 0), (0.5, 0, 0), (0.7, 0, 0)), 0.0),  # one in the other
    ],
)
def test_singular_lines(ends, gap):
    assert segment_gap(*(np.array(end, float) for end in ends))[2] == pytest.approx(gap, abs=1e-9)


@given(places, places)
def test_lines_and_boxes(a, b):
    half = (0.4, 0.7, 0.2)
    gap, part = segment_box_gap(tuple(a), tuple(b), half)
    way = tuple(b - a)
    dense = min(part_box_gap(tuple(a), way, t, half) for t in np.linspace(0.0, 1.0, 201))
    assert gap <= dense + 1e-6
    assert gap >= dense - 0.02
    assert 0.0 <= part <= 1.0


def test_depth_inside_a_box_is_that_to_the_nearest_wall():
    places = ((0.0, 0.0, 0.0), (0.9, 0.0, 0.0), (2.0, 2.0, 3.0))
    found = [part_box_gap(place, (0.0, 0.0, 0.0), 0.0, (1.0, 2.0, 3.0)) for place in places]
    np.testing.assert_allclose(found, [-1.0, -0.1, 1.0])


def test_lines_part_between_their_nearest_points_or_across_both():
    x, y, z = np.eye(3)
    assert way_apart(tuple(2.0 * y), (0.0, 0.0, 0.0), tuple(x), tuple(z)) == (0.0, 1.0, 0.0)
    for other in (z, x, 0.0 * x):  # crossed, in each other, a point
        way = np.array(way_apart((0.0,) * 3, (0.0,) * 3, tuple(3.0 * x), tuple(other)))
        assert np.linalg.norm(way) == pytest.approx(1.0)
        assert way @ x == pytest.approx(0.0, abs=1e-12)
        assert way @ other == pytest.approx(0.0, abs=1e-12)
