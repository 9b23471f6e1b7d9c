from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject
from tests.priors.test_loss import case

from sixpoint.errors import InputError
from sixpoint.priors.autograd import Value
from sixpoint.priors.layout import inputs, measures
from sixpoint.priors.loss import Batch, loss
from sixpoint.priors.training import Fitting, TrainingSettings, train_prior
from sixpoint.priors.training_data import Subject, draw_rows

SMALL = TrainingSettings(units=24, steps=300, batch=256, rows=3000)


def cost(prior, name):
    """What the answers for one person cost."""
    _, points, body, rotations, positions = case(name)
    level = np.broadcast_to(np.eye(3), (len(points), 3, 3))
    sizes = np.tile(measures(subject(name).build), (len(points), 1))
    outputs = prior.predict(inputs(points, level, sizes))
    return float(loss(Value(outputs), Batch(points, body, rotations, positions)).array)


@pytest.fixture(scope="module")
def people():
    return [subject(name) for name in ("boxing", "walk", "reach", "squat")]


def test_training_learns_and_repeats_itself(people):
    prior = train_prior(people, [subject("overhead")], SMALL)
    untrained = train_prior(people, [], replace(SMALL, steps=1))
    assert cost(prior, "boxing") < 0.7 * cost(untrained, "boxing")
    again = train_prior(people, [subject("overhead")], SMALL)
    for one, other in zip(
        (*prior.weights, *prior.plausibility_weights),
        (*again.weights, *again.plausibility_weights),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_a_step_lowers_the_cost_of_what_was_learned(people):
    rng = np.random.default_rng(3)
    rows = draw_rows(people, 2000, 0.5, 0.03, rng)
    fitting = Fitting(rows, replace(SMALL, drop=0.0, steps=120), rng)
    costs = [fitting.step() for _ in range(120)]
    assert np.mean(costs[-20:]) < 0.7 * np.mean(costs[:5])


def test_the_same_motion_under_two_names_is_refused(people):
    twin = replace(people[1], name="somebody else")
    with pytest.raises(InputError, match="same under two names: walk = somebody else"):
        train_prior(people, [twin], SMALL)


def test_nobody_to_learn_from_is_refused():
    with pytest.raises(InputError, match="at least one subject to learn from"):
        train_prior([], [], SMALL)
    with pytest.raises(InputError, match="at least one frame of subject 'x'"):
        Subject.of("x", [])
