from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import builtin
from sixpoint.errors import InputError, UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import (
    EulerBoxLimit,
    FixedLimit,
    FlexionLimit,
    LimitEstimator,
    Limits,
    SwingTwistLimit,
    TypeRules,
    estimate_limits,
)
from sixpoint.limits.collection import FAMILIES
from sixpoint.limits.estimate.estimate import Estimate, Repair
from sixpoint.limits.estimate.trials import ball_trial, fixed_trial, hinge_trial
from sixpoint.motion.motion import Motion

CHAIN = Skeleton.chain(3)


def trial_motion(seed: int = 1, frames: int = 120, rate: float = 60.0) -> Motion:
    """A hinge, a ball and a fixed joint."""
    rng = np.random.default_rng(seed)
    trials = [trial(rng, frames) for trial in (hinge_trial, ball_trial, fixed_trial)]
    return Motion(CHAIN, np.zeros((frames, 3)), np.stack(trials, axis=1), rate)


def estimated(motion: Motion, **options) -> tuple[Estimate, np.ndarray]:
    """The estimate, and the samples that it saw (N, J, 4)."""
    estimator = LimitEstimator(motion.skeleton, **options)
    estimator.add(motion)
    return estimator.estimate(), np.concatenate([b for b, _ in estimator._buffer.blocks()])


@pytest.fixture(scope="module")
def boxing() -> tuple[Estimate, np.ndarray]:
    return estimated(builtin("boxing"))


def test_types_are_found():
    """Types first, then parameters."""
    found, _ = estimated(trial_motion())
    assert list(found.types.values()) == ["hinge", "ball", "fixed"]
    limits = found.limits()
    assert [type(limit) for limit in limits.values()] == [FlexionLimit, SwingTwistLimit, FixedLimit]
    assert isinstance(found.limits("xyz")[CHAIN.names[1]], EulerBoxLimit)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_sample_is_inside_in_every_family(boxing, family, tmp_path):
    """For q and -q, after the file too; hinges within the reported slack."""
    for found, samples in (boxing, estimated(trial_motion()), estimated(trial_motion(5))):
        path = tmp_path / "limits.json"
        found.save(path, family)
        limits = Limits.load(path)
        assert limits == found.limits(family)
        for j, joint in enumerate(found.joints(family)):
            slack = joint.off_axis[1] if joint.type == "hinge" else 0.0
            if joint.type == "fixed":
                slack = float(arrays.angle_between(samples[:, j], found.fit.centre[j]).max())
            for sign in (1.0, -1.0):
                beyond = limits[joint.name].violation(sign * samples[:, j])
                assert beyond.max() <= 1.0001 * slack + 1e-9, joint.name


def test_all_families_stand_in_one_file(boxing, tmp_path):
    found, _ = boxing
    found.save(tmp_path / "limits.json")
    for family in FAMILIES:
        assert Limits.load(tmp_path / "limits.json", family) == found.limits(family)


def test_an_immovable_joint_is_a_box_that_is_a_point():
    found, samples = estimated(trial_motion())
    box = found.limit(2, "zyz", type=2)
    for low, high in box.intervals:
        assert high - low < 1e-6
    assert found.limits()[CHAIN.names[2]].contains(samples[:, 2]).all()


@pytest.mark.parametrize("pieces", [1, 2, 17, 200])
def test_streamed_and_batch_estimates_are_equal_to_the_bit(pieces):
    """O1.7."""
    clip = builtin("boxing")
    whole = LimitEstimator(clip.skeleton)
    whole.extend(clip.rotations)
    streamed = LimitEstimator(clip.skeleton)
    for k, piece in enumerate(np.array_split(clip.rotations, pieces)):
        streamed.extend(piece)
        if k == pieces // 2 and len(streamed) > 10:
            streamed.estimate()  # asking in between changes nothing
    assert streamed.estimate().text() == whole.estimate().text()


def test_limits_grow_while_motion_arrives():
    clip = builtin("boxing")
    estimator = LimitEstimator(clip.skeleton)
    width = 0.0
    for piece in np.array_split(clip.rotations, 6):
        estimator.extend(piece)
        found = estimator.estimate()
        j = found.names.index("l_elbow")
        grown = float(found.fit.ranges["hinge"].high[j, 0] - found.fit.ranges["hinge"].low[j, 0])
        assert grown >= width - 1e-6
        width = grown


