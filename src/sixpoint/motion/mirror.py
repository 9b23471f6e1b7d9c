"""Left and right exchanged: the movement as seen in a mirror in the plane x = 0.

A reflection turns a rotation (w, x, y, z) into (w, x, -y, -z), provided that left and right joints
measure their rotations alike. Rigs do not; anatomical frames do, so the exchange happens there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from .points import Points
from .pose import stripes

if TYPE_CHECKING:
    from .motion import Motion

REFLECT = np.array([-1.0, 1.0, 1.0])
"""Factors of a mirrored vector."""

REFLECT_ROTATION = np.array([1.0, 1.0, -1.0, -1.0])
"""Factors of a mirrored quaternion."""

_WORD = re.compile("left|right", re.IGNORECASE)
_LETTER = re.compile(r"(?<![A-Za-z])[LlRr](?![A-Za-z])")
_PREFIX = re.compile(r"^[LlRr]")
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


def mirror_motion(motion: Motion) -> Motion:
    """A motion with left and right exchanged, on the same skeleton.

    Exact where the skeleton is symmetric; otherwise the rotations are mirrored and the positions
    follow from the bones there are. Mirroring twice gives the motion back.
    """
    skeleton, moves = motion.skeleton, motion.translations
    body, partners = skeleton.articulation, mirror_partners(skeleton)
    rotations = np.empty_like(motion.rotations)
    for stripe in stripes(len(motion)):
        turned = body.to_rest(motion.rotations[stripe])
        rotations[stripe] = body.from_rest(turned[:, partners] * REFLECT_ROTATION)
    return replace(
        motion,
        root=motion.root * REFLECT,
        rotations=arrays.normalize(rotations),
        translations=None if moves is None else _mirror_translations(skeleton, moves, partners),
    )


def mirror_points(points: Points) -> Points:
    """Points with left and right exchanged, in the same order where both sides are there."""
    names = tuple(_swap_side(name) for name in points.names)
    mirrored = replace(
        points,
        names=names,
        positions=points.positions * REFLECT,
        rotations=None if points.rotations is None else points.rotations * REFLECT_ROTATION,
    )
    return mirrored.select(points.names) if set(names) == set(points.names) else mirrored


def mirror_partners(skeleton: Skeleton) -> Ints:
    """The joint on the other side of each joint, shape (J,); itself where there is none.

    Roles decide first, then names that differ in left and right. A pair's parents must be a pair
    too: only then do their local rotations correspond.
    """
    count = skeleton.joint_count
    nodes = skeleton.anatomy.roles.nodes
    by_role = {node: nodes.get(_swap_side(role), node) for role, node in nodes.items()}
    by_name = {name: j for j, name in enumerate(skeleton.names)}
    partners = np.arange(count)
    for j, name in enumerate(skeleton.names):
        named = [by_name[other] for other in _other_side(name) if other in by_name]
        for k in (by_role.get(j, j), *named):
            free = k < count and partners[j] == j and partners[k] == k  # a site has no partner
            if free and _are_pair(partners, skeleton.parents[j], skeleton.parents[k]):
                partners[j], partners[k] = k, j
    return partners


def _are_pair(partners: Ints, a: int, b: int) -> bool:
    return a == b == -1 or (a >= 0 and b >= 0 and int(partners[a]) == b)


def _mirror_translations(skeleton: Skeleton, moves: Floats, partners: Ints) -> Floats:
    """Local translations (F, J, 3), through the frames of the parents in the neutral stance."""
    frames, _ = skeleton.articulation.frames
    upright = arrays.rotate(frames, moves)
    return arrays.rotate(arrays.conjugate(frames), upright[:, partners] * REFLECT)


def _swap_side(role: str) -> str:
    if role[:2] in ("l_", "r_"):
        return _OTHER[role[0]] + role[1:]
    return role


def _other_side(name: str) -> Iterator[str]:
    """Names that the joint on the other side might have."""
    for pattern in (_WORD, _LETTER, _PREFIX):
        swapped = pattern.sub(lambda match: _in_case(match[0]), name)
        if swapped != name:
            yield swapped


def _in_case(token: str) -> str:
    other = _OTHER[token.lower()]
    if token.isupper():
        return other.upper()
    return other.capitalize() if token[0].isupper() else other
