"""The laws that every solver keeps, by what it declares it can do.

``check_solver(MySolver())`` runs them all and raises `LawBroken` at the first that does not
hold. The tests run every law over every entry of `SOLVERS`.
"""

from __future__ import annotations

from ..base import Solver
from .law import Law, LawBroken
from .people import PERSON_LAWS
from .skeletons import SKELETON_LAWS

__all__ = ["LAWS", "LawBroken", "check_solver"]

LAWS: dict[str, Law] = PERSON_LAWS | SKELETON_LAWS
"""Every law, by its name."""


def check_solver(solver: Solver) -> None:
    """Run every law; raises `LawBroken` with the name of the law and what was found."""
    for law in LAWS.values():
        law(solver)
