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
    PROJECTED,
    REJECTED,
    ROUND,
    SHAPED,
    STILL,
    qutem_exp,
    qutem_fill,
    set_twist,
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
    np.testing.assert_allclose(stats.kurtosis(t, fisher=False), 5.4, rtol=0.04)


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
    assert noise_of((1.0, 1.0, 0.0))[0].flat[0]
    assert not noise_of((1.0, 1.0, 0.05))[0].flat[0]
    assert noise_of((0.0, 2.0, 0.0))[0].kind[0] == AXIAL
    assert noise_of((0.0, 0.0, 0.0))[0].kind[0] == STILL
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    figure = plain_figure(
        hand.articulation, limits, [hand.index(s) for s in hand.site_names],
        [(0, k, 1.0) for k in range(5)],
    )  # fmt: skip
    noise = build_noise(figure, hand.names, limits, {}, literal=False, root=0.0, tries=20)
    free = np.where(noise.kind == AXIAL, 1, np.where(noise.flat, 2, 3))
    assert free.sum() == 26  # S2.34
    assert noise.flat.sum() == 5


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


def test_joints_with_two_axes_do_not_drift_in_twist():
    # A2.7: without care, 200 steps of 0.1 rad twist by up to 178 degrees.
    noise, figure = noise_of((1.0, 0.0, 1.0))  # the bone is Y
    worst = 0.0
    for seed in range(20):
        turned, _ = walk(noise, figure, 0.05, 200, seed)
        twist = 2.0 * np.arctan2(turned[:, 2], turned[:, 0])
        worst = max(worst, float(np.abs(arrays.wrap(twist)).max()))
    assert worst < 1e-9


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
