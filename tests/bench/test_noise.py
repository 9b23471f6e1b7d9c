"""Noise, drop-outs and stray samples: what is measured, and what cleaning gains."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.bench.noise import INPUTS, bench_noise, lag_of, returns, with_drop_outs
from sixpoint.bench.recorded import CHOICES, bench_recorded, names_of
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.solvers import solver

SHORT = {"01_boxing": builtin("boxing").frames(slice(0, 200))}


@pytest.fixture(scope="module")
def found():
    calls = []
    out = bench_noise(
        SHORT, method=solver("sik"), quick=True, progress=lambda *done: calls.append(done)
    )
    assert calls == [(1, 1)]
    return out


def test_noise_is_told_for_every_input(found):
    rows = {row["input"]: row for row in found["averages"]}
    assert set(rows) == set(INPUTS)
    assert rows["cleaned"]["jitter_ratio"] < 0.5 * rows["raw"]["jitter_ratio"]
    assert rows["cleaned"]["points_mm"] < 0.6 * rows["raw"]["points_mm"]
    assert rows["cleaned"]["lag_ms"] < 5.0 < rows["live"]["lag_ms"] < 60.0
    assert rows["raw"]["position_ratio"] > 1.0


def test_drop_outs_and_strays_are_counted(found):
    (gaps,), (strays,) = found["drop_outs"], found["stray_samples"]
    assert gaps["returns"] > 0
    assert gaps["largest_step_deg"] >= 0.0
    assert strays["outliers_in_clip"] == strays["wrongly"] == 0
    assert 0 < strays["recognised"] <= strays["stray"]


def test_points_vanish_for_the_said_part_of_the_time():
    clip = builtin("walk").resampled(30.0)
    long = np.tile(clip.points().positions, (40, 1, 1))
    points = type(clip.points())(clip.points().names, long, 30.0)
    lost = with_drop_outs(points, np.random.default_rng(0))
    assert 1.0 - lost.seen.mean() == pytest.approx(0.05, abs=0.015)
    assert lost.seen[0].all()
    back = returns(lost)
    assert back.shape == (len(lost) - 1,)
    assert 0.0 < back.mean() < 0.5


def test_a_lag_is_found_between_frames():
    time = np.arange(300) / 60.0
    true = np.sin(3.0 * time)[:, None, None] * np.ones((1, 2, 3))
    late = np.sin(3.0 * (time - 0.025))[:, None, None] * np.ones((1, 2, 3))
    assert lag_of(late, true, 60.0) == pytest.approx(0.025, abs=0.002)
    assert lag_of(true, true, 60.0) == 0.0


def test_limits_are_compared():
    calls = []
    found = bench_recorded(
        SHORT, solvers=["sik"], quick=True, progress=lambda *done: calls.append(done)
    )
    assert calls == [(1, 1)]
    rows = [row for row in found["rows"] if row["clips_of"] == "all"]
    assert [row["limits"] for row in rows] == list(CHOICES)
    assert {row["clips_of"] for row in found["rows"]} == {"all", "others"}
    assert rows[2]["over_1_cm"] <= rows[0]["over_1_cm"]


def test_people_of_several_numbers_are_one():
    assert names_of("64_01_golf_swing") == {"63", "64"}
    assert names_of("sport/07_01_walk") == {"7"}


def test_clips_are_needed():
    with pytest.raises(InputError, match="at least one clip"):
        bench_noise({}, method=solver("sik"))
    with pytest.raises(InputError, match="at least one clip"):
        bench_recorded({})
