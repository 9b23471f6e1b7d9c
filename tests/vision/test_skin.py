from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from sixpoint.errors import InputError
from sixpoint.vision.observation import look_at
from sixpoint.vision.segmentation import (
    ChromaKey,
    SkinModel,
    fit_skin,
)
from sixpoint.vision.synthetic.person import Actor, Wardrobe
from sixpoint.vision.synthetic.room import Room
from sixpoint.vision.synthetic.scenes import scene

from .recordings import scene_room


def test_skin_is_learned_from_samples():
    view = scene_room("gestures", 8.0, 31).views(5)[0]
    model = fit_skin([view.picture], [view.skin])
    look = look_at(view.picture, ChromaKey(), model)
    default = look_at(view.picture, ChromaKey(), SkinModel()).skin
    true = view.skin > 0
    # Fitted to the person it is no worse than the one that fits all people.
    assert ((look.skin > 0) != true).sum() <= ((default > 0) != true).sum()
    with pytest.raises(InputError, match="30 pixels of skin or more, got 0"):
        fit_skin([view.picture], [np.zeros_like(view.skin)])
    with pytest.raises(InputError, match="as many masks as pictures"):
        fit_skin([view.picture], [])


@pytest.mark.parametrize("skin", [(245, 215, 195), (214, 152, 118), (90, 56, 40), (60, 38, 28)])
def test_skins_from_light_to_very_dark_are_skin_and_shoes_are_not(skin):
    actor = Actor(scene("calibration").frames(slice(0, 1)), Wardrobe(skin=skin))
    for view in Room((actor,)).views(0):
        found = look_at(view.picture, ChromaKey(), SkinModel()).skin
        assert (found[cv2.erode(view.skin, np.ones((3, 3), np.uint8)) > 0] > 0).mean() > 0.9
        assert not (found & ~cv2.dilate(view.skin, np.ones((3, 3), np.uint8))).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SkinModel(covariance=((1.0, 2.0), (2.0, 1.0))), "positive definite"),
        (lambda: SkinModel(threshold=0.0), "`threshold` > 0"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
