from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sixpoint.bench.limits import frame_rates
from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.limits import estimate_limits
from sixpoint.limits.estimate.classify import Noise
from sixpoint.limits.estimate.trials import fixed_trial, noisy
from sixpoint.motion.motion import Motion


def measured(frames) -> float:
    noise = Noise(1)
    noise.add(frames[:, None], True)
    return float(np.degrees(noise.deviation()[0]))


def test_white_noise_is_found():
    rng = np.random.default_rng(1)
    for degrees in (0.01, 0.3, 1.0, 4.0):
        frames = noisy(fixed_trial(rng, 4000), np.radians(degrees), rng)
        assert measured(frames) == pytest.approx(degrees, rel=0.05)


def test_what_does_not_move_has_no_noise():
    assert measured(fixed_trial(np.random.default_rng(2))) == 0.0


def test_frames_signs_and_pieces_do_not_matter():
    rng = np.random.default_rng(3)
    frames = noisy(fixed_trial(rng, 200), 0.02, rng)
    flipped = frames * rng.choice([-1.0, 1.0], (200, 1))
    turned = arrays.multiply(fixed_trial(rng, 1), arrays.multiply(flipped, fixed_trial(rng, 1)))
    assert measured(turned) == pytest.approx(measured(frames), rel=0.03)
    whole, pieces = Noise(1), Noise(1)
    whole.add(frames[:, None], True)
    for k, piece in enumerate(np.array_split(frames[:, None], 150)):
        pieces.add(piece, k == 0)
    assert pieces.triples == whole.triples == 198
    assert pieces.deviation() == whole.deviation()


def test_a_few_jerks_and_jumps_between_clips_are_no_noise():
    rng = np.random.default_rng(4)
    frames = noisy(fixed_trial(rng, 300), np.radians(0.5), rng)
    jerky = frames.copy()
    jerky[::20] = arrays.multiply(jerky[::20], arrays.from_rotvec((0.5, 0.0, 0.0)))
    assert measured(jerky) < 1.3 * measured(frames)
    noise = Noise(1)
    for _ in range(40):
        noise.add(np.tile(arrays.normalize(rng.normal(size=4)), (5, 1, 1)), True)
    assert noise.deviation()[0] == 0.0


def test_a_few_keys_are_not_noise():
    rng = np.random.default_rng(5)
    assert measured(noisy(fixed_trial(rng, 10), 0.1, rng)) == 0.0


def test_types_are_recognised_at_every_frame_rate():
    """Through the whole estimation of clips: resampling must not hide the noise."""
    for row in frame_rates(300, rates=(12.0, 24.0, 30.0, 60.0, 120.0)):
        assert row["right_share"] >= 0.99, row


def test_jerky_joints_are_not_fixed():
    """However noisy a joint looks: what spreads by 5 degrees moves."""
    rng = np.random.default_rng(6)
    chain = Skeleton.chain(2)
    rotations = np.stack([noisy(fixed_trial(rng, 240), np.radians(d), rng) for d in (8.0, 1.0)], 1)
    found = estimate_limits([Motion(chain, np.zeros((240, 3)), rotations, 120.0)])
    assert list(found.types.values()) == ["ball", "fixed"]
    assert np.degrees(found.classes.noise) == pytest.approx((8.0, 1.0), rel=0.2)


def test_noise_is_that_of_the_frames_not_of_the_samples():
    rng = np.random.default_rng(7)
    chain = Skeleton.chain(2)
    still = noisy(fixed_trial(rng, 240), np.radians(1.0), rng)
    swing = arrays.from_axis_angle((1.0, 0.0, 0.0), np.sin(np.linspace(0.0, 9.0, 240)))
    clip = Motion(chain, np.zeros((240, 3)), np.stack([still, swing], axis=1), 120.0)
    found = [estimate_limits([clip], rate=rate) for rate in (17.0, 50.0, 240.0, None)]
    assert len({estimate.classes.noise[0] for estimate in found}) == 1
    slow = estimate_limits([replace(clip, rate=12.0)])
    assert slow.classes.noise[0] == found[0].classes.noise[0]
