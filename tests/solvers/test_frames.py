"""Points in any order become the six in theirs."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.frames import FrameReader

PLACES = {name: np.array((k, 10.0 + k, -float(k))) for k, name in enumerate((*SIX, "l_elbow"))}
MIXED = ("r_ankle", "l_elbow", "head", "l_wrist", "pelvis", "l_ankle", "r_wrist")
IN_ORDER = np.array([PLACES[name] for name in SIX])


def frame(names):
    return np.array([PLACES[name] for name in names])


def test_the_six_in_their_order():
    seen, turned = FrameReader(SIX).read(IN_ORDER)
    assert seen.shape == (1, 6, 3)
    assert np.array_equal(seen[0], IN_ORDER)
    assert turned.shape == (1, 2, 4)
    assert np.isnan(turned).all()


@pytest.mark.parametrize("names", [MIXED, SIX[::-1], (*SIX, "l_elbow")])
def test_any_order_and_more_points(names):
    reader = FrameReader(names)
    assert np.array_equal(reader.read(frame(names))[0][0], IN_ORDER)
    assert reader.unused == (("l_elbow",) if "l_elbow" in names else ())


def test_points_that_are_not_needed_may_be_absent():
    names = ("r_wrist", "head", "l_wrist")
    reader = FrameReader(names, needed=("head",))
    seen, _ = reader.read(frame(names))
    for k, name in enumerate(SIX):
        np.testing.assert_array_equal(seen[0, k], PLACES[name] if name in names else np.nan)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, 3, 1))
    points = Points(names, frame(names)[None], 60.0, turns)
    for again, turned in (reader.read(points), reader.read_clip(points)):
        np.testing.assert_array_equal(again, seen)
        assert np.isnan(turned[0, 0]).all()  # the pelvis
        np.testing.assert_array_equal(turned[0, 1], turns[0, 0])
    with pytest.raises(InputError, match="Expected the 1 points head; got l_wrist, without head"):
        FrameReader(("l_wrist",), needed=("head",))


def test_residuals_go_back_to_the_order_given():
    reader = FrameReader(MIXED)
    residuals = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, np.nan])  # the last: not used
    back = dict(zip(MIXED, residuals[reader.order_back], strict=True))
    assert [back[name] for name in SIX] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert np.isnan(back["l_elbow"])


def test_place_is_the_way_back():
    reader = FrameReader(MIXED)
    there = reader.place(IN_ORDER)
    assert np.array_equal(reader.read(there)[0][0], IN_ORDER)
    assert np.isnan(there[MIXED.index("l_elbow")]).all()


def test_missing_names():
    reader = FrameReader(MIXED)
    assert reader.missing(0b000000) == ()
    assert reader.missing(0b100010) == ("head", "r_ankle")
    assert reader.missing(0b111111) == SIX


def test_input_is_copied():
    reader, given = FrameReader(SIX), IN_ORDER.copy()
    seen, _ = reader.read(given)
    given[:] = 7.0
    assert np.array_equal(seen[0], IN_ORDER)


@pytest.mark.parametrize("layout", [np.float32, np.int64])
def test_other_number_types_are_converted(layout):
    seen, _ = FrameReader(SIX).read(IN_ORDER.astype(layout))
    assert seen.dtype == np.float64
    assert np.array_equal(seen[0], IN_ORDER)


def test_other_layouts_are_converted():
    for given in (np.asfortranarray(IN_ORDER), IN_ORDER[::-1][::-1], IN_ORDER.tolist()):
        seen, _ = FrameReader(SIX).read(given)
        assert np.array_equal(seen[0], IN_ORDER)
        assert seen.flags.c_contiguous


def test_nan_goes_through():
    given = IN_ORDER.copy()
    given[3] = np.nan
    assert np.array_equal(FrameReader(SIX).read(given)[0][0], given, equal_nan=True)


# --- frames of Points -----------------------------------------------------------------------------


def test_a_frame_of_points_brings_its_own_order():
    points = Points(MIXED, frame(MIXED)[None], 60.0)
    assert np.array_equal(FrameReader(SIX).read(points)[0][0], IN_ORDER)


def test_rotations_of_pelvis_and_head_come_along():
    rotations = np.full((1, 7, 4), np.nan)
    rotations[0, MIXED.index("pelvis")] = (1.0, 0.0, 0.0, 0.0)
    rotations[0, MIXED.index("head")] = (0.0, 0.0, -3.0, 0.0)  # normalised on the way
    rotations[0, MIXED.index("l_wrist")] = (0.5, 0.5, 0.5, 0.5)  # not used
    _, turned = FrameReader(MIXED).read_clip(Points(MIXED, frame(MIXED)[None], 60.0, rotations))
    assert turned[0] == pytest.approx(np.array([(1, 0, 0, 0), (0, 0, -1, 0)]))


@pytest.mark.parametrize(
    "rotation", [(0.0, 0.0, 0.0, 0.0), (np.nan, 0.0, 0.0, 1.0), (np.inf, 0.0, 0.0, 0.0)]
)
def test_a_rotation_that_is_none_is_unknown(rotation):
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (1, 6, 1))
    rotations[0, 1] = rotation
    _, turned = FrameReader(SIX).read_clip(Points(SIX, IN_ORDER[None], 60.0, rotations))
    assert turned[0, 0] == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert np.isnan(turned[0, 1]).all()


def test_a_clip_is_read_whole():
    points = Points(MIXED, np.stack([frame(MIXED) + k for k in range(5)]), 30.0)
    seen, turned = FrameReader(MIXED).read_clip(points)
    assert np.array_equal(seen, np.stack([IN_ORDER + k for k in range(5)]))
    assert seen.flags.c_contiguous
    assert turned.shape == (5, 2, 4)


def test_an_empty_clip():
    seen, turned = FrameReader(SIX).read_clip(Points(SIX, np.zeros((0, 6, 3)), 60.0))
    assert (seen.shape, turned.shape) == ((0, 6, 3), (0, 2, 4))


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (SIX[:5], r"Expected the six points pelvis, .*without r_ankle\. A point that is seen only"),
        ((), r"got none, without pelvis, head, l_wrist, r_wrist, l_ankle, r_ankle"),
        (("Pelvis", *SIX[1:]), r"got Pelvis, head.*without pelvis\."),
    ],
)
def test_all_six_must_be_named(names, message):
    with pytest.raises(InputError, match=message):
        FrameReader(names)


@pytest.mark.parametrize("shape", [(5, 3), (6, 2), (6, 4), (18,), (1, 6, 3), (0, 3), ()])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(
        InputError, match=r"Expected an array of shape \(6, 3\) in the order pelvis, head, .*got sh"
    ):
        FrameReader(SIX).read(np.zeros(shape))


@pytest.mark.parametrize("count", [0, 2])
def test_one_frame_of_points_at_a_time(count):
    points = Points(SIX, np.tile(IN_ORDER, (count, 1, 1)), 60.0)
    with pytest.raises(InputError, match=f"Expected one frame of points, got {count}"):
        FrameReader(SIX).read(points)


def test_points_without_all_six_are_refused():
    points = Points(SIX[1:], IN_ORDER[None, 1:], 60.0)
    with pytest.raises(InputError, match="without pelvis"):
        FrameReader(SIX).read(points)
