"""TGBSIK: trunk and clavicles of sequential IK, limbs with the swivel of least turning.

The method of Tolani, Goswami and Badler for limbs ("Real-time inverse kinematics techniques for
anthropomorphic limbs", Graphical Models 62, 2000) in the body of sequential IK, as the SIK paper
compares it (section 9). Elbow or knee may lie anywhere on a circle; the place is taken at which
shoulder or hip swings and twists least.

**Good at** staying far from the limits of shoulder and hip. **Bad at** steadiness: the best of two
places far apart may change from one frame to the next, and elbow or knee jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InputError
from ..kernels._jit import Kernel
from ._kernels.tgbsik import solve_frames
from .base import Capabilities
from .human import HumanSolver
from .sik import SequentialSolver


@dataclass(frozen=True, kw_only=True)
class SwivelSolver(HumanSolver):
    """Settings of TGBSIK; its trunk is that of `SequentialSolver` with the default settings."""

    name: ClassVar[str] = "tgbsik"
    title: ClassVar[str] = "Sequential IK, searched swivels"
    capabilities: ClassVar[Capabilities] = SequentialSolver.capabilities
    kernel: ClassVar[Kernel[..., None]] = solve_frames

    twist_weight: float = 1.0
    """What a twist of shoulder or hip costs, where a swing costs 1 (both squared)."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        if not 0.0 <= self.twist_weight <= 1e6:
            raise InputError(f"Expected `twist_weight` in [0, 1e6], got {self.twist_weight}.")

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        trunk = SequentialSolver().numbers()
        return {**trunk, "swivel_search": True, "twist_weight": self.twist_weight}
