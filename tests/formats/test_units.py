from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError, UnknownName
from sixpoint.formats import load, save
from sixpoint.formats.units import Figure, guess_unit, guess_up, sample_frames
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion
from sixpoint.subjects.conventions import UNITS, UP, given_unit, rotation_to_y_up, turn_basis

from .samples import standing_person


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("stature", [1.45, 1.7, 1.95])
def test_the_unit_is_guessed_from_the_stature(tmp_path, unit, stature):
    save(standing_person(stature=stature, unit=UNITS[unit]), tmp_path / "a.bvh")
    back = load(tmp_path / "a.bvh")
    assert back.source.unit == UNITS[unit]
    assert any(f"guessed: unit {unit} " in note for note in back.source.notes)


def test_a_child_in_centimetres_is_no_giant_in_inches(tmp_path):
    save(standing_person(stature=1.1, unit=0.01), tmp_path / "a.bvh")
    assert load(tmp_path / "a.bvh").source.unit == 0.01


def test_an_unusual_stature_is_doubted(tmp_path):
    save(standing_person(unit=40.0), tmp_path / "a.bvh")
    notes = load(tmp_path / "a.bvh").source.notes
    assert any("no usual stature: give the unit" in note for note in notes)


def test_a_rig_that_is_no_human_is_doubted():
    chain = Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 150.0, 0]])
    figure = Figure.of(Motion(chain, np.zeros((1, 3)), arrays.identity(1, 2), 30.0))
    metres, note = guess_unit(figure)
    assert metres == 0.01
    assert "no human was recognised" in note
    assert guess_up(figure) == (
        "y",
        "guessed: Y points up; no human was recognised, so this is doubtful",
    )


def test_a_rig_without_extent_is_taken_in_metres():
    point = Skeleton(("a",), [-1], [[0, 0, 0]])
    figure = Figure.of(Motion(point, np.zeros((1, 3)), arrays.identity(1, 1), 30.0))
    assert guess_unit(figure) == (1.0, "guessed: unit m, because the rest pose has no extent")


@pytest.mark.parametrize("up", ["y", "z", "x"])
def test_the_axis_that_points_up_is_guessed(tmp_path, up):
    person = standing_person(unit=0.01, axes=UP[up])
    save(person, tmp_path / "a.bvh")
    back = load(tmp_path / "a.bvh")
    assert back.source.axes == UP[up]
    joints = range(person.skeleton.joint_count)
    np.testing.assert_allclose(back.positions(joints), person.positions(joints), atol=1e-6)
    assert any("points up" in note for note in back.source.notes) == (up != "y")


@pytest.mark.parametrize("up", ["y", "z", "x"])
def test_rotations_take_the_upward_axis_to_y(up):
    axis = np.eye(3)["xyz".index(up[-1])] * (-1.0 if up[0] == "-" else 1.0)
    np.testing.assert_allclose(arrays.rotate(np.array(UP[up]), axis), [0, 1, 0], atol=1e-12)


def test_a_body_turned_by_its_root_stands_along_the_axis_of_its_frames():
    """Rest pose Y up in a world with Z up, as converters from other data sets write it."""
    person = standing_person()
    turned = arrays.conjugate(np.array(UP["z"]))
    rotations = np.array(person.rotations)
    rotations[:, 0] = arrays.multiply(turned, rotations[:, 0])
    motion = Motion(person.skeleton, arrays.rotate(turned, person.root), rotations, 60.0)
    assert guess_up(Figure.of(motion))[0] == "z"


def test_a_person_who_lies_and_rolls_is_not_turned_upright():
    person = standing_person(frames=4)
    rotations = np.array(person.rotations)
    for f, heading in enumerate((0.0, 1.5, 3.0, 4.5)):
        lying = arrays.from_euler("YX", np.array([heading, np.pi / 2.0]))
        rotations[f, 0] = arrays.multiply(lying, rotations[f, 0])
    up, note = guess_up(Figure.of(Motion(person.skeleton, person.root, rotations, 60.0)))
    assert up == "y"
    assert "hardly ever stands so" in note


def test_a_motion_without_frames_is_judged_by_its_rest_pose():
    assert guess_up(Figure.of(standing_person().frames(slice(0, 0)))) == ("y", "")


def test_units_can_be_given_by_name_and_number():
    assert given_unit("CM") == 0.01
    assert given_unit("0.5") == 0.5
    assert given_unit(2) == 2.0
    with pytest.raises(UnknownName, match=r"No unit 'furlong'\..*auto, m, cm"):
        given_unit("furlong")
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="positive `unit` in metres"):
            given_unit(wrong)


def test_an_axis_must_exist():
    assert rotation_to_y_up("Z") == UP["z"]
    with pytest.raises(UnknownName, match=r"No up axis 'w'.*auto, y, z, x, -y"):
        rotation_to_y_up("w")


def test_turning_the_basis_is_conjugation():
    q = arrays.from_rotvec(np.array([[0.3, -0.2, 0.9], [0.0, 0.0, 0.0]]))
    for basis in UP.values():
        b = np.array(basis)
        expected = arrays.multiply(arrays.multiply(b, q), arrays.conjugate(b))
        np.testing.assert_allclose(turn_basis(basis, q), expected, atol=1e-15)


def test_sampled_frames_cover_the_clip():
    assert sample_frames(0) == []
    assert sample_frames(1) == [0]
    assert sample_frames(3) == [0, 1, 2]
    few = sample_frames(1000, 11)
    assert few[0] == 0
    assert few[-1] == 999
    assert len(few) == 11