def test_more_clips_give_wider_limits():
    one, two = builtin("boxing"), builtin("walk")
    a, both = estimate_limits([one]), estimate_limits([one, two])
    for ranges in ("xyz", "zyz"):
        before, after = a.fit.ranges[ranges], both.fit.ranges[ranges]
        assert (after.gap <= before.gap + 1e-9).all()
    assert (both.fit.swing >= a.fit.swing).all()
    assert [c["name"] for c in both.provenance["clips"]] == ["motion", "motion"]


def test_translations_do_not_matter():
    clip = builtin("boxing")
    rng = np.random.default_rng(2)
    shaken = replace(clip, root=clip.root + rng.normal(size=clip.root.shape))
    assert estimate_limits([shaken]).text() == estimate_limits([clip]).text()


def test_joints_do_not_matter_to_each_other():
    clip = builtin("boxing")
    stiff = clip.rotations.copy()
    stiff[:, clip.skeleton.index("l_elbow")] = stiff[0, clip.skeleton.index("l_elbow")]
    a = estimate_limits([clip]).limits("zyz_centred")
    b = estimate_limits([replace(clip, rotations=stiff)]).limits("zyz_centred")
    assert {name for name in a if a[name] != b[name]} == {"l_elbow"}


def test_six_keys_are_enough_and_three_are_not():
    """Hand-keyed motion is resampled densely."""
    swing = arrays.from_axis_angle((0.0, 0.0, 1.0), np.radians([0.0, 40.0, 80.0, 60.0, 20.0, 5.0]))
    rotations = arrays.identity(6, 3)
    rotations[:, 1] = swing
    keyed = Motion(CHAIN, np.zeros((6, 3)), rotations, 3.0)
    found = estimate_limits([keyed])
    assert list(found.types.values()) == ["fixed", "hinge", "fixed"]
    low, high = found.fit.ranges["hinge"].low[1, 0], found.fit.ranges["hinge"].high[1, 0]
    assert np.degrees((low, high)) == pytest.approx((0.0, 80.0), abs=1.0)
    assert found.fit.samples == 100
    assert found.provenance["warnings"] == []


@pytest.mark.parametrize("keys", [2, 3])
def test_few_keys_make_limits_with_a_warning(keys):
    swing = arrays.from_axis_angle((0.0, 0.0, 1.0), np.radians([0.0, 40.0, 80.0]))
    rotations = arrays.identity(3, 3)
    rotations[:, 1] = swing
    keyed = Motion(CHAIN, np.zeros((3, 3)), rotations, 3.0).frames(slice(0, keys))
    found = estimate_limits([keyed])
    (warning,) = found.provenance["warnings"]
    assert f"has {keys} key frames" in warning
    high = found.fit.ranges["hinge"].high[1, 0]
    assert np.degrees(high) == pytest.approx(40.0 * (keys - 1), abs=1.0)
    with pytest.raises(InputError, match="one frame or more to estimate from, got none"):
        estimate_limits([keyed.frames(slice(0, 0))])


def test_too_few_samples_make_limits_too_tight():
    """What motion does not show, limits do not allow."""
    clip = builtin("boxing")
    short = estimate_limits([clip.frames(slice(0, 20))])
    limits = short.limits()
    assert limits.violations(clip).max() > np.radians(10.0)


def test_a_margin_widens_every_family():
    plain, _ = estimated(trial_motion())
    wide, _ = estimated(trial_motion(), margin=np.radians(5.0))
    name = CHAIN.names[1]
    for (a, _), (c, d) in zip(
        plain.limits("xyz")[name].intervals, wide.limits("xyz")[name].intervals, strict=True
    ):
        assert np.degrees(a - c) == pytest.approx(5.0, abs=1e-5) or c == -np.pi / 2 or d - c > 6.28
    hinge, wider = plain.limits()[CHAIN.names[0]], wide.limits()[CHAIN.names[0]]
    assert np.degrees(wider.high - hinge.high) == pytest.approx(5.0, abs=1e-5)
    spline, larger = plain.limits()[name], wide.limits()[name]
    assert max(larger.amplitudes) - max(spline.amplitudes) == pytest.approx(np.radians(5.0), 1e-4)


def test_a_quantile_leaves_out_the_farthest_samples():
    clip = builtin("boxing")
    every, most = estimate_limits([clip]), estimate_limits([clip], quantile=0.8)
    assert (most.fit.swing <= every.fit.swing + 1e-12).all()
    assert (most.fit.swing < every.fit.swing - 1e-3).any()


