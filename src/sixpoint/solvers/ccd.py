"""Cyclic coordinate descent: one joint after the other turns its tip towards the target.

Wang and Chen, "A combined optimization method for solving the inverse kinematics problem of
mechanical manipulators", IEEE Transactions on Robotics and Automation 7 (1991), as the SIK paper
compares with it (section 9). With several tips a joint takes the rotation that brings them nearest
to their targets together.

**Good at** being simple and quick: it needs no matrix, and knows no singular poses. **Bad at**
looking natural: joints near the tip do most of the work, so spines curl at the neck like snakes,
and since every frame starts from the last, limbs turn about themselves more and more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ._kernels.figure import Figure
from ._kernels.sweeps import CCD
from .base import Capabilities
from .sweeping import SweepingSolver

LONGEST_STRIDE = 64.0
"""Most that a sweep is gone on at once."""


@dataclass(frozen=True, kw_only=True)
class CyclicSolver(SweepingSolver):
    """Settings of cyclic coordinate descent."""

    name: ClassVar[str] = "ccd"
    title: ClassVar[str] = "Cyclic coordinate descent"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = CCD

    stride: bool | None = None
    """After each sweep, go on the way that it went as long as that helps. Unfolds long chains many
    times faster. Default: not for people by six points, as in the SIK paper; for other figures."""

    def numbers(self) -> dict[str, Any]:
        """Settings for people."""
        return super().numbers() | {"longest_stride": LONGEST_STRIDE if self.stride else 0.0}

    def figure_numbers(self, figure: Figure) -> dict[str, Any]:
        """Settings for another figure."""
        stride = 0.0 if self.stride is False else LONGEST_STRIDE
        return super().figure_numbers(figure) | {"longest_stride": stride}
