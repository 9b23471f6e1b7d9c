"""A forearm and hand with 26 degrees of freedom, as in Courty & Arnaud 2008.

A left arm in the neutral stance: forearm and fingers hang along -Y, the palm faces -X, the thumb
is in front (+Z). Elbow and wrist turn freely (3 + 3); each finger spreads and bends at its root
(2) and bends at two hinges (1 + 1). The roots are ball joints, not pairs of hinges at one place;
their twist, which no finger has, is locked by limits (`sixpoint.limits.hand_limits`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels.types import Floats, Vec3
from .anthropometry import FRACTIONS
from .chains import check_length
from .tree import JointTree

if TYPE_CHECKING:
    from .skeleton import Skeleton

FOREARM = FRACTIONS["forearm"] / FRACTIONS["hand"]
"""Forearm over hand length."""
PALM: Vec3 = (-1.0, 0.0, 0.0)
"""Direction in which fingers curl."""


@dataclass(frozen=True)
class Finger:
    """One finger; lengths are parts of the hand's."""

    root: Vec3
    """Vector from the wrist to the joint at its root."""
    along: Vec3
    """Direction of the straight finger; made a unit vector."""
    curl: Vec3
    """Direction in which it bends."""
    bones: Vec3
    """Lengths from the root outwards."""
    joints: tuple[str, str, str]
    """Names of its joints, without the finger's."""

    @property
    def direction(self) -> Floats:
        """Unit vector along the straight finger."""
        along = np.array(self.along)
        return np.asarray(along / np.linalg.norm(along))

    @property
    def axis(self) -> Floats:
        """Unit axis about which a positive turn bends the finger."""
        across = np.cross(self.direction, self.curl)
        return np.asarray(across / np.linalg.norm(across))


def _finger(metacarpal: float, across: float, fan: float, bones: Vec3) -> Finger:
    """A long finger whose knuckle lies so far from the wrist, and to the side of the middle one."""
    down = -float(np.sqrt(metacarpal**2 - across**2))
    joints = ("knuckle", "middle", "end")
    return Finger((0.0, down, across), (0.0, -1.0, fan), PALM, bones, joints)


FINGERS: dict[str, Finger] = {
    # Lengths: Buchholz, Armstrong and Goldstein 1992, over hand length. Places of the knuckles
    # side by side and directions: ours, by the eye.
    "thumb": Finger(
        (-0.06, -0.10, 0.12),
        (-0.45, -0.70, 0.55),
        (-0.6, 0.0, -1.0),
        (0.251, 0.196, 0.158),
        ("root", "knuckle", "end"),
    ),
    "index": _finger(0.463, 0.13, 0.06, (0.245, 0.143, 0.097)),
    "middle": _finger(0.446, 0.01, 0.0, (0.266, 0.170, 0.108)),
    "ring": _finger(0.421, -0.10, -0.06, (0.244, 0.165, 0.107)),
    "little": _finger(0.414, -0.20, -0.12, (0.204, 0.117, 0.093)),
}
"""Name -> proportions. Joints are named like ``index_knuckle``, tips ``index_tip``."""
FINGER_JOINTS: Mapping[str, Sequence[str]] = {
    name: tuple(f"{name}_{joint}" for joint in finger.joints) for name, finger in FINGERS.items()
}
"""Name of a finger -> its joints from the palm outwards."""


def build_hand(length: float = 0.19) -> JointTree:
    """See `Skeleton.hand`."""
    size = check_length("length", length)
    names, parents = ["elbow", "wrist"], [-1, 0]
    offsets = [np.zeros(3), np.array((0.0, -FOREARM * size, 0.0))]
    tips, hinges = [], {}
    for finger, shape in FINGERS.items():
        steps = [np.array(shape.root), *(bone * shape.direction for bone in shape.bones)]
        for k, joint in enumerate(shape.joints):
            parents.append(1 if k == 0 else len(names) - 1)
            names.append(f"{finger}_{joint}")
            offsets.append(size * steps[k])
            if k > 0:
                x, y, z = shape.axis.tolist()
                hinges[names[-1]] = (x, y, z)
        tips.append((f"{finger}_tip", len(names) - 1, size * steps[-1]))
    return JointTree(
        tuple(names),
        np.array(parents),
        np.array(offsets),
        tuple(name for name, _, _ in tips),
        np.array([joint for _, joint, _ in tips]),
        np.array([offset for _, _, offset in tips]),
        hinges=hinges,
    )


def is_hand(tree: JointTree) -> bool:
    """Whether a skeleton is one of `Skeleton.hand`, of any size: same names, tree and hinges."""
    hand = _reference_hand()
    return (
        tree.names == hand.names
        and bool((tree.parents == hand.parents).all())
        and tree.hinges == hand.hinges
    )


@cache
def _reference_hand() -> JointTree:
    return build_hand()


def finger_joints(
    skeleton: Skeleton, fingers: Mapping[str, Sequence[str]] | None = None
) -> dict[str, tuple[str, str, str]]:
    """The three joints of each finger, from the palm outwards; default those of `Skeleton.hand`.

    Raises:
        UnknownName: a joint that the skeleton does not have.
        InputError: a finger has not three joints, or its outer two are no hinges.
    """
    found: dict[str, tuple[str, str, str]] = {}
    for name, joints in (FINGER_JOINTS if fingers is None else fingers).items():
        if isinstance(joints, str) or len(joints) != len(FINGERS["index"].joints):
            raise InputError(f"Expected three joints of the finger {name!r}, got {joints!r}.")
        for joint in joints:
            if joint not in skeleton.names:
                raise UnknownName("joint", joint, skeleton.names)
        root, middle, end = joints
        for joint in (middle, end):
            if not skeleton.articulation.axes[skeleton.index(joint)].any():
                raise InputError(
                    f"Expected a hinge as outer joint of the finger {name!r}, got {joint!r}, "
                    "which is a ball: give its axis in `Skeleton.hinges`."
                )
        found[name] = (root, middle, end)
    return found
