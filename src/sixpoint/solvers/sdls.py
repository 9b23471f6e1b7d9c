"""Selectively damped least squares: every singular direction has a clamp of its own.

Buss and Kim 2005. No damping constant to tune; calm near singularities, quick elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._kernels.descent import SDLS
from ._kernels.figure import Figure
from .base import Capabilities, one_of
from .iterative import PAPER_HEIGHT
from .numeric import NumericSolver


@dataclass(frozen=True, kw_only=True)
class SelectivelyDampedSolver(NumericSolver):
    """Settings of the selectively damped least squares method."""

    name: ClassVar[str] = "sdls"
    title: ClassVar[str] = "Selectively damped least squares"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = SDLS

    clamp: Literal["hard", "soft"] = "soft"
    """Clamp each direction as published, or scale it smoothly as in its authors' code."""
    task_step: float = 0.15 / PAPER_HEIGHT
    """Most that a task asks for in one iteration, as a part of the figure's size: half a bone."""
    joint_step: float = math.radians(45.0)
    """Most that a joint turns in one iteration [rad]."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        one_of("clamp", self.clamp, ("hard", "soft"))

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """Its clamps take care of long chains too: the general rule would only slow it down."""
        return super().figure_numbers(figure) | {"joint_step": self.joint_step}

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        return super().numbers() | {"soft": self.clamp == "soft"}
