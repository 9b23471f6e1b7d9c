from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.body_points import find_wrist, guess_elbows, leg_columns
from sixpoint.vision.observation import observe
from sixpoint.vision.segmentation import (
    ChromaKey,
    SkinModel,
)

from .recordings import scene_room


def test_the_wrist_is_on_the_side_of_the_elbow():
    stage = scene_room("gestures", 0.0, 31)
    truth = stage.actors[0].truth()
    frame = 0
    looks = [observe(v.picture, ChromaKey(), SkinModel()) for v in stage.views(frame)]
    hand = truth.hands[frame, 0]
    ellipses = [
        min(look.blobs, key=lambda b: np.linalg.norm(b.centre - camera.project(hand))).ellipse
        for look, camera in zip(looks, stage.cameras, strict=True)
    ]
    wrist, sure = find_wrist(stage.cameras, ellipses, hand, truth.elbows[frame, 0], 0.09)
    assert sure == 1.0
    assert np.linalg.norm(wrist - truth.wrists[frame, 0]) < 0.03
    # An elbow behind the hand, as a camera sees it, says nothing in the picture.
    behind = hand + 0.2 * (hand - stage.cameras[0].centre)
    place, sure = find_wrist(stage.cameras, ellipses, hand, behind, 0.09)
    assert sure == 0.2
    assert np.linalg.norm(place - hand) == pytest.approx(0.09)


def test_guessed_elbows_have_the_right_lengths():
    shoulders = np.array([[0.2, 1.4, 0.0], [-0.2, 1.4, 0.0]])
    hands = np.array([[0.3, 1.2, 0.3], [-0.2, 1.4, 0.0]])
    elbows = guess_elbows(shoulders, hands, (0.3, 0.35), np.array([0.0, -1.0, 0.0]))
    np.testing.assert_allclose(np.linalg.norm(elbows - shoulders, axis=1), 0.3)
    assert np.linalg.norm(elbows[0] - hands[0]) == pytest.approx(0.35)
    assert elbows[0, 1] < 1.2


def test_legs_are_two_columns_or_none():
    mask = np.zeros((240, 320), np.uint8)
    mask[40:150, 140:180] = 255
    mask[150:230, 142:154] = 255
    mask[150:230, 164:178] = 255
    legs = leg_columns(mask)
    assert [round(float(leg[0]), 1) for leg in legs] == [147.5, 170.5]
    assert leg_columns(np.zeros((240, 320), np.uint8)) == []
    mask[230:] = mask[229]
    assert leg_columns(mask) == []  # feet cut off
