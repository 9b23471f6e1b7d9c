from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import pairs_of, sightings_of
from sixpoint.vision.tracking import find
from sixpoint.vision.tracks import NOBODY

from .hand_motions import CAMERAS, HEAD, PERSON, patches


def free(*hands, head=HEAD):
    return pairs_of([sightings_of(b, [None] * 3) for b in patches(hands, head)], CAMERAS, PERSON)


@pytest.mark.parametrize("x", [0.15, 0.2, 0.35, 0.6])
def test_head_and_hands_are_found_by_size_and_side(x):
    head, left, right = find(NOBODY, free((x, 1.1, 0.3), (-x, 1.1, 0.3)), CAMERAS, PERSON)
    for fix, place in ((head, HEAD), (left, (x, 1.1, 0.3)), (right, (-x, 1.1, 0.3))):
        assert np.linalg.norm(fix.seen - place) < 0.03


def test_nobody_is_found_before_all_three_are_seen():
    assert find(NOBODY, free((0.3, 1.1, 0.3)), CAMERAS, PERSON) == NOBODY
    assert find(NOBODY, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3), head=None), CAMERAS, PERSON) == (
        None, None, None,
    )  # fmt: skip


def test_lost_hands_are_named_when_they_are_at_their_own_sides():
    head, _, right = find(NOBODY, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3)), CAMERAS, PERSON)

    def named(*hands):
        fixes = find((head, None, None), free(*hands, head=None), CAMERAS, PERSON)
        return [fix is not None for fix in fixes[1:]]

    assert named((0.25, 1.1, 0.3), (-0.25, 1.1, 0.3)) == [True, True]
    assert named((0.25, 1.1, 0.3), (-0.10, 1.1, 0.3)) == [False, False]
    assert named((0.15, 1.1, 0.3), (0.02, 1.1, 0.3)) == [False, False]
    assert named((0.15, 1.1, 0.3)) == [False, False]
    assert named((0.45, 1.1, 0.3)) == [True, False]
    assert named((-0.45, 1.1, 0.3)) == [False, True]
    # One of them known, the other is the other.
    _, found, _ = find((head, None, right), free((0.02, 1.1, 0.3), head=None), CAMERAS, PERSON)
    assert found is not None


def test_a_piece_of_the_face_is_not_a_hand():
    head, _, right = find(NOBODY, free((0.3, 1.1, 0.3), (-0.3, 1.1, 0.3)), CAMERAS, PERSON)
    beside = HEAD + np.array([0.05, 0.05, 0.02])
    assert find((head, None, right), free(beside, head=None), CAMERAS, PERSON)[1] is None
