"""What must not touch: elbows and torso, parts of one body, boxes and the ground."""

from __future__ import annotations

from .contacts import Contacts, Event, find_contacts
from .elbow_torso import ElbowTorso
from .elbows import clear_elbows
from .scene import Box, Ground, Scene
from .self_contact import SelfContact

__all__ = [
    "Box",
    "Contacts",
    "ElbowTorso",
    "Event",
    "Ground",
    "Scene",
    "SelfContact",
    "clear_elbows",
    "find_contacts",
]
