"""The body that follows from outputs of the network, and its errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.priors.people import directions, right_outputs, subject

from sixpoint.kernels import arrays
from sixpoint.limits.adult import SPINE
from sixpoint.priors.autograd import Value, gradients
from sixpoint.priors.layout import facing, neutral
from sixpoint.priors.loss import (
    REGIONS,
    Batch,
    Body,
    _held,
    answer,
    errors,
    frames,
    loss,
    within_limits,
)
from sixpoint.priors.poses import ARMS, CHEST, body_positions
from sixpoint.priors.training_data import part_rotations

STEP = 1e-6


def some(count=4):
    outputs, points, body, rotations, positions = case("boxing")
    which = np.linspace(0, len(points) - 1, count).astype(int)
    batch = Batch(
        points[which],
        type(body)(*(part[which] for part in body)),
        rotations[which],
        positions[which],
    )
    return outputs[which], batch


def test_the_slope_of_the_loss_is_its_derivative():
    _, batch = some()
    rng = np.random.default_rng(2)
    outputs = neutral() + 0.3 * rng.normal(size=(4, 78))
    value = Value(outputs)
    (slope,) = gradients(loss(value, batch), [value])
    numeric = np.zeros_like(outputs)
    for index in np.ndindex(outputs.shape):
        change = np.zeros_like(outputs)
        change[index] = STEP
        ends = [loss(Value(outputs + sign * change), batch).array for sign in (1, -1)]
        numeric[index] = (ends[0] - ends[1]) / (2.0 * STEP)
    np.testing.assert_allclose(slope, numeric, rtol=1e-5, atol=1e-7)


def test_the_neutral_answer_has_a_finite_slope():
    _, batch = some()
    value = Value(np.tile(neutral(), (4, 1)))
    assert np.isfinite(gradients(loss(value, batch), [value])[0]).all()


def test_right_answers_cost_least():
    right, batch = some(20)
    least = float(loss(Value(right), batch).array)
    rng = np.random.default_rng(3)
    for _ in range(10):
        other = right + 0.1 * rng.normal(size=right.shape)
        assert float(loss(Value(other), batch).array) > 2.0 * least


def test_errors_are_those_of_the_paper():
    right, batch = some(6)
    turned = batch.rotations.copy()
    angle = 0.3
    about_x = arrays.to_matrix(arrays.from_rotvec(np.array([angle, 0.0, 0.0])))
    turned[:, 3] = turned[:, 3] @ about_x  # one joint of the spine
    moved = batch.positions.copy()
    moved[:, 5] += (0.0, 0.1, 0.0)  # a clavicle
    found = answer(Value(right), batch.points, batch.body)
    before = errors(found, batch)
    after = errors(found, batch._replace(rotations=turned, positions=moved))
    gain = [(b.array - a.array).mean() for a, b in zip(before, after, strict=True)]
    np.testing.assert_allclose(gain[0], 0.1 / 22.0, rtol=0.05)
    np.testing.assert_allclose(gain[1], 2.0 * np.sin(angle / 2.0) / 22.0, rtol=0.05)


def case(name):
    """Outputs that are right, points, bodies, and the truth, all in the facing."""
    person = subject(name)
    # The answer leaves clavicles to the solver.
    poses = replace(person.poses, clavicles=person.poses.stations[:, [CHEST] * ARMS])
    person = replace(person, poses=poses)
    joints, seen_points = body_positions(person.build, person.poses)
    height, count = person.build.height, len(person.poses)
    seen = facing(seen_points, directions(person.poses)[:, 0])
    lengths = (
        np.concatenate([person.build.torso, person.build.neck]),
        person.build.bases,
        person.build.clavicles,
        person.build.bones,
    )
    body = Body(*(np.broadcast_to(x / height, (count, *x.shape)) for x in lengths))
    rotations = arrays.to_matrix(part_rotations(person.poses))
    rotations[:, 0] = np.swapaxes(seen, -1, -2) @ rotations[:, 0]
    truth = joints @ seen / height
    return (
        right_outputs(person.poses, seen),
        seen_points @ seen / height,
        body,
        rotations,
        truth,
    )


@pytest.mark.parametrize("name", ["walk", "reach", "boxing"])
def test_right_outputs_give_the_body_back(name):
    outputs, points, body, rotations, positions = case(name)
    found = answer(Value(outputs), points, body)
    gap = np.linalg.norm(found.positions.array - positions, axis=-1)
    assert gap[:, :11].max() < 1e-4
    # Straight limbs are bent a little: at 0.9995 of its length an arm's elbow is off by 3 % of it.
    assert gap[:, 11:].max() < 0.01
    assert np.median(gap[:, 11:]) < 1e-4
    assert np.abs(found.locals.array[:, :7] - rotations[:, :7]).max() < 1e-3
    assert np.abs(found.locals.array[:, 15:] - rotations[:, 15:]).max() < 1e-3


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
    rotations = arrays.from_rotvec(0.5 * rng.normal(size=(300, 3)))
    limit = SPINE[region].limit(joints=REGIONS.count(region))
    held = _held(Value(arrays.to_matrix(rotations)), region).array
    wanted = arrays.to_matrix(np.array([limit.project(q) for q in rotations]))
    assert np.abs(held - wanted).max() < 2e-3  # the boundary is sampled
    inside = np.array([limit.contains(q) for q in rotations])
    assert 10 < inside.sum() < 290


def test_the_limits_of_one_joint_do_not_hold_back_the_next():
    x, y = np.zeros((1, 7, 3)), np.zeros((1, 7, 3))
    x[..., 0], y[..., 1] = 1.0, 1.0
    y[:, 3] = (0.0, np.cos(1.0), np.sin(1.0))  # the chest bows by 1 rad, more than it may
    stations = within_limits(frames(Value(x), Value(y))).array[0]
    np.testing.assert_allclose(stations[2], np.eye(3), atol=1e-4)
    assert 0.3 < np.arctan2(stations[3, 2, 1], stations[3, 1, 1]) < 0.45
    np.testing.assert_allclose(stations[6], np.eye(3), atol=1e-3)