def test_angles_that_go_round_are_unlimited():
    turns = arrays.from_axis_angle((0.0, 0.0, 1.0), np.linspace(0.0, 2.0 * np.pi, 200))
    rotations = arrays.identity(200, 3)
    rotations[:, 1] = turns
    found = estimate_limits([Motion(CHAIN, np.zeros((200, 3)), rotations, 60.0)])
    joint = found.joint(CHAIN.names[1])
    assert joint.unlimited
    assert (joint.limit.low, joint.limit.high) == (-np.pi, np.pi)


def test_rigs_may_have_other_bone_lengths_but_not_other_joints():
    clip = builtin("boxing")
    longer = replace(clip.skeleton, offsets=clip.skeleton.offsets * 1.1)
    estimate_limits([clip, replace(clip, skeleton=longer)])
    names = list(clip.skeleton.names)
    names[names.index("l_wrist")] = "l_hand"
    other = replace(clip.skeleton, names=tuple(names))
    with pytest.raises(InputError, match="got a rig without l_wrist and with l_hand"):
        estimate_limits([clip, replace(clip, skeleton=other)])
    parents = clip.skeleton.parents.copy()
    parents[clip.skeleton.index("l_thumb2")] = clip.skeleton.index("l_wrist")
    moved = replace(clip.skeleton, parents=parents)
    with pytest.raises(InputError, match="got another place for l_thumb2"):
        estimate_limits([clip, replace(clip, skeleton=moved)])


def test_senseless_input_is_refused():
    clip = trial_motion()
    with pytest.raises(InputError, match="got clips in which no joint moves"):
        estimate_limits([replace(clip, rotations=np.tile(clip.rotations[:1], (120, 1, 1)))])
    with pytest.raises(InputError, match="Expected one motion or more"):
        estimate_limits([])
    with pytest.raises(InputError, match="Expected one sample or more to estimate from, got none"):
        LimitEstimator(CHAIN).estimate()
    broken = clip.rotations.copy()
    broken[3, 1] = np.nan
    with pytest.raises(
        InputError, match="expected finite rotations, got NaN .* in " + CHAIN.names[1]
    ):
        LimitEstimator(CHAIN).extend(broken)
    with pytest.raises(InputError, match=r"Expected rotations of shape \(n, 3, 4\), got \(2, 4\)"):
        LimitEstimator(CHAIN).extend(np.zeros((2, 4)))
    with pytest.raises(InputError, match="Expected `margin` from 0 to 180 degrees, got -1"):
        LimitEstimator(CHAIN, margin=np.radians(-1.0))
    with pytest.raises(InputError, match="Expected `quantile` above 0 and at most 1, got 0"):
        LimitEstimator(CHAIN, quantile=0.0)
    with pytest.raises(InputError, match="Expected a positive `rate`"):
        LimitEstimator(CHAIN, rate=0.0)
    with pytest.raises(InputError, match="Expected a repair midpoint, circular_mean or frame:NUMB"):
        Repair.parse("frame:-1")
    with pytest.raises(InputError, match="Expected a frame below 100 to repair"):
        estimated(trial_motion(frames=60), repair=Repair.parse("frame:100"))
    found, _ = estimated(clip)
    with pytest.raises(UnknownName, match="No family of limits 'cone'"):
        found.limits("cone")
    with pytest.raises(UnknownName, match="No estimated joint 'nose'"):
        found.joint("nose")


def test_rules_stand_in_the_provenance():
    found, _ = estimated(trial_motion(), rules=TypeRules(rule="absolute"), margin=np.radians(3.0))
    assert found.provenance["rule"] == "absolute"
    assert found.provenance["margin"] == 3.0
    assert found.provenance["samples"] == 100


def test_memory_does_not_grow_with_the_number_of_clips():
    clip = builtin("boxing")
    estimator = LimitEstimator(clip.skeleton)
    for _ in range(3):
        estimator.add(clip)
    peaks = []
    for clips in (10, 120):
        tracemalloc.start()
        estimator = LimitEstimator(clip.skeleton)
        for _ in range(clips):
            estimator.add(clip)
        estimator.estimate()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert 120 * clip.rotations.nbytes // 3 > 8_000_000
    assert peaks[1] < peaks[0] + 12_000_000


def test_an_estimate_takes_no_more_samples_than_it_is_told():
    clip = builtin("boxing")
    estimator = LimitEstimator(clip.skeleton)
    estimator.add(clip.frames(slice(0, 120)))
    assert len(estimator) == 100
