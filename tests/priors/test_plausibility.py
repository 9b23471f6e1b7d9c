"""Wrong points are told from right ones, and what is wrong with them is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.data.clips import builtin
from sixpoint.motion.points import SIX
from sixpoint.priors.layout import INPUTS, facing, measures, mirror_inputs
from sixpoint.priors.model import always_plausible, builtin_prior
from sixpoint.priors.plausibility import (
    LIKELY,
    MISTAKES,
    RIGHT,
    UNLIKE,
    WRONG,
    find_mistake,
    first_lefts,
    settled_inputs,
)
from sixpoint.priors.poses import body_positions
from sixpoint.priors.training import STRAY, TrainingSettings, fit_plausibility, spoiled, strayed
from sixpoint.priors.training_data import draw_rows

RNG = np.random.default_rng(4)
SMALL = TrainingSettings(plausibility_units=16, steps=300, plausibility_pace=1, noise=0.01)


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


def six_of(name):
    """Points of a built-in clip, as parts of height, and the measures of its body."""
    person = subject(name)
    points = body_positions(person.build, person.poses)[1] / person.build.height
    six = np.concatenate([np.zeros((len(points), 1, 3)), points], axis=1)
    return six, np.tile(measures(person.build), (len(six), 1))


def plausible(prior, six, sizes):
    return prior.plausibility(settled_inputs(prior, six, first_lefts(six), sizes))


def test_a_critic_learns_to_tell_right_points_from_wrong_ones():
    people = [subject(name) for name in ("boxing", "walk", "reach", "squat", "overhead")]
    rng = np.random.default_rng(3)
    rows = draw_rows(people, 4000, 0.5, 0.03, rng)
    prior = builtin_prior()
    weights = fit_plausibility(prior, rows, SMALL, rng, lambda done: None)
    taught = replace(prior, plausibility_weights=tuple(w.astype(float) for w in weights))
    six, sizes = six_of("reach")
    assert plausible(taught, six, sizes).mean() > 0.8
    wrong = [plausible(taught, m.made(six), sizes).mean() for m in MISTAKES]
    assert np.mean(wrong) < 0.2


@pytest.mark.parametrize("name", ["boxing", "walk", "reach", "squat"])
def test_the_built_in_critic_knows_wrong_names(name):
    six, sizes = six_of(name)
    prior = builtin_prior()
    right = plausible(prior, six, sizes)
    assert right.mean() > 0.7
    for mistake in MISTAKES:
        assert plausible(prior, mistake.made(six), sizes).mean() < 0.5 * right.mean()


def test_a_mirror_image_is_as_plausible_as_the_body():
    x = np.random.default_rng(6).normal(size=(30, INPUTS))
    order, signs = mirror_inputs()
    prior = builtin_prior()
    np.testing.assert_allclose(prior.plausibility(x), prior.plausibility(x[:, order] * signs))


def test_plausibility_is_a_probability_for_any_input():
    x = 1e6 * np.random.default_rng(7).normal(size=(50, INPUTS))
    found = builtin_prior().plausibility(x)
    assert ((found >= 0.0) & (found <= 1.0)).all()


def test_who_believes_all_doubts_nothing():
    x = np.random.default_rng(8).normal(size=(5, INPUTS))
    believer = replace(builtin_prior(), plausibility_weights=always_plausible())
    np.testing.assert_allclose(believer.plausibility(x), 1.0)


def test_the_facing_settles_from_wherever_one_starts():
    six, sizes = six_of("walk")
    prior = builtin_prior()
    five = six[:, 1:] - six[:, :1]
    frames = facing(five, first_lefts(six))
    turned = np.cos(0.4) * frames[..., 0] - np.sin(0.4) * frames[..., 2]
    one, other = (settled_inputs(prior, six, left, sizes) for left in (first_lefts(six), turned))
    assert np.abs(one - other).mean() < 0.01


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
