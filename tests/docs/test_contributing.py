"""The tutorial in CONTRIBUTING.md works as it stands: its solver passes every law."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.data.clips import builtin
from sixpoint.solvers import SOLVERS
from sixpoint.solvers.conformance import LAWS

ROOT = Path(__file__).parents[2]
NAME = "sixpoint.solvers.sequential.hold"


def snippets() -> list[str]:
    """The Python of the section "Add a solver"."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("\n## Add a solver\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The file of the tutorial, as a module of the package, with its entry in the table."""
    path = tmp_path_factory.mktemp("tutorial") / "hold.py"
    path.write_text(snippets()[0], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    SOLVERS["hold"] = module.HoldSolver
    yield module
    del SOLVERS["hold"], sys.modules[NAME]


def test_the_rest_pose_follows_the_pelvis(hold: ModuleType) -> None:
    clip = builtin("walk")
    motion = sp.reconstruct(clip.points(), clip.skeleton, "hold").motion
    pelvis = clip.skeleton.anatomy.node("pelvis")
    assert (motion.rotations[0, pelvis + 1 :] == motion.rotations[-1, pelvis + 1 :]).all()
    away = motion.points(("pelvis",)).positions - clip.points(("pelvis",)).positions
    assert abs(away).max() < 0.1  # half of what the straight spine is too long


def test_its_setting_reaches_the_kernel(hold: ModuleType) -> None:
    clip = builtin("walk").frames(slice(0, 1))
    straight, bent = (
        sp.reconstruct(clip.points(), clip.skeleton, "hold", lean=lean).motion
        for lean in (0.0, 0.5)
    )
    trunks = (
        np.diff(motion.points(("pelvis", "head")).positions[0, :, 1]) for motion in (straight, bent)
    )
    upright, stooped = trunks
    assert stooped < upright - 0.01


@pytest.mark.parametrize("law", LAWS)
def test_its_solver_keeps_every_law(hold: ModuleType, law: str) -> None:
    LAWS[law](sp.solver("hold"))


def test_its_check_runs(hold: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []
    monkeypatch.setattr("sixpoint.solvers.conformance.check_solver", called.append)
    exec(compile(snippets()[1], "CONTRIBUTING.md", "exec"), {})
    assert called == [hold.HoldSolver()]
