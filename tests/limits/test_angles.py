from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.limits.base import settled, to_degrees


@given(st.floats(-10.0, 10.0))
def test_settled_angles_survive_degrees_and_hardly_move(angle):
    kept = settled(angle)
    assert abs(kept - angle) <= math.ulp(angle) + math.ulp(0.0)
    assert math.radians(to_degrees(kept)) == kept
    assert settled(kept) == kept


@pytest.mark.parametrize("degrees", [0.0, 145.0, -180.0, 12.5, 6.666667, 0.1])
def test_degrees_that_people_write_come_back_as_written(degrees):
    assert to_degrees(math.radians(degrees)) == degrees


def test_minus_zero_is_zero():
    assert str(to_degrees(-0.0)) == "0.0"
