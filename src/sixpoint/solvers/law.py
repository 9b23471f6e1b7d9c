"""What a law is: a function that tries a solver and raises `LawBroken` with what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from .base import Solver

Law: TypeAlias = Callable[[Solver], None]

SEED = 20080408
SAME = 1e-6
"""Two answers that should be equal but for rounding differ by no more than this [rad] or [m]."""


class LawBroken(AssertionError):
    """A solver does not keep a law."""


def hold(fact: bool | np.bool_, message: str) -> None:
    """Raise `LawBroken` unless something is so."""
    if not fact:
        raise LawBroken(message)


def laws_in(module: Mapping[str, Any]) -> dict[str, Law]:
    """The functions of a module whose names begin with ``law_``, by the rest of their names."""
    return {
        name.removeprefix("law_"): function
        for name, function in list(module.items())
        if name.startswith("law_")
    }
