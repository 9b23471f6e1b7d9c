from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.errors import FormatError, InputError
from sixpoint.formats.clip_folders import (
    is_clip_archive,
    read_clip_archive,
    read_subjects,
    subject_name,
)
from sixpoint.kernels import arrays


def write_archive(path, **changes):
    """A built-in clip as an archive of two clips, with some arrays changed or (None) left out."""
    clip = builtin("squat").frames(slice(0, 40, 2))
    body = clip.skeleton
    angles = np.degrees(arrays.to_euler("ZYX", clip.rotations)) * 100.0
    content = {
        "names": np.array(body.names),
        "parents": body.parents,
        "offsets": body.offsets,
        "angles": np.round(angles).astype(np.int16).reshape(len(clip), -1),
        "root": clip.root,
        "starts": np.array([0, 8]),
        "clips": np.array(["one", "two"]),
        "rate": 30.0,
        "unit": 1.0,
    } | changes
    np.savez(path, **{key: value for key, value in content.items() if value is not None})
    return clip


def test_a_pack_holds_the_clips_of_one_person(tmp_path):
    clip = write_archive(tmp_path / "subject_007.npz")
    assert is_clip_archive(tmp_path / "subject_007.npz")
    motions = read_clip_archive(tmp_path / "subject_007.npz")
    assert {name: len(motion) for name, motion in motions.items()} == {"one": 8, "two": 12}
    assert motions["two"].rate == 30.0
    gap = arrays.angle_between(motions["two"].rotations, clip.rotations[8:])
    assert gap.max() < np.radians(0.02)
    found, notes = read_subjects(tmp_path)
    assert list(found) == ["7"]
    assert notes == []


def test_without_unit_and_rate_it_is_cmus(tmp_path):
    write_archive(tmp_path / "a.npz", unit=None, rate=None)
    motion = read_clip_archive(tmp_path / "a.npz")["one"]
    assert motion.rate == 15.0
    assert motion.skeleton.anatomy.height < 0.2  # metres taken for CMU's units


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clips": np.array(["one"])}, r"`starts` and `clips` of one shape"),
        ({"clips": np.array([], str), "starts": np.array([], int)}, "of one shape"),
        ({"starts": np.array([8, 0])}, "Expected `starts` to rise from 0"),
        ({"starts": np.array([0, 99])}, "to less than the 20 frames"),
        ({"angles": np.array(3.0)}, r"Expected `angles` of shape \(F, "),
        ({"unit": "m"}, "Expected finite numbers in `unit`"),
        ({"unit": -1.0}, "Expected one positive number as `unit`, got -1.0"),
        ({"rate": np.nan}, "Expected finite numbers in `rate`"),
        ({"offsets": np.array([["a", "b", "c"]])}, "Expected finite numbers in `offsets`"),
    ],
)
def test_arrays_that_are_none_of_a_pack_are_refused(tmp_path, changes, message):
    write_archive(tmp_path / "odd.npz", **changes)
    with pytest.raises(FormatError, match=message):
        read_clip_archive(tmp_path / "odd.npz")


def test_clips_that_are_too_short_are_told_of(tmp_path):
    write_archive(tmp_path / "subject_007.npz", starts=np.array([0, 18]))
    found, notes = read_subjects(tmp_path)
    assert [len(motion) for motion in found["7"]] == [18]
    assert notes == ["subject_007.npz: left out: 1 clips of fewer than 3 frames"]


def test_what_is_no_pack_is_refused(tmp_path):
    write_archive(tmp_path / "short.npz", root=None)
    assert not is_clip_archive(tmp_path / "short.npz")
    with pytest.raises(FormatError, match="got none named root"):
        read_clip_archive(tmp_path / "short.npz")
    write_archive(tmp_path / "odd.npz", angles=np.zeros((20, 5), np.int16))
    with pytest.raises(FormatError, match="Expected `angles` of shape"):
        read_clip_archive(tmp_path / "odd.npz")
    (tmp_path / "text.npz").write_text("no archive")
    assert not is_clip_archive(tmp_path / "text.npz")
    with pytest.raises(FormatError, match="Expected an NPZ file"):
        read_clip_archive(tmp_path / "text.npz")


def test_a_folder_without_people_is_refused(tmp_path):
    write_archive(tmp_path / "chain.npz", names=np.array([f"j{k}" for k in range(34)]))
    with pytest.raises(InputError, match="found none that can be used"):
        read_subjects(tmp_path)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("subject_002.npz", "2"),
        ("13_29_jumps.bvh", "13"),
        ("01_03.bvh", "1"),
        ("anna_walk.bvh", "anna"),
    ],
)
def test_files_say_whose_they_are(file, name):
    assert subject_name(Path(file)) == name
