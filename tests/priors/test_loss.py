from __future__ import annotations

import numpy as np
from tests.priors.test_answer import case

from sixpoint.kernels import arrays
from sixpoint.priors.answer import answer
from sixpoint.priors.autograd import Value, slopes
from sixpoint.priors.layout import neutral
from sixpoint.priors.loss import Batch, errors, loss

STEP = 1e-6


def some(count=4):
    outputs, points, body, turns, places = case("boxing")
    which = np.linspace(0, len(points) - 1, count).astype(int)
    batch = Batch(
        points[which], type(body)(*(part[which] for part in body)), turns[which], places[which]
    )
    return outputs[which], batch


def test_the_slope_of_the_loss_is_its_derivative():
    _, batch = some()
    rng = np.random.default_rng(2)
    outputs = neutral() + 0.3 * rng.normal(size=(4, 78))
    value = Value(outputs)
    (slope,) = slopes(loss(value, batch), [value])
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
    assert np.isfinite(slopes(loss(value, batch), [value])[0]).all()


def test_right_answers_cost_least():
    right, batch = some(20)
    least = float(loss(Value(right), batch).array)
    rng = np.random.default_rng(3)
    for _ in range(10):
        other = right + 0.1 * rng.normal(size=right.shape)
        assert float(loss(Value(other), batch).array) > 2.0 * least


def test_errors_are_those_of_the_paper():
    right, batch = some(6)
    turned = batch.turns.copy()
    angle = 0.3
    about_x = arrays.to_matrix(arrays.from_rotvec(np.array([angle, 0.0, 0.0])))
    turned[:, 3] = turned[:, 3] @ about_x  # one joint of the spine
    moved = batch.places.copy()
    moved[:, 5] += (0.0, 0.1, 0.0)  # a clavicle
    found = answer(Value(right), batch.points, batch.body)
    before = errors(found, batch)
    after = errors(found, batch._replace(turns=turned, places=moved))
    gain = [(b.array - a.array).mean() for a, b in zip(before, after, strict=True)]
    np.testing.assert_allclose(gain[0], 0.1 / 22.0, rtol=0.05)
    np.testing.assert_allclose(gain[1], 2.0 * np.sin(angle / 2.0) / 22.0, rtol=0.05)
