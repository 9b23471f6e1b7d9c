from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from board_pictures import shown
from sixpoint.body.humanoid import measure_lengths
from sixpoint.errors import FormatError, InputError
from sixpoint.vision.body_measurement import measure_body
from sixpoint.vision.calibration import (
    Board,
    calibrate_pair,
    camera_from_projection,
    load_cameras,
    save_cameras,
)
from sixpoint.vision.camera import Camera
from sixpoint.vision.images import open_footage, read_together
from sixpoint.vision.synthetic import exact_marks
from sixpoint.vision.synthetic.room import Actor, room_cameras
from sixpoint.vision.synthetic.scenes import scene


@pytest.mark.parametrize(
    ("size", "board"),
    [
        ((640, 480), Board(8, 5, 0.06)),
        ((640, 480), Board(6, 4, 0.10, 0.078)),
        ((320, 240), Board(8, 5, 0.12)),
        ((320, 240), Board(6, 4, 0.18, 0.14)),
    ],
    ids=["chessboard", "charuco", "chessboard, 320 x 240", "charuco, 320 x 240"],
)
def test_boards_give_the_cameras_back(size, board):
    cameras = room_cameras(size)
    poses = [((0, 0, 0), (-0.2, 1.25, 0.3))] + [
        ((0.5 * np.sin(k), 0.5 * np.cos(1.7 * k), 0.2 * np.sin(3 * k)),
         (-0.3 + 0.12 * np.sin(2 * k), 1.1 + 0.2 * np.cos(k), 0.3 + 0.25 * np.sin(k)))
        for k in range(1, 11)
    ]  # fmt: skip
    left, right = ([shown(camera, board, *pose) for pose in poses] for camera in cameras)
    found = calibrate_pair(left, right, board, height=1.25)
    assert found.error < 0.6
    assert found.views >= 8
    for true, camera in zip(cameras, found.cameras, strict=True):
        assert camera.matrix[0, 0] == pytest.approx(true.matrix[0, 0], rel=0.02)
    apart = [np.linalg.norm(np.diff([c.centre for c in pair], axis=0)) for pair in
             (cameras, found.cameras)]  # fmt: skip
    assert apart[1] == pytest.approx(apart[0], rel=0.02)
    # The world: the first corner of the first board at the height given, upright.
    assert abs(found.cameras[0].centre[1] - cameras[0].centre[1]) < 0.05
    # What a body is measured with them.
    marks = exact_marks(cameras, Actor(scene("calibration")).truth())
    lengths = measure_body(found.cameras, marks).lengths
    true = measure_lengths(scene("calibration").skeleton)
    for name in ("upper_arm", "forearm", "torso_width"):
        assert lengths[name] == pytest.approx(true[name], rel=0.01)


def test_boards_that_are_too_small_are_refused_with_a_hint():
    board = Board(8, 5, 0.03)
    cameras = room_cameras()
    left, right = (
        [shown(c, board, (0.1 * k, 0, 0), (-0.2, 1.2, 0.2)) for k in range(5)] for c in cameras
    )
    with pytest.raises(InputError, match="Squares must be 12 pixels wide in the pictures"):
        calibrate_pair(left, right, board)


