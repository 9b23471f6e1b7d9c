from __future__ import annotations

import numpy as np
import pytest

from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.subjects.smoothing import (
    OneEuroFilter,
    continuous,
    denoised,
    lowpassed,
    noise_of,
    put_rotations,
    rotation_noise,
)

from .people import CLIPS, motion, trembling, turning


def jitter(positions):
    return np.sqrt((np.diff(positions, n=2, axis=0) ** 2).sum(axis=-1).mean())


def distance(a, b):
    return np.sqrt(np.nanmean(((a - b) ** 2).sum(axis=-1)))


@pytest.mark.parametrize("noise", [0.001, 0.003, 0.01])
@pytest.mark.parametrize("name", CLIPS)
def test_noise_is_measured(name, noise):
    points = trembling(motion(name, 300).points(), noise)
    found = noise_of(points.positions, points.rate)
    np.testing.assert_allclose(found, noise, rtol=0.25)
    assert noise_of(motion(name, 300).points().positions, points.rate).max() < 0.0005


def test_noise_of_each_point_is_its_own_up_to_twice_the_usual():
    points = motion("reach", 300).points()
    levels = np.array([0.001, 0.001, 0.0018, 0.001, 0.001, 0.02])
    shift = np.random.default_rng(1).normal(size=points.positions.shape)
    found = noise_of(points.positions + levels[:, None] * shift, points.rate)
    np.testing.assert_allclose(found[:5], levels[:5], rtol=0.3)
    assert found[5] == pytest.approx(2.0 * np.median(found))


def test_points_that_stay_where_they_were_put_do_not_hide_the_noise_of_others():
    positions = trembling(motion("reach", 300).points(), 0.003).positions.copy()
    positions[:, [0, 1, 4, 5]] = 1.0
    found = noise_of(positions, 60.0)
    np.testing.assert_allclose(found[[2, 3]], 0.003, rtol=0.25)
    np.testing.assert_array_equal(found[[0, 1, 4, 5]], 0.0)


def test_noise_of_what_was_hardly_seen_is_unknown():
    positions = np.full((50, 2, 3), np.nan)
    positions[:4] = 1.0
    assert np.isnan(noise_of(positions, 60.0)).all()


@pytest.mark.parametrize("name", CLIPS)
def test_noise_is_taken_away_and_the_motion_is_left(name):
    clean = motion(name, 300).points()
    points = trembling(clean, 0.003)
    smooth = denoised(points.positions, points.rate, np.full(6, 0.003))
    assert distance(smooth, clean.positions) < 0.55 * distance(points.positions, clean.positions)
    assert jitter(smooth) < 0.3 * jitter(points.positions)


def test_smoothing_has_no_delay_and_no_side():
    points = trembling(motion("boxing").points(), 0.003)
    noise = np.full(6, 0.003)
    forwards = denoised(points.positions, points.rate, noise)
    backwards = denoised(points.positions[::-1], points.rate, noise)[::-1]
    np.testing.assert_allclose(forwards, backwards, atol=1e-9)


def test_smoothing_follows_the_axes():
    points = trembling(motion("boxing").points(), 0.003)
    noise = np.full(6, 0.003)
    turn = arrays.from_axis_angle((0.6, 0.0, 0.8), 1.1)
    turned = denoised(arrays.rotate(turn, points.positions) + 5.0, points.rate, noise)
    plain = arrays.rotate(turn, denoised(points.positions, points.rate, noise)) + 5.0
    np.testing.assert_allclose(turned, plain, atol=1e-9)


def test_tracks_without_noise_stay_to_the_bit():
    positions = motion().points().positions
    noise = np.array([0.0, np.nan, 0.003, 0.0, 0.0, 0.0])
    smooth = denoised(positions, 60.0, noise)
    same = [0, 1, 3, 4, 5]
    np.testing.assert_array_equal(smooth[:, same], positions[:, same])


