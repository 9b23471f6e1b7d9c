from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sixpoint.errors import InputError
from sixpoint.limits.estimate import intervals
from sixpoint.limits.estimate.intervals import (
    Coverage,
    contiguous_interval,
    is_within,
    midpoint,
)

SEAM = np.radians([170.0, -175.0, 160.0, -160.0, 150.0, 178.0])
"""Across the seam."""
LONG = np.radians([*np.linspace(0.0, 20.0, 30), *np.linspace(230.0, 250.0, 30), 90.0, 160.0])
"""An arc of more than half a turn."""

some_angles = hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(-7.0, 7.0))


def degrees(*found) -> list[float]:
    return [pytest.approx(np.degrees(float(value)), abs=1e-9) for value in found]


@pytest.mark.parametrize(
    ("angles", "low", "high", "gap"),
    [
        (SEAM, 150.0, 200.0, 310.0),
        (np.radians([10.0, 20.0, 20.0, 30.0]), 10.0, 30.0, 340.0),
        (LONG, 0.0, 250.0, 110.0),
        (np.radians([40.0, 40.0, 40.0]), 40.0, 40.0, 360.0),
        (np.radians([40.0]), 40.0, 40.0, 360.0),
    ],
)
def test_golden_intervals(angles, low, high, gap):
    """Equal angles are one."""
    assert degrees(*contiguous_interval(angles)) == [low, high, gap]


@pytest.mark.parametrize(("bind", "feasible"), [(-170.0, True), (-100.0, False), (160.0, True)])
def test_a_bind_angle_is_tried_some_turns_away(bind, feasible):
    low, high, _ = contiguous_interval(SEAM)
    assert bool(is_within(np.radians(bind), low, high)) == feasible


def test_ends_count_as_inside():
    assert is_within(np.array([0.1, 0.5, 0.1 - 1e-12, 0.5 + 1e-12]), 0.1, 0.5).all()
    assert not is_within(np.array([0.1 - 1e-8, 0.5 + 1e-8]), 0.1, 0.5).any()


def test_the_middle_is_feasible_and_the_mean_need_not_be():
    """An arc of more than half a turn may have its mean in the gap."""
    low, high, _ = contiguous_interval(SEAM)
    assert degrees(midpoint(low, high)) == [175.0]
    low, high, _ = contiguous_interval(LONG)
    mean = np.arctan2(np.sin(LONG).mean(), np.cos(LONG).mean())
    assert np.degrees(mean) % 360.0 == pytest.approx(305.0, abs=1.0)
    assert not is_within(mean, low, high)
    assert is_within(midpoint(low, high), low, high)


def test_no_angles_are_refused():
    with pytest.raises(InputError, match="Expected one angle or more, got none"):
        contiguous_interval(np.zeros(0))


@given(some_angles)
def test_every_sample_is_inside_and_the_ends_are_samples(angles):
    low, high, gap = contiguous_interval(angles)
    assert is_within(angles, low, high).all()
    assert high - low + gap == pytest.approx(2.0 * np.pi)
    for end in (low, high):
        assert np.abs(np.sin(0.5 * (angles - end))).min() < 1e-9


@given(some_angles, st.floats(-7.0, 7.0))
def test_turning_all_samples_turns_the_interval(angles, turn):
    """Two gaps of one width may change places."""
    low, high, gap = contiguous_interval(angles)
    ordered = np.sort(np.mod(angles, 2.0 * np.pi))
    gaps = np.sort(np.diff(np.append(ordered, ordered[0] + 2.0 * np.pi)))
    turned = contiguous_interval(angles + turn)
    assert turned[2] == pytest.approx(gap, abs=1e-9)
    if len(gaps) == 1 or gaps[-1] - gaps[-2] > 1e-6:
        assert np.abs(np.sin(0.5 * (turned[0] - low - turn))) < 1e-9
        assert turned[1] - turned[0] == pytest.approx(high - low, abs=1e-9)


@pytest.mark.parametrize("pieces", [1, 7, 50])
def test_thinning_out_changes_nothing(pieces, monkeypatch):
    monkeypatch.setattr(intervals, "KEPT", 64)
    rng = np.random.default_rng(1)
    angles = rng.normal([0.0, 3.0, -2.0, 1.0], [0.1, 0.5, 1.0, 0.0], (3000, 4))
    angles[rng.uniform(size=angles.shape) < 0.1] = np.nan
    coverage = Coverage((4,))
    for piece in np.array_split(angles, pieces):
        coverage.add(piece)
    for k in range(4):
        known = angles[np.isfinite(angles[:, k]), k]
        assert [float(v[k]) for v in coverage.interval()] == [
            float(v) for v in contiguous_interval(known)
        ]
    assert coverage._few.nbytes + coverage._ends.nbytes < 100_000


def test_a_coverage_without_samples_is_a_point():
    coverage = Coverage((1,))
    coverage.add(np.full((3, 1), np.nan))
    assert [float(v[0]) for v in coverage.interval()][:2] == [0.0, 0.0]
