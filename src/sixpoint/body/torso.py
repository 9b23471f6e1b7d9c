"""The space that a torso fills: one convex prism for each segment of the spine.

A prism stands on a spine joint: a polygon in the XZ plane of the joint's anatomical frame, extruded
along Y (the SIK paper, section 8). Sizes follow the distance between the shoulders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from .anatomy import Anatomy, anatomy_of
from .skeleton import Skeleton, frozen_array

HALF_WIDTH = 0.16 / 0.18
"""Half the chest's width over half the distance of the shoulder joints (G18)."""

HALF_DEPTH = 0.11 / 0.18
"""Half the torso's depth over half the distance of the shoulder joints (G18)."""

ELBOW_RADIUS = 0.05 / 0.30
"""Radius of the elbow over the length of the upper arm (G18)."""

CLEARANCE = 0.02
"""Between a hanging elbow and the waist, over half the distance of the shoulder joints."""

OUTLINE = np.array([(1.0, -0.5), (1.0, 0.5), (0.6, 1.0), (-0.6, 1.0)])
"""Half of an octagon (x over half-width, z over half-depth): a rectangle with its corners cut."""


@dataclass(frozen=True, eq=False)
class TorsoPrism:
    """A part of the torso that moves with one joint."""

    joint: int
    """Spine joint that carries it."""
    y_low: float
    """Lower end along the joint's Y [m]."""
    y_high: float
    """Upper end along the joint's Y [m]."""
    polygon: Floats
    """Corners (x, z) in the joint's anatomical frame [m], shape (K, 2).

    Convex, and in the order in which X turns towards Z."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "polygon", frozen_array(self.polygon))
        if self.polygon.ndim != 2 or self.polygon.shape[1] != 2 or len(self.polygon) < 3:
            raise InputError(
                f"Expected `polygon` to have shape (K, 2), K >= 3, got {self.polygon.shape}."
            )
        if not self.y_low < self.y_high:
            raise InputError(f"Expected y_low < y_high, got {self.y_low} and {self.y_high}.")
        edges = np.roll(self.polygon, -1, axis=0) - self.polygon
        turns = np.roll(edges, -1, axis=0)
        if not (edges[:, 0] * turns[:, 1] - edges[:, 1] * turns[:, 0] > 0.0).all():
            raise InputError("Expected a convex `polygon` whose corners turn from X towards Z.")


def elbow_radius(skeleton: Skeleton) -> float:
    """Radius of the ball that stands for an elbow [m]."""
    anatomy = anatomy_of(skeleton)
    lengths = [
        np.linalg.norm(anatomy.vector(anatomy.node(f"{s}_shoulder"), anatomy.node(f"{s}_elbow")))
        for s in "lr"
    ]
    return ELBOW_RADIUS * float(np.mean(lengths))


def torso_prisms(skeleton: Skeleton) -> tuple[TorsoPrism, ...]:
    """The torso from the hips to the shoulders, lowest prism first.

    Where an arm that hangs straight down has its elbow, the waist leaves room for it: the neutral
    stance touches nothing.
    """
    anatomy = anatomy_of(skeleton)
    hips, shoulders, elbows = (_middle(anatomy, part) for part in ("hip", "shoulder", "elbow"))
    half = _half_distance(anatomy, "shoulder")
    if half < 1e-6 or shoulders[1] - hips[1] < 1e-6:
        raise InputError(
            "Expected shoulders that are apart and above the hips; this skeleton's torso is flat."
        )
    radius = elbow_radius(skeleton)
    joints = _carriers(anatomy, shoulders[1])
    heights = [anatomy.positions[j][1] for j in joints]
    ends = [min(hips[1], heights[0]), *heights[1:], shoulders[1]]
    prisms = []
    for joint, low, high in zip(joints, ends, ends[1:], strict=False):
        width = HALF_WIDTH * half
        if low - radius < elbows[1] + radius and elbows[1] - radius < high + radius:
            width = min(width, _half_distance(anatomy, "elbow") - radius - CLEARANCE * half)
        # The spine runs along the back; the torso is centred between hips and shoulders.
        share = (0.5 * (low + high) - hips[1]) / (shoulders[1] - hips[1])
        centre = hips + share * (shoulders - hips) - anatomy.positions[joint]
        size = (max(width, 0.5 * half), HALF_DEPTH * half)
        corners = np.concatenate([OUTLINE, -OUTLINE]) * size + centre[[0, 2]]
        y = anatomy.positions[joint][1]
        prisms.append(TorsoPrism(joint, float(low - y), float(high - y), corners))
    return tuple(prisms)


def _carriers(anatomy: Anatomy, top: float) -> list[int]:
    """Pelvis and spine joints that stand clearly above each other, below the shoulders."""
    pelvis = anatomy.joint_carrying(anatomy.node("pelvis"))
    joints = [pelvis]
    for j in anatomy.spine:
        height = anatomy.positions[j][1]
        if anatomy.positions[joints[-1]][1] + 1e-6 < height < top - 1e-6:
            joints.append(j)
    return joints


def _middle(anatomy: Anatomy, part: str) -> Floats:
    left, right = (anatomy.positions[anatomy.node(f"{side}_{part}")] for side in "lr")
    return np.asarray(0.5 * (left + right))


def _half_distance(anatomy: Anatomy, part: str) -> float:
    left, right = (anatomy.positions[anatomy.node(f"{side}_{part}")] for side in "lr")
    return 0.5 * abs(float(left[0] - right[0]))
