"""The network answers alike for a body and its mirror image, in NumPy and in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.kernels._jit import kernel
from sixpoint.priors.autograd import Value, gradients
from sixpoint.priors.layout import INPUTS, OUTPUTS, mirror_inputs, mirror_outputs
from sixpoint.priors.model import builtin_prior
from sixpoint.priors.network import answer, new_layers, predict
from sixpoint.solvers.guided.network import new_network, run_network

STEP = 1e-6


@kernel
def compiled(net):
    run_network(net)


def some_layers(seed, inputs=(5, 4), units=(6, 6, 6), outputs=(3, 2)):
    """Random layers in 64 bits, the last of them, too."""
    rng = np.random.default_rng(seed)
    layers = new_layers(rng, inputs, units, outputs)
    return [layer + 0.3 * rng.normal(size=layer.shape) for layer in layers]


def inputs_of(count, seed):
    """Inputs with as many zeros as there are points that are not seen."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, INPUTS)) * (rng.random((count, INPUTS)) < 0.4)


def test_a_mirrored_body_gets_the_mirrored_answer_to_the_bit():
    order, signs = mirror_inputs()
    back, back_signs = mirror_outputs()
    prior, x = builtin_prior(), inputs_of(30, 1)
    one, other = prior.predict(x), prior.predict(x[:, order] * signs)
    np.testing.assert_array_equal(one[:, back] * back_signs, other)
    np.testing.assert_array_equal(prior.plausibility(x), prior.plausibility(x[:, order] * signs))


def test_differences_of_both_sides_change_their_sign_with_those_of_the_input():
    layers, rng = some_layers(2), np.random.default_rng(3)
    even, odd = rng.normal(size=(7, 5)), rng.normal(size=(7, 4))
    one, other = predict(layers, even, odd), predict(layers, even, -odd)
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], -other[1])


def test_the_compiled_network_says_what_the_one_in_numpy_says():
    prior, x = builtin_prior(), inputs_of(20, 4)
    net, wanted = new_network(list(prior.layers)), prior.predict(x)
    for row, right in zip(x, wanted, strict=True):
        net.x[:] = row
        compiled(net)
        np.testing.assert_allclose(net.y, right, atol=2e-4)


def test_a_network_with_one_hidden_layer_is_compiled_alike():
    prior = builtin_prior()
    layers = [*prior.layers[:3], *prior.layers[-3:]]
    net, x = new_network(layers), inputs_of(1, 5)[0]
    net.x[:] = x
    compiled(net)
    assert net.y.shape == (OUTPUTS,)
    order, signs = mirror_inputs()
    back, back_signs = mirror_outputs()
    straight = net.y[back] * back_signs
    net.x[:] = x[order] * signs
    compiled(net)
    np.testing.assert_array_equal(net.y, straight)


def test_slopes_are_derivatives():
    layers, rng = some_layers(6), np.random.default_rng(7)
    even, odd = rng.normal(size=(4, 5)), rng.normal(size=(4, 4))
    masks = [(rng.random((4, 6)) < 0.8) * 1.25 for _ in range(3)]
    weights = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))

    def cost(given):
        a, b = answer([Value(layer) for layer in given], even, odd, masks)
        return float((a * weights[0]).sum().array + (b * weights[1]).sum().array)

    values = [Value(layer) for layer in layers]
    a, b = answer(values, even, odd, masks)
    found = gradients((a * weights[0]).sum() + (b * weights[1]).sum(), values)
    for k, layer in enumerate(layers):
        index = np.unravel_index(rng.integers(layer.size), layer.shape)
        ends = []
        for sign in (1.0, -1.0):
            moved = [other.copy() for other in layers]
            moved[k][index] += sign * STEP
            ends.append(cost(moved))
        assert found[k][index] == pytest.approx((ends[0] - ends[1]) / (2.0 * STEP), abs=1e-6)


def test_new_layers_answer_nothing_yet():
    layers = new_layers(np.random.default_rng(8), (5, 4), (6, 6), (3, 2))
    a, b = predict(layers, np.ones((2, 5), np.float32), np.ones((2, 4), np.float32))
    np.testing.assert_array_equal(a, 0.0)
    np.testing.assert_array_equal(b, 0.0)
