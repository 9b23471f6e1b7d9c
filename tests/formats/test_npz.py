from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigs import odd_rig, random_motion
from sixpoint.errors import FormatError
from sixpoint.formats import load, load_points, npz, save, save_points
from sixpoint.formats.npz import read_arrays
from sixpoint.motion.motion import Source
from sixpoint.motion.points import Points

from .samples import standing_person


def full_motion():
    rig = replace(odd_rig(), roles={"head": "skullbase", "pelvis": "HumanoidRoot"})
    motion = random_motion(rig)
    moves = np.random.default_rng(0).normal(size=(len(motion), rig.joint_count, 3))
    source = Source(
        "bvh", "a.bvh", 0.0254, (0.5, 0.5, 0.5, 0.5), (("Zrotation",),) * 34, ("a note", "ü")
    )
    return replace(motion, translations=moves, source=source)


@pytest.mark.parametrize("make", [standing_person, full_motion])
def test_a_motion_comes_back_bit_for_bit(tmp_path, make):
    motion = make()
    assert save(motion, tmp_path / "a.npz") == ()
    back = load(tmp_path / "a.npz")
    for field in ("root", "rotations", "translations"):
        np.testing.assert_array_equal(getattr(back, field), getattr(motion, field))
    assert back.rate == motion.rate
    assert back.source == motion.source
    assert back.skeleton == motion.skeleton
    assert back.skeleton.roles == motion.skeleton.roles
    assert dict(back.skeleton.hinges) == dict(motion.skeleton.hinges)
    np.testing.assert_array_equal(back.skeleton.bind, motion.skeleton.bind)


def test_the_same_motion_gives_the_same_bytes(tmp_path):
    save(full_motion(), tmp_path / "a.npz")
    save(full_motion(), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def some_points(**more):
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(4, 2, 3))
    positions[1, 0] = np.nan
    return Points(("pelvis", "head"), positions, 59.94, **more)


def test_points_have_exactly_the_documented_keys(tmp_path):
    save_points(some_points(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as content:
        assert set(content) == {"names", "positions", "rate"}
        assert content["names"].tolist() == ["pelvis", "head"]
    rotations, confidence = np.full((4, 2, 4), 0.5), np.full((4, 2), 0.25)
    save_points(some_points(rotations=rotations, confidence=confidence), tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz", allow_pickle=False) as content:
        assert set(content) == {"names", "positions", "rate", "rotations", "confidence"}


def test_points_come_back_bit_for_bit(tmp_path):
    points = some_points(rotations=np.full((4, 2, 4), 0.5), confidence=np.full((4, 2), 0.25))
    save_points(points, tmp_path / "a.npz")
    back = load_points(tmp_path / "a.npz")
    assert back.names == points.names
    assert back.rate == points.rate
    for field in ("positions", "rotations", "confidence"):
        np.testing.assert_array_equal(getattr(back, field), getattr(points, field))
    assert load_points(tmp_path / "a.npz", rate=30.0).rate == 30.0


def test_points_written_by_hand_with_numpy(tmp_path):
    np.savez_compressed(
        tmp_path / "a.npz", names=["head"], positions=np.zeros((2, 1, 3), np.float32), rate=60
    )
    assert load_points(tmp_path / "a.npz").positions.dtype == np.float64


def test_motion_and_points_are_told_apart(tmp_path):
    save(standing_person(), tmp_path / "m.npz")
    save_points(some_points(), tmp_path / "p.npz")
    with pytest.raises(FormatError, match="got a motion: use load"):
        load_points(tmp_path / "m.npz")
    with pytest.raises(FormatError, match="these are tracked points: use load_points"):
        load(tmp_path / "p.npz")
    np.savez(tmp_path / "x.npz", a=1)
    with pytest.raises(FormatError, match="got the keys a"):
        load(tmp_path / "x.npz")


def changed(tmp_path, **changes):
    """A motion file with some keys replaced, or removed where None."""
    save(standing_person(), tmp_path / "a.npz")
    content = {**read_arrays(tmp_path / "a.npz"), **changes}
    np.savez(tmp_path / "b.npz", **{k: v for k, v in content.items() if v is not None})
    return tmp_path / "b.npz"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "got 'other' of version 1"),
        ({"version": 2}, "of version 1, got 'sixpoint motion' of version 2"),
        ({"version": "x"}, "Not a sound sixpoint motion file"),
        ({"root": None}, "root not found"),
        ({"root": np.zeros((1, 2))}, "Expected `root` to have shape"),
        ({"rate": -1.0}, "positive `rate`"),
        ({"rate": np.zeros(3)}, "Not a sound"),
        ({"hinges": "{"}, "Not a sound"),
        ({"hinges": "[]"}, "Not a sound"),
        ({"hinges": json.dumps({"l_knee": [1, 2]})}, "Not a sound"),
        ({"source": "{}"}, "Not a sound"),
        ({"roles": "null,"}, "Not a sound"),
        ({"names": np.array(["a"])}, "Not a sound"),
    ],
)
def test_unsound_motions_are_refused(tmp_path, changes, message):
    with pytest.raises(FormatError, match=message):
        load(changed(tmp_path, **changes))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "names, positions, rate not found"),
        ({"names": ["a"], "positions": np.zeros((1, 2, 3)), "rate": 1}, "Not sound points.*shape"),
        ({"names": ["a"], "positions": np.zeros((1, 1, 3)), "rate": 0}, "positive `rate`"),
        ({"names": ["a"], "positions": np.zeros((1, 1, 3)), "rate": 1, "x": 1}, "No key 'x'"),
        ({"names": ["a"], "positions": np.full((1, 1, 3), np.inf), "rate": 1}, "infinity"),
    ],
)
def test_unsound_points_are_refused(tmp_path, content, message):
    np.savez(tmp_path / "a.npz", **content)
    with pytest.raises(FormatError, match=message):
        load_points(tmp_path / "a.npz")


