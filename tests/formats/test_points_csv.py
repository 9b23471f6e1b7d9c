from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.errors import FormatError, InputError, UnknownName
from sixpoint.formats import load_points, save_points
from sixpoint.motion.points import SIX, Points
from sixpoint.subjects.aliases import point_name

HEADER = "time,pelvis.x,pelvis.y,pelvis.z,head.x,head.y,head.z\n"


def read(tmp_path, text, **options):
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load_points(path, **options)


def test_the_documented_form(tmp_path):
    points = read(tmp_path, HEADER + "0,1,2,3,4,5,6\n0.02,1,2,3,,,\n0.04,1,2,3,4,5,\n")
    assert points.names == ("pelvis", "head")
    assert points.rate == 50.0
    np.testing.assert_array_equal(points.positions[0], [[1, 2, 3], [4, 5, 6]])
    assert points.seen.tolist() == [[True, True], [True, False], [True, False]]
    assert np.isnan(points.positions[2, 1]).all()  # half a position is none


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace(",", ";"),
        lambda t: t.replace(",", "\t"),
        lambda t: t.replace(",", " , "),
        lambda t: t.replace("pelvis.x", '"pelvis.x"'),
        lambda t: t.replace("time", "Time").replace("pelvis", "Hips"),
        lambda t: t + "\n\n",
        lambda t: t.replace(",,,", ",nan,NaN,"),
    ],
)
def test_spelling_does_not_matter(tmp_path, change):
    text = HEADER + "0,1,2,3,,,\n0.02,1,2,3,4,5,6\n"
    plain, other = read(tmp_path, text), read(tmp_path, change(text))
    assert other.names == plain.names
    np.testing.assert_array_equal(other.positions, plain.positions)


@given(
    frames=st.integers(2, 6),
    rate=st.sampled_from([24.0, 29.97, 60.0, 120.0, 240.0]),
    turned=st.booleans(),
    trusted=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_what_was_written_is_read(tmp_path_factory, frames, rate, turned, trusted, seed):
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(frames, 6, 3))
    positions[rng.random((frames, 6)) < 0.2] = np.nan
    points = Points(
        SIX,
        positions,
        rate,
        rng.normal(size=(frames, 6, 4)) if turned else None,
        rng.random((frames, 6)) if trusted else None,
    )
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    save_points(points, path)
    back = load_points(path)
    assert back.names == SIX
    assert back.rate == pytest.approx(rate, rel=1e-6)
    for field in ("positions", "rotations", "confidence"):
        if getattr(points, field) is None:
            assert getattr(back, field) is None
        else:
            np.testing.assert_allclose(getattr(back, field), getattr(points, field), atol=1e-6)


def test_rotations_of_some_points_only(tmp_path):
    header = "time,a.x,a.y,a.z,a.qw,a.qx,a.qy,a.qz,b.x,b.y,b.z\n"
    points = read(tmp_path, header + "0,1,2,3,1,0,0,0,4,5,6\n", rate=30.0)
    assert points.rotations is not None
    np.testing.assert_array_equal(points.rotations[0, 0], [1, 0, 0, 0])
    assert np.isnan(points.rotations[0, 1]).all()


def test_names_with_commas_survive(tmp_path):
    save_points(Points(("a,b",), np.zeros((2, 1, 3)), 60.0), tmp_path / "a.csv")
    assert load_points(tmp_path / "a.csv").names == ("a,b",)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("pelvis", "pelvis"), ("Pelvis", "pelvis"), ("hips", "pelvis"), ("HEAD", "head"),
        ("l_wrist", "l_wrist"), ("left_wrist", "l_wrist"), ("LeftWrist", "l_wrist"),
        ("leftWrist", "l_wrist"), ("wrist_l", "l_wrist"), ("Wrist.R", "r_wrist"),
        ("right ankle", "r_ankle"), ("RightAnkle", "r_ankle"), ("rwrist", "r_wrist"),
        ("L_Knee", "l_knee"), ("right-elbow", "r_elbow"), ("left_hip", "l_hip"),
        ("toe", "toe"), ("left_toe", "left_toe"), ("wrist", "wrist"), ("", ""),
    ],
)  # fmt: skip
def test_names_in_other_spellings(name, role):
    assert point_name(name) == role


def rows(*times):
    return "time,head.x,head.y,head.z\n" + "".join(f"{t},1,2,3\n" for t in times)


@pytest.mark.parametrize("rate", [30, 60, 90, 120, 240])
def test_times_rounded_to_milliseconds_give_the_rate(tmp_path, rate):
    times = [f"{k / rate:.3f}" for k in range(300)]
    assert read(tmp_path, rows(*times)).rate == pytest.approx(rate, rel=1e-3)


def test_missing_rows_become_unseen_frames(tmp_path):
    points = read(tmp_path, rows(0, 0.1, 0.2, 0.5, 0.6))
    assert points.rate == pytest.approx(10.0)
    assert points.seen[:, 0].tolist() == [True, True, True, False, False, True, True]


def test_a_given_rate_takes_the_rows_as_they_come(tmp_path):
    points = read(tmp_path, rows(0, 0.3, 0.31), rate=25.0)
    assert points.rate == 25.0
    assert len(points) == 3


