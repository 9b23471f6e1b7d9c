from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from sixpoint.bench.particle_scenes import chain_targets
from sixpoint.bench.particles import (
    ALL,
    DOF,
    bench_particles,
    chain_speeds,
    draw_particles,
    enough_particles,
    slope,
    success_cell,
    time_rows,
)


@pytest.mark.parametrize("dof", DOF)
def test_thirty_particles_succeed(dof: int):
    # A sample of the thousand trials of the full bench, which has 99 % and more.
    row = success_cell(dof, 30, chain_targets(dof // 3, 100, 1, ALL), 1)
    assert row["success"] >= 0.99
    assert row["iterations_median"] < 60


def test_every_method_is_timed():
    # How time grows is what the bench says on a quiet machine; here only that all have a time.
    rows = time_rows(quick=True)
    few = [row for row in rows if row["method"] == "50 particles"]
    assert [row["dof"] for row in few] == [6, 15, 30, 60, 90, 150, 300]
    assert len({row["method"] for row in rows}) == 6
    assert all(row["us"] > 0.0 for row in rows)


def test_limits_reject_more_the_tighter_they_are():
    # Joints of chains of more than twenty are drawn with less noise than limits are wide.
    rows = {row["limits"]: row for row in chain_speeds(2)}
    assert rows["off"]["rejected_part"] == 0.0
    assert 0.0 <= rows["wide"]["rejected_part"] < 0.1
    assert rows["biting"]["rejected_part"] > 0.2
    assert all(row["iterations_per_second"] > 0.0 for row in rows.values())


def test_a_slope_is_that_of_the_logarithms():
    rows = [{"dof": n, "us": 3.0 * n**1.5} for n in (6, 30, 300)]
    assert slope(rows) == pytest.approx(1.5)


def test_enough_particles_are_the_fewest():
    grid = [
        {"dof": dof, "particles": n, "success": rate}
        for dof, rates in ((6, (0.5, 0.99, 1.0)), (60, (0.1, 0.2, 0.3)))
        for n, rate in zip((5, 10, 30), rates, strict=True)
    ]
    assert enough_particles(grid) == {"6": 10, "60": None}


def test_the_bench_has_its_keys(monkeypatch):
    import sixpoint.bench.particles as module

    monkeypatch.setattr(module, "DOF", (6, 12))
    monkeypatch.setattr(module, "TIMED_DOF", (6, 30, 60))
    monkeypatch.setattr(module, "QUICK_SEEDS", 2)
    told = []
    found = bench_particles(trials=2, quick=True, progress=lambda *n: told.append(n))
    for key in (
        "success_rate_30_particles",
        "success_rate_30_particles_inner",
        "success_rate_30_particles_rim",
        "iterations_per_second_90dof",
        "time_slope",
        "time_slope_limits",
        "hand_tip_max_m",
        "coupling_max_deg",
    ):
        assert np.isfinite(found[key])
    assert found["scenes"]["hand"]["seeds"] == 2
    assert found["hand_tip_max_m"] == found["scenes"]["hand"]["facts"]["hand_tip_max_m"]["worst"]
    assert [row["spread"] for row in found["spreads"]] == [0.05, 0.1, 0.2, 0.4]
    assert told[-1] == (len(told), len(told))
    json.dumps(found)


def test_both_charts_are_drawn(tmp_path):
    success = [
        {"dof": dof, "particles": n, "success": 0.9}
        for dof in (6, 12) for n in (5, 10, 30)
    ]  # fmt: skip
    times = [
        {"method": name, "dof": dof, "us": 2.0 * dof}
        for name in ("50 particles", "jacobian-transpose, finite differences")
        for dof in (6, 30, 90)
    ]
    paths = draw_particles({"success": success, "times": times}, tmp_path)
    assert [path.name for path in paths] == ["success.png", "times.png"]
    for path in paths:
        with Image.open(path) as picture:
            assert picture.size == (770, 396)
