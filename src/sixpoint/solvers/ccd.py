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
from typing import ClassVar

from ._kernels.sweeps import CCD
from .base import Capabilities
from .sweeping import SweepingSolver


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
