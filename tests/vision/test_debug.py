from __future__ import annotations

import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.vision.capture import Capture
from sixpoint.vision.debug import STAGES, ZOOM, debug_sheet
from sixpoint.vision.synthetic.room import RATE

from .recordings import pictures, scene_room


def test_every_stage_draws_a_picture():
    stage = scene_room("gestures", 0.0, 100)
    capture = Capture(stage.cameras, sp.Skeleton.humanoid(1.75), RATE)
    pair = pictures("gestures", 0.0, 100)[0]
    moment = capture.step(pair)
    drawn = [draw(pair[0], stage.cameras[0], moment, 0) for draw in STAGES.values()]
    for k, picture in enumerate(drawn):
        assert picture.shape == (ZOOM * 240, ZOOM * 320, 3)
        assert all((picture != other).any() for other in drawn[:k])
    assert debug_sheet(pair, stage.cameras, moment).shape == (ZOOM * 480, ZOOM * 320 * 7, 3)
