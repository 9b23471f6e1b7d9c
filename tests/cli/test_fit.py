from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp

CLIP = sp.builtin("reach").resampled(15.0)


@pytest.fixture
def points_path(tmp_path):
    sp.save_points(CLIP.points(), tmp_path / "points.csv")
    return tmp_path / "points.csv"


def test_a_subject_is_fitted_and_used(points_path, tmp_path, run, report):
    subject = tmp_path / "subject.json"
    found = report("fit", points_path, "-o", subject, "--height", 1.75)
    assert found["stature"] == pytest.approx(1.75, rel=0.03)
    assert found["lengths"]["thigh"]["deviation"] > 0.0
    assert found["mounts"] == {}
    assert sp.Subject.load(subject).found == tuple(found["found"])
    out = tmp_path / "out.bvh"
    made = report("reconstruct", points_path, "--subject", subject, "-o", out)
    assert made["target_mean_m"] < 0.01
    assert made["warnings"] == []
    assert sp.load(out).skeleton.anatomy.stature == pytest.approx(found["stature"], rel=1e-4)


def test_the_table_shows_lengths(points_path, tmp_path, run):
    shown = run("fit", points_path, "-o", tmp_path / "subject.json").stdout
    assert "upper_arm" in shown
    assert "standard deviation" in shown


def test_points_without_a_body_are_given_one(points_path, tmp_path, report):
    made = report("reconstruct", points_path, "-o", tmp_path / "out.bvh")
    (note,) = made["warnings"]
    assert note.startswith("no body was given: one of 1.")
    assert "taken for joints" in note
    assert made["target_mean_m"] < 0.01


def test_one_body_at_a_time(points_path, tmp_path, run):
    words = ("reconstruct", points_path, "-o", tmp_path / "o.bvh", "--height", 1.8)
    said = run(*words, "--subject", tmp_path / "s.json", status=2).stderr
    assert "one of them, not height and subject" in " ".join(said.split())


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--at", "soon"), 2, "Expected --at START:END in seconds"),
        (("--pose", "x"), 2, "'x' is not one of"),
        (("--pose", "t"), 1, "Found no 1.5 s"),
        (("--pose", "n", "--at", "1:3"), 1, "moved in the stance from 1 to 3 s"),
        (("--height", "178"), 1, "in metres"),
    ],
)
def test_wrong_calls_write_nothing(points_path, tmp_path, run, words, status, message):
    out = tmp_path / "subject.json"
    said = run("fit", points_path, "-o", out, *words, status=status).output
    assert message in " ".join(said.split())
    assert not out.exists()


def test_a_broken_subject_writes_nothing(points_path, tmp_path, run):
    (tmp_path / "s.json").write_text("{}")
    out = tmp_path / "o.bvh"
    said = run("reconstruct", points_path, "--subject", tmp_path / "s.json", "-o", out, status=1)
    assert "sixpoint subject" in said.stderr
    assert not out.exists()


def test_python_takes_a_subject_for_a_skeleton():
    subject = sp.Subject(CLIP.skeleton)
    bare, known = (sp.reconstruct(CLIP.points(), who) for who in (CLIP.skeleton, subject))
    assert np.array_equal(bare.motion.rotations, known.motion.rotations)