def test_a_single_row_needs_the_rate(tmp_path):
    with pytest.raises(FormatError, match=r"at least two rows.*give the rate"):
        read(tmp_path, rows(0))
    assert len(read(tmp_path, rows(0), rate=30.0)) == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("pelvis.x,pelvis.y\n", 1, "Expected 'time' as the first column, got 'pelvis.x'"),
        ("time\n0\n", 1, "Expected columns of points, got only the time"),
        ("time,pelvis\n", 1, "Expected a column such as 'pelvis.x' .* got 'pelvis'"),
        ("time,pelvis.w\n", 1, "Expected a column such as 'pelvis.x' .* got 'pelvis.w'"),
        ("time,a.x,a.y,a.x\n", 1, "Column 'a.x' is there twice"),
        ("time,left_wrist.x,l_wrist.x\n", 1, "Column 'l_wrist.x' is there twice"),
        ("time,a.x,a.z\n", 1, "Expected the columns a.x, a.y, a.z, got x, z"),
        ("time,a.x,a.y,a.z,a.qw\n", 1, "Expected the columns a.qw, .*, got qw"),
        ("time,a.qw,a.qx,a.qy,a.qz\n", 1, "Expected the columns a.x, .* got none of them"),
        (rows(0, 1) + "2,1,2\n", 4, "Expected 4 cells, as in the header, got 3"),
        (rows(0, 1) + "2,1,x,2\n", 4, "finite number in column 'head.y', got 'x'"),
        (rows(0, 1) + "2,1,inf,2\n", 4, "finite number in column 'head.y', got 'inf'"),
        (rows(0, 1) + ",1,2,3\n", 4, "finite number in column 'time', got ''"),
        (rows(0, 1, 1), 4, "times that increase, got 1 s after 1 s"),
        (rows(0, 1, 0.5), 4, "times that increase, got 0.5 s after 1 s"),
        (rows(0, 1, 2, 1e6), 5, "Expected at most 20 times as many frames as rows"),
    ],
)
def test_errors_name_the_line(tmp_path, text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (HEADER, "at least one row"),
        ("time," + "x" * 200_000, "Expected CSV: field larger than"),
    ],
)
def test_nothing_to_read(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


@given(st.binary(max_size=200))
def test_any_bytes_give_points_or_a_format_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    for start in (b"", b"time,a.x,a.y,a.z\n0,1,2,3\n"):
        path.write_bytes(start + data)
        with contextlib.suppress(FormatError):
            assert isinstance(load_points(path), Points)


def test_unit_and_axes_may_be_given(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("time,head.x,head.y,head.z\n0,10,20,1700\n0.02,10,20,1700\n")
    points = load_points(path, unit="mm", up="z")
    np.testing.assert_allclose(points.positions[0, 0], (0.01, 1.7, -0.02), atol=1e-12)
    assert load_points(path, rate=25.0).rate == 25.0
    with pytest.raises(UnknownName, match="parsec"):
        load_points(path, unit="parsec")
    with pytest.raises(InputError, match="neither `unit` nor `up` for"):
        load_points(tmp_path / "a.trc", unit="mm")


@pytest.mark.parametrize(
    "titles",
    [
        "pelvis_x,pelvis_y,pelvis_z,hmd_x,hmd_y,hmd_z",
        "Pelvis X,Pelvis Y,Pelvis Z,HMD X,HMD Y,HMD Z",
        "waist_pos_x,waist_pos_y,waist_pos_z,headset.position.x,headset.position.y,headset.position.z",
        "hip.x,hip.y,hip.z,head/x,head/y,head/z",
        "pelvisX,pelvisY,pelvisZ,headX,headY,headZ",
    ],
)
@pytest.mark.parametrize("time", ["time", "t", "Timestamp", "time (s)", "seconds"])
def test_columns_in_other_spellings(tmp_path, time, titles):
    points = read(tmp_path, f"{time},{titles}\n0,1,2,3,4,5,6\n0.02,1,2,3,,,\n")
    assert points.names == ("pelvis", "head")
    np.testing.assert_array_equal(points.positions[0], [[1, 2, 3], [4, 5, 6]])
    assert points.rate == 50.0


@pytest.mark.parametrize(
    "titles",
    ["head_qw,head_qx,head_qy,head_qz", "head_rot_w,head_rot_x,head_rot_y,head_rot_z",
     "head.quat.w,head.quat.x,head.quat.y,head.quat.z", "headQW,headQX,headQY,headQZ"],
)  # fmt: skip
def test_rotations_in_other_spellings(tmp_path, titles):
    text = f"time,head_x,head_y,head_z,{titles},head_confidence\n0,1,2,3,1,0,0,0,0.5\n"
    points = read(tmp_path, text, rate=30.0)
    np.testing.assert_array_equal(points.rotations[0, 0], [1, 0, 0, 0])
    assert points.confidence[0, 0] == 0.5


def test_controllers_and_feet_are_wrists_and_ankles(tmp_path):
    header = ",".join(f"{name}_{axis}" for name in ("left_hand", "RightFoot") for axis in "xyz")
    points = read(tmp_path, f"time,{header}\n0,1,2,3,4,5,6\n", rate=30.0)
    assert points.names == ("l_wrist", "r_ankle")


def test_milliseconds_are_recognised(tmp_path):
    points = read(tmp_path, rows(0, 10, 20, 30))
    assert points.rate == pytest.approx(100.0)
    assert "milliseconds" in points.notes[0]
    said = read(tmp_path, rows(0, 1, 2, 3).replace("time", "time_ms"))
    assert said.rate == pytest.approx(1000.0)
    assert said.notes == ()


def test_irregular_times_are_resampled_with_a_note(tmp_path):
    points = read(tmp_path, rows(0, 0.010, 0.024, 0.030, 0.044, 0.050, 0.064))
    (note,) = points.notes
    assert "irregular" in note
    assert f"{points.rate:g} Hz" in note
    assert points.seen.all()


def test_two_people_without_labels_are_told_how_to_be_named(tmp_path):
    with pytest.raises(FormatError, match=r"there twice; of two people.*'anna:head'"):
        read(tmp_path, "time,head.x,head.y,head.z,head.x,head.y,head.z\n0,1,2,3,4,5,6\n")
