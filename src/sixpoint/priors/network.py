"""The network of the prior: it answers for a body and for its mirror image alike.

Inputs come as what a mirror leaves as it is (sums of both sides) and as what changes its sign
(differences). Hidden units come in pairs, of which a mirror exchanges the two; half of their sum
and half of their difference are what layers work on::

    sum, difference -> matrices of their own -> h(sum + difference), h(sum - difference) -> ...

So the answer for a mirrored body is the mirrored answer to the bit, with half of the arithmetic of
a network without this symmetry, and without learning it from twice the data. Each hidden layer but
the first adds to the one before (He et al. 2016), which is normalized first (Ba et al. 2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from . import autograd as ad
from .autograd import Array, Value

Layers: TypeAlias = list[Array]
"""For each layer: matrix and offset of the sums, matrix of the differences."""
TINY = 1e-5
"""Added to the mean square of hidden units before they are normalized."""


def new_layers(
    rng: np.random.Generator,
    inputs: tuple[int, int],
    units: Sequence[int],
    outputs: tuple[int, int],
) -> Layers:
    """Return random layers, the last of which is zero.

    Args:
        rng: draws them.
        inputs: how many sums and differences come in.
        units: pairs of hidden units in each layer; all the same.
        outputs: how many sums and differences go out.
    """
    sizes = [inputs, *((n, n) for n in units), outputs]
    layers: Layers = []
    for k, ((e, o), (f, p)) in enumerate(pairwise(sizes)):
        spread = 0.0 if k == len(sizes) - 2 else np.sqrt(2.0 / (e + o))
        layers += [
            (spread * rng.normal(size=(e, f))).astype(np.float32),
            np.zeros(f, np.float32),
            (spread * rng.normal(size=(o, p))).astype(np.float32),
        ]
    return layers


def answer(
    layers: Sequence[Value], even: Array, odd: Array, masks: Sequence[Array] = ()
) -> tuple[Value, Value]:
    """Return half-sums (N, E) and half-differences (N, O) of the outputs of both sides.

    Args:
        layers: as `Layers`.
        even: what a mirror leaves as it is, (N, E).
        odd: what changes its sign, (N, O).
        masks: factors of the hidden units of each layer, if any.
    """
    total, difference = Value(even), Value(odd)
    count = len(layers) // 3
    for k in range(count):
        matrix, offset, other = layers[3 * k : 3 * k + 3]
        a, b = (total, difference) if k == 0 else normalized(total, difference)
        a, b = a @ matrix + offset, b @ other
        if k == count - 1:
            return a, b
        one, two = ad.soft_ramp(a + b), ad.soft_ramp(a - b)
        a, b = (one + two) * 0.5, (one - two) * 0.5
        if masks:
            a, b = a * masks[k], b * masks[k]
        total, difference = (a, b) if k == 0 else (total + a, difference + b)
    raise AssertionError("a network has layers")


def normalized(total: Value, difference: Value) -> tuple[Value, Value]:
    """Return hidden units with a mean of zero and a mean square of one."""
    share = 1.0 / total.shape[1]
    total = total - total.sum(axis=1).reshape(-1, 1) * share
    square = (total * total).sum(axis=1) + (difference * difference).sum(axis=1)
    size = ad.sqrt(square * share + TINY).reshape(-1, 1)
    return total / size, difference / size


def predict(layers: Layers, even: Array, odd: Array) -> tuple[Array, Array]:
    """Return the same as `answer`, for arrays."""
    a, b = answer([Value(w) for w in layers], even, odd)
    return a.array, b.array
