"""Built-in motion: clips written in code, and the tools that they are written with."""

from __future__ import annotations

from .clips import CLIPS, builtin

__all__ = ["CLIPS", "builtin"]
