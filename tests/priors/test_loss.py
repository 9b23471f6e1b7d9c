from __future__ import annotations

import numpy as np

from sixpoint.priors.loss import Batch, loss
from sixpoint.priors.network import Adam, backward, forward, new_weights

STEP = 1e-6


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def some_batch(rng, count=3):
    return Batch(
        unit(rng.normal(size=(count, 26, 3))),
        0.1 * rng.normal(size=(count, 5, 3)),
        0.1 * rng.normal(size=(count, 2, 3)),
        0.1 * rng.normal(size=(count, 2, 3)),
        0.3 * rng.normal(size=(count, 5, 3)),
        0.3 * rng.normal(size=(count, 4, 3)),
        unit(rng.normal(size=(count, 4, 3))),
        0.1 * rng.random((count, 4)),
    )


def numeric(function, at):
    slope = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[index] = STEP
        slope[index] = (function(at + step) - function(at - step)) / (2.0 * STEP)
    return slope


def test_the_slope_of_the_loss_is_its_derivative():
    rng = np.random.default_rng(2)
    batch = some_batch(rng)
    outputs = rng.normal(size=(3, 78))
    _, slope = loss(outputs, batch)
    np.testing.assert_allclose(
        slope, numeric(lambda o: loss(o, batch)[0], outputs), rtol=1e-5, atol=1e-8
    )


def test_right_answers_cost_next_to_nothing_and_others_more():
    rng = np.random.default_rng(3)
    batch = some_batch(rng)
    right = batch.targets.reshape(3, 78)
    x, y = batch.targets[:, 0:14:2], batch.targets[:, 1:14:2]
    z = np.cross(x, y)

    def turned(station, v):
        return v[..., :1] * x[:, station] + v[..., 1:2] * y[:, station] + v[..., 2:] * z[:, station]

    spine = np.cumsum(turned(slice(1, 6), batch.parts), axis=1)
    shoulders = spine[:, 2:3] + turned(slice(3, 4), batch.girdle)
    roots = np.concatenate([shoulders, turned(slice(0, 1), batch.hips)], axis=1)
    batch = batch._replace(spine=spine, roots=roots)
    least, _ = loss(right, batch)
    most, _ = loss(right + 0.1 * rng.normal(size=right.shape), batch)
    assert least < 0.1 < most


def test_backwards_is_the_derivative_of_forwards():
    rng = np.random.default_rng(4)
    weights = [w.astype(np.float64) for w in new_weights(rng, (4, 5, 6, 3))]
    weights[4] += rng.normal(size=weights[4].shape)
    x, pull = rng.normal(size=(7, 4)), rng.normal(size=(7, 3))
    _, kept = forward(weights, x)
    slopes = backward(weights, kept, pull)
    for k, slope in enumerate(slopes):

        def cost(w, k=k):
            changed = [*weights[:k], w, *weights[k + 1 :]]
            return float((forward(changed, x)[0] * pull).sum())

        np.testing.assert_allclose(slope, numeric(cost, weights[k]), rtol=1e-6, atol=1e-7)


def test_adam_finds_the_bottom_of_a_bowl():
    weights = [np.full((2, 2), 3.0, np.float32), np.full(2, -2.0, np.float32)]
    adam = Adam(weights, steps=800, rate=0.05, decay=0.0)
    for _ in range(800):
        adam.step([2.0 * w for w in weights])
    assert max(float(np.abs(w).max()) for w in weights) < 0.01
