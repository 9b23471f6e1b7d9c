from __future__ import annotations

import json

import pytest

import sixpoint.bench.particles as bench


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(bench, "DOF", (6,))
    monkeypatch.setattr(bench, "TIMED_DOF", (6, 30, 60))
    monkeypatch.setattr(bench, "QUICK_SEEDS", 1)


def test_particles_writes_what_it_prints(tmp_path, report):
    found = report("bench", "particles", "--trials", 2, "--quick", "-o", tmp_path / "out")
    assert found["bench"] == "particles"
    assert json.loads((tmp_path / "out" / "particles.json").read_text()) == found
    assert found["trials"] == 2
    assert (tmp_path / "out" / "success.png").stat().st_size > 1000
    assert (tmp_path / "out" / "times.png").stat().st_size > 1000


def test_particles_takes_a_seed(report):
    found = report("bench", "particles", "--trials", 1, "--quick", "--seed", 7)
    assert found["seed"] == 7


def test_particles_shows_tables(run):
    done = run("bench", "particles", "--trials", 1, "--quick")
    assert "success within 200 iterations" in done.stdout
    assert "time of an iteration [us]" in done.stdout
    assert "hand_tip_max_m" in done.stdout
    assert "time slope limits" in done.stdout


def test_wrong_calls_have_status_2(run):
    assert "--trials" in run("bench", "particles", "--trials", "0", status=2).output
