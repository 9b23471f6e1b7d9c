"""FABRIK: forward and backward reaching along chains of positions.

Aristidou and Lasenby, Graphical Models 73 (2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._kernels.sweeps import FABRIK
from .base import Capabilities
from .sweeping import SweepingSolver


@dataclass(frozen=True, kw_only=True)
class ReachingSolver(SweepingSolver):
    """Settings of FABRIK."""

    name: ClassVar[str] = "fabrik"
    title: ClassVar[str] = "Forward and backward reaching"
    capabilities: ClassVar[Capabilities] = Capabilities(
        humans=True,
        chains=True,
        limits=True,
        rotations=False,
        missing=True,
        history=True,
        exact=False,
    )
    method: ClassVar[int] = FABRIK
