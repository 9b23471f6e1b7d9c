from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.motion.points import Points
from sixpoint.subjects.outliers import find_exchange, find_outliers, longest_gaps, without

from .people import CLIPS, motion, trembling, turning


@pytest.mark.parametrize("name", CLIPS)
def test_people_make_no_outliers(name):
    points = trembling(motion(name, 400).points(), 0.003)
    wrong = find_outliers(points)
    assert not wrong.any()
    assert without(points, wrong) is points


@given(
    start=st.integers(5, 150),
    length=st.integers(1, 8),
    point=st.integers(0, 5),
    away=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.6),
)
def test_a_jump_there_and_back_is_found(start, length, point, away):
    points = motion("reach").points()
    positions = points.positions.copy()
    positions[start : start + length, point] += away
    wrong = find_outliers(replace(points, positions=positions))
    expected = np.zeros_like(wrong)
    expected[start : start + length, point] = True
    np.testing.assert_array_equal(wrong, expected)


def test_a_room_that_was_moved_is_kept():
    points = motion("reach", 300).points()
    positions = points.positions.copy()
    positions[150:] += (3.0, 0.0, 0.0)
    assert not find_outliers(replace(points, positions=positions)).any()


def test_where_a_point_was_not_seen_it_may_have_moved():
    points = motion("reach", 120).points()
    positions = points.positions.copy()
    positions[40:80, 2] = np.nan
    positions[80:, 2] += (0.6, 0.0, 0.0)
    assert not find_outliers(replace(points, positions=positions)).any()


def test_what_is_taken_out_was_not_seen():
    points = turning(motion("walk", 20).points())
    points = replace(points, confidence=np.ones((20, 6)))
    wrong = np.zeros((20, 6), bool)
    wrong[3, 2] = True
    left = without(points, wrong)
    assert left.seen.sum() == 119
    assert np.isnan(left.rotations[3, 2]).all()
    assert left.confidence[3, 2] == 0.0


def test_two_points_that_change_places_are_named():
    points = motion("reach").points()
    positions = points.positions.copy()
    positions[100:, [0, 5]] = positions[100:, [5, 0]]
    assert find_exchange(replace(points, positions=positions)) == ("pelvis", "r_ankle", 100)
    assert find_exchange(points) is None
    assert find_exchange(points.frames([0])) is None


def test_longest_gaps():
    positions = np.ones((10, 3, 3))
    positions[2:5, 0] = np.nan
    positions[8:, 0] = np.nan
    positions[:, 1] = np.nan
    points = Points(("a", "b", "c"), positions, 10.0)
    assert longest_gaps(points) == pytest.approx({"a": 0.3, "b": 1.0, "c": 0.0})
