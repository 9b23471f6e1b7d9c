"""Each stage by itself: golden numbers and the synthetic stage's truth."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.errors import InputError
from sixpoint.vision.blobs import blob_of, find_blobs
from sixpoint.vision.ellipse import Ellipse
from sixpoint.vision.feet import leg_columns
from sixpoint.vision.hypotheses import sightings_of
from sixpoint.vision.kalman import Track, new_track, predict, surprise, update
from sixpoint.vision.looking import look_at
from sixpoint.vision.masks import (
    Background,
    ChromaKey,
    chroma_of,
    find_person,
    learn_key,
    moments,
    silhouette_centre,
)
from sixpoint.vision.skin import SkinModel, fit_skin
from sixpoint.vision.wrist import find_wrist, guess_elbows

from .played import pictures, played


def overlap(a, b) -> float:
    return float(((a > 0) & (b > 0)).sum() / ((a > 0) | (b > 0)).sum())


def test_golden_moments():  # G28
    image = np.zeros((6, 6), np.uint8)
    image[1:4, 2:5] = 1
    image[4, 2] = 1
    assert moments(image) == (10.0, 29.0, 22.0)
    np.testing.assert_allclose(silhouette_centre(image), [2.9, 2.2])
    assert np.isnan(silhouette_centre(np.zeros((4, 4)))).all()


def test_golden_crossing():  # G30
    ellipse = Ellipse((100.0, 80.0), (20.0, 10.0), np.radians(30.0))
    pixel, t, meets = ellipse.crossing(np.array([40.0, 60.0]), np.array([100.0, 80.0]))
    assert meets
    assert t == pytest.approx(0.701270, abs=1e-6)
    np.testing.assert_allclose(pixel, [82.0762, 74.0254], atol=1e-4)


def test_a_line_that_passes_by_gives_the_nearest_point_of_the_outline():  # A3.16
    ellipse = Ellipse((0.0, 0.0), (2.0, 1.0), 0.0)
    pixel, _, meets = ellipse.crossing(np.array([-5.0, 3.0]), np.array([5.0, 3.0]))
    assert not meets
    np.testing.assert_allclose(pixel, [0.0, 1.0], atol=1e-9)
    nowhere, t, meets = ellipse.crossing(np.array([5.0, 5.0]), np.array([5.0, 5.0]))
    assert (t, meets) == (0.0, False)
    np.testing.assert_allclose(nowhere, [5.0, 5.0])


def test_golden_kalman():  # G31
    start = Track(np.array([0.0, 0.3]), np.diag([1e-4, 1e-2]))
    ahead = predict(start, 1.0 / 30.0, 1.0)
    np.testing.assert_allclose(ahead.state, [0.01, 0.3])
    after, gain = update(ahead, np.array([0.02]), np.array([[1e-4]]))
    np.testing.assert_allclose(gain[:, 0], [0.527007, 1.664234], atol=1e-6)
    np.testing.assert_allclose(after.state, [0.015270, 0.316642], atol=1e-6)


def test_kalman_halves_the_jitter_of_a_still_hand():  # S3.8
    rng = np.random.default_rng(3)
    seen = rng.normal(0.0, 0.005, (200, 3))
    track = new_track(seen[0], 0.01, 1.0)
    out = []
    for place in seen[1:]:
        track, _ = update(predict(track, 1 / 30, 1.0), place, 0.005**2 * np.eye(3))
        out.append(track.position)
    jitter = np.diff(np.array(out)[50:], n=2, axis=0).std() / np.diff(seen[50:], 2, axis=0).std()
    assert jitter < 0.5
    assert surprise(track, track.position + 1.0, 1e-6 * np.eye(3)) > 100.0


def test_ellipses_of_moments_are_those_that_were_drawn():
    y, x = np.mgrid[:120, :160].astype(float)
    true = Ellipse((70.3, 50.8), (24.0, 9.0), 0.7)
    inside = true.reach(np.stack([x, y], axis=-1)) < 1.0
    blob = find_blobs(inside.astype(np.uint8) * 255)[0]
    np.testing.assert_allclose(blob.centre, true.centre, atol=0.05)
    np.testing.assert_allclose(blob.ellipse.axes, true.axes, rtol=0.02)
    assert blob.ellipse.angle == pytest.approx(0.7, abs=0.02)
    np.testing.assert_allclose(true.reach(true.outline()), 1.0, atol=1e-9)


def test_the_chroma_key_finds_the_person():  # S3.3
    for noise, dimming, least in ((0.0, 0.0, 0.95), (8.0, 0.0, 0.95), (8.0, 0.5, 0.93)):
        stage = played("gestures", noise, 31, dimming=dimming)
        for frame in (0, 15, 30):
            for view in stage.views(frame):
                look = look_at(view.picture, ChromaKey(), SkinModel())
                assert overlap(look.person.mask, view.person) > least
                assert overlap(look.skin, view.skin) > 0.7  # thin hands lose their rim
                assert not look.broken


def test_a_background_serves_where_there_is_no_key():
    from sixpoint.vision.stage import Conditions, Stage

    walled = Stage(played("gestures", 0.0, 31).actors, conditions=Conditions(wall=(150, 140, 128)))
    empty = walled.empty()
    for k, view in enumerate(walled.views(20)):
        person = find_person(Background(empty[k]).mask(chroma_of(view.picture)))
        assert overlap(person.mask, view.person) > 0.9
    with pytest.raises(InputError, match="size of the background, 320 x 240; got 100 x 50"):
        Background(empty[0]).mask(chroma_of(np.zeros((50, 100, 3), np.uint8)))


def test_the_colour_of_the_wall_is_learned_from_the_corners():
    picture = pictures("gestures", 8.0, 31)[0][0]
    key = learn_key(picture)
    assert np.abs(np.array(key.key) - (0, 165, 60)).max() < 20


def test_skin_is_learned_from_samples():
    view = played("gestures", 8.0, 31).views(5)[0]
    model = fit_skin([view.picture], [view.skin])
    look = look_at(view.picture, ChromaKey(), model)
    assert overlap(look.skin, view.skin) > 0.8
    with pytest.raises(InputError, match="30 pixels of skin or more, got 0"):
        fit_skin([view.picture], [np.zeros_like(view.skin)])
    with pytest.raises(InputError, match="as many masks as pictures"):
        fit_skin([view.picture], [])


def test_a_patch_of_two_is_split_between_them():  # S3.5
    y, x = np.mgrid[:60, :100].astype(float)
    at = np.stack([x, y], axis=-1)
    one, two = Ellipse((40.0, 30.0), (14.0, 8.0), 0.0), Ellipse((58.0, 30.0), (12.0, 8.0), 0.0)
    blob = blob_of(at[(one.reach(at) < 1) | (two.reach(at) < 1)])
    alone = sightings_of([blob], [None, one, None])
    assert [s.claimed for s in alone] == [(1,)]
    parts = sightings_of([blob], [None, one, two])
    assert [s.whole for s in parts] == [True, False, False]
    assert parts[1].blob.centre[0] < 47.0 < 51.0 < parts[2].blob.centre[0]
    assert all(s.shared for s in parts)


def test_the_wrist_is_on_the_side_of_the_elbow():
    stage = played("gestures", 0.0, 31)
    truth = stage.actors[0].truth()
    frame = 0
    looks = [look_at(v.picture, ChromaKey(), SkinModel()) for v in stage.views(frame)]
    hand = truth.hands[frame, 0]
    ellipses = [
        min(look.blobs, key=lambda b: np.linalg.norm(b.centre - camera.project(hand))).ellipse
        for look, camera in zip(looks, stage.cameras, strict=True)
    ]
    wrist, sure = find_wrist(stage.cameras, ellipses, hand, truth.elbows[frame, 0])
    assert sure == 1.0
    assert np.linalg.norm(wrist - truth.wrists[frame, 0]) < 0.03
    # An elbow behind the hand, as a camera sees it, says nothing in the picture.
    behind = hand + 0.2 * (hand - stage.cameras[0].centre)
    place, sure = find_wrist(stage.cameras, ellipses, hand, behind)
    assert sure == 0.2
    assert np.linalg.norm(place - hand) == pytest.approx(0.09)


def test_guessed_elbows_have_the_right_lengths():
    shoulders = np.array([[0.2, 1.4, 0.0], [-0.2, 1.4, 0.0]])
    hands = np.array([[0.3, 1.2, 0.3], [-0.2, 1.4, 0.0]])
    elbows = guess_elbows(shoulders, hands, 0.3, 0.35, np.array([0.0, -1.0, 0.0]))
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ChromaKey((0, 300, 0)), "red, green, blue in 0..255"),
        (lambda: ChromaKey((0, 5, 0)), "got black"),
        (lambda: ChromaKey(threshold=0.0), r"`threshold` in \(0, 1\)"),
        (lambda: chroma_of(np.zeros((4, 4), np.uint8)), "colour picture of bytes"),
        (lambda: SkinModel(covariance=((1.0, 2.0), (2.0, 1.0))), "positive definite"),
        (lambda: SkinModel(threshold=0.0), "`threshold` > 0"),
        (lambda: Ellipse((0.0, 0.0), (1.0, 2.0), 0.0), "the longer first"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
