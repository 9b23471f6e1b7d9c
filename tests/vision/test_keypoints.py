from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")


from sixpoint.errors import FormatError, InputError
from sixpoint.subjects.layouts import BODY_25, COCO
from sixpoint.vision.camera import Camera
from sixpoint.vision.keypoints import (
    Keypoints,
    load_keypoints,
    role_name,
    triangulate_keypoints,
)
from sixpoint.vision.synthetic.room import room_cameras
from sixpoint.vision.synthetic.scenes import scene


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
        *room_cameras((640, 480)),
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
    usual = [name.replace("l_", "left_").replace("r_", "right_") for name in COCO]
    own = {"names": usual, "rate": 30, "frames": views[2].tolist()}
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
    cameras = room_cameras()
    view = Keypoints(BODY_25, np.zeros((4, 25, 2)), np.ones((4, 25)))
    short = Keypoints(BODY_25, np.zeros((3, 25, 2)), np.ones((3, 25)))
    with pytest.raises(InputError, match="keypoints for 2 cameras, got 1"):
        triangulate_keypoints(cameras, [view])
    with pytest.raises(InputError, match="as many frames in every view, got 4, 3"):
        triangulate_keypoints(cameras, [view, short])
    with pytest.raises(InputError, match="a `rate` in Hz"):
        triangulate_keypoints(cameras, [view, view])
    assert len(triangulate_keypoints(cameras, [view, view], rate=25.0)) == 4


@pytest.mark.parametrize(
    ("given", "role"),
    [("left_wrist", "l_wrist"), ("LWrist", "l_wrist"), ("RightHip", "r_hip"), ("r_ear", "r_ear"),
     ("wrist_left", "l_wrist"), ("Nose", "nose"), ("left shoulder", "l_shoulder"),
     ("lower_neck", "lower_neck"), ("right-knee", "r_knee")],
)  # fmt: skip
def test_names_of_all_sorts_are_roles(given, role):
    assert role_name(given) == role


def test_a_view_that_exchanges_left_and_right_throws_nothing_across_the_room():
    eyes = [(-1.2, 1.4, 2.5), (0.0, 1.5, 2.8), (1.2, 1.4, 2.5), (2.5, 1.3, 0.5)]
    cameras = [Camera.looking(f"c{k}", (640, 480), 460.0, eye, (0.0, 1.0, 0.0))
               for k, eye in enumerate(eyes)]  # fmt: skip
    motion, views, _ = detected(COCO, cameras, noise=1.0, wrong=0.1)
    left, right = COCO.index("l_wrist"), COCO.index("r_wrist")
    views[3][:, [left, right]] = views[3][:, [right, left]]
    points = triangulate_keypoints(
        cameras, [Keypoints(COCO, v[..., :2], v[..., 2], 30.0) for v in views]
    )
    true = motion.points(["l_wrist", "r_wrist"])
    off = np.linalg.norm(points.select(true.names).positions - true.positions, axis=-1)
    assert np.isfinite(off).mean() > 0.8
    assert np.nanmean(off) < 0.05
    assert np.nanmax(off) < 0.3  # a forearm
    sure = points.select(true.names).confidence
    assert (sure[np.isnan(off)] == 0.0).all()
    assert sure[off > 0.1].max(initial=0.0) <= 0.5
