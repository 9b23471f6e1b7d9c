"""What other solvers take from the guided one, measured."""

from __future__ import annotations

from sixpoint.bench.prior_others import KEYS, bench_others, other_solvers
from sixpoint.data.clips import builtin
from sixpoint.solvers import solver


def test_others_are_measured_with_and_without():
    clips = {name: builtin(name).frames(slice(0, 60, 3)) for name in ("squat", "reach")}
    solvers = other_solvers(quick=True)
    steps = []
    found = bench_others(clips, solvers, lambda: steps.append(1))
    rows = found["rows"]
    assert len(steps) == len(rows) == len(clips) * len(solvers)
    assert {(row["solver"], row["variant"]) for row in rows} == set(solvers)
    assert all(set(KEYS) <= set(row) for row in rows)
    mean = {(row["solver"], row["variant"]): row for row in found["averages"]}
    # Sequential IK meets every point of these clips, and the guided solver any.
    for variant in ("start of sik", "start of guided"):
        assert mean["dls", variant]["iterations"] <= mean["dls", "published"]["iterations"]
    assert mean["pik", "both of guided"]["iterations"] < 1.5


def test_a_full_run_has_every_solver_that_can_follow():
    full = other_solvers()
    assert {name for name, _ in full} >= {"ccd", "fabrik", "sdls", "mass-spring", "monte-carlo"}
    assert full["monte-carlo", "start of guided"].leader == solver("guided")
    assert full["tgbsik", "published"].leader is None
