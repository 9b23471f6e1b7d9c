"""What a law is: a function that tries a solver and raises `LawBroken` with what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ...kernels.types import Floats
from ..base import Solver

Law: TypeAlias = Callable[[Solver], None]

SEED = 20080408
SAME = 1e-6
"""Two answers that should be equal but for rounding differ by no more than this [rad] or [m]."""

EQUAL = 1e-9
"""Residuals are those of forward kinematics up to this [m]."""


class LawBroken(AssertionError):
    """A solver does not keep a law."""


def hold(fact: bool | np.bool_, message: str) -> None:
    """Raise `LawBroken` unless something is so."""
    if not fact:
        raise LawBroken(message)


def residual_error(points: Floats, targets: Floats, residuals: Floats) -> float:
    """Return how wrong reported residuals (F, N) are, for points of an answer (F, N, 3) [m]."""
    true = np.linalg.norm(points - targets, axis=-1)
    known = np.isfinite(true)
    if not (np.isfinite(residuals) == known).all():
        return float("inf")
    return float(np.abs(true - residuals)[known].max(initial=0.0))


def laws_in(module: Mapping[str, Any]) -> dict[str, Law]:
    """Return the functions of a module whose names begin with ``law_``, by the rest of the name."""
    return {
        name.removeprefix("law_"): function
        for name, function in list(module.items())
        if name.startswith("law_")
    }
