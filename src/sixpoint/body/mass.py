"""How heavy the parts of a body are, and where their centres lie.

Segment masses are fractions of body mass. Every centre lies on a line between two landmarks of the
body, so that the centre of mass is a fixed weighted sum of node positions: one matrix product for a
whole clip, on any rig whose roles are known.

Sources: Winter (2009), *Biomechanics and Motor Control of Human Movement*, table 4.1, after
Dempster; de Leva (1996), *J. Biomechanics* 29(9), tables 1 and 4, after Zatsiorsky and Seluyanov.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from .anatomy import Anatomy
from .anthropometry import FRACTIONS
from .skeleton import Skeleton

TOE_REACH = 0.75
"""Ankle to tip of the toes over the foot's length; the heel lies the rest behind the ankle."""

KNUCKLE_REACH = 0.52
"""Wrist to knuckles over the hand's length."""

HAND_TO_FOREARM = FRACTIONS["hand"] / FRACTIONS["forearm"]

LANDMARKS: Mapping[str, tuple[str, str]] = {
    "head": ("head", "head"),
    "trunk": ("mid_shoulder", "mid_hip"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("elbow", "wrist"),
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "foot": ("ankle", "toe"),
}
"""Segment -> landmarks at its upper and its lower end: a role (of one side), `mid_shoulder`,
`mid_hip` or `toe`.

The head's centre is put at the head joint: the skull base is at the height of the ear canal
(Winter's centre) and half way from the vertex to C7 (de Leva's), within 2 cm. The hand continues
the forearm, because rigs disagree about what is in a hand.
"""


def _foot_centre(from_heel: float) -> float:
    """Return the part of the line from ankle to toes for a part of de Leva's heel-toe line."""
    return (from_heel - (1.0 - TOE_REACH)) / TOE_REACH


MASS_TABLES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    # Trunk: trochanter to shoulder. Hand: wrist to knuckle II. Foot: ankle to metatarsal II, which
    # lies 0.47 of the foot's length in front of the ankle.
    "winter": {
        "head": (0.081, 0.0),
        "trunk": (0.497, 0.500),
        "upper_arm": (0.028, 0.436),
        "forearm": (0.016, 0.430),
        "hand": (0.006, 1.0 + 0.506 * KNUCKLE_REACH * HAND_TO_FOREARM),
        "thigh": (0.100, 0.433),
        "shank": (0.0465, 0.433),
        "foot": (0.0145, 0.500 * 0.47 / TOE_REACH),
    },
    # Trunk: mid-shoulder to mid-hip. Hand: wrist to metacarpal III, 86.2 mm beside a forearm of
    # 268.9 mm (men), 78.0 mm beside 264.3 mm (women).
    "male": {
        "head": (0.0694, 0.0),
        "trunk": (0.4346, 0.4310),
        "upper_arm": (0.0271, 0.5772),
        "forearm": (0.0162, 0.4574),
        "hand": (0.0061, 1.0 + 0.7900 * 86.2 / 268.9),
        "thigh": (0.1416, 0.4095),
        "shank": (0.0433, 0.4395),
        "foot": (0.0137, _foot_centre(0.4415)),
    },
    "female": {
        "head": (0.0668, 0.0),
        "trunk": (0.4257, 0.3782),
        "upper_arm": (0.0255, 0.5754),
        "forearm": (0.0138, 0.4559),
        "hand": (0.0056, 1.0 + 0.7474 * 78.0 / 264.3),
        "thigh": (0.1478, 0.3612),
        "shank": (0.0481, 0.4352),
        "foot": (0.0129, _foot_centre(0.4014)),
    },
}
"""Model -> segment -> its mass as a fraction of body mass, of one side where there are two; and
its centre, from the upper landmark (0) to the lower (1). Winter's model is for both sexes
together, de Leva's are for men and for women."""


class MassModel(NamedTuple):
    """The masses of one skeleton."""

    segments: tuple[str, ...]
    """Names: head, trunk, then l_ and r_ upper_arm, forearm, hand, thigh, shank, foot."""
    masses: Floats
    """Fraction of body mass of each segment, shape (n,); the sum is 1."""
    weights: Floats
    """Centre of each segment as a weighted sum of node positions, shape (n, J+S); rows sum to 1."""


def segment_masses(skeleton: Skeleton, model: str = "winter") -> MassModel:
    """Return the masses of a skeleton's segments.

    Args:
        skeleton: any rig whose roles are known.
        model: a key of `MASS_TABLES`: "winter", "male" or "female".
    """
    if model not in MASS_TABLES:
        raise UnknownName("mass model", model, MASS_TABLES)
    names: list[str] = []
    masses: list[float] = []
    weights: list[Floats] = []
    for side in ("", "l_", "r_"):
        for name, (mass, centre) in MASS_TABLES[model].items():
            if (name in ("head", "trunk")) == (side == ""):
                start, end = (_landmark(skeleton.anatomy, side, mark) for mark in LANDMARKS[name])
                names.append(side + name)
                masses.append(mass)
                weights.append((1.0 - centre) * start + centre * end)
    total = np.array(masses)
    # De Leva's women sum to 0.9999.
    return MassModel(tuple(names), total / total.sum(), np.array(weights))


def bone_masses(skeleton: Skeleton) -> MassModel:
    """Return the masses of any figure whose bones weigh in proportion to their length.

    Centres are in the middle of bones, and segments are named by the node at their end.
    """
    above = skeleton.node_parents
    ends = np.flatnonzero(above >= 0)
    lengths = np.linalg.norm(skeleton.node_offsets[ends], axis=1)
    if not lengths.sum() > 0.0:
        raise InputError("Expected a figure with bones to weigh, got one without any length.")
    weights = np.zeros((len(ends), len(above)))
    weights[np.arange(len(ends)), ends] += 0.5
    weights[np.arange(len(ends)), above[ends]] += 0.5
    names = tuple(skeleton.node_names[end] for end in ends)
    return MassModel(names, lengths / lengths.sum(), weights)


def mass_weights(skeleton: Skeleton, model: str | None = None) -> Floats:
    """Return the centre of mass of any figure as a weighted sum of its nodes, shape (J+S,); sum 1.

    Args:
        skeleton: a person, or any other figure.
        model: a key of `MASS_TABLES`, for people. Default: "winter" for people, `bone_masses` for
            any other figure.
    """
    if model is None and skeleton.kind != "human":
        masses = bone_masses(skeleton)
    else:
        masses = segment_masses(skeleton, model or "winter")
    return np.asarray(masses.masses @ masses.weights)


def _landmark(anatomy: Anatomy, side: str, mark: str) -> Floats:
    """Return a point of the body as weights of the nodes, shape (J+S,)."""
    weights = np.zeros(len(anatomy.skeleton.node_names))
    if mark.startswith("mid_"):
        for each in ("l_", "r_"):
            weights[anatomy.node(each + mark.removeprefix("mid_"))] += 0.5
    elif mark == "toe":
        weights[_toe(anatomy, anatomy.node(side + "ankle"))] = 1.0
    else:
        weights[anatomy.node(side + mark)] = 1.0
    return weights


def _toe(anatomy: Anatomy, ankle: int) -> int:
    """Return the node below the ankle that is furthest in front; without any, the ankle itself."""
    skeleton = anatomy.skeleton
    nodes = range(len(skeleton.node_names))
    below = [k for k in nodes if k != ankle and ankle in skeleton.path(k)]
    return max([ankle, *below], key=lambda k: float(anatomy.positions[k][2]))
