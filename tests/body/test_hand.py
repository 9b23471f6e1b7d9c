from __future__ import annotations

import numpy as np
import pytest

from sixpoint.body.articulation import HINGE
from sixpoint.body.hand import FINGERS, PALM
from sixpoint.body.skeleton import Skeleton
from sixpoint.errors import UnknownName
from sixpoint.kernels import arrays
from sixpoint.limits import hand_limits
from sixpoint.motion.motion import Motion
from sixpoint.motion.pose import Pose
from sixpoint.solvers import solver

HAND = Skeleton.hand(0.2)


def test_a_hand_has_five_fingers_and_26_degrees_of_freedom():
    limits = hand_limits(HAND)
    count = 0
    for joint, name in enumerate(HAND.names):
        twist = 1
        if name in limits and HAND.articulation.freedom[joint] != HINGE:
            low, high = limits[name].row().interval
            twist = int(high > low)  # a root that does not twist has two
        count += HINGE if HAND.articulation.freedom[joint] == HINGE else 2 + twist
    assert count == 26
    assert HAND.site_names == tuple(f"{finger}_tip" for finger in FINGERS)


def test_lengths_are_those_of_the_table():
    places, _ = HAND.rest()
    wrist, tip = places[HAND.index("wrist")], places[HAND.index("middle_tip")]
    assert np.linalg.norm(tip - wrist) == pytest.approx(0.2, rel=0.02)
    for name, finger in FINGERS.items():
        joints = [*(f"{name}_{joint}" for joint in finger.joints), f"{name}_tip"]
        path = places[[HAND.index(joint) for joint in joints]]
        bones = np.linalg.norm(np.diff(path, axis=0), axis=1)
        np.testing.assert_allclose(bones, 0.2 * np.array(finger.bones))


def test_the_hand_hangs_and_its_thumb_is_in_front():
    places, _ = HAND.rest()
    assert places[HAND.index("middle_tip")][1] == places[:, 1].min()
    front = [places[HAND.index(f"{finger}_tip")][2] for finger in FINGERS]
    assert front == sorted(front, reverse=True)


@pytest.mark.parametrize("name", FINGERS)
def test_positive_angles_curl_fingers_towards_the_palm(name: str):
    body = HAND.articulation
    angles = np.zeros(body.count)
    for joint in FINGERS[name].joints[1:]:
        angles[body.first[HAND.index(f"{name}_{joint}")]] = 0.8
    straight = HAND.rest()[0][HAND.index(f"{name}_tip")]
    bent = Pose(HAND, np.zeros(3), body.rotations(angles)).world()[0][HAND.index(f"{name}_tip")]
    moved = bent - straight
    assert moved @ FINGERS[name].curl > 0.01
    if name != "thumb":
        assert moved @ PALM > 0.01


def test_limits_let_fingers_bend_and_keep_them_from_twisting():
    limits = hand_limits(HAND)
    body = HAND.articulation

    def broken(joint: str, axis, degrees: float) -> float:
        turned = arrays.identity(1, HAND.joint_count)
        turned[0, HAND.index(joint)] = arrays.from_axis_angle(axis, np.radians(degrees))
        motion = Motion(HAND, np.zeros((1, 3)), body.from_rest(turned), 60.0)
        return float(np.degrees(limits.violations(motion).max()))

    index = FINGERS["index"]
    assert broken("index_knuckle", index.axis, 85.0) == 0.0
    assert broken("index_knuckle", index.axis, 95.0) == pytest.approx(5.0, abs=1e-6)
    assert broken("index_knuckle", index.direction, 10.0) == pytest.approx(10.0, abs=1e-6)
    assert broken("index_middle", index.axis, -5.0) == pytest.approx(5.0, abs=1e-6)
    assert broken("index_middle", index.axis, 95.0) == 0.0
    assert broken("wrist", (0.0, 1.0, 0.0), 50.0) == 0.0
    assert broken("elbow", (1.0, 0.0, 0.0), 170.0) == 0.0


def test_limits_of_a_hand_are_for_hands():
    with pytest.raises(UnknownName, match="No joint 'wrist'"):
        hand_limits(Skeleton.chain(3))


@pytest.mark.parametrize("name", ["ccd", "dls", "pik"])
def test_a_hand_has_its_limits_unless_told_otherwise(name: str):
    tracker = solver(name).prepare(HAND)
    assert dict(tracker.limits) == dict(hand_limits(HAND))
    assert not solver(name).prepare(HAND, limits=None).limits


def test_other_figures_are_no_hands():
    assert Skeleton.hand(0.1).kind == "hand"
    assert Skeleton.chain(17).kind == "other"
    straight = Skeleton(
        HAND.names, HAND.parents, HAND.offsets, HAND.site_names, HAND.site_parents,
        HAND.site_offsets,
    )  # fmt: skip
    assert straight.kind == "other"  # no hinges
