"""What the joint-limit paper says about the CMU clips, on the clips themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.limits import LimitEstimator, Limits
from sixpoint.limits.collection import FAMILIES
from sixpoint.limits.estimate.estimate import Estimate

pytestmark = pytest.mark.data


def collected(paths) -> tuple[Estimate, LimitEstimator]:
    estimator = None
    for path in sorted(paths):
        motion = sp.load(path)
        estimator = estimator or LimitEstimator(motion.skeleton)
        estimator.add(motion, path.name)
    return estimator.estimate(), estimator


def by_role(estimate: Estimate) -> dict[str, str]:
    return {estimate.roles.get(name, name): kind for name, kind in estimate.types.items()}


@pytest.fixture(scope="module")
def gymnastics(shared_data: Path) -> tuple[Estimate, LimitEstimator]:
    return collected((shared_data / "cmu" / "gymnastics").glob("*.bvh"))


def test_gymnastics_give_the_types_that_people_have(gymnastics):
    types = by_role(gymnastics[0])
    for side in "lr":
        assert types[f"{side}_elbow"] == types[f"{side}_knee"] == "hinge"
        assert types[f"{side}_shoulder"] == types[f"{side}_hip"] == "ball"
        assert types[f"{side}_clavicle"] == "fixed"  # CMU never moves them


@pytest.mark.parametrize("family", FAMILIES)
def test_every_sample_of_the_clips_is_inside(gymnastics, family, tmp_path):
    estimate, estimator = gymnastics
    estimate.save(tmp_path / "limits.json", family)
    limits = Limits.load(tmp_path / "limits.json")
    for samples, _ in estimator._buffer.blocks():
        for j, joint in enumerate(estimate.joints(family)):
            slack = joint.off_axis[1] if joint.type == "hinge" else 0.0
            for sign in (1.0, -1.0):
                beyond = limits[joint.name].violation(sign * samples[:, j])
                assert beyond.max() <= 1.0001 * slack + 1e-9, joint.name


def test_a_run_makes_a_hinge_of_the_right_shoulder_and_the_t_pose_infeasible(shared_data):
    estimate, _ = collected([shared_data / "cmu" / "run" / "02_03_run_jog.bvh"])
    assert by_role(estimate)["r_shoulder"] == "hinge"
    for side in "lr":
        name = next(n for n, role in estimate.roles.items() if role == f"{side}_shoulder")
        joint = estimate.joint(name)
        assert not joint.bind_feasible
        assert not joint.bind.paper_feasible
        assert np.degrees(joint.bind_violation) > 20.0
        assert joint.limit.contains(joint.bind_start)


def test_shoulders_fill_space_and_elbows_a_line(gymnastics):
    estimate, _ = gymnastics
    shares = {
        estimate.roles.get(name): values / values.sum()
        for name, values in zip(estimate.names, estimate.classes.eigenvalues, strict=True)
        if values.sum() > 0.0
    }
    assert shares["l_shoulder"][0] < 0.8
    assert shares["l_elbow"][0] > 0.999


def test_a_hundred_samples_of_two_seconds_suffice(shared_data):
    """For all but the spikes of toes, thumbs and forearms, which two seconds have few of."""
    from sixpoint.bench.limits import sample_counts

    paths = sorted((shared_data / "cmu").rglob("*.bvh"))[::6]
    found = sample_counts([sp.load(path) for path in paths])
    assert found["hinge"]["below_3deg"] > 0.9
    assert found["zyz_centred"]["below_3deg"] > 0.9
    assert found["hinge"]["median_deg"] < 0.3
    assert found["zyz_centred"]["median_deg"] < 0.3


def test_thumbs_that_jerk_are_not_fixed(shared_data):
    """They look noisy where they jump, but they go 8 degrees and more."""
    for name in ("87_03", "83_27"):
        (path,) = (shared_data / "cmu").rglob(f"{name}_*.bvh")
        estimate, _ = collected([path])
        assert estimate.types["RThumb"] != "fixed"
        assert np.degrees(estimate.joint("RThumb").noise) < 1.0


def test_every_frame_of_a_quick_kick_is_inside_if_all_are_taken(shared_data):
    (path,) = (shared_data / "cmu").rglob("90_06_*.bvh")
    motion = sp.load(path)
    balls = {}
    for rate in (50.0, motion.rate, None):
        estimate = sp.estimate_limits([motion], rate=rate)
        own = [motion.skeleton.index(n) for n, kind in estimate.types.items() if kind == "ball"]
        balls[rate] = float(estimate.limits().violations(motion)[:, own].max())
    assert balls[None] == balls[motion.rate] == 0.0
    assert np.degrees(balls[50.0]) > 1.0  # what samples miss


def test_starts_lie_inside_the_limits_of_every_clip(shared_data):
    for path in sorted((shared_data / "cmu").rglob("*.bvh"))[::6]:
        estimate, _ = collected([path])
        for family in FAMILIES:
            for joint in estimate.joints(family):
                assert joint.limit.contains(joint.bind_start), (path.name, joint.name, family)
                if joint.type == "ball":
                    assert joint.bind_feasible == (joint.bind_violation == 0.0)
