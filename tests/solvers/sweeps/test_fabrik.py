"""Forward and backward reaching: against the textbook on points, then hinges, trees, people."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.limits import FlexionLimit, Limits, adult_limits
from sixpoint.motion.points import Points
from sixpoint.solvers.articulated.context import SkeletonContext
from sixpoint.solvers.articulated.model import Targets, model_forward
from sixpoint.solvers.solution import StopReason
from sixpoint.solvers.sweeps.methods import FABRIKSolver
from sixpoint.solvers.sweeps.steps import fabrik_sweep, reach_inwards
from sixpoint.tasks import Orient, Reach


def context(skeleton: Skeleton, names) -> SkeletonContext:
    """Tables of a skeleton whose named nodes are end effectors."""
    tables = FABRIKSolver().prepare(skeleton, limits=None, names=names).plan.new_context(60.0)
    return SkeletonContext(tables.settings[0], *tables[1:])


def positions_only(positions) -> Targets:
    """Targets without rotations."""
    return Targets(np.array(positions), np.full((len(positions), 4), np.nan))


def textbook(places: np.ndarray, target: np.ndarray) -> np.ndarray:
    """One iteration of Algorithm 1 of the FABRIK paper on the points of a chain."""
    bones = np.linalg.norm(np.diff(places, axis=0), axis=1)
    p, root = places.copy(), places[0].copy()
    p[-1] = target
    for k in range(len(bones) - 1, -1, -1):
        away = p[k] - p[k + 1]
        p[k] = p[k + 1] + bones[k] * away / np.linalg.norm(away)
    p[0] = root
    for k in range(len(bones)):
        away = p[k + 1] - p[k]
        p[k + 1] = p[k] + bones[k] * away / np.linalg.norm(away)
    return p


@pytest.mark.parametrize("reach", [0.2, 0.7, 1.5], ids=["near", "far", "too far"])
def test_a_free_chain_moves_as_the_textbook_says(reach):
    rng = np.random.default_rng(8)
    chain = Skeleton.chain(6, [0.1, 0.3, 0.2, 0.1, 0.2, 0.1])
    c = context(chain, ["tip"])
    c.pose.local[:] = arrays.normalize(rng.normal(size=(6, 4)))
    target = np.array([reach * np.array((0.6, 0.0, 0.8))])
    model_forward(c.model, c.pose)
    places = np.concatenate([c.pose.position, c.pose.effectors])
    for _ in range(4):
        places = textbook(places, target[0])
        fabrik_sweep(c, 0, positions_only(target))
        model_forward(c.model, c.pose)
        found = np.concatenate([c.pose.position, c.pose.effectors])
        assert found == pytest.approx(places, abs=1e-9)


def test_rotations_are_rebuilt_without_twist():
    c = context(Skeleton.chain(3), ["tip"])
    model_forward(c.model, c.pose)
    fabrik_sweep(c, 0, positions_only([(0.5, 0.6, 0.0)]))
    # Everything happens in the plane of X and Y: no joint turns about its bone.
    assert c.pose.local[:, 1:3] == pytest.approx(np.zeros((3, 2)), abs=1e-12)
    assert np.abs(c.pose.local[:, 3]).min() > 0.01


def test_a_sub_base_goes_to_the_centroid():
    c = context(Skeleton.tree(3, 1, trunk=1, spread=1.0), ["tip_1", "tip_2", "tip_3"])
    model_forward(c.model, c.pose)
    positions, parts = c.pose.position, c.scratch.parts
    targets = np.array([(-0.4, 0.5, 0.1), (0.1, 0.6, 0.3), (0.5, 0.4, 0.0)])
    reach_inwards(c, 0, positions_only(targets))
    trunk, *branches = range(4)
    proposals = []
    for branch, target in zip(branches, targets, strict=True):
        away = positions[branch] - target
        bone = np.linalg.norm(c.model.effector_offset[0])
        goal = target + away / np.linalg.norm(away) * bone
        assert parts.goals[branch] == pytest.approx(goal)
        away = positions[trunk] - goal
        bone = np.linalg.norm(c.model.offset[branch])
        proposals.append(goal + away / np.linalg.norm(away) * bone)
    assert parts.goals[trunk] == pytest.approx(np.mean(proposals, axis=0))
    assert parts.weights[trunk] == 3.0


def test_branches_without_a_target_stay():
    tree = Skeleton.tree(2, 3)
    tracker = FABRIKSolver().prepare(tree)
    solution = tracker.solve(np.array([(-0.3, 0.6, 0.2), (np.nan,) * 3]))
    assert solution.residuals[0] < 1e-3
    idle = [tree.index(f"branch_2_{k}") for k in (1, 2, 3)]
    assert np.array_equal(solution.pose.rotations[idle], arrays.identity(3))


def test_two_hinges_at_one_place_both_turn():
    # A universal joint: the first hinge has no bone of its own and looks past the second.
    joint = Skeleton(
        ("yaw", "pitch"),
        np.array((-1, 0)),
        np.zeros((2, 3)),
        ("tip",),
        np.array((1,)),
        np.array(((0.0, 0.0, 1.0),)),
        hinges={"yaw": (0.0, 1.0, 0.0), "pitch": (1.0, 0.0, 0.0)},
    )
    target = np.array([(0.48, 0.6, 0.64)])
    solution = FABRIKSolver().prepare(joint).solve(target)
    assert solution.residuals[0] < 1e-3


@pytest.mark.parametrize("joints", [3, 6])
def test_crossed_hinges_are_aimed_past(joints):
    chain = Skeleton.chain(joints, kind="hinge", axis=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    body = chain.articulation
    rng = np.random.default_rng(3)
    tracker = FABRIKSolver().prepare(chain)
    met = []
    for _ in range(30):
        pose = sp.Pose(chain, np.zeros(3), body.rotations(rng.uniform(-0.9, 0.9, body.count)))
        tracker.reset()
        solution = tracker.solve(pose.world()[0][[chain.index("tip")]])
        met.append(solution.residuals[0] < 1e-3)
    assert np.mean(met) >= 0.9


def test_the_last_bone_takes_a_wanted_rotation():
    chain = Skeleton.chain(5)
    tracker = FABRIKSolver().prepare(chain, tasks=[Reach("tip"), Orient("tip")])
    turn = arrays.from_axis_angle(np.array((1.0, 0.0, 0.0)), 2.5)
    points = Points(("tip",), np.array([[(0.2, 0.3, 0.4)]]), 60.0, turn[None, None])
    result = tracker.solve_clip(points)
    assert result.residuals[0, 0] < 1e-3
    assert result.rotation_residuals[0, 0] < 1e-3


def test_limits_are_kept_on_the_way_out():
    z = (0.0, 0.0, 1.0)
    chain = Skeleton.chain(6, kind="hinge", axis=z)
    limits = Limits(dict.fromkeys(chain.names, FlexionLimit.degrees(0.0, 30.0, z)))
    tracker = FABRIKSolver().prepare(chain, limits=limits)
    reachable = tracker.solve(np.array([(-0.5, 0.7, 0.0)]))
    behind = tracker.solve(np.array([(0.5, -0.5, 0.0)]))
    for solution in (reachable, behind):
        turned = solution.pose.rotations
        angles = 2.0 * np.arctan2(turned[:, 3], turned[:, 0])
        assert angles.min() >= -1e-9
        assert angles.max() <= np.radians(30.0) + 1e-9
    assert reachable.residuals[0] < 1e-3
    assert behind.stop is StopReason.LIMITS_SATURATED


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "weights", "error"),
    [
        ("17_10_boxing", (1.0, 1.0, 0.0), 0.037),
        ("90_05_jump_kick", (1.0, 1.0, 0.0), 0.026),
        ("01_03_playground_climb_hang_swing", (0.1, 0.1, 1.0), 0.031),
    ],
)
def test_real_motion(shared_data, name, weights, error):
    clip = sp.load(shared_data / "cmu" / "paper" / f"{name}.bvh")
    result = FABRIKSolver(weights=weights).prepare(clip.skeleton).solve_clip(clip.points())
    assert sp.compare(result.motion, clip).position_rms < error
    assert result.report.limit_violations == 0
    assert adult_limits(clip.skeleton).violations(result.motion).max() < 1e-6
    stuck = (result.residuals > 0.02) & ~result.limited & ~result.unreachable
    assert stuck[:, 2:].mean() < 0.001
    assert np.median(result.residuals) < 0.006
