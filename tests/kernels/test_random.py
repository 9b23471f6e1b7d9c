from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sixpoint.kernels._jit import kernel
from sixpoint.kernels.random import (
    random_normal3,
    random_normals,
    random_state,
    random_uniform,
    random_word,
)

MANY = 200_000


@kernel
def random_fill(state, out, normal):
    """Fill an array (n,) with numbers in (0, 1), or of the standard normal distribution."""
    for i in range(out.shape[0]):
        out[i] = random_normals(state)[0] if normal else random_uniform(state)


def filled(seed: int, normal: bool, count: int = MANY):
    out = np.empty(count)
    random_fill(random_state(seed), out, normal)
    return out


def sfc32(a: int, b: int, c: int, count: int) -> list[int]:
    """The generator as its author writes it, in words of 32 bits."""
    state = np.array((a, b, c, 1), np.uint32)
    out = []
    with np.errstate(over="ignore"):
        for _ in range(count):
            a, b, c, counter = state
            word = a + b + counter
            state = np.array(
                (
                    b ^ (b >> np.uint32(9)),
                    c + (c << np.uint32(3)),
                    ((c << np.uint32(21)) | (c >> np.uint32(11))) + word,
                    counter + np.uint32(1),
                ),
                np.uint32,
            )
            out.append(int(word))
    return out


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**40 + 17, 2**95 + 5])
def test_words_are_those_of_the_published_generator(seed: int):
    words = sfc32(seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF, (seed >> 64) & 0xFFFFFFFF, 40)
    state = random_state(seed)
    assert [random_word(state) for _ in range(25)] == words[15:]


def test_compiled_and_plain_give_the_same_bits():
    for normal in (False, True):
        state = random_state(5)
        plain = [random_normals(state)[0] if normal else random_uniform(state) for _ in range(500)]
        assert filled(5, normal, 500).tolist() == plain


def test_seeds_repeat_and_differ():
    assert filled(3, True, 50).tolist() == filled(3, True, 50).tolist()
    assert not set(filled(3, False, 500)) & set(filled(4, False, 500))


def test_uniform_numbers_are_uniform():
    numbers = filled(1, False)
    assert numbers.min() > 0.0
    assert numbers.max() < 1.0
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    pairs = np.histogram2d(numbers[:-1], numbers[1:], 20)[0]  # one after the other
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3


def test_normal_numbers_are_normal():
    numbers = filled(2, True)
    assert stats.kstest(numbers, "norm").pvalue > 1e-3
    assert stats.kurtosis(numbers) == pytest.approx(0.0, abs=0.05)
    assert (np.abs(numbers) > 4.0).sum() == pytest.approx(6.3e-5 * MANY, abs=15)


def test_numbers_are_independent_of_each_other_and_of_other_seeds():
    one, other = filled(7, True), filled(8, True)
    wall = 4.0 / np.sqrt(MANY)
    for lag in (1, 2, 3, 4, 100):
        assert abs(np.corrcoef(one[:-lag], one[lag:])[0, 1]) < wall
    assert abs(np.corrcoef(one, other)[0, 1]) < wall


def test_triples_are_independent():
    state = random_state(11)
    triples = np.array([random_normal3(state) for _ in range(4000)])
    np.testing.assert_allclose(np.cov(triples.T), np.eye(3), atol=0.07)
