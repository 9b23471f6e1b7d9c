from __future__ import annotations

import math

import numpy as np
import pytest

from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import FixedLimit, FlexionLimit, JointLimit

KNEE = FlexionLimit.degrees(0.0, 135.0)


def about(axis, degrees):
    return arrays.from_axis_angle(axis, math.radians(degrees))


@pytest.mark.parametrize(
    ("angle", "held"), [(0.0, 0.0), (90.0, 90.0), (150.0, 135.0), (-5.0, 0.0), (200.0, 135.0)]
)
def test_flexion_is_clamped(angle, held):
    np.testing.assert_allclose(
        KNEE.project(about((1.0, 0.0, 0.0), angle)), about((1.0, 0.0, 0.0), held), atol=1e-12
    )
    assert math.degrees(KNEE.violation(about((1.0, 0.0, 0.0), angle))) == pytest.approx(
        abs(angle - held), abs=1e-9
    )


def test_rotation_off_the_axis_is_dropped_and_counted():
    q = arrays.multiply(about((0.0, 0.0, 1.0), 10.0), about((1.0, 0.0, 0.0), 60.0))
    np.testing.assert_allclose(KNEE.project(q), about((1.0, 0.0, 0.0), 60.0), atol=1e-12)
    assert math.degrees(KNEE.violation(q)) == pytest.approx(10.0)
    both = arrays.multiply(about((0.0, 0.0, 1.0), 10.0), about((1.0, 0.0, 0.0), 140.0))
    assert math.degrees(KNEE.violation(both)) == pytest.approx(15.0)


def test_a_fixed_joint_only_stands():
    fixed = FixedLimit()
    q = about((0.6, 0.0, 0.8), 30.0)
    np.testing.assert_allclose(np.abs(fixed.project(q)), (1.0, 0.0, 0.0, 0.0), atol=1e-12)
    assert fixed.contains((1.0, 0.0, 0.0, 0.0))
    assert fixed.contains((-1.0, 0.0, 0.0, 0.0))
    assert fixed.violation(q) > math.radians(29.0)


def test_fields_are_radians_and_unit_axes():
    limit = FlexionLimit(0.0, 1.0, (0.0, 0.6, 0.8000001))
    assert math.hypot(*limit.axis) == pytest.approx(1.0, abs=1e-15)
    assert FlexionLimit.degrees(0.0, 180.0).high == math.pi


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 0.0), "Expected low <= high <= low \\+ 360 degrees in `low, high`, got 57.29"),
        ((0.0, 7.0), "low \\+ 360 degrees"),
        ((0.0, math.nan), "Expected a finite number in `low, high`, got nan"),
        ((0.0, True), "Expected a finite number in `low, high`, got True"),
        ((0.0, 10**400), "Expected a finite number in `low, high`, got 1000"),
        ((0.0, 1.0, (1.0, 1.0, 0.0)), "Expected a unit vector in `axis`, got .* length 1.41421"),
        ((0.0, 1.0, (1.0, 0.0)), "Expected 3 numbers in `axis`, got 2"),
        ((0.0, 1.0, "X"), "Expected 3 numbers in `axis`, got 'X'"),
    ],
)
def test_nonsense_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        FlexionLimit(*arguments)


def test_dictionaries_are_checked():
    with pytest.raises(InputError, match="Expected a field `low` in a limit of kind 'flexion'"):
        JointLimit.from_dict({"kind": "flexion", "axis": [1.0, 0.0, 0.0]})
    with pytest.raises(UnknownName, match="No field of a limit of kind 'fixed': 'low'"):
        JointLimit.from_dict({"kind": "fixed", "low": 1.0})
    with pytest.raises(InputError, match="Expected a finite number in `high`, got '90'"):
        JointLimit.from_dict({"kind": "flexion", "axis": [1, 0, 0], "low": 0, "high": "90"})
