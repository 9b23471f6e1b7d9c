"""Two-bone limbs by swivel angle: the circle of the hinge, its cost, and the search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import quat_to_columns
from sixpoint.kernels.quaternion import (
    quat_from_axis_angle,
    quat_mul,
    quat_rotate,
    quat_twist_angle,
)
from sixpoint.kernels.types import Quat, Vec3
from sixpoint.kernels.vector import vec_unit
from sixpoint.solvers.sequential.tgb import (
    ALIGNED,
    COARSE_STEP,
    COARSE_STEPS,
    FINE_STEP,
    FINE_STEPS,
    SEARCH,
    SwivelCost,
    swivel_cost,
    swivel_of,
    swivel_search,
    swivel_zero,
    swivelled,
    tgb_limb,
)
from strategies import directions, rotations

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
DOWN, BACK = (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
ARM, LEG = 1.0, -1.0
UPPER, LOWER = 0.30, 0.25
TARGET = (0.05, -0.25, 0.35)

swivels = st.floats(-math.pi, math.pi)
bends = st.sampled_from([ARM, LEG])


def placed(
    aim: Vec3, phi: float = 0.0, bend: float = ARM, upper: float = UPPER, lower: float = LOWER
) -> tuple[np.ndarray, np.ndarray, Quat, float]:
    """Hinge, end, rotation of the root and angle of the hinge, for the references of arm or leg."""
    n = vec_unit(aim, DOWN)
    u = swivel_zero(n, DOWN, BACK) if bend > 0.0 else swivel_zero(n, Z, Y)
    turn, angle = tgb_limb(upper, lower, bend, aim, u)
    turn = swivelled(turn, n, phi)
    hinge = quat_rotate(turn, (0.0, -upper, 0.0))
    below = quat_mul(turn, quat_from_axis_angle(X, angle))
    end = np.add(hinge, quat_rotate(below, (0.0, -lower, 0.0)))
    return np.array(hinge), end, turn, angle


# --- the circle -----------------------------------------------------------------------------------


def test_swivel_circle():
    n = vec_unit(TARGET, DOWN)
    u = np.array(swivel_zero(n, DOWN, BACK))
    assert u == pytest.approx((-0.081650, -0.816497, -0.571548), abs=1e-6)
    zero, quarter, half = (placed(TARGET, phi)[0] for phi in (0.0, 0.5 * math.pi, math.pi))
    assert zero == pytest.approx((0.014915, -0.280851, 0.104404), abs=1e-6)
    assert quarter == pytest.approx((0.195398, -0.143333, 0.176848), abs=1e-6)
    centre = 0.5 * (zero + half)
    assert centre == pytest.approx((0.028667, -0.143333, 0.200667), abs=1e-6)
    assert np.linalg.norm(zero - centre) == pytest.approx(0.168424, abs=1e-6)


@given(directions(), st.floats(0.051, 0.549), swivels, bends)
def test_every_swivel_reaches(direction, distance, phi, bend):
    aim = (distance * direction[0], distance * direction[1], distance * direction[2])
    hinge, end, turn, angle = placed(aim, phi, bend)
    assert end == pytest.approx(aim, abs=1e-9)
    assert np.linalg.norm(hinge) == pytest.approx(UPPER, abs=1e-12)
    assert bend * angle <= 0.0  # elbows flex to minus, knees to plus
    # The hinge's axis stands on the triangle.
    x, _, _ = quat_to_columns(turn)
    assert abs(np.dot(x, direction)) < 1e-9
    assert abs(np.dot(x, hinge)) < 1e-9


def test_elbows_point_down_and_knees_ahead():
    elbow, _, _, _ = placed((0.1, 0.0, 0.4))
    assert elbow[1] < -0.1
    knee, _, _, _ = placed((0.05, -0.70, 0.1), 0.0, LEG, 0.42, 0.40)
    assert knee[2] > 0.2


@pytest.mark.parametrize(
    ("bend", "aim", "towards"),
    [
        (ARM, (0.0, -0.4, 0.0), (2, -1)),  # hanging: the elbow goes back
        (ARM, (0.0, 0.4, 0.0), (2, -1)),  # straight up: likewise
        (LEG, (0.0, 0.0, 0.4), (1, 1)),  # straight ahead: the knee goes up
        (LEG, (0.0, 0.0, -0.4), (1, 1)),
    ],
)
def test_an_aligned_reference_gives_way(bend, aim, towards):
    axis, sign = towards
    hinge, end, _, _ = placed(aim, 0.0, bend)
    assert sign * hinge[axis] > 0.1
    assert end == pytest.approx(aim, abs=1e-12)


def test_where_the_reference_gives_way():
    for part, expected in ((1.01 * ALIGNED, DOWN), (0.99 * ALIGNED, BACK)):
        n = (part, -math.sqrt(1.0 - part * part), 0.0)
        u = np.array(swivel_zero(n, DOWN, BACK))
        across = np.array(expected) - np.dot(expected, n) * np.array(n)
        assert u == pytest.approx(across / np.linalg.norm(across), abs=1e-12)


def test_references_that_both_vanish_leave_a_direction():
    assert swivel_zero(DOWN, DOWN, Y) == X


# --- out of reach and degenerate ------------------------------------------------------------------


@given(directions(), st.floats(0.551, 1e6), swivels, bends)
def test_out_of_reach_the_limb_is_straight(direction, distance, phi, bend):
    aim = (distance * direction[0], distance * direction[1], distance * direction[2])
    hinge, end, turn, angle = placed(aim, phi, bend)
    assert abs(angle) < 1e-12
    assert end == pytest.approx((UPPER + LOWER) * np.array(direction), abs=1e-9)
    # The swivel still says how it is turned about itself.
    x, _, _ = quat_to_columns(turn)
    other = quat_to_columns(placed(aim, phi + 0.3, bend)[2])[0]
    assert np.dot(x, other) == pytest.approx(math.cos(0.3), abs=1e-9)
    assert np.dot(x, hinge) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("aim", [(0.0, 0.0, 0.0), (0.0, 1e-12, 0.0), (0.0, 0.0, 0.01)])
@pytest.mark.parametrize("bend", [ARM, LEG])
def test_too_near_the_limb_folds(aim, bend):
    hinge, end, turn, angle = placed(aim, 0.7, bend)
    assert bend * angle == pytest.approx(-math.pi)
    assert np.linalg.norm(turn) == pytest.approx(1.0)
    assert np.linalg.norm(end) == pytest.approx(UPPER - LOWER)
    assert np.linalg.norm(hinge) == pytest.approx(UPPER)


@pytest.mark.parametrize(("upper", "lower"), [(0.0, 0.25), (0.3, 0.0), (0.0, 0.0)])
def test_bones_without_length(upper, lower):
    _, end, turn, angle = placed(TARGET, 0.3, ARM, upper, lower)
    assert np.linalg.norm(turn) == pytest.approx(1.0)
    assert math.isfinite(angle)
    assert np.isfinite(end).all()


# --- the cost -------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.0, 1.0, 3.0])
def test_cost_is_swing_and_twist_squared(weight):
    assert swivel_cost((1.0, 0.0, 0.0, 0.0), weight) == 0.0
    swing = quat_from_axis_angle((0.6, 0.0, 0.8), 0.4)
    twist = quat_from_axis_angle(Y, -0.3)
    cost = swivel_cost(quat_mul(swing, twist), weight)
    assert cost == pytest.approx(0.16 + weight * 0.09)


@given(rotations())
def test_cost_does_not_see_the_sign(q):
    other = (-q[0], -q[1], -q[2], -q[3])
    assert swivel_cost(other, 1.0) == pytest.approx(swivel_cost(q, 1.0), abs=1e-9)
    assert 0.0 <= swivel_cost(q, 1.0) <= 2.0 * math.pi**2 + 1e-9


def test_cost_of_a_bone_turned_round():  # no twist is defined: none is paid for
    assert swivel_cost((0.0, 1.0, 0.0, 0.0), 1.0) == pytest.approx(math.pi**2)


def least(twist: float = 1.0) -> SwivelCost:
    """The least rotation of the root."""
    return SwivelCost(SEARCH, twist, 0.0, 0.0)


def usually(swivel: float, weight: float) -> SwivelCost:
    """The least rotation, drawn to a usual swivel."""
    return SwivelCost(SEARCH, 1.0, swivel, weight)


# --- the search -----------------------------------------------------------------------------------


def test_search_of_the_golden_arm():
    n = vec_unit(TARGET, DOWN)
    start, _ = tgb_limb(UPPER, LOWER, ARM, TARGET, swivel_zero(n, DOWN, BACK))
    grid = -math.pi + COARSE_STEP * np.arange(COARSE_STEPS)
    coarse = min(grid, key=lambda phi: swivel_cost(swivelled(start, n, phi), 1.0))
    assert coarse == pytest.approx(0.058407, abs=1e-6)
    phi = swivel_search(start, n, least(1.0), 1.0, 0.0)
    assert phi == pytest.approx(0.108407, abs=1e-6)
    turn = swivelled(start, n, phi)
    assert swivel_cost(turn, 1.0) == pytest.approx(0.138538, abs=1e-6)
    twist = quat_twist_angle(turn, DOWN)
    assert math.degrees(twist) == pytest.approx(-3.6211, abs=1e-4)
    swing = math.sqrt(swivel_cost(turn, 0.0))
    assert math.degrees(swing) == pytest.approx(21.0162, abs=1e-4)
    dense = np.arange(-math.pi, math.pi, 1e-4)
    best = min(dense, key=lambda phi: swivel_cost(swivelled(start, n, phi), 1.0))
    assert best == pytest.approx(0.1037, abs=1e-4)


def test_evaluations():
    assert (COARSE_STEP, FINE_STEP) == (0.1, 0.01)
    assert (COARSE_STEPS, FINE_STEPS + 1) == (63, 21)
    assert COARSE_STEP * (COARSE_STEPS - 1) < 2.0 * math.pi <= COARSE_STEP * COARSE_STEPS


@effort(max_examples=40)
@given(directions(), st.floats(0.1, 0.6), st.floats(0.0, 3.0), bends, swivels)
def test_search_finds_the_least(direction, distance, weight, bend, previous):
    aim = (distance * direction[0], distance * direction[1], distance * direction[2])
    start = placed(aim, 0.0, bend)[2]
    phi = swivel_search(start, direction, least(weight), 1.0, previous)
    assert -math.pi < phi <= math.pi

    def cost(swivel):
        return swivel_cost(swivelled(start, direction, swivel), weight)

    coarse = -math.pi + COARSE_STEP * np.arange(COARSE_STEPS)
    costs = np.array([cost(swivel) for swivel in coarse])
    equal = coarse[costs < costs.min() + 1e-8]  # the search may start from any of these
    fine = [min(cost(c + FINE_STEP * k) for k in range(-10, 11)) for c in equal]
    assert cost(phi) <= min(costs.min(), max(fine)) + 1e-8


@given(directions(), swivels, bends)
def test_a_hinge_axis_says_its_swivel(direction, phi, bend):
    aim = (0.4 * direction[0], 0.4 * direction[1], 0.4 * direction[2])
    start = placed(aim, 0.0, bend)[2]
    axis = quat_rotate(swivelled(start, direction, phi), (1.0, 0.0, 0.0))
    found, known = swivel_of(start, direction, axis)
    assert known
    assert math.remainder(found - phi, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)
    assert not swivel_of(start, direction, direction)[1]  # along the limb it says nothing


@given(directions(), swivels, swivels)
def test_a_usual_swivel_draws_the_search_to_it(direction, usual, previous):
    aim = (0.4 * direction[0], 0.4 * direction[1], 0.4 * direction[2])
    start = placed(aim)[2]

    def away(weight):
        phi = swivel_search(start, direction, usually(usual, weight), 1.0, previous)
        return abs(math.remainder(phi - usual, 2.0 * math.pi))

    free = swivel_search(start, direction, least(1.0), 1.0, previous)
    assert swivel_search(start, direction, usually(usual, 0.0), 1.0, previous) == free
    assert away(1e6) <= 0.5 * FINE_STEP + 1e-6
    assert away(3.0) <= away(0.3) + FINE_STEP + 1e-6


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.floats(0.1, 0.6))
def test_right_mirrors_left(v, distance):
    aim = vec_unit((v[0], v[1] - 1.5, v[2]), DOWN)  # downwards: one place is best by far
    mirrored = (-aim[0], aim[1], aim[2])
    starts = [placed(tuple(distance * np.array(n)))[2] for n in (aim, mirrored)]
    left = swivel_search(starts[0], aim, least(1.0), 1.0, 0.0)
    right = swivel_search(starts[1], mirrored, least(1.0), -1.0, 0.0)
    assert math.remainder(left + right, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("previous", [-3.1, -1.3, 0.0, 0.4, 2.9])
def test_of_equal_costs_the_nearer_wins(previous):
    start = placed((0.0, -0.6, 0.0))[2]  # straight down: without weight no swivel costs anything
    phi = swivel_search(start, DOWN, least(0.0), 1.0, previous)
    assert abs(phi - previous) <= 0.5 * FINE_STEP + 1e-9
