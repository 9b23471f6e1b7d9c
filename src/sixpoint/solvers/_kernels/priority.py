"""Strict priorities: every level moves the figure only as those above it allow.

Baerlocher and Boulic 2004. With P the projection on what the levels above leave free::

    Jt    = J P
    step += damped(Jt) (asked - J step)        sigma / (sigma^2 + damping^2)
    P    -= pinv(Jt) Jt                        all sigma above the cut, not damped

A damped projection would leak: lower levels would disturb higher ones. P is not stored. It is
I - B^T B with the orthonormal rows of B, the directions taken so far.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.dense import gram, svd_rows
from ...kernels.types import Floats, Ints

NOISE = 1e-6
"""Singular values below this are rounding: they come from the Gram matrix, which squares them."""


class Damping(NamedTuple):
    """How a level gives way where it is nearly singular."""

    most: float
    """Singular values well below this hardly move anything; 0 for a plain pseudo-inverse."""
    near: float
    """A level that asks for less than this is damped less, by the root of the part that it asks
    for: calm far away, quick near the target. 0 for the same damping always."""
    cut: float
    """Directions with singular values below this are left to the levels below."""


class Ladder(NamedTuple):
    """Scratch memory: D degrees of freedom, at most M rows in one level."""

    step: Floats
    """What all levels together decide, (D,). What is held is put in before."""
    basis: Floats
    """Directions taken, orthonormal, (D, D)."""
    low: Ints
    """First degree of freedom that is not zero in each of them, (D,)."""
    high: Ints
    """And the one after the last, (D,)."""
    reduced: Floats
    """The Jacobian of one level on what is free, (M, D)."""
    need: Floats
    """What the level still asks for, (M,)."""
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


@helper
def take_away(ladder: Ladder, rank: int, vector: Floats) -> None:
    """Project a vector (D,) on what is free, in place."""
    for b in range(rank):
        low, high = ladder.low[b], ladder.high[b]
        along = 0.0
        for k in range(low, high):
            along += ladder.basis[b, k] * vector[k]
        for k in range(low, high):
            vector[k] -= along * ladder.basis[b, k]


@helper
def level_damping(damping: Damping, need: Floats, m: int) -> float:
    """Damping of a level that still asks for `need`, squared."""
    square = damping.most * damping.most
    if damping.near <= 0.0:
        return square
    gap = 0.0
    for i in range(m):
        gap += need[i] * need[i]
    return square * min(1.0, math.sqrt(gap) / damping.near)


@helper
def level_step(
    jacobian: Floats,
    asked: Floats,
    first: int,
    last: int,
    damping: Damping,
    calm: float,
    ladder: Ladder,
    rank: int,
) -> int:
    """One level, rows first to last of the Jacobian: adds to the step, takes its directions.

    Returns:
        How many directions are taken now.
    """
    d = ladder.step.shape[0]
    m = last - first
    for i in range(m):
        reached = 0.0
        for k in range(d):
            slope = jacobian[first + i, k]
            reached += slope * ladder.step[k]
            ladder.reduced[i, k] = slope
        ladder.need[i] = asked[first + i] - reached
        take_away(ladder, rank, ladder.reduced[i])
    # Singular values by way of the Gram matrix: five times quicker for six rows. They are right to
    # 1e-8 of the largest, and those below the cut do not matter.
    gram(ladder.reduced, m, d, ladder.square)
    for i in range(m):
        for j in range(i):
            ladder.square[j, i] = ladder.square[i, j]
    svd_rows(ladder.square, m, m, ladder.u, ladder.v, ladder.sigma)
    damped = calm * calm * level_damping(damping, ladder.need, m)
    least = NOISE if damping.most > 0.0 else damping.cut
    for i in range(m):
        sigma = math.sqrt(ladder.sigma[i])
        if sigma <= least:
            continue
        along = 0.0
        for k in range(d):
            ladder.part[k] = 0.0
        for j in range(m):
            along += ladder.u[i, j] * ladder.need[j]
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
def priority_step(
    jacobian: Floats,
    asked: Floats,
    levels: Ints,
    wish: Floats,
    damping: Damping,
    calm: Floats,
    ladder: Ladder,
    held: int,
) -> int:
    """Step of all levels, the highest first, then the wish (D,) as far as they leave room.

    `levels` (L + 1,) are the first rows of each level and the end, `calm` (L,) multiplies the
    damping of each. On entry `ladder.step` is what
    the directions already taken, `held` of them in the basis, shall do: joints on their limits.

    Returns:
        How many directions are taken in the end; the others follow the wish.
    """
    rank = held
    for level in range(levels.shape[0] - 1):
        rank = level_step(
            jacobian,
            asked,
            levels[level],
            levels[level + 1],
            damping,
            calm[level],
            ladder,
            rank,
        )
    for k in range(wish.shape[0]):
        ladder.part[k] = wish[k]
    take_away(ladder, rank, ladder.part)
    for k in range(wish.shape[0]):
        ladder.step[k] += ladder.part[k]
    return rank
