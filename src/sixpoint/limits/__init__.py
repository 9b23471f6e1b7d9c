"""What joints may do: one limit for each joint, defaults of healthy adults, files, estimation."""

from __future__ import annotations

from .adult import adult_limits, hand_limits
from .base import JointLimit
from .by_role import RoleLimits, recorded_limits
from .collection import Limits
from .estimate.classify import TypeRules
from .estimate.estimate import Estimate
from .estimate.estimator import LimitEstimator, estimate_limits
from .models import EulerBoxLimit, FixedLimit, FlexionLimit, SwingTwistLimit

__all__ = [
    "Estimate",
    "EulerBoxLimit",
    "FixedLimit",
    "FlexionLimit",
    "JointLimit",
    "LimitEstimator",
    "Limits",
    "RoleLimits",
    "SwingTwistLimit",
    "TypeRules",
    "adult_limits",
    "estimate_limits",
    "hand_limits",
    "recorded_limits",
]
