from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.formats import load_points


def test_the_stage_is_played_as_asked(tmp_path, run):
    from sixpoint.vision.calibration import load_cameras

    def written(name, *options):
        run("stage", "-o", tmp_path / name, "--frames", 2, *options)
        pictures = [
            (tmp_path / name / side / "00001.png").read_bytes() for side in ("left", "right")
        ]
        return pictures, load_points(tmp_path / name / "truth.npz")

    plain, truth = written("plain")
    assert written("again")[0] == plain
    for name, options in (
        ("thing", ("--obstacle", 0.0, 1.3, 0.8)),
        ("seed", ("--noise", 4)),
        ("other", ("--noise", 4, "--seed", 7)),
        ("clap", ("--scene", "clap")),
    ):
        plain_too, _ = written(name, *options)
        assert plain_too != plain
        plain = plain_too
    _, small = written("small", "--height", 1.5)
    heads = [points.select(["head"]).positions[0, 0, 1] for points in (truth, small)]
    assert heads[1] / heads[0] == pytest.approx(1.5 / 1.75, rel=0.01)
    written("far", "--distance", 3, "--baseline", 0.5)
    left, right = load_cameras(tmp_path / "far" / "cameras.json")
    assert np.linalg.norm(left.centre - right.centre) == pytest.approx(0.5)
    assert left.centre[2] == pytest.approx(3.0)
    marks = json.loads((tmp_path / "small" / "marks.json").read_text())
    assert marks["left"] != json.loads((tmp_path / "plain" / "marks.json").read_text())["left"]


def test_a_scene_that_does_not_exist_is_refused(tmp_path, run):
    assert "No scene" in run("stage", "--scene", "opera", "-o", tmp_path, status=2).stderr
