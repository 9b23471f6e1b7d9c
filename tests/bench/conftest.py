"""Short clips and rivals that are sequential IK in disguise: quick, and different enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import pytest

from sixpoint.bench.published import CLIPS, METHODS
from sixpoint.bench.table1 import Table1, bench_table1
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.motion.motion import Motion
from sixpoint.solvers import SOLVERS, SequentialSolver

SHORT = {"squat": slice(0, 40), "boxing": slice(200, 260)}


@dataclass(frozen=True, kw_only=True)
class Rival(SequentialSolver):
    """Sequential IK that turns its pelvis by the ankles alone."""

    name: ClassVar[str] = "ccd"
    weights: tuple[float, float, float] = (0.0, 1.0, 0.0)
    swivel: Literal["neutral", "search"] = "search"


@dataclass(frozen=True, kw_only=True)
class Refusing(SequentialSolver):
    """A solver that can do nothing."""

    name: ClassVar[str] = "kma"

    def prepare(self, *args: object, **options: object) -> object:
        raise InputError("not today")


@pytest.fixture(scope="session")
def clips() -> Mapping[str, Motion]:
    return {name: builtin(name).frames(part) for name, part in SHORT.items()}


@pytest.fixture(scope="session")
def paper_clips() -> Mapping[str, Motion]:
    """Built-in motion under the paper's names; far too short, but it will do."""
    short = builtin("boxing").frames(slice(200, 260))
    return {f"{clip.number}_{clip.name}": short for clip in reversed(CLIPS)}


def only(patch: pytest.MonkeyPatch, names: Iterable[str]) -> None:
    """Let SOLVERS be only sequential IK and some rivals, all alike but for their names."""
    for name in reversed(list(SOLVERS)):  # they come back the other way round: in order
        if name != "sik":
            patch.delitem(SOLVERS, name)
    for name in names:
        kind = type(name, (Rival,), {"name": name, "__module__": __name__})
        patch.setitem(SOLVERS, name, kind)


@pytest.fixture
def rivals(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Call it with the names of the rivals that there shall be."""
    return lambda *names: only(monkeypatch, names)


@pytest.fixture(scope="session")
def all_nine(paper_clips: Mapping[str, Motion]) -> Table1:
    """A table with every method and clip of the paper, in our settings only."""
    with pytest.MonkeyPatch.context() as patch:
        only(patch, ["jacobian-transpose", *(name for name in METHODS if name != "sik")])
        return replace(bench_table1(paper_clips), as_published={})
