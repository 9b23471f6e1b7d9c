"""Random numbers for kernels: a small generator whose state is the caller's.

Doty-Humphrey's sfc32 (from PractRand): three words of chaos and a counter, which no known test of
randomness tells from noise. It adds, shifts and xors words of 32 bits, so that 64-bit integers
never overflow and plain Python gives the same bits as compiled code. Streams of different seeds do
not meet: the counter alone makes every cycle longer than 2^32, and their states are 2^128.
"""

from __future__ import annotations

import math

import numpy as np

from ._jit import helper
from .types import Ints, Vec3

WORD = 0xFFFFFFFF
"""All bits of a word."""
SCALE = 1.0 / 4294967296.0
ROUNDS = 15
"""Numbers thrown away after seeding, as its author does: a seed of few bits is mixed by then."""


def random_state(seed: int) -> Ints:
    """A new generator (4,), always the same for the same seed >= 0."""
    state = np.array([seed & WORD, (seed >> 32) & WORD, (seed >> 64) & WORD, 1], np.int64)
    for _ in range(ROUNDS):
        random_word(state)
    return state


@helper
def random_word(state: Ints) -> int:
    """32 random bits."""
    a, b, c, count = int(state[0]), int(state[1]), int(state[2]), int(state[3])
    word = (a + b + count) & WORD
    state[0] = b ^ (b >> 9)
    state[1] = (c + (c << 3)) & WORD
    state[2] = ((((c << 21) | (c >> 11)) & WORD) + word) & WORD
    state[3] = (count + 1) & WORD
    return word


@helper
def random_uniform(state: Ints) -> float:
    """A number in (0, 1), never an end."""
    return (random_word(state) + 0.5) * SCALE


@helper
def random_normals(state: Ints) -> tuple[float, float]:
    """Two independent numbers of the standard normal distribution (Marsaglia's polar method)."""
    while True:  # a point of the square lies in the circle in four of five tries
        x = 2.0 * random_uniform(state) - 1.0
        y = 2.0 * random_uniform(state) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            scale = math.sqrt(-2.0 * math.log(square) / square)
            return x * scale, y * scale


@helper
def random_normal3(state: Ints) -> Vec3:
    """Three independent numbers of the standard normal distribution."""
    x, y = random_normals(state)
    z, _ = random_normals(state)
    return x, y, z
