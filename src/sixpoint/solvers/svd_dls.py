"""Damped least squares through singular values.

The same step as `dls`, by the decomposition of Maciejewski and Klein 1988; the SIK paper lists
both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ._kernels.descent import DLS_SVD
from .base import Capabilities
from .iterative import PAPER_HEIGHT
from .numeric import NumericSolver


@dataclass(frozen=True, kw_only=True)
class DampedSvdSolver(NumericSolver):
    """Settings of the damped least squares by singular values method."""

    name: ClassVar[str] = "dls-svd"
    title: ClassVar[str] = "Damped least squares by singular values"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = DLS_SVD

    damping: float = 0.075 / PAPER_HEIGHT
    """Length that singular values are compared with, as a part of the figure's size."""
    joint_step: float = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""
