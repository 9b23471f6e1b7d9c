"""The stop rule that the iterative methods of the SIK paper's comparison share (S0.49).

A centimetre, a millimetre, twenty iterations. PIK keeps to the twenty, but has a rule of its own of
1 mm and 0.1 mm (`pik.PEOPLE`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .base import check_whole
from .human import TOLERANCE, HumanSolver

PAPER_HEIGHT = 1.83
"""Height of the figures on which the paper's centimetres and millimetres are measured [m]."""


@dataclass(frozen=True, kw_only=True)
class IterativeSolver(HumanSolver):
    """Settings of methods that iterate until points are near; lengths are parts of the height."""

    iterations: int = 20
    """Most iterations in a frame."""
    tolerance: float = 0.01 / PAPER_HEIGHT
    """Points nearer than this part of the body height are met (1 cm on a figure of 1.83 m)."""
    least_gain: float = 0.001 / PAPER_HEIGHT
    """An iteration that brings less than this part of the body height is the last (1 mm)."""

    def check(self) -> None:
        """Refuse settings that make no sense."""
        super().check()
        check_whole("iterations", self.iterations, 1, 100_000)
        for name in ("tolerance", "least_gain"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"Expected `{name}` in [0, 1], got {getattr(self, name)}.")

    @property
    def closeness(self) -> float:
        """What is near enough to end the iteration is met."""
        return max(TOLERANCE, self.tolerance)

    def numbers(self) -> dict[str, Any]:
        """The stop rule as kernels read it."""
        return {
            "iterations": self.iterations,
            "tolerance": self.tolerance,
            "least_gain": self.least_gain,
        }
