"""Jacobian transpose: walk downhill.

Wolovich and Elliott 1984; step length after Buss and Kim 2005. Cheap steps, many of them needed.
**Bad at** several targets at once and targets out of reach: the SIK paper leaves it out of its
table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ._kernels.descent import TRANSPOSE
from .base import Capabilities
from .numeric import NumericSolver


@dataclass(frozen=True, kw_only=True)
class TransposeSolver(NumericSolver):
    """Settings of the jacobian transpose method."""

    name: ClassVar[str] = "jacobian-transpose"
    title: ClassVar[str] = "Jacobian transpose"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = TRANSPOSE

    joint_step: float = math.radians(30.0)
    """Most that a joint turns in one iteration [rad]."""
