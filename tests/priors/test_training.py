"""A prior learns from a few people, and repeats itself."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.errors import InputError, MissingExtra
from sixpoint.priors.layout import AT, COUNT
from sixpoint.priors.point_sets import POINT_SETS
from sixpoint.priors.training import (
    CHANCES,
    LOST,
    Fitting,
    TrainingSettings,
    draw_marks,
    train_prior,
)
from sixpoint.priors.training_data import Recordings, Subject

SMALL = TrainingSettings(units=8, depth=2, steps=25, batch=64, critic_units=4, critic_steps=10)


@pytest.fixture(scope="module")
def people():
    return [subject(name) for name in ("boxing", "walk", "reach", "squat")]


def test_training_learns_and_repeats_itself(people):
    calls = []
    priors = [
        train_prior(
            people, [subject("overhead")], SMALL, lambda done, total: calls.append((done, total))
        )
        for _ in range(2)
    ]
    one, other = ((*prior.layers, *prior.critic) for prior in priors)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(priors[0].layers) == 9
    assert calls[-1] == (35, 35)
    another = train_prior(people, [], replace(SMALL, seed=1))
    assert np.abs(another.layers[0] - one[0]).max() > 0.0


def test_the_cost_falls(people):
    settings = replace(SMALL, units=16, steps=100, batch=128, drop=0.0)
    fitting = Fitting(Recordings.of(people), settings)
    costs = [fitting.step() for _ in range(100)]
    assert np.mean(costs[-20:]) < 0.6 * np.mean(costs[:5])


def test_a_batch_tells_the_network_what_solvers_tell_it(people):
    fitting = Fitting(Recordings.of(people), replace(SMALL, noise=0.0, yaw=0.0, astray=0.0))
    x, batch = fitting.batch(300)
    seen = x[:, 9 : 11 * COUNT : 11]
    np.testing.assert_array_equal(seen[:, AT["pelvis"]], batch.pelvis_seen)
    at = x[:, : 11 * COUNT].reshape(300, COUNT, 11)[:, :, :3]
    head = (seen[:, AT["head"]] > 0.0) & (seen[:, AT["pelvis"]] > 0.0)
    assert head.sum() > 50
    # Told from the pelvis, the head is where the answer should put it.
    np.testing.assert_allclose(at[head, AT["head"]], batch.joints[head, 5], atol=1e-5)


def test_points_are_hidden_as_often_as_said():
    seen, turned = draw_marks(20_000, np.random.default_rng(1))
    assert not (turned & ~seen).any()
    assert seen.any(axis=1).all()
    for k, (points, rotations) in enumerate(POINT_SETS.values()):
        same = np.ones(len(seen), np.bool_)
        for p, name in enumerate(AT):
            same &= (seen[:, p] == (name in points)) & (turned[:, p] == (name in rotations))
        kept = 1.0 - LOST * len(points) / COUNT
        assert same.mean() == pytest.approx(kept * CHANCES[k] / sum(CHANCES), rel=0.25)


def test_the_same_motion_under_two_names_is_refused(people):
    twin = replace(people[1], name="somebody else")
    with pytest.raises(InputError, match="same under two names: walk = somebody else"):
        train_prior(people, [twin], SMALL)


def test_nobody_to_learn_from_is_refused():
    with pytest.raises(InputError, match="at least one subject to learn from"):
        train_prior([], [], SMALL)
    with pytest.raises(InputError, match="at least one frame of subject 'x'"):
        Subject.of("x", [])


def test_a_device_that_is_not_there_is_refused(people):
    with pytest.raises(InputError, match="Expected a device among cpu, gpu, got 'tpu'"):
        train_prior(people, [], SMALL, device="tpu")
    if importlib.util.find_spec("cupy") is None:
        with pytest.raises(MissingExtra, match=r"sixpoint\[train\]"):
            train_prior(people, [], SMALL, device="gpu")
