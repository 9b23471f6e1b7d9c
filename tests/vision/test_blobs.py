from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.errors import InputError
from sixpoint.vision.blobs import HEAD as HEAD_LABEL
from sixpoint.vision.blobs import (
    Blob,
    Ellipse,
    compatible,
    detections_of,
    find_blobs,
    least_area,
    match_detections,
)

from .hand_motions import HEAD, PERSON, patches


def test_golden_crossing():
    ellipse = Ellipse((100.0, 80.0), (20.0, 10.0), np.radians(30.0))
    pixel, meets = ellipse.crossing(np.array([40.0, 60.0]), np.array([100.0, 80.0]))
    assert meets
    assert (pixel[0] - 40.0) / 60.0 == pytest.approx(0.701270, abs=1e-6)
    np.testing.assert_allclose(pixel, [82.0762, 74.0254], atol=1e-4)


def test_a_line_that_passes_by_gives_the_nearest_point_of_the_outline():
    ellipse = Ellipse((0.0, 0.0), (2.0, 1.0), 0.0)
    pixel, meets = ellipse.crossing(np.array([-5.0, 3.0]), np.array([5.0, 3.0]))
    assert not meets
    np.testing.assert_allclose(pixel, [0.0, 1.0], atol=1e-9)
    nowhere, meets = ellipse.crossing(np.array([5.0, 5.0]), np.array([5.0, 5.0]))
    assert not meets
    np.testing.assert_allclose(nowhere, [5.0, 5.0])


def test_semi_axes_stand_in_their_order():
    with pytest.raises(InputError, match="the longer first"):
        Ellipse((0.0, 0.0), (1.0, 2.0), 0.0)


def test_ellipses_of_moments_are_those_that_were_drawn():
    y, x = np.mgrid[:120, :160].astype(float)
    true = Ellipse((70.3, 50.8), (24.0, 9.0), 0.7)
    inside = true.reach(np.stack([x, y], axis=-1)) < 1.0
    blob = find_blobs(inside.astype(np.uint8) * 255)[0]
    np.testing.assert_allclose(blob.centre, true.centre, atol=0.05)
    np.testing.assert_allclose(blob.ellipse.axes, true.axes, rtol=0.02)
    assert blob.ellipse.angle == pytest.approx(0.7, abs=0.02)
    np.testing.assert_allclose(true.reach(true.outline()), 1.0, atol=1e-9)


def test_the_smallest_hand_follows_the_size_of_the_person():
    assert least_area(200.0) == 20
    assert least_area(134.0) == 9  # three metres away
    assert least_area(20.0) == 6
    mask = np.zeros((40, 60), np.uint8)
    mask[5:8, 5:9] = 255
    assert find_blobs(mask, least_area(200.0)) == []
    assert len(find_blobs(mask, least_area(134.0))) == 1


def test_a_patch_of_two_is_split_between_them():
    y, x = np.mgrid[:60, :100].astype(float)
    at = np.stack([x, y], axis=-1)
    one, two = Ellipse((40.0, 30.0), (14.0, 8.0), 0.0), Ellipse((58.0, 30.0), (12.0, 8.0), 0.0)
    blob = Blob.of(at[(one.reach(at) < 1) | (two.reach(at) < 1)])
    alone = detections_of([blob], [None, one, None])
    assert [s.claimed for s in alone] == [(1,)]
    parts = detections_of([blob], [None, one, two])
    assert [s.owner for s in parts] == [None, 1, 2]
    assert parts[1].blob.centre[0] < 47.0 < 51.0 < parts[2].blob.centre[0]
    assert all(s.claimed == (1, 2) and s.noise > 1.0 for s in parts)


def grid():
    y, x = np.mgrid[:90, :140].astype(float)
    return np.stack([x, y], axis=-1)


def test_two_patches_near_each_other_are_one_each():
    at = grid()
    one, two = Ellipse((40.0, 30.0), (9.0, 6.0), 0.0), Ellipse((56.0, 30.0), (9.0, 6.0), 0.0)
    blobs = [Blob.of(at[ellipse.reach(at) < 0.8]) for ellipse in (one, two)]
    found = detections_of(blobs, [None, one, two])
    assert [(s.claimed, s.owner) for s in found] == [((1,), None), ((2,), None)]


def test_a_hand_before_the_face_leaves_the_face_where_it_is():
    at = grid()
    face, hand = Ellipse((60.0, 40.0), (16.0, 11.0), 1.57), Ellipse((74.0, 48.0), (11.0, 5.0), 0.4)
    blob = Blob.of(at[(face.reach(at) < 1) | (hand.reach(at) < 1)])
    found = {s.owner: s.blob for s in detections_of([blob], [face, hand, None])}
    assert set(found) == {0, 1}  # and not the whole, which is neither
    off = np.linalg.norm(found[0].centre - face.centre)
    assert off < 1.0 < np.linalg.norm(blob.centre - face.centre)
    # Also where nobody knows any more that there is a hand.
    alone = detections_of([blob], [face, None, None])
    assert [s.owner for s in alone] == [0]
    assert np.linalg.norm(alone[0].blob.centre - face.centre) < 1.0
    # A hand that is all before the face is not seen.
    inside = Ellipse((60.0, 42.0), (8.0, 4.0), 0.0)
    hidden = Blob.of(at[face.reach(at) < 1])
    assert [s.owner for s in detections_of([hidden], [face, inside, None])] == [0]


HAND = np.array([0.35, 1.1, 0.3])


def of(blobs, sizes=PERSON):
    return match_detections([detections_of(b, [None] * 3) for b in blobs], sizes)


def nearest(pairs, place):
    return min(pairs, key=lambda pair: np.linalg.norm(pair.position - place))


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
    from sixpoint.vision.blobs import Blob

    pair = nearest(of([[Blob.of(half), blobs[0][1]], blobs[1]]), HEAD)
    assert pair.may_be(HEAD_LABEL)
    assert np.linalg.norm(pair.position - HEAD) > 0.05
    assert pair.quality(HEAD_LABEL, pair.ratio) < 0.5
    # A hand: it was as large in both a moment ago.
    assert pair.quality(1, 2.0 * pair.ratio) < 0.5


def test_one_patch_is_taken_once():
    pairs = of(patches([HAND, HAND * (-1, 1, 1)]))
    left, right = nearest(pairs, HAND), nearest(pairs, HAND * (-1, 1, 1))
    assert compatible([left, right])
    assert not compatible([left, left])
