from __future__ import annotations

import pytest

from sixpoint.bench.speed import bench_speed
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.solvers import solver


def test_speed_is_measured_for_calls_and_clips():
    told = []
    clips = {"squat": builtin("squat").frames(slice(0, 60))}
    found = bench_speed(solver("sik"), clips, quick=True, progress=lambda *n: told.append(n))
    assert found["frames"] == 60
    for row in found["results"]:
        assert 0.0 < row["clip_median_us"] <= row["clip_p99_us"]
        assert 0.0 < row["stream_median_us"] <= row["stream_p99_us"] <= row["stream_max_us"]
        assert row["clip_median_us"] < row["clip_with_report_us"]
    assert [row["threads"] for row in found["threads"]] == [1, 2]
    assert found["speedup"] > 0.0
    assert told[-1] == (len(told), len(told))


def test_a_quick_bench_has_the_same_keys():
    clips = {"squat": builtin("squat").frames(slice(0, 20))}
    quick, full = (bench_speed(solver("sik"), clips, quick=q) for q in (True, False))
    assert quick.keys() == full.keys()
    assert quick["results"][0].keys() == full["results"][0].keys()
    assert full["runs"] > quick["runs"]


def test_nothing_to_measure_is_refused():
    with pytest.raises(InputError, match="at least one clip with frames"):
        bench_speed(solver("sik"), {"none": builtin("squat").frames(slice(0, 0))})
