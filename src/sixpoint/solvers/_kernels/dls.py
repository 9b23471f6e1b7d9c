"""Damped least squares (Wampler 1986; Nakamura and Hanafusa 1986)."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.dense import cholesky_factor, cholesky_solve, gram
from ...kernels.types import Floats


@helper
def dls_step(
    jacobian: Floats,
    m: int,
    d: int,
    asked: Floats,
    damping: float,
    square: Floats,
    x: Floats,
    step: Floats,
) -> None:
    """Step = J^T (J J^T + damping^2 I)^-1 e; damping is a length [m]."""
    gram(jacobian, m, d, square)
    for i in range(m):
        square[i, i] += damping * damping
        x[i] = asked[i]
    known = cholesky_factor(square, m)
    if known:
        cholesky_solve(square, m, x)
    for k in range(d):
        total = 0.0
        for i in range(m):
            total += jacobian[i, k] * x[i]
        step[k] = total if known else 0.0
