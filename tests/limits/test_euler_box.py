from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import scipy_rotation
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.kernels.limit_box import LOCK
from sixpoint.limits import EulerBoxLimit, JointLimit
from strategies import rotation_arrays

ARM = EulerBoxLimit.degrees("XYZ", ((-30.0, 60.0), (-45.0, 20.0), (150.0, 200.0)))
BOX = EulerBoxLimit.degrees("ZYZ", ((-30.0, 60.0), (20.0, 120.0), (150.0, 200.0)))


def rotation(order: str, *degrees: float) -> np.ndarray:
    return arrays.from_euler(order, np.radians(degrees))


@pytest.mark.parametrize("limit", [ARM, BOX])
def test_each_angle_is_clamped_round_the_circle(limit):
    """-100 degrees is nearer to 200 than to 150."""
    q = rotation(limit.order, 70.0, 15.0, -100.0)
    lowest = math.degrees(limit.intervals[1][0])
    held = rotation(limit.order, 60.0, max(lowest, 15.0), 200.0)
    assert arrays.angle_between(limit.project(q), held) < 1e-12
    assert math.degrees(limit.violation(q)) == pytest.approx(10.0 + max(lowest - 15.0, 0.0) + 60.0)
    inside = rotation(limit.order, 0.0, max(lowest, 0.0) + 1.0, -170.0)
    assert limit.contains(inside)
    assert np.array_equal(limit.project(inside), inside)


@given(rotation_arrays(5), st.sampled_from(["XYZ", "ZYZ"]))
def test_angles_and_rotations_are_inverse(q, order):
    limit = EulerBoxLimit(order, ((-math.pi, math.pi), (0.0, 0.5 * math.pi), (-math.pi, math.pi)))
    assert (arrays.angle_between(limit.rotation(limit.angles(q)), q) < 3e-6).all()


def test_the_orders_are_those_of_scipy():
    angles = np.array([0.3, 0.4, -2.0])
    for order in ("XYZ", "ZYZ"):
        box = EulerBoxLimit(order, tuple((a, a) for a in angles.tolist()))
        w, x, y, z = box.project((1.0, 0.0, 0.0, 0.0))
        assert np.allclose(scipy_rotation((w, x, y, z)).as_euler(order), angles, atol=1e-12)


@pytest.mark.parametrize(("psi", "sign"), [(0.0, 1.0), (180.0, -1.0)])
def test_in_a_lock_only_what_can_be_seen_counts(psi, sign):
    """With phi in [10, 20] and theta in [30, 50], Rz(40..70) is all that can be made at psi = 0."""
    limit = EulerBoxLimit.degrees("ZYZ", ((10.0, 20.0), (0.0, 180.0), (30.0, 50.0)))
    ends = sorted((10.0 + sign * 30.0, 20.0 + sign * 50.0, 10.0 + sign * 50.0, 20.0 + sign * 30.0))
    assert limit.contains(rotation("ZYZ", ends[0], psi, 0.0))
    assert limit.contains(rotation("ZYZ", ends[-1], psi, 0.0))
    assert math.degrees(limit.violation(rotation("ZYZ", ends[-1] + 5.0, psi, 0.0))) == (
        pytest.approx(5.0)
    )
    held = limit.project(rotation("ZYZ", ends[0] - 5.0, psi, 0.0))
    assert arrays.angle_between(held, rotation("ZYZ", ends[0], psi, 0.0)) < 1e-9


def test_a_locked_rotation_leaves_the_lock_into_the_box():
    limit = EulerBoxLimit.degrees("ZYZ", ((10.0, 20.0), (30.0, 40.0), (50.0, 70.0)))
    held = limit.project(rotation("ZYZ", 75.0, 0.0, 0.0))
    assert np.degrees(limit.angles(held)) == pytest.approx((15.0, 30.0, 60.0))


def test_a_box_of_one_rotation_is_a_fixed_joint():
    """An immovable joint is a ball whose box is a point."""
    for order, angles in (("ZYZ", (0.0, 0.0, 0.0)), ("XYZ", (40.0, -90.0, 0.0))):
        box = EulerBoxLimit.degrees(order, [(a, a) for a in angles])
        held = box.project(rotation("XYZ", 20.0, 30.0, 40.0))
        assert arrays.angle_between(held, rotation(order, *angles)) < 3.0 * LOCK


def test_frames_move_the_lock_away_from_the_neutral_stance():
    """SPEC 3.2: centred, Rx(+1) and Rx(-1) have nearly the same angles."""
    centred = (math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)
    box = EulerBoxLimit.degrees("ZYZ", ((0.0, 0.0), (90.0, 90.0), (-1.0, 1.0)), after=centred)
    for turn in (-1.0, 1.0):
        q = rotation("XYZ", turn, 0.0, 0.0)
        assert np.degrees(box.angles(q)) == pytest.approx((0.0, 90.0, turn), abs=1e-9)
        assert box.contains(q)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("XYZ", 3.0), "Expected three pairs of angles in `intervals`, got 3.0"),
        (("XYZ", ((0.0, 1.0), (0.0, 1.0))), "Expected three pairs of angles"),
        (("XYZ", ((0.0, 1.0), (0.0, 1.0), (0.0,))), "Expected 2 numbers in `intervals`, got 1"),
        (("XYZ", ((0.0, 1.0), (0.0, 91.0), (0.0, 1.0))), "order XYZ within -90 to 90 degrees"),
        (("ZYZ", ((0.0, 1.0), (-1.0, 9.0), (0.0, 1.0))), "order ZYZ within 0 to 180 degrees"),
        (("ZYZ", ((9.0, 1.0), (1.0, 9.0), (0.0, 1.0))), r"in `intervals\[0\]`, got 9 and 1"),
        (("ZYZ", ((0.0, 1.0), (1.0, 9.0), (0.0, 361.0))), r"in `intervals\[2\]`, got 0 and 361"),
        (
            ("ZYZ", ((0.0, 1.0),) * 3, (2.0, 0.0, 0.0, 0.0)),
            "Expected a unit quaternion in `before`",
        ),
        (("ZYZ", ((0.0, 1.0),) * 3, (1.0, 0.0)), "Expected 4 numbers in `before`, got 2"),
    ],
)
def test_senseless_boxes_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        EulerBoxLimit.degrees(*arguments)


def test_unknown_orders_and_fields_are_refused():
    with pytest.raises(UnknownName, match=r"No order of Euler angles 'ZXZ'. .* XYZ, ZYZ"):
        EulerBoxLimit.degrees("ZXZ", ((0.0, 1.0),) * 3)
    with pytest.raises(UnknownName, match="No field of a limit of kind 'euler_box': 'middle'"):
        JointLimit.from_dict({**BOX.as_dict(), "middle": 3})
    with pytest.raises(InputError, match="Expected a field `order`"):
        JointLimit.from_dict({"kind": "euler_box"})
