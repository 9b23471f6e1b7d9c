"""The critic, asked: whether six points can be those of a body, names and axes being right."""

from __future__ import annotations

import math

from ...kernels._jit import helper
from .guide_tables import Net
from .layers import dense

DOUBT = 0.5
"""Points less likely than this to be right are doubted: at equal odds, more likely wrong."""


@helper
def plausibility(net: Net) -> float:
    """How likely the inputs in `x` are right, if right and wrong ones were equally frequent."""
    dense(net.x, net.c1, net.d1, net.g1, True)
    dense(net.g1, net.c2, net.d2, net.g2, True)
    dense(net.g2, net.c3, net.d3, net.score, False)
    return 0.5 + 0.5 * math.tanh(0.25 * (net.score[0, 0] + net.score[1, 0]))


@helper
def belief(net: Net) -> float:
    """From 1, where points are more likely right than wrong, to 0, where they cannot be."""
    return min(plausibility(net) / DOUBT, 1.0)
