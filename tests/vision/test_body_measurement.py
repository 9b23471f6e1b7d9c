from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.body.humanoid import measure_lengths
from sixpoint.errors import FormatError, InputError
from sixpoint.vision.body_measurement import PersonModel, load_marks, measure_body
from sixpoint.vision.synthetic import exact_marks
from sixpoint.vision.synthetic.room import Actor, room_cameras
from sixpoint.vision.synthetic.scenes import SCENES, scene


def test_a_body_is_measured_to_a_percent():
    cameras = room_cameras()
    motion = scene("calibration")
    marks = exact_marks(cameras, Actor(motion).truth())
    body = measure_body(cameras, marks)
    true = measure_lengths(motion.skeleton)
    for name in ("upper_arm", "forearm", "torso_width"):
        assert body.lengths[name] == pytest.approx(true[name], rel=0.01)
        assert measure_lengths(body.skeleton)[name] == pytest.approx(true[name], rel=0.01)
    assert body.stature == pytest.approx(1.75, rel=0.01)
    # What is not measured follows what is, by fixed proportions.
    measured, built = (
        sk.anatomy.vector(sk.anatomy.node("l_hip"), sk.anatomy.node("l_knee"))
        for sk in (body.skeleton, sp.Skeleton.humanoid(body.stature))
    )
    np.testing.assert_allclose(measured, built, atol=1e-9)
    no_back = [{k: v for k, v in m.items() if k != "back"} for m in marks]
    assert measure_body(cameras, no_back).stature == pytest.approx(1.75, rel=0.03)


def test_marks_that_make_no_sense_are_refused(tmp_path):
    cameras = room_cameras()
    marks = exact_marks(cameras, Actor(scene("calibration")).truth())
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"left": marks[0], "right": marks[1]}))
    assert load_marks(path)[0]["l_elbow"] == pytest.approx(tuple(marks[0]["l_elbow"]))
    fewer = [{k: v for k, v in marks[0].items() if k != "l_elbow"}, marks[1]]
    with pytest.raises(InputError, match="camera 'left'; got none of l_elbow"):
        measure_body(cameras, fewer)
    shifted = [marks[0], marks[1] | {"r_wrist": [10.0, 10.0]}]
    with pytest.raises(InputError, match="'r_wrist' on the same joint in both pictures"):
        measure_body(cameras, shifted)
    for side in ("shoulder", "elbow", "wrist"):
        names = (f"l_{side}", f"r_{side}")
        turned = [m | {names[0]: m[names[1]], names[1]: m[names[0]]} for m in marks]
        with pytest.raises(InputError, match=f"l_{side} at the left.*are exchanged"):
            measure_body(cameras, turned)
    for wrong in ("abc", [1.0], None, [np.nan, 2.0], []):
        with pytest.raises(InputError, match="a mark of 'l_elbow' as"):
            measure_body(cameras, [m | {"l_elbow": wrong} for m in marks])
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


def test_joints_pointed_at_several_times_are_measured_better():
    cameras = room_cameras()
    motion = scene("calibration")
    exact = exact_marks(cameras, Actor(motion).truth())
    rng = np.random.default_rng(16)
    true = measure_lengths(motion.skeleton)["upper_arm"]

    def off(times: int) -> float:
        marks = [
            {k: (np.array(v) + rng.normal(0, 1, (times, 2))).tolist() for k, v in m.items()}
            for m in exact
        ]
        return abs(measure_body(cameras, marks).lengths["upper_arm"] / true - 1.0)

    once, often = (np.mean([off(times) for _ in range(30)]) for times in (1, 16))
    assert often < 0.5 * once


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("stature", [1.5, 1.75, 2.0])
def test_hands_of_all_scenes_are_within_reach(name, stature):
    truth = Actor(scene(name, stature)).truth()
    person = PersonModel(stature, room_cameras())
    for head, (left, right) in zip(truth.head, truth.hands, strict=True):
        assert person.reaches(1, head, left)
        assert person.reaches(2, head, right)
    head, (left, right) = truth.head[0], truth.hands[0]
    # Arms that hang at the sides are not the other ones.
    assert not person.reaches(2, head, left)
    assert not person.reaches(1, head, right)
    assert not person.reaches(1, head, head + np.array([0.0, 0.0, stature]))


def test_somebody_twice_as_far_away_is_half_as_tall():
    camera = room_cameras()[0]
    near, far = (camera.centre + d * camera.rotation[2] for d in (1.5, 3.0))
    person = PersonModel(1.75, (camera,))
    assert person.height_in(camera, near) == pytest.approx(2.0 * person.height_in(camera, far))
    assert person.height_in(camera, near) == pytest.approx(camera.matrix[0, 0] * 1.75 / 1.5)
    head, hand = (person.areas(k, near)[0] for k in (0, 1))
    assert head > 2.0 * hand


def test_a_scene_is_played_by_somebody_of_any_stature():
    small = scene("crossing", 1.5)
    assert small.skeleton.anatomy.stature == pytest.approx(1.5, rel=1e-4)
    assert sp.Skeleton.humanoid(1.5).names == small.skeleton.names
