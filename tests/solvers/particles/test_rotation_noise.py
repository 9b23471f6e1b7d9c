"""Random turns of joints: their moments, their limits, and what joints cannot do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sixpoint.bench.particle_scenes import hand_scene
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels._jit import kernel
from sixpoint.kernels.quaternion import quat_load, quat_store
from sixpoint.kernels.random import random_state
from sixpoint.limits import FlexionLimit, Limits, SwingTwistLimit, hand_limits
from sixpoint.solvers import MonteCarloSolver
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.particles.rotation_noise import (
    AXIAL,
    FIXED,
    FREE,
    GAUSSIAN,
    PAPER,
    ROUND,
    SHAPED,
    SWING,
    TWIST,
    draw_half_rotation,
    draw_joint,
    half_exp,
    hold_slack,
    longest_below,
    reach_scales,
    set_swing,
    set_twist,
    swing_angle,
)
from sixpoint.tasks import Orient, Reach

MANY = 400_000
SIGMAS = (1.0, 0.3, 0.05)


@kernel
def fill_draws(noise, scale, sampler, random, out):
    """Many draws of half a rotation vector, (n, 3)."""
    for i in range(out.shape[0]):
        out[i, 0], out[i, 1], out[i, 2] = draw_half_rotation(noise, 0, scale, sampler, random)


@kernel
def fill_walk(context, scale, out):
    """A random walk of one joint, (n, 4), from the rotation in the first row."""
    c = SkeletonContext(context.settings[0], context.model, context.pose, context.scratch)
    drift = c.scratch.particles.drift[0]
    for i in range(1, out.shape[0]):
        q = quat_load(out, i - 1)
        quat_store(out, i, draw_joint(c, 0, q, scale, drift, c.settings.momentum))


def context_of(sigmas, *, limits=None, kind="ball", **settings):
    chain = Skeleton.chain(1, kind=kind)
    covariance = None if sigmas is None else {"joint_1": sigmas}
    solver = MonteCarloSolver(covariance=covariance, **{"momentum": 0.0} | settings)
    return solver.prepare(chain, limits=limits).run.context


def noise_of(sigmas, **settings):
    return context_of(sigmas, **settings).scratch.noise


def draws(sigmas, scale, *, sampler="gaussian", count=MANY, seed=1):
    out = np.empty((count, 3))
    choice = PAPER if sampler == "paper" else GAUSSIAN
    fill_draws(noise_of(sigmas, sampler=sampler), scale, choice, random_state(seed), out)
    return out


def walk(context, scale, count, seed=3):
    out = np.empty((count, 4))
    out[0] = (1.0, 0.0, 0.0, 0.0)
    context.scratch.particles.random[:] = random_state(seed)
    fill_walk(context, scale, out)
    return out, context.scratch.particles.state[0]


def test_the_exponential_takes_half_angles():
    q = half_exp((0.1, -0.2, 0.05))
    np.testing.assert_allclose(q, (0.973865, 0.099127, -0.198255, 0.049564), atol=1e-6)
    assert 2.0 * np.arccos(q[0]) == pytest.approx(0.458258, abs=1e-6)
    np.testing.assert_allclose(half_exp((1e-12, 0.0, 0.0)), (1.0, 1e-12, 0.0, 0.0), atol=1e-20)


def test_moments_of_the_gaussian_sampler():
    # A small scale, at which nothing lies beyond the hemisphere.
    t = draws(SIGMAS, 0.1) / 0.1
    np.testing.assert_allclose(t.var(axis=0), (1.0, 0.09, 0.0025), rtol=0.02)
    np.testing.assert_allclose(stats.kurtosis(t, fisher=False), 3.0, rtol=0.02)
    np.testing.assert_allclose(np.corrcoef(t.T), np.eye(3), atol=0.01)


def test_moments_of_the_literal_sampler():
    t = draws(SIGMAS, 0.1, sampler="paper") / 0.1
    np.testing.assert_allclose(t.var(axis=0), (1.0 / 3.0, 0.0027, 2.08e-6), rtol=0.02)
    # 4e5 draws leave the fourth moment of so long a tail uncertain by 2 %: the mean of nine such.
    many = [
        stats.kurtosis(draws(SIGMAS, 0.1, sampler="paper", seed=k), fisher=False) for k in range(9)
    ]
    np.testing.assert_allclose(np.mean(many, axis=0), 5.4, rtol=0.02)


def test_a_radius_of_variance_three_restores_the_variances():
    # Deviations instead of variances, and theta ~ N(0, 3).
    t = np.empty((MANY, 3))
    fill_draws(noise_of(SIGMAS), 0.1 * np.sqrt(3.0), PAPER, random_state(1), t)
    np.testing.assert_allclose((t / 0.1).var(axis=0), (1.0, 0.09, 0.0025), rtol=0.02)


def test_draws_lie_in_the_hemisphere():
    t = draws((1.0, 1.0, 1.0), 1.0, count=50_000)
    lengths = np.linalg.norm(t, axis=1)
    assert lengths.max() <= np.pi / 2
    # 48 % of a Gaussian lies beyond; what is left is that Gaussian cut off.
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
    # Fig. 1: three, two and one degrees of freedom; small eigenvalues are slack.
    t = draws(sigmas, 0.2, count=1000)
    spread = np.sqrt((t**2).mean(axis=0))
    np.testing.assert_allclose(spread / spread[0], sigmas, rtol=0.15)


def test_kinds_follow_from_freedom_covariance_and_limit():
    assert noise_of(None).kind[0] == ROUND
    assert noise_of(None, kind="hinge").kind[0] == AXIAL
    assert noise_of((1.0, 1.0, 0.0)).kind[0] == SHAPED
    assert noise_of((1.0, 1.0, 0.0)).bounded[0] == TWIST
    assert noise_of((1.0, 1.0, 0.05)).bounded[0] == TWIST
    assert noise_of((1.0, 0.1, 0.05)).bounded[0] == SWING
    assert noise_of((1.0, 0.5, 0.5)).bounded[0] == FREE
    assert noise_of((0.0, 2.0, 0.0)).kind[0] == SHAPED
    assert noise_of((0.0, 0.0, 0.0)).kind[0] == FIXED
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    noise = MonteCarloSolver().prepare(hand, limits=limits).run.context.scratch.noise
    free = np.where(noise.kind == AXIAL, 1, np.where(noise.bounded == TWIST, 2, 3))
    assert free.sum() == 26
    assert (noise.bounded == TWIST).sum() == 5


def test_slanted_covariances():
    turn = arrays.to_matrix(arrays.from_euler("XYZ", np.array((0.3, -0.5, 0.7))))
    wanted = turn @ np.diag((1.0, 0.25, 0.04)) @ turn.T
    t = draws(wanted, 0.1) / 0.1
    np.testing.assert_allclose(np.cov(t.T), wanted, atol=0.01)


def test_hinges_turn_about_their_axis_only():
    turned, _ = walk(context_of(None, kind="hinge"), 0.3, 5000)
    assert not turned[:, 1:3].any()
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), 1.0, atol=1e-14)


@pytest.mark.parametrize("slack", [0.0, 1e-5, 0.05])
def test_joints_with_two_axes_do_not_drift_in_twist(slack: float):
    # Without care, 200 steps of 0.1 rad twist by up to 178 degrees, with slack or without.
    context = context_of((1.0, slack, 1.0))  # the bone is Y
    worst = 0.0
    for seed in range(20):
        turned, _ = walk(context, 0.05, 1000, seed)
        twist = 2.0 * np.arctan2(turned[:, 2], turned[:, 0])
        worst = max(worst, float(np.abs(arrays.wrap(twist)).max()))
    assert worst <= 2.0 * 3.0 * slack + 1e-9
    assert worst >= slack  # and the slack is used


def test_joints_with_one_axis_keep_it_within_their_slack():
    context = context_of((0.05, 1.0, 0.02))
    for seed in range(10):
        turned, _ = walk(context, 0.1, 2000, seed)
        swings = [swing_angle(tuple(q), (0.0, 1.0, 0.0)) for q in turned]
        assert 0.05 < max(swings) <= 2.0 * 3.0 * 0.05 + 1e-9
        twists = arrays.wrap(2.0 * np.arctan2(turned[:, 2], turned[:, 0]))
        assert np.abs(twists).max() > 2.0  # but about its axis it goes where it likes


def test_off_axis_spread_is_as_the_slack():
    # Small eigenvalues are slack, and what is drawn about them is in proportion.
    spreads = [draws((1.0, s, s), 0.1, count=20_000)[:, 1].std() for s in (0.02, 0.04, 0.08)]
    np.testing.assert_allclose(np.array(spreads) / spreads[0], (1.0, 2.0, 4.0), rtol=0.05)


def test_what_is_beyond_its_slack_comes_back_or_stays():
    noise = noise_of((1.0, 0.0, 1.0))
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
    context = context_of(None, limits=Limits({"joint_1": limit}), kind=kind)
    turned, state = walk(context, 0.2, 5000)
    assert limit.violation(turned).max() == 0.0
    assert state.rejected > 100
    assert state.drawn == 4999 + state.rejected - state.projected


def test_limits_that_reject_everything_end_in_projection():
    narrow = FlexionLimit.degrees(0.0, 1e-6, (0.0, 0.0, 1.0))
    context = context_of(None, limits=Limits({"joint_1": narrow}), kind="hinge")
    turned, state = walk(context, 0.5, 200)
    assert state.projected == 199
    assert state.rejected == 20 * 199
    assert narrow.violation(turned).max() == 0.0


def test_senseless_covariances_are_refused():
    for given in ((1.0, 2.0), (1.0, -1.0, 0.0), np.diag((1.0, 1.0, -1.0)), [[1.0] * 3] * 2):
        with pytest.raises(InputError, match="three deviations >= 0, or a covariance"):
            MonteCarloSolver(covariance={"elbow": given})


def test_reach_is_the_longest_way_below():
    hand = Skeleton.hand()
    reach = longest_below(hand.node_parents, hand.articulation.offsets)
    assert reach[0] == pytest.approx(hand.articulation.length)
    assert not reach[hand.joint_count :].any()  # nothing hangs on the tips
    for node, parent in enumerate(hand.node_parents[1:], 1):
        assert reach[parent] > reach[node]


def test_noise_falls_with_reach():
    reach = np.array((4.0, 3.0, 2.0, 1.0))
    every = np.ones(4, np.bool_)
    found = reach_scales(reach, every, 0.5)
    np.testing.assert_allclose(found / found[0], np.sqrt(4.0 / reach))
    # All together move the tip as far.
    assert (found * reach) @ (found * reach) == pytest.approx(reach @ reach)
    np.testing.assert_allclose(reach_scales(reach, every, 0.0), 1.0)
    np.testing.assert_allclose(reach_scales(np.zeros(4), every, 0.5), 1.0)
    np.testing.assert_allclose(reach_scales(reach, ~every, 0.5), 1.0)


def test_rotations_that_are_asked_for_make_joints_alike():
    # To the rotation of the tip a radian of any joint is a radian.
    chain = Skeleton.chain(4)
    for tasks, alike in (([Reach("tip")], False), ([Reach("tip"), Orient("tip")], True)):
        noise = MonteCarloSolver(lever=0.5).prepare(chain, limits=None, tasks=tasks).run.context
        noise = noise.scratch.noise
        assert (np.ptp(noise.shape[:, 0, 0]) < 1e-12) == alike
    constant = MonteCarloSolver(schedule="constant").prepare(chain, limits=None).run.context
    np.testing.assert_array_equal(constant.scratch.noise.shape, np.tile(np.eye(3), (4, 1, 1)))


def test_long_chains_are_drawn_alike_and_with_less_noise():
    shapes = {
        joints: MonteCarloSolver().prepare(Skeleton.chain(joints)).run.context.scratch.noise.shape
        for joints in (5, 20, 100)
    }
    for joints, shape in shapes.items():
        expected = np.tile(np.eye(3) * min(1.0, 20 / joints), (joints, 1, 1))
        np.testing.assert_allclose(shape, expected, atol=1e-12)


def test_fingers_are_drawn_more_than_the_arm():
    tracker, _ = hand_scene()
    shape, hand = tracker.run.context.scratch.noise.shape, tracker.skeleton
    elbow = np.abs(shape[hand.index("elbow")]).max()
    assert shape[hand.index("index_end"), 0, 0] > 2.0 * elbow


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_momentum_keeps_the_variance_of_draws_and_correlates_them(kind: str):
    momentum, scale = 0.8, 0.01
    context = context_of(None, kind=kind, momentum=momentum)
    count = 20_000
    q, _ = walk(context, scale, count)
    step = arrays.multiply(arrays.conjugate(q[:-1]), q[1:])
    t = np.arctan2(np.linalg.norm(step[:, 1:], axis=1), step[:, 0])[:, None] * (
        step[:, 1:] / np.maximum(np.linalg.norm(step[:, 1:], axis=1, keepdims=True), 1e-300)
    )
    moving = t.var(axis=0) > 1e-12
    assert moving.sum() == (3 if kind == "ball" else 1)
    t = t[100:, moving] / (scale * context.scratch.noise.shape[0, 0, 0])
    np.testing.assert_allclose(t.var(axis=0), 1.0, rtol=0.12)
    for lag in (1, 3):
        found = (t[lag:] * t[:-lag]).mean() / t.var()
        assert found == pytest.approx(momentum**lag, abs=0.04)


def test_momentum_draws_within_limits():
    cone = SwingTwistLimit.degrees(
        (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), {-180.0: 10.0, 180.0: 10.0}, (-5.0, 5.0)
    )
    context = context_of(None, limits=Limits({"joint_1": cone}), momentum=0.9)
    q, state = walk(context, 0.05, 2000)
    assert max(cone.violation(rotation) for rotation in q) < 1e-6
    assert state["rejected"] > 0


def test_constant_noise_has_no_momentum():
    chain = Skeleton.chain(2)
    for schedule, momentum in (("annealed", 0.9), ("constant", 0.0)):
        context = MonteCarloSolver(schedule=schedule).prepare(chain).run.context
        assert context.settings["momentum"][0] == momentum
