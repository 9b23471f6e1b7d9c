"""A body from the points of the built-in figure has the lengths of that figure."""

from __future__ import annotations

import numpy as np
import pytest

import sixpoint as sp
from rigs import still_motion
from sixpoint.body.humanoid import measure_lengths
from sixpoint.errors import InputError
from sixpoint.motion.points import Points
from sixpoint.subjects import measured_skeleton

LONG = {"upper_arm": 0.36, "forearm": 0.22, "thigh": 0.47, "calf": 0.40, "torso": 0.43,
        "neck": 0.16, "pelvis": 0.09, "torso_width": 0.45, "pelvis_width": 0.15}  # fmt: skip


def points_of(body):
    return still_motion(body).points(tuple(body.anatomy.roles.nodes))


@pytest.mark.parametrize("height", [1.2, 1.75, 2.0])
def test_usual_bodies_come_back(height):
    body = sp.Skeleton.humanoid(height)
    found = measure_lengths(measured_skeleton(points_of(body)))
    assert found == pytest.approx(measure_lengths(body), rel=1e-6)


def test_unusual_lengths_come_back():
    body = sp.Skeleton.humanoid(1.75, lengths=LONG)
    found = measure_lengths(measured_skeleton(points_of(body)))
    assert {name: found[name] for name in LONG} == pytest.approx(LONG, rel=1e-6)


def test_what_is_not_seen_follows_from_the_stature():
    body = sp.Skeleton.humanoid(1.6)
    legs = points_of(body).select(["l_hip", "l_knee", "l_ankle"])
    assert measure_lengths(measured_skeleton(legs)) == pytest.approx(measure_lengths(body))
    tall = measure_lengths(measured_skeleton(legs, height=1.9))
    assert tall["forearm"] == pytest.approx(0.146 * 1.9)
    assert tall["thigh"] == pytest.approx(0.245 * 1.6)


def test_lengths_that_nobody_has_are_not_believed():
    points = points_of(sp.Skeleton.humanoid())
    broken = points.positions.copy()
    broken[:, points.names.index("l_wrist")] += 3.0
    broken[:, points.names.index("r_wrist")] += 3.0
    found = measure_lengths(measured_skeleton(Points(points.names, broken, 60.0)))
    assert 0.15 < found["forearm"] < 0.4


def test_frames_in_which_nothing_was_seen_do_not_count():
    points = points_of(sp.Skeleton.humanoid(1.8))
    holes = points.positions.copy()
    holes[1:] = np.nan
    body = measured_skeleton(Points(points.names, holes, 60.0))
    assert body.anatomy.stature == pytest.approx(1.8, rel=1e-3)


def test_points_without_a_bone_are_no_body():
    points = sp.builtin("walk").points()
    with pytest.raises(InputError, match=r"no bone that could be measured: pelvis, head"):
        measured_skeleton(points)
