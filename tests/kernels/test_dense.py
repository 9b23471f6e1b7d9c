"""Dense linear algebra against NumPy: everyday, rank deficient, tiny, empty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels.linalg import cholesky_factor, cholesky_solve, gram, svd_rows

SPARE = 3
"""Rows and columns beyond the corner that is in use: they must not matter."""

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)


def matrix(m: int, n: int, seed: int, scale: float = 1.0) -> np.ndarray:
    """The corner of a larger array whose rest is NaN."""
    out = np.full((m + SPARE, n + SPARE), np.nan)
    out[:m, :n] = scale * np.random.default_rng(seed).normal(size=(m, n))
    return out


@given(sizes, seeds, st.sampled_from((1.0, 1e-8, 1e8)))
def test_cholesky_solves_like_numpy(n: int, seed: int, scale: float):
    a = matrix(n, n, seed, scale)
    corner = a[:n, :n] @ a[:n, :n].T + 0.1 * scale**2 * np.eye(n)
    a[:n, :n] = corner
    assert cholesky_factor(a, n)
    lower = np.tril(a[:n, :n])
    np.testing.assert_allclose(lower @ lower.T, corner, rtol=1e-12, atol=1e-12 * scale**2)
    b = np.arange(1.0, n + 1.0)
    x = np.append(b, np.nan)
    cholesky_solve(a, n, x)
    np.testing.assert_allclose(corner @ x[:n], b, rtol=1e-8)


@pytest.mark.parametrize(
    "a", [((0.0,),), ((-1.0,),), ((1.0, 2.0), (2.0, 1.0)), ((np.nan,),)], ids=str
)
def test_what_is_not_positive_has_no_factor(a):
    assert not cholesky_factor(np.array(a, dtype=np.float64), len(a))


@given(sizes, sizes, seeds)
def test_gram_is_a_times_its_transpose(m: int, n: int, seed: int):
    a = matrix(m, n, seed)
    out = np.full((m + 1, m + 1), np.nan)
    gram(a, m, n, out)
    expected = a[:m, :n] @ a[:m, :n].T
    below = np.tril_indices(m)
    np.testing.assert_allclose(out[:m, :m][below], expected[below], atol=1e-12)


def decompose(a: np.ndarray, m: int, n: int):
    u, v, sigma = np.zeros((m, m)), np.zeros((m, n)), np.zeros(m)
    svd_rows(a, m, n, u, v, sigma)
    return u, v, sigma


def check_svd(a: np.ndarray, m: int, n: int) -> None:
    """Same values as NumPy's, orthonormal factors, and the matrix back from them."""
    corner = a[:m, :n]
    u, v, sigma = decompose(a, m, n)
    size = max(float(np.abs(corner).max()), np.finfo(float).tiny)
    expected = np.zeros(m)
    found = np.linalg.svd(corner / size, compute_uv=False)
    expected[: len(found)] = found
    np.testing.assert_allclose(np.sort(sigma / size)[::-1], expected, atol=1e-13)
    np.testing.assert_allclose(u @ u.T, np.eye(m), atol=1e-13)
    clear = sigma > 1e-10 * size
    np.testing.assert_allclose(v[clear] @ v[clear].T, np.eye(clear.sum()), atol=1e-12)
    np.testing.assert_allclose(u.T @ (sigma[:, None] * v) / size, corner / size, atol=1e-13)


@given(sizes, sizes, seeds, st.sampled_from((1.0, 1e-100, 1e100)))
def test_singular_values_are_those_of_numpy(m: int, n: int, seed: int, scale: float):
    check_svd(matrix(m, n, seed, scale), m, n)


@given(st.integers(2, 6), st.integers(2, 7), seeds, st.integers(0, 2))
def test_rank_deficient_matrices_decompose(m: int, n: int, seed: int, rank: int):
    rng = np.random.default_rng(seed)
    check_svd(rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)), m, n)


@pytest.mark.parametrize(
    "a",
    [
        np.zeros((3, 4)),
        np.eye(3),
        np.ones((3, 3)),
        np.diag((1.0, 1e-9, 0.0)),
        np.array(((1.0, 0.0), (1.0, 1e-12))),
        np.array(((1e-300, 0.0), (0.0, 1.0))),
    ],
    ids=["zero", "identity", "ones", "steep", "nearly parallel", "underflow"],
)
def test_special_matrices_decompose(a: np.ndarray):
    check_svd(a, *a.shape)


def test_small_values_keep_their_accuracy():
    # One-sided Jacobi: relative, not absolute accuracy for rows of very different size.
    rng = np.random.default_rng(0)
    rows = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    scales = np.array((1.0, 1e-5, 1e-10, 1e-15))
    _, _, sigma = decompose(scales[:, None] * rows, 4, 4)
    np.testing.assert_allclose(np.sort(sigma)[::-1], scales, rtol=1e-12)


def test_directions_without_value_are_zero():
    _, v, sigma = decompose(np.array(((1.0, 2.0), (2.0, 4.0))), 2, 2)
    assert not v[sigma == 0.0].any()
