from __future__ import annotations

from dataclasses import replace

import pytest

from sixpoint.bench.limits import (
    CHOICES,
    Recording,
    bench_fig8,
    bench_limits,
    bench_time,
    classification,
    sample_counts,
)
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    names = ("squat", "walk")
    return [Recording.of(name, builtin(name).frames(slice(0, 90)), "built-in") for name in names]


def test_the_bench_has_all_its_parts(recordings, monkeypatch):
    monkeypatch.setattr("sixpoint.bench.limits.QUICK_TRIALS", 20)
    told = []
    found = bench_limits(
        recordings, solvers=("sik",), quick=True, progress=lambda *n: told.append(n)
    )
    assert {"classification", "samples", "time", "fig8"} <= found.keys()
    assert told[-1][0] == told[-1][1]
    rows = found["fig8"]["rows"]
    assert [row["limits"] for row in rows if row["clip"] == "squat"] == list(CHOICES)
    assert all(row["position_rms"] > 0.0 for row in rows)
    assert len(found["fig8"]["averages"]) == len(CHOICES)
    assert len(found["fig8"]["conclusion"]) == len(CHOICES) - 1


def test_classification_falls_with_noise():
    rows = classification(40)
    right = {(row["noise_deg"], row["type"]): row["right_share"] for row in rows}
    assert right[1.0, "hinge"] >= 0.97
    assert right[3.0, "hinge"] <= right[1.0, "hinge"]
    assert [row["axis_error_mean_deg"] is None for row in rows[:3]] == [True, False, True]


def test_sample_counts_and_time():
    found = sample_counts([builtin("boxing")])
    assert found["clips"] == 1
    assert 0.0 <= found["hinge"]["mean_deg"] < 3.0
    assert bench_time(2)["bones"] == 30


def test_intervals_that_differ_much_are_explained():
    """A spike that falls between the moments of sampling: now it is found, now it is not."""
    clip = builtin("boxing").frames(slice(0, 300))
    rotations = clip.rotations.copy()
    wrist = clip.skeleton.index("l_wrist")
    rotations[149, wrist] = arrays.from_axis_angle((1.0, 0.0, 0.0), 1.0)
    found = sample_counts([replace(clip, rotations=rotations)])
    rows = [row for row in found["apart"] if row["joint"] == "l_wrist"]
    assert rows
    for row in rows:
        assert abs(row["difference_deg"]) > 3.0
        assert row["bootstrap_low_deg"] <= row["bootstrap_high_deg"]
        assert row["bootstrap_high_deg"] > 3.0
    assert 0.0 <= found["apart_explained"] <= 1.0
    assert sample_counts([builtin("squat")])["apart_explained"] in (None, 1.0)


def test_limits_that_no_clip_gives_are_left_out(recordings):
    found = bench_fig8(recordings[:1], solvers=("sik",), quick=True)
    none = [row for row in found["rows"] if row["limits"] in ("kind", "others")]
    assert all(row["position_rms"] is None for row in none)


def test_subjects_and_twins():
    clip = builtin("squat")
    assert Recording.of("02_03_run", clip, "run").subject == "2"
    assert Recording.of("122_01", clip, "run").subject == Recording.of("83_02", clip, "x").subject
    assert Recording.of("squat", clip, "x").subject == "squat"


def test_wrong_calls_are_refused(recordings):
    with pytest.raises(UnknownName, match="No solver of people 'nose'"):
        bench_fig8(recordings, solvers=["nose"])
    with pytest.raises(InputError, match="Expected one clip or more"):
        bench_fig8([])


def test_the_command_reports_in_json_and_in_tables(monkeypatch, tmp_path):
    import json

    from click.testing import CliRunner

    from sixpoint.cli import main

    monkeypatch.setattr("sixpoint.bench.limits.QUICK_TRIALS", 20)
    words = ["bench", "limits", "--quick", "--solvers", "sik"]
    done = CliRunner().invoke(main, [*words, "--json", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found == json.loads((tmp_path / "limits.json").read_text())
    table = (tmp_path / "fig8.md").read_text().splitlines()
    assert table[0] == "| limits | `sik` position | rotation | off |"
    own = next(row for row in found["fig8"]["averages"] if row["limits"] == "own")
    assert (
        f"| the clip's own | {own['position_rms']:.4f} ({own['position_rms_better']}) |" in table[4]
    )
    assert len(table) == 2 + len(CHOICES)
    assert "30 bones, 100 samples" in CliRunner().invoke(main, words).stdout
    wrong = CliRunner().invoke(main, ["bench", "limits", "--solvers", "nose"])
    assert wrong.exit_code == 2
