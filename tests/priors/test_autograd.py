"""Every step has the derivative that small differences have, and descent finds the bottom."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.priors import autograd
from sixpoint.priors.autograd import Adam, Value, gradients

STEP = 1e-6
RNG = np.random.default_rng(11)
A, B = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
ROW, COLUMN = RNG.normal(size=3), RNG.normal(size=(4, 1))
M, N = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(2, 3, 3))

STEPS = {
    "add": (lambda a, b: a + b, A, B),
    "add a row": (lambda a, b: a + b, A, ROW),
    "add a number": (lambda a: 2.0 + a + 1.0, A),
    "subtract a column": (lambda a, b: a - b, A, COLUMN),
    "subtract from": (lambda a: 3.0 - a, A),
    "negate": (lambda a: -a, A),
    "multiply": (lambda a, b: a * b, A, ROW),
    "multiply by itself": (lambda a: a * a, A),
    "divide": (lambda a, b: a / b, A, B),
    "divide a number": (lambda a: 2.0 / a, A),
    "matrix product": (lambda a, b: a @ b, A, M[0]),
    "many matrix products": (lambda a, b: a @ b, M, N),
    "slice": (lambda a: a[1:3, ::2], A),
    "take in another order": (lambda a: a[:, np.array([2, 0, 1])], A),
    "sum": (lambda a: a.sum(), A),
    "sum over axes": (lambda a: a.sum(axis=(-2, -1)), M),
    "mean": (lambda a: a.mean(), A),
    "reshape": (lambda a: a.reshape(2, 6), A),
    "transpose": (lambda a: a.transposed(), M),
    "square root": (lambda a: autograd.sqrt(a * a + 1.0), A),
    "bend": (autograd.soft_ramp, A),
    "softplus": (lambda a: autograd.softplus(a * 40.0), A),
    "cross": (autograd.cross, A, B),
    "dot": (autograd.dot, A, B),
    "running sum": (lambda a: autograd.cumsum(a), M),
    "join": (lambda a, b: autograd.concatenate([a, b, a], axis=1), A, B),
    "stack": (lambda a, b: autograd.stack([a, b], axis=-2), A, B),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_slope_of_a_step_is_its_derivative(name):
    step, *inputs = STEPS[name]
    values = [Value(x) for x in inputs]
    weights = np.random.default_rng(5).normal(size=step(*values).shape)

    def cost(*xs):
        return (step(*(Value(x) for x in xs)) * weights).sum()

    found = gradients((step(*values) * weights).sum(), values)
    for k, x in enumerate(inputs):
        numeric = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            change = np.zeros_like(x)
            change[index] = STEP
            ends = [
                cost(*inputs[:k], x + sign * change, *inputs[k + 1 :]).array for sign in (1, -1)
            ]
            numeric[index] = (ends[0] - ends[1]) / (2.0 * STEP)
        np.testing.assert_allclose(found[k], numeric, rtol=1e-6, atol=1e-7)


def test_what_plays_no_part_has_no_slope():
    used, idle = Value(A), Value(B)
    np.testing.assert_array_equal(gradients(used.sum(), [idle])[0], 0.0)


def test_a_value_used_twice_is_counted_twice():
    x = Value(np.array(3.0))
    y = x * 2.0
    (slope,) = gradients(y * y + y, [x])
    assert slope == 2.0 * 6.0 * 2.0 + 2.0


def test_adam_finds_the_bottom_of_a_bowl():
    weights = [np.full((2, 2), 3.0, np.float32), np.full(2, -2.0, np.float32)]
    adam = Adam(weights, steps=800, rate=0.05, decay=0.0)
    for _ in range(800):
        adam.step([2.0 * w for w in weights])
    assert max(float(np.abs(w).max()) for w in weights) < 0.01
