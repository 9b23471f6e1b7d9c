"""KMA: the spine by cyclic coordinate descent, limbs in closed form at a fixed swivel.

Kulpa, Multon and Arnaldi, "Morphology-independent representation of motions for interactive
human-like animation", Computer Graphics Forum 24 (2005), as adapted to six points by the SIK paper
(section 9). In each frame the standing pose is placed at the pelvis, the spine is swept until the
head is near, and elbows and knees point where the pelvis says: down, or ahead.

**Good at** unremarkable arms and legs, and at not drifting: nothing is remembered but where the
pelvis faces. **Bad at** reaching far (clavicles rest), at limbs that limits hold (what they cost is
not made up for), and where a limb passes its reference: elbows and knees jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels._jit import Kernel
from ._kernels.kma import solve_frames
from .base import Capabilities
from .iterative import IterativeSolver


@dataclass(frozen=True, kw_only=True)
class KulpaMultonSolver(IterativeSolver):
    """Settings of KMA: the stop rule of its spine."""

    name: ClassVar[str] = "kma"
    title: ClassVar[str] = "Kulpa-Multon-Arnaldi"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=False,
        limits=True,
        rotations=True,
        missing=True,
        history=True,
        exact=False,
    )
    kernel: ClassVar[Kernel[..., None]] = solve_frames

    def numbers(self) -> dict[str, Any]:
        """Settings as the kernel reads them."""
        return {**super().numbers(), "fixed_clavicle": True}
