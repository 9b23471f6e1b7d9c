"""The documentation says what the code does: tables, commands, names, pictures, snippets."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from sixpoint.cli import main
from sixpoint.solvers import SOLVERS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
LARGEST = 150_000
"""Of a picture [bytes]."""
WIDE = 88
"""Characters of code that the theme shows without a scroll bar."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))


def fences(page: Path, language: str) -> list[str]:
    """The blocks of one language, in order."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def calls(page: Path) -> list[list[str]]:
    """What readers are told to type after `sixpoint`."""
    lines = [line for block in fences(page, "console") for line in block.splitlines()]
    return [line.split()[2:] for line in lines if line.startswith("$ sixpoint ")]


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("tables")


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("pictures")


def test_there_are_pages() -> None:
    assert {p.stem for p in PAGES} >= {"index", "conventions", "sik", "commands", "limits", "files"}


def test_every_solver_is_measured_and_recommended() -> None:
    found = json.loads((DOCS / "measured.json").read_text(encoding="utf-8"))
    renew = "run: python docs/measure.py table CMU/paper, then docs/tables.py and docs/pictures.py"
    people = [name for name, kind in SOLVERS.items() if kind.capabilities.humans]
    chains = [name for name, kind in SOLVERS.items() if kind.capabilities.chains]
    assert sorted(found["table1"]) == sorted(people), renew
    assert sorted(found["chains"]) == sorted(chains), renew
    text = (DOCS / "choosing.md").read_text(encoding="utf-8")
    advice = text.partition("## Which one")[2].partition("\n## ")[0]
    lacking = [name for name in SOLVERS if f"`{name}`" not in advice]
    assert not lacking, "say in docs/choosing.md, 'Which one', what they are for"


@pages
def test_tables_are_current(page: Path, tables: ModuleType) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.renewed(text) == text, "run: python docs/tables.py"


def test_every_table_stands_somewhere(tables: ModuleType) -> None:
    marks = [m[2] for p in PAGES for m in tables.MARKED.finditer(p.read_text(encoding="utf-8"))]
    assert sorted(marks) == sorted(tables.TABLES)


def test_renewing_replaces_only_what_is_marked(tables: ModuleType) -> None:
    text = "before\n<!-- table: units -->\nstale\n<!-- end -->\nafter\n"
    new = tables.renewed(text)
    assert new.startswith("before\n<!-- table: units -->\n")
    assert new.endswith("<!-- end -->\nafter\n")
    assert "stale" not in new
    assert "0.0254" in new
    assert tables.renewed(new) == new


@pages
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.parent.name == "recipes" or not fences(page, "python"):
        return
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in fences(page, "python"):
        exec(compile(block, str(page), "exec"), names)


BLOCK = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->"
    r"|^```python\n(?P<python>.*?)^```(?:\n\n```text\n(?P<text>.*?)^```)?"
    r"|^```console\n(?P<console>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
"""What a recipe executes: a hidden setup, a snippet with its output, or commands with theirs."""


@pytest.mark.parametrize("page", sorted(DOCS.glob("recipes/*.md")), ids=lambda p: str(p.stem))
def test_recipes_give_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem == "two-cameras":
        pytest.importorskip("cv2")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    names: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if code := block["setup"] or block["python"]:
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                exec(compile(code, str(page), "exec"), names)
            if block["text"]:
                assert_shown(block["text"], shown.getvalue())
        for call in re.split(r"^\$ ", block["console"] or "", flags=re.MULTILINE)[1:]:
            command, _, output = call.partition("\n")
            program, *words = shlex.split(command)
            assert program == "sixpoint", f"{page.name}: {command} is not tested"
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, f"{page.name}: {command}\n{done.output}"
            assert_shown(output, done.stdout)


def assert_shown(expected: str, got: str) -> None:
    """What a page shows is what came, up to spaces and what `...` leaves out."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    same = doctest.OutputChecker().check_output(expected, got, flags)
    assert same or not expected.strip(), f"expected\n{expected}\ngot\n{got}"


