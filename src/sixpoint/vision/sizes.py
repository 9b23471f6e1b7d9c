"""How large head and hands are, and how far hands go: what a patch of skin can be.

Patches propose places; sizes say which of them can be a head or a hand at that distance, and the
reach of the arms which of them can belong to this person.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..body.anthropometry import FRACTIONS
from ..body.shapes import HEAD_HEIGHT
from ..kernels.types import Floats
from .camera import Camera

HEAD_HALF = np.array([0.044, 0.5 * HEAD_HEIGHT, 0.052])
"""Half-axes of the head as parts of stature: left, up, forward."""
HAND_HALF = np.array([0.012, 0.054, 0.025])
"""Half-axes of a hand: palm, along, across; it is .108 of stature long (Drillis, Contini 1966)."""
HEAD_AREA = math.pi * HEAD_HALF[1] * 0.5 * (HEAD_HALF[0] + HEAD_HALF[2])
"""Of the outline of a head seen from the height of its eyes, over the square of stature."""
HAND_AREA = math.pi * HAND_HALF[1] * HAND_HALF[2]
"""The largest outline of a hand, over the square of stature."""
NECK = 0.12
"""Shoulders below the middle of the head, over stature ..."""
SLACK = 1.15
"""... and how much farther than an arm is long a hand can be from there: the shoulder is raised,
the person turned, the stature a guess."""
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Sizes:
    """Of one person."""

    stature: float = 1.75
    """[m]."""

    def areas(self, label: int, cameras: Sequence[Camera], place: Floats) -> Floats:
        """The largest outline that head (label 0) or hand can have there, in each view [px^2]."""
        share = HEAD_AREA if label == 0 else HAND_AREA
        return np.array([share * self.tall(camera, place) ** 2 for camera in cameras])

    def tall(self, camera: Camera, place: Floats) -> float:
        """How tall somebody at a place is in a picture [px]."""
        depth = max(float(camera.depth(place)), 0.1)
        return float(camera.matrix[0, 0]) * self.stature / depth

    def reaches(self, label: int, head: Floats, hand: Floats, cameras: Sequence[Camera]) -> bool:
        """Whether the left (1) or right (2) hand of somebody who faces the cameras can be there.

        Args:
            label: which hand.
            head: its middle [m], shape (3,).
            hand: its middle [m], shape (3,).
            cameras: the views.
        """
        side = 0.5 * FRACTIONS["torso_width"] * (1.0 if label == 1 else -1.0)
        shoulder = head + self.stature * (side * leftwards(head, cameras) - NECK * UP)
        arm = FRACTIONS["upper_arm"] + FRACTIONS["forearm"] + float(HAND_HALF[1])
        return bool(np.linalg.norm(hand - shoulder) <= SLACK * arm * self.stature)


def leftwards(place: Floats, cameras: Sequence[Camera]) -> Floats:
    """The left of somebody at a place (3,) who faces the cameras, shape (3,)."""
    left = np.cross(UP, np.mean([camera.centre for camera in cameras], axis=0) - place)
    return np.asarray(left / max(float(np.linalg.norm(left)), 1e-9))
