"""Points in any order become those of a kernel, in its order."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError, UnknownName
from sixpoint.motion.points import SIX, Points
from sixpoint.solvers.context import Frames, new_frames, new_output
from sixpoint.solvers.tracker import FrameReader

PLACES = {name: np.array((k, 10.0 + k, -float(k))) for k, name in enumerate((*SIX, "l_elbow"))}
MIXED = ("r_ankle", "l_elbow", "head", "l_wrist", "pelvis", "l_ankle", "r_wrist")
IN_ORDER = np.array([PLACES[name] for name in SIX])


def reader_of(names, needed=SIX) -> FrameReader:
    """A reader for kernels of people."""
    return FrameReader(names, SIX, 2, needed)


def room(count: int = 1) -> Frames:
    """Frames that still hold other points."""
    frames = new_frames(new_output(1, 6, count), 6, 2)
    frames.positions[...], frames.rotations[...] = -99.0, 0.5
    return frames


def read(given, names=SIX, needed=SIX) -> Frames:
    frames = room()
    reader_of(names, needed).read(given, frames)
    return frames


def read_clip(points: Points, names=SIX, needed=SIX) -> Frames:
    frames = room(len(points))
    reader_of(names, needed).read_clip(points, frames)
    return frames


def frame(names):
    return np.array([PLACES[name] for name in names])


def test_the_six_in_their_order():
    frames = read(IN_ORDER)
    assert np.array_equal(frames.positions[0], IN_ORDER)
    assert np.isnan(frames.rotations).all()  # those of an earlier frame are forgotten


@pytest.mark.parametrize("names", [MIXED, SIX[::-1], (*SIX, "l_elbow")])
def test_any_order_and_more_points(names):
    assert np.array_equal(read(frame(names), names).positions[0], IN_ORDER)
    unused = ("l_elbow",) if "l_elbow" in names else ()
    assert reader_of(names).unused == unused


def test_points_that_are_not_needed_may_be_absent():
    names = ("r_wrist", "head", "l_wrist")
    expected = [PLACES[name] if name in names else [np.nan] * 3 for name in SIX]
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, 3, 1))
    points = Points(names, frame(names)[None], 60.0, turns)
    # Nothing stays of points that only an earlier frame had.
    np.testing.assert_array_equal(read(frame(names), names, ("head",)).positions[0], expected)
    for again in (read(points, names, ("head",)), read_clip(points, names, ("head",))):
        np.testing.assert_array_equal(again.positions[0], expected)
        assert np.isnan(again.rotations[0, 0]).all()  # the pelvis
        np.testing.assert_array_equal(again.rotations[0, 1], turns[0, 0])
    with pytest.raises(InputError, match="Expected the 1 points head; got l_wrist, without head"):
        reader_of(("l_wrist",), ("head",))


def test_values_go_back_to_the_order_given():
    reader = reader_of(MIXED)
    residuals = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, np.nan])  # the last: not used
    back = dict(zip(MIXED, residuals[reader.columns], strict=True))
    assert [back[name] for name in SIX] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert np.isnan(back["l_elbow"])
    missing = np.array([[True, False, False, True, False, False]])
    back = dict(zip(MIXED, reader.as_given(missing, False)[0], strict=True))
    assert [name for name, lost in back.items() if lost] == ["pelvis", "r_wrist"]


def test_as_given_is_the_way_back():
    there = reader_of(MIXED).as_given(IN_ORDER.T, np.nan).T
    assert np.array_equal(read(there, MIXED).positions[0], IN_ORDER)
    assert np.isnan(there[MIXED.index("l_elbow")]).all()


def test_input_is_copied():
    given = IN_ORDER.copy()
    frames = read(given)
    given[:] = 7.0
    assert np.array_equal(frames.positions[0], IN_ORDER)
    points = Points(SIX, IN_ORDER[None].copy(), 60.0)
    frames = read_clip(points)
    frames.positions[:] = 7.0
    assert np.array_equal(points.positions[0], IN_ORDER)


@pytest.mark.parametrize("layout", [np.float32, np.int64])
def test_other_number_types_are_converted(layout):
    assert np.array_equal(read(IN_ORDER.astype(layout)).positions[0], IN_ORDER)


def test_other_layouts_are_converted():
    for given in (np.asfortranarray(IN_ORDER), IN_ORDER[::-1][::-1], IN_ORDER.tolist()):
        assert np.array_equal(read(given).positions[0], IN_ORDER)


def test_nan_goes_through():
    given = IN_ORDER.copy()
    given[3] = np.nan
    assert np.array_equal(read(given).positions[0], given, equal_nan=True)


# --- positions by name ----------------------------------------------------------------------------


def test_positions_by_name():
    assert np.array_equal(read({name: PLACES[name] for name in SIX[::-1]}).positions[0], IN_ORDER)
    named = {name: PLACES[name] for name in MIXED}
    assert np.array_equal(read(named, MIXED).positions[0], IN_ORDER)


def test_a_name_that_is_left_out_was_not_seen():
    positions = read({"head": PLACES["head"]}).positions[0]
    assert np.array_equal(positions[1], PLACES["head"])
    assert np.isnan(np.delete(positions, 1, axis=0)).all()


def test_names_that_are_not_known_are_refused():
    with pytest.raises(UnknownName, match=r"No point of this tracker 'l_elbow'.*pelvis"):
        read({"head": PLACES["head"], "l_elbow": PLACES["l_elbow"]})


# --- frames of Points -----------------------------------------------------------------------------


def test_a_frame_of_points_brings_its_own_order():
    points = Points(MIXED, frame(MIXED)[None], 60.0)
    assert np.array_equal(read(points).positions[0], IN_ORDER)


def test_rotations_of_pelvis_and_head_come_along():
    rotations = np.full((1, 7, 4), np.nan)
    rotations[0, MIXED.index("pelvis")] = (1.0, 0.0, 0.0, 0.0)
    rotations[0, MIXED.index("head")] = (0.0, 0.0, -3.0, 0.0)  # normalised on the way
    rotations[0, MIXED.index("l_wrist")] = (0.5, 0.5, 0.5, 0.5)  # not used
    points = Points(MIXED, frame(MIXED)[None], 60.0, rotations)
    for frames in (read_clip(points, MIXED), read(points)):
        assert frames.rotations[0] == pytest.approx(np.array([(1, 0, 0, 0), (0, 0, -1, 0)]))


@pytest.mark.parametrize(
    "rotation", [(0.0, 0.0, 0.0, 0.0), (np.nan, 0.0, 0.0, 1.0), (np.inf, 0.0, 0.0, 0.0)]
)
def test_a_rotation_that_is_none_is_unknown(rotation):
    rotations = np.tile((1.0, 0.0, 0.0, 0.0), (1, 6, 1))
    rotations[0, 1] = rotation
    turned = read_clip(Points(SIX, IN_ORDER[None], 60.0, rotations)).rotations
    assert turned[0, 0] == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert np.isnan(turned[0, 1]).all()


def test_a_clip_is_read_whole():
    points = Points(MIXED, np.stack([frame(MIXED) + k for k in range(5)]), 30.0)
    frames = read_clip(points, MIXED)
    assert np.array_equal(frames.positions, np.stack([IN_ORDER + k for k in range(5)]))
    assert np.isnan(frames.rotations).all()


def test_an_empty_clip():
    frames = read_clip(Points(SIX, np.zeros((0, 6, 3)), 60.0))
    assert (frames.positions.shape, frames.rotations.shape) == ((0, 6, 3), (0, 2, 4))


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
        reader_of(names)


@pytest.mark.parametrize("shape", [(5, 3), (6, 2), (6, 4), (18,), (1, 6, 3), (0, 3), ()])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(
        InputError, match=r"Expected an array of shape \(6, 3\) in the order pelvis, head, .*got sh"
    ):
        read(np.zeros(shape))


@pytest.mark.parametrize("given", ["head", [["a"] * 3] * 6, [[0.0] * 3, [0.0]], None, object()])
def test_what_is_no_array_of_numbers_is_refused(given):
    with pytest.raises(InputError, match="Expected an array"):
        read(given)


@pytest.mark.parametrize("count", [0, 2])
def test_one_frame_of_points_at_a_time(count):
    points = Points(SIX, np.tile(IN_ORDER, (count, 1, 1)), 60.0)
    with pytest.raises(InputError, match=f"Expected one frame of points, got {count}"):
        read(points)


def test_points_without_all_six_are_refused():
    points = Points(SIX[1:], IN_ORDER[None, 1:], 60.0)
    with pytest.raises(InputError, match="without pelvis"):
        read(points)
