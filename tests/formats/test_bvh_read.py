from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sixpoint.errors import FormatError, InputError
from sixpoint.formats.bvh_read import motion_of, parse_bvh, read_bvh

from .samples import BVH, bvh


def raw(data):
    """The motion in file units and axes."""
    return motion_of(parse_bvh(data if isinstance(data, bytes) else data.encode()))


def matrix(order, degrees):
    """Intrinsic rotations in the order listed."""
    return Rotation.from_euler(order, degrees, degrees=True).as_matrix()


def test_forward_kinematics_of_the_plain_file():
    motion = raw(BVH)
    hips = matrix("ZXY", [10, 20, 30])
    spine = hips @ matrix("ZXY", [40, 50, 60])
    at = motion.positions()[0]
    np.testing.assert_allclose(at[0], [1, 2, 3])
    np.testing.assert_allclose(at[1], at[0] + hips @ [0, 10, 0])
    np.testing.assert_allclose(at[2], at[1] + spine @ [0, 5, 0])
    assert motion.skeleton.site_names == ("Spine_end",)
    assert motion.source.channels is not None
    assert motion.rate == 30.0


@given(
    order=st.permutations("XYZ"),
    count=st.integers(0, 3),
    angles=st.lists(st.floats(-720, 720), min_size=3, max_size=3),
)
def test_rotations_apply_in_the_order_of_the_channels(order, count, angles):
    order, angles = "".join(order)[:count], angles[:count]
    channels = " ".join(f"{axis}rotation" for axis in order)
    hierarchy = (
        "ROOT r { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition "
        f"JOINT j {{ OFFSET 0 1 0 CHANNELS {count} {channels} }} }}"
    )
    motion = raw(bvh(hierarchy, " ".join(map(repr, [0.0, 0.0, 0.0, *angles]))))
    expected = matrix(order, angles) if order else np.eye(3)
    np.testing.assert_allclose(
        Rotation.from_quat(motion.rotations[0, 1], scalar_first=True).as_matrix(),
        expected.reshape(3, 3),
        atol=1e-12,
    )


def test_rotations_may_stand_before_positions():
    channels = "Zrotation Xrotation Yrotation Zposition Xposition Yposition"
    joint = "JOINT j { OFFSET 1 0 0 CHANNELS 0 }"
    motion = raw(bvh(f"ROOT r {{ OFFSET 9 9 9 CHANNELS 6 {channels} {joint} }}", "90 0 0 3 1 2"))
    np.testing.assert_allclose(motion.positions()[0], [[1, 2, 3], [1, 3, 3]], atol=1e-12)


def test_root_positions_replace_its_offset():
    motion = raw(bvh("ROOT r { OFFSET 5 6 7 CHANNELS 1 Yposition }", "1", "2"))
    np.testing.assert_array_equal(motion.root, [[5, 1, 7], [5, 2, 7]])


def test_a_root_without_positions_stands_at_its_offset():
    motion = raw(bvh("ROOT r { OFFSET 5 6 7 CHANNELS 1 Yrotation }", "1"))
    np.testing.assert_array_equal(motion.root, [[5, 6, 7]])


JOINT = (
    "JOINT {} {{ OFFSET {} CHANNELS 3 Xposition Yposition Zposition End Site {{ OFFSET 0 1 0 }} }}"
)


def test_constant_positions_are_folded_into_the_skeleton():
    hierarchy = "ROOT r { OFFSET 0 0 0 CHANNELS 1 Yrotation " + JOINT.format("j", "0 1 0") + "}"
    motion = raw(bvh(hierarchy, "0 0 2 1", "0 0 2 1.000001"))
    assert motion.translations is None
    np.testing.assert_allclose(motion.skeleton.offsets[1], [0, 2, 1], atol=1e-6)


def test_varying_positions_become_translations():
    hierarchy = "ROOT r { OFFSET 0 0 0 CHANNELS 1 Yrotation " + JOINT.format("j", "0 1 0") + "}"
    motion = raw(bvh(hierarchy, "0 0 2 1", "0 0 2 1.1"))
    assert motion.translations is not None
    np.testing.assert_allclose(motion.positions()[:, 1], [[0, 2, 1], [0, 2, 1.1]])
    np.testing.assert_array_equal(motion.skeleton.offsets[1], [0, 1, 0])
    assert "joints besides the root slide: j" in motion.source.notes


