from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from sixpoint.cli import main

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.formats import load_points


def run(*args: object, code: int = 0):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stage")
    run("stage", "-o", folder, "--frames", 24, "--json")
    return folder


def test_pictures_become_points_and_a_body(stage, tmp_path):
    out = tmp_path / "points.npz"
    report = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--marks", stage / "marks.json", "--debug", tmp_path / "debug", "-o", out, "--json",
            ).stdout
    )  # fmt: skip
    assert report["frames"] == 24
    assert report["rules_broken"] == {}
    assert min(report["seen"].values()) == 1.0
    assert (tmp_path / "debug" / "stages_00000.png").stat().st_size > 10_000
    points, truth = load_points(out), load_points(stage / "truth.npz")
    off = (
        points.select(["face", "l_hand", "r_hand"]).positions
        - truth.select(["face", "l_hand", "r_hand"]).positions
    )
    assert np.linalg.norm(off, axis=-1).mean() < 0.005
    solved = json.loads(
        run("reconstruct", out, "--height", 1.75, "-o", tmp_path / "a.bvh", "--json").stdout
    )
    assert "the feet are kept where they stood" in " ".join(solved["warnings"])
    assert solved["limit_violations"] == 0
    from sixpoint.formats import load

    ankles = load(tmp_path / "a.bvh").points(["l_ankle", "r_ankle"]).positions
    assert np.ptp(ankles, axis=0).max() < 0.03


def test_keypoints_become_points(stage, tmp_path):
    from sixpoint.vision.camera_file import load_cameras

    truth = load_points(stage / "truth.npz")
    names = ["l_wrist", "r_wrist", "l_elbow", "r_elbow"]
    paths = []
    for camera in load_cameras(stage / "cameras.json"):
        pixels = camera.project(truth.select(names).positions)
        rows = np.concatenate([pixels, np.ones((*pixels.shape[:2], 1))], axis=-1)
        paths.append(tmp_path / f"{camera.name}.json")
        paths[-1].write_text(json.dumps({"names": names, "rate": 30, "frames": rows.tolist()}))
    out = tmp_path / "points.csv"
    run("capture", *paths, "--calibration", stage / "cameras.json", "-o", out)
    np.testing.assert_allclose(
        load_points(out).select(names).positions, truth.select(names).positions, atol=1e-4
    )


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["left", "right", "-o", "a.txt"], 2, "end in .npz"),
        (["left", "-o", "a.npz"], 2, "two views or more, got 1"),
        (["left", "right", "-o", "a.npz"], 2, "Expected --calibration FILE"),
        (["left", "right", "--calibration", "no.json", "-o", "a.npz"], 1, "no.json: Cannot be"),
        (["left", "right", "left", "--calibration", "cameras.json", "-o", "a.npz"], 2,
         "as many views as cameras"),
        (["left", "nothing", "--calibration", "cameras.json", "-o", "a.npz"], 1,
         "nothing: Expected a folder of pictures"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--key", "green"], 2,
         "expected R,G,B or auto"),
        (["left", "right", "--calibration", "cameras.json", "-o", "a.npz", "--height", "1.8",
          "--marks", "marks.json"], 2, "not both"),
    ],
)  # fmt: skip
def test_a_wrong_call_says_what_is_wrong(stage, monkeypatch, args, code, message):
    monkeypatch.chdir(stage)
    result = run("capture", *args, code=code)
    assert message in result.stderr


def test_a_wall_of_another_colour_is_named_and_gives_nothing(stage, tmp_path):
    report = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--key", "200,30,30", "-o", tmp_path / "p.npz", "--json").stdout
    )  # fmt: skip
    assert report["rules_broken"] == {"KEY_BACKGROUND": 24}
    assert "not of the key colour" in report["warnings"][0]
    assert not load_points(tmp_path / "p.npz").seen.any()
    auto = json.loads(
        run("capture", stage / "left", stage / "right", "--calibration", stage / "cameras.json",
            "--key", "auto", "--feedback", "none", "-o", tmp_path / "p.npz", "--json").stdout
    )  # fmt: skip
    assert auto["seen"]["head"] == 1.0


def test_boards_are_calibrated(tmp_path):
    import cv2

    from board_pictures import shown
    from sixpoint.vision.boards import Board
    from sixpoint.vision.stage import stage_cameras

    board = Board(6, 4, 0.10)
    for camera in stage_cameras((640, 480)):
        (tmp_path / camera.name).mkdir()
        for k in range(7):
            pose = (
                (0.5 * np.sin(k), 0.5 * np.cos(1.7 * k), 0.2 * np.sin(3 * k)),
                (-0.3 + 0.1 * np.sin(2 * k), 1.2 + 0.1 * np.cos(k), 0.3 + 0.2 * np.sin(k)),
            )
            cv2.imwrite(str(tmp_path / camera.name / f"{k}.png"), shown(camera, board, *pose))
    report = json.loads(
        run("calibrate", tmp_path / "left", tmp_path / "right", "--board", "6x4", "--square",
            0.1, "-o", tmp_path / "rig.json", "--json").stdout
    )  # fmt: skip
    assert report["baseline_m"] == pytest.approx(0.8, rel=0.03)
    assert (
        "COLUMNSxROWS"
        in run("calibrate", "a", "b", "--board", "six", "-o", tmp_path / "rig.json", code=2).stderr
    )
    assert "No scene" in run("stage", "--scene", "opera", "-o", tmp_path, code=2).stderr
