from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sixpoint.cli import main
from sixpoint.data.clips import builtin
from sixpoint.formats import save
from sixpoint.motion.motion import Motion

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Call the command in this process; anything but a clean exit is an error of the test."""

    def call(*words: object, status: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == status, result.output
        assert "Traceback" not in result.output
        return result

    return call


@pytest.fixture
def report(run: Run) -> Callable[..., dict[str, Any]]:
    """Call with --json; standard output must be one object and nothing else."""

    def call(*words: object, status: int = 0) -> dict[str, Any]:
        found = json.loads(run(*words, "--json", status=status).stdout)
        assert isinstance(found, dict)
        return found

    return call


@pytest.fixture(scope="session")
def clip() -> Motion:
    """A short motion of the built-in figure."""
    return builtin("squat").frames(slice(0, 120, 4))


@pytest.fixture
def clip_path(clip: Motion, tmp_path: Path) -> Path:
    """The same in a file."""
    save(clip, tmp_path / "clip.bvh")
    return tmp_path / "clip.bvh"
