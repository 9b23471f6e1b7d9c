"""Weights, and which particles go on."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.solvers.particles.filter import normalize_weights, systematic_index


def test_weights_of_the_golden_example():
    log_weight, weight = np.zeros(4), np.zeros(4)
    log_weight -= np.array((0.0, 0.1, 0.2, 0.4)) ** 2 / 0.01
    chosen, effective = normalize_weights(log_weight, weight)
    np.testing.assert_allclose(weight, (0.721399, 0.265388, 0.013213, 8e-8), atol=1e-6)
    assert effective == pytest.approx(1.691984, abs=1e-6)
    assert chosen == 0
    log_weight -= np.array((0.2, 0.1, 0.05, 0.4)) ** 2 / 0.01
    chosen, effective = normalize_weights(log_weight, weight)
    np.testing.assert_allclose(weight, (0.109077, 0.805974, 0.084949, 0.0), atol=1e-6)
    assert effective == pytest.approx(1.495420, abs=1e-6)
    assert chosen == 1
    index = np.zeros(4, np.int64)
    systematic_index(weight, 0.1, index)
    assert index.tolist() == [0, 1, 1, 1]


def test_weights_survive_absurd_costs():
    log_weight, weight = np.array((-1e300, -1e18, -5e17)), np.zeros(3)
    chosen, effective = normalize_weights(log_weight, weight)
    assert weight.tolist() == [0.0, 0.0, 1.0]
    assert (chosen, effective) == (2, 1.0)


def test_resampling_is_unbiased():
    rng = np.random.default_rng(3)
    weight = rng.dirichlet(np.full(8, 0.5))
    index, taken = np.zeros(8, np.int64), np.zeros(8)
    offsets = rng.uniform(size=12_500)  # 1e5 draws
    for offset in offsets:
        systematic_index(weight, float(offset), index)
        counts = np.bincount(index, minlength=8)
        assert (np.abs(counts - 8 * weight) < 1.0).all()
        taken += counts
    np.testing.assert_allclose(taken / taken.sum(), weight, atol=2e-3)


def test_one_particle_with_all_the_weight_is_taken_always():
    index = np.zeros(5, np.int64)
    systematic_index(np.array((0.0, 0.0, 1.0, 0.0, 0.0)), 0.999, index)
    assert index.tolist() == [2] * 5
    systematic_index(np.full(5, 0.2), 0.5, index)
    assert index.tolist() == [0, 1, 2, 3, 4]
