"""Layers of small networks, for two rows at once: a body and its mirror image."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.types import Floats


@helper
def dense(x: Floats, w: Floats, b: Floats, out: Floats, bent: bool) -> None:
    """One layer for the two rows of x: out = x W + b, and the bend of hidden units.

    Sums run over the outputs inside, so that the compiler can take several at once without changing
    the order of additions.
    """
    width = w.shape[1]
    for j in range(width):
        out[0, j] = b[j]
        out[1, j] = b[j]
    for i in range(w.shape[0]):
        straight, mirrored = x[0, i], x[1, i]
        for j in range(width):
            out[0, j] += straight * w[i, j]
            out[1, j] += mirrored * w[i, j]
    if bent:
        for j in range(width):
            a, b_ = out[0, j], out[1, j]
            out[0, j] = 0.5 * (a + math.sqrt(a * a + 1.0))
            out[1, j] = 0.5 * (b_ + math.sqrt(b_ * b_ + 1.0))
