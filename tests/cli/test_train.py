from __future__ import annotations

import numpy as np
from tests.priors.people import clip

from sixpoint.formats import save
from sixpoint.motion.clips import builtin


def folder_of(tmp_path, names):
    """Clips of several people, one file each."""
    folder = tmp_path / "clips"
    folder.mkdir()
    for k, name in enumerate(names):
        save(clip(name, 1.6 + 0.05 * k), folder / f"{k + 1:02d}_{name}.bvh")
    return folder


SMALL = ("--steps", 40, "--units", 8)


def test_a_prior_is_trained_reported_and_used(report, run, tmp_path, clip_path):
    folder = folder_of(tmp_path, ("boxing", "walk", "squat"))
    model = tmp_path / "mine.npz"
    found = report("train", folder, "-o", model, "--validation", "3", *SMALL)
    assert found["training"] == ["1", "2"]
    assert found["validation"] == ["3"]
    assert set(found["figures"]) == {"3", "all"}
    assert found["figures"]["3"]["position_guided"] > 0.0
    card = (tmp_path / "mine.md").read_text()
    assert "Limits of use" in card
    assert "kept aside for validation: 1 subjects (3)" in card
    used = report("reconstruct", clip_path, "-o", tmp_path / "out.bvh", "--prior", model)
    assert used["solver"] == "guided"
    table = run("train", folder, "-o", model, *SMALL).stdout
    assert "Subjects kept aside" in table


def test_a_folder_without_usable_clips_is_refused(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "01_broken.bvh").write_text("HIERARCHY")
    result = run("train", tmp_path / "empty", "-o", tmp_path / "m.npz", status=1)
    assert "found none that can be used" in result.stderr
    assert "01_broken.bvh" in result.stderr
    result = run("train", tmp_path / "nowhere", "-o", tmp_path / "m.npz", status=1)
    assert "found no such one" in result.stderr


def test_one_subject_is_not_enough(run, tmp_path):
    folder = folder_of(tmp_path, ("walk",))
    result = run("train", folder, "-o", tmp_path / "m.npz", status=2)
    assert "two subjects or more" in result.stderr


def test_subjects_to_validate_with_must_be_there(run, tmp_path):
    folder = folder_of(tmp_path, ("walk", "squat"))
    result = run("train", folder, "-o", tmp_path / "m.npz", "--validation", "9", status=2)
    assert "No subject '9'" in result.stderr
    result = run("train", folder, "-o", tmp_path / "m.npz", "--validation", "1,2", status=2)
    assert "some to learn from" in result.stderr


def test_the_same_motion_under_two_names_is_refused(run, tmp_path):
    folder = folder_of(tmp_path, ("walk", "squat", "walk"))
    result = run("train", folder, "-o", tmp_path / "m.npz", "--validation", "3", status=1)
    assert "same under two names: 1 = 3" in result.stderr


def test_a_model_of_another_kind_is_refused(run, tmp_path, clip_path):
    np.savez(tmp_path / "odd.npz", a=np.zeros(3))
    words = ("reconstruct", clip_path, "-o", tmp_path / "out.bvh", "--prior", tmp_path / "odd.npz")
    assert "Expected a sixpoint prior file" in run(*words, status=2).stderr
    words = ("reconstruct", clip_path, "-o", tmp_path / "out.bvh", "--solver", "sik")
    refused = run(*words, "--prior", tmp_path / "odd.npz", status=2).stderr
    assert "No setting of solver 'sik' 'prior'" in refused


def test_bench_prior_writes_numbers_and_pictures(report, tmp_path):
    save(builtin("squat").frames(slice(0, 200, 4)), tmp_path / "squat.bvh")
    found = report("bench", "prior", "--data", tmp_path, "--quick", "-o", tmp_path / "out")
    assert {row["solver"] for row in found["averages"]} >= {"sik", "guided"}
    assert {row["stress"] for row in found["stresses"]} == {"noise_m", "lost", "lengths"}
    assert sum(row["frames"] for row in found["confidence"]) == 50
    for name in ("prior.json", "curves.png", "worst_squat.png"):
        assert (tmp_path / "out" / name).stat().st_size > 1000
