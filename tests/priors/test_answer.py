from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import directions, right_outputs, subject

from sixpoint.kernels import arrays
from sixpoint.limits.adult import SPINE
from sixpoint.priors.answer import REGIONS, Body, _held, answer, frames, within_limits
from sixpoint.priors.autograd import Value
from sixpoint.priors.layout import facing
from sixpoint.priors.poses import ARMS, CHEST, place
from sixpoint.priors.rows import turns_of


def case(name):
    """Outputs that are right, points, bodies, and the truth, all in the facing."""
    person = subject(name)
    # The answer leaves clavicles to the solver.
    poses = replace(person.poses, clavicles=person.poses.stations[:, [CHEST] * ARMS])
    person = replace(person, poses=poses)
    places = place(person.build, person.poses)
    height, count = person.build.height, len(person.poses)
    seen = facing(places.points, directions(person.poses)[:, 0])
    lengths = (
        np.concatenate([person.build.torso, person.build.neck]),
        person.build.bases,
        person.build.clavicles,
        person.build.bones,
    )
    body = Body(*(np.broadcast_to(x / height, (count, *x.shape)) for x in lengths))
    turns = arrays.to_matrix(turns_of(person.poses))
    turns[:, 0] = np.swapaxes(seen, -1, -2) @ turns[:, 0]
    everywhere = [places.spine, places.clavicles, places.roots, places.hinges]
    truth = np.concatenate(everywhere, axis=1) @ seen / height
    return right_outputs(person.poses, seen), places.points @ seen / height, body, turns, truth


@pytest.mark.parametrize("name", ["walk", "reach", "boxing"])
def test_right_outputs_give_the_body_back(name):
    outputs, points, body, turns, places = case(name)
    found = answer(Value(outputs), points, body)
    gap = np.linalg.norm(found.places.array - places, axis=-1)
    assert gap[:, :11].max() < 1e-4
    # Straight limbs are bent a little: at 0.9995 of its length an arm's elbow is off by 3 % of it.
    assert gap[:, 11:].max() < 0.01
    assert np.median(gap[:, 11:]) < 1e-4
    assert np.abs(found.locals.array[:, :7] - turns[:, :7]).max() < 1e-3
    assert np.abs(found.locals.array[:, 15:] - turns[:, 15:]).max() < 1e-3


def test_rotations_are_rotations():
    rng = np.random.default_rng(1)
    outputs = rng.normal(size=(50, 78))
    _, points, body, _, _ = case("walk")
    found = answer(Value(outputs), points[:50], Body(*(part[:50] for part in body)))
    unit = found.locals.array @ np.swapaxes(found.locals.array, -1, -2)
    np.testing.assert_allclose(unit, np.broadcast_to(np.eye(3), unit.shape),
                               atol=2e-3)  # fmt: skip


@pytest.mark.parametrize("region", sorted(set(REGIONS)))
def test_limits_are_those_of_the_solver(region):
    rng = np.random.default_rng(2)
    turns = arrays.from_rotvec(0.5 * rng.normal(size=(300, 3)))
    limit = SPINE[region].limit(REGIONS.count(region))
    held = _held(Value(arrays.to_matrix(turns)), region).array
    wanted = arrays.to_matrix(np.array([limit.project(q) for q in turns]))
    assert np.abs(held - wanted).max() < 2e-3  # the boundary is sampled
    inside = np.array([limit.contains(q) for q in turns])
    assert 10 < inside.sum() < 290


def test_the_limits_of_one_joint_do_not_hold_back_the_next():
    x, y = np.zeros((1, 7, 3)), np.zeros((1, 7, 3))
    x[..., 0], y[..., 1] = 1.0, 1.0
    y[:, 3] = (0.0, np.cos(1.0), np.sin(1.0))  # the chest bows by 1 rad, more than it may
    stations = within_limits(frames(Value(x), Value(y))).array[0]
    np.testing.assert_allclose(stations[2], np.eye(3), atol=1e-4)
    assert 0.3 < np.arctan2(stations[3, 2, 1], stations[3, 1, 1]) < 0.45
    np.testing.assert_allclose(stations[6], np.eye(3), atol=1e-3)
