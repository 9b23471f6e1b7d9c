"""One iteration at a time, and the different answers."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.kernels.limits import limit_violation_frames
from sixpoint.limits import hand_limits
from sixpoint.motion.pose import Pose
from sixpoint.solvers import DampedSolver, MonteCarloSolver
from sixpoint.solvers.particles.stream import ParticleStream, cluster, find_modes
from sixpoint.tasks import PlacesFunction, Reach

from .arms import ARM, TARGET, particles_of, tracker


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
    iterates = list(ParticleStream(run).iterates(TARGET))
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
    stream = ParticleStream(run)
    for iterate in stream.iterates(TARGET):
        if iterate.step == 3:
            break
    missed = np.linalg.norm(run.solve(TARGET * np.nan).pose.world()[0][-1] - TARGET[0])
    assert missed == pytest.approx(iterate.worst)
    places, weights = stream.particles()
    assert places.shape == (30, 5, 3)
    assert weights.sum() == pytest.approx(1.0)


def test_every_iterate_keeps_its_limits():
    hand = Skeleton.hand()
    limits = hand_limits(hand)
    run = tracker(hand, None, limits, iterations=40)
    nodes = [hand.index(tip) for tip in hand.site_names]
    targets = hand.rest()[0][nodes] + np.array((-0.05, 0.06, 0.02))
    table = limits.table(hand.names)
    for iterate in ParticleStream(run).iterates(targets):
        locals_ = particles_of(run).local
        out = np.zeros(locals_.shape[:2])
        limit_violation_frames(table, locals_, out)
        assert out.max() == 0.0  # no particle ever
        poses = np.stack([iterate.pose.rotations, iterate.estimate.rotations])
        motion = sp.Motion(hand, np.zeros((2, 3)), poses, 60.0)
        assert limits.violations(motion).max() < 1e-9


def test_iterates_are_a_motion(tmp_path):
    # Every iterate is a frame, which can be saved and played; larger noise moves faster.
    steps = []
    for spread in (0.05, 0.1, 0.2):
        run = tracker(spread=spread, smoothing=0.5, momentum=0.0)
        poses = [i.pose for i in ParticleStream(run).iterates(TARGET)]
        motion = sp.Motion(
            ARM, np.array([p.root for p in poses]), np.array([p.rotations for p in poses]), 60.0
        )
        sp.save(motion, tmp_path / "arm.npz")
        assert len(sp.load(tmp_path / "arm.npz")) == len(poses) > 5
        steps.append(len(poses))
    assert steps == sorted(steps, reverse=True)


def two_bones(**settings):
    """A planar arm: elbow to the left, or to the right."""
    arm = Skeleton.chain(2, 2.0, kind="hinge")
    run = tracker(arm, **settings)
    run.reset(Pose(arm, np.zeros(3), arrays.identity(2)))
    return run, np.array([[0.0, 1.2, 0.0]])


def sides(modes):
    return sorted(float(np.sign(mode.pose.world()[0][1, 0])) for mode in modes)


def test_several_answers_to_one_question():
    run, target = two_bones()
    modes = ParticleStream(run).explore(target, runs=20)
    assert len(modes) == 2
    assert sides(modes) == [-1.0, 1.0]
    assert max(mode.worst for mode in modes) < 1e-3
    assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
    # The tracker itself has not moved.
    assert run.solve(target * np.nan).pose.rotations == pytest.approx(arrays.identity(2))


def test_populations_of_one_frame_find_several_answers():
    # One solve, and what all its populations came to.
    both = 0
    for seed in range(20):
        run, target = two_bones(runs=8, seed=seed)
        solution = run.solve(target)
        assert solution.converged
        assert solution.extras["runs"] == 8
        modes = ParticleStream(run).modes()
        good = [mode for mode in modes if mode.worst <= 2e-4]
        both += sides(good) == [-1.0, 1.0]
        assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
        assert modes[0].worst <= 2e-4
    assert both >= 18  # each side is as good: one in 128 has all on one


def test_modes_of_the_particles():
    run = tracker(schedule="constant", noise=0.2, sigma=0.5, iterations=20, resample=0.0)
    run.solve(TARGET)
    many, one = (ParticleStream(run).modes(distance) for distance in (0.01, 10.0))
    assert len(many) > 5
    assert len(one) == 1
    for modes in (many, one):
        assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
        for mode in modes:
            missed = np.linalg.norm(mode.pose.world()[0][-1] - TARGET[0])
            assert mode.worst == pytest.approx(missed)


def test_functions_count_in_modes():
    run = tracker(ARM, [Reach("tip"), PlacesFunction(lambda p: np.full(len(p), 0.25))],
                  iterations=20)  # fmt: skip
    run.solve(TARGET)
    assert all(mode.worst >= 0.25 for mode in ParticleStream(run).modes())


@pytest.mark.parametrize("prior", ["sik", "guided"])
def test_people_are_streamed_too(prior: str):
    clip = sp.builtin("boxing").frames(slice(60, 66))
    points = clip.points()
    solver = MonteCarloSolver(prior=prior)
    whole, run = (solver.prepare(clip.skeleton, rate=clip.rate) for _ in range(2))
    frames = points.positions.copy()
    frames[3:, points.names.index("l_wrist")] += (0.4, 0.0, 0.0)  # too far
    stream, steps = ParticleStream(run), 0
    for frame in frames:
        solution = whole.solve(frame)
        iterates = list(stream.iterates(frame))
        steps += len(iterates)
        np.testing.assert_array_equal(run.run.frames.out.rotations[0], solution.pose.rotations)
        assert set(solution.tasks) >= {"reach head", "posture"}
        for iterate in iterates:
            assert iterate.pose.rotations.shape == solution.pose.rotations.shape
    assert steps > 0
    places, weights = stream.particles()
    assert places.shape == (30, len(clip.skeleton.node_names), 3)
    assert weights.sum() == pytest.approx(1.0)
    modes = stream.explore(frames[-1], runs=3)
    assert sum(mode.weight for mode in modes) == pytest.approx(1.0)
    assert np.isfinite([mode.worst for mode in stream.modes()]).all()


def test_senseless_runs_and_seeds_are_refused():
    run = ParticleStream(tracker())
    for runs in (0, -1):
        with pytest.raises(InputError, match="`runs` in"):
            run.explore(TARGET, runs=runs)
    with pytest.raises(InputError, match="`runs` to be a whole number"):
        run.explore(TARGET, runs=1.5)
    start = Pose(ARM, np.zeros(3), arrays.identity(4))
    with pytest.raises(InputError, match="`seed` to be a whole number"):
        run.begin(start, 1.5)
    with pytest.raises(InputError, match=r"`seed` in \[0, .*, got -1"):
        run.begin(start, -1)
    with pytest.raises(InputError, match="same skeleton, with 4 joints; got one with 2"):
        run.begin(Pose(Skeleton.chain(2), np.zeros(3), arrays.identity(2)))


def test_other_solvers_have_no_particles():
    with pytest.raises(InputError, match="tracker of solver 'monte-carlo', got one of 'dls'"):
        ParticleStream(DampedSolver().prepare(ARM))


def test_another_seed_is_another_stream():
    start = Pose(ARM, np.zeros(3), arrays.identity(4))
    found = []
    for seed in (None, 0, 5, 5):
        run = tracker()
        ParticleStream(run).begin(start, seed)
        found.append(run.solve(TARGET).pose.rotations)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[2], found[3])
    assert np.abs(found[0] - found[2]).max() > 1e-3


def test_groups_of_poses():
    places = np.array([0.0, 0.1, 5.0, 5.05, 0.15])[:, None, None] * np.ones((5, 2, 3))
    weights = np.array((0.1, 0.3, 0.2, 0.25, 0.15))
    assert cluster(places, weights, 0.5) == [[1, 4, 0], [3, 2]]
    assert len(cluster(places, weights, 0.0)) == 5
    with pytest.raises(InputError, match="`distance` >= 0"):
        cluster(places, weights, -1.0)


def test_a_chain_of_poses_is_one_group():
    places = np.linspace(0.0, 10.0, 21)[:, None, None] * np.ones((21, 1, 1))
    assert len(cluster(places, np.ones(21), 0.6)) == 1
    assert len(cluster(places, np.ones(21), 0.4)) == 21


def test_modes_are_met_first_and_then_heavy():
    arm = Skeleton.chain(1, kind="hinge")
    angles = (0.0, 0.01, 1.0, 2.0, 2.02)
    poses = [
        Pose(arm, np.zeros(3), arrays.from_axis_angle((0.0, 0.0, 1.0), a)[None]) for a in angles
    ]
    weights = np.array((0.1, 0.1, 0.5, 0.2, 0.1))
    worst = np.array((1e-5, 2e-6, 0.3, 1e-5, 1e-4))
    modes = find_modes(poses, weights, worst, 1e-3, 0.1)
    assert [mode.worst for mode in modes] == [1e-5, 2e-6, 0.3]
    assert [mode.weight for mode in modes] == pytest.approx([0.3, 0.2, 0.5])
    assert modes[1].pose is poses[1]  # the one that lacks least
