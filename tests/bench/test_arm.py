from __future__ import annotations

import json

from sixpoint.bench.arm import USUAL, bench_arm


def test_forty_poses_of_the_arm_are_met_by_defaults():
    found = bench_arm(quick=True)
    json.dumps(found)
    by_name = {row["solver"]: row for row in found["rows"] if row["restarts"] != 0}
    assert by_name.keys() == set(USUAL)
    for name, row in by_name.items():
        assert row["trials"] == 40
        assert row["met"] >= 39, name
        assert 0.0 < row["median_us"] <= row["p95_us"]
    # Without other starts limits bar the way to some: or else the rows would show nothing.
    once = [row for row in found["rows"] if row["restarts"] == 0]
    assert {row["solver"] for row in once} == {"dls", "pik"}
    assert all(row["met"] < 39 for row in once)
