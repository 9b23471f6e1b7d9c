"""How heavy the parts of a body are, and where their centres lie.

Segment masses are fractions of body mass. Every centre lies on a line between two landmarks of the
body, so that the centre of mass is a fixed weighted sum of node positions: one matrix product for a
whole clip, on any rig whose roles are known.

Sources: Winter (2009), *Biomechanics and Motor Control of Human Movement*, table 4.1, after
Dempster; de Leva (1996), *J. Biomechanics* 29(9), tables 1 and 4, after Zatsiorsky and Seluyanov.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from .anatomy import Anatomy, anatomy_of
from .skeleton import Skeleton, frozen_array


@dataclass(frozen=True)
class SegmentMass:
    """One row of a table."""

    mass: float
    """Fraction of body mass, of one side where there are two."""
    start: str
    """Landmark at the upper end: a role (of one side), `mid_shoulder`, `mid_hip` or `toe`."""
    end: str
    """Landmark at the lower end."""
    centre: float
    """Where the centre lies, from start (0) to end (1); beyond 1 for hands, see `_table`."""


TOE_REACH = 0.75
"""Ankle to tip of the toes over the foot's length; the heel lies the rest behind the ankle."""

KNUCKLE_REACH = 0.52
"""Wrist to knuckles over the hand's length."""

HAND_TO_FOREARM = 0.108 / 0.146
"""Drillis and Contini (1966)."""


def _table(
    head: float,
    trunk: tuple[float, float],
    upper_arm: tuple[float, float],
    forearm: tuple[float, float],
    hand: tuple[float, float],
    thigh: tuple[float, float],
    shank: tuple[float, float],
    foot: tuple[float, float],
) -> Mapping[str, SegmentMass]:
    """Rows from masses and centres.

    The head's centre is put at the head joint: the skull base is at the height of the ear canal
    (Winter's centre) and half way from the vertex to C7 (de Leva's), within 2 cm. The hand goes on
    in the direction of the forearm, because no rig agrees with another on what is in a hand.
    """
    return MappingProxyType(
        {
            "head": SegmentMass(head, "head", "head", 0.0),
            "trunk": SegmentMass(trunk[0], "mid_shoulder", "mid_hip", trunk[1]),
            "upper_arm": SegmentMass(upper_arm[0], "shoulder", "elbow", upper_arm[1]),
            "forearm": SegmentMass(forearm[0], "elbow", "wrist", forearm[1]),
            "hand": SegmentMass(hand[0], "elbow", "wrist", 1.0 + hand[1]),
            "thigh": SegmentMass(thigh[0], "hip", "knee", thigh[1]),
            "shank": SegmentMass(shank[0], "knee", "ankle", shank[1]),
            "foot": SegmentMass(foot[0], "ankle", "toe", foot[1]),
        }
    )


def _foot_centre(from_heel: float) -> float:
    """Of de Leva's heel-toe line, as a part of the line from the ankle to the toes."""
    return (from_heel - (1.0 - TOE_REACH)) / TOE_REACH


MASS_TABLES: Mapping[str, Mapping[str, SegmentMass]] = MappingProxyType(
    {
        # Trunk: trochanter to shoulder. Hand: wrist to knuckle II. Foot: ankle to metatarsal II,
        # which lies 0.47 of the foot's length in front of the ankle.
        "winter": _table(
            head=0.081,
            trunk=(0.497, 0.500),
            upper_arm=(0.028, 0.436),
            forearm=(0.016, 0.430),
            hand=(0.006, 0.506 * KNUCKLE_REACH * HAND_TO_FOREARM),
            thigh=(0.100, 0.433),
            shank=(0.0465, 0.433),
            foot=(0.0145, 0.500 * 0.47 / TOE_REACH),
        ),
        # Trunk: mid-shoulder to mid-hip. Hand: wrist to metacarpal III, 86.2 mm beside a forearm
        # of 268.9 mm (men), 78.0 mm beside 264.3 mm (women).
        "male": _table(
            head=0.0694,
            trunk=(0.4346, 0.4310),
            upper_arm=(0.0271, 0.5772),
            forearm=(0.0162, 0.4574),
            hand=(0.0061, 0.7900 * 86.2 / 268.9),
            thigh=(0.1416, 0.4095),
            shank=(0.0433, 0.4395),
            foot=(0.0137, _foot_centre(0.4415)),
        ),
        "female": _table(
            head=0.0668,
            trunk=(0.4257, 0.3782),
            upper_arm=(0.0255, 0.5754),
            forearm=(0.0138, 0.4559),
            hand=(0.0056, 0.7474 * 78.0 / 264.3),
            thigh=(0.1478, 0.3612),
            shank=(0.0481, 0.4352),
            foot=(0.0129, _foot_centre(0.4014)),
        ),
    }
)
"""Model -> segment -> row: Winter's for both sexes together, de Leva's for men and for women."""


