from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import subject

from sixpoint.errors import InputError
from sixpoint.priors.layout import ENDS, ROWS, facing, inputs, measures, targets
from sixpoint.priors.leaks import find_leaks
from sixpoint.priors.poses import place
from sixpoint.priors.training import Subject, TrainingSettings, draw_rows, train_prior

SMALL = TrainingSettings(units=24, steps=300, batch=256, rows=3000)


def error(prior, person):
    """Mean distance of the predicted directions from the true ones, hands and feet left out."""
    points = place(person.build, person.poses).points / person.build.height
    wanted = targets(person.poses)[:, :ENDS]
    frames = facing(points, wanted[:, 0])
    sizes = np.tile(measures(person.build), (len(points), 1))
    found = prior.predict(inputs(points, frames, sizes)).reshape(-1, ROWS, 3)[:, :ENDS]
    return float(np.linalg.norm(found - wanted @ frames, axis=-1).mean())


@pytest.fixture(scope="module")
def people():
    return [subject(name) for name in ("boxing", "walk", "reach", "squat")]


def test_training_learns_and_repeats_itself(people):
    prior = train_prior(people, [subject("overhead")], SMALL)
    untrained = train_prior(people, [], replace(SMALL, steps=1))
    assert error(prior, people[0]) < 0.8 * error(untrained, people[0])
    again = train_prior(people, [subject("overhead")], SMALL)
    for one, other in zip(prior.weights, again.weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_subjects_count_by_the_root_of_their_frames(people):
    long = replace(people[1], poses=people[1].poses)
    short = replace(people[0], poses=people[0].poses.frames(slice(0, 4)))
    rows = draw_rows([long, short], replace(SMALL, swap=0.0), np.random.default_rng(1))
    share = np.sqrt(4) / (np.sqrt(4) + np.sqrt(len(long.poses)))
    assert len(rows.points) == pytest.approx(SMALL.rows, abs=2)
    assert share > 4 / len(long.poses)


def test_the_same_motion_under_two_names_is_found(people):
    twin = replace(people[1], name="somebody else")
    leaks = find_leaks(people, [twin])
    assert [leak[:2] for leak in leaks] == [("walk", "somebody else")]
    assert leaks[0][2] > 0.9
    with pytest.raises(InputError, match="same under two names: walk = somebody else"):
        train_prior(people, [twin], SMALL)


def test_a_part_of_the_same_motion_with_some_noise_is_found(people):
    poses = people[0].poses.frames(slice(5, 60))
    twin = Subject("part", people[0].build, replace(poses, limbs=poses.limbs + 1e-5))
    assert find_leaks(people, [twin])


def test_different_people_are_no_leak(people):
    assert find_leaks(people[:2], people[2:]) == []


def test_nobody_to_learn_from_is_refused():
    with pytest.raises(InputError, match="at least one subject to learn from"):
        train_prior([], [], SMALL)
    with pytest.raises(InputError, match="at least one frame of subject 'x'"):
        Subject.of("x", [])
