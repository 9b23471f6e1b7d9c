from __future__ import annotations

import json

import pytest


def test_chains_writes_what_it_prints(tmp_path, report):
    found = report("bench", "chains", "--solvers", "dls, sdls", "--joints", "3,5", "--trials", 4,
                   "-o", tmp_path / "out")  # fmt: skip
    assert found["bench"] == "chains"
    assert json.loads((tmp_path / "out" / "chains.json").read_text()) == found
    assert {(row["solver"], row["joints"]) for row in found["rows"]} == {
        (solver, joints) for solver in ("dls", "sdls") for joints in (3, 5)
    }
    assert all(row["trials"] == 4 for row in found["rows"])


def test_chains_shows_tables(run):
    done = run("bench", "chains", "--solvers", "dls", "--joints", "3", "--quick")
    assert "reachable targets, each from rest (25)" in done.stdout
    assert "targets out of reach" in done.stdout
    assert "100.0%" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--solvers", "sik"), "No solver of any figure 'sik'"),
        (("--joints", "three"), "expected numbers such as 3,6,10; got 'three'"),
        (("--joints", "0"), "`joints` from 1 to 10000, got 0"),
        (("--trials", "0"), "--trials"),
    ],
)
def test_wrong_calls_have_status_2(run, words, message):
    assert message in run("bench", "chains", *words, status=2).output
