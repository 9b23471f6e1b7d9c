"""The filter is a filter: what an iteration does, and when a frame ends."""

from __future__ import annotations

import os

import numpy as np
import pytest

from sixpoint.bench.particle_scenes import bent_chain
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers.particles.filter import MOST_RUNS
from sixpoint.solvers.particles.stream import ParticleStream
from sixpoint.tasks import PlacesFunction, Reach

from .arms import ARM, TARGET, particles_of, tracker


def test_it_is_a_kalman_filter_where_one_is_exact():
    # the root wanders in space, linear and Gaussian, and is measured; the joint is still.
    # The log-likelihood -d^2 / S has no half: its variance is S / 2.
    count, noise, sigma = 20_000, 0.05, 0.2
    run = tracker(
        Skeleton.chain(1),
        [Reach("joint_1")],
        particles=count,
        schedule="constant",
        noise=noise,
        sigma=sigma,
        root=1.0,
        covariance={"joint_1": (0.0, 0.0, 0.0)},
        answer="mean",
        smoothing=1.0,
        iterations=12,
        tolerance=0.0,
    )
    target = np.array((0.1, -0.05, 0.02))
    mean, variance = np.zeros(3), 0.0
    for iterate in ParticleStream(run).iterates(target[None]):
        variance += noise**2
        gain = variance / (variance + 0.5 * sigma**2)
        mean, variance = mean + gain * (target - mean), (1.0 - gain) * variance
        # Deviations of the mean of so many particles; resampling on the way adds some.
        wall = 6.0 * np.sqrt(variance / iterate.effective)
        np.testing.assert_allclose(iterate.estimate.root, mean, atol=wall)
        particles = particles_of(run)
        spread = particles.weight @ (particles.root - iterate.estimate.root) ** 2
        np.testing.assert_allclose(spread, variance, rtol=0.1)
    assert mean[0] > 0.05


def test_the_noise_of_tasks_ranks_them():
    # between two targets that exclude each other, errors are as the variances.
    for ratio in (1.0, 2.0, 3.0):
        far = np.array([[0.0, 0.6, 0.4]])
        run = tracker(
            ARM,
            [
                Reach("tip", weight=ratio),
                PlacesFunction(lambda p: np.linalg.norm(p[:, -1] - (0.0, 0.6, -0.4), axis=1)),
            ],
            iterations=400,
            particles=60,
        )
        solution = run.solve(far)
        mine, other = solution.tasks["reach tip"], solution.tasks["function"]
        assert not solution.converged
        assert mine + other == pytest.approx(0.8, abs=0.02)
        assert other / mine == pytest.approx(ratio**2, rel=0.1)


def test_smoothing_goes_a_tenth_of_the_way():
    # the response to a step is 1 - 0.9^k, and takes 66 iterations to a thousandth.
    run = tracker(smoothing=0.1, schedule="constant", noise=0.3, iterations=30)
    run.reset(Pose(ARM, np.zeros(3), arrays.identity(4)))
    last = arrays.identity()
    for iterate in ParticleStream(run).iterates(TARGET):
        away = arrays.multiply(arrays.conjugate(last), iterate.estimate.rotations[0])
        expected = arrays.multiply(last, arrays.from_rotvec(0.1 * arrays.to_rotvec(away)))
        assert arrays.angle_between(expected, iterate.pose.rotations[0]) < 1e-9
        last = iterate.pose.rotations[0]


def test_smoothing_comes_after():
    # the response to a step is 1 - 0.9^k, and takes 66 iterations to a thousandth. The step:
    # a hinge that is drawn once by a lot, and then stands still.
    run = tracker(Skeleton.chain(1, kind="hinge"), schedule="constant", noise=1e-9, tolerance=0.0,
                  iterations=80)  # fmt: skip
    gaps = []
    for iterate in ParticleStream(run).iterates(np.array([[0.5, 0.5, 0.0]])):
        if iterate.step == 1:
            particles_of(run).local[:] = arrays.from_axis_angle((0.0, 0.0, 1.0), 1.0)
            continue
        gaps.append(arrays.angle_between(iterate.pose.rotations[0], iterate.estimate.rotations[0]))
    parts = np.array(gaps) / gaps[0] * 0.9
    np.testing.assert_allclose(parts, 0.9 ** np.arange(1, len(parts) + 1), rtol=1e-3)
    assert int(np.argmax(parts < 1e-3)) + 1 == 66


