"""What methods share that sweep over joints: stop rule, straight chains, trees, people."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import sixpoint as sp
from figures import CROSSED, FIGURES, random_pose
from rigs import odd_rig
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import adult_limits
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.base import Solver
from sixpoint.solvers.solution import Result, StopReason
from sixpoint.solvers.sweeps.methods import CCDSolver, FABRIKSolver
from sixpoint.solvers.tracker import Tracker
from sixpoint.tasks import Reach

from ..bodies import HUMAN, standing

METHODS = {"ccd": CCDSolver, "fabrik": FABRIKSolver}
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
TRIALS = 10 if PLAIN else 1000
PELVIS, HEAD, L_WRIST, R_WRIST, L_ANKLE, R_ANKLE = range(6)
LIMITS = adult_limits(HUMAN)
CENTIMETRE = 0.01 / 1.83 * HUMAN.anatomy.height

each_method = pytest.mark.parametrize("method", METHODS)


def solver(method: str, **settings) -> Solver:
    return METHODS[method](**settings)


def follow(points: Points, skeleton: Skeleton, method: str, **settings) -> Result:
    """A person followed through a clip."""
    return solver(method, **settings).prepare(skeleton, rate=points.rate).solve_clip(points)


def plain_tracker(chosen: Solver, skeleton: Skeleton) -> Tracker:
    """A tracker whose kernel runs as plain Python."""
    plan = chosen.prepare(skeleton).plan
    plan.bind = partial(partial, plan.kernel.function)
    return Tracker(plan)


def directions(seed: int, count: int) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


# --- chains ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "part"), [(CCDSolver(order="inwards"), 0.3), (FABRIKSolver(), 0.7)]
)
def test_a_stride_saves_sweeps(method, part: float):
    rng = np.random.default_rng(2)
    chain = Skeleton.chain(30)
    sweeps = {}
    for stride in (True, False):
        tracker = replace(method, stride=stride).prepare(chain)
        solutions = []
        for _ in range(20):
            tracker.reset()
            target = rng.normal(size=3)
            target *= 0.95 / np.linalg.norm(target)
            solutions.append(tracker.solve(target[None]))
        sweeps[stride] = np.median([s.iterations for s in solutions])
    assert sweeps[True] < part * sweeps[False]
    assert method.prepare(chain).run.context.settings[0].longest_stride > 0.0
    assert method.prepare(HUMAN).run.context.settings[0].longest_stride > 0.0
    literal = replace(method, variant="paper").prepare(HUMAN)
    assert literal.run.context.settings[0].longest_stride == 0.0


@each_method
def test_out_of_reach_sweeps_end_when_the_chain_is_stretched(method: str):
    target = np.array([(1.2, 0.9, 0.0)])
    solution = solver(method).prepare(Skeleton.chain(10)).solve(target)
    assert solution.stop is StopReason.UNREACHABLE
    assert solution.iterations < 400
    assert solution.residuals[0] == pytest.approx(0.5, abs=2e-4)


def test_a_stride_is_taken_or_not():
    with pytest.raises(InputError, match="`stride` to be True, False or None, got 'yes'"):
        solver("fabrik", stride="yes")


# --- chains and trees -----------------------------------------------------------------------------


@each_method
@pytest.mark.parametrize("start", ["straight", "random"])
@pytest.mark.parametrize("joints", [6, 15, 30])
def test_chains_reach_what_they_can(method, start, joints):
    rng = np.random.default_rng(joints)
    targets = directions(1, TRIALS) * 0.9 * rng.uniform(size=(TRIALS, 1)) ** (1 / 3)
    tracker = solver(method).prepare(Skeleton.chain(joints))
    solutions = []
    for target in targets:
        tracker.reset()
        if start == "random":
            tracker.run.context.pose.local[:] = arrays.normalize(rng.normal(size=(joints, 4)))
        solutions.append(tracker.solve(target[None]))
    assert np.mean([s.residuals[0] < 1e-3 for s in solutions]) >= 0.99
    assert max(s.iterations for s in solutions) <= 500


@each_method
@pytest.mark.parametrize("kind", ["ball", "hinge"])
@pytest.mark.parametrize("along", [0.5, -0.5, 0.0, 0.8, 1.0, 3.0, -3.0])
def test_a_straight_chain_finds_a_target_on_its_line(method, kind, along):
    for joints in (2, 3, 6):
        tracker = solver(method).prepare(Skeleton.chain(joints, kind=kind))
        if kind == "hinge":
            tracker.run.context.pose.local[:] = arrays.identity(joints)  # not bent beforehand
        solution = tracker.solve(np.array([(0.0, along, 0.0)]))
        assert solution.residuals[0] == pytest.approx(max(abs(along) - 1.0, 0.0), abs=2e-3)


@each_method
def test_a_chain_that_is_as_near_as_it_can_be_stays(method):
    tracker = solver(method).prepare(Skeleton.chain(4))
    pose = tracker.solve(np.array([(0.0, 2.0, 0.0)])).pose
    assert np.array_equal(pose.rotations, arrays.identity(4))


@each_method
@pytest.mark.parametrize("name", ["tree", "hand"])
def test_skeletons_reach_poses_of_their_own(method, name):
    skeleton = FIGURES[name]
    tracker = solver(method).prepare(skeleton, limits=None)
    nodes = [skeleton.index(tip) for tip in tracker.names]
    met = []
    for seed in range(4 if PLAIN else 40):
        pose = random_pose(skeleton, seed, 0.7)
        targets = pose.world()[0][nodes] - pose.root + skeleton.offsets[0]
        tracker.reset()
        met.append(tracker.solve(targets).residuals.max() < 1e-3 * tracker.plan.length)
    assert np.mean(met) >= 0.9


@each_method
def test_weights_decide_between_targets(method):
    tree = Skeleton.tree(2, 1, trunk=2)
    targets = np.array([(-0.9, 0.2, 0.0), (0.9, 0.2, 0.0)])
    missed = []
    for weight in (0.1, 10.0):
        tasks = [Reach("tip_1"), Reach("tip_2", weight=weight)]
        missed.append(solver(method).prepare(tree, tasks=tasks).solve(targets).residuals)
    assert missed[1][1] < missed[0][1]
    assert missed[1][0] > missed[0][0]


@each_method
def test_a_task_of_no_weight_is_not_served(method):
    tree = Skeleton.tree(2, 3)
    tasks = [Reach("tip_1"), Reach("tip_2", weight=0.0)]
    tracker = solver(method).prepare(tree, tasks=tasks)
    solution = tracker.solve(np.array([(-0.3, 0.6, 0.2), (5.0, 0.0, 0.0)]))
    assert solution.converged
    assert solution.residuals[0] < 1e-3
    assert solution.residuals[1] > 3.0  # and yet it is measured


@each_method
def test_the_best_pose_is_kept(method):
    # Limits and far targets make sweeps lose what they had won.
    clip = builtin("overhead").frames(slice(0, None, 8))
    for steps in (1, 3, 20):
        few, more = (
            follow(clip.points(), HUMAN, method, iterations=n, least_gain=-1.0)
            for n in (steps, 5 * steps)
        )
        assert more.residuals[0].max() <= few.residuals[0].max() + CENTIMETRE


@pytest.mark.skipif(PLAIN, reason="no compiler")
@each_method
@pytest.mark.parametrize("name", ["tree", "hinges", "hand"])
def test_compiled_and_plain_give_the_same_bits_on_skeletons(method, name):
    skeleton = FIGURES[name]
    chosen = solver(method, iterations=6)
    fast, plain = chosen.prepare(skeleton), plain_tracker(chosen, skeleton)
    for seed in range(3):
        targets = directions(seed, len(fast.names)) * 0.6 * fast.plan.length
        one, other = fast.solve(targets), plain.solve(targets)
        assert np.array_equal(one.pose.rotations, other.pose.rotations)
        assert one.iterations == other.iterations


# --- people ---------------------------------------------------------------------------------------


@pytest.mark.skipif(PLAIN, reason="no compiler")
@each_method
def test_compiled_and_plain_give_the_same_bits_on_people(method):
    points = builtin("boxing").frames(slice(0, 30)).points()
    fast, plain = solver(method).prepare(HUMAN), plain_tracker(solver(method), HUMAN)
    one, other = (tracker.solve_clip(points) for tracker in (fast, plain))
    assert np.array_equal(one.motion.rotations, other.motion.rotations)
    assert np.array_equal(one.motion.root, other.motion.root)
    assert np.array_equal(one.iterations, other.iterations)


@each_method
@pytest.mark.parametrize("name", CLIPS)
def test_built_in_clips_are_reconstructed(method, name):
    clip = builtin(name)
    result = follow(clip.points(), HUMAN, method)
    free = (~result.limited & ~result.unreachable)[:, 2:]
    assert np.median(result.residuals[:, 2:][free]) < CENTIMETRE
    assert result.report.target_mean_m < 0.02
    assert result.report.limit_violations == 0
    assert sp.compare(result.motion, clip).position_rms < 0.06
    assert result.report.solver == method


@each_method
@pytest.mark.parametrize("name", ["boxing", "overhead", "reach"])
def test_points_are_missed_less_than_as_published(method, name):
    clip = builtin(name)
    literal, nursed = (
        follow(clip.points(), HUMAN, method, variant=variant) for variant in ("paper", "best")
    )
    assert nursed.report.target_mean_m < 0.5 * literal.report.target_mean_m
    assert nursed.report.limit_violations == 0


@each_method
def test_pelvis_and_head_share_the_error(method):
    residuals = follow(builtin("reach").points(), HUMAN, method, variant="paper").residuals
    assert residuals[:, PELVIS] == pytest.approx(residuals[:, HEAD], abs=1e-12)
    assert residuals[:, PELVIS].max() > 1e-3  # it stops near, not at the target


@each_method
def test_hinges_only_flex(method):
    turned = follow(builtin("squat").points(), HUMAN, method).motion.rotations
    for name in ("l_elbow", "r_elbow", "l_knee", "r_knee"):
        assert np.abs(turned[:, HUMAN.index(name), 2:]).max() < 1e-15


@each_method
def test_frames_start_from_the_one_before(method):
    frame = standing()
    frame[[L_WRIST, R_WRIST]] += (0.0, 0.2, 0.2)
    tracker = solver(method).prepare(HUMAN)
    first = tracker.solve(frame)
    again = tracker.solve(frame)
    assert first.iterations > 0
    assert again.iterations == 0  # it is met already
    assert np.array_equal(first.pose.rotations, again.pose.rotations)
    tracker.reset()
    assert np.array_equal(tracker.solve(frame).pose.rotations, first.pose.rotations)


@each_method
@pytest.mark.parametrize("raised", [0.03, 0.06, 0.12])
def test_a_straight_leg_bends_when_its_foot_is_raised(method, raised):
    frame = standing()
    tracker = solver(method).prepare(HUMAN)
    down = frame.copy()
    down[[L_ANKLE, R_ANKLE], 1] -= 0.05  # legs are stretched all the way
    for _ in range(5):
        tracker.solve(down)
    frame[L_ANKLE, 1] += raised
    for _ in range(10):
        solution = tracker.solve(frame)
    assert solution.residuals[L_ANKLE] < 1.1 * CENTIMETRE
    knee = solution.pose.rotations[HUMAN.index("l_knee")]
    assert 2.0 * np.arctan2(knee[1], knee[0]) > np.radians(10.0)  # forwards


@each_method
def test_stop_reasons(method):
    tracker = solver(method).prepare(HUMAN)
    frame = standing()
    frame[[L_WRIST, R_WRIST]] += (0.0, 0.2, 0.2)
    solution = tracker.solve(frame)
    assert (solution.converged, solution.stop) == (True, StopReason.CONVERGED)
    far = frame.copy()
    far[L_WRIST] += (2.0, 0.0, 0.0)
    assert tracker.solve(far).stop is StopReason.UNREACHABLE
    tall = frame.copy()
    tall[HEAD] += (0.0, 0.5, 0.0)
    assert tracker.solve(tall).stop is StopReason.UNREACHABLE
    behind = standing()
    behind[R_ANKLE] += (0.0, 0.4, -0.7)
    arms_lead = solver(method, weights=(1.0, 0.0, 0.0), variant="paper")
    held = arms_lead.prepare(HUMAN)
    assert held.solve(behind).stop is StopReason.LIMITS_SATURATED
    once = solver(method, iterations=1, tolerance=1e-9, variant="paper")
    hurried = once.prepare(HUMAN, limits=None)
    assert hurried.solve(frame).stop is StopReason.MAX_ITERATIONS
    content = solver(method, least_gain=1.0, tolerance=1e-9, variant="paper")
    stubborn = content.prepare(HUMAN, limits=None)
    assert stubborn.solve(frame).stop is StopReason.STALLED


@each_method
def test_residuals_are_what_forward_kinematics_says(method):
    points = builtin("overhead").points()
    result = follow(points, HUMAN, method)
    nodes = [HUMAN.anatomy.node(role) for role in SIX]
    off = np.linalg.norm(result.motion.positions(nodes) - points.positions, axis=-1)
    assert result.residuals == pytest.approx(off, abs=1e-9)


@each_method
def test_joint_frames_of_the_rig_do_not_matter(method):
    points = builtin("boxing").frames(slice(0, 100)).points()
    rig = odd_rig(1)
    nodes = [rig.index(name) for name in HUMAN.node_names]
    places = follow(points, rig, method).motion.positions(nodes)
    expected = follow(points, HUMAN, method).motion.positions()
    assert places == pytest.approx(expected, abs=1e-6)


@effort(max_examples=20)
@given(st.sampled_from(tuple(METHODS)), st.integers(0, 2**32 - 1))
def test_any_stream_gives_bodies(method, seed):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(8, 6, 3)) * 10.0 ** rng.uniform(-3, 1, (8, 1, 1))
    positions[rng.random((8, 6)) < 0.2] = np.nan
    motion = follow(Points(SIX, positions, 60.0), HUMAN, method).motion
    assert np.isfinite(motion.rotations).all()
    assert LIMITS.violations(motion).max() < 1e-6


@each_method
def test_settings_that_make_no_sense(method):
    for changed, message in (
        ({"iterations": 0}, r"Expected `iterations` in \[1, 100000\], got 0"),
        ({"tolerance": -0.1}, r"Expected `tolerance` in \[0, 1\], got -0\.1"),
        ({"least_gain": 2.0}, r"Expected `least_gain` <= 1, got 2\.0"),
    ):
        with pytest.raises(InputError, match=message):
            solver(method, **changed)
    assert solver(method, least_gain=-np.inf).least_gain == -np.inf  # no such rule


@each_method
def test_chains_of_crossed_hinges(method):
    chain = Skeleton.chain(8, kind="hinge", axis=CROSSED)
    tracker = solver(method).prepare(chain)
    solution = tracker.solve(np.array([(0.3, 0.4, 0.2)]))
    assert solution.residuals[0] < 1e-3
    assert solution.converged
