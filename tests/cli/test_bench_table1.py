from __future__ import annotations

import json

import pytest

import sixpoint as sp
from sixpoint.bench.report import FILES
from sixpoint.data.clips import builtin
from sixpoint.formats import save
from sixpoint.limits import FlexionLimit
from sixpoint.solvers import SOLVERS


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "clips").mkdir()
    for name in ("17_10_boxing", "mine"):
        save(builtin("boxing").frames(slice(200, 240)), tmp_path / "clips" / f"{name}.bvh")
    return tmp_path / "clips"


def test_table1_writes_what_it_prints(folder, tmp_path, report):
    out = tmp_path / "out"
    found = report("bench", "table1", "--quick", "--data", folder, "-o", out, "--solvers", "sik",
                   "--weights", 0, 1, 0)  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == sorted([*FILES, "results.json"])
    assert json.loads((out / "results.json").read_text()) == found
    assert [(row["solver"], row["clip"]) for row in found["rows"]] == [
        ("sik", "17_10_boxing"), ("sik", "mine"),
    ]  # fmt: skip
    assert [row["weights"] for row in found["rows"]] == [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]


def test_table1_shows_a_table_and_the_files(folder, tmp_path, run):
    done = run("bench", "table1", "--data", folder / "mine.bvh", "-o", tmp_path / "out",
               "--solvers", "sik")  # fmt: skip
    assert "Averages over 1 clip, 40 frames" in done.stdout
    assert "report.html" in done.stderr
    assert "Claims" not in done.stdout  # none can be judged with one solver


def test_without_data_the_built_in_clips_are_used(tmp_path, report, monkeypatch):
    from sixpoint.data import clips

    squat = builtin("squat").frames(slice(0, 20))
    short = {name: (lambda: squat) for name in ("squat", "walk")}
    monkeypatch.setattr(clips, "CLIPS", short)
    monkeypatch.setattr(clips, "builtin", lambda name: short[name]())
    found = report("bench", "table1", "-o", tmp_path, "--solvers", " sik ")
    assert [row["clip"] for row in found["rows"]] == ["squat", "walk"]


def test_all_means_every_solver_of_people(tmp_path, folder, report, monkeypatch):
    for name in reversed(list(SOLVERS)):  # they come back the other way round: in order
        if name != "sik":
            monkeypatch.delitem(SOLVERS, name)
    found = report("bench", "table1", "--quick", "--data", folder, "-o", tmp_path / "out")
    assert list(found["settings"]["solvers"]) == ["sik"]


def test_limits_can_be_others_or_none(folder, tmp_path, report):
    skeleton = sp.load(folder / "mine.bvh").skeleton
    limits = sp.limits.adult_limits(skeleton)
    elbow = skeleton.names[skeleton.anatomy.node("l_elbow")]
    limits.replace({elbow: FlexionLimit.degrees(-20.0, 0.0)}).save(tmp_path / "stiff.json")
    words = ("bench", "table1", "--data", folder / "mine.bvh", "--solvers", "sik")
    missed = {}
    for which, more in (
        ("adult", ()),
        ("given", ("--limits", tmp_path / "stiff.json")),
        ("none", ("--no-limits",)),
    ):
        found = report(*words, "-o", tmp_path / "out", *more)
        assert found["settings"]["limits"] == which
        assert found["rows"][0]["limit_violations"] == 0
        missed[which] = found["rows"][0]["target_mean_m"]
    assert missed["given"] > missed["adult"] + 0.01 > missed["none"]


def test_wrong_calls_have_status_2(folder, tmp_path, run):
    both = run("bench", "table1", "--limits", "x.json", "--no-limits", status=2).stderr
    assert "--limits FILE or --no-limits, not both" in both
    said = run("bench", "table1", "--solvers", "sikk", status=2).stderr
    assert "No solver of people 'sikk'" in said
    (folder / "mine.bvh").unlink()
    words = ("bench", "table1", "--data", folder, "-o", tmp_path / "out", "--weights", 1, 0, 0)
    assert "clips that are not the paper's" in run(*words, status=2).stderr
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_has_status_1(tmp_path, run):
    assert "found none" in run("bench", "table1", "--data", tmp_path, status=1).stderr
