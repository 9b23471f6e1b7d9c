from __future__ import annotations

import pytest

from sixpoint.data.clips import builtin
from sixpoint.formats import save


@pytest.fixture
def clips(tmp_path):
    """Two people, three clips."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for name in ("01_squat", "01_walk", "02_reach"):
        save(builtin(name[3:]).frames(slice(0, 80, 4)), folder / f"{name}.bvh")
    return folder


def test_numbers_and_pictures_are_written(report, tmp_path, clips):
    found = report("bench", "prior", "--data", clips, "--quick", "-o", tmp_path / "out")
    assert {row["solver"] for row in found["averages"]} >= {"sik", "guided"}
    assert {row["stress"] for row in found["stresses"]} == {"noise_m", "lost", "lengths"}
    assert sum(row["frames"] for row in found["confidence"]) == 60
    assert {row["subject"] for row in found["subjects"]} == {"1", "2"}
    assert found["kept_aside"] == []
    assert {row["solver"] for row in found["others"]["averages"]} >= {"tgbsik", "pik"}
    for name in ("prior.json", "curves.png", "worst_01_squat.png"):
        assert (tmp_path / "out" / name).stat().st_size > 1000


def test_tables_name_subjects_joints_and_other_solvers(run, clips):
    words = ("bench", "prior", "--data", clips, "--quick", "--subjects", clips)
    # The card of the built-in model keeps subject 2 aside.
    said = run(*words).stdout
    for title in (
        "By clip",
        "By subject",
        "By joint",
        "Other solvers",
        "names or axes",
        "was not fitted to",
    ):
        assert title in said
    assert "l_elbow" in said
    assert "By subject" not in run(*words[:4], "--quick", "--every", 2).stdout


def test_a_folder_of_known_people_is_refused(run, tmp_path):
    (tmp_path / "3").mkdir()
    save(builtin("walk").frames(slice(0, 8)), tmp_path / "3" / "03_walk.bvh")
    result = run("bench", "prior", "--quick", "--subjects", tmp_path / "3", status=1)
    assert "whom the model was not fitted to, found only others: 3" in result.stderr
