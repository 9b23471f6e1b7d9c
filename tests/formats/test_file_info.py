from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import FormatError
from sixpoint.formats import inspect, save, save_points
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.motion.points import Points

from .samples import AMC, ASF, BVH, standing_person


def look(tmp_path, motion, **options):
    save(motion, tmp_path / "a.bvh")
    return inspect(tmp_path / "a.bvh", **options)


def test_a_sound_file_has_no_problems(tmp_path):
    person = standing_person(frames=30)
    info = look(tmp_path, person)
    assert info.problems == ()
    assert info.format == "bvh"
    assert info.holds == "motion"
    assert info.joints == 34
    assert info.sites == 9
    assert info.roles["l_wrist"] == "l_wrist"
    assert info.scheme
    assert (info.frames, info.rate, info.duration) == (30, 60.0, 0.5)
    assert info.height == pytest.approx(1.75, abs=0.05)
    assert (info.unit, info.up) == (0.01, "y")
    assert any("guessed: unit cm" in note for note in info.notes)


def test_it_becomes_json(tmp_path):
    info = look(tmp_path, standing_person())
    again = json.loads(json.dumps(info.as_dict()))
    assert again["roles"]["head"] == "skullbase"
    assert again["problems"] == []


def cmu_like(offset):
    """Names of the conversion from CMU, with some bones of a given length."""
    parents = {
        "Hips": None, "LHipJoint": "Hips", "LowerBack": "Hips", "Spine": "LowerBack",
        "Neck": "Spine", "Neck1": "Neck", "LeftShoulder": "Spine", "LeftArm": "LeftShoulder",
        "LeftHand": "LeftArm", "LeftFingerBase": "LeftHand", "LThumb": "LeftHand",
    }  # fmt: skip
    names = list(parents)
    offsets = np.tile([0.0, 2.0, 0.0], (len(names), 1))
    for name in ("Neck", "LeftShoulder", "LeftFingerBase", "LThumb"):
        offsets[names.index(name), 1] = offset
    offsets[1:3] = 0.0
    body = Skeleton(names, [-1 if p is None else names.index(p) for p in parents.values()], offsets)
    return Motion(body, np.zeros((4, 3)), arrays.identity(4, len(names)), 120.0)


def test_bones_lost_from_cmu_are_named(tmp_path):
    lost = look(tmp_path, cmu_like(0.0)).problems
    assert "Neck, LeftShoulder, LeftFingerBase, LThumb have no offset" in lost[0]
    assert "use the original ASF/AMC" in lost[0]
    assert not any("no length" in problem for problem in lost)
    assert not any("CMU" in problem for problem in look(tmp_path, cmu_like(1.0)).problems)


def test_bones_without_length_are_counted_unless_they_lie_on_the_root(tmp_path):
    person = standing_person()
    offsets = person.skeleton.offsets.copy()
    offsets[person.skeleton.index("sacroiliac")] = 0.0
    offsets[person.skeleton.index("l_thumb2")] = 0.0
    info = look(tmp_path, replace(person, skeleton=replace(person.skeleton, offsets=offsets)))
    assert info.problems == ("1 bones have no length: l_thumb2",)


def test_an_extra_first_frame_is_seen(tmp_path):
    person = standing_person(frames=1)
    moving = np.repeat(person.rotations, 20, axis=0)
    turn = arrays.from_axis_angle((1.0, 0.0, 0.0), 0.4 + 0.01 * np.arange(20.0))
    moving = arrays.multiply(moving, turn[:, None])
    still = arrays.identity(1, 34)
    body, root = person.skeleton, np.tile(person.root, (21, 1))
    with_frame = Motion(body, root, np.concatenate([still, moving]), 60.0)
    info = look(tmp_path, with_frame)
    assert any("first frame is a T-pose" in problem for problem in info.problems)
    without = look(tmp_path, with_frame.frames(slice(1, None)))
    assert not any("T-pose" in problem for problem in without.problems)


def test_a_start_from_rest_is_no_extra_frame(tmp_path):
    person = standing_person(frames=1)
    turn = arrays.from_axis_angle((1.0, 0.0, 0.0), 0.02 * np.arange(30.0))
    rotations = np.repeat(turn[:, None], 34, axis=1)
    motion = Motion(person.skeleton, np.tile(person.root, (30, 1)), rotations, 60.0)
    assert not any("T-pose" in problem for problem in look(tmp_path, motion).problems)


