from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import cv2

from sixpoint.errors import InputError
from sixpoint.vision import segmentation
from sixpoint.vision.observation import observe
from sixpoint.vision.segmentation import (
    Background,
    ChromaKey,
    SkinModel,
    chroma_of,
    find_person,
    fit_skin,
    learn_key,
    silhouette_centre,
)
from sixpoint.vision.synthetic.room import Actor, Room, Wardrobe
from sixpoint.vision.synthetic.scenes import scene

from .recordings import pictures, scene_room


def overlap(a, b) -> float:
    return float(((a > 0) & (b > 0)).sum() / ((a > 0) | (b > 0)).sum())


def test_the_centre_of_a_known_silhouette():
    image = np.zeros((6, 6), np.uint8)
    image[1:4, 2:5] = 1
    image[4, 2] = 1
    np.testing.assert_allclose(silhouette_centre(image), [2.9, 2.2])
    assert np.isnan(silhouette_centre(np.zeros((4, 4)))).all()


def test_the_chroma_key_finds_the_person():
    for noise, dimming, least in ((0.0, 0.0, 0.95), (8.0, 0.0, 0.95), (8.0, 0.5, 0.93)):
        stage = scene_room("gestures", noise, 31, dimming=dimming)
        for frame in (0, 15, 30):
            for view in stage.views(frame):
                look = observe(view.picture, ChromaKey(), SkinModel())
                assert overlap(look.person.mask, view.person) > least
                # Skin is right but for its rim, where colours mix; noise may add specks.
                rim = np.ones((3, 3), np.uint8)
                stray = (look.skin & ~cv2.dilate(view.skin, rim)) > 0
                assert stray.sum() <= (0.0 if noise == 0.0 else 0.15) * (view.skin > 0).sum()
                inner = cv2.erode(cv2.morphologyEx(view.skin, cv2.MORPH_CLOSE, rim), rim) > 0
                assert (look.skin[inner] > 0).mean() > (0.99 if noise == 0.0 else 0.85)
                assert not look.broken


def test_a_background_serves_where_there_is_no_key():
    from sixpoint.vision.synthetic.room import Conditions, Room

    walled = Room(
        scene_room("gestures", 0.0, 31).actors, conditions=Conditions(wall=(150, 140, 128))
    )
    empty = walled.empty()
    for k, view in enumerate(walled.views(20)):
        person = find_person(Background(empty[k]).mask(chroma_of(view.picture)))
        assert overlap(person.mask, view.person) > 0.9
    with pytest.raises(InputError, match="size of the background, 320 x 240; got 100 x 50"):
        Background(empty[0]).mask(chroma_of(np.zeros((50, 100, 3), np.uint8)))


def test_the_empty_room_is_looked_at_once(monkeypatch):
    colours = []
    whole = segmentation.chroma_of
    monkeypatch.setattr(segmentation, "chroma_of", lambda p: colours.append(p) or whole(p))
    empty = scene_room("gestures", 0.0, 31).empty()[0]
    background = Background(empty)
    masks = [background.mask(whole(empty)) for _ in range(3)]
    assert len(colours) == 1
    assert not np.any(masks)


def test_the_colour_of_the_wall_is_learned_from_the_corners():
    picture = pictures("gestures", 8.0, 31)[0][0]
    key = learn_key(picture)
    assert np.abs(np.array(key.key) - (0, 165, 60)).max() < 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ChromaKey((0, 300, 0)), "red, green, blue in 0..255"),
        (lambda: ChromaKey((0, 5, 0)), "got black"),
        (lambda: ChromaKey(threshold=0.0), r"`threshold` in \(0, 1\)"),
        (lambda: chroma_of(np.zeros((4, 4), np.uint8)), "colour picture of bytes"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_skin_is_learned_from_samples():
    view = scene_room("gestures", 8.0, 31).views(5)[0]
    model = fit_skin([view.picture], [view.skin])
    look = observe(view.picture, ChromaKey(), model)
    default = observe(view.picture, ChromaKey(), SkinModel()).skin
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
        found = observe(view.picture, ChromaKey(), SkinModel()).skin
        assert (found[cv2.erode(view.skin, np.ones((3, 3), np.uint8)) > 0] > 0).mean() > 0.9
        assert not (found & ~cv2.dilate(view.skin, np.ones((3, 3), np.uint8))).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SkinModel(covariance=((1.0, 2.0), (2.0, 1.0))), "positive definite"),
        (lambda: SkinModel(threshold=0.0), "`threshold` > 0"),
    ],
)
def test_a_skin_that_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
