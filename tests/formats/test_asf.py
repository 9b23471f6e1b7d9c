from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sixpoint.errors import FormatError, located
from sixpoint.formats import asf
from sixpoint.formats.asf import fixed_axes, parse_asf, skeleton_of

from .samples import ASF


def parse(text=ASF):
    with located("a.asf"):
        return parse_asf(text.encode())


def test_the_stick_figure():
    text = parse()
    assert [bone.name for bone in text.bones] == ["root", "trunk", "arm", "leg"]
    assert text.parents == (-1, 0, 1, 0)
    assert text.length == 0.45
    assert text.degrees
    assert text.bones[0].dofs == ("tx", "ty", "tz", "rx", "ry", "rz")
    assert text.bones[1].limits == ((-20.0, 45.0), (-30.0, 30.0), (-np.inf, np.inf))
    assert text.bones[3].dofs == ()
    np.testing.assert_allclose(text.bones[3].end, [0, -8, 0])  # directions need not be unit
    expected = Rotation.from_euler("xyz", [90, 0, 20], degrees=True)  # about fixed axes
    np.testing.assert_allclose(text.bones[2].frame, expected.as_quat(scalar_first=True), atol=1e-12)


def test_a_joint_is_at_the_start_of_its_bone():
    body = skeleton_of(parse())
    at = body.rest()[0]
    np.testing.assert_allclose(at[body.index("trunk")], [0, 0, 0])
    np.testing.assert_allclose(at[body.index("arm")], [0, 10, 0])
    assert body.site_names == ("arm_end", "leg_end")
    np.testing.assert_allclose(at[body.index("arm_end")], [5, 10, 0])
    np.testing.assert_allclose(at[body.index("leg_end")], [0, -8, 0])


def test_a_single_axis_across_a_bone_is_a_hinge():
    z = Rotation.from_euler("xyz", [90, 0, 20], degrees=True).apply([0, 0, 1])
    assert skeleton_of(parse()).hinges == {"arm": pytest.approx(tuple(z))}


def test_a_hinge_bends_towards_its_wider_limit():
    z = Rotation.from_euler("xyz", [90, 0, 20], degrees=True).apply([0, 0, 1])
    text = ASF.replace("(-10.0 170.0)", "(-170.0 10.0)")
    assert skeleton_of(parse(text)).hinges["arm"] == pytest.approx(tuple(-z))


def test_a_single_axis_along_a_bone_is_a_twist():
    assert (
        skeleton_of(parse(ASF.replace("dof rz", "dof rx").replace("90 0 20", "0 0 0"))).hinges == {}
    )


@pytest.mark.parametrize("order", ["xyz", "zyx", "yzx"])
def test_fixed_axes_turn_in_the_order_listed(order):
    angles = np.radians([20.0, -30.0, 50.0])
    expected = Rotation.from_euler(order, angles).as_quat(scalar_first=True)
    np.testing.assert_allclose(fixed_axes(order.upper(), angles), expected, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace(":bonedata", ":BONEDATA").replace("TX TY TZ", "tx ty tz"),
        lambda t: t.replace("(-20.0 45.0)", "(-20.0, 45.0)"),
        lambda t: t.replace("    id 1", "    # a comment\n    id 1  # another"),
        lambda t: t.replace("XYZ", "xyz"),
    ],
)
def test_spelling_does_not_matter(change):
    plain, other = parse(), parse(change(ASF))
    assert [b.name for b in plain.bones] == [b.name for b in other.bones]
    assert [b.limits for b in plain.bones] == [b.limits for b in other.bones]
    assert [b.dofs for b in plain.bones] == [b.dofs for b in other.bones]


def test_radians():
    text = parse(ASF.replace("angle deg", "angle rad").replace("90 0 20", "1.5707963267949 0 0"))
    np.testing.assert_allclose(text.bones[2].frame, [0.5**0.5, 0.5**0.5, 0, 0], atol=1e-9)


def test_the_place_of_the_root_is_noted():
    text = parse(ASF.replace("position 0 0 0", "position 0 5 0"))
    assert text.notes == ("the root's own position and orientation are replaced by the motion's",)


def test_bones_outside_the_hierarchy_are_noted():
    text = parse(ASF.replace("root trunk leg", "root trunk"))
    assert text.notes == ("bones outside the hierarchy were left out: leg",)
    assert len(text.bones) == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# a stick figure", "stick", ":1: Expected an ASF section such as :units, got 'stick'"),
        ("length 0.45", "length 0", "Expected a positive length unit, got 0"),
        ("length 0.45", "length x", "Expected 1 finite numbers after length, got 'x'"),
        ("angle deg", "angle grad", "Expected angle deg or rad, got 'grad'"),
        ("order TX", "order TW", "Expected different ones of rx, .*, got 'tw'"),
        ("order TX", "order TY", "Expected different ones of rx, .*, got 'ty ty tz"),
        ("  axis XYZ", "  axis XYX", "Expected an axis order such as XYZ, got 'XYX'"),
        (
            "direction 0 1 0",
            "direction 0 1",
            "Expected 3 finite numbers after direction, got '0 1'",
        ),
        ("direction 0 1 0", "direction 0 nan 0", "Expected 3 finite numbers after direction"),
        ("length 10", "length inf", "Expected 1 finite numbers after length, got 'inf'"),
        ("dof rz", "dof rw", ":33: Expected different ones of rx, .*, got 'rw'"),
        ("(-10.0 170.0)", "(-10.0 many)", "Expected pairs of limits"),
        ("name arm", "name trunk", "Expected a bone with a name of its own, got 'trunk'"),
        ("name arm", "name root", "Expected a bone with a name of its own, got 'root'"),
        ("name arm", "", "Expected a bone with a name of its own, got ''"),
        ("name arm", "colour arm", "Expected a property of a bone, got 'colour'"),
        ("  begin\n    id 2", "    id 2", "Expected 'begin' of a bone, got 'id'"),
        ("trunk arm", "trunk hand", "No bone 'hand' in :bonedata"),
        ("trunk arm", "arm arm", "Bone 'arm' is not connected to the root"),
        ("trunk arm", "trunk trunk", "Bone 'trunk' has two parents"),
        ("trunk arm", "trunk arm leg", "Bone 'leg' has two parents"),
        ("trunk arm", "trunk root", "Bone 'root' has two parents"),
    ],
)
def test_errors_name_the_place(old, new, message):
    assert old in ASF
    with pytest.raises(FormatError, match=message) as caught:
        parse(ASF.replace(old, new, 1))
    assert caught.value.line


def test_no_bones():
    with pytest.raises(FormatError, match="Expected :bonedata and :hierarchy, got neither"):
        parse(":version 1.10\n")


def test_too_many_bones(monkeypatch):
    monkeypatch.setattr(asf, "MAX_JOINTS", 2)
    with pytest.raises(FormatError, match="at most 2 bones"):
        parse()
