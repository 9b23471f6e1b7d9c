from __future__ import annotations

import json

from sixpoint.bench import energy


def test_energy_writes_what_it_prints(tmp_path, report):
    found = report("bench", "energy", "--trials", 15, "--quick", "-o", tmp_path / "out")
    assert found["bench"] == "energy"
    assert found["quick"] is True
    assert json.loads((tmp_path / "out" / "energy.json").read_text()) == found


def test_energy_shows_tables(run, monkeypatch):
    monkeypatch.setattr(energy, "LENGTHS", (6, 10))
    done = run("bench", "energy", "--trials", 15, "--quick")
    assert "Table 1" in done.stdout
    assert "rolled up" in done.stdout
    assert "mass-spring-force" in done.stdout


def test_too_few_trials_are_a_wrong_call(run):
    assert "--trials" in run("bench", "energy", "--trials", 3, status=2).output
