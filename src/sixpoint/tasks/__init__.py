"""What is asked of a pose, and what must not touch: tasks, self-collision, contacts, scenes."""

from __future__ import annotations

from .balance import Balance
from .base import Task
from .clear_elbows import clear_elbows
from .contacts import Contacts, Event, find_contacts
from .coupling import Coupling, finger_couplings
from .elbow_torso import ElbowTorso
from .floor import Floor
from .function import FunctionTask, PlacesFunction, PoseFunction
from .look import LookAt
from .orient import Orient
from .posture import Posture
from .reach import Reach
from .scene import Box, Ground, Scene
from .self_collision import SelfCollision
from .self_contact import SelfContact
from .smoothness import Smoothness

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
