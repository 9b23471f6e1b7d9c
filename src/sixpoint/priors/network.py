"""A small network of two hidden layers in NumPy, and Adam, who fits it.

Hidden units bend by h(x) = (x + sqrt(x^2 + 1)) / 2, smooth and without an exponential: the compiled
solver computes the same in a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from . import autograd
from .autograd import Array, Value

Weights = list[Array]
"""Matrix and offset of each layer in turn: W1 (in, h), b1 (h,), W2, b2, W3, b3."""


def new_weights(rng: np.random.Generator, sizes: tuple[int, ...]) -> Weights:
    """Random weights for layers of these sizes; the last layer starts at zero."""
    weights: Weights = []
    for k, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        spread = 0.0 if k == len(sizes) - 2 else np.sqrt(2.0 / fan_in)
        weights += [
            (spread * rng.normal(size=(fan_in, fan_out))).astype(np.float32),
            np.zeros(fan_out, np.float32),
        ]
    return weights


def forward(weights: Sequence[Value], x: Array, masks: Sequence[Array] = ()) -> Value:
    """Outputs of rows x (N, in); masks, if any, are factors of the hidden units of each layer."""
    value = Value(x)
    last = len(weights) // 2 - 1
    for k in range(last + 1):
        value = value @ weights[2 * k] + weights[2 * k + 1]
        if k < last:
            value = autograd.bend(value)
            if masks:
                value = value * masks[k]
    return value


def bend(x: Array) -> Array:
    """What a hidden unit makes of its sum."""
    return 0.5 * (x + np.sqrt(x * x + 1.0))


@dataclass
class Adam:
    """Stochastic gradient descent with momentum and scaling, and decay of the matrices.

    Kingma and Ba, "Adam", ICLR 2015; decay as in Loshchilov and Hutter, ICLR 2019. The rate rises
    for a tenth of the steps and falls as a cosine to zero.
    """

    weights: Weights
    steps: int
    rate: float = 3e-3
    decay: float = 1e-2
    clip: float = 1.0
    """Longest gradient that is followed at full length."""

    def __post_init__(self) -> None:
        self._mean = [np.zeros_like(w) for w in self.weights]
        self._square = [np.zeros_like(w) for w in self.weights]
        self._step = 0

    def step(self, slopes: list[Array]) -> None:
        """One step downhill, in place."""
        self._step += 1
        t = self._step
        warm = max(self.steps // 10, 1)
        part = (t - warm) / max(self.steps - warm, 1)
        rate = self.rate * (t / warm if t <= warm else 0.5 + 0.5 * np.cos(np.pi * part))
        norm = float(np.sqrt(sum(float((g * g).sum()) for g in slopes)))
        shrink = min(1.0, self.clip / max(norm, 1e-12))
        for w, g, mean, square in zip(self.weights, slopes, self._mean, self._square, strict=True):
            g = g * np.float32(shrink)
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            if w.ndim == 2:
                w *= np.float32(1.0 - rate * self.decay)
            change = (mean / (1.0 - 0.9**t)) / (np.sqrt(square / (1.0 - 0.999**t)) + 1e-8)
            w -= np.float32(rate) * change
