"""What joints may do: one limit for each joint, defaults of healthy adults, files."""

from __future__ import annotations

from .adult import adult_limits
from .base import JointLimit
from .collection import Limits
from .euler_box import EulerBoxLimit
from .flexion import FixedLimit, FlexionLimit
from .hand import hand_limits
from .swing_twist import SwingTwistLimit

__all__ = [
    "EulerBoxLimit",
    "FixedLimit",
    "FlexionLimit",
    "JointLimit",
    "Limits",
    "SwingTwistLimit",
    "adult_limits",
    "hand_limits",
]
