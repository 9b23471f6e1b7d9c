from __future__ import annotations

import json

import numpy as np
import pytest

from sixpoint.bench.particle_scenes import (
    LENGTH,
    bent_chain,
    chain_targets,
    hand_poses,
    hand_scene,
    long_chain,
    person_of_40,
    person_scene,
)
from sixpoint.bench.particles import (
    DOF,
    INNER,
    RIM,
    bench_particles,
    chain_speeds,
    hand_facts,
    person_facts,
    slope,
    success_cell,
    time_rows,
)
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import hand_limits
from sixpoint.motion.motion import Motion
from sixpoint.tasks import Smoothness, finger_couplings


@pytest.mark.parametrize("dof", DOF)
def test_thirty_particles_succeed(dof: int):
    # A sample of the thousand trials of the full bench, which has 99 % and more.
    row = success_cell(dof, 30, 100, 1, 0.0, INNER)
    assert row["success"] >= 0.99
    assert row["iterations_median"] < 60


def test_targets_start_two_units_away():
    start = bent_chain(4)
    targets = chain_targets(start, 200, 3, INNER, RIM)
    away = np.linalg.norm(targets - start.world()[0][-1], axis=1)
    assert 1.95 <= away.min() <= away.max() <= 2.05
    reach = np.linalg.norm(targets, axis=1) / LENGTH
    assert INNER < reach.min() <= reach.max() <= RIM
    np.testing.assert_array_equal(targets, chain_targets(start, 200, 3, INNER, RIM))


def test_time_grows_with_the_degrees_of_freedom():
    rows = time_rows(quick=True)
    few = [row for row in rows if row["method"] == "50 particles"]
    assert [row["dof"] for row in few] == [6, 15, 30, 60, 90, 150, 300]
    # 1 +- 0.15 on an idle machine; a wall for tests that run beside others.
    assert slope(few) == pytest.approx(1.0, abs=0.3)
    finite = [r for r in rows if r["method"] == "jacobian-transpose, finite differences"]
    assert slope([row for row in finite if row["dof"] >= 30]) > 1.4


def test_a_slope_is_that_of_the_logarithms():
    rows = [{"dof": n, "us": 3.0 * n**1.5} for n in (6, 30, 300)]
    assert slope(rows) == pytest.approx(1.5)


def test_the_long_chain_keeps_its_balance():
    tracker, target = long_chain()
    solution = tracker.solve(target)
    assert solution.converged
    assert solution.tasks["balance"] < 0.01 * LENGTH
    # Neighbours differ by three degrees on average.
    assert Smoothness().measure(solution.pose)[0] < np.radians(3.0) * 29
    assert chain_speeds(5)["limits_off"] > 300  # 2000 and more on an idle machine


def test_hands_of_the_scene_are_hands():
    hand = hand_poses()[0].skeleton
    limits = hand_limits(hand)
    for pose in hand_poses():
        motion = Motion(hand, pose.root[None], pose.rotations[None], 60.0)
        assert limits.violations(motion).max() == 0.0
        for task in finger_couplings():
            assert task.residual(pose) == pytest.approx([0.0], abs=1e-12)


def test_the_hand_meets_both_sets_of_targets():
    for seed in range(3):
        found = hand_facts(seed)
        assert found["hand_tip_max_m"] < 0.01
        assert found["coupling_max_deg"] < 2.0
    tracker, targets = hand_scene()
    assert len(targets) == 2
    assert tracker.names == tracker.skeleton.site_names


def test_the_person_stands_and_reaches():
    person = person_of_40()
    assert person.joint_count == 40
    assert person.anatomy.has("l_wrist")
    for seed in range(2):
        found = person_facts(seed)
        assert found["person_feet_max_m"] < 0.01
        assert found["person_hands_max_m"] < 0.01
        assert found["person_knee_min_deg"] > 0.0
    tracker, targets = person_scene(iterations=20)
    pose = tracker.solve(targets).pose
    assert np.linalg.norm(pose.root - person.offsets[0]) > 1e-3  # the root moves
    assert arrays.angle_between(pose.rotations[:1], arrays.identity(1))[0] < np.pi


def test_the_bench_has_its_keys(monkeypatch):
    import sixpoint.bench.particles as module

    monkeypatch.setattr(module, "DOF", (6, 12))
    monkeypatch.setattr(module, "TIMED_DOF", (6, 30, 60))
    told = []
    found = bench_particles(trials=2, quick=True, progress=lambda *n: told.append(n))
    for key in (
        "success_rate_30_particles",
        "iterations_per_second_90dof",
        "time_slope",
        "hand_tip_max_m",
        "coupling_max_deg",
    ):
        assert np.isfinite(found[key])
    assert told[-1] == (len(told), len(told))
    json.dumps(found)
    with pytest.raises(InputError, match="one trial or more, got 0"):
        bench_particles(trials=0)
