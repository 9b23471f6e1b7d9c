from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from rigs import random_motion
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.motion.motion import STRIPE, Motion

ONE = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
RATES = st.sampled_from([10.0, 24.0, 25.0, 29.97, 30.0, 60.0, 90.0, 119.88, 120.0, 240.0])


@given(st.integers(1, 60), RATES, RATES)
def test_first_frame_and_length_are_kept(frames, old, new):
    motion = random_motion(ONE, frames=frames, rate=old)
    result = motion.resampled(new)
    assert result.rate == new
    assert np.array_equal(result.rotations[0], motion.rotations[0])
    assert np.array_equal(result.root[0], motion.root[0])
    assert abs(result.duration - motion.duration) < 1.0 / min(old, new) + 1e-9
    assert result.times[-1] <= motion.times[-1] + 1e-7


@given(st.integers(1, 40), st.integers(1, 5))
def test_up_by_a_whole_factor_and_down_again_is_the_motion_itself(frames, factor):
    motion = random_motion(ONE, frames=frames, rate=30.0)
    up = motion.resampled(30.0 * factor)
    assert len(up) == (frames - 1) * factor + 1
    back = up.resampled(30.0)
    assert np.array_equal(back.rotations, motion.rotations)
    assert np.array_equal(back.root, motion.root)


@pytest.mark.parametrize(("old", "new"), [(119.88, 29.97), (0.3, 0.1), (1.1, 0.1)])
def test_rounding_of_rates_loses_no_frame(old, new):
    factor = round(old / new)
    for count in range(1, 60):
        motion = random_motion(ONE, frames=factor * count + 1, rate=old)
        result = motion.resampled(new)
        assert np.array_equal(result.rotations, motion.rotations[::factor])


def test_an_unchanged_rate_changes_nothing():
    motion = random_motion(ONE)
    assert motion.resampled(motion.rate) is motion


def test_rotations_are_slerped_and_positions_interpolated():
    motion = random_motion(ONE, 3, frames=11, rate=30.0)
    result = motion.resampled(47.0)
    expected = Slerp(
        motion.times, Rotation.from_quat(np.roll(motion.rotations[:, 1], -1, axis=-1))
    )(result.times)
    assert (
        arrays.angle_between(result.rotations[:, 1], np.roll(expected.as_quat(), 1, axis=-1)).max()
        < 1e-7
    )
    for k in range(3):
        np.testing.assert_allclose(
            result.root[:, k], np.interp(result.times, motion.times, motion.root[:, k]), atol=1e-12
        )


def test_translations_are_interpolated():
    motion = random_motion(ONE, frames=3, rate=10.0)
    moves = np.zeros((3, 2, 3))
    moves[:, 1, 1] = [1.0, 2.0, 4.0]
    result = replace(motion, translations=moves).resampled(20.0)
    assert result.translations[:, 1, 1] == pytest.approx([1.0, 1.5, 2.0, 3.0, 4.0])


def test_long_clips_go_in_stripes():
    frames = STRIPE + 10
    angles = np.linspace(0.0, 20.0, frames)
    q = arrays.from_axis_angle(arrays.AXES["Y"], angles)[:, None]
    one = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    result = Motion(one, np.zeros((frames, 3)), q, 50.0).resampled(75.0)
    expected = np.interp(result.times, np.arange(frames) / 50.0, angles)
    turned = arrays.from_axis_angle(arrays.AXES["Y"], expected)
    assert arrays.angle_between(result.rotations[:, 0], turned).max() < 1e-7


def test_no_frames_stay_no_frames():
    assert len(random_motion(ONE, frames=0).resampled(30.0)) == 0


@pytest.mark.parametrize("rate", [0.0, -30.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(InputError, match="positive `rate`"):
        random_motion(ONE).resampled(rate)