def test_gaps_stay_gaps():
    points = trembling(motion("walk", 200).points(), 0.003)
    positions = points.positions.copy()
    positions[50:80, 2] = np.nan
    positions[:20, 3] = np.nan
    positions[:, 4] = np.nan
    for smooth in (denoised(positions, 60.0, np.full(6, 0.003)), lowpassed(positions, 60.0, 6.0)):
        np.testing.assert_array_equal(np.isnan(smooth), np.isnan(positions))
        assert distance(smooth[100:, :4], motion("walk", 200).points().positions[100:, :4]) < 0.006


def test_a_low_pass_filter_keeps_what_is_slow_and_stops_what_is_quick():
    time = np.arange(600) / 120.0
    slow, quick = np.sin(2 * np.pi * 1.0 * time), np.sin(2 * np.pi * 30.0 * time)
    values = (slow + quick)[:, None, None] * np.ones(3)
    out = lowpassed(values, 120.0, 6.0)[60:-60, 0, 0]
    np.testing.assert_allclose(out, slow[60:-60], atol=0.01)
    with pytest.raises(InputError, match="positive frequency"):
        lowpassed(values, 120.0, 0.0)


def test_rotations_are_smoothed_and_stay_unit():
    points = turning(motion("walk", 300).points())
    shake = 0.02 * np.random.default_rng(2).normal(size=(*points.positions.shape[:2], 3))
    shaken = arrays.multiply(points.rotations, arrays.from_rotvec(shake))
    shaken[::2] *= -1.0  # either sign is the same rotation
    np.testing.assert_allclose(rotation_noise(shaken, 60.0), 0.02, rtol=0.25)
    steady = continuous(shaken)
    smooth = put_rotations(shaken, steady, denoised(steady, 60.0, np.full(6, 0.02 / 2.31)))
    np.testing.assert_allclose(np.linalg.norm(smooth, axis=-1), 1.0)
    before = arrays.angle_between(shaken, points.rotations).mean()
    assert arrays.angle_between(smooth, points.rotations).mean() < 0.6 * before


@pytest.mark.parametrize("frames", [1, 2, 3, 7])
def test_short_clips_are_finite(frames):
    values = np.random.default_rng(0).normal(size=(frames, 2, 3))
    assert np.isfinite(denoised(values, 60.0, np.full(2, 0.01))).all()
    assert np.isfinite(lowpassed(values, 60.0, 5.0)).all()


def test_a_live_filter_calms_points_at_rest_and_says_its_lag():
    rng = np.random.default_rng(3)
    live = OneEuroFilter(90.0, noise=0.003)
    still = 1.0 + 0.003 * rng.normal(size=(300, 2, 3))
    out = np.array([live.step(frame) for frame in still])
    assert out[100:].std(axis=0).max() < 0.0015
    # A point of constant speed comes late by what the filter says.
    live.reset()
    way = np.linspace(0.0, 2.0, 181)[:, None, None] * np.array((1.0, 0.0, 0.0))
    late = way[:, 0, 0] - np.array([live.step(frame)[0, 0] for frame in way])
    assert late[-1] / 1.0 == pytest.approx(live.lag(1.0), rel=0.02)
    assert live.lag(0.0) > live.lag(1.0) > live.lag(3.0) > 0.0


def test_a_live_filter_begins_anew_where_a_point_comes_back():
    live = OneEuroFilter(60.0, noise=0.003)
    frame = np.zeros((2, 3))
    live.step(frame)
    lost = frame.copy()
    lost[1] = np.nan
    assert np.isnan(live.step(lost)[1]).all()
    back = frame + 0.5
    np.testing.assert_array_equal(live.step(back)[1], back[1])
    assert np.isfinite(live.step(back)).all()


@pytest.mark.parametrize(("rate", "noise"), [(0.0, 0.01), (60.0, 0.0), (60.0, np.nan)])
def test_a_live_filter_needs_rate_and_noise(rate, noise):
    with pytest.raises(InputError, match="positive"):
        OneEuroFilter(rate, noise=noise)


def test_a_live_filter_refuses_other_shapes():
    live = OneEuroFilter(60.0, noise=0.003)
    with pytest.raises(InputError, match="shape"):
        live.step(np.zeros(3))
    live.step(np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"\(2, 3\)"):
        live.step(np.zeros((3, 3)))
