"""What the joints of `Skeleton.hand` may do."""

from __future__ import annotations

import numpy as np

from ..body.hand import FINGERS, PALM, Finger
from ..body.skeleton import Skeleton
from ..errors import UnknownName
from ..kernels.types import Floats, Vec3
from .base import JointLimit
from .collection import Limits
from .flexion import FlexionLimit
from .swing_twist import SwingTwistLimit

# Typical ranges of the Electronic Textbook of Hand Surgery (e-hand.com), extension and flexion
# [degrees]; spreading: American Academy of Orthopaedic Surgeons.
KNUCKLE = (45.0, 90.0)
SPREAD = 20.0
HINGES = {"middle": (0.0, 100.0), "end": (0.0, 80.0)}
THUMB_HINGES = {"knuckle": (-10.0, 55.0), "end": (-15.0, 80.0)}
THUMB_ROOT = {"flexion": 45.0, "extension": 20.0, "spread": 35.0}
WRIST = {-180.0: 70.0, -90.0: 35.0, 0.0: 75.0, 90.0: 20.0, 180.0: 70.0}
"""Extension, to the little finger, flexion, to the thumb, extension again."""
FOREARM = (-70.0, 85.0)
"""Pronation and supination."""


def hand_limits(skeleton: Skeleton) -> Limits:
    """Limits for the joints of `Skeleton.hand`; the elbow turns freely.

    The roots of fingers bend and spread, but do not twist. With these limits the hand has the 26
    degrees of freedom of S2.34.

    Raises:
        UnknownName: the skeleton is no such hand.
    """
    joints: dict[str, JointLimit] = {
        "wrist": SwingTwistLimit.degrees(
            (0.0, -1.0, 0.0), PALM, (0.0, 0.0, 1.0), WRIST, FOREARM, "pchip"
        )
    }
    for name, finger in FINGERS.items():
        thumb = name == "thumb"
        root = THUMB_ROOT if thumb else dict(zip(("extension", "flexion"), KNUCKLE, strict=True))
        joints[f"{name}_{finger.joints[0]}"] = _root(finger, {"spread": SPREAD, **root})
        for joint, (low, high) in (THUMB_HINGES if thumb else HINGES).items():
            joints[f"{name}_{joint}"] = FlexionLimit.degrees(low, high, _triple(finger.axis))
    for joint in joints:
        if joint not in skeleton.names:
            raise UnknownName("joint", joint, skeleton.names)
    return Limits(joints)


def is_hand(skeleton: Skeleton) -> bool:
    """Whether a skeleton is one of `Skeleton.hand`."""
    return skeleton.kind == "hand"


def _root(finger: Finger, ranges: dict[str, float]) -> SwingTwistLimit:
    bone, axis = finger.direction, finger.axis
    curl = np.cross(axis, bone)
    boundary = {
        -180.0: ranges["extension"],
        -90.0: ranges["spread"],
        0.0: ranges["flexion"],
        90.0: ranges["spread"],
        180.0: ranges["extension"],
    }
    return SwingTwistLimit.degrees(
        _triple(bone), _triple(curl), _triple(axis), boundary, (0.0, 0.0), "pchip"
    )


def _triple(v: Floats) -> Vec3:
    x, y, z = v.tolist()
    return (x, y, z)
