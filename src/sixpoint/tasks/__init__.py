"""What is asked of a pose, and what must not touch: tasks, self-collision, contacts, scenes."""

from __future__ import annotations

from .balance import Balance
from .base import Task
from .clear_elbows import clear_elbows
from .contacts import Box, Contacts, Event, Ground, Scene, find_contacts
from .function import FunctionTask, PlacesFunction, PoseFunction
from .joint_tasks import Coupling, Posture, Smoothness, finger_couplings
from .node_tasks import Floor, LookAt, Orient, Reach
from .self_collision import ElbowTorso, SelfCollision, SelfContact

__all__ = [
    "Balance",
    "Box",
    "Contacts",
    "Coupling",
    "ElbowTorso",
    "Event",
    "Floor",
    "FunctionTask",
    "Ground",
    "LookAt",
    "Orient",
    "PlacesFunction",
    "PoseFunction",
    "Posture",
    "Reach",
    "Scene",
    "SelfCollision",
    "SelfContact",
    "Smoothness",
    "Task",
    "clear_elbows",
    "find_contacts",
    "finger_couplings",
]
