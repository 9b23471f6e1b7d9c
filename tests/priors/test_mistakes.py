from __future__ import annotations

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX
from sixpoint.priors.mistakes import LIKELY, MISTAKES, STRAY, spoiled, strayed

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.words)
def test_a_mistake_can_be_undone_and_changes_something(mistake):
    points = RNG.normal(size=(7, 6, 3))
    made = mistake.made(points)
    assert np.abs(made - points).max() > 0.1
    np.testing.assert_allclose(mistake.undone(made), points, atol=1e-15)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.words)
def test_axes_are_turned_not_mirrored(mistake):
    axes = np.array(mistake.axes, float)
    np.testing.assert_array_equal(axes @ axes.T, np.eye(3))
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_no_two_mistakes_are_the_same():
    points = RNG.normal(size=(1, 6, 3))
    made = [mistake.made(points).ravel() for mistake in MISTAKES]
    gaps = [np.abs(a - b).max() for k, a in enumerate(made) for b in made[:k]]
    assert min(gaps) > 0.01


def test_words_say_which_axis_was_up():
    standing = builtin("walk").points().positions[0]
    for words, axis in (("Z were up, not Y", 2), ("X were up, not Y", 0)):
        (mistake,) = [m for m in MISTAKES if m.words == words]
        made = mistake.made(standing)
        head, ankle = made[SIX.index("head")], made[SIX.index("l_ankle")]
        assert (head - ankle).argmax() == axis


def test_one_point_of_six_strays():
    points = RNG.normal(size=(50, 6, 3))
    away = np.linalg.norm(strayed(points, np.random.default_rng(1)) - points, axis=2)
    assert ((away > 0.0).sum(axis=1) == 1).all()
    assert STRAY[0] <= away.max(axis=1).min() <= away.max() <= STRAY[1]


def test_spoiled_points_are_all_wrong_and_every_mistake_is_made():
    points = np.repeat(RNG.normal(size=(1, 6, 3)), 3000, axis=0)
    lefts = np.tile([1.0, 0.0, 0.0], (3000, 1))
    found, turned = spoiled(points, lefts, np.random.default_rng(2))
    assert (np.abs(found - points).max(axis=(1, 2)) > 0.0).all()
    seen = []
    for mistake in MISTAKES:
        same = np.abs(found - mistake.made(points)).max(axis=(1, 2)) < 1e-12
        axes = np.array(mistake.axes, float)
        np.testing.assert_allclose(turned[same], lefts[same] @ axes.T, atol=1e-15)
        seen.append(same.mean() * sum((*(m.weight for m in MISTAKES), LIKELY)) / mistake.weight)
    assert np.min(seen) > 0.6
    assert np.max(seen) < 1.5
