"""What is asked: points to reach, rotations to take, a posture to keep near."""

from __future__ import annotations

from .base import Task
from .orient import Orient
from .posture import Posture
from .reach import Reach

__all__ = ["Orient", "Posture", "Reach", "Task"]
