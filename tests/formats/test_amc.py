from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sixpoint.errors import FormatError
from sixpoint.formats import load
from sixpoint.formats.amc import find_asf

from .samples import AMC, ASF


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "07.asf").write_text(ASF)
    return tmp_path


def read(folder, text=AMC, name="07_01.amc", **options):
    (folder / name).write_bytes(text.encode())
    return load(folder / name, **{"unit": 1.0, "up": "y", **options})


def turned(order, degrees):
    return Rotation.from_euler(order, degrees, degrees=True)


def test_forward_kinematics_of_the_stick_figure(folder):
    motion = read(folder)
    assert len(motion) == 2
    at = dict(zip(motion.skeleton.node_names, motion.positions()[0], strict=True))
    root = turned("xyz", [10, 20, 30])  # about fixed axes, X first
    trunk = root * turned("xyz", [5, 6, 7])
    frame = turned("xyz", [90, 0, 20])
    arm = trunk * frame * turned("z", [40]) * frame.inv()
    np.testing.assert_allclose(at["root"], [1, 2, 3])
    np.testing.assert_allclose(at["arm"], at["root"] + trunk.apply([0, 10, 0]))
    np.testing.assert_allclose(at["arm_end"], at["arm"] + arm.apply([5, 0, 0]).ravel())
    np.testing.assert_allclose(at["leg_end"], at["root"] + root.apply([0, -8, 0]))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace(" ", "\t"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace(":FULLY-SPECIFIED\n", ""),
        lambda t: t.replace("1\nroot", "1\n\nroot"),
        lambda t: t.replace("trunk 5 6 7\narm 40", "arm 40\ntrunk 5 6 7"),
        lambda t: t.replace("root 1.5", "# words\nroot 1.5"),
        lambda t: t.replace("arm 41", "arm 4.1e+001"),
        lambda t: t.replace("\n1\n", "\n17\n").replace("\n2\n", "\n18\n"),
    ],
)
def test_spelling_does_not_matter(folder, change):
    np.testing.assert_array_equal(read(folder, change(AMC)).rotations, read(folder).rotations)


def test_radians(folder):
    text = AMC.replace(":DEGREES", ":RADIANS").replace("arm 40", "arm 0.5")
    motion = read(folder, text)
    frame = turned("xyz", [90, 0, 20])
    expected = (frame * Rotation.from_euler("z", 0.5) * frame.inv()).as_quat(scalar_first=True)
    np.testing.assert_allclose(np.abs(motion.rotations[0, 2] @ expected), 1.0)


def test_a_bone_missing_in_a_frame_keeps_its_value(folder):
    text = AMC.replace("trunk 6 7 8\n", "") + "3\nroot 1 2 3 4 5 6\ntrunk 1 2 3\narm 4\n"
    motion = read(folder, text)
    np.testing.assert_array_equal(motion.rotations[1, 1], motion.rotations[0, 1])
    assert any("missing in some frames kept their value: trunk" in n for n in motion.source.notes)


def test_the_rate_is_assumed_and_can_be_given(folder):
    motion = read(folder)
    assert motion.rate == 120.0
    assert "guessed: 120 frames a second, because the file does not say" in motion.source.notes
    assert read(folder, rate=60.0).rate == 60.0


def test_lengths_are_divided_by_the_unit(folder):
    motion = read(folder, unit="auto")
    assert motion.source.unit in (pytest.approx(1.0 / 0.45), pytest.approx(0.01 / 0.45))
    assert any("/ 0.45" in note for note in motion.source.notes)


def test_hinges_survive(folder):
    assert set(read(folder).skeleton.hinges) == {"arm"}


def test_a_skeleton_alone_is_one_frame(folder):
    motion = load(folder / "07.asf", unit=1.0)
    assert len(motion) == 1
    np.testing.assert_array_equal(motion.rotations[..., 0], 1.0)


def test_slides_and_lengths_are_ignored_with_a_note(folder):
    (folder / "07.asf").write_text(ASF.replace("dof rz", "dof rz l").replace("(-10.0 170.0)", ""))
    text = AMC.replace("arm 40", "arm 40 1").replace("arm 41", "arm 41 1")
    assert any("ignored: arm l" in note for note in read(folder, text).source.notes)


def test_the_skeleton_is_found_by_name(folder):
    (folder / "08.asf").write_text("not this")
    (folder / "7.ASF").write_text("nor this")
    assert find_asf(folder / "07_01_walk.amc").name == "07.asf"
    assert find_asf(folder / "07.amc").name == "07.asf"
    assert find_asf(folder / "7_1.amc").name == "7.ASF"


def test_the_only_skeleton_is_taken(folder):
    assert find_asf(folder / "walking.amc").name == "07.asf"


def test_the_skeleton_can_be_given(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("amc")
    assert len(read(elsewhere, skeleton=folder / "07.asf")) == 2


def test_no_skeleton_is_an_error_that_says_what_to_do(tmp_path):
    with pytest.raises(FormatError, match=r"Expected a skeleton 07\.asf beside it, .* got none\."):
        read(tmp_path)
    (tmp_path / "a.asf").write_text(ASF)
    (tmp_path / "b.asf").write_text(ASF)
    with pytest.raises(FormatError, match=r"got a\.asf, b\.asf\. Give it as `skeleton`"):
        read(tmp_path)
    with pytest.raises(FormatError, match=r"none\.asf: Cannot be read"):
        read(tmp_path, skeleton=tmp_path / "none.asf")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\n1\n", "\none\n", None, "Expected the number of the first frame, got 'one'"),
        ("trunk 6 7 8", "body 6 7 8", 10, "No bone 'body' in the skeleton, which has 4"),
        ("trunk 6 7 8", "trunk 6 7", 10, "Expected 3 finite numbers for bone 'trunk', got '6 7'"),
        ("trunk 6 7 8", "trunk 6 7 nan", 10, "Expected 3 finite numbers for bone 'trunk'"),
        ("trunk 6 7 8", "trunk 6 7 8 9", 10, "Expected 3 finite numbers for bone 'trunk'"),
        ("arm 41", "trunk 1 2 3", 11, "for bone 'trunk', got it a second time"),
        ("arm 41\n", "", 10, "Expected all bones in the last frame, got 2 of 3; read leniently"),
        ("arm 41", "leg 1", 11, "Expected 0 finite numbers for bone 'leg', got '1'"),
    ],
)
def test_errors_name_the_line(folder, old, new, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        read(folder, AMC.replace(old, new))
    assert caught.value.line == line


@pytest.mark.parametrize("text", [":FULLY-SPECIFIED\n", "# nothing\n"])
def test_no_frames(folder, text):
    with pytest.raises(FormatError, match="Expected frames, got none"):
        read(folder, text)


@pytest.mark.parametrize("cut", [4, 9, 14])
def test_lenient_leaves_out_a_frame_that_is_cut_off(folder, cut):
    motion = read(folder, AMC[:-cut], lenient=True)
    assert len(motion) == 1
    assert "the last frame is cut off: left out" in motion.source.notes


def test_numbers_of_frames_may_not_be_words(folder):
    with pytest.raises(FormatError, match="No bone 'two' in the skeleton"):
        read(folder, AMC.replace("\n2\n", "\ntwo\n"))


def test_many_empty_frames_are_refused(folder):
    head = AMC[: AMC.index("2\n")]
    with pytest.raises(FormatError, match="Expected frames that list their bones"):
        read(folder, head + "2\n" * 600_000)


def test_blank_lines_take_no_time(folder):
    with pytest.raises(FormatError, match="Expected frames, got none"):
        read(folder, "\n" * 1_000_000 + "#")
