"""The front door: names, version, and what importing costs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sixpoint

ROOT = Path(__file__).parents[1]


def test_every_public_name_resolves():
    for name in sixpoint.__all__:
        assert getattr(sixpoint, name) is not None
    assert set(sixpoint.__all__) <= set(dir(sixpoint))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sixpoint.nonsense


def test_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sixpoint.__version__ == project["version"]


@pytest.mark.parametrize(
    "statement",
    [
        "import sixpoint",
        "import sixpoint; sixpoint.load, sixpoint.builtin, sixpoint.SOLVERS",
        "import sixpoint; sixpoint.compare(*[sixpoint.builtin('walk')] * 2)",
    ],
)
def test_numba_is_not_imported_before_it_is_needed(statement):
    heavy = "numba", "scipy", "matplotlib", "viser"
    check = f"{statement}; import sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_solvers_stand_in_their_table_by_their_own_names():
    from sixpoint import solvers

    assert {name: kind.name for name, kind in solvers.SOLVERS.items()} == {
        name: name for name in solvers.SOLVERS
    }
    for name in solvers.__all__:
        assert getattr(solvers, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = solvers.nonsense


def test_a_solver_does_not_wait_for_the_others():
    check = (
        "import sixpoint, sys; sixpoint.solver('sik');"
        "print([m for m in sys.modules if m.startswith('sixpoint.solvers.particles')])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
