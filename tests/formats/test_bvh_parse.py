from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import FormatError, located
from sixpoint.formats import bvh_read
from sixpoint.formats.bvh_read import parse_bvh

from .samples import BVH, HEADER, MOTION


def parse(text, **options):
    with located("a.bvh"):
        return parse_bvh(text.encode() if isinstance(text, str) else text, **options)


def same(text):
    """The file reads like the plain one."""
    one, two = parse(BVH), parse(text)
    assert one.names == two.names
    assert one.parents == two.parents
    assert one.channels == two.channels
    assert one.frame_time == two.frame_time
    for field in ("offsets", "site_offsets", "values"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
    return two


def test_plain_file():
    text = parse(BVH)
    assert text.names == ("Hips", "Spine")
    assert text.parents == (-1, 0)
    assert text.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert text.site_parents == (1,)
    assert text.values.shape == (2, 9)
    assert text.values[1, 8] == 61.0
    assert text.frame_time == 0.0333333
    assert text.notes == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace("\n", "\r\n", 7),
        lambda t: t.replace(" ", "\t"),
        lambda t: "\ufeff" + t,
        lambda t: t.encode("utf-16"),
        lambda t: " ".join(t.split()),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: t.replace("ROOT", "Root").replace("JOINT", "joint").replace("OFFSET", "offset"),
        lambda t: t.replace("rotation", "ROTATION").replace("CHANNELS", "Channels"),
        lambda t: t.replace("HIERARCHY", "hierarchy").replace("MOTION", "Motion"),
        lambda t: t.replace("End Site", "END SITE"),
        lambda t: t.replace("End Site", "EndSite"),
        lambda t: t.replace("\n{", "{"),
        lambda t: t.replace("Frames: 2", "Frames:2"),
        lambda t: t.replace("Frames: 2", "Frames : 2"),
        lambda t: t.replace("Frames: 2", "frames 2"),
        lambda t: t.replace("Frame Time:", "FRAME  TIME :"),
        lambda t: t.replace("Frame Time:", "FrameTime:\t"),
        lambda t: t.replace("MOTION\n", "MOTION\n\n"),
        lambda t: t.replace("Frames: 2\nFrame Time: 0.0333333", "Frame Time: 0.0333333\nFrames: 2"),
        lambda t: t.replace("0.0333333", "3.33333e-2"),
        lambda t: t.replace("OFFSET 0 10 0", "OFFSET -0 1.0E+001 .0"),
        lambda t: t.replace("OFFSET 0 5 0", "OFFSET 0 5 0 CHANNELS 0"),
        lambda t: t.rstrip(),
    ],
)
def test_spelling_does_not_matter(change):
    assert same(change(BVH)).notes == ()


def test_channels_may_stand_before_the_offset():
    same(BVH.replace("OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation",
                     "CHANNELS 3 Zrotation Xrotation Yrotation OFFSET 0 10 0"))  # fmt: skip


@pytest.mark.parametrize("name", ["mixamorig:Hips", "Left Up Leg", "Hüfte", "MOTION", "a.L", "End"])
def test_names_may_hold_anything_but_braces(name):
    assert parse(BVH.replace("Spine", name)).names[1] == name


def test_a_joint_may_have_no_channels_and_no_name():
    channels = "    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    text = BVH.replace("JOINT Spine", "JOINT").replace(channels, "")
    text = parse(text.replace(" 40 50 60", "").replace(" 41 51 61", ""))
    assert text.names == ("Hips", "joint_1")
    assert text.channels[1] == ()


