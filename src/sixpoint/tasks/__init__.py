"""What is asked: places, rotations, glances, balance, evenness, and what a function can judge."""

from __future__ import annotations

from .apart import Apart
from .balance import Balance
from .base import Task
from .coupling import Coupling, finger_couplings
from .floor import Floor
from .function import FunctionTask, PlacesFunction, PoseFunction
from .look import LookAt
from .orient import Orient
from .posture import Posture
from .reach import Reach
from .smoothness import Smoothness

__all__ = [
    "Apart",
    "Balance",
    "Coupling",
    "Floor",
    "FunctionTask",
    "LookAt",
    "Orient",
    "PlacesFunction",
    "PoseFunction",
    "Posture",
    "Reach",
    "Smoothness",
    "Task",
    "finger_couplings",
]
