"""Jacobian transpose (Wolovich and Elliott 1984; step length of Buss and Kim 2005)."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.types import Floats


@helper
def transpose_step(jacobian: Floats, m: int, d: int, asked: Floats, step: Floats) -> None:
    """Step = a J^T e, with the a that would best meet e if the figure were linear.

    a = <e, J J^T e> / <J J^T e, J J^T e>.
    """
    for k in range(d):
        step[k] = 0.0
        for i in range(m):
            step[k] += jacobian[i, k] * asked[i]
    along, square = 0.0, 0.0
    for i in range(m):
        moved = 0.0
        for k in range(d):
            moved += jacobian[i, k] * step[k]
        along += asked[i] * moved
        square += moved * moved
    scale = along / square if square > 0.0 else 0.0
    for k in range(d):
        step[k] *= scale
