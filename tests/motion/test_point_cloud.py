"""Distance of point clouds: invariances, a brute-force oracle, and what `compare` says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import sixpoint as sp
from sixpoint.kernels import arrays
from sixpoint.motion.point_cloud import point_cloud_distances

RATE = 30.0


def clouds(frames: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two walks of eight points that differ."""
    rng = np.random.default_rng(seed)
    one = rng.normal(size=(1, 8, 3)) + np.cumsum(rng.normal(0.0, 0.05, (frames, 8, 3)), axis=0)
    return one, one + rng.normal(0.0, 0.1, one.shape)


def moved(points: np.ndarray, angle: float, shift: tuple[float, float, float]) -> np.ndarray:
    """Points turned about the vertical, and shifted."""
    turn = arrays.from_axis_angle(np.array((0.0, 1.0, 0.0)), angle)
    return arrays.rotate(turn, points) + np.array(shift)


@pytest.mark.parametrize("window", [0.0, 1.0 / 3.0])
def test_it_is_the_least_distance_of_all_shifts_and_rotations(window):
    one, other = clouds()
    weights = np.linspace(1.0, 2.0, 8)
    found = point_cloud_distances(one, moved(other, 2.0, (3.0, 0.1, -1.0)), weights, RATE, window)
    frame, reach = 17, round(0.5 * window * RATE)
    part = slice(frame - reach, frame + reach + 1)
    there = moved(other, 2.0, (3.0, 0.1, -1.0))[part]

    def apart(x: np.ndarray) -> float:
        gap = one[part] - moved(there, x[0], (x[1], 0.0, x[2]))
        return float(np.mean((gap**2).sum(axis=-1) @ weights) / weights.sum())

    starts = [minimize(apart, (angle, 0.0, 0.0)).fun for angle in (-2.0, 0.0, 2.0)]
    assert found[frame] == pytest.approx(np.sqrt(min(starts)), rel=1e-6)


def test_place_and_facing_do_not_matter_but_height_and_course_do():
    one, _ = clouds()
    weights = np.ones(8)
    far = moved(one, 1.2, (500.0, 0.0, -300.0))
    assert point_cloud_distances(one, far, weights, RATE).max() < 1e-5
    raised = moved(one, 1.2, (5.0, 0.2, -3.0))
    assert point_cloud_distances(one, raised, weights, RATE) == pytest.approx(0.2, abs=1e-6)
    drifting = one + np.linspace(0.0, 10.0, len(one))[:, None, None] * (1.0, 0.0, 0.0)
    assert point_cloud_distances(one, drifting, weights, RATE, 0.0).max() < 1e-6
    assert point_cloud_distances(one, drifting, weights, RATE).min() > 0.1


def test_it_is_symmetric():
    one, other = clouds()
    weights = np.ones(8)
    there = point_cloud_distances(one, other, weights, RATE)
    assert there == pytest.approx(point_cloud_distances(other, one, weights, RATE))


def test_compare_reports_it():
    clip = sp.builtin("walk")
    same = sp.compare(clip, clip)
    assert same.point_cloud_rms < 1e-6
    aside = sp.compare(replace(clip, root=clip.root + np.array((0.5, 0.0, 0.2))), clip)
    assert aside.position_rms > 0.2
    assert aside.point_cloud_rms < 1e-6
    result = sp.reconstruct(clip.points(), clip.skeleton, "sik")
    found = sp.compare(result.motion, clip)
    assert 0.0 < found.point_cloud_rms < 1.01 * found.position_rms * 2.0
    assert len(found.point_cloud_per_frame) == len(clip)
    assert found.as_dict()["point_cloud_rms"] == found.point_cloud_rms
    assert "point clouds" in str(found)


def test_one_frame_is_enough():
    clip = sp.builtin("walk").frames(slice(0, 1))
    assert sp.compare(clip, clip).point_cloud_mean < 1e-6
