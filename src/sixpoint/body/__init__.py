"""What a person is: skeleton, proportions, roles, anatomical frames, masses, shapes."""

from __future__ import annotations

from .skeleton import Skeleton

__all__ = ["Skeleton"]
