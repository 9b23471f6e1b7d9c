"""Every step of the tape has the derivative that small differences have."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.priors import autograd
from sixpoint.priors.autograd import Value, slopes

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
    "transpose": (lambda a: a.flipped(), M),
    "square root": (lambda a: autograd.sqrt(a * a + 1.0), A),
    "sine": (autograd.sin, A),
    "cosine": (autograd.cos, A),
    "angle": (autograd.atan2, A, B),
    "bend": (autograd.bend, A),
    "softplus": (lambda a: autograd.softplus(a * 40.0), A),
    "least": (autograd.least, A, B),
    "least of a number": (lambda a: autograd.least(a, 0.1), A),
    "most": (autograd.most, A, B),
    "cross": (autograd.cross, A, B),
    "dot": (autograd.dot, A, B),
    "running sum": (lambda a: autograd.running_sum(a), M),
    "join": (lambda a, b: autograd.joined([a, b, a], axis=1), A, B),
    "stack": (lambda a, b: autograd.stacked([a, b], axis=-2), A, B),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_slope_of_a_step_is_its_derivative(name):
    step, *inputs = STEPS[name]
    values = [Value(x) for x in inputs]
    weights = np.random.default_rng(5).normal(size=step(*values).shape)

    def cost(*xs):
        return (step(*(Value(x) for x in xs)) * weights).sum()

    found = slopes((step(*values) * weights).sum(), values)
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
    np.testing.assert_array_equal(slopes(used.sum(), [idle])[0], 0.0)


def test_a_value_used_twice_is_counted_twice():
    x = Value(np.array(3.0))
    y = x * 2.0
    (slope,) = slopes(y * y + y, [x])
    assert slope == 2.0 * 6.0 * 2.0 + 2.0


def test_the_angle_of_nothing_has_a_finite_slope():
    zero = Value(np.zeros(2))
    np.testing.assert_array_equal(slopes(autograd.atan2(zero, zero).sum(), [zero])[0], 0.0)
