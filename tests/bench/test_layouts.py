from __future__ import annotations

import json

import pytest

import sixpoint as sp
from sixpoint.bench.layouts import bench_layouts
from sixpoint.subjects import LAYOUTS


@pytest.fixture(scope="module")
def clips():
    return {name: sp.builtin(name).frames(slice(0, 200, 8)) for name in ("walk", "boxing")}


def test_every_layout_gives_back_its_joints_and_bones(clips):
    found = bench_layouts(clips, ["sik"])
    json.dumps(found)
    assert [row["layout"] for row in found["points"]] == list(LAYOUTS)
    for row in found["points"]:
        assert row["joints_mm"] < 1e-6
        assert row["pelvis_mm"] < 25.0
        assert row["lengths_percent"] < 1.0
        assert row["axes_found"] == 1.0
        assert row["rotation_deg"] is None or row["rotation_deg"] < 1e-6
    assert {row["solver"] for row in found["bodies"]} == {"sik"}
    assert all(row["layout_joints_mm"] < 120.0 for row in found["bodies"])


def test_noise_shows(clips):
    found = bench_layouts(clips, ["sik"], noise=10.0, quick=True)
    assert all(10.0 < row["joints_mm"] < 25.0 for row in found["points"])
