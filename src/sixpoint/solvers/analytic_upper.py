"""Analytic upper body: trunk and arms in closed form from head, wrists and the trunk's centre.

Boulic, Varona, Unzueta, Peinado, Suescun and Perales, "Evaluation of on-line analytic and numeric
inverse kinematics approaches driven by partial vision input", Virtual Reality 10 (2006), section 5.
The trunk is one rigid segment; the centre of the trunk is the point `pelvis`, as a camera's
silhouettes show it. Legs, which the paper leaves out, go to the ankles if those are given.

**Good at** speed, a head that is exactly where it was seen, wrists exact within reach. **Bad at**
bent backs, balance (it knows none), and noise in hands and trunk, which passes straight through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InputError
from ..kernels._jit import Kernel
from ._kernels.analytic_upper import solve_frames
from .base import Capabilities
from .human import HumanSolver


@dataclass(frozen=True, kw_only=True)
class AnalyticUpperSolver(HumanSolver):
    """Settings of the analytic upper body."""

    name: ClassVar[str] = "analytic-upper"
    title: ClassVar[str] = "Analytic upper body"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=False,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=True,
    )
    kernel: ClassVar[Kernel[..., None]] = solve_frames

    hands: float = 0.5
    """How much the line between the hands turns the trunk about its length, from 0 (it keeps
    facing where it did) to 1 (it follows at once)."""
    trunk: bool = True
    """Turn and move the trunk with head and centre. False: it stays as it stood at first, and far
    hands are missed (Fig. 12, left)."""
    clavicles: bool = False
    """Let clavicles help an arm that is too short. The paper has none."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        if not 0.0 <= self.hands <= 1.0:
            raise InputError(f"Expected `hands` in [0, 1], got {self.hands}.")

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        return {
            "lateral": self.hands,
            "upright": not self.trunk,
            "fixed_clavicle": not self.clavicles,
        }
