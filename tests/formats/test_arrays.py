"""Files with arrays of joints, in the shapes that programs write."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixpoint as sp
from sixpoint.errors import FormatError, InputError, SixpointError
from sixpoint.formats import holds_points, inspect, load_points, read_points
from sixpoint.formats.arrays import read_joint_array
from sixpoint.subjects import LAYOUTS, layout_positions

CLIP = sp.builtin("walk").frames(slice(0, 300, 30))
COCO = LAYOUTS["coco17"]
POSITIONS = layout_positions(CLIP, COCO)
LONG = {"l": "left", "r": "right"}


def long_name(name):
    return f"{LONG[name[0]]}_{name[2:]}" if name[1] == "_" else name


def rows(values=POSITIONS):
    return [",".join(f"{x:.6f}" for x in row) for row in values.reshape(len(values), -1)]


def as_npy(path):
    np.save(path / "a.npy", POSITIONS)
    return path / "a.npy"


def as_npz(path):
    np.savez(path / "a.npz", keypoints_3d=POSITIONS, fps=30.0, other=np.zeros(3))
    return path / "a.npz"


def as_npz_of_one(path):
    np.savez(path / "a.npz", strange=POSITIONS)
    return path / "a.npz"


def as_json(path):
    (path / "a.json").write_text(json.dumps(POSITIONS.tolist()))
    return path / "a.json"


def as_json_object(path):
    (path / "a.json").write_text(json.dumps({"fps": 30, "frames": [
        {"keypoints": [{"x": x, "y": y, "z": z, "score": 1.0} for x, y, z in frame]}
        for frame in POSITIONS.tolist()]}))  # fmt: skip
    return path / "a.json"


def as_csv(path):
    (path / "a.csv").write_text("\n".join(rows()))
    return path / "a.csv"


def as_csv_with_times(path):
    lines = [f"{k / 30:.4f},{row}" for k, row in enumerate(rows())]
    (path / "a.csv").write_text("\n".join(lines))
    return path / "a.csv"


def as_csv_with_names(path):
    head = [f"body_{long_name(name)}_{axis}" for name in COCO.landmarks for axis in "xyz"]
    lines = [",".join(["time", *head])]
    lines += [f"{k / 30:.4f},{row}" for k, row in enumerate(rows())]
    (path / "a.csv").write_text("\n".join(lines))
    return path / "a.csv"


def as_folder(path):
    folder = path / "frames"
    folder.mkdir()
    for k, frame in enumerate(POSITIONS):
        flat = np.concatenate([frame, np.ones((17, 1))], axis=1).ravel().tolist()
        people = {"people": [{"pose_keypoints_3d": flat}]}
        (folder / f"frame_{k}_keypoints.json").write_text(json.dumps(people))
    return folder


@pytest.mark.parametrize(
    "write",
    [as_npy, as_npz, as_npz_of_one, as_json, as_json_object, as_csv, as_csv_with_times,
     as_csv_with_names, as_folder],
)  # fmt: skip
def test_all_files_give_the_same_points(write, tmp_path):
    path = write(tmp_path)
    found = load_points(path, layout="coco17", rate=30.0)
    expected = sp.formats.points_from_array(POSITIONS, "coco17", rate=30.0).points
    assert found.names == expected.names
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-5)


@pytest.mark.parametrize("write", [as_npy, as_npz, as_json])
def test_arrays_are_recognised_without_a_layout(write, tmp_path):
    path = write(tmp_path)
    assert holds_points(path)
    found = read_points(path, rate=30.0)
    assert found.layout == "coco17"
    info = inspect(path, rate=30.0)
    assert info.layout == "coco17"
    assert any("guessed: layout coco17" in note for note in info.notes)


def test_info_does_not_need_the_rate(tmp_path):
    notes = inspect(as_npy(tmp_path), layout="coco17").notes
    assert any("Expected `rate`" in note for note in notes)


def test_the_rate_of_a_file_is_used(tmp_path):
    assert load_points(as_npz(tmp_path)).rate == 30.0
    assert load_points(as_csv_with_names(tmp_path), layout="coco17").rate == 30.0


def test_named_columns_may_be_of_any_set(tmp_path):
    names = ["LWrist", "RWrist", "Nose", "LEar", "REar", "LHip", "RHip", "LShoulder", "RShoulder"]
    short = {long: name for name, long in zip(
        ["l_wrist", "r_wrist", "nose", "l_ear", "r_ear", "l_hip", "r_hip", "l_shoulder",
         "r_shoulder"], names, strict=True)}  # fmt: skip
    at = [COCO.landmarks.index(short[name]) for name in names]
    np.savez(tmp_path / "a.npz", positions=POSITIONS[:, at], joint_names=names, fps=30.0)
    found = read_points(tmp_path / "a.npz")
    assert found.layout == "names"
    assert {"head", "pelvis", "l_wrist", "r_shoulder"} <= set(found.points.names)


def test_names_in_a_file_win_over_the_order_of_a_layout(tmp_path):
    order = np.random.default_rng(0).permutation(17)
    names = [long_name(COCO.landmarks[k]) for k in order]
    np.savez(tmp_path / "a.npz", positions=POSITIONS[:, order], names=names)
    found = load_points(tmp_path / "a.npz", layout="coco17", rate=30.0)
    expected = sp.formats.points_from_array(POSITIONS, "coco17", rate=30.0).points
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-9)
    np.savez(tmp_path / "b.npz", positions=POSITIONS, names=[f"joint {k}" for k in range(17)])
    same = load_points(tmp_path / "b.npz", layout="coco17", rate=30.0)
    np.testing.assert_allclose(same.positions, expected.positions, atol=1e-9)


def test_frames_in_which_nobody_was_seen_are_empty(tmp_path):
    frames = POSITIONS.tolist()
    frames[2] = []
    frames[4] = None
    (tmp_path / "a.json").write_text(json.dumps(frames))
    seen = load_points(tmp_path / "a.json", layout="coco17", rate=30.0).seen
    assert not seen[[2, 4]].any()
    assert seen[[0, 1, 3]].all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "Expected JSON"),
        ("{}", "joint positions under a name such as positions"),
        ("[]", "a list of frames, got none"),
        ("[[[1, 2, 3]], [[1, 2]]]", "the same shape in every frame"),
        ('[[{"x": 1, "y": 2}]]', "x without z: 2D keypoints"),
        ('[[["a", 2, 3]]]', "as many numbers"),
        ('{"people": [{"pose_keypoints_2d": [1, 2, 0.5]}]}', "pose_keypoints_2d only"),
        ('{"people": [{}, {}]}', "one person in each frame, got 2"),
        ('[{"what": 1}]', "joints in a frame, got what"),
        ("[[], []]", "nobody at all"),
    ],
)
def test_json_that_holds_no_joints(tmp_path, content, message):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(FormatError, match=message):
        read_joint_array(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2,3\n1,2", "a.csv:2: Expected 3 cells, got 2"),
        ("1,2,3\n1,x,3", "a.csv:2: Expected a number, got 'x'"),
        ("a_x,a_y\n1,2", "x, y and z of 'a', got fewer"),
        ("a_x,a_y,a_z\n", "rows of numbers, got none"),
        ("", "an empty file"),
    ],
)
def test_tables_that_hold_no_joints(tmp_path, content, message):
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(FormatError, match=message):
        read_joint_array(tmp_path / "a.csv")


def test_archives_that_hold_no_joints(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.zeros((3, 4, 3)), b=np.zeros((3, 4, 3)))
    with pytest.raises(FormatError, match=r"one array of joint positions.*got a, b"):
        read_joint_array(tmp_path / "a.npz")
    (tmp_path / "b.npy").write_bytes(b"nothing")
    with pytest.raises(FormatError, match=r"b\.npy"):
        read_joint_array(tmp_path / "b.npy")
    np.save(tmp_path / "c.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match="Expected an array"):
        read_joint_array(tmp_path / "c.npy")
    np.save(tmp_path / "d.npy", np.array(["a"]))
    with pytest.raises(FormatError, match="Expected numbers"):
        read_joint_array(tmp_path / "d.npy")
    with pytest.raises(FormatError, match=r"Expected an array in \.npy"):
        read_joint_array(tmp_path / "e.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="one JSON file a frame"):
        read_joint_array(tmp_path / "empty")


def test_errors_name_the_file(tmp_path):
    path = as_npy(tmp_path)
    with pytest.raises(InputError, match=r"a\.npy: Expected 33 joints"):
        load_points(path, layout="mediapipe33", rate=30.0)


@given(st.text(max_size=60))
def test_any_text_is_an_array_or_an_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    with pytest.raises(SixpointError):
        load_points(path, rate=30.0)
