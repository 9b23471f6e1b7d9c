from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.errors import InputError, UnknownName
from sixpoint.motion.points import SIX, Points
from sixpoint.subjects.cleaning import Cleaning
from sixpoint.subjects.conventions import mirrored

from .people import CLIPS, motion, trembling, turning


@pytest.mark.parametrize("name", CLIPS)
def test_clean_points_come_back_to_the_bit(name):
    points = turning(motion(name).points())
    found = sp.clean(points)
    np.testing.assert_array_equal(found.points.positions, points.positions)
    np.testing.assert_array_equal(found.points.rotations, points.rotations)
    assert (found.points.names, found.notes, found.outliers) == (points.names, (), {})
    assert found.convention.hand == "right"


def test_everything_at_once():
    clip = motion("reach", 300)
    points = trembling(clip.points(), 0.003)
    positions = points.positions.copy()
    positions[100:103, 2] += 1.5
    mine = ("waist", "hmd", "left_hand", "right_hand", "left_foot", "right_foot")
    file = mirrored(replace(points, names=mine, positions=positions))
    file = replace(file, positions=100.0 * file.positions[..., [2, 0, 1]])
    found = sp.clean(file, clip.skeleton)
    assert found.points.names == SIX
    assert found.outliers == {"l_wrist": 3}
    assert not found.points.seen[100:103, 2].any()
    assert (found.convention.unit, found.convention.up, found.convention.hand) == (
        (0.01, "z", "left")
    )
    assert found.noise["head"] == pytest.approx(0.003, rel=0.3)
    for word in ("left_hand as l_wrist", "unit cm", "Z points up", "left-handed",
                 "outliers", "noise of"):  # fmt: skip
        assert any(word in note for note in found.notes), (word, found.notes)
    # The same person, although they may face elsewhere.
    true, ours = clip.points().positions, found.points.positions
    for a, b in ((0, 1), (2, 5), (3, 4)):
        far = np.linalg.norm(true[:, a] - true[:, b], axis=1)
        near = np.linalg.norm(ours[:, a] - ours[:, b], axis=1)
        assert np.nanmax(np.abs(far - near)) < 0.015
    np.testing.assert_allclose(ours[110:, 1, 1], true[110:, 1, 1], atol=0.01)


def test_cleaning_twice_is_cleaning_once():
    once = sp.clean(trembling(motion("walk", 300).points(), 0.004)).points
    twice = sp.clean(replace(once, notes=()))
    assert twice.convention.notes == ()
    np.testing.assert_allclose(twice.points.positions, once.positions, atol=0.001)


def test_each_step_can_be_left_out():
    points = trembling(motion("walk").points(), 0.004)
    positions = points.positions.copy()
    positions[60, 1] += 2.0
    points = replace(points, positions=positions)
    found = sp.clean(points, smooth="off", outliers=False)
    np.testing.assert_array_equal(found.points.positions, positions)
    by_hand = sp.clean(points, smooth=6.0)
    assert any("6 Hz" in note for note in by_hand.notes)
    assert sp.clean(points, unit="cm").points.positions.max() < 0.05 * positions.max()


def test_rotations_are_smoothed_too():
    points = turning(motion("walk", 300).points())
    shaken = points.rotations + 0.01 * np.random.default_rng(0).normal(size=(300, 6, 4))
    shaken /= np.linalg.norm(shaken, axis=-1, keepdims=True)
    found = sp.clean(replace(points, rotations=shaken))
    assert any("rotations tremble" in note for note in found.notes)
    before, after = (np.abs(q - points.rotations).mean() for q in (shaken, found.points.rotations))
    assert after < 0.6 * before
    np.testing.assert_array_equal(found.points.positions, points.positions)


def test_trackers_are_named_when_asked_for():
    points = motion("walk").points()
    order = [3, 0, 5, 1, 4, 2]
    file = Points(tuple("abcdef"), points.positions[:, order], points.rate)
    found = sp.clean(file, names="auto")
    assert found.points.names == tuple(SIX[k] for k in order)
    assert any("a is r_wrist" in note for note in found.notes)


def exchanged(points, one, other):
    order = [*range(6)]
    order[one], order[other] = other, one
    return replace(points, positions=points.positions[:, order])


def flat(points):
    return replace(points, positions=1000.0 * points.positions * (1.0, -1.0, 0.0))


def two_people(points):
    names = (*points.names, *(f"{name}2" for name in points.names))
    return Points(names, np.tile(points.positions, (1, 2, 1)), points.rate)


def mixed_rows(points):
    positions = points.positions.copy()
    positions[::2] += (2.0, 0.0, 1.0)
    return replace(points, positions=positions)


def with_still(points, column):
    positions = points.positions.copy()
    positions[:, 2][:, column] = 1.0
    return replace(points, positions=positions)


def exchanged_later(points):
    positions = points.positions.copy()
    positions[90:, [0, 1]] = positions[90:, [1, 0]]
    return replace(points, positions=positions)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: exchanged(p, 2, 3), "left and right wrist were exchanged.*`names`"),
        (lambda p: exchanged(p, 0, 1), "pelvis and head were exchanged"),
        (flat, "same z for all points.*pixels"),
        (two_people, "two people. Label them"),
        (mixed_rows, "two people in one file without labels"),
        (lambda p: with_still(p, [0, 1, 2]), "l_wrist is at the same place in all 180 frames"),
        (lambda p: with_still(p, [1]), "l_wrist has the same y in all 180 frames"),
        (exchanged_later, "pelvis and head change places at frame 90 \\(1.50 s\\)"),
    ],
)
def test_the_likely_mistake_is_named(spoil, message):
    with pytest.raises(InputError, match=message):
        sp.clean(spoil(motion("reach").points()), motion("reach").skeleton)


def test_names_may_be_taken_as_they_are():
    points = exchanged(motion("reach").points(), 2, 3)
    np.testing.assert_array_equal(
        sp.clean(points, names="given", hand="right").points.positions, points.positions
    )


@pytest.mark.parametrize(
    "wrong", [{"smooth": "much"}, {"names": "some"}, {"hand": "both"}, {"speed": 1.0}]
)
def test_settings_that_do_not_exist_are_named(wrong):
    with pytest.raises(UnknownName):
        sp.clean(motion(frames=20).points(), **wrong)
    with pytest.raises(InputError, match="positive `smooth`"):
        Cleaning(smooth=-1.0)


@pytest.mark.parametrize("name", CLIPS)
def test_people_of_other_statures_are_not_refused(name):
    points = motion(name).points()
    for height in (1.55, 1.95):
        sp.clean(points, sp.Skeleton.humanoid(height))


def test_what_was_never_seen_is_left_to_the_solver():
    points = Points(SIX, np.full((20, 6, 3), np.nan), 60.0)
    assert not sp.clean(points).points.seen.any()