@dataclass(frozen=True, eq=False)
class MassModel:
    """The masses of one skeleton."""

    segments: tuple[str, ...]
    """Names: head, trunk, then l_ and r_ upper_arm, forearm, hand, thigh, shank, foot."""
    masses: Floats
    """Fraction of body mass of each segment, shape (n,); the sum is 1."""
    weights: Floats
    """Centre of each segment as a weighted sum of node positions, shape (n, J+S); rows sum to 1."""

    def segment_centres(self, positions: Floats) -> Floats:
        """Node positions (..., J+S, 3) to segment centres (..., n, 3) [m]."""
        return self.weights @ self._checked(positions)

    def centre_of_mass(self, positions: Floats) -> Floats:
        """Node positions (..., J+S, 3), as `Motion.positions` gives, to centres (..., 3) [m]."""
        # Node by node in one product: no array of segment centres for a long clip.
        return np.asarray((self.masses @ self.weights) @ self._checked(positions))

    def _checked(self, positions: Floats) -> Floats:
        nodes = self.weights.shape[1]
        if positions.ndim < 2 or positions.shape[-2:] != (nodes, 3):
            raise InputError(
                f"Expected the positions of all nodes, shape (..., {nodes}, 3), "
                f"got {positions.shape}."
            )
        return positions


def segment_masses(skeleton: Skeleton, model: str = "winter") -> MassModel:
    """The masses of a skeleton's segments.

    Args:
        skeleton: any rig whose roles are known.
        model: a key of `MASS_TABLES`: "winter", "male" or "female".
    """
    if model not in MASS_TABLES:
        raise UnknownName("mass model", model, MASS_TABLES)
    anatomy = anatomy_of(skeleton)
    names: list[str] = []
    masses: list[float] = []
    weights: list[Floats] = []
    for side in ("", "l_", "r_"):
        for name, row in MASS_TABLES[model].items():
            if (name in ("head", "trunk")) == (side == ""):
                start, end = (_landmark(anatomy, side, mark) for mark in (row.start, row.end))
                names.append(side + name)
                masses.append(row.mass)
                weights.append((1.0 - row.centre) * start + row.centre * end)
    total = np.array(masses)
    # De Leva's women sum to 0.9999.
    return MassModel(tuple(names), frozen_array(total / total.sum()), frozen_array(weights))


def bone_masses(skeleton: Skeleton) -> MassModel:
    """The masses of any figure whose bones are as heavy as they are long, centred in the middle.

    Segments are named by the node at their end. Bones without length weigh nothing.
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
    return MassModel(names, frozen_array(lengths / lengths.sum()), frozen_array(weights))


def mass_weights(skeleton: Skeleton, model: str | None = None) -> Floats:
    """The centre of mass of any figure as a weighted sum of its nodes, shape (J+S,); sum 1.

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
    """A point of the body as weights of the nodes, shape (J+S,)."""
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
    """The node below the ankle that is furthest in front; the ankle itself if there is none."""
    below = [k for k in range(len(anatomy.skeleton.node_names)) if _is_below(anatomy, k, ankle)]
    return max([ankle, *below], key=lambda k: float(anatomy.positions[k][2]))


def _is_below(anatomy: Anatomy, node: int, joint: int) -> bool:
    return node != joint and joint in anatomy.skeleton.path(node)
