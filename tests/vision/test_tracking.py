"""Labels: hands that cross, meet, hide each other or pass the face keep their names."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

import sixpoint as sp
from sixpoint.vision.capture import Capture, capture_clip
from sixpoint.vision.synthetic.person import Actor
from sixpoint.vision.synthetic.room import RATE, Conditions, Room, room_cameras
from sixpoint.vision.synthetic.scenes import MEETINGS, scene

from .hand_motions import HEAD, followed, path
from .recordings import away


def told_apart(left, right):
    """Frames in which hands are reported, after a check that none is the other one."""
    seen = []
    for f, (_, *fixes) in enumerate(followed(left, right)):
        for fix, own, other in zip(fixes, (left, right), (right, left), strict=True):
            if fix is not None and fix.confidence > 0.0:
                at = fix.track.position
                assert np.linalg.norm(at - own[f]) < np.linalg.norm(at - other[f])
        seen.append([fix is not None and fix.confidence > 0.0 for fix in fixes])
    return np.array(seen)


CROSS = path((0.3, 1.2, 0.35), (-0.15, 1.2, 0.42), (0.3, 1.15, 0.35), (0.3, 1.2, 0.35))
UNDER = path((-0.3, 1.15, 0.30), (0.15, 1.2, 0.27), (-0.3, 1.1, 0.30), (-0.3, 1.1, 0.30))


def test_hands_that_cross_at_different_depths_cross():  # S3.5, S3.7
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
    assert np.linalg.norm(all_fixes[-1][1].track.position - left[-1]) < 0.01
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
