"""One joint turned to fit: against SciPy's alignment of vectors, and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.kernels.quaternion import quat_from_axis_angle, quat_rotate
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit
from sixpoint.solvers.articulated.build import skeleton_model
from sixpoint.solvers.articulated.joint_rotation import (
    fit_ball,
    fit_hinge,
    fit_nothing,
    fit_position,
    fit_rotation,
    joint_rotation,
    swing_joint,
)
from sixpoint.solvers.articulated.model import POSITION

ONE = (1.0, 0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)
ANGLES = np.linspace(-np.pi, np.pi, 20_001)


def points(seed: int, count: int):
    """Points, goals and weights."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.uniform(0.1, 2.0, count)


def direction(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def fit_of(here, there, weights):
    fit = fit_nothing()
    for p, t, w in zip(here, there, weights, strict=True):
        fit = fit_position(fit, tuple(p), tuple(t), float(w))
    return fit


def one_joint(kind: str, limits: Limits):
    chain = Skeleton.chain(1, kind=kind, axis=Z)
    return skeleton_model(chain.articulation, limits, [1], [(POSITION, 0, 1.0)])


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_a_ball_aligns_points_like_scipy(seed, count):
    here, there, weights = points(seed, count)
    q = fit_ball(fit_of(here, there, weights))
    expected, _ = Rotation.align_vectors(there, here, weights)
    mine = Rotation.from_quat(q, scalar_first=True)

    def loss(turn):
        return (weights * ((there - turn.apply(here)) ** 2).sum(axis=1)).sum()

    assert loss(mine) == pytest.approx(loss(expected), rel=1e-6, abs=1e-9)


def test_of_all_turns_that_fit_one_point_the_smallest_is_taken():
    q = fit_ball(fit_position(fit_nothing(), (0.0, 2.0, 0.0), (3.0, 0.0, 0.0), 0.5))
    assert q == pytest.approx((np.sqrt(0.5), 0.0, 0.0, -np.sqrt(0.5)), abs=1e-6)


@pytest.mark.parametrize("there", [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0)], ids=["nowhere", "there"])
def test_nothing_to_do_leaves_a_ball_alone(there):
    fit = fit_position(fit_nothing(), (0.0, 1.0, 0.0), there, 1.0)
    assert fit_ball(fit) == pytest.approx(ONE, abs=1e-9)
    assert fit_ball(fit_nothing()) == ONE


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_a_hinge_takes_the_best_angle(seed, count):
    here, there, weights = points(seed, count)
    axis = direction(np.random.default_rng(seed + 1))
    angle = fit_hinge(fit_of(here, there, weights), tuple(axis))
    turned = arrays.rotate(arrays.from_axis_angle(axis, ANGLES)[:, None], here)
    gain = (weights * (turned * there).sum(axis=-1)).sum(axis=-1)
    best = arrays.rotate(arrays.from_axis_angle(axis, angle), here)
    assert (weights * (best * there).sum(axis=-1)).sum() >= gain.max() - 1e-9


@pytest.mark.parametrize("there", [(0.0, 0.0, 2.0), (0.0, 0.0, 0.0)])
def test_a_goal_on_the_axis_leaves_a_hinge_alone(there):
    fit = fit_position(fit_nothing(), (1.0, 0.0, 0.0), there, 1.0)
    assert fit_hinge(fit, Z) == 0.0
    assert fit_hinge(fit_nothing(), Z) == 0.0


@given(st.integers(0, 2**32 - 1))
def test_a_wanted_rotation_is_taken(seed):
    rng = np.random.default_rng(seed)
    q = arrays.normalize(rng.normal(size=4))
    found = fit_ball(fit_rotation(fit_nothing(), tuple(q), 2.0, 1.0))
    assert arrays.angle_between(np.array(found), q) < 1e-7
    axis = direction(rng)
    angle = rng.uniform(-3.0, 3.0)
    about = tuple(arrays.from_axis_angle(axis, angle))
    assert fit_hinge(fit_rotation(fit_nothing(), about, 2.0, 1.0), tuple(axis)) == pytest.approx(
        angle
    )


def test_a_radian_counts_like_the_size_of_the_skeleton():
    # The point asks for 1 rad about Z, the rotation for -1 rad: at equal weight nothing moves.
    # Small angles, where both errors are quadratic.
    small = 0.01
    point = tuple(2.0 * np.array((np.sin(small), np.cos(small), 0.0)))
    back = quat_from_axis_angle(Z, small)
    fit = fit_rotation(fit_position(fit_nothing(), (0.0, 2.0, 0.0), point, 1.0), back, 2.0, 1.0)
    assert fit_hinge(fit, Z) == pytest.approx(0.0, abs=1e-6)


def test_one_step_of_coordinate_descent_is_the_smallest_swing():
    free = one_joint("ball", Limits({})).limits
    held, felt = swing_joint(free, 0, ONE, (0.0, 1.0, 0.0), (2.0, 2.0, 0.0))
    assert not felt
    assert held == pytest.approx((np.cos(np.pi / 8), 0.0, 0.0, -np.sin(np.pi / 8)))
    assert swing_joint(free, 0, ONE, (0.0, 1.0, 0.0), (0.0, -3.0, 0.0))[0] == (0.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize("count", [1, 2])
def test_a_ball_stops_at_its_limit_and_says_so(count):
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0), Z, (1.0, 0.0, 0.0), {-180.0: 30.0, 180.0: 30.0}, (-10.0, 10.0)
    )
    model = one_joint("ball", Limits({"joint_1": cone}))
    here = (0.0, 1.0, 0.0)
    for tilt, limited in ((0.3, False), (1.2, True)):
        there = (np.sin(tilt), np.cos(tilt), 0.0)
        fit = fit_position(fit_nothing(), here, there, 1.0)
        held, felt = joint_rotation(model, 0, ONE, fit, count, (here, there))
        assert felt == limited
        bone = quat_rotate(held, here)
        assert np.arccos(bone[1]) == pytest.approx(min(tilt, np.radians(30.0)), abs=1e-6)


def test_a_hinge_stops_at_its_limit_and_says_so():
    model = one_joint("hinge", Limits({"joint_1": FlexionLimit.degrees(-10.0, 80.0, Z)}))
    here = (1.0, 0.0, 0.0)
    for wanted, reached in ((0.5, 0.5), (2.0, np.radians(80.0)), (-1.0, np.radians(-10.0))):
        there = (np.cos(wanted), np.sin(wanted), 0.3)
        fit = fit_position(fit_nothing(), here, there, 1.0)
        held, felt = joint_rotation(model, 0, ONE, fit, 1, (here, there))
        assert held == pytest.approx(quat_from_axis_angle(Z, reached))
        assert felt == (wanted != reached)
