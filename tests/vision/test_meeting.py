from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import pairs_of, sightings_of
from sixpoint.vision.tracking import drop_either, meet, part
from sixpoint.vision.tracks import first_fix, new_track

from .hand_motions import CAMERAS, PERSON, patches


def pairs(*hands):
    return pairs_of([sightings_of(b, [None] * 3) for b in patches(hands)], CAMERAS, PERSON)


def fix_at(place, label=1):
    near = min(pairs(place), key=lambda pair: np.linalg.norm(pair.place - place))
    return first_fix(near, label)


def test_hands_that_part_are_told_apart_by_their_depth():
    left, right = fix_at((-0.02, 1.2, 0.42)), fix_at((0.02, 1.2, 0.30))
    found = pairs((-0.15, 1.2, 0.42), (0.15, 1.2, 0.30))  # they crossed
    one, other = part(left, right, None, found, CAMERAS, PERSON)
    np.testing.assert_allclose(one.place, (-0.15, 1.2, 0.42), atol=0.02)
    np.testing.assert_allclose(other.place, (0.15, 1.2, 0.30), atol=0.02)


def test_hands_that_met_at_one_depth_are_not_told_apart():
    left, right = fix_at((0.02, 1.2, 0.40)), fix_at((-0.02, 1.2, 0.39))
    found = pairs((0.15, 1.2, 0.40), (-0.15, 1.2, 0.30))
    assert part(left, right, None, found, CAMERAS, PERSON) == (None, None)


def test_hands_that_are_still_one_have_not_parted():
    left, right = fix_at((0.02, 1.2, 0.42)), fix_at((-0.02, 1.2, 0.30))
    assert part(left, right, None, pairs((0.0, 1.2, 0.4)), CAMERAS, PERSON) == (None, None)


def test_hands_meet_where_one_disappears_beside_the_other():
    tracks = [None, *(new_track(np.array([x, 1.2, 0.4]), 0.02, 1.0) for x in (0.03, -0.03))]
    one = min(pairs((0.0, 1.2, 0.4)), key=lambda pair: abs(pair.place[2] - 0.4))
    assert meet(tracks, [None, one, None], PERSON)
    assert meet(tracks, [None, None, None], PERSON)
    far = [None, tracks[1], new_track(np.array([-0.5, 1.0, 0.3]), 0.02, 1.0)]
    assert not meet(far, [None, one, None], PERSON)
    assert not meet(far, [None, None, None], PERSON)


@pytest.mark.parametrize(("x", "dropped"), [(-0.05, True), (-0.4, False)])
def test_a_hand_beside_which_the_other_was_lost_may_be_either(x, dropped):
    before = [None, fix_at((0.03, 1.2, 0.4)), fix_at((x, 1.2, 0.4))]
    now = [None, None, before[2]]
    drop_either(now, before, PERSON)
    assert (now[2] is None) == dropped


def test_a_hand_that_was_together_with_the_other_takes_it_along():
    before = [None, fix_at((0.25, 1.2, 0.4)), fix_at((-0.25, 1.2, 0.4))]
    now = [None, None, replace(before[2], together=True)]
    drop_either(now, before, PERSON)
    assert now[2] is None


def test_hands_whose_depth_and_movement_disagree_are_not_told_apart():
    left, right = fix_at((0.05, 1.2, 0.42)), fix_at((-0.05, 1.2, 0.30))
    # Left goes up, and right down: where they part, the lower one is nearer.
    track = left.track._replace(state=np.array([0.05, 1.35, 0.42, 0, 0, 0.0]))
    found = pairs((0.05, 1.40, 0.30), (-0.05, 1.15, 0.42))
    assert part(replace(left, track=track), right, None, found, CAMERAS, PERSON) == (None, None)
