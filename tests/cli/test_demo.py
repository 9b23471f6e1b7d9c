from __future__ import annotations

import sys

import pytest

from sixpoint.api import REPORT_KEYS
from sixpoint.formats import load

FILES = ["original.bvh", "reconstruction.bvh", "contact_sheet.png", "playback.html"]


def test_the_demo_reports_writes_and_says_what_to_try_next(tmp_path, run):
    pytest.importorskip("matplotlib")
    pytest.importorskip("viser")
    result = run("demo", "-o", tmp_path / "deep" / "demo", "--clip", "squat")
    assert "position error" in result.stdout
    assert "time per frame" in result.stdout
    assert "Try next" in result.stdout
    assert sorted(p.name for p in (tmp_path / "deep/demo").iterdir()) == sorted(FILES)
    original, made = (load(tmp_path / "deep/demo" / name) for name in FILES[:2])
    assert len(original) == len(made)


def test_missing_extras_are_named_and_the_rest_is_written(tmp_path, report, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    found = report("demo", "-o", tmp_path, "--clip", "squat")
    assert tuple(found) == (*REPORT_KEYS, "outputs")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(FILES[:2])
    assert any("sixpoint[plot]" in text for text in found["warnings"])
    assert any("sixpoint[studio]" in text for text in found["warnings"])
    assert len(found["outputs"]) == 2


def test_unknown_names_are_wrong_calls(tmp_path, run):
    assert "built-in clip" in run("demo", "--clip", "ballet", status=2).stderr
    assert "No solver" in run("demo", "--solver", "magic", status=2).stderr


def test_a_folder_that_cannot_be_made_is_said(tmp_path, run):
    (tmp_path / "file").touch()
    assert "file" in run("demo", "-o", tmp_path / "file" / "demo", status=1).stderr
