from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.motion.points import Points
from sixpoint.subjects.conventions import (
    UNITS,
    UP,
    Convention,
    find_convention,
    mirrored,
    rotation_to_y_up,
    turn_basis,
)

from .people import CLIPS, motion, turning


def axes_of_files():
    """All 48 ways in which the axes of a file may lie: rows are the file's axes in our world."""
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            axes = np.zeros((3, 3))
            axes[range(3), order] = signs
            yield axes


def written(points: Points, axes: np.ndarray, unit: float) -> Points:
    return replace(points, positions=points.positions @ axes.T / unit)


def shape_of(points: Points) -> np.ndarray:
    """Heights, horizontal distances, and on which side of two points a third one is."""
    p = points.positions
    flat = np.linalg.norm((p[:, :, None] - p[:, None])[..., ::2], axis=-1)
    a, b = p[:, 2] - p[:, 0], p[:, 3] - p[:, 0]
    side = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    return np.concatenate([p[..., 1].ravel(), flat.ravel(), side.ravel()])


@pytest.mark.parametrize("name", CLIPS)
def test_right_points_are_left_alone(name):
    points = motion(name).points()
    found = find_convention(points)
    assert (found.unit, found.up, found.hand, found.notes) == (1.0, "y", "right", ())
    assert found.applied(points) is points
    assert found.stature == pytest.approx(motion(name).skeleton.anatomy.stature, rel=0.08)


@pytest.mark.parametrize(
    "axes", [*axes_of_files()], ids=lambda axes: str(axes.astype(int).tolist())
)
def test_whatever_the_axes_are_the_person_is_the_same(axes):
    points = motion().points()
    found = find_convention(written(points, axes, 0.01))
    assert found.unit == 0.01
    assert found.hand == ("right" if np.linalg.det(axes) > 0.0 else "left")
    ours = found.applied(written(points, axes, 0.01))
    np.testing.assert_allclose(shape_of(ours), shape_of(points), atol=1e-9)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", CLIPS)
def test_units_are_recognised_and_then_there_is_nothing_to_do(name, unit):
    points = motion(name).points()
    there = replace(points, positions=points.positions / UNITS[unit])
    found = find_convention(there)
    assert found.unit == UNITS[unit]
    assert bool(found.notes) == (unit != "m")
    again = find_convention(found.applied(there))
    assert (again.unit, again.up, again.hand, again.notes) == (1.0, "y", "right", ())


def test_a_given_convention_overrules():
    points = motion().points()
    found = find_convention(points, unit="cm", up="z", hand="left")
    assert (found.unit, found.up, found.hand) == (0.01, "z", "left")
    assert not any("left-handed" in note for note in found.notes)
    for wrong in ({"unit": "parsec"}, {"up": "w"}, {"hand": "both"}):
        with pytest.raises(UnknownName):
            find_convention(points, **wrong)
    with pytest.raises(InputError, match="positive"):
        find_convention(points, unit=-1.0)


@pytest.mark.parametrize("names", [("head", "l_wrist", "r_wrist"), ("head", "pelvis"), ("head",)])
def test_fewer_points_tell_less(names):
    points = motion().points(names)
    found = find_convention(points)
    assert (found.unit, found.up, found.hand) == (1.0, "y", "right")
    if len(names) > 1:
        metres = replace(points, positions=1000.0 * points.positions)
        assert find_convention(metres).unit in (0.001, 1.0)


def test_rotations_are_mirrored_with_their_points():
    points = turning(motion().points())
    twice = mirrored(mirrored(points))
    np.testing.assert_array_equal(twice.positions, points.positions)
    np.testing.assert_array_equal(twice.rotations, points.rotations)
    # A vector carried by a rotation is mirrored alike.
    v, flip = np.array((0.3, -0.2, 0.9)), np.array((-1.0, 1.0, 1.0))
    carried = arrays.rotate(points.rotations, v) * flip
    np.testing.assert_allclose(
        arrays.rotate(mirrored(points).rotations, v * flip), carried, atol=1e-12
    )


@pytest.mark.parametrize("up", UP)
def test_the_axis_named_up_becomes_y(up):
    axis = np.eye(3)["xyz".index(up[-1])] * (-1.0 if up[0] == "-" else 1.0)
    basis = rotation_to_y_up(up)
    np.testing.assert_allclose(arrays.rotate(np.array(basis), axis), (0.0, 1.0, 0.0), atol=1e-12)
    turned = turn_basis(basis, arrays.from_axis_angle(axis, 0.7)[None])
    about_y = arrays.from_axis_angle((0.0, 1.0, 0.0), 0.7)
    np.testing.assert_allclose(turned[0], about_y, atol=1e-12)


def test_nothing_is_guessed_from_nothing():
    points = Points(("head", "l_ankle"), np.full((3, 2, 3), np.nan), 60.0)
    assert find_convention(points) == Convention()
    still = Points(("head", "l_ankle"), np.zeros((3, 2, 3)), 60.0)
    assert find_convention(still).unit == 1.0


@pytest.mark.data
def test_real_clips_are_recognised_whatever_their_axes(shared_data):
    from sixpoint.formats import load

    for path in sorted((shared_data / "cmu" / "walk").glob("*.bvh"))[:3]:
        points = load(path).points()
        assert find_convention(points).notes == ()
        z_up = replace(points, positions=points.positions[..., [2, 0, 1]] * 1000.0)
        found = find_convention(z_up)
        assert (found.unit, found.up, found.hand) == (0.001, "z", "right")
        assert find_convention(mirrored(points)).hand == "left"
