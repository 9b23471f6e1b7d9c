"""Calibrations, boards, marks, footage and keypoints."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from board_pictures import shown
from sixpoint.body.humanoid import measure_lengths
from sixpoint.errors import FormatError, InputError
from sixpoint.vision.boards import Board, calibrate_pair
from sixpoint.vision.camera import Camera
from sixpoint.vision.camera_file import camera_from_projection, load_cameras, save_cameras
from sixpoint.vision.footage import open_footage, read_together
from sixpoint.vision.keypoints import (
    BODY_25,
    COCO,
    Keypoints,
    load_keypoints,
    triangulate_keypoints,
)
from sixpoint.vision.measure import load_marks, measure_body
from sixpoint.vision.stage import stage_cameras
from sixpoint.vision.stage_files import marks_on_stage, write_stage
from sixpoint.vision.stage_person import Actor
from sixpoint.vision.stage_scenes import scene


def same(a: Camera, b: Camera, atol: float = 1e-9) -> None:
    for name in ("matrix", "rotation", "translation", "distortion"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=atol)
    assert a.size == b.size


def test_cameras_come_back_from_their_file(tmp_path):
    cameras = stage_cameras()
    save_cameras(cameras, tmp_path / "rig.json")
    for before, after in zip(cameras, load_cameras(tmp_path / "rig.json"), strict=True):
        same(before, after)
        assert before.name == after.name


def test_a_camera_from_a_known_matrix():
    for camera in stage_cameras():
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


@pytest.mark.parametrize("board", [Board(8, 5, 0.06), Board(6, 4, 0.10, 0.078)],
                         ids=["chessboard", "charuco"])  # fmt: skip
def test_boards_give_the_cameras_back(board):
    cameras = stage_cameras((640, 480))
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


def test_a_body_is_measured_to_a_percent():  # S3.13
    cameras = stage_cameras()
    motion = scene("calibration")
    marks = marks_on_stage(cameras, Actor(motion).truth())
    body = measure_body(cameras, marks)
    true = measure_lengths(motion.skeleton)
    for name in ("upper_arm", "forearm", "torso_width"):
        assert body.lengths[name] == pytest.approx(true[name], rel=0.01)
        assert measure_lengths(body.skeleton)[name] == pytest.approx(true[name], rel=0.01)
    assert body.stature == pytest.approx(1.75, rel=0.01)
    no_back = [{k: v for k, v in m.items() if k != "back"} for m in marks]
    assert measure_body(cameras, no_back).stature == pytest.approx(1.75, rel=0.03)


def test_marks_that_make_no_sense_are_refused(tmp_path):
    cameras = stage_cameras()
    marks = marks_on_stage(cameras, Actor(scene("calibration")).truth())
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"left": marks[0], "right": marks[1]}))
    assert load_marks(path)[0]["l_elbow"] == pytest.approx(tuple(marks[0]["l_elbow"]))
    fewer = [{k: v for k, v in marks[0].items() if k != "l_elbow"}, marks[1]]
    with pytest.raises(InputError, match="camera 'left'; got none of l_elbow"):
        measure_body(cameras, fewer)
    shifted = [marks[0], marks[1] | {"r_wrist": [10.0, 10.0]}]
    with pytest.raises(InputError, match="'r_wrist' on the same joint in both pictures"):
        measure_body(cameras, shifted)
    lopsided = [m | {"l_elbow": m["l_shoulder"]} for m in marks]
    with pytest.raises(InputError, match="arms of one length"):
        measure_body(cameras, lopsided)
    with pytest.raises(InputError, match="marks in 2 pictures, got 1"):
        measure_body(cameras, marks[:1])
    for text, message in (("x", "Expected JSON"), ("{}", "'left' and 'right'"),
                          ('{"left": {"a": 1}, "right": {}}', r"joint: \[u, v\]")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            load_marks(path)
    with pytest.raises(FormatError, match="Cannot be read"):
        load_marks(tmp_path / "none.json")


def test_footage_comes_from_folders_and_videos(tmp_path):
    write_stage(tmp_path, "gestures", frames=3)
    views = [open_footage(str(tmp_path / side)) for side in ("left", "right")]
    pairs = list(read_together(views))
    assert len(pairs) == 3
    assert pairs[0][0].shape == (240, 320, 3)
    video = str(tmp_path / "left.avi")
    writer = cv2.VideoWriter(video, cv2.VideoWriter_fourcc(*"MJPG"), 30.0, (320, 240))
    for pair in pairs:
        writer.write(pair[0])
    writer.release()
    again = open_footage(video)
    assert (again.kind, again.size, again.rate) == ("video", (320, 240), 30.0)
    assert len(list(read_together([again, views[1]]))) == 3
    (tmp_path / "right" / "00002.png").unlink()
    shorter = open_footage(str(tmp_path / "right"))
    with pytest.raises(InputError, match=r"as many pictures of every camera, got 3 in .*, 2 in"):
        list(read_together([views[0], shorter]))
    cv2.imwrite(str(tmp_path / "right" / "00001.png"), pairs[0][0][:100])
    cv2.imwrite(str(tmp_path / "right" / "00002.png"), pairs[0][0])
    with pytest.raises(InputError, match="picture 1 has 320 x 100"):
        list(read_together([views[0], open_footage(str(tmp_path / "right"))]))


def test_footage_that_is_none(tmp_path):
    with pytest.raises(FormatError, match="a folder of pictures, a video file or the number"):
        open_footage(str(tmp_path / "nothing.mp4"))
    with pytest.raises(FormatError, match="in the folder, got none"):
        open_footage(str(tmp_path))
    (tmp_path / "a.mp4").write_bytes(b"no video")
    with pytest.raises(FormatError, match=r"Cannot be opened|no picture"):
        open_footage(str(tmp_path / "a.mp4"))
    (tmp_path / "b.png").write_bytes(b"no picture")
    with pytest.raises(FormatError, match="something that cannot be read"):
        open_footage(str(tmp_path))


def detected(names, cameras, noise=0.5, wrong=0.05):
    """What a detector would see of the box scene, some of it wrong."""
    import sixpoint as sp
    from sixpoint.body.roles import ROLES

    motion = scene("box").frames(slice(0, 30))
    roles = [name for name in names if name in ROLES and name not in ("head", "pelvis")]
    at = motion.points(roles).positions
    head = motion.points(["head"]).positions[:, 0]
    rng = np.random.default_rng(5)
    views = []
    for camera in cameras:
        rows = np.zeros((len(motion), len(names), 3))
        for k, name in enumerate(names):
            ear = {"l_ear": 0.07, "r_ear": -0.07}.get(name, 0.0)
            place = at[:, roles.index(name)] if name in roles else head + np.array([ear, 0, 0])
            rows[:, k, :2] = camera.project(place) + rng.normal(0, noise, (len(motion), 2))
            rows[:, k, 2] = 0.9
        bad = rng.uniform(size=rows.shape[:2]) < wrong
        rows[bad, :2] = rng.uniform(0, 300, (int(bad.sum()), 2))
        views.append(rows)
    return motion, views, sp


def test_keypoints_of_three_views_become_the_six(tmp_path):
    cameras = [
        *stage_cameras((640, 480)),
        Camera.looking("third", (640, 480), 460.0, (1.6, 1.6, 1.4), (0.0, 1.0, 0.0)),
    ]
    motion, views, sp = detected(COCO, cameras)
    folder = tmp_path / "openpose"
    folder.mkdir()
    for f, row in enumerate(views[0]):
        people = [
            {"pose_keypoints_2d": row.ravel().tolist()},
            {"pose_keypoints_2d": (row * (1, 1, 0.1)).ravel().tolist()},
        ]
        (folder / f"{f:03d}_keypoints.json").write_text(json.dumps({"people": people}))
    coco = [
        {"image_id": f, "keypoints": row.ravel().tolist(), "score": 1.0}
        for f, row in enumerate(views[1])
    ]
    (tmp_path / "coco.json").write_text(json.dumps(coco))
    own = {"names": list(COCO), "rate": 30, "frames": views[2].tolist()}
    (tmp_path / "own.json").write_text(json.dumps(own))
    loaded = [load_keypoints(tmp_path / name) for name in ("openpose", "coco.json", "own.json")]
    points = triangulate_keypoints(cameras, loaded)
    assert points.rate == 30.0
    true = motion.points()
    found = points.select(true.names)
    off = np.linalg.norm(found.positions - true.positions, axis=-1)
    seen = np.isfinite(off)
    assert seen.mean() > 0.97
    assert np.nanmedian(off) < 0.02
    assert np.nanpercentile(off[:, 2:], 98) < 0.03
    result = sp.reconstruct(found, motion.skeleton)
    assert np.isfinite(result.motion.root).all()


def test_keypoints_that_cannot_be_read(tmp_path):
    path = tmp_path / "k.json"
    for text, message in (
        ("[", "Expected JSON"),
        ("{}", "Expected keypoints: a folder of OpenPose files"),
        ('[{"a": 1}]', "Result 0: expected 'image_id'"),
        ('[{"image_id": 0, "keypoints": [1, 2, 3]}]', r"17, 25, 26 keypoints.*got 1"),
        ('[{"image_id": 0, "keypoints": [1, 2]}]', "u, v, confidence"),
        ('{"names": ["a"], "frames": [[[1, 2]]]}', r"shape \(F, 1, 3\)"),
        ('{"names": ["a"], "frames": "x"}', r"\[\[u, v, confidence\]"),
        ('{"people": []}', "nobody in any frame"),
        ('{"people": 1}', "'people' in a file of OpenPose"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            load_keypoints(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="a folder of JSON files, got none"):
        load_keypoints(tmp_path / "empty")
    with pytest.raises(FormatError, match="Cannot be read"):
        load_keypoints(tmp_path / "none.json")


def test_keypoints_must_fit_their_cameras():
    cameras = stage_cameras()
    view = Keypoints(BODY_25, np.zeros((4, 25, 2)), np.ones((4, 25)))
    short = Keypoints(BODY_25, np.zeros((3, 25, 2)), np.ones((3, 25)))
    with pytest.raises(InputError, match="keypoints for 2 cameras, got 1"):
        triangulate_keypoints(cameras, [view])
    with pytest.raises(InputError, match="as many frames in every view, got 4, 3"):
        triangulate_keypoints(cameras, [view, short])
    with pytest.raises(InputError, match="a `rate` in Hz"):
        triangulate_keypoints(cameras, [view, view])
    assert len(triangulate_keypoints(cameras, [view, view], rate=25.0)) == 4


def test_a_cap_in_four_real_views_is_one_place(shared_data):
    """The calibrated clip: the blue cap of the person, found by its colour in every view."""
    from sixpoint.vision.triangulate import triangulate_robust

    folder = shared_data / "other" / "video_multicam"
    cameras = load_cameras(folder / "Calib.qca.txt")
    pixels = []
    for k in range(4):
        footage = open_footage(str(folder / f"cam0{k + 1}.mp4"))
        assert footage.count == 100
        picture = next(footage.pictures())
        hue, strong, light = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV))
        teal = ((hue > 85) & (hue < 100) & (strong > 110) & (light > 60)).astype(np.uint8)
        _, _, stats, centres = cv2.connectedComponentsWithStats(teal)
        pixels.append(centres[1 + np.argmax(stats[1:, cv2.CC_STAT_AREA])])
    place, trust, agree = triangulate_robust(cameras, np.array(pixels)[:, None], agree=25.0)
    assert agree.sum() >= 3
    assert trust[0] > 0.7
    assert 1.4 < place[0, 1] < 2.2  # the height of a cap
