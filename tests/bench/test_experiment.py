from __future__ import annotations

import pytest

from sixpoint.bench import EXPERIMENTS, find_experiment
from sixpoint.bench.experiment import (
    Column,
    choose_solvers,
    columns,
    counted,
    facts,
    machine,
    pivot,
    table,
    timed,
)
from sixpoint.errors import InputError, UnknownName


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_declared(name):
    if name == "vision":
        pytest.importorskip("cv2", reason="OpenCV is not installed")
    it = find_experiment(name)
    assert it.about
    assert it.output_help.endswith((".", "new."))
    assert len({option.name for option in it.options}) == len(it.options)


def test_unknown_experiments_are_refused():
    with pytest.raises(UnknownName, match="No experiment 'tables'"):
        find_experiment("tables")


def test_a_column_formats_and_scales():
    column = Column("error mm", "error.mean", ".1f", 1e3)
    assert column.cell({"error": {"mean": 0.0125}}) == "12.5"
    assert column.cell({"error": {"mean": None}}) == "-"
    assert column.cell({"error": None}) == "-"


def test_columns_and_facts_are_named_by_their_keys():
    name, share, mean = columns("name share:.0% paper.mean_m")
    row = {"name": "sik", "share": 0.5, "paper": {"mean_m": 0.123456}}
    assert [c.title for c in (name, share, mean)] == ["name", "share", "paper mean m"]
    assert [c.cell(row) for c in (name, share, mean)] == ["sik", "50%", "0.1235"]
    assert facts("title", "share:.1f", row).pairs == [("share", "0.5")]


def test_rows_of_a_table_may_have_names():
    found = table("title", "x", {"a": {"x": 1}, "b": {"x": 2}})
    assert found.cells() == [["a", "1"], ["b", "2"]]


def test_rows_are_pivoted():
    rows = [{"dof": d, "n": n, "x": d * n} for d in (6, 12) for n in (0.5, 1)]
    found = pivot("title", rows, ("dof", "n", "x"), ("DoF:03d", "{} m", ".1f"))
    assert [c.title for c in found.columns] == ["DoF", "0.5 m", "1 m"]
    assert found.cells() == [["006", "3.0", "6.0"], ["012", "6.0", "12.0"]]


def test_solvers_are_chosen_by_what_they_can_do():
    assert [each.name for each in choose_solvers(["sik", "sik"])] == ["sik"]
    assert choose_solvers(["sik"], collisions=False)[0].collisions is False
    assert {"ccd", "dls"} <= {each.name for each in choose_solvers(None, "chains")}
    with pytest.raises(UnknownName, match="No solver of people 'nose'"):
        choose_solvers(["nose"])
    with pytest.raises(UnknownName, match="No solver of any figure 'sik'"):
        choose_solvers(["sik"], "chains")
    with pytest.raises(InputError, match="at least one solver"):
        choose_solvers([])


def test_work_is_timed_and_its_result_returned():
    calls = []
    us, result = timed(lambda x: calls.append(x) or len(calls), 5, runs=3)
    assert us > 0.0
    assert result == 3
    assert calls == [5, 5, 5]


def test_the_machine_is_named():
    assert machine()["cores"] >= 1
    assert machine()["cpu"]


def test_parts_are_counted_from_one():
    told = []
    tell = counted(lambda done, total: told.append((done, total)), 3)
    for _ in range(3):
        tell()
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_nobody_needs_to_listen():
    assert counted(None, 3)() is None