def test_boards_that_nobody_sees_are_refused():
    blank = [np.full((48, 64, 3), 128, np.uint8)] * 5
    with pytest.raises(InputError, match=r"4 pairs of pictures or more.*got 0 of 5"):
        calibrate_pair(blank, blank, Board(8, 5, 0.06))
    with pytest.raises(InputError, match="as many pictures of both cameras, got 5 and 4"):
        calibrate_pair(blank, blank[1:], Board(8, 5, 0.06))
    with pytest.raises(InputError, match="pictures of one size, got 32 x 48, 64 x 48"):
        calibrate_pair(blank, [b[:, :32] for b in blank], Board(8, 5, 0.06))
    for wrong, message in (((1, 5, 0.1), "inner corners"), ((8, 5, -1.0), "`square`"),
                           ((8, 5, 0.1, 0.2), "smaller than the square")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            Board(*wrong)


def same(a: Camera, b: Camera, atol: float = 1e-9) -> None:
    for name in ("matrix", "rotation", "translation", "distortion"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=atol)
    assert a.size == b.size


def test_cameras_come_back_from_their_file(tmp_path):
    cameras = room_cameras()
    save_cameras(cameras, tmp_path / "rig.json")
    for before, after in zip(cameras, load_cameras(tmp_path / "rig.json"), strict=True):
        same(before, after)
        assert before.name == after.name


def test_a_camera_from_a_known_matrix():
    for camera in room_cameras():
        for scale in (1.0, -3.0):
            projection = scale * camera.matrix @ camera.extrinsics
            same(camera_from_projection("a", camera.size, projection), camera, 1e-6)
    with pytest.raises(InputError, match="`projection` of rank 3"):
        camera_from_projection("a", (9, 9), np.zeros((3, 4)))


def test_a_calibration_of_qualisys(shared_data):
    folder = shared_data / "other" / "video_multicam"
    cameras = load_cameras(folder / "Calib.qca.txt")
    assert [camera.size for camera in cameras] == [(1088, 1920)] * 4
    # All four look at the middle of the room, from above the ground (Y up).
    assert all(1.0 < camera.centre[1] < 3.0 for camera in cameras)
    for camera in cameras:
        assert (np.abs(camera.project([0.0, 1.0, 0.0]) / camera.size - 0.5) < 0.5).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "JSON or Qualisys XML"),
        ("{}", "'format': 'sixpoint cameras'"),
        ('{"format": "sixpoint cameras"}', "a list of 'cameras', got none"),
        ('{"format": "sixpoint cameras", "cameras": [{"name": "a"}]}', "'size' is missing"),
        ("<a>", "Qualisys XML"),
        ("<a/>", "<camera> elements"),
        ("<a><camera/></a>", "Camera 0"),
        ("<!DOCTYPE a []><a/>", "entity definitions"),
    ],
)
def test_a_calibration_that_cannot_be_read(tmp_path, text, message):
    path = tmp_path / "rig.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        load_cameras(path)


def test_a_missing_calibration_says_so(tmp_path):
    with pytest.raises(FormatError, match=r"none\.json: Cannot be read"):
        load_cameras(tmp_path / "none.json")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_calibration_or_an_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        load_cameras(path)


def test_a_cap_in_four_real_views_is_one_place(shared_data):
    """The calibrated clip: the blue cap of the person, found by its colour in every view."""
    from sixpoint.vision.camera import cropped, reprojection_errors, triangulate

    folder = shared_data / "other" / "video_multicam"
    views = [open_footage(str(folder / f"cam0{k}.mp4")) for k in range(1, 5)]
    assert [view.count for view in views] == [100] * 4
    assert [view.size[0] for view in views] == [1080, 1080, 1088, 1088]
    calibrated = load_cameras(folder / "Calib.qca.txt")
    cameras = [cropped(c, view.size) for c, view in zip(calibrated, views, strict=True)]
    pixels = []
    for pictures in read_together(views, 10):
        row = []
        for picture in pictures:
            hue, strong, light = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV))
            teal = ((hue > 85) & (hue < 100) & (strong > 110) & (light > 60)).astype(np.uint8)
            _, _, stats, centres = cv2.connectedComponentsWithStats(teal)
            row.append(centres[1 + np.argmax(stats[1:, cv2.CC_STAT_AREA])])
        pixels.append(row)
    seen = np.array(pixels).transpose(1, 0, 2)
    places = triangulate(cameras, seen)
    # A cap is 60 pixels wide, and each view sees another side of it.
    assert np.median(reprojection_errors(cameras, seen, places)) < 30.0
    assert ((places[:, 1] > 1.4) & (places[:, 1] < 2.2)).all()
