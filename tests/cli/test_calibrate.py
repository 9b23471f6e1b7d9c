from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")


def test_boards_are_calibrated(tmp_path, run):
    import cv2

    from board_pictures import shown
    from sixpoint.vision.calibration import Board
    from sixpoint.vision.synthetic.room import room_cameras

    board = Board(6, 4, 0.10)
    for camera in room_cameras((640, 480)):
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
        in run(
            "calibrate", "a", "b", "--board", "six", "-o", tmp_path / "rig.json", status=2
        ).stderr
    )


def test_running_cameras_are_not_calibrated(tmp_path, run, monkeypatch):
    import cv2

    from devices import Bench

    monkeypatch.setattr(cv2, "VideoCapture", Bench().open)
    result = run("calibrate", 0, 1, "-o", tmp_path / "rig.json", status=2)
    assert "not running cameras" in result.stderr