def test_positions_relative_to_the_offsets_are_added():
    joints = [JOINT.format(name, "0 1 0") for name in "abc"]
    motion = raw(bvh("ROOT r { OFFSET 0 9 0 CHANNELS 3 Xposition Yposition Zposition "
                     + " ".join(joints) + "}", "1 2 3 " + "0 0.01 0 " * 3))  # fmt: skip
    np.testing.assert_allclose(motion.skeleton.offsets[1:], [[0, 1.01, 0]] * 3)
    np.testing.assert_array_equal(motion.root, [[1, 2, 3]])
    assert any("relative to the OFFSETs" in note for note in motion.source.notes)


def test_one_pelvis_near_the_origin_is_not_taken_for_relative():
    hierarchy = "ROOT r { OFFSET 0 0 0 CHANNELS 1 Yrotation " + JOINT.format("j", "4 90 -427") + "}"
    motion = raw(bvh(hierarchy, "0 0 1 0", "0 0 2 0"))
    np.testing.assert_allclose(motion.positions()[:, 1], [[0, 1, 0], [0, 2, 0]])


def test_a_second_root_travels_too():
    root = "ROOT {} {{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition }} "
    motion = raw(bvh(root.format("a") + root.format("b"), "1 2 3 4 5 6", "1 2 3 7 8 9"))
    np.testing.assert_array_equal(motion.positions()[:, 1], [[4, 5, 6], [7, 8, 9]])


def test_equal_names_are_numbered_and_noted():
    joint = "JOINT a { OFFSET 0 1 0 End Site { OFFSET 0 1 0 } End Site { OFFSET 1 0 0 } } "
    motion = raw(bvh("ROOT a { OFFSET 0 0 0 CHANNELS 1 Yrotation " + joint * 2 + "}", "0"))
    assert motion.skeleton.names == ("a", "a_2", "a_3")
    assert motion.skeleton.site_names == ("a_2_end", "a_2_end_2", "a_3_end", "a_3_end_2")
    assert any("more than once were numbered: a, a" in note for note in motion.source.notes)


@pytest.mark.parametrize(
    ("time", "rate"),
    [("0.0083333", 120.0), ("0.033333", 30.0), ("0.041667", 24.0), ("0.0416667", 24.0),
     ("0.008", 125.0), ("0.0333667", 1 / 0.0333667), ("0.016683", 1 / 0.016683), ("2", 0.5)],
)  # fmt: skip
def test_rates_are_whole_where_the_frame_time_was_rounded(time, rate):
    motion = raw(bvh("ROOT r { OFFSET 0 0 0 CHANNELS 1 Yrotation }", "0", time=time))
    assert motion.rate == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize("time", ["0", "1e-9"])
def test_impossible_frame_times_are_noted(time):
    motion = raw(bvh("ROOT r { OFFSET 0 0 0 CHANNELS 1 Yrotation }", "0", time=time))
    assert motion.rate == 30.0
    assert any("impossible: 30 frames a second" in note for note in motion.source.notes)


def test_options_override_the_file(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text(BVH)
    motion = read_bvh(path, unit="inch", up="z", rate=50.0)
    assert motion.rate == 50.0
    assert motion.source.unit == 0.0254
    np.testing.assert_allclose(motion.root[0], 0.0254 * np.array([1, 3, -2]))
    assert motion.source.path == str(path)
    with pytest.raises(InputError, match="positive `rate`"):
        read_bvh(path, rate=-1.0)


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "broken.bvh"
    path.write_bytes(b"PK\x03\x04 not this")
    with pytest.raises(FormatError, match=r"broken\.bvh:1: Expected HIERARCHY"):
        read_bvh(path)


def test_lenient_takes_a_truncated_file(tmp_path):
    path = tmp_path / "cut.bvh"
    path.write_text(BVH[:-10])
    with pytest.raises(FormatError, match="2 frames of 9 numbers"):
        read_bvh(path)
    assert len(read_bvh(path, lenient=True)) == 1
