from __future__ import annotations

import json

import numpy as np

from sixpoint.cli.console import compiling, emit, progress, save_report, show_facts, show_table
from sixpoint.kernels._jit import kernel


def test_reports_are_plain_json(capsys):
    emit({"a": np.float64(1.5), "b": (1, 2), "c": float("nan"), "d": np.arange(2), "e": {"f": None},
          "g": True, "h": np.int64(3), "i": "å"})  # fmt: skip
    assert json.loads(capsys.readouterr().out) == {
        "a": 1.5, "b": [1, 2], "c": None, "d": [0, 1], "e": {"f": None}, "g": True, "h": 3,
        "i": "å",
    }  # fmt: skip


def test_reports_are_saved_as_they_are_printed(tmp_path, capsys):
    report, path = {"a": np.float64(1.5), "c": float("nan")}, tmp_path / "new" / "report.json"
    save_report(report, path)
    saved = capsys.readouterr()
    emit(report)
    assert path.read_text() == capsys.readouterr().out
    assert saved.out == ""
    assert saved.err == f"wrote {path}\n"


def test_tables_keep_brackets_and_width_in_a_pipe(capsys):
    show_table("title", ("name [m]", "value"), [("x" * 200, "[bold]1[/bold]")])
    text = capsys.readouterr().out
    assert "name [m]" in text
    assert "x" * 200 in text
    assert "[bold]1[/bold]" in text


def test_titles_are_one_line_above_narrow_tables(capsys):
    show_table("time of an iteration [us]", ("a",), [("1",)])
    assert capsys.readouterr().out.splitlines()[0] == "time of an iteration [us]"


def test_tables_need_no_title(capsys):
    show_table(None, ("name",), [("[a]",)])
    lines = capsys.readouterr().out.splitlines()
    assert "name" in lines[1]
    assert "[a]" in lines[3]


def test_facts_are_one_line_each_in_a_pipe(capsys):
    show_facts("title", [("a", "y" * 300), ("long name", "[z]")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "title"
    assert lines[1].endswith("y" * 300)
    assert lines[2] == "  long name  [z]"


def test_no_progress_bar_in_a_pipe(capsys):
    with progress("work") as tell:
        tell(1, 2)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_what_is_compiled_is_said_on_standard_error(capsys, monkeypatch):
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)

    @kernel
    def a_new_kernel(x: float) -> float:
        return x + 1.0

    monkeypatch.setattr("numba.config.DISABLE_JIT", 0)
    with compiling():
        assert a_new_kernel.compiled is not None
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "compiling a_new_kernel" in captured.err
    with compiling():
        assert a_new_kernel.compiled is not None
    assert capsys.readouterr().err == ""
