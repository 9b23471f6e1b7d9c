"""The space that a body fills, as capsules: what collisions measure and the synthetic stage draws.

A capsule is a line with a radius, fixed to one joint. Seventeen of them make a person; sizes follow
the body's own stature and the distance between the shoulders, so that they fit any rig whose roles
are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Vec3
from .anatomy import Anatomy, anatomy_of
from .mass import HAND_TO_FOREARM, TOE_REACH
from .skeleton import Skeleton
from .torso import HALF_DEPTH, HALF_WIDTH

GIRTHS = {
    "neck": 0.031,
    "upper_arm": 0.027,
    "forearm": 0.022,
    "hand": 0.020,
    "thigh": 0.042,
    "shank": 0.029,
    "foot": 0.022,
}
"""Radii as parts of stature: half the breadth seen from the front, as the mannequin has them."""
HEAD = 0.050
"""Radius of the head as a part of stature ..."""
HEAD_HEIGHT, HEAD_TOP, HEAD_AHEAD = 0.130, 0.074, 0.012
"""... chin to top (Drillis and Contini 1966), and the top above and before the skull base."""
FOOT_LENGTH = 0.152
"""Heel to toe as a part of stature (Drillis and Contini 1966)."""


@dataclass(frozen=True)
class Capsule:
    """A part of the body."""

    name: str
    joint: int
    """Joint that carries it."""
    start: Vec3
    """One end of its line, in the joint's *anatomical* frame [m]."""
    end: Vec3
    """The other end."""
    radius: float
    """[m]."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"Expected a positive `radius` of {self.name!r}, got {self.radius}.")


@dataclass(frozen=True, eq=False)
class BodyShape:
    """All capsules of one skeleton. Build it with `body_shape`."""

    skeleton: Skeleton
    capsules: tuple[Capsule, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the capsules, in their order."""
        return tuple(capsule.name for capsule in self.capsules)

    def place(self, positions: Floats, world: Floats) -> tuple[Floats, Floats]:
        """Ends of all lines in the world [m], two arrays (..., C, 3).

        Args:
            positions: of all nodes (..., J+S, 3) [m], as `Motion.world` gives.
            world: rotations of all joints (..., J, 4).
        """
        neutral = anatomy_of(self.skeleton).neutral
        joints = [capsule.joint for capsule in self.capsules]
        turns = arrays.multiply(world[..., joints, :], arrays.conjugate(neutral[joints]))
        at = positions[..., joints, :]
        starts, ends = (
            np.array([getattr(capsule, name) for capsule in self.capsules])
            for name in ("start", "end")
        )
        return at + arrays.rotate(turns, starts), at + arrays.rotate(turns, ends)


def body_shape(skeleton: Skeleton) -> BodyShape:
    """The capsules of a person: pelvis, belly, chest, neck, head, arms and legs."""
    anatomy = anatomy_of(skeleton)
    return BodyShape(skeleton, (*_trunk(anatomy), *_limb(anatomy, "l"), *_limb(anatomy, "r")))


def _trunk(anatomy: Anatomy) -> list[Capsule]:
    """Three bars from side to side, the neck and the head."""
    stature = anatomy.stature
    hips, shoulders = (_middle(anatomy, part) for part in ("hip", "shoulder"))
    half = abs(float(_side(anatomy, "shoulder")[0] - shoulders[0]))
    radius = HALF_DEPTH * half
    if half < 1e-6 or shoulders[1] - hips[1] < 1e-6:
        raise InputError(
            "Expected shoulders that are apart and above the hips; this skeleton's torso is flat."
        )
    pelvis = anatomy.joint_carrying(anatomy.node("pelvis"))
    chest = _carrier(anatomy, "shoulder")
    bars = [("pelvis", pelvis, 0.06, 0.95), ("belly", _below(anatomy, chest), 0.42, 0.85),
            ("chest", chest, 0.78, 1.0)]  # fmt: skip
    out = []
    for name, joint, share, part in bars:
        centre = hips + share * (shoulders - hips)
        size = radius * part
        reach = np.array([max(HALF_WIDTH * half * part - size, 1e-3), 0.0, 0.0])
        out.append(_between(anatomy, name, joint, centre + reach, centre - reach, size))
    head = anatomy.positions[anatomy.node("head")]
    carrier = anatomy.joint_carrying(anatomy.node("head"))
    neck = chest if carrier == chest else _below(anatomy, carrier, least=chest)
    low = 0.5 * (shoulders + head)
    out.append(_between(anatomy, "neck", neck, low, head, GIRTHS["neck"] * stature))
    low = head + stature * np.array([0.0, HEAD_TOP - HEAD_HEIGHT + HEAD, HEAD_AHEAD])
    top = head + stature * np.array([0.0, HEAD_TOP - HEAD, HEAD_AHEAD])
    out.append(_between(anatomy, "head", carrier, low, top, HEAD * stature))
    return out


