from __future__ import annotations

import json

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import CannotWrite, FormatError, InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.subjects import Mount, Subject

from . import worn

BODY = sp.Skeleton.humanoid(1.8)
WORN = Mount("l_wrist", (0.01, -0.08, 0.02), (0.0, 1.0, 0.0, 0.0))
SUBJECT = Subject(BODY, {"l_wrist": WORN}, 0.02, {"thigh": 0.01}, ("by hand",))


def test_a_file_gives_back_the_subject(tmp_path):
    SUBJECT.save(tmp_path / "s.json")
    assert Subject.load(tmp_path / "s.json") == SUBJECT
    assert Subject.load(tmp_path / "s.json").mounts["l_wrist"] == WORN


def test_a_rig_survives_the_file(tmp_path):
    rig = sp.builtin("boxing").skeleton
    Subject(rig).save(tmp_path / "s.json")
    again = Subject.load(tmp_path / "s.json").skeleton
    assert again == rig
    assert again.anatomy.roles.nodes == rig.anatomy.roles.nodes


def test_what_it_is_fits_in_a_line():
    assert repr(SUBJECT) == "Subject(1.80 m tall, mounts: l_wrist)"
    assert repr(WORN) == "Mount(l_wrist: (1.0, -8.0, 2.0) cm, turned 180 degrees)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "sixpoint limits"}, "sixpoint subject"),
        ({"version": 2}, "expected version 1"),
        ({"floor": "low"}, "expected a number as floor"),
        ({"floor": True}, "expected a number as floor"),
        ({"mounts": []}, "expected mounts to be a JSON object"),
        ({"mounts": {"head": {"role": "head"}}}, "mounts.head to have a field 'offset'"),
        ({"mounts": {"head": {"role": "head", "offset": [0, 0, 9], "alignment": [1, 0, 0, 0]}}},
         "within 0.5 m"),
        ({"mounts": {"head": {"role": "head", "offset": [0, 0, 0], "alignment": [2, 0, 0, 0]}}},
         "unit quaternion"),
        ({"mounts": {"head": {"role": "tail", "offset": [0, 0, 0], "alignment": [1, 0, 0, 0]}}},
         "No role 'tail'"),
        ({"found": "x"}, "list of texts"),
        ({"extra": 1}, "got 'extra'"),
        ({"skeleton": {"names": ["a"]}}, "skeleton"),
        ({"skeleton": {"names": 3}}, "list of names"),
    ],
)  # fmt: skip
def test_odd_files_are_refused_with_the_place(tmp_path, change, message):
    path = tmp_path / "s.json"
    SUBJECT.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError, match=message) as told:
        Subject.load(path)
    assert str(path) in str(told.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100000, b"[]", b"3"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "s.json").write_bytes(content)
    with pytest.raises(FormatError):
        Subject.load(tmp_path / "s.json")


def test_missing_and_unwritable_files(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        Subject.load(tmp_path / "none.json")
    with pytest.raises(CannotWrite):
        SUBJECT.save(tmp_path / "no" / "s.json")


def test_mounts_are_checked():
    with pytest.raises(InputError, match="3 finite numbers"):
        Mount("head", (0.0, np.nan, 0.0), (1.0, 0.0, 0.0, 0.0))
    with pytest.raises(UnknownName, match="No role 'tail'"):
        Subject(BODY, {"a": Mount("tail", np.zeros(3), arrays.identity())})


def test_positions_alone_keep_their_offset_until_bones_are_known():
    joints = sp.builtin("walk").points(rotations=True)
    body = sp.builtin("walk").skeleton
    offsets, _ = worn.random_mounts(1)
    seen = worn.mounted(joints, offsets, arrays.identity(6))
    bare = sp.Points(seen.names, seen.positions, seen.rate)
    mounts = {n: Mount(n, o, arrays.identity()) for n, o in zip(seen.names, offsets, strict=True)}
    subject = Subject(body, mounts)
    assert subject.unresolved(bare) == seen.names
    assert subject.unresolved(seen) == ()
    assert subject.joint_points(bare) == bare
    bones = {name: joints.rotations[:, k] for k, name in enumerate(joints.names)}
    assert np.abs(subject.joint_points(bare, bones).positions - joints.positions).max() < 1e-12

    def error(points, who):
        made = sp.reconstruct(points, who, "guided").motion
        return sp.compare(made, sp.builtin("walk")).position_rms

    assert error(bare, subject) < 0.8 * error(bare, body)
