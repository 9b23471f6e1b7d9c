"""What targets leave open comes back: twist, elbows and feet do not depend on the way there."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.bench.chains import reachable_targets
from sixpoint.bench.springs import VARIANTS, person_drift, twist_lost
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.pose import Pose
from sixpoint.solvers import SpringPositionSolver, solve_batch


@pytest.mark.parametrize("joints", [2, 3, 6, 10])
def test_twist_comes_back_for_any_number_of_joints(joints):
    assert twist_lost(joints, 3)["lost_max"] < 2.0
    assert twist_lost(joints, 3, **VARIANTS["published"])["lost_max"] > 20.0


@pytest.mark.parametrize("limits", ["adult", "none"])
@pytest.mark.parametrize("moves", ["hands", "pelvis"])
def test_elbows_and_standing_feet_do_not_drift(moves, limits):
    found = person_drift(moves, limits, 10)
    assert found["elbow_mm"] < 0.1
    assert found["foot_degrees"] < 0.1


def test_elbows_drift_as_published():
    assert person_drift("hands", "adult", 10, **VARIANTS["published"])["elbow_mm"] > 50.0


def test_bones_of_a_free_chain_twist_as_the_smallest_rotation_from_rest():
    chain = Skeleton.chain(6)
    targets = reachable_targets(100, seed=3)[:, None]
    found = solve_batch(SpringPositionSolver().prepare(chain), targets).rotations
    bones = arrays.rotate(found, np.array((0.0, 1.0, 0.0)))
    open_bones = bones[..., 1] > -0.5  # bones that are folded back keep what they have
    assert np.abs(found[..., 2][open_bones]).max() < 1e-9
    assert open_bones.mean() > 0.9


def test_a_bone_that_passes_its_fold_does_not_spin_in_one_frame():
    tracker = sp.solver("mass-spring", return_rate=0.0).prepare(Skeleton.chain(1))
    way = np.radians(np.arange(90.0, 271.0, 1.0))
    there = np.stack([np.sin(way), np.cos(way), np.full(len(way), 1e-3)], axis=1)
    turns = np.array([tracker.solve(place[None]).pose.rotations[0] for place in there])
    assert np.degrees(arrays.angle_between(turns[1:], turns[:-1])).max() < 30.0


def test_the_rate_decides_how_fast_joints_turn_back():
    clip = sp.builtin("boxing")
    anatomy, points = clip.skeleton.anatomy, clip.points().positions[0]
    bent = clip.rotations[0].copy()
    shoulder = anatomy.node("l_shoulder")
    turn = arrays.from_axis_angle((0.0, 1.0, 0.0), 0.6)
    bent[shoulder] = arrays.multiply(turn, bent[shoulder])
    start = Pose(clip.skeleton, clip.root[0], bent)
    elbow, way = anatomy.node("l_elbow"), []
    for rate in (0.0, 2.0, 20.0):
        tracker = sp.solver("mass-spring", return_rate=rate).prepare(clip.skeleton, rate=60.0)
        tracker.reset(start)
        places = [tracker.solve(points).pose.world()[0][elbow] for _ in range(10)]
        way.append(float(np.linalg.norm(places[-1] - places[0])))
    assert way[0] < way[1] < way[2]
    assert way[0] < 1e-3


def test_a_point_that_nobody_asks_for_stays():
    tree = Skeleton.tree(2, 3)
    tracker = sp.solver("mass-spring").prepare(tree)
    both = np.array([(-0.4, 0.6, 0.2), (0.5, 0.5, -0.1)])
    before = tracker.solve(both).pose.rotations
    both[1] = np.nan
    after = tracker.solve(both).pose.rotations
    own = [k for k, name in enumerate(tree.names) if name.startswith("branch_2")]
    assert own
    assert np.array_equal(before[own], after[own])