def test_smoothing_takes_out_the_jitter():
    # RMS second difference of the tip, at least five times less.
    run = tracker(schedule="constant", noise=0.05, sigma=0.05, iterations=150, tolerance=0.0)
    raw, smooth = [], []
    for iterate in ParticleStream(run).iterates(TARGET):
        raw.append(iterate.estimate.world()[0][-1])
        smooth.append(iterate.pose.world()[0][-1])
    jitter = [np.sqrt((np.diff(p, 2, axis=0) ** 2).sum(axis=1).mean()) for p in (raw, smooth)]
    assert jitter[0] > 5.0 * jitter[1]


# Seeds and streams.


@pytest.mark.parametrize("answer", ["best", "mean", "smooth"])
def test_a_frame_is_judged_by_its_answer(answer: str):
    # Whatever it is answered with: residuals, tasks and `converged` speak of the same pose.
    for seed in range(5):
        run = tracker(ARM, [Reach("tip")], answer=answer, smoothing=0.2, seed=seed)
        solution = run.solve(TARGET)
        missed = np.linalg.norm(solution.pose.world()[0][-1] - TARGET[0])
        assert solution.converged
        assert solution.residuals[0] == pytest.approx(missed, abs=1e-12)
        assert solution.tasks["reach tip"] == pytest.approx(missed, abs=1e-12)
        assert missed <= 1e-4
        few = tracker(ARM, [Reach("tip")], answer=answer, smoothing=0.2, seed=seed, iterations=3)
        assert not few.solve(TARGET).converged


def test_another_population_is_tried_where_the_first_stalls():
    # A hinge with two hollows: the near one is no answer, and has no way to the other.
    def hollows(places):
        angle = np.arctan2(-places[:, -1, 0], places[:, -1, 1])
        return np.minimum(np.abs(angle - 1.2), 0.1 + np.abs(angle + 0.8))

    runs = []
    for seed in range(30):
        arm = Skeleton.chain(1, kind="hinge")
        run = tracker(arm, [PlacesFunction(hollows)], seed=seed, particles=5, iterations=1500)
        solution = run.solve(np.zeros((0, 3)))
        assert solution.converged
        runs.append(solution.extras["runs"])
        # The populations before ended in the other one, and `modes` knows.
        lacks = sorted(round(mode.worst, 1) for mode in ParticleStream(run).modes())
        assert lacks == [0.0] if runs[-1] == 1 else [0.0, 0.1]
    assert sum(count > 1 for count in runs) >= 3
    assert max(runs) < MOST_RUNS


def test_several_populations_share_the_iterations():
    run = tracker(runs=5)
    solution = run.solve(TARGET)
    assert solution.converged
    assert solution.extras["runs"] == 5
    few = tracker(runs=5, iterations=30)
    assert few.solve(TARGET).iterations == 30


def test_contradictions_end():
    # Cooled down, with all populations: not an endless loop, and not the last bit of the budget.
    far = [Reach("tip"), PlacesFunction(lambda p: p[:, -1, 1] - 5.0)]
    solution = tracker(ARM, far, iterations=100_000, particles=5).solve(TARGET)
    assert not solution.converged
    assert solution.extras["runs"] == MOST_RUNS
    assert solution.iterations < 20_000


def test_draws_grow_with_the_joints():
    # Fig. 4b without a clock: one draw for each joint of each particle, whatever the chain.
    for joints in (2, 10, 100):
        start = bent_chain(joints)
        run = tracker(start.skeleton, iterations=7, tolerance=0.0, schedule="constant")
        run.solve(np.array([[0.5, 0.5, 0.0]]))
        state = particles_of(run).state[0]
        assert state.steps == 7
        assert state.drawn == 7 * 30 * joints


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="plain Python allocates")
def test_iterations_allocate_nothing():
    from numba.core.runtime import _nrt_python as memory

    memory.memsys_enable_stats()
    run = tracker(ARM, [Reach("tip")], iterations=3, tolerance=0.0)
    run.solve(TARGET)
    run.run.solve(0, 1)
    before = memory.memsys_get_stats_alloc()
    run.run.context.settings["iterations"] = 200
    run.run.solve(0, 1)
    after = memory.memsys_get_stats_alloc()
    memory.memsys_disable_stats()
    state = particles_of(run).state[0]
    assert state.steps == 200
    assert state.runs >= 1
    assert after == before