def test_several_roots():
    second = HEADER.removeprefix("HIERARCHY").replace("Hips", "Hips2")
    row = "1 2 3 10 20 30 40 50 60 "
    text = parse(HEADER + second + f"MOTION Frames: 1 Frame Time: 0.1 {row}{row}")
    assert text.parents == (-1, 0, -1, 2)
    assert text.values.shape == (1, 18)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("HIERARCHY", "HIERARCHIE", 1, "Expected HIERARCHY, .* got 'HIERARCHIE'"),
        ("ROOT", "JOINT", 2, "Expected ROOT or MOTION, got 'JOINT'"),
        ("JOINT Spine", "ROOT Spine", 6, "Expected JOINT, .* got 'ROOT'"),
        ("JOINT Spine\n  {", "JOINT Spine\n  }", 7, "Expected a name and an opening brace"),
        ("OFFSET 0 10 0", "OFFSET 0 ten 0", 8, "three finite numbers after OFFSET, got 'ten'"),
        ("OFFSET 0 10 0", "OFFSET 0 nan 0", 8, "three finite numbers after OFFSET, got 'nan'"),
        ("OFFSET 0 10 0", "OFFSET 0 10", 9, "after OFFSET, got 'CHANNELS'"),
        ("OFFSET 0 10 0", "OFFSET 0 1 0 OFFSET 0 1 0", 8, "got 'OFFSET' a second time"),
        ("    OFFSET 0 10 0\n", "", 13, "Expected an OFFSET in joint 'Spine', got none"),
        ("OFFSET 0 5 0", "", 13, "Expected an OFFSET in an End Site, got none"),
        ("OFFSET 0 5 0", "JOINT x", 12, "Expected OFFSET in an End Site, got 'JOINT'"),
        ("CHANNELS 3", "CHANNELS 7", 9, "a number from 0 to 6, got '7'"),
        ("CHANNELS 3", "CHANNELS -1", 9, "a number from 0 to 6, got '-1'"),
        ("CHANNELS 3", "CHANNELS 4", 10, "No channel 'End'; there are Xposition, .*Zrotation"),
        ("CHANNELS 3", "CHANNELS 2", 9, "Expected JOINT, .* got 'Yrotation'"),
        ("Yposition", "Xposition", 5, "Expected each position channel once, got Xposition twice"),
        ("Yposition", "Zrotation", 5, "at most three rotation channels"),
        ("MOTION", "", 17, "Expected ROOT or MOTION, got 'Frames:'"),
        ("Frames: 2", "Frames: two", 18, "'Frames:' and a whole number, got 'two'"),
        ("Frames: 2", "Frames: -2", 18, "'Frames:' and a whole number, got '-2'"),
        ("Frames: 2", "", 18, "Expected 'Frames:' and a number after MOTION"),
        ("Frame Time: 0.0333333", "", 17, "Expected 'Frame Time:' and seconds after MOTION"),
        ("Frame Time: 0.0333333", "Frames: 2", 17, "Expected 'Frame Time:' .*got another 'Frames'"),
        ("0.0333333", "-1", 18, "'Frame Time:' and seconds, got '-1'"),
        ("0.0333333", "nan", 18, "'Frame Time:' and seconds, got 'nan'"),
        ("4 5 6", "4 five 6", 20, "Expected a finite number, got 'five'"),
        ("4 5 6", "4 NaN 6", 20, "Expected a finite number, got 'NaN'"),
        ("4 5 6", "4 1.#INF 6", 20, "Expected a finite number, got '1.#INF'"),
        ("4 5 6", "4 1e300 6", 20, "Expected a finite number, got '1e300'"),
        ("4 5 6", "4 5,5 6", 20, "Expected a finite number, got '5,5'"),
        ("31 41", "", 18, "Expected 2 frames of 9 numbers .* got 1 rows and 7 of 9 numbers"),
        ("Frames: 2", "Frames: 3", 18, "Expected 3 frames of 9 numbers .* got 2 rows"),
        ("Frames: 2", "Frames: 1000000000", 18, "Expected 1000000000 frames .* got 2 rows"),
        ("Frames: 2", "Frames: 0", 18, "Expected at least one frame, got none"),
    ],
)  # fmt: skip
def test_errors_name_the_line(old, new, line, message):
    assert old in BVH
    with pytest.raises(FormatError, match=message) as caught:
        parse(BVH.replace(old, new, 1) if old != "CHANNELS 3" else BVH.replace(old, new))
    assert caught.value.line == line
    assert caught.value.path == "a.bvh"


@pytest.mark.parametrize("cut", range(0, len(BVH) - 4, 7))
def test_a_file_cut_anywhere_is_an_error(cut):
    with pytest.raises(FormatError):
        parse(BVH[:cut])


def test_lenient_reads_the_whole_rows():
    text = parse(BVH.replace("Frames: 2", "Frames: 9").replace("51 61", "51"), lenient=True)
    assert text.values.shape == (1, 9)
    assert text.notes == (
        "the file says 9 frames and has 1 rows and 8 of 9 numbers of another: "
        "the whole rows were read",
    )


def test_lenient_reads_a_skeleton_without_frames():
    assert parse(HEADER + "MOTION Frames: 0 Frame Time: 0.1", lenient=True).values.shape == (0, 9)


def test_rows_beyond_the_count_are_noted():
    text = parse(BVH.replace("Frames: 2", "Frames: 1"))
    assert text.values.shape == (1, 9)
    assert "says 1 frames and has more numbers" in text.notes[0]


def test_no_channels_is_an_error_however_many_frames_are_claimed():
    text = "HIERARCHY ROOT a { OFFSET 0 0 0 } MOTION Frames: 1000000000 Frame Time: 0.1"
    with pytest.raises(FormatError, match="at least one channel"):
        parse(text)


def test_no_root():
    with pytest.raises(FormatError, match="Expected a ROOT before MOTION"):
        parse("HIERARCHY MOTION Frames: 1 Frame Time: 0.1 1")


def test_too_many_joints_or_sites(monkeypatch):
    monkeypatch.setattr(bvh_read, "MAX_JOINTS", 2)
    joint = "JOINT a { OFFSET 0 0 0 } "
    site = "End Site { OFFSET 0 0 0 } "
    for many, message in ((joint * 2, "at most 2 joints"), (site * 3, "at most 2 End Sites")):
        with pytest.raises(FormatError, match=message):
            parse("HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Zrotation " + many + "}" + MOTION)


def test_a_tiny_file_cannot_ask_for_a_huge_body():
    joints = "JOINT a { OFFSET 0 1 0 } " * 1000
    head = "HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 1 Zrotation " + joints + "}"
    with pytest.raises(FormatError, match="too large for what it holds"):
        parse(head + "MOTION Frames: 5000 Frame Time: 1 " + "0 " * 5000)


@pytest.mark.parametrize(
    "text",
    [
        "HIERARCHY ROOT " + "a " * 300_000,
        "HIERARCHY ROOT " + "a" * 1_000_000,
        "HIERARCHY ROOT a " + "{" * 1_000_000,
        HEADER + "MOTION Frames" + " " * 500_000 + "::",
        HEADER + "MOTION Frames: 1 Frame Time: 1 " + "1" * 500_000,
        HEADER + "MOTION Frames: 1 Frame Time: 1 " + "1 " * 500_000 + "x",
        HEADER + "MOTION Frames: 1 Frame Time: 1 " + "\n" * 500_000 + "x",
    ],
    ids=["words", "word", "braces", "spaces", "digits", "numbers", "lines"],
)
def test_monsters_are_refused_quickly(text):
    with pytest.raises(FormatError) as caught:
        parse(text)
    assert len(str(caught.value)) < 300
