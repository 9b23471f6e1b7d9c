"""Whether limits hold the bind pose, and where to start if they do not."""

from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.skeleton import Skeleton
from sixpoint.data.clips import CLIPS, builtin
from sixpoint.kernels import arrays
from sixpoint.limits import LimitEstimator, estimate_limits
from sixpoint.limits.collection import FAMILIES
from sixpoint.limits.estimate.estimate import Repair
from sixpoint.limits.estimate.trials import ball_trial, fixed_trial, hinge_trial
from sixpoint.motion.motion import Motion

CHAIN = Skeleton.chain(3)
NAME = CHAIN.names[1]
REPAIRS = ("midpoint", "circular_mean", "frame:7")


def moving(turns) -> Motion:
    """The middle joint of three does something."""
    rotations = arrays.identity(len(turns), 3)
    rotations[:, 1] = turns
    return Motion(CHAIN, np.zeros((len(turns), 3)), rotations, 50.0)


def swing(axis, low, high, before=(1.0, 0.0, 0.0, 0.0)) -> Motion:
    angles = np.radians(np.linspace(low, high, 100))
    return moving(arrays.multiply(np.array(before), arrays.from_axis_angle(axis, angles)))


@pytest.mark.parametrize("repair", REPAIRS)
def test_an_infeasible_bind_pose_is_repaired(repair):
    estimator = LimitEstimator(CHAIN, repair=Repair.parse(repair))
    estimator.add(swing((0.0, 0.0, 1.0), 30.0, 70.0))
    joint = estimator.estimate().joint(NAME)
    assert not joint.bind_feasible
    assert not joint.bind.paper_feasible
    assert np.degrees(joint.bind_violation) == pytest.approx(30.0, abs=1e-4)
    assert joint.limit.contains(joint.bind_start)
    if repair == "frame:7":
        sample = estimator.samples()[0][7, 1]
        assert arrays.angle_between(np.array(joint.bind_start), sample) < 1e-9
    else:
        assert np.degrees(joint.bind.repaired[0]) == pytest.approx(50.0, abs=0.1)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("repair", REPAIRS)
def test_the_start_is_inside_the_limit_of_every_type_and_family(family, repair):
    clips = [[builtin(name)] for name in CLIPS]
    rng = np.random.default_rng(1)
    for _ in range(10):
        trials = [trial(rng, 120) for trial in (fixed_trial, hinge_trial, ball_trial)]
        clips.append([Motion(CHAIN, np.zeros((120, 3)), np.stack(trials, axis=1), 60.0)])
    for motions in clips:
        for joint in estimate_limits(motions, repair=Repair.parse(repair)).joints(family):
            if joint.bind_start is not None:
                assert joint.limit.contains(joint.bind_start), (joint.name, joint.type)
            slack = np.radians(2.5) if joint.type != "ball" else 0.0
            if joint.bind_feasible:
                assert joint.bind_violation <= slack
            elif joint.type == "ball":
                assert joint.bind_violation > 0.0


def test_a_ball_about_the_bind_pose_holds_it():
    """The paper's ZYZ angles lock there, so that its own verdict may be no."""
    t = np.linspace(0.0, 2.0 * np.pi, 200)
    round_it = np.stack([0.5 * np.cos(t), 0.5 * np.sin(t), 0.3 * np.sin(2.0 * t)], axis=-1)
    estimate = estimate_limits([moving(arrays.from_rotvec(round_it))])
    for family in ("swing_twist", "xyz", "zyz_centred"):
        joint = estimate.joint(NAME, family)
        assert joint.type == "ball"
        assert joint.bind_feasible
        assert joint.bind_start == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert not joint.bind.paper_feasible
    notes = joint.notes()["estimate"]
    assert (notes["bind_feasible"], notes["bind_feasible_paper"]) == (True, False)


def test_a_hinge_beside_the_bind_pose_does_not_hold_it():
    """Its angle may be in the interval; what is across the axis counts, too."""
    tilted = tuple(arrays.from_axis_angle((0.0, 1.0, 0.0), np.radians(40.0)).tolist())
    joint = estimate_limits([swing((1.0, 0.0, 0.0), -30.0, 50.0, tilted)]).joint(NAME)
    assert joint.type == "hinge"
    assert joint.bind.paper_feasible
    assert not joint.bind_feasible
    assert np.degrees(joint.bind_violation) == pytest.approx(40.0, abs=0.1)
    assert joint.limit.contains(joint.bind_start)
    little = tuple(arrays.from_axis_angle((0.0, 1.0, 0.0), np.radians(2.0)).tolist())
    assert estimate_limits([swing((1.0, 0.0, 0.0), -30.0, 50.0, little)]).joint(NAME).bind_feasible


def test_a_repair_that_has_nothing_to_choose_gives_up():
    """The mean point is the centre of the circle. Here of a hinge that turns and rests."""
    side = np.arccos(0.25)  # 75.5 degrees: the largest gap is about the bind pose
    angles = np.repeat([side, np.pi, 2.0 * np.pi - side], [40, 20, 40])
    clip = moving(arrays.from_axis_angle((0.0, 0.0, 1.0), angles))
    given_up = estimate_limits([clip], rate=None, repair=Repair("circular_mean")).joint(NAME)
    assert not given_up.bind_feasible
    assert given_up.bind.repaired is None
    assert given_up.bind_start is None
    middle = estimate_limits([clip], rate=None, repair=Repair("midpoint")).joint(NAME)
    assert middle.limit.contains(middle.bind_start)
