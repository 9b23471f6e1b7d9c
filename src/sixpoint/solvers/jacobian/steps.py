"""The steps of the Jacobian methods, from what is asked and how it changes to a turn of all joints.

Each reads `scratch.jacobian` (3 T, D) and `scratch.residual` (3 T,), all in metres, and writes
`scratch.step` (D,) [rad]. Lengths in settings are parts of the model's size.
"""

from __future__ import annotations

import math

from ...kernels._jit import helper
from ...kernels.linalg import cholesky_factor, cholesky_solve, gram, svd_rows
from ...kernels.types import Floats
from ..articulated.context import Context

TRANSPOSE, PSEUDOINVERSE, DLS, DLS_SVD, SDLS = 0, 1, 2, 3, 4
"""Methods."""


@helper
def method_step(c: Context) -> None:
    """Take the step of the method that the settings name."""
    method = c.settings.method
    if method == TRANSPOSE:
        transpose_step(c)
    elif method == DLS:
        damped_step(c)
    else:
        scratch = c.scratch
        m, d = scratch.jacobian.shape
        svd_rows(scratch.jacobian, m, d, scratch.u, scratch.v, scratch.sigma)
        if method == SDLS:
            selective_step(c)
        else:
            filtered_step(c)
    clamp_largest(c.scratch.step, c.settings.joint_step)


@helper
def transpose_step(c: Context) -> None:
    """Step = a J^T e, with the a that would best meet e if the skeleton were linear.

    a = <e, J J^T e> / <J J^T e, J J^T e> (Wolovich and Elliott 1984; Buss and Kim 2005).
    """
    jacobian, residual, step = c.scratch.jacobian, c.scratch.residual, c.scratch.step
    m, d = jacobian.shape
    for k in range(d):
        step[k] = 0.0
        for i in range(m):
            step[k] += jacobian[i, k] * residual[i]
    along, square = 0.0, 0.0
    for i in range(m):
        moved = 0.0
        for k in range(d):
            moved += jacobian[i, k] * step[k]
        along += residual[i] * moved
        square += moved * moved
    scale = along / square if square > 0.0 else 0.0
    for k in range(d):
        step[k] *= scale


@helper
def damped_step(c: Context) -> None:
    """Step = J^T (J J^T + damping^2 I)^-1 e (Wampler 1986; Nakamura and Hanafusa 1986)."""
    jacobian, square, x, step = c.scratch.jacobian, c.scratch.square, c.scratch.x, c.scratch.step
    m, d = jacobian.shape
    damping = c.settings.damping * c.model.size[0]
    gram(jacobian, m, d, square)
    for i in range(m):
        square[i, i] += damping * damping
        x[i] = c.scratch.residual[i]
    known = cholesky_factor(square, m)
    if known:
        cholesky_solve(square, m, x)
    for k in range(d):
        total = 0.0
        for i in range(m):
            total += jacobian[i, k] * x[i]
        step[k] = total if known else 0.0


@helper
def filtered_step(c: Context) -> None:
    """Step = sum of s / (s^2 + damping^2) (u . e) v over the singular values above the cut.

    Without damping this is the pseudo-inverse (`cut` is a part of the largest value); with damping
    it is the same as damped least squares.
    """
    u, v, sigma, step = c.scratch.u, c.scratch.v, c.scratch.sigma, c.scratch.step
    m, d = c.scratch.jacobian.shape
    damping = c.settings.damping * c.model.size[0]
    largest = 0.0
    for i in range(m):
        largest = max(largest, sigma[i])
    for k in range(d):
        step[k] = 0.0
    for i in range(m):
        if sigma[i] <= c.settings.cut * largest or sigma[i] == 0.0:
            continue
        along = 0.0
        for j in range(m):
            along += u[i, j] * c.scratch.residual[j]
        gain = along * sigma[i] / (sigma[i] * sigma[i] + damping * damping)
        for k in range(d):
            step[k] += gain * v[i, k]


@helper
def selective_step(c: Context) -> None:
    """Selectively damped least squares (Buss and Kim 2005): a clamp for each singular direction.

    N: how far the end effectors move for a unit step along u; M: how far they would move at most.
    Directions near a singularity (N < M) are clamped harder. `soft` scales by g / (g + largest), as
    in the code that its authors distribute, instead of clamping.
    """
    jacobian, residual, step = c.scratch.jacobian, c.scratch.residual, c.scratch.step
    u, v, sigma, part = c.scratch.u, c.scratch.v, c.scratch.sigma, c.scratch.part
    m, d = jacobian.shape
    most = c.settings.joint_step
    for k in range(d):
        step[k] = 0.0
    for i in range(m):
        if sigma[i] <= 1e-12:
            continue
        along, reach, least = 0.0, 0.0, 0.0
        for task in range(m // 3):
            square = 0.0
            for j in range(3 * task, 3 * task + 3):
                along += u[i, j] * residual[j]
                square += u[i, j] * u[i, j]
            least += math.sqrt(square)
        for k in range(d):
            for task in range(m // 3):
                x, y, z = (
                    jacobian[3 * task, k],
                    jacobian[3 * task + 1, k],
                    jacobian[3 * task + 2, k],
                )
                reach += abs(v[i, k]) * math.sqrt(x * x + y * y + z * z)
        reach /= sigma[i]
        limit = most * min(1.0, least / reach) if reach > 0.0 else most
        largest = 0.0
        for k in range(d):
            part[k] = along / sigma[i] * v[i, k]
            largest = max(largest, abs(part[k]))
        scale = 1.0
        if c.settings.soft:
            scale = limit / (limit + largest)
        elif largest > limit:
            scale = limit / largest
        for k in range(d):
            step[k] += scale * part[k]
    clamp_largest(step, most)


@helper
def clamp_largest(step: Floats, limit: float) -> None:
    """Scale a step so that its largest component is at most the limit."""
    largest = 0.0
    for k in range(step.shape[0]):
        largest = max(largest, abs(step[k]))
    if largest > limit:
        for k in range(step.shape[0]):
            step[k] *= limit / largest
