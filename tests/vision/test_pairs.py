from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import HEAD as HEAD_LABEL
from sixpoint.vision.blobs import apart, pairs_of, sightings_of

from .hand_motions import CAMERAS, HEAD, PERSON, patches

HAND = np.array([0.35, 1.1, 0.3])


def of(blobs, sizes=PERSON):
    return pairs_of([sightings_of(b, [None] * 3) for b in blobs], CAMERAS, sizes)


def nearest(pairs, place):
    return min(pairs, key=lambda pair: np.linalg.norm(pair.place - place))


def test_sizes_tell_a_head_from_a_hand():
    pairs = of(patches([HAND]))
    head, hand = nearest(pairs, HEAD), nearest(pairs, HAND)
    assert head.may_be(HEAD_LABEL)
    assert not head.may_be(1)
    assert hand.may_be(1)
    assert not hand.may_be(HEAD_LABEL)
    assert head.quality(HEAD_LABEL, head.ratio) == 1.0


def test_a_head_that_is_half_hidden_in_one_picture_is_less_sure():
    blobs = patches([HAND])
    face = blobs[0][0]
    half = face.pixels[face.pixels[:, 0] > face.centre[0]]
    from sixpoint.vision.blobs import blob_of

    pair = nearest(of([[blob_of(half), blobs[0][1]], blobs[1]]), HEAD)
    assert pair.may_be(HEAD_LABEL)
    assert np.linalg.norm(pair.place - HEAD) > 0.05
    assert pair.quality(HEAD_LABEL, pair.ratio) < 0.5
    # A hand: it was as large in both a moment ago.
    assert pair.quality(1, 2.0 * pair.ratio) < 0.5


def test_one_patch_is_taken_once():
    pairs = of(patches([HAND, HAND * (-1, 1, 1)]))
    left, right = nearest(pairs, HAND), nearest(pairs, HAND * (-1, 1, 1))
    assert apart([left, right])
    assert not apart([left, left])
