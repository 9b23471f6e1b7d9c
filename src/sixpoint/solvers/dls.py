"""Damped least squares: a pseudo-inverse that gives way near singularities.

Wampler 1986, Nakamura and Hanafusa 1986. The SIK paper's damping of 75 is read as 75 mm (A0.11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ._kernels.descent import DLS
from .base import Capabilities
from .iterative import PAPER_HEIGHT
from .numeric import NumericSolver


@dataclass(frozen=True, kw_only=True)
class DampedSolver(NumericSolver):
    """Settings of the damped least squares method."""

    name: ClassVar[str] = "dls"
    title: ClassVar[str] = "Damped least squares"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = DLS

    damping: float = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the figure's size."""
    joint_step: float = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""