def test_a_recipe_that_shows_something_else_fails() -> None:
    assert_shown("errors ... mm\n", "errors   3 mm\n")
    with pytest.raises(AssertionError, match="expected"):
        assert_shown("errors 2 mm\n", "errors 3 mm\n")


@pages
def test_snippets_fit_on_the_page(page: Path) -> None:
    lines = [line for block in fences(page, "python") for line in block.splitlines()]
    assert [line for line in lines if len(line) > WIDE] == []
    for block in fences(page, "python"):
        ast.parse(block)


@pages
def test_commands_exist_with_their_options(page: Path) -> None:
    context = click.Context(main, info_name="sixpoint")
    for name, *words in calls(page):
        if name in ("COMMAND", "--help"):
            continue
        command = main.get_command(context, name)
        assert command is not None, f"{page.name}: no command {name}"
        if isinstance(command, click.Group):
            found = command.get_command(context, words[0])
            assert found is not None, f"{page.name}: no {name} {words[0]}"
            command = found
        known = {text for param in command.params for text in (*param.opts, *param.secondary_opts)}
        used = {word for word in words if word.startswith("-")}
        assert used <= known | {"--help"}, f"{page.name}: {name} has no {used - known}"
        for key in [w for flag, w in pairwise(words) if flag == "--set"]:
            named = [w for flag, w in pairwise(words) if flag == "--solver"]
            fields = SOLVERS[(named or ["sik"])[0]].__dataclass_fields__
            assert key.partition("=")[0] in fields, f"{page.name}: no setting {key}"


def test_commands_are_named_somewhere() -> None:
    named = {call[0] for page in PAGES for call in calls(page)}
    assert {"demo", "info", "reconstruct", "render", "convert", "bench"} <= named


@pages
def test_names_and_files_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in set(re.findall(r"`(sixpoint(?:\.\w+)+)`", text)):
        assert find(name), f"{page.name}: no {name}"
    for name in set(re.findall(r"`((?:docs|tests|src)/[\w./]+)`", text)):
        assert (ROOT / name).exists(), f"{page.name}: no {name}"
    for name in re.findall(r"python (docs/\w+\.py)", text):
        assert (ROOT / name).is_file(), f"{page.name}: no {name}"
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for name in re.findall(r"`make ([a-z]+)`", text):
        assert name in targets, f"{page.name}: no target {name}"
    for name in re.findall(r"auto(?:class|function|data|module):: (\S+)", text):
        assert find(name), f"{page.name}: no {name}"


def find(name: str) -> bool:
    """Whether a dotted name is a module or something in one."""
    module, rest = name, ""
    while True:
        try:
            thing: object = importlib.import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}".rstrip(".")
            if not module:
                return False
    for part in filter(None, rest.split(".")):
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True


def test_find_knows_what_is_missing() -> None:
    assert find("sixpoint.load")
    assert find("sixpoint.solvers.conformance.check_solver")
    assert not find("sixpoint.loud")
    assert not find("sixpoint.solvers.chock")


def test_pictures_are_shown_small_and_complete(pictures: ModuleType) -> None:
    there = {p.stem for p in (DOCS / "_pictures").glob("*.png")}
    assert there == set(pictures.PICTURES), "run: python docs/pictures.py"
    text = "".join(p.read_text(encoding="utf-8") for p in [*PAGES, ROOT / "README.md"])
    assert set(re.findall(r"_pictures/(\w+)\.png", text)) == there
    large = {p.name for p in (DOCS / "_pictures").iterdir() if p.stat().st_size > LARGEST}
    assert large == set()


def test_pictures_repeat_themselves(pictures: ModuleType, tmp_path: Path) -> None:
    first, second = tmp_path / "1.png", tmp_path / "2.png"
    for path in (first, second):
        pictures.PICTURES["clavicle"](path)
    assert first.read_bytes() == second.read_bytes()


def test_pages_build_without_warnings(tmp_path: Path) -> None:
    for package in ("sphinx", "furo", "myst_parser"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[docs]'")
    call = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "solvers" / "sik.html").read_text(encoding="utf-8")
    assert re.findall(r'<(?:script|img)[^>]*src="https?:', page) == [], "pages must work offline"
