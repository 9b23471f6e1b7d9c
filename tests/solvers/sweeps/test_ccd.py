"""Cyclic coordinate descent: golden numbers, a second opinion, the claims of the literature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sixpoint as sp
from sixpoint.bench.chains import REACHED, reachable_targets
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.kernels import arrays
from sixpoint.motion.points import SIX, Points
from sixpoint.motion.pose import Pose
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.sweeps.methods import (
    ALTERNATING,
    INWARDS,
    OUTWARDS,
    CCDSolver,
    goes_outwards,
)
from sixpoint.solvers.sweeps.steps import ccd_sweep
from sixpoint.tasks import Orient, Reach

from ..bodies import HUMAN, standing

HEAD, L_ANKLE = 1, 4
PAPER = {
    "17_10_boxing": ((1.0, 1.0, 0.0), 0.0316),
    "90_05_jump_kick": ((1.0, 1.0, 0.0), 0.0292),
    "01_03_playground_climb_hang_swing": ((0.1, 0.1, 1.0), 0.0275),
}
"""Weights and position error for each clip in Table 1 of Unzueta et al. 2008."""


class Sweeping:
    """A chain whose end is swept by hand."""

    def __init__(self, chain: Skeleton, target) -> None:
        context = CCDSolver().prepare(chain, limits=None, names=["tip"]).plan.new_context(60.0)
        self.context = SkeletonContext(context.settings[0], *context[1:])
        self.model, self.pose = context.model, context.pose
        self.target = np.array([target], dtype=float)

    @property
    def positions(self) -> np.ndarray:
        """Joints and the end, placed."""
        model_forward(self.model, self.pose)
        return np.concatenate([self.pose.position, self.pose.effectors])

    def sweep(self) -> float:
        """One sweep; the error after it."""
        model_forward(self.model, self.pose)
        targets = Targets(self.target, np.full((1, 4), np.nan))
        ccd_sweep(self.context, 0, targets, False)
        return float(np.linalg.norm(self.positions[-1] - self.target[0]))


def follow(points: Points, skeleton: Skeleton = HUMAN, limits="adult", **settings):
    """A person followed through a clip."""
    return CCDSolver(**settings).prepare(skeleton, limits=limits).solve_clip(points)


def test_the_planar_chain_of_the_golden_numbers():
    chain = Skeleton.chain(3, [1.0] * 3, kind="hinge", axis=(0, 0, 1), bone=(1, 0, 0))
    run = Sweeping(chain, (1.5, 1.8, 0.0))
    z = np.array((0.0, 0.0, 1.0))
    run.pose.local[:] = arrays.from_axis_angle(z, np.array((0.3, 0.5, 0.4)))
    assert run.positions[-1] == pytest.approx((2.014401, 1.944915, 0.0), abs=1e-6)
    assert run.sweep() == pytest.approx(0.163556, abs=1e-6)
    angles = 2.0 * np.arctan2(run.pose.local[:, 3], run.pose.local[:, 0])
    assert angles == pytest.approx((0.276473, 0.442642, 0.961609), abs=1e-6)
    assert run.sweep() == pytest.approx(0.083870, abs=1e-6)


def test_a_sweep_turns_from_the_end_to_the_root():  # against rotations of points
    rng = np.random.default_rng(4)
    run = Sweeping(Skeleton.chain(7), (0.3, 0.2, 0.4))
    run.pose.local[:] = arrays.normalize(rng.normal(size=(7, 4)))
    positions = run.positions
    for k in range(6, -1, -1):
        here, there = positions[-1] - positions[k], run.target[0] - positions[k]
        across = np.cross(here, there)
        angle = np.arctan2(np.linalg.norm(across), here @ there)
        turn = Rotation.from_rotvec(angle * across / np.linalg.norm(across))
        positions[k:] = positions[k] + turn.apply(positions[k:] - positions[k])
    run.sweep()
    assert run.positions == pytest.approx(positions, abs=1e-12)


def test_a_sweep_never_loses_on_a_free_chain():
    rng = np.random.default_rng(7)
    for seed in range(20):
        run = Sweeping(Skeleton.chain(5), rng.normal(size=3))
        run.pose.local[:] = arrays.normalize(np.random.default_rng(seed).normal(size=(5, 4)))
        errors = [run.sweep() for _ in range(6)]
        assert (np.diff(errors) <= 1e-12).all()


def test_two_ends_are_served_together():
    # One ball, two points across: turning about Y serves both, about anything else only one.
    tree = Skeleton.tree(2, 1, trunk=1, spread=2.0)
    tracker = CCDSolver().prepare(tree)
    pose = tracker.solve(np.full((2, 3), np.nan)).pose
    tips = pose.world()[0][[tree.index(name) for name in tracker.names]]
    turn = arrays.from_axis_angle(np.array((0.6, 0.64, 0.48)), 0.8)
    solution = tracker.solve(arrays.rotate(turn, tips))
    assert solution.residuals.max() < 1e-3


def test_positions_and_rotations_together():
    chain = Skeleton.chain(6)
    tracker = CCDSolver().prepare(chain, tasks=[Reach("tip"), Orient("tip")])
    turn = arrays.from_axis_angle(np.array((0.0, 0.0, 1.0)), 2.0)
    points = Points(("tip",), np.array([[(0.3, 0.5, 0.1)]]), 60.0, turn[None, None])
    result = tracker.solve_clip(points)
    assert result.residuals[0, 0] < 1e-3
    assert result.rotation_residuals[0, 0] < 1e-3


# --- people ---------------------------------------------------------------------------------------


def test_a_sweep_bends_the_spine_at_the_neck():  # like a snake
    frame = standing()
    frame[HEAD] += (0.0, -0.03, 0.12)
    turns = np.full((1, 6, 4), np.nan)
    turns[0, 0] = arrays.identity()  # the pelvis does not lean, so the spine must
    known = Points(SIX, frame[None], 60.0, turns)
    result = follow(known, limits=None, iterations=1)
    bends = [result.motion.rotations[0, joint] for joint in HUMAN.anatomy.spine]
    angles = arrays.angle_between(np.array(bends), arrays.identity(len(bends)))
    assert (np.diff(angles) > 0.0).all()  # the higher, the more
    assert angles[-1] > 2.0 * angles[:-1].sum()


def test_limbs_turn_about_themselves():  # swivels drift, and stay
    clip = builtin("boxing")
    once = clip.points().positions
    twice = Points(clip.points().names, np.concatenate([once, once[::-1]]), clip.rate)
    motion = follow(twice, variant="paper").motion
    shoulder = HUMAN.index("l_shoulder")
    first, last = motion.rotations[[0, -1], shoulder]
    assert arrays.angle_between(first, last) > np.radians(5.0)  # the same points, another arm


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_errors_are_near_those_of_the_paper(shared_data, name):  # Table 1
    weights, published = PAPER[name]
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    literal = follow(clip.points(), clip.skeleton, weights=weights, variant="paper")
    assert sp.compare(literal.motion, clip).position_rms == pytest.approx(published, rel=0.25)
    result = follow(clip.points(), clip.skeleton, weights=weights)
    assert result.report.target_mean_m < 0.5 * literal.report.target_mean_m
    assert result.report.limit_violations == literal.report.limit_violations == 0
    stuck = (result.residuals > 0.02) & ~result.limited & ~result.unreachable
    assert stuck[:, 2:].mean() < 0.01


def test_as_published_a_straight_leg_stays_on_its_line():
    """No joint is nudged: a foot straight below its hip is never raised along that line."""
    frame = standing()
    frame[L_ANKLE, 1] += 0.05
    frame[L_ANKLE, ::2] = HUMAN.anatomy.positions[HUMAN.anatomy.node("l_hip"), ::2]
    pose = Pose(HUMAN, HUMAN.rest()[0][0], arrays.identity(HUMAN.joint_count))
    missed = {}
    for variant in ("paper", "best"):
        tracker = CCDSolver(variant=variant).prepare(HUMAN, limits=None)
        tracker.reset(pose)
        missed[variant] = tracker.solve(frame).residuals[L_ANKLE]
    assert missed["paper"] > 0.04
    assert missed["best"] < 0.002


def test_as_published_the_last_pose_counts_even_if_it_is_worse():
    """A budget of sweeps with limits in the way: errors of a frame may grow, and then stay."""
    clip = builtin("boxing")
    results = {
        variant: follow(clip.points(), clip.skeleton, variant=variant, stride=False)
        for variant in ("paper", "best")
    }
    means = {variant: float(r.residuals.mean()) for variant, r in results.items()}
    assert means["best"] < 0.6 * means["paper"]
    assert all(r.report.limit_violations == 0 for r in results.values())


@pytest.mark.data
def test_the_literal_kick_is_near_the_paper(shared_data):  # 0.0292
    clip = sp.load(shared_data / "cmu" / "paper" / "90_05_jump_kick.bvh")
    literal = follow(clip.points(), clip.skeleton, variant="paper")
    assert sp.compare(literal.motion, clip).position_rms == pytest.approx(0.0271, abs=5e-4)


@pytest.mark.parametrize("joints", [100, 300])
def test_long_chains_reach_in_few_sweeps(joints: int):
    # From the end effectors to the root alone, 82 % and 40 % of them are reached.
    targets = reachable_targets(200, seed=5)
    solutions = (
        CCDSolver()
        .prepare(Skeleton.chain(joints))
        .solve_clip(Points(("tip",), targets[:, None], 60.0))
    )
    assert (solutions.residuals[:, 0] < REACHED).mean() >= 0.95
    assert np.median(solutions.iterations) <= 10


@pytest.mark.parametrize(("order", "joint"), [("inwards", 3), ("outwards", 0)])
def test_the_joint_that_is_visited_first_turns_alone_where_it_can(order: str, joint: int):
    chain = Skeleton.chain(4)
    start = sp.Pose(chain, np.zeros(3), arrays.from_axis_angle((1.0, 0.0, 0.0), np.full(4, 0.2)))
    moved = start.rotations.copy()
    moved[joint] = arrays.multiply(moved[joint], arrays.from_axis_angle((0.0, 0.0, 1.0), 0.5))
    target = sp.Pose(chain, np.zeros(3), moved).world()[0][-1:]
    tracker = CCDSolver(order=order).prepare(chain)
    tracker.reset(start)
    solution = tracker.solve(target)
    turned = arrays.angle_between(solution.pose.rotations, start.rotations) > 1e-6
    assert solution.converged
    assert solution.iterations == 1
    assert list(np.flatnonzero(turned)) == [joint]


def test_alternating_runs_are_twice_as_long_as_the_one_before():
    runs = [goes_outwards(ALTERNATING, sweeps) for sweeps in range(15)]
    assert runs == [True] + 2 * [False] + 4 * [True] + 8 * [False]
    assert goes_outwards(OUTWARDS, 9)
    assert not goes_outwards(INWARDS, 9)


def test_people_are_swept_as_published():
    points = builtin("reach").points()
    default, published = (follow(points, **s) for s in ({}, {"order": "inwards"}))
    np.testing.assert_array_equal(default.motion.rotations, published.motion.rotations)


def test_an_unknown_order_is_refused():
    with pytest.raises(sp.errors.InputError, match="order"):
        CCDSolver(order="sideways")
