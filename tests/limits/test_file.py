from __future__ import annotations

import json
import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.body import Skeleton
from sixpoint.errors import CannotWrite, FormatError, InputError, UnknownName
from sixpoint.limits import FixedLimit, FlexionLimit, JointLimit, Limits, adult_limits
from sixpoint.limits.collection import limits_text, parse_limits


@pytest.fixture(scope="module")
def limits() -> Limits:
    return adult_limits(Skeleton.humanoid())


def test_what_is_saved_is_loaded(limits, tmp_path):
    path = tmp_path / "limits.json"
    limits.save(path)
    again = Limits.load(path)
    assert again == limits
    assert again.roles == limits.roles
    assert list(again) == list(limits)
    assert [p.name for p in tmp_path.iterdir()] == ["limits.json"]


def test_any_numbers_survive_to_the_bit():
    rng = np.random.default_rng(3)
    axis = rng.normal(size=3)
    odd = Limits(
        {"a b": FlexionLimit(-1.0 / 3.0, math.e / 3.0, tuple(axis / np.linalg.norm(axis)))}
    )
    assert parse_limits(limits_text(odd)) == odd


def test_the_file_is_made_for_people(limits):
    text = limits_text(limits)
    data = json.loads(text)
    assert data["format"] == "sixpoint limits"
    assert data["angles"] == "degrees"
    assert data["joints"]["l_elbow"] == {
        "role": "l_elbow",
        "type": "hinge",
        "kind": "flexion",
        "axis": [1.0, 0.0, 0.0],
        "low": -145.0,
        "high": 0.0,
    }
    assert '      "boundary": [[-180.0, 50.0], [-90.0, 30.0], [0.0, 180.0], [90.0' in text


def test_no_limits_are_a_file_too():
    assert parse_limits(limits_text(Limits())) == Limits()


def entry(**fields) -> str:
    return json.dumps(
        {
            "format": "sixpoint limits",
            "version": 1,
            "angles": "degrees",
            "joints": {
                "l_knee": {"kind": "flexion", "axis": [1, 0, 0], "low": 0, "high": 9} | fields
            },
        }
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "Expected a JSON object with `format` 'sixpoint limits', got None"),
        ('{"format": "bvh"}', "got 'bvh'"),
        ('{"format": "sixpoint limits", "version": 3}', "Expected `version` 2 or 1, got 3"),
        ('{"format": "sixpoint limits", "version": 1}', "Expected `angles` in 'degrees', got None"),
        (
            '{"format": "sixpoint limits", "version": 1, "angles": "degrees", "joints": []}',
            r"Expected `joints` to map names to limits, got \[\]",
        ),
        (entry().replace('{"kind"', '3, "x": {"kind"'), "Joint 'l_knee': expected the fields of"),
        (entry(type="cone"), "Joint 'l_knee': No type of joint 'cone'. .* fixed, hinge, ball"),
        (entry(type="ball"), "Joint 'l_knee': Expected `type` 'hinge' .* 'flexion', got 'ball'"),
        (entry(role=5), "Joint 'l_knee': Expected text in `role`, got 5"),
        (entry().replace("1,", "1.0,", 1), r"Expected `version` 2 or 1, got 1\.0"),
        (entry().replace('"joints"', '"joint": 1, "joints"'), "No field of a file .*: 'joint'"),
        (
            entry(also={"cone": {"kind": "fixed"}}),
            "Joint 'l_knee': No family of limits in `also`: 'cone'. .* swing_twist, zyz",
        ),
        (entry(also=3), "Joint 'l_knee': expected `also` to map families to limits, got 3"),
        (entry(also={"xyz": 3}), "Joint 'l_knee': expected the fields .* `also.xyz`, got 3"),
        (
            entry(also={"xyz": {"kind": "flexion", "axis": [1, 0, 0], "low": 3, "high": 2}}),
            "Joint 'l_knee': in `also.xyz`: Expected low <= high .* got 3 and 2",
        ),
        (entry(kind="ball"), "Joint 'l_knee': No kind of limit 'ball'. .* 4: euler_box, fixed"),
        (entry(high=None), "Joint 'l_knee': Expected a finite number in `high`, got None"),
        (entry(low=20), "Joint 'l_knee': Expected low <= high .* in `low, high`, got 20 and 9"),
        (entry(axis=[1, 1, 0]), "Joint 'l_knee': Expected a unit vector in `axis`"),
        (entry(swing=3), "Joint 'l_knee': No field of a limit of kind 'flexion': 'swing'"),
        (entry(low=math.nan), "Expected finite numbers, got NaN"),
        (entry().replace('"low"', '"high"'), "Expected every name once, got 'high' twice"),
    ],
)
def test_wrong_files_say_what_is_wrong(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        parse_limits(text)
    path = tmp_path / "limits.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=f"limits.json: .*{message}"):
        Limits.load(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{\n nothing", "limits.json:2: expected JSON: Expecting property name"),
        (b"", "expected JSON: Expecting value"),
        (b"\xff\xfe\x00", "expected JSON text, got binary data"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "limits.json: Exceeds the limit"),
    ],
)
def test_other_files_are_refused(content, message, tmp_path):
    path = tmp_path / "limits.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        Limits.load(path)


def test_unknown_families_are_refused(limits, tmp_path):
    limits.save(tmp_path / "limits.json")
    with pytest.raises(UnknownName, match="No family of limits 'nonsense'"):
        Limits.load(tmp_path / "limits.json", family="nonsense")


def test_missing_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"nowhere\.json: cannot be read: No such file"):
        Limits.load(tmp_path / "nowhere.json")


@pytest.mark.parametrize("name", ["none/limits.json", "."])
def test_files_that_cannot_be_written_leave_nothing(limits, tmp_path, name):
    with pytest.raises(CannotWrite, match="cannot be written"):
        limits.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_links_are_followed(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    Limits({"a": FixedLimit()}).save(link)
    assert link.is_symlink()
    assert Limits.load(real) == Limits({"a": FixedLimit()})


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "axis",
                "low",
                "high",
                "bone",
                "e1",
                "e2",
                "boundary",
                "twist",
                "spline",
                "order",
                "intervals",
                "before",
                "after",
                "reference",
                "rotation",
            ]
        ),
        json_values,
    ),
    st.sampled_from(sorted(JointLimit.kinds)),
)
def test_any_fields_give_a_limit_or_an_input_error(fields, kind):
    with suppress(InputError):
        assert JointLimit.from_dict({"kind": kind, **fields}).kind == kind
