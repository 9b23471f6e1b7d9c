from __future__ import annotations

import subprocess
import sys

import click
import pytest

from sixpoint.cli import COMMANDS, main
from sixpoint.errors import InputError

BAD_CALLS = [
    (),
    ("nonsense",),
    ("info",),
    ("info", "a.bvh", "--nonsense"),
    ("reconstruct", "a.bvh"),
    ("bench", "nonsense"),
    ("render", "-o", "x.png"),
]


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


def test_help_lists_every_command_and_imports_none():
    code = (
        "import sys; from sixpoint.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'rich', 'matplotlib', 'viser', 'sixpoint.formats'}\n"
        "assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()"
    )
    result = python("-c", code)
    assert result.returncode == 0, result.stderr
    for name, line in COMMANDS.items():
        assert name in result.stdout
        assert line.split()[0] in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, run):
    text = run(name, "--help").stdout
    assert text.startswith(f"Usage: main {name}")
    command = main.get_command(click.Context(main), name)
    if not isinstance(command, click.Group):
        assert "--json" in text
        return
    for part in command.commands:
        assert part in text
        below = run(name, part, "--help").stdout
        assert below.startswith(f"Usage: main {name} {part}")
        assert "--json" in below


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_names_the_commands(name):
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name


def test_the_version_is_told(run):
    import sixpoint

    assert sixpoint.__version__ in run("--version").stdout


@pytest.mark.parametrize("words", BAD_CALLS, ids=" ".join)
def test_a_wrong_call_has_status_2_and_a_usage_line(words, run):
    result = run(*words, status=2)
    assert result.stdout == ""
    assert "Usage:" in result.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("Expected x, got y."), "sixpoint: Expected x, got y."),
        (PermissionError(13, "Permission denied", "secret.bvh"), "secret.bvh: Permission denied"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_errors_are_messages_with_status_1(error, said, run, monkeypatch):
    import sixpoint.formats

    def fail(*args, **options):
        raise error

    monkeypatch.setattr(sixpoint.formats, "inspect", fail)
    result = run("info", "a.bvh", status=1)
    assert said in result.stderr
    assert result.stdout == ""


def test_ctrl_c_is_no_traceback(run, monkeypatch):
    import sixpoint.formats

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sixpoint.formats, "inspect", interrupt)
    assert "Aborted" in run("info", "a.bvh", status=1).stderr


def test_the_installed_command_runs(tmp_path):
    result = python("-m", "sixpoint", "info", str(tmp_path / "no.bvh"))
    assert result.returncode == 1
    assert result.stdout == ""
    assert "no.bvh" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_closed_pipe_is_silent(clip_path):
    command = f"{sys.executable} -m sixpoint info {clip_path} | true"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in result.stderr
