"""Which samples are taken of motion, and that nothing else about it matters."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError
from sixpoint.kernels import arrays
from sixpoint.limits import LimitEstimator, TypeRules, estimate_limits
from sixpoint.limits.estimate.trials import ball_trial
from sixpoint.motion.motion import Motion

CHAIN = Skeleton.chain(3)


def rocking(axis, low, high, frames=200, before=(1.0, 0.0, 0.0, 0.0)) -> Motion:
    """The middle joint of three swings about an axis, on top of a constant rotation."""
    angles = np.radians(low + (high - low) * (0.5 - 0.5 * np.cos(np.linspace(0.0, 9.0, frames))))
    rotations = arrays.identity(frames, 3)
    turns = arrays.from_axis_angle(np.array(axis), angles)
    rotations[:, 1] = arrays.multiply(np.array(before), turns)
    return Motion(CHAIN, np.zeros((frames, 3)), rotations, 100.0)


def joints_of(estimate) -> dict:
    return json.loads(estimate.text())["joints"]


@pytest.mark.parametrize("pieces", [1, 7, 50])
def test_a_file_and_a_stream_of_its_frames_give_the_same_bits(pieces):
    """O1.7: with every frame, or at the rate of the clip."""
    clip = builtin("boxing")
    streamed = LimitEstimator(clip.skeleton)
    for piece in np.array_split(clip.rotations, pieces):
        streamed.extend(piece)
    expected = joints_of(streamed.estimate())
    for rate in (None, clip.rate):
        assert joints_of(estimate_limits([clip], rate=rate)) == expected


def test_every_frame_is_inside_if_every_frame_is_taken():
    clip = builtin("boxing")
    for family in ("swing_twist", "zyz", "zyz_centred", "xyz"):
        found = estimate_limits([clip], rate=None)
        beyond = found.limits(family).violations(clip)
        for joint in found.joints(family):
            if joint.type == "ball":
                assert beyond[:, clip.skeleton.index(joint.name)].max() == 0.0


def test_intervals_between_samples_are_those_of_the_rate():
    """n intervals have n + 1 ends: 4 s at 50 Hz are 201 samples, and every other frame of 100."""
    clip = rocking((1.0, 0.0, 0.0), 0.0, 80.0, 401)
    estimator = LimitEstimator(CHAIN, rate=50.0)
    estimator.add(clip)
    assert len(estimator) == 201
    assert estimator.samples()[0][:, 1] == pytest.approx(clip.rotations[::2, 1], abs=1e-15)
    at_own = LimitEstimator(CHAIN, rate=100.0)
    at_own.add(clip)
    assert len(at_own) == 401


@pytest.mark.parametrize("rate", [1e9, 1e308])
def test_rates_that_memory_cannot_hold_are_refused(rate):
    with pytest.raises(InputError, match="a `rate` that gives at most 10000 samples of its 200 fr"):
        estimate_limits([rocking((1.0, 0.0, 0.0), 0.0, 80.0)], rate=rate)


def test_the_order_of_clips_does_not_matter():
    rng = np.random.default_rng(1)
    clips = []
    for _ in range(5):
        rotations = np.stack([ball_trial(rng, 120) for _ in range(3)], axis=1)
        clips.append(Motion(CHAIN, np.zeros((120, 3)), rotations, 60.0))
    a, b = estimate_limits(clips), estimate_limits(clips[::-1])
    assert a.classes.spreads == pytest.approx(b.classes.spreads, abs=1e-9)
    assert a.limits("xyz") == b.limits("xyz")


@pytest.mark.parametrize("tilt", [0.0, 20.0, -60.0])
def test_angles_of_hinges_count_from_the_turn_nearest_to_the_neutral_stance(tilt):
    """Not from the mean of the motion, which depends on what was done how often."""
    before = tuple(arrays.from_axis_angle((0.0, 1.0, 0.0), np.radians(tilt)).tolist())
    found = estimate_limits([rocking((1.0, 0.0, 0.0), 10.0, 90.0, before=before)])
    limit = found.joint(CHAIN.names[1]).limit
    assert limit.axis == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert np.degrees((limit.low, limit.high)) == pytest.approx((10.0, 90.0), abs=0.1)


def test_axes_have_a_sign_that_does_not_depend_on_the_motion():
    for low, high in ((-80.0, 10.0), (-10.0, 80.0)):
        found = estimate_limits([rocking((0.0, 0.6, -0.8), low, high)])
        assert found.joint(CHAIN.names[1]).axis == pytest.approx((0.0, -0.6, 0.8), abs=1e-9)
        literal = estimate_limits(
            [rocking((0.0, 0.6, -0.8), low, high)], rules=TypeRules(reference="identity")
        )
        sign = np.sign(low + high)  # Eq. (8)
        assert literal.joint(CHAIN.names[1]).axis == pytest.approx(
            (0.0, 0.6 * sign, -0.8 * sign), abs=1e-9
        )


def test_elbows_and_knees_turn_about_x_as_in_the_adult_limits():
    for name in ("boxing", "squat", "walk"):
        clip = builtin(name)
        found = sp.estimate_limits([clip])
        for side in "lr":
            for part, sign in (("elbow", -1.0), ("knee", 1.0)):
                joint = found.joint(f"{side}_{part}")
                assert joint.axis[0] > 0.9
                if joint.type == "hinge":
                    assert sign * (joint.limit.low + joint.limit.high) > 0.0


@pytest.mark.parametrize("middle", [170.0, -170.0, 90.0])
def test_ranges_are_told_in_the_turn_that_people_read(middle):
    found = estimate_limits([rocking((1.0, 0.0, 0.0), middle - 60.0, middle + 60.0)])
    limit = found.joint(CHAIN.names[1]).limit
    assert np.degrees(limit.low + limit.high) / 2.0 == pytest.approx(middle, abs=0.1)
    for clip in ("boxing", "walk"):
        estimate = estimate_limits([builtin(clip)])
        for name in estimate.names:
            joint = estimate.joint(name, "xyz")
            if joint.type == "ball":
                for low, high in (*joint.limit.intervals, joint.also["swing_twist"].twist):
                    assert abs(low + high) <= 2.0 * np.pi + 1e-6


def test_pictures_see_the_whole_of_the_motion():
    """Every k-th sample, with the starts of clips where they belong; stretches within one clip."""
    estimator = LimitEstimator(CHAIN, rate=None)
    for low in (0.0, 40.0, 80.0):
        estimator.add(rocking((1.0, 0.0, 0.0), low, low + 30.0, 1501))
    every, starts = estimator.samples()
    assert starts == [0, 1501, 3002]
    some, cuts = estimator.samples(most=1000)
    assert (some == every[::5]).all()
    assert cuts == [0, 301, 601]
    windows = estimator.windows(100)
    assert len(windows) == 45
    for window in windows:
        assert np.degrees(arrays.angle_between(window[1:, 1], window[:-1, 1])).max() < 3.0
    assert len(estimator.windows(100, most=10)) <= 10
