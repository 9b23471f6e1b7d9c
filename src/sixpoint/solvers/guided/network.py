"""The network of the prior for one frame, in 32 bits: the same as `priors.network`, compiled.

Inputs that are zero, as all of points that were not seen, cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels._jit import helper
from ...kernels.types import Floats, Ints
from ...priors.layout import Sides, mirror_inputs, mirror_outputs, sides
from ...priors.network import TINY, Layers

Singles = NDArray[np.float32]

HALF, ONE = np.float32(0.5), np.float32(1.0)
LITTLE = np.float32(TINY)


class Columns(NamedTuple):
    """Columns of both sides told apart: ``x[first] + sign * x[second]``."""

    first: Ints
    second: Ints
    sign: Floats  # 0 for a column that stands for both sides
    even: Ints  # how many of them do not change in a mirror, (1,)


class Network(NamedTuple):
    """Weights of I inputs, D hidden layers of U pairs of units, O outputs; and scratch memory."""

    inputs: Columns
    outputs: Columns
    even_in: Singles  # (E, U)
    odd_in: Singles  # (I - E, U)
    even_hidden: Singles  # (D - 1, U, U)
    odd_hidden: Singles  # (D - 1, U, U)
    even_out: Singles  # (U, F)
    odd_out: Singles  # (U, O - F)
    offsets: Singles  # of the hidden layers, (D, U)
    out_offset: Singles  # (F,)
    x: Floats  # inputs, (I,)
    y: Floats  # outputs, (O,)
    even: Singles  # half-sums of the hidden units, (U,)
    odd: Singles  # half-differences, (U,)
    even_sum: Singles  # (max(U, F),)
    odd_sum: Singles
    even_unit: Singles  # (U,)
    odd_unit: Singles


def new_network(layers: Layers) -> Network:
    """Return layers as compiled code takes them, with scratch memory of their own."""
    single = [np.ascontiguousarray(layer, np.float32) for layer in layers]
    hidden = range(1, len(single) // 3 - 1)
    units, most = single[1].size, max(single[1].size, single[-2].size)
    shapes = (units, units, most, most, units, units)
    empty = np.zeros((0, units, units), np.float32)
    return Network(
        _columns(sides(*mirror_inputs())),
        _columns(sides(*mirror_outputs())),
        single[0],
        single[2],
        np.stack([single[3 * k] for k in hidden]) if hidden else empty,
        np.stack([single[3 * k + 2] for k in hidden]) if hidden else empty,
        single[-3],
        single[-1],
        np.stack([single[3 * k + 1] for k in range(len(single) // 3 - 1)]),
        single[-2],
        np.zeros(len(mirror_inputs()[0])),
        np.zeros(len(mirror_outputs()[0])),
        *(np.zeros(shape, np.float32) for shape in shapes),
    )


def _columns(found: Sides) -> Columns:
    columns = np.concatenate([found.even, found.odd], axis=1).T
    first = np.argmax(columns != 0.0, axis=1)
    second = columns.shape[1] - 1 - np.argmax(columns[:, ::-1] != 0.0, axis=1)
    sign = np.where(first == second, 0.0, columns[np.arange(len(columns)), second])
    return Columns(first, second, sign, np.array([found.even.shape[1]]))


@helper
def run_network(net: Network) -> None:
    """Compute the outputs `net.y` of the inputs `net.x`."""
    depth, units = net.offsets.shape
    read_inputs(net)
    for layer in range(depth):
        if layer > 0:
            normalize(net)
            for k in range(units):
                net.even_sum[k] = net.offsets[layer, k]
                net.odd_sum[k] = np.float32(0.0)
            add_products(net.even_hidden[layer - 1], net.even_unit, net.even_sum)
            add_products(net.odd_hidden[layer - 1], net.odd_unit, net.odd_sum)
        bend(net, layer > 0)
    normalize(net)
    even, odd = net.even_out.shape[1], net.odd_out.shape[1]
    for k in range(even):
        net.even_sum[k] = net.out_offset[k]
    for k in range(odd):
        net.odd_sum[k] = np.float32(0.0)
    add_products(net.even_out, net.even_unit, net.even_sum)
    add_products(net.odd_out, net.odd_unit, net.odd_sum)
    write_outputs(net)


@helper
def read_inputs(net: Network) -> None:
    """Sums of the first layer."""
    columns, units = net.inputs, net.even.shape[0]
    for k in range(units):
        net.even_sum[k] = net.offsets[0, k]
        net.odd_sum[k] = np.float32(0.0)
    count = columns.even[0]
    for row in range(columns.first.shape[0]):
        value = net.x[columns.first[row]] + columns.sign[row] * net.x[columns.second[row]]
        if value == 0.0:
            continue
        if row < count:
            add_row(net.even_in[row], np.float32(value), net.even_sum)
        else:
            add_row(net.odd_in[row - count], np.float32(value), net.odd_sum)


@helper
def add_row(weights: Singles, value: np.float32, out: Singles) -> None:
    """Add a multiple of a row."""
    for k in range(weights.shape[0]):
        out[k] += value * weights[k]


@helper
def add_products(weights: Singles, values: Singles, out: Singles) -> None:
    """Add ``values @ weights``, four rows at a time."""
    rows, columns = weights.shape
    for row in range(0, rows - 3, 4):
        a, b, c, d = values[row], values[row + 1], values[row + 2], values[row + 3]
        for k in range(columns):
            out[k] += (
                a * weights[row, k]
                + b * weights[row + 1, k]
                + c * weights[row + 2, k]
                + d * weights[row + 3, k]
            )
    for row in range(rows - rows % 4, rows):
        add_row(weights[row], values[row], out)


@helper
def bend(net: Network, add: bool) -> None:
    """Hidden units of the sums, added to those of the layer before or instead of them."""
    for k in range(net.even.shape[0]):
        p = net.even_sum[k] + net.odd_sum[k]
        m = net.even_sum[k] - net.odd_sum[k]
        p = HALF * (p + np.sqrt(p * p + ONE))
        m = HALF * (m + np.sqrt(m * m + ONE))
        if add:
            net.even[k] += HALF * (p + m)
            net.odd[k] += HALF * (p - m)
        else:
            net.even[k] = HALF * (p + m)
            net.odd[k] = HALF * (p - m)


@helper
def normalize(net: Network) -> None:
    """Units with a mean of zero and a mean square of one."""
    units = net.even.shape[0]
    mean = np.float32(0.0)
    for k in range(units):
        mean += net.even[k]
    mean /= np.float32(units)
    square = np.float32(0.0)
    for k in range(units):
        v = net.even[k] - mean
        square += v * v + net.odd[k] * net.odd[k]
    scale = ONE / np.sqrt(square / np.float32(units) + LITTLE)
    for k in range(units):
        net.even_unit[k] = (net.even[k] - mean) * scale
        net.odd_unit[k] = net.odd[k] * scale


@helper
def write_outputs(net: Network) -> None:
    """Columns of the outputs from half-sums and half-differences."""
    columns = net.outputs
    count = columns.even[0]
    for k in range(net.y.shape[0]):
        net.y[k] = 0.0
    for row in range(columns.first.shape[0]):
        value = float(net.even_sum[row] if row < count else net.odd_sum[row - count])
        net.y[columns.first[row]] += value
        if columns.second[row] != columns.first[row]:
            net.y[columns.second[row]] += columns.sign[row] * value
