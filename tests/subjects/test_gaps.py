from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.subjects.gaps import bridged, curved, has_gaps

from .people import motion


def with_gap(points, point, start, stop):
    positions = points.positions.copy()
    positions[start:stop, point] = np.nan
    return replace(points, positions=positions)


def test_points_without_gaps_stay_to_the_bit():
    clip = motion("boxing")
    points = clip.points()
    assert not has_gaps(points)
    assert not has_gaps(with_gap(points, 1, 100, 180))
    assert not has_gaps(with_gap(points, 1, 0, 50))
    for same in (curved(points), bridged(points, clip)):
        np.testing.assert_array_equal(same.positions, points.positions)


@pytest.mark.parametrize("point", range(6))
def test_short_gaps_are_bridged_by_curves(point):
    points = motion("walk").points()
    gapped = with_gap(points, point, 60, 80)
    assert has_gaps(gapped)
    found = curved(gapped)
    assert found.seen.all()
    np.testing.assert_array_equal(found.positions[gapped.seen], points.positions[gapped.seen])
    assert np.abs(found.positions - points.positions).max() < 0.12
    steps = np.linalg.norm(np.diff(found.positions[58:83, point], n=2, axis=0), axis=1)
    assert steps.max() < 0.02


def test_a_pelvis_that_is_not_seen_is_no_origin():
    points = motion("walk").points()
    gapped = with_gap(with_gap(points, 0, 70, 140), 2, 60, 80)
    found = curved(gapped)
    assert np.abs(found.positions - points.positions)[:, 2].max() < 0.15
    assert np.linalg.norm(np.diff(found.positions[:, 2], axis=0), axis=1).max() < 0.06


def test_long_gaps_are_led_to_where_the_point_comes_back():
    clip = motion("reach", 240)
    points = with_gap(clip.points(), 2, 40, 160)
    assert not curved(points).seen.all()
    guess = sp.solver("guided").prepare(clip.skeleton, rate=clip.rate).solve_clip(points).motion
    found = bridged(points, guess)
    assert not found.seen[40:100, 2].any()
    assert found.seen[100:, 2].all()
    way = found.positions[100:, 2]
    assert np.linalg.norm(way[0] - guess.points(("l_wrist",)).positions[100, 0]) < 1e-3
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).max() * clip.rate < 3.0


def test_joints_do_not_jump_where_a_point_comes_back():
    clip = motion("boxing", 400)
    points = with_gap(with_gap(clip.points(), 2, 100, 155), 5, 200, 250)
    once = sp.reconstruct(points, clip.skeleton, "guided")
    twice = sp.reconstruct(points, clip.skeleton, "guided", bridge_gaps=True)

    def largest_step(result, frame):
        q = result.motion.rotations[frame - 1 : frame + 7]
        return np.degrees(arrays.angle_between(q[:-1], q[1:]).max())

    assert largest_step(twice, 155) < largest_step(once, 155)
    errors = [sp.compare(result.motion, clip).position_rms for result in (once, twice)]
    assert errors[1] < errors[0]
    # What was not seen is still reported as such.
    assert twice.report.missing == once.report.missing
    assert np.isnan(twice.residuals[100:155, list(twice.names).index("l_wrist")]).all()
    np.testing.assert_array_equal(twice.missing, once.missing)
    assert any("second pass" in text for text in twice.report.warnings)
    whole = clip.points()
    same = [sp.reconstruct(whole, clip.skeleton, "guided", bridge_gaps=b) for b in (False, True)]
    np.testing.assert_array_equal(same[0].motion.rotations, same[1].motion.rotations)
