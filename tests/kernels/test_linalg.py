from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixpoint.kernels.linalg import symmetric4_largest
from strategies import rotations, spans


def rows(matrix):
    return tuple(tuple(float(c) for c in row) for row in matrix)


def symmetric(n):
    """Symmetric matrices of every rank and sign, repeated eigenvalues among them."""
    count = n * (n + 1) // 2

    def fill(values):
        m = np.zeros((n, n))
        m[np.triu_indices(n)] = values
        return m + np.triu(m, 1).T

    everyday = st.tuples(*[spans(10.0)] * count).map(fill)
    small = st.tuples(*[spans(1e-7)] * count).map(fill)
    integers = st.tuples(*[st.integers(-1, 1).map(float)] * count).map(fill)
    return st.one_of(everyday, small, integers, small.map(lambda m: np.eye(n) + m))


@given(symmetric(4))
def test_largest_of_four_agrees_with_lapack(m):
    value, vector = symmetric4_largest(rows(m))
    v = np.array(vector)
    size = np.abs(m).max()
    assert value == pytest.approx(np.linalg.eigvalsh(m)[-1], abs=1e-14 * size)
    assert v @ v == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(m @ v, value * v, atol=1e-14 * size)


def test_the_zero_matrix_has_an_eigenvector_too():
    assert symmetric4_largest(rows(np.zeros((4, 4)))) == (0.0, (1.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("scale", [1e-140, 1e-7, 1.0, 1e140])
def test_scale_does_not_matter(scale):
    m = np.eye(4)
    m[:3, :3] = [[2.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 1.0]]
    value, _ = symmetric4_largest(rows(scale * m))
    assert value == pytest.approx(scale * np.linalg.eigvalsh(m)[-1], rel=1e-14)


@given(rotations())
def test_a_single_direction_is_found_whatever_its_sign(q):
    value, vector = symmetric4_largest(rows(np.outer(q, q)))
    assert value == pytest.approx(1.0, abs=1e-14)
    assert abs(np.dot(vector, q)) == pytest.approx(1.0, abs=1e-14)