def _limb(anatomy: Anatomy, side: str) -> list[Capsule]:
    """Upper arm, forearm, hand, thigh, shank and foot of one side."""
    stature = anatomy.stature
    at = {
        part: anatomy.positions[anatomy.node(f"{side}_{part}")]
        for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    }
    hand = at["wrist"] - at["elbow"]
    fingers = at["wrist"] + HAND_TO_FOREARM * hand
    toes = at["ankle"] + (0.0, -0.4 * 0.039 * stature, TOE_REACH * FOOT_LENGTH * stature)
    heel = at["ankle"] + (0.0, -0.4 * 0.039 * stature, -0.1 * FOOT_LENGTH * stature)
    rows = [
        ("upper_arm", "shoulder", at["shoulder"], at["elbow"]),
        ("forearm", "elbow", at["elbow"], at["wrist"]),
        ("hand", "wrist", at["wrist"], fingers),
        ("thigh", "hip", at["hip"], at["knee"]),
        ("shank", "knee", at["knee"], at["ankle"]),
        ("foot", "ankle", heel, toes),
    ]
    out = []
    for name, role, start, end in rows:
        radius = GIRTHS[name] * stature
        if name in ("hand", "foot"):  # the round ends lie within its length
            way = (end - start) / np.linalg.norm(end - start)
            start, end = start + radius * way, end - radius * way
        joint = anatomy.joint_carrying(anatomy.node(f"{side}_{role}"))
        out.append(_between(anatomy, f"{side}_{name}", joint, start, end, radius))
    return out


def _between(
    anatomy: Anatomy, name: str, joint: int, start: Floats, end: Floats, radius: float
) -> Capsule:
    """A capsule between two places of the neutral stance."""
    origin = anatomy.positions[joint]
    return Capsule(name, joint, _vec(start - origin), _vec(end - origin), float(radius))


def _vec(values: Sequence[float] | Floats) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _side(anatomy: Anatomy, part: str) -> Floats:
    return np.asarray(anatomy.positions[anatomy.node(f"l_{part}")])


def _middle(anatomy: Anatomy, part: str) -> Floats:
    right = anatomy.positions[anatomy.node(f"r_{part}")]
    return np.asarray(0.5 * (_side(anatomy, part) + right))


def _carrier(anatomy: Anatomy, part: str) -> int:
    """The joint on the midline that carries both sides of a part."""
    left, right = (anatomy.skeleton.path(anatomy.node(f"{s}_{part}")) for s in "lr")
    common = [joint for joint in left if joint in right]
    return int(max(common, key=lambda joint: len(anatomy.skeleton.path(joint))))


def _below(anatomy: Anatomy, joint: int, least: int = -1) -> int:
    """The joint that carries another one's bone and stands below it, but not below `least`."""
    parents = anatomy.skeleton.parents
    above = int(parents[joint])
    while above >= 0 and above != least:
        gap = anatomy.positions[joint][1] - anatomy.positions[above][1]
        if gap > 0.02 * anatomy.stature:
            return above
        above = int(parents[above])
    return joint if above < 0 else least
