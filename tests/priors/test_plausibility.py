"""Wrong points are told from right ones, and what is wrong with them is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX
from sixpoint.priors.critic import STRAY, examples, fit_critic, spoiled, strayed
from sixpoint.priors.layout import INPUTS, measures
from sixpoint.priors.model import builtin_prior
from sixpoint.priors.plausibility import (
    LIKELY,
    MISTAKES,
    RIGHT,
    UNLIKE,
    WRONG,
    critic_inputs,
    find_mistake,
)
from sixpoint.priors.poses import build_of
from sixpoint.priors.samples import Sampler, Variation
from sixpoint.priors.training_data import Recordings

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
    found = spoiled(points, np.random.default_rng(2))
    assert (np.abs(found - points).max(axis=(1, 2)) > 0.0).all()
    seen = []
    for mistake in MISTAKES:
        same = np.abs(found - mistake.made(points)).max(axis=(1, 2)) < 1e-12
        seen.append(same.mean() * sum((*(m.weight for m in MISTAKES), LIKELY)) / mistake.weight)
    assert np.min(seen) > 0.6
    assert np.max(seen) < 1.5


def plausible(prior, name, mistake=None):
    """Plausibility of the frames of a built-in clip."""
    clip = builtin(name).frames(slice(0, None, 3))
    build = build_of(clip.skeleton.anatomy)
    six = clip.points().select(SIX).positions / build.height
    if mistake is not None:
        six = mistake.made(six)
    return prior.plausibility(critic_inputs(six, np.tile(measures(build), (len(six), 1))))


def sampler():
    names = ("boxing", "walk", "reach", "squat", "overhead")
    return Sampler(Recordings.of([subject(n) for n in names]), Variation(0.5, 0.03, 0.01), 3)


def test_examples_are_right_ones_and_the_same_with_mistakes():
    x = examples(sampler(), 50)
    assert x.shape == (100, INPUTS)
    assert (np.abs(x[:50] - x[50:]).max(axis=1) > 0.01).all()
    np.testing.assert_array_equal(x[:50, -12:], x[50:, -12:])


def test_a_critic_learns_to_tell_right_points_from_wrong_ones():
    steps = []
    taught = replace(builtin_prior(), critic=tuple(fit_critic(sampler(), 16, 150, steps.append)))
    assert steps == list(range(1, 151))
    assert plausible(taught, "reach").mean() > 0.8
    assert np.mean([plausible(taught, "reach", m).mean() for m in MISTAKES]) < 0.2


@pytest.mark.parametrize("name", ["boxing", "walk", "reach", "squat"])
def test_the_built_in_critic_knows_wrong_names(name):
    right = plausible(builtin_prior(), name).mean()
    assert right > 0.7
    for mistake in MISTAKES:
        assert plausible(builtin_prior(), name, mistake).mean() < 0.5 * right


def test_plausibility_is_a_probability_for_any_input():
    x = 1e6 * np.random.default_rng(7).normal(size=(50, INPUTS))
    found = builtin_prior().plausibility(x)
    assert ((found >= 0.0) & (found <= 1.0)).all()


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
