from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from sixpoint.bench import energy
from sixpoint.bench.energy import JOINTS, PAPER, bench_energy, joint_change, step_map, weigh


@pytest.fixture(scope="module")
def found():
    return bench_energy(trials=30, quick=True)


def test_keys_that_others_read(found):
    for key in (
        "converged_of_1000",
        "us_6_joints",
        "us_10_joints",
        "us_6_joints_call",
        "us_10_joints_call",
        "iterations_6_joints",
        "iterations_10_joints",
        "joint_change_ratio_to_ccd",
    ):
        assert isinstance(found[key], int | float)
    json.dumps(found, allow_nan=False)


def test_every_row_of_table_one_has_times(found):
    for row in found["table1"]:
        assert 0.1 < row["us"] < row["us_call"]
        assert row["us_of_15"] > 0.1
    us = {(row["solver"], row["joints"]): row["us"] for row in found["table1"]}
    for joints in JOINTS:
        assert us["mass-spring", joints] < us["pseudoinverse", joints]


def test_what_comes_back_limits_and_parameters_are_measured(found):
    by_default = [row for row in found["drift"] if row["variant"] == "default"]
    assert {row["moves"] for row in by_default} == {"hands", "pelvis"}
    assert max(row["elbow_mm"] for row in by_default) < 1.0
    assert {row["joints"] for row in found["twist"]} == {1, 2, 3, 6, 10}
    assert {row["cones"] for row in found["limits"]} == {False, True}
    assert found["parameters"][0]["parameter"] == "none"


def test_every_target_is_met(found):
    assert found["converged_of_1000"] == 1000
    assert [row["joints"] for row in found["exact"]] == [3, 6, 10, 20, 30]


def test_table_one_has_the_papers_rows(found):
    rows = found["table1"]
    assert {(row["solver"], row["joints"]) for row in rows} == {
        (name, joints) for name in PAPER for joints in JOINTS
    }
    steps = {(row["solver"], row["joints"]): row["iterations"] for row in rows}
    for joints in JOINTS:
        assert steps["mass-spring", joints] < steps["mass-spring-force", joints]
    for row in rows:
        assert (row["joint_updates"] is not None) == (row["solver"] == "ccd")


def test_joints_change_less_than_by_ccd_and_nothing_rolls_up(found):
    assert found["joint_change_ratio_to_ccd"] < 0.6
    change = found["joint_change"]
    assert change["mass-spring"]["turns"] < 0.6 * change["ccd"]["turns"]
    assert change["mass-spring"]["rolled_up"] < 0.5 * change["ccd"]["rolled_up"]


def test_residuals_move_with_weights(found):
    for name in ("mass-spring", "mass-spring-force"):
        rows = [row for row in found["weights"] if row["solver"] == name]
        assert all(a["inner"] > b["inner"] and a["tip"] < b["tip"] for a, b in pairwise(rows))


def test_the_map_has_holes_where_nothing_is_stable(found):
    grid = found["map"][0]
    steps, dampings = list(grid["steps"]), list(grid["dampings"])
    assert grid["iterations"][dampings.index(0.5)][steps.index(0.9)] is None
    known = grid["iterations"][dampings.index(0.3)]
    assert known[steps.index(0.85)] < known[steps.index(0.3)]


def test_experiments_stand_alone():
    targets = np.array([(0.3, 0.4, 0.2), (-0.2, 0.5, 0.5)])
    assert set(joint_change(targets, joints=4)) == set(PAPER)
    assert len(weigh(["mass-spring"])) == len(energy.WEIGHTS)
    assert step_map(3, targets)["joints"] == 3
