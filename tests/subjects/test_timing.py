from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.subjects.timing import evenly_timed

from .people import motion, turning


def sampled(points, times):
    """What a tracker that was read at these times would have seen: straight lines."""
    at = times * points.rate
    below = np.minimum(at.astype(int), len(points) - 2)
    part = (at - below)[:, None, None]
    positions = (1 - part) * points.positions[below] + part * points.positions[below + 1]
    q = arrays.slerp(points.rotations[below], points.rotations[below + 1], part[..., 0])
    return replace(points, positions=positions, rotations=q)


def test_even_times_give_the_same_frames():
    points = turning(motion().points())
    found = evenly_timed(np.arange(len(points)) / 60.0, points)
    assert (found.rate, len(found)) == (60.0, len(points))
    np.testing.assert_allclose(found.positions, points.positions, atol=1e-12)
    assert arrays.angle_between(found.rotations, points.rotations).max() < 1e-7


def test_irregular_times_are_brought_to_a_grid():
    points = turning(motion().points())
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.uniform(0.7, 1.3, 165)) / 60.0
    times -= times[0]
    found = evenly_timed(times, sampled(points, times))
    assert found.rate == pytest.approx(60.0, rel=0.05)
    exact = sampled(points, np.arange(len(found)) / found.rate)
    assert np.abs(found.positions - exact.positions).max() < 0.004
    assert arrays.angle_between(found.rotations, exact.rotations).max() < 0.01
    (note,) = found.notes
    assert "irregular" in note
    assert "resampled" in note


def test_long_gaps_are_not_bridged():
    points = turning(motion().points())
    times = np.arange(len(points)) / 60.0
    times[60:] += 0.5 + 1.0 / 180.0
    found = evenly_timed(times, points)
    gap = ~found.seen[:, 0]
    assert 25 <= gap.sum() <= 32
    assert (np.flatnonzero(gap) >= 60).all()
    assert np.isnan(found.rotations[gap]).all()
    assert "nothing was seen" in found.notes[-1]


def test_points_that_were_not_seen_stay_so():
    points = motion().points()
    positions = points.positions.copy()
    positions[50:60, 1] = np.nan
    points = replace(points, positions=positions, confidence=np.ones((len(points), 6)))
    times = np.arange(len(points)) / 60.0
    found = evenly_timed(times, points)
    assert not found.seen[50:60, 1].any()
    assert found.seen[:, 0].all()
    assert found.confidence.min() == 1.0


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0, 1.0], [0.0, 1.0]])
def test_times_must_increase_and_fit(times):
    with pytest.raises(InputError, match="increasing times"):
        evenly_timed(np.array(times), motion(frames=3).points())
