from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from sixpoint.errors import FormatError, InputError
from sixpoint.vision.calibration import camera_from_projection, load_cameras, save_cameras
from sixpoint.vision.camera import Camera
from sixpoint.vision.images import open_footage, read_together
from sixpoint.vision.synthetic.room import room_cameras


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
            projection = scale * camera.matrix @ camera.placement
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
        assert camera.inside(camera.project([0.0, 1.0, 0.0]))


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
    from sixpoint.vision.camera import cropped, misses, triangulate

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
    assert np.median(misses(cameras, seen, places)) < 30.0
    assert ((places[:, 1] > 1.4) & (places[:, 1] < 2.2)).all()
