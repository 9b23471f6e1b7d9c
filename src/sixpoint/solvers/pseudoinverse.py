"""Pseudo-inverse: the least turn that meets what is asked, if the figure were linear.

Whitney 1969. Exact far from singularities, wild near them: singular values below a part of the
largest are dropped and steps are capped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ._kernels.descent import PSEUDOINVERSE
from .base import Capabilities
from .numeric import NumericSolver


@dataclass(frozen=True, kw_only=True)
class PseudoinverseSolver(NumericSolver):
    """Settings of the pseudo-inverse method."""

    name: ClassVar[str] = "pseudoinverse"
    title: ClassVar[str] = "Pseudo-inverse"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = PSEUDOINVERSE

    cut: float = 0.01
    """Singular values below this part of the largest count as zero."""
    joint_step: float = math.radians(5.0)
    """Most that a joint turns in one iteration [rad]."""
