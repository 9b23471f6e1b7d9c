"""What must not touch: elbows and torso."""

from __future__ import annotations

from .elbow_torso import ElbowTorso

__all__ = ["ElbowTorso"]
