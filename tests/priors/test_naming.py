from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.data.clips import builtin
from sixpoint.priors.mistakes import MISTAKES
from sixpoint.priors.naming import RIGHT, UNLIKE, WRONG, find_mistake

NAMES = ("boxing", "walk", "reach", "squat", "overhead")


@pytest.mark.parametrize("name", NAMES)
def test_right_names_are_not_doubted(name):
    clip = builtin(name)
    mistake, plausible = find_mistake(clip.points(), clip.skeleton)
    assert mistake is None
    assert plausible > RIGHT


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.words)
def test_a_mistake_is_named(mistake):
    clip = builtin("boxing")
    points = clip.points()
    wrong = replace(points, positions=mistake.made(points.positions))
    found, plausible = find_mistake(wrong, clip.skeleton)
    assert found is mistake
    assert plausible < WRONG


def test_points_that_nothing_mends_are_doubted_without_a_name():
    clip = builtin("walk")
    points = clip.points()
    rng = np.random.default_rng(2)
    anywhere = replace(points, positions=rng.uniform(-1.0, 1.0, points.positions.shape))
    mistake, plausible = find_mistake(anywhere, clip.skeleton)
    assert mistake is None
    assert plausible < UNLIKE


def test_order_and_unseen_points_do_not_matter():
    clip = builtin("walk")
    points = clip.points()
    other = points.select(points.names[::-1])
    assert find_mistake(other, clip.skeleton) == find_mistake(points, clip.skeleton)
    gaps = np.array(points.positions)
    gaps[::3, 2] = np.nan
    assert find_mistake(replace(points, positions=gaps), clip.skeleton)[1] > RIGHT


def test_fewer_than_six_points_are_not_judged():
    clip = builtin("walk")
    points = clip.points()
    for some in (points.select(("head", "l_wrist", "r_wrist")),
                 replace(points, positions=np.full_like(points.positions, np.nan))):  # fmt: skip
        mistake, plausible = find_mistake(some, clip.skeleton)
        assert mistake is None
        assert np.isnan(plausible)
