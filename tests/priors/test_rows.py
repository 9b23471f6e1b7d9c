from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.kernels import arrays
from sixpoint.priors.layout import facing
from sixpoint.priors.rows import draw_rows, turned_facing, turns_of, twist_of


def long_armed(person):
    return replace(person, build=replace(person.build, bones=1.2 * person.build.bones))


def test_subjects_count_by_the_root_of_their_frames():
    long = subject("walk")
    short = long_armed(subject("reach"))
    short = replace(short, poses=short.poses.frames(slice(0, 4)))
    rows = draw_rows([long, short], 3000, 0.0, 0.0, np.random.default_rng(1))
    share = np.sqrt(4) / (np.sqrt(4) + np.sqrt(len(long.poses)))
    of_short = rows.bones[:, 0, 0] > 1.1 * long.build.bones[0, 0] / long.build.height
    assert len(rows.points) == pytest.approx(3000, abs=2)
    assert of_short.mean() == pytest.approx(share, abs=0.01)


def test_swapped_frames_have_another_build_and_their_own_turns():
    people = [long_armed(subject("boxing")), subject("walk")]
    rows = draw_rows(people, 2000, 1.0, 0.0, np.random.default_rng(2))
    first = np.isclose(rows.bones[:, 0, 0], people[0].build.bones[0, 0] / people[0].build.height)
    assert 0.3 < first.mean() < 0.7  # of all builds, one's own among them
    known = turns_of(people[0].poses)[:, 0]
    own = np.abs(rows.turns[:, 0] @ known.T.astype(np.float32)).max(axis=1) > 1.0 - 1e-6
    assert (own & ~first).any()


def test_a_hand_is_a_twist_of_the_forearm_then_a_swing():
    rng = np.random.default_rng(4)
    hands = arrays.normalize(rng.normal(size=(200, 4)))
    twists = twist_of(hands)
    swings = arrays.multiply(arrays.conjugate(twists), hands)
    np.testing.assert_allclose(twists[:, [1, 3]], 0.0)
    np.testing.assert_allclose(swings[:, 2], 0.0, atol=1e-12)
    np.testing.assert_array_equal(twist_of(np.array([0.0, 1.0, 0.0, 0.0])), (1.0, 0.0, 0.0, 0.0))


def test_a_turned_facing_is_off_by_the_angle():
    rng = np.random.default_rng(5)
    points, left = rng.normal(size=(30, 5, 3)), rng.normal(size=(30, 3))
    angle = rng.uniform(-3.0, 3.0, 30)
    before, after = facing(points, left), turned_facing(points, left, angle)
    np.testing.assert_allclose(after[:, :, 1], before[:, :, 1], atol=1e-6)
    cosine = (after[:, :, 0] * before[:, :, 0]).sum(-1)
    np.testing.assert_allclose(cosine, np.cos(angle), atol=1e-5)
