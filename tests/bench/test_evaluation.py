"""Rows of clips, and what becomes of several."""

from __future__ import annotations

import pytest

from sixpoint.bench.evaluation import averages, evaluate, with_paper_weights
from sixpoint.data.clips import builtin
from sixpoint.solvers import solver


def test_paper_clips_get_the_paper_weights():
    assert with_paper_weights(solver("pik"), "01_03_playground").weights == (0.1, 0.1, 1.0)
    assert with_paper_weights(solver("guided"), "01_03_playground") == solver("guided")
    assert with_paper_weights(solver("pik"), "walk") == solver("pik")


def test_rows_merge_by_their_keys():
    row = evaluate(solver("sik"), builtin("squat").frames(slice(0, 60, 3))).row
    rows = [{"solver": "a", **row}, {"solver": "b", **row}, {"solver": "a", **row}]
    merged = averages(rows, ("solver",), pooled=True)
    assert [m["solver"] for m in merged] == ["a", "b"]
    assert [m["frames"] for m in merged] == [40.0, 20.0]
    gone = {"roles": {"head": {"position": 0.1, "orientation": None}}, "frames": 1}
    merged = averages([gone, gone], (), pooled=True)
    assert merged[0]["roles"] == {"head": {"position": pytest.approx(0.1), "orientation": None}}
