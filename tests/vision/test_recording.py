from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.motion.points import SIX
from sixpoint.vision.capture import Capture, capture_clip, elbow_feedback
from sixpoint.vision.synthetic.person import Actor
from sixpoint.vision.synthetic.room import RATE, Conditions, Room
from sixpoint.vision.synthetic.scenes import scene

BODY = sp.Skeleton.humanoid(1.75)


def test_elbows_come_from_whoever_solves():  # S3.10
    asked = []

    def solve(points):
        asked.append(points)
        return np.arange(3.0 * len(BODY.node_names)).reshape(-1, 3)

    feedback = elbow_feedback(solve, BODY, 30.0)
    names = ("head", "l_wrist", "r_wrist", "face")
    places = np.arange(12.0).reshape(4, 3)
    left, right = feedback(names, places)
    nodes = [BODY.anatomy.node(f"{side}_elbow") for side in "lr"]
    np.testing.assert_array_equal([left[0], right[0]], [3.0 * node for node in nodes])
    assert asked[0].names == SIX
    np.testing.assert_array_equal(asked[0].positions[0, SIX.index("l_wrist")], places[1])
    assert np.isnan(asked[0].positions[0, SIX.index("l_ankle")]).all()
    places[2] = np.nan
    assert feedback(names, places) is None
    assert len(asked) == 1


def test_what_is_seldom_seen_is_said():
    stage = Room((Actor(scene("rest").frames(slice(20, 110))),), conditions=Conditions(noise=4.0))
    found = capture_clip(Capture(stage.cameras, BODY, RATE), stage.pairs())
    assert found.broken == {}
    for name in ("l_hand", "r_hand"):
        assert any(text.startswith(f"{name!r} is seen in") for text in found.warnings)
    assert not any("'face'" in text for text in found.warnings)


def test_a_recording_of_nothing_is_empty():
    found = capture_clip(Capture(Room(()).cameras, BODY, RATE), [])
    assert len(found.points) == 0
    assert found.warnings == ()
