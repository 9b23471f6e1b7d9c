"""Strict priorities: every level moves the joints only as far as the levels above it allow.

Baerlocher and Boulic 2004. With P the projection on what the levels above leave free::

    Jt    = J P
    step += damped(Jt) (residual - J step)     sigma / (sigma^2 + damping^2)
    P    -= pinv(Jt) Jt                        all sigma above the cut, not damped

A damped projection would leak: lower levels would disturb higher ones. P is not stored. It is
I - B^T B with the orthonormal rows of B, the directions taken so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from ...kernels._jit import helper
from ...kernels.linalg import gram, svd_rows
from ...kernels.types import Floats, Ints
from ..articulated.model import new_memory

SINGULAR_VALUE_NOISE = 1e-6
"""Singular values below this are rounding: they come from the Gram matrix, which squares them."""


class Damping(NamedTuple):
    """How a level gives way where it is nearly singular."""

    most: float  # singular values well below this hardly move a joint; 0 for a plain pseudo-inverse
    # a level with a residual below this is damped less, by the root of the part that is left: calm
    # far away, quick near the target. 0 for the same damping always
    near: float
    cut: float  # directions with singular values below this are left to the levels below


class Ladder(NamedTuple):
    """What the levels ask for, and scratch memory: R rows, D degrees of freedom, L levels.

    No level has more than M rows.
    """

    levels: Ints  # first row of each level, and the end, (L + 1,)
    # what the damping of each level is multiplied by, then one for `secondary`, (L + 1,)
    damping_scale: Floats
    jacobian: Annotated[Floats, "R", "D"]
    residual: Annotated[Floats, "R"]
    secondary: Annotated[Floats, "D"]  # step that is taken as far as all levels leave it free
    step: Annotated[Floats, "D"]  # what all levels together decide
    basis: Annotated[Floats, "D", "D"]  # directions taken, orthonormal
    low: Annotated[Ints, "D"]  # first degree of freedom that is not zero in each of them
    high: Annotated[Ints, "D"]  # one after the last that is not zero
    reduced: Annotated[Floats, "M", "D"]  # the Jacobian of one level on what is free
    gap: Annotated[Floats, "M"]  # what the levels above leave of the residual of one level
    square: Annotated[Floats, "M", "M"]
    u: Annotated[Floats, "M", "M"]
    v: Annotated[Floats, "M", "M"]
    sigma: Annotated[Floats, "M"]
    part: Annotated[Floats, "D"]


def new_ladder(levels: Sequence[int], freedom: int) -> Ladder:
    """Return room for levels, given by their first rows and the end, and degrees of freedom."""
    return new_memory(
        Ladder,
        {"R": levels[-1], "D": freedom, "M": int(np.diff(levels).max(initial=0))},
        levels=np.array(levels, np.int64),
        damping_scale=np.ones(len(levels)),
    )


@helper
def project_free(ladder: Ladder, rank: int, vector: Floats) -> None:
    """Project a vector (D,) on what the first `rank` directions leave free, in place."""
    for b in range(rank):
        low, high = ladder.low[b], ladder.high[b]
        along = 0.0
        for k in range(low, high):
            along += ladder.basis[b, k] * vector[k]
        for k in range(low, high):
            vector[k] -= along * ladder.basis[b, k]


@helper
def squared_damping(damping: Damping, gap: Floats, m: int) -> float:
    """Squared damping of a level of m rows, of whose residual `gap` is left."""
    square = damping.most * damping.most
    if damping.near <= 0.0:
        return square
    total = 0.0
    for i in range(m):
        total += gap[i] * gap[i]
    return square * min(1.0, math.sqrt(total) / damping.near)


@helper
def level_step(ladder: Ladder, level: int, damping: Damping, rank: int) -> int:
    """Add what one level asks for to the step, and take its directions.

    Returns how many directions are taken now; `rank` were before.
    """
    first = ladder.levels[level]
    m = ladder.levels[level + 1] - first
    d = ladder.step.shape[0]
    for i in range(m):
        reached = 0.0
        for k in range(d):
            slope = ladder.jacobian[first + i, k]
            reached += slope * ladder.step[k]
            ladder.reduced[i, k] = slope
        ladder.gap[i] = ladder.residual[first + i] - reached
        project_free(ladder, rank, ladder.reduced[i])
    # Singular values by way of the Gram matrix: five times quicker for six rows. They are right to
    # 1e-8 of the largest, and those below the cut do not matter.
    gram(ladder.reduced, m, d, ladder.square)
    for i in range(m):
        for j in range(i):
            ladder.square[j, i] = ladder.square[i, j]
    svd_rows(ladder.square, m, m, ladder.u, ladder.v, ladder.sigma)
    scale = ladder.damping_scale[level]
    damped = scale * scale * squared_damping(damping, ladder.gap, m)
    least = SINGULAR_VALUE_NOISE if damping.most > 0.0 else damping.cut
    for i in range(m):
        sigma = math.sqrt(ladder.sigma[i])
        if sigma <= least:
            continue
        along = 0.0
        ladder.part[:] = 0.0
        for j in range(m):
            along += ladder.u[i, j] * ladder.gap[j]
            for k in range(d):
                ladder.part[k] += ladder.u[i, j] * ladder.reduced[j, k]
        gain = along / (sigma * sigma + damped)  # the part still holds one sigma
        for k in range(d):
            ladder.step[k] += gain * ladder.part[k]
        if sigma > damping.cut and rank < d:
            for k in range(d):
                ladder.basis[rank, k] = ladder.part[k] / sigma
            ladder.low[rank], ladder.high[rank] = 0, d
            rank += 1
    return rank


@helper
def ladder_step(ladder: Ladder, damping: Damping, held: int) -> int:
    """Compute the step of all levels, the highest first, then `secondary` where they leave room.

    On entry `step` is what the directions already taken, `held` of them in the basis, shall do:
    those of joints on their limits. Returns how many directions are taken in the end.
    """
    rank = held
    for level in range(ladder.levels.shape[0] - 1):
        rank = level_step(ladder, level, damping, rank)
    for k in range(ladder.part.shape[0]):
        ladder.part[k] = ladder.secondary[k]
    project_free(ladder, rank, ladder.part)
    for k in range(ladder.part.shape[0]):
        ladder.step[k] += ladder.part[k]
    return rank
