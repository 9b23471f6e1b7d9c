"""Settings of mass-spring IK from mappings and from text, and those of the wrong kind."""

from __future__ import annotations

import pytest

from sixpoint.errors import InputError
from sixpoint.solvers import SpringPositionSolver


def test_masses_are_read_from_mappings_and_from_text():
    expected = (("a:b", 2.0), ("c", 0.9))
    for given in (expected, {"a:b": 2, "c": 0.9}, "a:b:2, c:0.9", [["a:b", 2], ["c", 0.9]]):
        assert SpringPositionSolver(masses=given).masses == expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"masses": "LeftArm:-2"}, r"`masses\['LeftArm'\]` > 0, got -2"),
        ({"masses": "LeftArm"}, "`masses` as joints with numbers, such as .*; got 'LeftArm'"),
        ({"masses": "LeftArm:heavy"}, "`masses` as joints with numbers"),
        ({"masses": ":2"}, "`masses` as joints with numbers"),
        ({"masses": {"joint_1": "x"}}, "`masses` as joints with numbers"),
        ({"masses": 3.0}, "`masses` as joints with numbers"),
        ({"masses": {"joint_1": float("nan")}}, r"`masses\['joint_1'\]` > 0, got nan"),
        ({"stiffness": "stiff"}, "`stiffness` to be a number, got 'stiff'"),
        ({"step": "fast"}, "`step` to be a number, got 'fast'"),
        ({"mass": None}, "`mass` to be a number, got None"),
        ({"sweeps": "many"}, "`sweeps` to be a whole number, got 'many'"),
    ],
    ids=str,
)
def test_settings_of_the_wrong_kind_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SpringPositionSolver(**settings)
