from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.priors.critic import first_lefts, fit_critic, settled_inputs
from sixpoint.priors.layout import INPUTS, facing, measures, mirror_inputs
from sixpoint.priors.mistakes import MISTAKES
from sixpoint.priors.model import believing, builtin_prior
from sixpoint.priors.poses import place
from sixpoint.priors.rows import draw_rows


def six_of(name):
    """Points of a built-in clip, as parts of height, and the measures of its body."""
    person = subject(name)
    points = place(person.build, person.poses).points / person.build.height
    six = np.concatenate([np.zeros((len(points), 1, 3)), points], axis=1)
    return six, np.tile(measures(person.build), (len(six), 1))


def plausible(prior, six, sizes):
    return prior.plausibility(settled_inputs(prior, six, first_lefts(six), sizes))


def test_a_critic_learns_to_tell_right_points_from_wrong_ones():
    people = [subject(name) for name in ("boxing", "walk", "reach", "squat", "overhead")]
    rng = np.random.default_rng(3)
    rows = draw_rows(people, 4000, 0.5, 0.03, rng)
    prior = builtin_prior()
    weights = fit_critic(prior, rows, rng, units=16, steps=300, noise=0.01)
    taught = replace(prior, critic=tuple(w.astype(float) for w in weights))
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
    believer = replace(builtin_prior(), critic=believing())
    np.testing.assert_allclose(believer.plausibility(x), 1.0)


def test_the_facing_settles_from_wherever_one_starts():
    six, sizes = six_of("walk")
    prior = builtin_prior()
    five = six[:, 1:] - six[:, :1]
    frames = facing(five, first_lefts(six))
    turned = np.cos(0.4) * frames[..., 0] - np.sin(0.4) * frames[..., 2]
    one, other = (settled_inputs(prior, six, left, sizes) for left in (first_lefts(six), turned))
    assert np.abs(one - other).mean() < 0.01
