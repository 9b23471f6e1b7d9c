from __future__ import annotations

import pytest

from sixpoint.api import REPORT_KEYS, summary_of
from sixpoint.formats import load, save, save_points


@pytest.fixture
def folder(clip, tmp_path):
    place = tmp_path / "clips"
    (place / "deep").mkdir(parents=True)
    save(clip, place / "a.bvh")
    save(clip, place / "a.npz")
    save(clip, place / "deep" / "b.bvh")
    (place / "notes.txt").write_text("not a clip")
    return place


def test_every_clip_is_reconstructed_at_its_place(folder, tmp_path, report):
    found = report("reconstruct", folder, "-o", tmp_path / "out")
    assert [e["input"] for e in found["files"]] == [
        str(folder / name) for name in ("a.bvh", "a.npz", "deep/b.bvh")
    ]
    assert all(e["error"] is None for e in found["files"])
    for name in ("a.bvh", "a.npz", "deep/b.bvh"):
        assert len(load(tmp_path / "out" / name)) == 30
    assert tuple(found) == (*REPORT_KEYS, "files")
    assert found["frames"] == 90
    assert found["rate"] == found["files"][0]["rate"]


def test_a_clip_that_fails_does_not_stop_the_rest(folder, tmp_path, run, report):
    (folder / "bad.bvh").write_text("HIERARCHY nonsense")
    found = report("reconstruct", folder, "-o", tmp_path / "out", status=1)
    errors = {e["input"]: e["error"] for e in found["files"] if e["error"]}
    assert list(errors) == [str(folder / "bad.bvh")]
    assert "bad.bvh" in errors[str(folder / "bad.bvh")]
    assert not (tmp_path / "out" / "bad.bvh").exists()
    assert (tmp_path / "out" / "deep" / "b.bvh").exists()
    result = run("reconstruct", folder, "-o", tmp_path / "out", status=1)
    assert "failed" in result.stdout
    assert "bad.bvh" in result.stderr


def test_two_processes_give_the_same_report(folder, tmp_path, report):
    one = report("reconstruct", folder, "-o", tmp_path / "one")
    two = report("reconstruct", folder, "-o", tmp_path / "two", "--jobs", 2)
    for key in ("frames", "position_rms", "orientation_rms", "target_max_m", "limit_violations"):
        assert one[key] == two[key]
    assert (tmp_path / "one/a.bvh").read_bytes() == (tmp_path / "two/a.bvh").read_bytes()


def test_points_are_taken_when_their_body_is_known(clip, tmp_path, report):
    place = tmp_path / "tracked"
    place.mkdir()
    save_points(clip.points(), place / "p.csv")
    save(clip, place / "with_a_body.bvh")
    found = report("reconstruct", place, "-o", tmp_path / "out", "--height", 1.75)
    assert len(found["files"]) == 1
    assert found["files"][0]["output"] == str(tmp_path / "out" / "p.bvh")
    assert (tmp_path / "out" / "p.bvh").exists()


def test_wrong_folders_are_refused(folder, tmp_path, run):
    assert "input folder" in run("reconstruct", folder, "-o", folder, status=2).stderr
    (tmp_path / "file").touch()
    assert "is a file" in run("reconstruct", folder, "-o", tmp_path / "file", status=2).stderr
    (tmp_path / "empty").mkdir()
    said = run("reconstruct", tmp_path / "empty", "-o", tmp_path / "out", status=1).stderr
    assert "no clip in this folder; expected .bvh" in said


def test_an_output_folder_inside_the_input_is_not_read_again(folder, report):
    for _ in range(2):
        found = report("reconstruct", folder, "-o", folder / "out")
        assert len(found["files"]) == 3


def test_a_summary_of_nothing_is_empty():
    failed = dict.fromkeys(REPORT_KEYS) | {"input": "a", "error": "bad"}
    found = summary_of([failed])
    assert found["frames"] == 0
    assert found["position_rms"] is None
    assert found["solver"] is None


def test_a_process_that_dies_is_said(folder, tmp_path, run, monkeypatch):
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    def die(*args, **options):
        raise BrokenProcessPool("killed")

    monkeypatch.setattr(ProcessPoolExecutor, "map", die)
    said = run("reconstruct", folder, "-o", tmp_path / "out", "--jobs", 2, status=1).stderr
    assert "try fewer processes" in said
