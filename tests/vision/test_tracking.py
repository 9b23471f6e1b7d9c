"""Labels: hands that cross, meet, hide each other or pass the face keep their names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.vision.blobs import detections_of, match_detections
from sixpoint.vision.capture import Capture, capture_clip
from sixpoint.vision.synthetic.room import RATE, Actor, Conditions, Room, room_cameras
from sixpoint.vision.synthetic.scenes import MEETINGS, scene
from sixpoint.vision.tracking import drop_ambiguous, hands_meet, separate_hands, start_tracks
from sixpoint.vision.tracks import NO_TRACKS, KalmanState, Track

from .hand_motions import HEAD, PERSON, followed, patches, path
from .recordings import away


def told_apart(left, right):
    """Frames in which hands are reported, after a check that none is the other one."""
    seen = []
    for f, (_, *fixes) in enumerate(followed(left, right)):
        for fix, own, other in zip(fixes, (left, right), (right, left), strict=True):
            if fix is not None and fix.confidence > 0.0:
                at = fix.filter.position
                assert np.linalg.norm(at - own[f]) < np.linalg.norm(at - other[f])
        seen.append([fix is not None and fix.confidence > 0.0 for fix in fixes])
    return np.array(seen)


CROSS = path((0.3, 1.2, 0.35), (-0.15, 1.2, 0.42), (0.3, 1.15, 0.35), (0.3, 1.2, 0.35))
UNDER = path((-0.3, 1.15, 0.30), (0.15, 1.2, 0.27), (-0.3, 1.1, 0.30), (-0.3, 1.1, 0.30))


def test_hands_that_cross_at_different_depths_cross():
    seen = told_apart(CROSS, UNDER)
    assert seen[[0, 29, -1]].all()  # apart, crossed, and apart again


@pytest.mark.parametrize("near", [0.0, 0.03, 0.06])
def test_hands_that_clap_do_not_cross(near):
    left = path((0.3, 1.2, 0.35), (near, 1.2, 0.40), (0.3, 1.2, 0.35), (0.3, 1.2, 0.35))
    seen = told_apart(left, left * np.array([-1.0, 1.0, 1.0]))
    assert seen[0].all()
    assert seen[-1].all()


def test_hands_that_rest_on_each_other_are_not_seen_and_come_back_to_their_sides():
    left = path((0.3, 1.2, 0.33), (0.02, 1.2, 0.38), (-0.02, 1.2, 0.38), (0.3, 1.15, 0.33),
                (0.3, 1.15, 0.33))  # fmt: skip
    right = path((-0.3, 1.15, 0.30), (-0.02, 1.19, 0.33), (0.02, 1.19, 0.33), (-0.3, 1.15, 0.30),
                 (-0.3, 1.15, 0.30))  # fmt: skip
    seen = told_apart(left, right)
    assert not seen[35:60].any()
    assert seen[-1].all()


def test_a_hand_that_is_hidden_is_lost_and_found_again():
    left = np.tile([0.35, 1.2, 0.3], (60, 1))
    right = np.tile([-0.35, 1.1, 0.3], (60, 1))
    hidden = left.copy()
    hidden[10:40] = np.nan
    all_fixes = list(followed(hidden, right))
    assert all_fixes[9][1].confidence == 1.0
    assert all_fixes[12][1].confidence == 0.0
    assert all_fixes[39][1] is None
    assert np.linalg.norm(all_fixes[-1][1].filter.position - left[-1]) < 0.01
    # The head is less sure meanwhile: the hand may be before it.
    assert all_fixes[20][0].confidence < all_fixes[9][0].confidence


def test_a_hand_alone_that_may_be_either_is_not_named():
    left, right = (np.tile([x, 1.2, 0.3], (60, 1)) for x in (0.25, -0.25))
    left[10:], right[10:30] = np.nan, np.nan
    right[30:] = [0.05, 1.2, 0.3]
    *_, (_, one, other) = followed(left, right)
    assert one is None
    assert other is None


def test_what_is_out_of_reach_is_not_a_hand():
    left, right = (np.tile([x, 1.2, 0.3], (40, 1)) for x in (0.25, -0.25))
    left[20:] = HEAD + np.array([0.9, -0.4, 0.9])
    *_, (_, one, other) = followed(left, right)
    assert one is None
    assert other is not None


SHORT = {"crossing": slice(15, 90), "clap": slice(25, 95), "rest": slice(20, 170),
         "face": slice(30, 150)}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "stature", "distance"),
    [*((name, 1.75, 2.0) for name in MEETINGS), ("crossing", 1.5, 2.0), ("clap", 1.75, 3.0)],
)
def test_no_name_is_lost_on_the_stage(name, stature, distance):
    actor = Actor(scene(name, stature).frames(SHORT[name]))
    stage = Room((actor,), room_cameras(distance=distance), Conditions(noise=8.0))
    body = sp.Skeleton.humanoid(stature)
    found = capture_clip(Capture(stage.cameras, body, RATE), stage.pairs())
    truth, sure = actor.truth(), found.points.confidence
    for k, hand in enumerate(("l_hand", "r_hand")):
        own, other = (away(found, hand, truth.hands[:, j]) for j in (k, 1 - k))
        seen = np.isfinite(own)
        assert (own[seen] < other[seen]).all()
        assert seen[[0, -1]].all()
        assert (own[sure[:, found.points.names.index(hand)] > 0.5] < 0.06).all()
    face = away(found, "face", truth.head)
    assert (face[sure[:, found.points.names.index("face")] > 0.5] < 0.06).all()
    assert not found.broken


def free(*hands, head=HEAD):
    return match_detections([detections_of(b, [None] * 3) for b in patches(hands, head)], PERSON)


@pytest.mark.parametrize("x", [0.15, 0.2, 0.35, 0.6])
def test_head_and_hands_are_found_by_size_and_side(x):
    head, left, right = start_tracks(NO_TRACKS, free((x, 1.1, 0.3), (-x, 1.1, 0.3)), PERSON)
    for fix, place in ((head, HEAD), (left, (x, 1.1, 0.3)), (right, (-x, 1.1, 0.3))):
        assert np.linalg.norm(fix.seen - place) < 0.03


def test_nobody_is_found_before_all_three_are_seen():
    assert start_tracks(NO_TRACKS, free((0.3, 1.1, 0.3)), PERSON) == NO_TRACKS
    assert start_tracks(NO_TRACKS, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3), head=None), PERSON) == (
        None, None, None,
    )  # fmt: skip


def test_lost_hands_are_named_when_they_are_at_their_own_sides():
    head, _, right = start_tracks(NO_TRACKS, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3)), PERSON)

    def named(*hands):
        fixes = start_tracks((head, None, None), free(*hands, head=None), PERSON)
        return [fix is not None for fix in fixes[1:]]

    assert named((0.25, 1.1, 0.3), (-0.25, 1.1, 0.3)) == [True, True]
    assert named((0.25, 1.1, 0.3), (-0.10, 1.1, 0.3)) == [False, False]
    assert named((0.15, 1.1, 0.3), (0.02, 1.1, 0.3)) == [False, False]
    assert named((0.15, 1.1, 0.3)) == [False, False]
    assert named((0.45, 1.1, 0.3)) == [True, False]
    assert named((-0.45, 1.1, 0.3)) == [False, True]
    # One of them known, the other is the other.
    _, found, _ = start_tracks((head, None, right), free((0.02, 1.1, 0.3), head=None), PERSON)
    assert found is not None


def test_a_piece_of_the_face_is_not_a_hand():
    head, _, right = start_tracks(NO_TRACKS, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3)), PERSON)
    beside = HEAD + np.array([0.05, 0.05, 0.02])
    assert start_tracks((head, None, right), free(beside, head=None), PERSON)[1] is None


def pairs(*hands):
    return match_detections([detections_of(b, [None] * 3) for b in patches(hands)], PERSON)


def fix_at(place, label=1):
    near = min(pairs(place), key=lambda pair: np.linalg.norm(pair.position - place))
    return Track.start(near, label)


def test_hands_that_part_are_told_apart_by_their_depth():
    left, right = fix_at((-0.02, 1.2, 0.42)), fix_at((0.02, 1.2, 0.30))
    found = pairs((-0.15, 1.2, 0.42), (0.15, 1.2, 0.30))  # they crossed
    one, other = separate_hands((left, right), None, found, PERSON)
    np.testing.assert_allclose(one.position, (-0.15, 1.2, 0.42), atol=0.02)
    np.testing.assert_allclose(other.position, (0.15, 1.2, 0.30), atol=0.02)


def test_hands_that_met_at_one_depth_are_not_told_apart():
    left, right = fix_at((0.02, 1.2, 0.40)), fix_at((-0.02, 1.2, 0.39))
    found = pairs((0.15, 1.2, 0.40), (-0.15, 1.2, 0.30))
    assert separate_hands((left, right), None, found, PERSON) == (None, None)


def test_hands_that_are_still_one_have_not_parted():
    left, right = fix_at((0.02, 1.2, 0.42)), fix_at((-0.02, 1.2, 0.30))
    assert separate_hands((left, right), None, pairs((0.0, 1.2, 0.4)), PERSON) == (None, None)


def test_hands_meet_where_one_disappears_beside_the_other():
    tracks = [None, *(KalmanState.start(np.array([x, 1.2, 0.4]), 0.02, 1.0) for x in (0.03, -0.03))]
    one = min(pairs((0.0, 1.2, 0.4)), key=lambda pair: abs(pair.position[2] - 0.4))
    assert hands_meet(tracks, [None, one, None], PERSON)
    assert hands_meet(tracks, [None, None, None], PERSON)
    far = [None, tracks[1], KalmanState.start(np.array([-0.5, 1.0, 0.3]), 0.02, 1.0)]
    assert not hands_meet(far, [None, one, None], PERSON)
    assert not hands_meet(far, [None, None, None], PERSON)


@pytest.mark.parametrize(("x", "dropped"), [(-0.05, True), (-0.4, False)])
def test_a_hand_beside_which_the_other_was_lost_may_be_either(x, dropped):
    before = [None, fix_at((0.03, 1.2, 0.4)), fix_at((x, 1.2, 0.4))]
    now = [None, None, before[2]]
    drop_ambiguous(now, before, PERSON)
    assert (now[2] is None) == dropped


def test_a_hand_that_was_together_with_the_other_takes_it_along():
    before = [None, fix_at((0.25, 1.2, 0.4)), fix_at((-0.25, 1.2, 0.4))]
    now = [None, None, replace(before[2], both_hands=True)]
    drop_ambiguous(now, before, PERSON)
    assert now[2] is None


def test_hands_whose_depth_and_movement_disagree_are_not_told_apart():
    left, right = fix_at((0.05, 1.2, 0.42)), fix_at((-0.05, 1.2, 0.30))
    # Left goes up, and right down: where they part, the lower one is nearer.
    track = left.filter._replace(state=np.array([0.05, 1.35, 0.42, 0, 0, 0.0]))
    found = pairs((0.05, 1.40, 0.30), (-0.05, 1.15, 0.42))
    assert separate_hands((replace(left, filter=track), right), None, found, PERSON) == (None, None)
