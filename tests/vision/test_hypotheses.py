from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cv2", reason="OpenCV is not installed: pip install 'sixpoint[vision]'")

from sixpoint.vision.blobs import Ellipse, blob_of, sightings_of


def test_a_patch_of_two_is_split_between_them():  # S3.5
    y, x = np.mgrid[:60, :100].astype(float)
    at = np.stack([x, y], axis=-1)
    one, two = Ellipse((40.0, 30.0), (14.0, 8.0), 0.0), Ellipse((58.0, 30.0), (12.0, 8.0), 0.0)
    blob = blob_of(at[(one.reach(at) < 1) | (two.reach(at) < 1)])
    alone = sightings_of([blob], [None, one, None])
    assert [s.claimed for s in alone] == [(1,)]
    parts = sightings_of([blob], [None, one, two])
    assert [s.owner for s in parts] == [None, 1, 2]
    assert parts[1].blob.centre[0] < 47.0 < 51.0 < parts[2].blob.centre[0]
    assert all(s.claimed == (1, 2) and s.noise > 1.0 for s in parts)
    assert not parts[1].may_be(2)
    assert parts[0].may_be(2)


def grid():
    y, x = np.mgrid[:90, :140].astype(float)
    return np.stack([x, y], axis=-1)


def test_two_patches_near_each_other_are_one_each():
    at = grid()
    one, two = Ellipse((40.0, 30.0), (9.0, 6.0), 0.0), Ellipse((56.0, 30.0), (9.0, 6.0), 0.0)
    blobs = [blob_of(at[ellipse.reach(at) < 0.8]) for ellipse in (one, two)]
    found = sightings_of(blobs, [None, one, two])
    assert [(s.claimed, s.owner) for s in found] == [((1,), None), ((2,), None)]


def test_a_hand_before_the_face_leaves_the_face_where_it_is():
    at = grid()
    face, hand = Ellipse((60.0, 40.0), (16.0, 11.0), 1.57), Ellipse((74.0, 48.0), (11.0, 5.0), 0.4)
    blob = blob_of(at[(face.reach(at) < 1) | (hand.reach(at) < 1)])
    found = {s.owner: s.blob for s in sightings_of([blob], [face, hand, None])}
    assert set(found) == {0, 1}  # and not the whole, which is neither
    off = np.linalg.norm(found[0].centre - face.centre)
    assert off < 1.0 < np.linalg.norm(blob.centre - face.centre)
    # Also where nobody knows any more that there is a hand.
    alone = sightings_of([blob], [face, None, None])
    assert [s.owner for s in alone] == [0]
    assert np.linalg.norm(alone[0].blob.centre - face.centre) < 1.0
    # A hand that is all before the face is not seen.
    inside = Ellipse((60.0, 42.0), (8.0, 4.0), 0.0)
    hidden = blob_of(at[face.reach(at) < 1])
    assert [s.owner for s in sightings_of([hidden], [face, inside, None])] == [0]