@pytest.mark.parametrize(("joint", "seen"), [("l_elbow", True), ("l_thumb1", False)])
def test_sudden_turns_of_the_body_are_counted(tmp_path, joint, seen):
    person = standing_person(frames=20)
    rotations = np.tile(person.rotations[:1], (20, 1, 1))
    flip = arrays.from_axis_angle((1.0, 0.0, 0.0), 1.5)
    at = person.skeleton.index(joint)
    rotations[12:, at] = arrays.multiply(rotations[12:, at], flip)
    problems = look(tmp_path, replace(person, rotations=rotations)).problems
    expected = (
        "1 sudden turns of more than 45 degrees between two frames, first of l_elbow at frame 12"
    )
    assert problems == ((expected,) if seen else ())


@pytest.mark.parametrize("rate", [2.0, 5000.0])
def test_unusual_rates_are_doubted(tmp_path, rate):
    info = look(tmp_path, replace(standing_person(), rate=rate))
    assert info.problems == (f"{rate:g} frames a second is unusual: give the rate if you know it",)


def test_a_stature_that_is_not_human(tmp_path):
    info = look(tmp_path, standing_person(), unit=1.0)
    assert "a stature of 17" in info.problems[0]


def test_rigs_that_are_no_humans_say_so(tmp_path):
    (tmp_path / "a.bvh").write_text(BVH)
    info = inspect(tmp_path / "a.bvh")
    assert info.roles is None
    assert info.height is None
    assert any("no human recognised" in problem for problem in info.problems)
    assert all("\n" not in problem for problem in info.problems)


def test_defects_found_by_the_reader_are_problems(tmp_path):
    (tmp_path / "a.bvh").write_text(BVH.replace("Frames: 2", "Frames: 7").replace("Spine", "Hips"))
    problems = inspect(tmp_path / "a.bvh").problems
    assert any("says 7 frames and has 2 rows" in problem for problem in problems)
    assert any("more than once were numbered: Hips" in problem for problem in problems)


def test_a_file_without_frames(tmp_path):
    save(standing_person().frames(slice(0, 0)), tmp_path / "a.bvh")
    assert "there are no frames" in inspect(tmp_path / "a.bvh").problems


def test_other_formats(tmp_path):
    (tmp_path / "07.asf").write_text(ASF)
    (tmp_path / "07_01.amc").write_text(AMC)
    assert inspect(tmp_path / "07_01.amc").format == "amc"
    assert inspect(tmp_path / "07.asf").frames == 1
    save(standing_person(), tmp_path / "a.npz")
    info = inspect(tmp_path / "a.npz")
    assert (info.format, info.holds) == ("npz", "motion")


@pytest.mark.parametrize("suffix", ["npz", "csv"])
def test_points(tmp_path, suffix):
    positions = np.zeros((4, 2, 3))
    positions[0, 1] = np.nan
    save_points(Points(("pelvis", "head"), positions, 50.0), tmp_path / f"a.{suffix}")
    info = inspect(tmp_path / f"a.{suffix}")
    assert (info.format, info.holds, info.joints, info.frames) == (suffix, "points", 2, 4)
    assert info.problems == (
        "head is not seen in 25.0% of the frames, at most for 0.02 s at a time",
        "not all of the six points are there; l_wrist, r_wrist, l_ankle, r_ankle missing",
    )


def test_what_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "a.csv").write_text("nothing")
    (tmp_path / "a.npz").write_text("nothing")
    for name in ("a.csv", "a.npz", "none.bvh"):
        with pytest.raises(FormatError):
            inspect(tmp_path / name)


@pytest.mark.parametrize(("claimed", "doubted"), [(60.0, False), (120.0, True)])
def test_nobody_falls_faster_than_gravity(tmp_path, claimed, doubted):
    times = np.arange(60) / 60.0
    jump = np.maximum(0.0, 2.5 * (times - 0.2) - 4.905 * (times - 0.2) ** 2)
    person = standing_person(frames=60)
    root = person.root + jump[:, None] * np.array((0.0, 1.0, 0.0))
    info = look(tmp_path, replace(person, root=root, rate=claimed))
    assert any("falls" in problem for problem in info.problems) == doubted
