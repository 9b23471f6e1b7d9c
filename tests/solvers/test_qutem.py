"""Random turns of joints: their moments, their limits, and what joints cannot do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.random import random_state
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit, hand_limits
from sixpoint.solvers import MonteCarloSolver
from sixpoint.solvers._kernels.qutem import (
    AXIAL,
    DRAWN,
    FREE,
    PROJECTED,
    REJECTED,
    ROUND,
    SHAPED,
    STILL,
    SWING,
    TWIST,
    hold_slack,
    qutem_exp,
    qutem_fill,
    set_swing,
    set_twist,
    swing_angle,
    walk_fill,
)
from sixpoint.solvers.figure import plain_figure
from sixpoint.solvers.particle_tables import build_noise, covariance_of

MANY = 400_000
SIGMAS = (1.0, 0.3, 0.05)


def noise_of(sigmas, *, literal=False, limits=None, kind="ball"):
    chain = Skeleton.chain(1, kind=kind)
    limits = Limits({}) if limits is None else limits
    figure = plain_figure(chain.articulation, limits, [1], [(0, 0, 1.0)])
    covariances = {} if sigmas is None else {"joint_1": covariance_of("joint_1", sigmas)}
    noise = build_noise(
        figure, chain.names, limits, covariances, literal=literal, root=0.0, tries=20
    )
    return noise, figure


def draws(sigmas, scale, *, literal=False, count=MANY, seed=1):
    out = np.empty((count, 3))
    qutem_fill(noise_of(sigmas, literal=literal)[0], 0, scale, random_state(seed), out)
    return out


def walk(noise, figure, scale, count, seed=3):
    out = np.empty((count, 4))
    out[0] = (1.0, 0.0, 0.0, 0.0)
    counts = np.zeros(3, np.int64)
    walk_fill(noise, figure.limits, 0, scale, random_state(seed), counts, out)
    return out, counts


def test_the_exponential_takes_half_angles():
    # G24.
    q = qutem_exp((0.1, -0.2, 0.05))
    np.testing.assert_allclose(q, (0.973865, 0.099127, -0.198255, 0.049564), atol=1e-6)
    assert 2.0 * np.arccos(q[0]) == pytest.approx(0.458258, abs=1e-6)
    np.testing.assert_allclose(qutem_exp((1e-12, 0.0, 0.0)), (1.0, 1e-12, 0.0, 0.0), atol=1e-20)


def test_moments_of_the_gaussian_sampler():
    # G24; a small scale, at which nothing lies beyond the hemisphere.
    t = draws(SIGMAS, 0.1) / 0.1
    np.testing.assert_allclose(t.var(axis=0), (1.0, 0.09, 0.0025), rtol=0.02)
    np.testing.assert_allclose(stats.kurtosis(t, fisher=False), 3.0, rtol=0.02)
    np.testing.assert_allclose(np.corrcoef(t.T), np.eye(3), atol=0.01)


def test_moments_of_the_literal_sampler():
    t = draws(SIGMAS, 0.1, literal=True) / 0.1
    np.testing.assert_allclose(t.var(axis=0), (1.0 / 3.0, 0.0027, 2.08e-6), rtol=0.02)
    # 4e5 draws leave the fourth moment of so long a tail uncertain by 2 %: the mean of nine such.
    many = [
        stats.kurtosis(draws(SIGMAS, 0.1, literal=True, seed=k), fisher=False) for k in range(9)
    ]
    np.testing.assert_allclose(np.mean(many, axis=0), 5.4, rtol=0.02)


def test_a_radius_of_variance_three_restores_the_variances():
    # G24, the third clause: deviations instead of variances, and theta ~ N(0, 3).
    noise = noise_of(SIGMAS)[0]._replace(literal=np.array([1]))
    t = np.empty((MANY, 3))
    qutem_fill(noise, 0, 0.1 * np.sqrt(3.0), random_state(1), t)
    np.testing.assert_allclose((t / 0.1).var(axis=0), (1.0, 0.09, 0.0025), rtol=0.02)


def test_draws_lie_in_the_hemisphere():
    t = draws((1.0, 1.0, 1.0), 1.0, count=50_000)
    lengths = np.linalg.norm(t, axis=1)
    assert lengths.max() <= np.pi / 2
    # A2.14: 48 % of a Gaussian lies beyond; what is left is that Gaussian cut off.
    inside = stats.chi(3).cdf(np.pi / 2)
    assert 1.0 - inside == pytest.approx(0.48, abs=0.005)
    cut = lambda r: stats.chi(3).cdf(r) / inside  # noqa: E731
    assert stats.kstest(lengths, cut).pvalue > 1e-3


def test_slices_have_the_density_of_the_paper():
    # Eq. (17): a normal density of t along each axis, where the other two are small.
    t = draws((1.0, 1.0, 1.0), 0.2)
    near = (np.abs(t[:, 1]) < 0.05) & (np.abs(t[:, 2]) < 0.05)
    assert stats.kstest(t[near, 0], stats.norm(scale=0.2).cdf).pvalue > 1e-3


@pytest.mark.parametrize("sigmas", [(1.0, 1.0, 1.0), (1.0, 1.0, 0.05), (1.0, 0.1, 0.05)])
def test_covariances_make_joints(sigmas):
    # Fig. 1: three, two and one degrees of freedom; small eigenvalues are slack (S2.11).
    t = draws(sigmas, 0.2, count=1000)
    spread = np.sqrt((t**2).mean(axis=0))
    np.testing.assert_allclose(spread / spread[0], sigmas, rtol=0.15)


def test_kinds_follow_from_freedom_covariance_and_limit():
    assert noise_of(None)[0].kind[0] == ROUND
    assert noise_of(None, kind="hinge")[0].kind[0] == AXIAL
    assert noise_of((1.0, 1.0, 0.0))[0].kind[0] == SHAPED
    assert noise_of((1.0, 1.0, 0.0))[0].bounded[0] == TWIST
    assert noise_of((1.0, 1.0, 0.05))[0].bounded[0] == TWIST
    assert noise_of((1.0, 0.1, 0.05))[0].bounded[0] == SWING
    assert noise_of((1.0, 0.5, 0.5))[0].bounded[0] == FREE
    assert noise_of((0.0, 2.0, 0.0))[0].kind[0] == SHAPED
    assert noise_of((0.0, 0.0, 0.0))[0].kind[0] == STILL
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    figure = plain_figure(
        hand.articulation, limits, [hand.index(s) for s in hand.site_names],
        [(0, k, 1.0) for k in range(5)],
    )  # fmt: skip
    noise = build_noise(figure, hand.names, limits, {}, literal=False, root=0.0, tries=20)
    free = np.where(noise.kind == AXIAL, 1, np.where(noise.bounded == TWIST, 2, 3))
    assert free.sum() == 26  # S2.34
    assert (noise.bounded == TWIST).sum() == 5


def test_slanted_covariances():
    turn = arrays.to_matrix(arrays.from_euler("XYZ", np.array((0.3, -0.5, 0.7))))
    wanted = turn @ np.diag((1.0, 0.25, 0.04)) @ turn.T
    t = draws(wanted, 0.1) / 0.1
    np.testing.assert_allclose(np.cov(t.T), wanted, atol=0.01)


def test_hinges_turn_about_their_axis_only():
    noise, figure = noise_of(None, kind="hinge")
    turned, _ = walk(noise, figure, 0.3, 5000)
    assert not turned[:, 1:3].any()
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), 1.0, atol=1e-14)


@pytest.mark.parametrize("slack", [0.0, 1e-5, 0.05])
def test_joints_with_two_axes_do_not_drift_in_twist(slack: float):
    # A2.7: without care, 200 steps of 0.1 rad twist by up to 178 degrees, with slack or without.
    noise, figure = noise_of((1.0, slack, 1.0))  # the bone is Y
    worst = 0.0
    for seed in range(20):
        turned, _ = walk(noise, figure, 0.05, 1000, seed)
        twist = 2.0 * np.arctan2(turned[:, 2], turned[:, 0])
        worst = max(worst, float(np.abs(arrays.wrap(twist)).max()))
    assert worst <= 2.0 * 3.0 * slack + 1e-9
    assert worst >= slack  # and the slack is used


def test_joints_with_one_axis_keep_it_within_their_slack():
    noise, figure = noise_of((0.05, 1.0, 0.02))
    for seed in range(10):
        turned, _ = walk(noise, figure, 0.1, 2000, seed)
        swings = [swing_angle(tuple(q), (0.0, 1.0, 0.0)) for q in turned]
        assert 0.05 < max(swings) <= 2.0 * 3.0 * 0.05 + 1e-9
        twists = arrays.wrap(2.0 * np.arctan2(turned[:, 2], turned[:, 0]))
        assert np.abs(twists).max() > 2.0  # but about its axis it goes where it likes


def test_off_axis_spread_is_as_the_slack():
    # S2.11: small eigenvalues are slack, and what is drawn about them is in proportion.
    spreads = [draws((1.0, s, s), 0.1, count=20_000)[:, 1].std() for s in (0.02, 0.04, 0.08)]
    np.testing.assert_allclose(np.array(spreads) / spreads[0], (1.0, 2.0, 4.0), rtol=0.05)


def test_what_is_beyond_its_slack_comes_back_or_stays():
    noise, _ = noise_of((1.0, 0.0, 1.0))
    start = set_twist((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.8)
    for twist, kept in ((1.2, 0.8), (0.8, 0.8), (0.3, 0.3), (-0.2, 0.0)):
        q = set_twist((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0), twist)
        held = np.array(hold_slack(noise, 0, q, start))
        assert 2.0 * np.arctan2(held[2], held[0]) == pytest.approx(kept, abs=1e-12)


def test_swings_are_set():
    axis = (0.0, 0.6, 0.8)
    q = tuple(arrays.normalize(np.array((0.7, 0.2, -0.5, 0.4))))
    for swing in (0.0, 0.4, 2.0):
        out = set_swing(q, axis, swing)
        assert swing_angle(out, axis) == pytest.approx(swing, abs=1e-12)
        same = 2.0 * np.arctan2(np.dot(out[1:], axis), out[0])
        assert arrays.wrap(same - 2.0 * np.arctan2(np.dot(q[1:], axis), q[0])) == pytest.approx(0.0)
    about = (0.8, 0.0, 0.36, 0.48)  # no swing at all: nothing to scale
    assert set_swing(about, axis, 0.3) == about


@pytest.mark.parametrize("twist", [0.0, 0.7, -2.0])
def test_twists_are_set(twist):
    q = arrays.normalize(np.array((0.7, 0.2, -0.5, 0.4)))
    axis = (0.0, 0.6, 0.8)
    out = np.array(set_twist(tuple(q), axis, twist))
    along = out[1:] @ np.array(axis)
    assert arrays.wrap(2.0 * np.arctan2(along, out[0]) - twist) == pytest.approx(0.0, abs=1e-12)
    # The axis goes where it went before.
    np.testing.assert_allclose(
        arrays.rotate(out, np.array(axis)), arrays.rotate(q, np.array(axis)), atol=1e-12
    )
    assert set_twist((0.0, 1.0, 0.0, 0.0), (0.0, 1.0, 0.0), twist) == (0.0, 1.0, 0.0, 0.0)


CONE = SwingTwistLimit.degrees(
    (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180.0: 30.0, 0.0: 60.0, 180.0: 30.0},
    (-20.0, 40.0),
)  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "kind"),
    [(CONE, "ball"), (FlexionLimit.degrees(-5.0, 70.0, (0.0, 0.0, 1.0)), "hinge")],
)
def test_walks_never_leave_their_limits(limit, kind):
    noise, figure = noise_of(None, limits=Limits({"joint_1": limit}), kind=kind)
    turned, counts = walk(noise, figure, 0.2, 5000)
    assert limit.violation(turned).max() == 0.0
    assert counts[REJECTED] > 100
    assert counts[DRAWN] == 4999 + counts[REJECTED] - counts[PROJECTED]


def test_limits_that_reject_everything_end_in_projection():
    narrow = FlexionLimit.degrees(0.0, 1e-6, (0.0, 0.0, 1.0))
    noise, figure = noise_of(None, limits=Limits({"joint_1": narrow}), kind="hinge")
    turned, counts = walk(noise, figure, 0.5, 200)
    assert counts[PROJECTED] == 199
    assert counts[REJECTED] == 20 * 199
    assert narrow.violation(turned).max() == 0.0


def test_senseless_covariances_are_refused():
    for given in ((1.0, 2.0), (1.0, -1.0, 0.0), np.diag((1.0, 1.0, -1.0)), [[1.0] * 3] * 2):
        with pytest.raises(InputError, match="three deviations >= 0, or a covariance"):
            MonteCarloSolver(covariance={"elbow": given})
