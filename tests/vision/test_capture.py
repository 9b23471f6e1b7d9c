"""The whole chain on the synthetic stage."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.errors import InputError
from sixpoint.motion.points import SIX
from sixpoint.vision.capture import Capture, CaptureSettings, capture_clip, elbow_feedback
from sixpoint.vision.segmentation import Background
from sixpoint.vision.synthetic.room import RATE, Actor, Conditions, Room, room_cameras
from sixpoint.vision.synthetic.scenes import SCENES, scene
from sixpoint.vision.tracks import TrackingSettings

from .recordings import away, captured, pictures, scene_room

BODY = sp.Skeleton.humanoid(1.75)


def errors(recording, truth):
    return np.concatenate(
        [
            away(recording, "face", truth.head),
            away(recording, "l_hand", truth.hands[:, 0]),
            away(recording, "r_hand", truth.hands[:, 1]),
        ]
    )


def test_head_and_hands_are_found_to_millimetres_without_noise():
    recording, truth = captured("gestures", frames=100)
    off = errors(recording, truth)
    assert np.isfinite(off).all()
    assert off.mean() < 0.005
    assert np.percentile(off, 95) < 0.010
    assert recording.warnings == ()


@pytest.mark.parametrize("hard", [{}, {"dimming": 0.4}])
def test_and_to_two_centimetres_with_noise_two_metres_away(hard):
    recording, truth = captured("gestures", 8.0, 100, **hard)
    off = errors(recording, truth)
    assert np.isfinite(off).mean() > 0.99
    assert np.nanmean(off) < 0.020
    assert np.nanpercentile(off, 95) < 0.020


def test_wrists_are_nearer_with_elbows_that_are_known():
    stage, truth = scene_room("gestures", 0.0, 100), captured("gestures", frames=100)[1]
    means = {}
    for kind, wrist in (("guess", "cut"), ("known", "cut"), ("known", "length")):
        told = iter([*truth.elbows[1:].tolist(), truth.elbows[-1].tolist()])
        feedback = (
            None if kind == "guess" else lambda names, places, told=told: np.array(next(told))
        )
        capture = Capture(stage.cameras, BODY, RATE, CaptureSettings(wrist=wrist))
        found = capture_clip(capture, pictures("gestures", 0.0, 100), feedback)
        off = [away(found, f"{s}_wrist", truth.wrists[:, k]) for k, s in enumerate("lr")]
        means[kind, wrist] = float(np.nanmean(off))
    assert means["known", "cut"] < 0.025
    assert means["known", "cut"] < 0.6 * means["guess", "cut"]
    assert means["known", "length"] < 0.6 * means["known", "cut"]


@pytest.mark.parametrize("feedback", [False, True], ids=["alone", "fed back"])
@pytest.mark.parametrize("name", SCENES)
def test_wrists_of_all_scenes_are_found_to_two_centimetres(name, feedback):
    motion = scene(name).frames(slice(0 if name == "calibration" else 30, 60))
    stage = Room((Actor(motion),), conditions=Conditions(noise=8.0))
    elbows = None
    if feedback:
        tracker = sp.solver("sik").prepare(BODY, rate=RATE)
        elbows = elbow_feedback(lambda points: tracker.solve(points).pose.world()[0], BODY, RATE)
    found = capture_clip(Capture(stage.cameras, BODY, RATE), stage.pairs(), elbows)
    truth = stage.actors[0].truth()
    off = np.array([away(found, f"{s}_wrist", truth.wrists[:, k]) for k, s in enumerate("lr")])
    hands = [found.points.names.index(f"{side}_hand") for side in "lr"]
    seen = np.isfinite(found.points.positions[:, hands, 0]).T
    assert (np.isfinite(off) == seen).all()
    assert off[seen].mean() < 0.020


@pytest.mark.parametrize("size", [0.87, 1.15])
def test_hands_of_other_sizes_are_measured_where_the_arms_hang(size):
    stage = Room((Actor(scene("gestures").frames(slice(0, 60)), hands=(size,) * 3),))
    found = capture_clip(Capture(stage.cameras, BODY, RATE), stage.pairs())
    truth = stage.actors[0].truth()
    off = [away(found, f"{s}_wrist", truth.wrists[:, k]) for k, s in enumerate("lr")]
    assert np.mean(off) < 0.020


def test_the_trunk_stands_over_the_feet_on_both_and_on_one():
    recording, truth = captured("lean", feet=True)
    at = recording.points.names.index("trunk")
    trunk = recording.points.positions[:, at]
    both, one = slice(5, 20), slice(55, 75)
    feet = truth.ankles
    assert abs(trunk[both, 0].mean() - feet[both, :, 0].mean()) < 0.02
    left = feet[one, 0, 0].mean()
    assert abs(trunk[one, 0].mean() - left) < abs(trunk[both, 0].mean() - left)
    assert (trunk[:, 0] < feet[:, 0, 0] + 0.05).all()
    assert (trunk[:, 0] > feet[:, 1, 0] - 0.05).all()
    for k, name in enumerate(("l_ankle", "r_ankle")):
        assert np.nanmean(away(recording, name, truth.ankles[:, k])) < 0.03


def hidden(place, camera, frames=80):
    """Gestures with an obstacle a third of the way from a place to a camera."""
    actor = Actor(scene("gestures").frames(slice(0, frames)))
    at = place(actor.truth())
    eye = room_cameras()[camera].centre
    stage = Room((actor,), conditions=Conditions(obstacle=tuple(at + 0.3 * (eye - at))))
    return capture_clip(Capture(stage.cameras, BODY, RATE), stage.pairs()), actor.truth()


def test_an_obstacle_hides_a_hand_and_gives_it_back():
    found, truth = hidden(lambda truth: truth.hands[45, 0], 1)
    sure = found.points.confidence[:, found.points.names.index("l_hand")]
    own, other = (away(found, "l_hand", truth.hands[:, k]) for k in (0, 1))
    seen = np.isfinite(own)
    assert not seen.all()
    assert seen[[0, -1]].all()
    assert (own[seen] < other[seen]).all()
    assert (sure[own > 0.06] <= 0.5).all()
    assert away(found, "face", truth.head).max() < 0.02


@pytest.mark.parametrize("aside", [0.0, 0.04, 0.06])
@pytest.mark.parametrize("camera", [0, 1])
def test_a_face_that_is_half_hidden_is_less_sure_than_the_hands(aside, camera):
    found, truth = hidden(lambda truth: truth.head[10] + np.array([aside, 0.0, 0.0]), camera, 20)
    sure = found.points.confidence[:, found.points.names.index("face")]
    off = away(found, "face", truth.head)
    assert not (off < 0.03).all()  # it does hide something
    assert (sure[off > 0.04] <= 0.5).all()
    for k, name in enumerate(("l_hand", "r_hand")):
        assert not (away(found, name, truth.hands[:, k]) > 0.05).any()


def test_confidence_falls_where_hands_share_a_patch():
    recording, _ = captured("crossing", frames=70)
    sure = recording.points.confidence[:, 6:8]
    assert sure[:15].min() == 1.0
    assert {0.0, 0.5} <= {round(float(value), 2) for value in sure.ravel()}


@pytest.mark.parametrize("order", [(1, 0), (0, 0)], ids=["exchanged", "the same"])
def test_views_in_the_wrong_order_are_not_trusted(order):
    stage = scene_room("gestures", 0.0, 100)
    pairs = [[pair[k] for k in order] for pair in pictures("gestures", 0.0, 100)[20:70]]
    found = capture_clip(Capture(stage.cameras, BODY, RATE), pairs)
    sure = found.points.confidence[:, [found.points.names.index(f"{s}_hand") for s in "lr"]]
    assert sure.mean() < 0.3
    if order == (0, 0):
        assert found.broken == {"TWO_VIEWS": 50}
    else:
        assert any("check the order of the views" in text for text in found.warnings)


def _broken(stage: Room, settings: CaptureSettings | None = None):
    capture = Capture(stage.cameras, BODY, RATE, settings)
    return capture_clip(capture, stage.pairs())


def test_a_room_without_a_key_is_seen_by_its_background():
    stage = Room((Actor(scene("gestures").frames(slice(0, 20))),),
                  conditions=Conditions(wall=(150, 140, 128)))  # fmt: skip
    backgrounds = tuple(Background(picture) for picture in stage.empty())
    found = _broken(stage, CaptureSettings(backgrounds=backgrounds))
    truth = stage.actors[0].truth()
    assert np.nanmean(away(found, "face", truth.head)) < 0.02
    assert np.nanmean(away(found, "l_hand", truth.hands[:, 0])) < 0.02


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Capture(room_cameras()[:1], BODY, 30.0), "2 calibrated cameras or more"),
        (lambda: Capture(room_cameras(), BODY, 0.0), "positive `rate`"),
        (
            lambda: Capture(room_cameras(), BODY, 30.0).step([np.zeros((9, 9, 3), np.uint8)] * 2),
            "320 x 240 from camera 'left', as it was calibrated; got 9 x 9",
        ),
        (lambda: Capture(room_cameras(), BODY, 30.0).step([]), "two pictures, got 0"),
        (
            lambda: Capture(room_cameras(), BODY, 30.0, CaptureSettings(backgrounds=())),
            "two backgrounds, one a camera; got 0",
        ),
        (
            lambda: CaptureSettings(wrist="magic"),
            "`wrist` to be outlines, cut, length, got 'magic'",
        ),
        (lambda: TrackingSettings(noise=0.0), "`noise` > 0"),
        (lambda: TrackingSettings(acceleration=(1.0, 2.0)), "three `acceleration`"),
        (lambda: Conditions(noise=-1.0), r"`noise` in \[0, 100\]"),
        (lambda: Conditions(dimming=1.0), r"`dimming` in \[0, 1\)"),
        (lambda: scene("opera"), "No scene 'opera'"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_elbows_come_from_whoever_solves():
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
