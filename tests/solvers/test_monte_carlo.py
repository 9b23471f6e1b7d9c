"""The particle filter as a whole: what only it can do."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import limit_violation_frames
from sixpoint.limits import FlexionLimit, Limits, adult_limits, hand_limits
from sixpoint.motion.points import Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers import MonteCarloSolver
from sixpoint.solvers.particle_solution import cluster
from sixpoint.solvers.particle_tracker import ParticleTracker
from sixpoint.tasks import (
    Balance,
    Coupling,
    Floor,
    LookAt,
    PlacesFunction,
    PoseFunction,
    Posture,
    Reach,
    Smoothness,
)

ARM = Skeleton.chain(4)
TARGET = np.array([[0.4, 0.5, 0.2]])


def tracker(skeleton=ARM, tasks=None, limits=None, *, names=None, **settings) -> ParticleTracker:
    solver = MonteCarloSolver(**settings)
    found = solver.prepare(skeleton, tasks=tasks, limits=limits, names=names)
    assert isinstance(found, ParticleTracker)
    return found


# The filter is a filter.


def test_it_is_a_kalman_filter_where_one_is_exact():
    # S2.5: the root wanders in space, linear and Gaussian, and is measured; the joint is still.
    # The log-likelihood -d^2 / S has no half: its variance is S / 2 (A2.2).
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
    for iterate in run.iterates(target[None]):
        variance += noise**2
        gain = variance / (variance + 0.5 * sigma**2)
        mean, variance = mean + gain * (target - mean), (1.0 - gain) * variance
        # Deviations of the mean of so many particles; resampling on the way adds some.
        wall = 6.0 * np.sqrt(variance / iterate.effective)
        np.testing.assert_allclose(iterate.estimate.root, mean, atol=wall)
        swarm = run._memory.filter.swarm
        spread = swarm.weight @ (swarm.root - iterate.estimate.root) ** 2
        np.testing.assert_allclose(spread, variance, rtol=0.1)
    assert mean[0] > 0.05


def test_the_noise_of_tasks_ranks_them():
    # S2.16: between two targets that exclude each other, errors are as the variances.
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
        mine, other = solution.tasks["reach tip"], solution.tasks["<lambda>"]
        assert not solution.converged
        assert mine + other == pytest.approx(0.8, abs=0.02)
        assert other / mine == pytest.approx(ratio**2, rel=0.1)


def test_smoothing_goes_a_tenth_of_the_way():
    # S2.19: the response to a step is 1 - 0.9^k, and takes 66 iterations to a thousandth.
    run = tracker(smoothing=0.1, schedule="constant", noise=0.3, iterations=30)
    run.begin(Pose(ARM, np.zeros(3), arrays.identity(4)))
    last = arrays.identity()
    for iterate in run.iterates(TARGET):
        away = arrays.multiply(arrays.conjugate(last), iterate.estimate.rotations[0])
        expected = arrays.multiply(last, arrays.from_rotvec(0.1 * arrays.to_rotvec(away)))
        assert arrays.angle_between(expected, iterate.pose.rotations[0]) < 1e-9
        last = iterate.pose.rotations[0]
    assert 1.0 - 0.9**66 > 0.999 > 1.0 - 0.9**65


def test_smoothing_takes_out_the_jitter():
    # S2.18: RMS second difference of the tip, at least five times less.
    run = tracker(schedule="constant", noise=0.05, sigma=0.05, iterations=150, tolerance=0.0)
    raw, smooth = [], []
    for iterate in run.iterates(TARGET):
        raw.append(iterate.estimate.world()[0][-1])
        smooth.append(iterate.pose.world()[0][-1])
    jitter = [np.sqrt((np.diff(p, 2, axis=0) ** 2).sum(axis=1).mean()) for p in (raw, smooth)]
    assert jitter[0] > 5.0 * jitter[1]


# Seeds and streams.


def test_the_same_seed_gives_the_same_answer_and_another_another():
    one, same = (tracker(seed=3).solve(TARGET) for _ in range(2))
    other = tracker(seed=4).solve(TARGET)
    np.testing.assert_array_equal(one.pose.rotations, same.pose.rotations)
    assert np.abs(one.pose.rotations - other.pose.rotations).max() > 1e-3
    run = tracker(seed=3)
    run.solve(TARGET)
    run.reset()
    np.testing.assert_array_equal(run.solve(TARGET).pose.rotations, one.pose.rotations)


def test_iterates_end_where_solve_does():
    whole = tracker().solve(TARGET)
    run = tracker()
    iterates = list(run.iterates(TARGET))
    assert len(iterates) == whole.iterations > 5
    assert [i.step for i in iterates] == list(range(1, whole.iterations + 1))
    np.testing.assert_array_equal(iterates[-1].estimate.rotations, whole.pose.rotations)
    assert iterates[-1].worst == pytest.approx(whole.residuals[0])
    assert all(1.0 <= i.effective <= 30.0 + 1e-9 for i in iterates)
    # Both go on alike.
    again = run.solve(-TARGET)
    run = tracker()
    run.solve(TARGET)
    np.testing.assert_array_equal(run.solve(-TARGET).pose.rotations, again.pose.rotations)


def test_a_stream_can_be_left():
    run = tracker()
    for iterate in run.iterates(TARGET):
        if iterate.step == 3:
            break
    missed = np.linalg.norm(run.solve(TARGET * np.nan).pose.world()[0][-1] - TARGET[0])
    assert missed == pytest.approx(iterate.worst)
    places, weights = run.particles()
    assert places.shape == (30, 5, 3)
    assert weights.sum() == pytest.approx(1.0)


def test_every_iterate_keeps_its_limits():
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    run = tracker(hand, None, limits, iterations=40)
    nodes = [hand.index(tip) for tip in hand.site_names]
    targets = hand.rest()[0][nodes] + np.array((-0.05, 0.06, 0.02))
    table = limits.table(hand.names)
    for iterate in run.iterates(targets):
        locals_ = run._memory.filter.swarm.local
        out = np.zeros(locals_.shape[:2])
        limit_violation_frames(table, locals_, out)
        assert out.max() == 0.0  # no particle ever
        poses = np.stack([iterate.pose.rotations, iterate.estimate.rotations])
        motion = sp.Motion(hand, np.zeros((2, 3)), poses, 60.0)
        assert limits.violations(motion).max() < 1e-9


# Tasks.


def test_functions_give_the_same_bits_as_built_in_tasks():
    # A function with nothing to say: the loop runs outside the kernel, with the same numbers.
    quiet = [PlacesFunction(lambda p: np.zeros(len(p))), PoseFunction(lambda pose: 0.0)]
    plain = tracker(ARM, [Reach("tip")]).solve(TARGET)
    asked = tracker(ARM, [Reach("tip"), *quiet]).solve(TARGET)
    np.testing.assert_array_equal(plain.pose.rotations, asked.pose.rotations)
    points = Points(("tip",), np.stack([TARGET, -TARGET]), 60.0)
    clips = [
        tracker(ARM, [Reach("tip"), *more]).solve_clip(points).motion.rotations
        for more in ([], quiet)
    ]
    np.testing.assert_array_equal(*clips)


@pytest.mark.parametrize("kind", ["pose", "places"])
def test_any_function_can_be_asked(kind: str):
    # S2.36: the elbow outside of a ball, whatever the tip does.
    def inside(places):
        return np.maximum(0.0, 0.3 - np.linalg.norm(places[:, 2] - (0.0, 0.5, 0.0), axis=1))

    task = (
        PlacesFunction(inside, name="outside")
        if kind == "places"
        else PoseFunction(lambda pose: inside(pose.world()[0][None]), name="outside")
    )
    solution = tracker(ARM, [Reach("tip"), task]).solve(TARGET)
    assert solution.converged
    assert solution.tasks["outside"] < 1e-4
    assert np.linalg.norm(solution.pose.world()[0][2] - (0.0, 0.5, 0.0)) > 0.3 - 1e-4


def test_a_function_alone_is_a_task():
    # Nothing to reach: no points.
    run = tracker(ARM, [PlacesFunction(lambda p: p[:, -1, 1] - 0.3, name="low")], names=())
    solution = run.solve(np.zeros((0, 3)))
    assert abs(solution.tasks["low"]) < 1e-3


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda p: 1.0 / 0.0, "task 'mine' to judge a pose; it raised ZeroDivisionError"),
        (lambda p: np.zeros((len(p), 2)), r"task 'mine' to give the shape \(30,\), got \(30, 2\)"),
        (lambda p: np.full(len(p), np.nan), "task 'mine' to give finite numbers, got nan"),
    ],
)
def test_functions_that_fail_are_named(function, message):
    first = True

    def later(places):  # well at first, so that the loop is on its way
        nonlocal first
        if first:
            first = False
            return np.ones(len(places))
        return function(places)

    run = tracker(ARM, [Reach("tip"), PlacesFunction(later, name="mine")])
    with pytest.raises(InputError, match=message):
        run.solve(TARGET)


def test_contradictory_tasks_are_a_result():
    # One point in two places; the floor above the ceiling of what is left.
    solution = tracker(ARM, [Reach("tip"), Floor("tip", 0.9), Floor("tip", 0.1)]).solve(TARGET)
    assert not solution.converged
    assert set(solution.tasks) == {"reach tip", "floor tip", "floor tip (2)"}
    assert solution.tasks["floor tip"] + solution.tasks["floor tip (2)"] == pytest.approx(0.8)
    assert solution.tasks["reach tip"] < 0.1


def test_a_person_looks_and_keeps_its_balance():
    person = Skeleton.humanoid(1.75)
    stand = Pose(
        person,
        person.offsets[0],
        person.articulation.from_rest(arrays.identity(person.joint_count)),
    )
    feet = ("l_forefoot_tip", "l_calcaneous_post", "r_forefoot_tip", "r_calcaneous_post")
    run = tracker(
        person,
        [
            LookAt("head", at=(2.0, 2.0, 1.0)),
            Reach("l_wrist"),
            Balance.under(stand, feet),
            Posture(0.05, stand),
        ],
        adult_limits(person),
        iterations=500,
        spread=0.1,
    )
    solution = run.solve(np.array([(0.35, 1.2, 0.45)]))
    assert solution.tasks["look head"] < 0.02  # [rad]
    assert solution.tasks["balance"] == 0.0
    assert solution.residuals[0] < 0.02


def test_a_chain_becomes_even():
    rough = Pose(
        ARM,
        np.zeros(3),
        ARM.articulation.rotations(np.random.default_rng(1).uniform(-1, 1, 12)),
    )
    run = tracker(ARM, [Reach("tip"), Smoothness(weight=0.5)], spread=0.1, hardness=0.3)
    run.begin(rough)
    even = run.solve(TARGET)
    run = tracker(ARM, [Reach("tip")], spread=0.1, hardness=0.3)
    run.begin(rough)
    plain = run.solve(TARGET)
    energies = [float(Smoothness().measure(s.pose)[0]) for s in (even, plain)]
    assert even.converged
    assert energies[0] < 0.5 * energies[1]


def test_limits_that_reject_everything_are_reported():
    chain = Skeleton.chain(3, kind="hinge")
    narrow = FlexionLimit.degrees(0.0, 1e-6, (0.0, 0.0, 1.0))
    limits = Limits(dict.fromkeys(chain.names, narrow))
    solution = tracker(chain, None, limits, iterations=50).solve(np.array([[0.5, 0.5, 0.0]]))
    assert solution.projections > 1000
    assert solution.rejections >= 20 * solution.projections
    assert solution.stop.value == "limits_saturated"


# The state, and its answers.


def test_a_root_that_moves_goes_where_it_must():
    far = np.array([[3.0, 1.0, 2.0]])
    fixed = tracker().solve(far)
    assert fixed.stop.value == "unreachable"
    moved = tracker(root=1.0, iterations=800).solve(far)
    assert moved.converged
    assert np.linalg.norm(moved.pose.root) > 1.5
    np.testing.assert_array_equal(fixed.pose.root, 0.0)


def test_the_mean_of_all_particles():
    run = tracker(answer="mean")
    solution = run.solve(TARGET)
    assert solution.residuals[0] < 1e-2
    smooth = tracker(answer="smooth", smoothing=0.5).solve(TARGET)
    assert 1e-6 < smooth.residuals[0] < 0.2


def test_velocity_goes_on():
    # A target that moves evenly: from the second frame on the start is nearer to it.
    angles = np.linspace(0.0, 1.0, 20)
    path = np.stack([0.7 * np.sin(angles), 0.7 * np.cos(angles), 0.0 * angles], axis=1)
    points = Points(("tip",), path[:, None], 60.0)
    steps = {}
    for prior in ("constant", "velocity"):
        result = tracker(prior=prior).solve_clip(points)
        assert result.residuals.max() < 2e-4
        steps[prior] = result.iterations[3:].mean()
    assert steps["velocity"] < steps["constant"]


def test_several_answers_to_one_question():
    # A planar arm of two bones: elbow to the left, or to the right.
    arm = Skeleton.chain(2, 2.0, kind="hinge")
    run = tracker(arm, start=0.5)
    target = np.array([[0.0, 1.2, 0.0]])
    run.begin(Pose(arm, np.zeros(3), arrays.identity(2)))
    modes = run.explore(target, runs=20)
    good = [mode for mode in modes if mode.worst < 1e-3]
    assert len(good) == 2
    sides = sorted(float(np.sign(mode.pose.world()[0][1, 0])) for mode in good)
    assert sides == [-1.0, 1.0]
    assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
    # The tracker itself has not moved.
    assert run.solve(target * np.nan).pose.rotations == pytest.approx(arrays.identity(2))


def test_modes_of_the_particles():
    run = tracker(schedule="constant", noise=0.2, sigma=0.5, iterations=20, resample=0.0)
    run.solve(TARGET)
    many, one = run.modes(0.01), run.modes(10.0)
    assert len(many) > 5
    assert len(one) == 1
    for modes in (many, one):
        assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
        weights = [mode.weight for mode in modes]
        assert weights == sorted(weights, reverse=True)


def test_groups_of_poses():
    places = np.array([0.0, 0.1, 5.0, 5.05, 0.15])[:, None, None] * np.ones((5, 2, 3))
    weights = np.array((0.1, 0.3, 0.2, 0.25, 0.15))
    assert cluster(places, weights, 0.5) == [[1, 4, 0], [3, 2]]
    assert len(cluster(places, weights, 0.0)) == 5
    with pytest.raises(InputError, match="`distance` >= 0"):
        cluster(places, weights, -1.0)


# People from six points.


@pytest.mark.parametrize("prior", ["sik", "constant", "velocity"])
def test_people_from_six_points(prior: str):
    clip = sp.builtin("boxing")
    clip = clip.frames(slice(0, 120, 4))
    result = sp.reconstruct(clip.points(), clip.skeleton, solver="monte-carlo", prior=prior)
    sik = sp.reconstruct(clip.points(), clip.skeleton, solver="sik")
    assert result.report.limit_violations == 0
    # What sequential IK cannot reach within limits comes nearer.
    assert (result.residuals**2).sum() <= (sik.residuals**2).sum() + 1e-4
    error, before = (sp.compare(r.motion, clip).position_rms for r in (result, sik))
    assert error < 1.5 * before
    assert result.iterations.max() > 0


# What is refused.


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"particles": 0}, "`particles` from 1 to"),
        ({"particles": 2.5}, "`particles` from 1 to"),
        ({"seed": -1}, "`seed` from 0 to"),
        ({"tries": 0}, "`tries` from 1 to"),
        ({"schedule": "hot"}, "`schedule` to be one of annealed, constant"),
        ({"sampler": "x"}, "`sampler` to be one of gaussian, paper"),
        ({"answer": "x"}, "`answer` to be one of best, mean, smooth"),
        ({"prior": "x"}, "`prior` to be one of sik, constant, velocity"),
        ({"spread": 0.0}, "`spread` > 0"),
        ({"sigma": np.nan}, "`sigma` > 0"),
        ({"root": -1.0}, "`root` >= 0"),
        ({"smoothing": 1.5}, "`smoothing` <= 1"),
        ({"largest": 2.0}, "`largest` <= 1"),
    ],
)
def test_senseless_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        MonteCarloSolver(**settings)


def test_covariances_of_unknown_joints_are_refused():
    with pytest.raises(UnknownName, match="No joint to give a covariance 'knee'"):
        tracker(covariance={"knee": (1.0, 0.0, 0.0)})
    assert hash(MonteCarloSolver(covariance={"knee": (1.0, 0.0, 0.0)})) is not None


def test_tasks_without_a_target_are_refused():
    with pytest.raises(InputError, match="target for the task 'look tip'"):
        tracker(ARM, [Reach("tip"), LookAt("tip")])
    with pytest.raises(InputError, match="hinge to couple"):
        tracker(ARM, [Reach("tip"), Coupling("joint_1", "joint_2")])
    with pytest.raises(InputError, match="one run or more"):
        tracker().explore(TARGET, runs=0)
