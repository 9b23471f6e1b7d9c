from __future__ import annotations

import json

import numpy as np
import pytest

from sixpoint.bench.chains import (
    CASES,
    FARTHEST,
    NEAREST,
    REACHED,
    bench_chains,
    reachable_targets,
    unreachable_targets,
)
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import UnknownName
from sixpoint.motion.points import Points
from sixpoint.solvers import SOLVERS, solver


def test_reachable_targets_fill_the_ball_evenly():
    away = np.linalg.norm(reachable_targets(4000), axis=1)
    assert away.max() <= 1.0
    # Half of the volume lies beyond the cube root of a half.
    assert (away > 0.5 ** (1 / 3)).mean() == pytest.approx(0.5, abs=0.03)
    assert np.abs(reachable_targets(4000).mean(axis=0)).max() < 0.03


def test_unreachable_targets_lie_beyond():
    away = np.linalg.norm(unreachable_targets(500), axis=1)
    assert NEAREST <= away.min() < 1.2
    assert 2.8 < away.max() <= FARTHEST


def test_targets_are_seeded():
    np.testing.assert_array_equal(reachable_targets(5, 1), reachable_targets(5, 1))
    assert (reachable_targets(5, 1) != reachable_targets(5, 2)).any()


def test_every_solver_of_any_figure_is_measured():
    told = []
    found = bench_chains(joints=(3,), trials=3, progress=lambda *n: told.append(n))
    able = {name for name, kind in SOLVERS.items() if kind.capabilities.chains}
    assert {row["solver"] for row in found["rows"]} == able
    assert len(found["rows"]) == len(able) * len(CASES)
    assert told[-1] == (len(told), len(told)) == (len(found["rows"]),) * 2
    for row in found["rows"]:
        assert 0.0 <= row["success"] <= 1.0
        assert 0.0 < row["median_us"] <= row["p95_us"]
        assert row["missed_median"] <= row["missed_max"]
    json.dumps(found)


def test_the_particle_filter_reaches_with_a_hundred_joints():
    # Up to 0.98 of the reach, from a straight chain: 62 % of all targets before draws had momentum.
    targets = reachable_targets(40, seed=11)
    targets = targets[np.linalg.norm(targets, axis=1) < 0.98][:16]
    tracker = solver("monte-carlo").prepare(Skeleton.chain(100))
    missed = []
    for target in targets:
        tracker.reset()
        missed.append(float(tracker.solve(target[None]).residuals[0]))
    assert (np.array(missed) < REACHED).mean() >= 0.85


@pytest.mark.parametrize("name", ["ccd", "dls", "sdls", "fabrik", "pik"])
@pytest.mark.parametrize("joints", [6, 10, 30])
def test_a_thousand_targets_are_reached(name: str, joints: int):
    # Each from the pose that the one before ended with, as in the bench; all in one clip.
    points = Points(("tip",), reachable_targets(1000)[:, None], 60.0)
    missed = solver(name).prepare(Skeleton.chain(joints)).solve_clip(points).residuals[:, 0]
    assert (missed < REACHED).mean() >= 0.99


@pytest.mark.parametrize("name", ["dls", "sdls"])
@pytest.mark.parametrize("joints", [6, 10, 30])
def test_targets_are_reached(name: str, joints: int):
    # A sample of the thousand trials of the full bench, of which all are reached.
    rows = bench_chains([name], joints=(joints,), trials=150)["rows"]
    reachable = [row for row in rows if row["targets"] == "reachable"]
    assert len(reachable) == 2
    for row in reachable:
        assert row["success"] >= 0.99
    (beyond,) = (row for row in rows if row["targets"] == "unreachable")
    assert beyond["success"] >= 0.95


def test_a_quick_bench_has_the_same_keys():
    quick = bench_chains(["dls"], joints=(3,), quick=True)
    full = bench_chains(["dls"], joints=(3,), trials=2)
    assert quick.keys() == full.keys()
    assert quick["rows"][0].keys() == full["rows"][0].keys()
    assert quick["rows"][0]["trials"] < 100


def test_solvers_of_people_only_are_refused():
    with pytest.raises(UnknownName, match="No solver of any figure 'sik'"):
        bench_chains(["sik"])
