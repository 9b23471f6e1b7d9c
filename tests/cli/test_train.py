from __future__ import annotations

import numpy as np
from tests.priors.people import clip

from sixpoint.formats import save


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
    assert "kept aside for validation: 1 subject (3)" in card
    used = report("reconstruct", clip_path, "-o", tmp_path / "out.bvh", "--prior", model)
    assert used["solver"] == "guided"
    for words in (("monte-carlo",), ("dls", "--set", "start=guided")):
        words = ("--solver", *words, "--prior", model)
        assert report("reconstruct", clip_path, "-o", tmp_path / "out.bvh", *words)["frames"] == 30
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


def test_names_with_zeros_in_front_and_odd_seeds(run, report, tmp_path):
    folder = folder_of(tmp_path, ("walk", "squat"))
    words = ("train", folder, "-o", tmp_path / "m.npz", "--name", "my own", "--credit", "me & you")
    found = report(*words, "--validation", "02", "--steps", 2, "--units", 4)
    assert found["validation"] == ["2"]
    assert found["command"].startswith("sixpoint train clips -o m.npz --validation 2 --steps 2")
    assert found["command"].endswith("--name 'my own' --credit 'me & you'")
    assert "x>=0" in run(*words, "--seed", -1, status=2).stderr


def test_an_output_that_cannot_be_is_noticed_before_the_work(run, tmp_path):
    folder = folder_of(tmp_path, ("walk", "squat"))
    (tmp_path / "a.npz").mkdir()
    (tmp_path / "b.md").mkdir()
    (tmp_path / "c.md").write_text("my notes")
    for name, said in (("a", "it is a folder"), ("b", "it is a folder"),
                       ("c", "something else than a model card is there")):  # fmt: skip
        result = run("train", folder, "-o", tmp_path / f"{name}.npz", status=1)
        assert said in result.stderr
        assert "training" not in result.stderr
    assert (tmp_path / "c.md").read_text() == "my notes"
    assert not (tmp_path / "c.npz").exists()


def test_the_same_motion_under_two_names_is_refused(run, tmp_path):
    folder = folder_of(tmp_path, ("walk", "squat", "walk"))
    result = run("train", folder, "-o", tmp_path / "m.npz", "--validation", "3", status=1)
    assert "same under two names: 1 = 3" in result.stderr


def test_a_model_of_another_kind_is_refused(run, tmp_path, clip_path):
    np.savez(tmp_path / "odd.npz", a=np.zeros(3))
    words = ("reconstruct", clip_path, "-o", tmp_path / "out.bvh", "--prior", tmp_path / "odd.npz")
    assert "Expected a sixpoint prior file" in run(*words, status=2).stderr
    refused = run(*words, "--solver", "sik", status=2).stderr
    assert "--prior is for the solvers guided, tgbsik, ccd" in refused
    assert "'sik' does not use it" in refused
    refused = run(*words, "--solver", "dls", status=2).stderr
    assert 'follows the guided solver, as with start="guided"' in refused
    refused = run(*words, "--solver", "none", status=2).stderr
    assert "No solver 'none'" in refused
