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
from typing import NamedTuple

import numpy as np

from ...kernels._jit import helper
from ...kernels.linalg import gram, svd_rows
from ...kernels.types import Floats, Ints

NOISE = 1e-6
"""Singular values below this are rounding: they come from the Gram matrix, which squares them."""


class Damping(NamedTuple):
    """How a level gives way where it is nearly singular."""

    most: float
    """Singular values well below this hardly move a joint; 0 for a plain pseudo-inverse."""
    near: float
    """A level with a residual below this is damped less, by the root of the part that is left: calm
    far away, quick near the target. 0 for the same damping always."""
    cut: float
    """Directions with singular values below this are left to the levels below."""


class Ladder(NamedTuple):
    """What the levels ask for, and scratch memory: R rows, D degrees of freedom, L levels.

    No level has more than M rows.
    """

    levels: Ints
    """First row of each level, and the end, (L + 1,)."""
    jacobian: Floats
    """(R, D)."""
    residual: Floats
    """(R,)."""
    secondary: Floats
    """Step that is taken as far as all levels leave it free, (D,)."""
    damping_scale: Floats
    """What the damping of each level is multiplied by, then one for `secondary`, (L + 1,)."""
    step: Floats
    """What all levels together decide, (D,)."""
    basis: Floats
    """Directions taken, orthonormal, (D, D)."""
    low: Ints
    """First degree of freedom that is not zero in each of them, (D,)."""
    high: Ints
    """And the one after the last, (D,)."""
    reduced: Floats
    """The Jacobian of one level on what is free, (M, D)."""
    gap: Floats
    """What the levels above leave of the residual of one level, (M,)."""
    square: Floats
    """(M, M)."""
    u: Floats
    """(M, M)."""
    v: Floats
    """(M, M)."""
    sigma: Floats
    """(M,)."""
    part: Floats
    """(D,)."""


def new_ladder(levels: Sequence[int], freedom: int) -> Ladder:
    """Return room for levels, given by their first rows and the end, and degrees of freedom."""
    rows, most = levels[-1], int(np.diff(levels).max(initial=0))
    return Ladder(
        levels=np.array(levels, np.int64),
        jacobian=np.zeros((rows, freedom)),
        residual=np.zeros(rows),
        secondary=np.zeros(freedom),
        damping_scale=np.ones(len(levels)),
        step=np.zeros(freedom),
        basis=np.zeros((freedom, freedom)),
        low=np.zeros(freedom, np.int64),
        high=np.zeros(freedom, np.int64),
        reduced=np.zeros((most, freedom)),
        gap=np.zeros(most),
        square=np.zeros((most, most)),
        u=np.zeros((most, most)),
        v=np.zeros((most, most)),
        sigma=np.zeros(most),
        part=np.zeros(freedom),
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

    Returns:
        How many directions are taken now; `rank` were before.
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
    least = NOISE if damping.most > 0.0 else damping.cut
    for i in range(m):
        sigma = math.sqrt(ladder.sigma[i])
        if sigma <= least:
            continue
        along = 0.0
        for k in range(d):
            ladder.part[k] = 0.0
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
    """Step of all levels, the highest first, then `secondary` as far as they leave room.

    On entry `step` is what the directions already taken, `held` of them in the basis, shall do:
    those of joints on their limits.

    Returns:
        How many directions are taken in the end; the others follow `secondary`.
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
