"""Limits and couplings of hands with other names, and with roots of two hinges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixpoint as sp
from sixpoint.body.hand import FINGER_JOINTS
from sixpoint.errors import InputError, UnknownName
from sixpoint.limits import FlexionLimit, SwingTwistLimit, hand_limits
from sixpoint.tasks import Reach, finger_couplings

HAND = sp.Skeleton.hand()
NAMES = {name: f"MyRig_{name.title()}" for name in HAND.names}
FINGERS = {name: [NAMES[joint] for joint in joints] for name, joints in FINGER_JOINTS.items()}


def own_hand() -> sp.Skeleton:
    """The built-in hand under other names."""
    return replace(
        HAND,
        names=tuple(NAMES.values()),
        hinges={NAMES[name]: axis for name, axis in HAND.hinges.items()},
    )


def test_a_hand_of_other_names_gets_the_same_limits():
    hand = own_hand()
    assert hand.kind == "other"
    own, usual = hand_limits(hand, FINGERS), hand_limits(HAND)
    assert len(own) == len(usual) - 1  # without the wrist
    rng = np.random.default_rng(0)
    for name, limit in usual.items():
        if name == "wrist":
            continue
        samples = limit.sample(rng, 50)
        assert own[NAMES[name]].violation(samples).max() < 1e-6
        assert type(own[NAMES[name]]) is type(limit)


def test_couplings_of_other_names():
    hand = own_hand()
    couplings = finger_couplings(0.5, FINGERS)
    assert {c.joint for c in couplings} == {NAMES[f"{f}_end"] for f in FINGERS if f != "thumb"}
    limits = hand_limits(hand, FINGERS)
    target = hand.rest()[0][hand.index("index_tip")] + (-0.03, 0.02, 0.0)
    tracker = sp.solver("monte-carlo").prepare(
        hand, limits=limits, tasks=[Reach("index_tip"), *couplings]
    )
    solution = tracker.solve(target[None])
    assert solution.residuals[0] < 2e-3
    assert max(abs(float(c.measure(solution.pose)[0])) for c in couplings) < 0.02


def test_a_root_that_is_a_hinge_gets_an_interval():
    axis = HAND.hinges["index_middle"]
    hand = replace(HAND, hinges={**HAND.hinges, "index_knuckle": axis})
    limits = hand_limits(hand, {"index": FINGER_JOINTS["index"]})
    root = limits["index_knuckle"]
    assert isinstance(root, FlexionLimit)
    assert np.degrees((root.low, root.high)) == pytest.approx((-45.0, 90.0))
    ball = hand_limits(HAND, {"index": FINGER_JOINTS["index"]})["index_knuckle"]
    assert isinstance(ball, SwingTwistLimit)


def test_hands_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="Expected three joints of the finger 'index'"):
        hand_limits(HAND, {"index": ["index_knuckle", "index_end"]})
    with pytest.raises(UnknownName, match="No joint 'index_tpi'"):
        hand_limits(HAND, {"index": ["index_knuckle", "index_middle", "index_tpi"]})
    with pytest.raises(InputError, match="hinge as outer joint of the finger 'arm'"):
        hand_limits(HAND, {"arm": ["elbow", "wrist", "index_end"]})
    with pytest.raises(InputError, match="two joints or more of the finger 'index'"):
        finger_couplings(fingers={"index": "index_end"})
    along = replace(HAND, hinges={**HAND.hinges, "index_middle": (0.0, -1.0, 0.06)})
    with pytest.raises(InputError, match="got an axis along its bone"):
        hand_limits(along, {"index": FINGER_JOINTS["index"]})
