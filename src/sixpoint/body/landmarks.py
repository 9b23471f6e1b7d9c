"""Landmarks: the points of a body that trackers, detectors and layouts speak of.

They are the roles of a rig and four kinds of points that have no role, because no solver needs them
to understand a rig: chest, neck, hands and toes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .anatomy import Anatomy

LANDMARKS = (
    "pelvis",
    "chest",
    "neck",
    "head",
    *(
        f"{side}_{part}"
        for part in (
            "clavicle",
            "shoulder",
            "elbow",
            "wrist",
            "hand",
            "hip",
            "knee",
            "ankle",
            "toe",
        )
        for side in "lr"
    ),
)
"""The 22 landmarks, in the order in which they are always given."""

KNUCKLE = (re.compile(r"mid|finger3", re.I), re.compile("index", re.I))
"""Names of the joints of the middle finger, and of the index finger."""
PALM = re.compile(r"carp|inhand|palm", re.I)
"""Names of joints inside the palm: they are no knuckles, whichever finger they belong to."""
BALL_OF_FOOT = (re.compile(r"toe|ball", re.I), re.compile("metatars", re.I))
"""Names of the joint at the base of the toes; the second, of H-Anim, can be inside the foot."""
SMALLEST = 1e-3
"""A node nearer than this part of the body's height to its joint is at the same place."""


def find_landmarks(anatomy: Anatomy) -> dict[str, int]:
    """Return the node of each landmark that a rig has, in the order of `LANDMARKS`.

    The chest is the joint that carries both arms. The neck is the first joint above it on the way
    to the head. A hand is the knuckle of the middle finger or, where names do not tell it, the node
    next to the wrist along the forearm's line. A toe is the base of the toes. A rig without such a
    node lacks the landmark: one without a joint between chest and head has no neck.
    """
    nodes = dict(anatomy.roles.nodes)
    nodes["chest"] = anatomy.chest
    path = anatomy.skeleton.path(nodes["head"])
    above = path[path.index(anatomy.chest) + 1 : -1] if anatomy.chest in path else []
    found = {"neck": above[0] if above else None}
    for side in "lr":
        found[f"{side}_hand"] = _knuckle(anatomy, nodes[f"{side}_wrist"])
        found[f"{side}_toe"] = _toe_base(anatomy, nodes[f"{side}_ankle"])
    nodes.update({name: node for name, node in found.items() if node is not None})
    return {name: nodes[name] for name in LANDMARKS if name in nodes}


def _knuckle(anatomy: Anatomy, wrist: int) -> int | None:
    """Return the base of the middle finger, or what is most like it."""
    names = anatomy.skeleton.node_names
    below = [node for node in _below(anatomy, wrist) if not PALM.search(names[node])]
    named = _first_named(anatomy, below, KNUCKLE)
    return _along(anatomy, wrist, (0.0, -1.0, 0.0)) if named is None else named


def _toe_base(anatomy: Anatomy, ankle: int) -> int | None:
    """Return the base of the toes, or what is most like it."""
    named = _first_named(anatomy, _below(anatomy, ankle), BALL_OF_FOOT)
    return _along(anatomy, ankle, (0.0, 0.0, 1.0)) if named is None else named


def _first_named(
    anatomy: Anatomy, nodes: Sequence[int], patterns: Sequence[re.Pattern[str]]
) -> int | None:
    """Return the first node whose name fits the first pattern that fits any."""
    names = anatomy.skeleton.node_names
    found = [node for pattern in patterns for node in nodes if pattern.search(names[node])]
    return found[0] if found else None


def _below(anatomy: Anatomy, joint: int) -> list[int]:
    """Return the nodes that hang from a joint at some distance, those with fewer links first."""
    skeleton = anatomy.skeleton
    found, level = [], skeleton.children(joint)
    while level:
        found += level
        level = [child for node in level for child in skeleton.children(node)]
    near = SMALLEST * anatomy.height
    return [node for node in found if np.linalg.norm(anatomy.vector(joint, node)) > near]


def _along(anatomy: Anatomy, joint: int, direction: tuple[float, float, float]) -> int | None:
    """Return the nearest node below a joint whose direction is most like the one given."""
    below = _below(anatomy, joint)
    first = [
        node
        for node in below
        if not set(below) & set(anatomy.skeleton.path(node)[:-1])  # nothing stands in between
    ]

    def cosine(node: int) -> float:
        away = anatomy.vector(joint, node)
        return float(away @ direction / np.linalg.norm(away))

    return max(first, key=cosine, default=None)
