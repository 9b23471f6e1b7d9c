from __future__ import annotations

import json

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import FormatError, InputError, UnknownName
from sixpoint.limits import FlexionLimit, RoleLimits, SwingTwistLimit, adult_limits
from sixpoint.limits.adult import LIMBS, SPINE
from sixpoint.limits.by_role import ROLES, is_by_role, recorded, scaled

RANGES = recorded()


@pytest.fixture(scope="module")
def body():
    return sp.Skeleton.humanoid()


def test_recorded_limits_cover_every_joint_that_adult_limits_do(body):
    adult, found = adult_limits(body), sp.recorded_limits(body)
    assert set(found) == set(adult)
    assert found.roles == adult.roles
    for name, role in found.roles.items():
        same = found[name] == adult[name]
        assert same == ("clavicle" in role), name


def test_recorded_ranges_say_where_they_come_from():
    said = RANGES.provenance
    assert said["people"] == len(said["names"]) == 68
    assert not set(said["names"]) & set(said["left_out"])
    assert "--by-role" in said["command"]
    assert set(RANGES.roles) == set(ROLES) - {"l_clavicle"}


def test_sides_mirror_each_other(body):
    limits = sp.recorded_limits(body)
    mirrored = limits.mirror(body)
    for name in limits:
        if not name.startswith(("l_", "r_")):
            continue
        assert mirrored[name] == limits[name], name


def test_the_spine_is_its_own_mirror_image(body):
    limits = sp.recorded_limits(body)
    rng = np.random.default_rng(0)
    for name, role in limits.roles.items():
        if role in (*SPINE, "head"):
            q = limits[name].sample(rng, 200)
            np.testing.assert_allclose(
                limits[name].violation(q * (1.0, 1.0, -1.0, -1.0)), 0.0, atol=1e-6
            )


@pytest.mark.parametrize("joints", [1, 2, 4])
def test_joints_of_a_region_share_its_range(joints):
    whole = RANGES.roles["lumbar"]
    assert isinstance(whole, SwingTwistLimit)
    part = scaled(whole, 1.0 / joints)
    np.testing.assert_allclose(joints * np.array(part.amplitudes), whole.amplitudes, rtol=1e-9)
    np.testing.assert_allclose(joints * np.array(part.twist), whole.twist, rtol=1e-9)


def test_recorded_limits_are_wider_where_people_were_held_back(body):
    limits = sp.recorded_limits(body)
    assert np.degrees(limits["l_knee"].high) > 150.0
    assert np.degrees(limits["l_elbow"].low) < -150.0
    assert limits["l_knee"].low == limits["l_elbow"].high == 0.0


def test_a_file_gives_back_what_was_saved(tmp_path, body):
    RANGES.save(tmp_path / "a.json")
    back = RoleLimits.load(tmp_path / "a.json")
    assert back.roles == RANGES.roles
    assert dict(back.provenance) == dict(RANGES.provenance)
    assert dict(back.limits(body)) == dict(sp.recorded_limits(body))
    assert is_by_role(tmp_path / "a.json")
    adult_limits(body).save(tmp_path / "b.json")
    assert not is_by_role(tmp_path / "b.json")
    assert not is_by_role(tmp_path / "none.json")


def test_roles_without_a_range_have_that_of_adults(body):
    some = RoleLimits({"l_knee": FlexionLimit.degrees(0.0, 90.0)})
    limits = some.limits(body)
    assert np.degrees(limits["r_knee"].high) == pytest.approx(90.0)
    assert limits["l_hip"] == LIMBS["hip"].limit()


def test_ranges_that_make_no_sense_are_refused():
    with pytest.raises(UnknownName, match="role with limits 'r_knee'"):
        RoleLimits({"r_knee": FlexionLimit.degrees(0.0, 90.0)})
    with pytest.raises(InputError, match="swing-twist limit of the lumbar spine"):
        RoleLimits({"lumbar": FlexionLimit.degrees(0.0, 90.0)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"format": "sixpoint limits"},
            "`format` 'sixpoint limits by role', got 'sixpoint limits'",
        ),
        ({"version": 2}, "`version` 1, got 2"),
        ({"angles": "radians"}, "`angles` 'degrees', got 'radians'"),
        ({"roles": [1]}, "`roles` to map names to limits"),
        ({"roles": {"l_knee": 3}}, "Role 'l_knee': expected the fields of a limit, got 3"),
        ({"roles": {"l_knee": {"kind": "flexion"}}}, "Role 'l_knee'"),
        ({"roles": {"l_nose": {"kind": "fixed", "rotation": [1, 0, 0, 0]}}}, "l_nose"),
        ({"colour": "red"}, "field of a file of limits: 'colour'"),
    ],
)
def test_files_that_make_no_sense_are_refused(tmp_path, change, message):
    path = tmp_path / "a.json"
    RANGES.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError, match=message) as caught:
        RoleLimits.load(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"{", b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_files_that_are_no_json_are_refused(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        RoleLimits.load(path)
    with pytest.raises(FormatError, match="cannot be read"):
        RoleLimits.load(tmp_path / "none.json")
