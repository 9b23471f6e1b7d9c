from __future__ import annotations

import numpy as np

from sixpoint.priors.autograd import Value
from sixpoint.priors.network import Adam, bend, forward, new_weights


def test_layers_follow_each_other():
    rng = np.random.default_rng(4)
    weights = new_weights(rng, (4, 5, 6, 3))
    weights[4] += rng.normal(size=weights[4].shape)
    x = rng.normal(size=(7, 4))
    w1, b1, w2, b2, w3, b3 = weights
    wanted = bend(bend(x @ w1 + b1) @ w2 + b2) @ w3 + b3
    np.testing.assert_allclose(forward([Value(w) for w in weights], x).array, wanted)


def test_a_masked_unit_plays_no_part():
    rng = np.random.default_rng(5)
    weights = new_weights(rng, (4, 5, 6, 3))
    weights[4] += rng.normal(size=weights[4].shape)
    x = rng.normal(size=(2, 4))
    masks = [np.ones((2, 5)), np.ones((2, 6))]
    masks[1][:, 2] = 0.0
    found = forward([Value(w) for w in weights], x, masks).array
    weights[4][2] = 0.0
    np.testing.assert_allclose(found, forward([Value(w) for w in weights], x).array)


def test_adam_finds_the_bottom_of_a_bowl():
    weights = [np.full((2, 2), 3.0, np.float32), np.full(2, -2.0, np.float32)]
    adam = Adam(weights, steps=800, rate=0.05, decay=0.0)
    for _ in range(800):
        adam.step([2.0 * w for w in weights])
    assert max(float(np.abs(w).max()) for w in weights) < 0.01
