"""What the kernels of the guided solver are given, its records opened, for calls from tests."""

from __future__ import annotations

from typing import Any

from sixpoint.solvers import GuidedSolver
from sixpoint.solvers.sequential.network import GuidedContext, GuidedTables

from ..bodies import HUMAN


def tables(rate: float = 60.0, **settings: Any) -> GuidedTables:
    """Of a fresh tracker of the built-in figure, without limits."""
    tracker = GuidedSolver(**settings).prepare(HUMAN, limits=None, rate=rate)
    context: GuidedTables = tracker.plan.new_context(rate)
    return context


def opened(context: GuidedContext) -> GuidedContext:
    """The same with records instead of arrays of one record."""
    one = ("body", "settings", "state", "work", "guide", "memory", "net")
    return context._replace(**{name: getattr(context, name)[0] for name in one})