def test_nothing_is_unpickled(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        stream = io.BytesIO()
        np.save(stream, np.array([{}], dtype=object), allow_pickle=True)
        archive.writestr("names.npy", stream.getvalue())
    with pytest.raises(FormatError, match=r"Expected an array in 'names.npy'"):
        load_points(tmp_path / "a.npz")


def test_a_header_may_not_claim_more_than_the_file_holds(tmp_path):
    header = (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }"
    )
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("positions.npy", header.ljust(127) + b"\n" + bytes(80))
    with pytest.raises(FormatError, match="its header does not fit its content"):
        load_points(tmp_path / "a.npz")


def test_bombs_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "MAX_BYTES", 1000)
    np.savez_compressed(tmp_path / "a.npz", positions=np.zeros(10_000))
    with pytest.raises(FormatError, match=r"at most 1000 bytes, got 80128 in 'positions.npy'"):
        load_points(tmp_path / "a.npz")


def test_missing_and_foreign_files(tmp_path):
    with pytest.raises(FormatError, match="Cannot be read: No such file"):
        load(tmp_path / "none.npz")
    (tmp_path / "a.npz").write_text("HIERARCHY")
    with pytest.raises(FormatError, match="Expected an NPZ file, got no sound ZIP"):
        load(tmp_path / "a.npz")


@given(cut=st.floats(0.0, 1.0), flips=st.lists(st.floats(0.0, 1.0), max_size=4))
def test_broken_archives_give_a_format_error_or_a_motion(tmp_path_factory, cut, flips):
    folder = tmp_path_factory.mktemp("npz")
    save(standing_person(frames=2), folder / "a.npz")
    data = bytearray((folder / "a.npz").read_bytes())
    for flip in flips:
        data[int(flip * (len(data) - 1))] ^= 0x55
    data = data[: max(1, int(cut * len(data)))] if cut < 0.9 else data
    (folder / "a.npz").write_bytes(data)
    try:
        load(folder / "a.npz")
    except FormatError:
        return
    assert cut >= 0.9
