"""The mannequin: a skeleton dressed in a few simple solids, so that a person looks like one.

Limbs are tapered capsules between two nodes. Head, chest, belly and pelvis are ellipsoids fixed to
a joint. Both the pictures and the 3D page draw these and nothing else. A rig whose joints are not
recognised gets one thin limb for each bone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..body.anatomy import Anatomy
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats, Quat, Vec3

Side = Literal["left", "right", "middle"]

COLOURS: dict[Side, str] = {"left": "#0072B2", "right": "#D55E00", "middle": "#8C939E"}
"""Blue and vermilion of Okabe and Ito, which colour-blind people tell apart, and a grey."""
POINT_COLOUR = "#F0E442"
"""Yellow of the same palette, for tracked points."""

GIRTHS = {
    "hip": 0.050, "knee": 0.032, "ankle": 0.022, "toe": 0.015, "clavicle": 0.030,
    "shoulder": 0.033, "elbow": 0.024, "wrist": 0.018, "fingers": 0.012, "neck": 0.032,
}  # fmt: skip
"""Radii as parts of stature: half the breadth seen from the front, rounded by eye."""
HAND = 0.108
"""Length of a hand as a part of stature (Drillis and Contini 1966), for rigs without fingers."""
FOOT = 0.10
"""Distance from the ankle to the toes as a part of stature, for rigs without toes."""
STICK = 0.012
"""Radius of a bone of an unrecognised rig, as a part of its extent."""


@dataclass(frozen=True)
class Limb:
    """A tapered capsule from one node to another, or to a position fixed to a joint."""

    start: int
    """Node where it begins."""
    end: int
    """Node where it ends; -1: at `tip`."""
    radii: tuple[float, float]
    """Radii of its two ends [m]."""
    side: Side
    tip: Vec3 = (0.0, 0.0, 0.0)
    """Where it ends, in the frame of the joint that carries `start` [m], if `end` is -1."""


@dataclass(frozen=True)
class Mass:
    """An ellipsoid fixed to a joint."""

    joint: int
    centre: Vec3
    """Position in the joint's frame [m]."""
    rotation: Quat
    """Rotation from the ellipsoid's axes (left, up, forward) to the joint's frame."""
    half: Vec3
    """Half-axes [m]."""
    side: Side = "middle"


class Solids(NamedTuple):
    """The mannequin's parts over some frames, in the world."""

    starts: Floats
    """Where limbs begin [m], shape (F, L, 3)."""
    ends: Floats
    """Where limbs end [m], shape (F, L, 3)."""
    centres: Floats
    """Centres of the ellipsoids [m], shape (F, M, 3)."""
    rotations: Floats
    """Rotations of the ellipsoids, shape (F, M, 4)."""


@dataclass(frozen=True)
class Mannequin:
    """The parts of one skeleton. Build it with `mannequin_of`."""

    skeleton: Skeleton
    limbs: tuple[Limb, ...]
    masses: tuple[Mass, ...]
    stature: float
    """Standing height, or the extent of an unrecognised rig [m]."""

    def place(self, positions: Floats, world: Floats) -> Solids:
        """Return the parts for node positions (F, N, 3) and joint rotations (F, J, 4)."""
        parents, count = self.skeleton.node_parents, self.skeleton.joint_count
        first = [limb.start for limb in self.limbs]
        last = np.array([limb.end for limb in self.limbs], np.int64)
        carriers = [node if node < count else int(parents[node]) for node in first]
        tips = arrays.rotate(world[:, carriers], _rows([limb.tip for limb in self.limbs], 3))
        starts = positions[:, first]
        ends = np.where((last < 0)[:, None], starts + tips, positions[:, last])
        joints = [mass.joint for mass in self.masses]
        turns = world[:, joints]
        centres = arrays.rotate(turns, _rows([mass.centre for mass in self.masses], 3))
        own = _rows([mass.rotation for mass in self.masses], 4)
        return Solids(starts, ends, positions[:, joints] + centres, arrays.multiply(turns, own))


def _rows(values: Sequence[Sequence[float]], size: int) -> Floats:
    return np.array(values, dtype=np.float64).reshape(-1, size)


def mannequin_of(skeleton: Skeleton) -> Mannequin:
    """Dress a skeleton: as a person if its joints are recognised, else as bare bones."""
    try:
        anatomy = skeleton.anatomy
    except InputError:  # not a human figure, or one that stands nowhere
        extent = float(np.ptp(skeleton.rest()[0], axis=0).max(initial=0.0)) or 1.0
        radii = (STICK * extent, STICK * extent)
        bones = tuple(
            Limb(int(parent), node, radii, "middle")
            for node, parent in enumerate(skeleton.node_parents)
            if parent >= 0
        )
        return Mannequin(skeleton, bones, (), extent)
    return Mannequin(skeleton, _limbs(anatomy), _masses(anatomy), anatomy.stature)


def _limbs(anatomy: Anatomy) -> tuple[Limb, ...]:
    def limb(start: int, end: int, girths: str, side: Side, tip: Vec3 = (0.0, 0.0, 0.0)) -> Limb:
        first, last = (GIRTHS[name] * anatomy.stature for name in girths.split())
        return Limb(start, end, (first, last), side, tip)

    parts: list[Limb] = []
    sides: tuple[tuple[str, Side], ...] = (("l", "left"), ("r", "right"))
    for letter, side in sides:
        for names, length, towards in (
            ("hip knee ankle toe", FOOT, (0.0, -0.25, 1.0)),
            ("shoulder elbow wrist fingers", HAND, (0.0, -1.0, 0.0)),
        ):
            first, second, third, end = names.split()
            a, b, c = (anatomy.node(f"{letter}_{part}") for part in (first, second, third))
            tip_node, tip = _last(anatomy, c, length, towards)
            parts += [
                limb(a, b, f"{first} {second}", side),
                limb(b, c, f"{second} {third}", side),
                limb(c, tip_node, f"{third} {end}", side, tip),
            ]
        if anatomy.has(f"{letter}_clavicle"):
            clavicle, shoulder = (anatomy.node(f"{letter}_{x}") for x in ("clavicle", "shoulder"))
            parts.append(limb(clavicle, shoulder, "clavicle clavicle", "middle"))
    path = anatomy.skeleton.path(anatomy.node("head"))
    above = path[path.index(anatomy.chest) + 1 :] if anatomy.chest in path else path[-2:]
    parts.append(limb(above[0], above[-1], "neck neck", "middle"))
    return tuple(parts)


def _last(anatomy: Anatomy, node: int, length: float, towards: Vec3) -> tuple[int, Vec3]:
    """Return the furthest node of a hand or foot, or -1 and a tip in the usual direction."""
    reach = [
        (float(np.linalg.norm(anatomy.vector(node, k))), k)
        for k in range(len(anatomy.skeleton.node_names))
        if k != node and node in anatomy.skeleton.path(k)
    ]
    furthest, end = max(reach, default=(0.0, -1))
    if furthest > 0.5 * length * anatomy.stature:
        return end, (0.0, 0.0, 0.0)
    way = np.array(towards) / np.linalg.norm(towards) * length * anatomy.stature
    return -1, _in_joint(anatomy, anatomy.skeleton.carrier(node), way)


def _in_joint(anatomy: Anatomy, joint: int, vector: Floats) -> Vec3:
    """Return a vector of the neutral stance in the joint's own frame."""
    return arrays.as_vec(arrays.rotate(arrays.conjugate(anatomy.neutral[joint]), vector))


def _masses(anatomy: Anatomy) -> tuple[Mass, ...]:
    at = anatomy.positions
    pelvis, head = anatomy.node("pelvis"), anatomy.node("head")
    left, right = anatomy.node("l_shoulder"), anatomy.node("r_shoulder")
    hips = (at[anatomy.node("l_hip")] + at[anatomy.node("r_hip")]) / 2.0
    trunk = (at[left] + at[right]) / 2.0 - hips
    stature, length = anatomy.stature, float(np.linalg.norm(trunk))
    breadth = 0.5 * max(float(np.ptp(at[[left, right], 0])) - 0.03 * stature, 0.12 * stature)

    def mass(joint: int, position: Floats, half: tuple[float, float, float]) -> Mass:
        carrier = anatomy.skeleton.carrier(joint)
        centre = _in_joint(anatomy, carrier, position - at[carrier])
        own = arrays.as_quat(arrays.conjugate(anatomy.neutral[carrier]))
        return Mass(carrier, centre, own, half)

    waist = hips + 0.36 * trunk
    # The belly turns with the highest bending joint that is not above it.
    low = [j for j in anatomy.spine if at[j][1] <= waist[1]]
    skull = at[head] + stature * np.array([0.0, 0.046, 0.014])
    nose = stature * np.array([0.0, -0.010, 0.060])
    belly = low[-1] if low else pelvis
    return (
        mass(pelvis, hips + 0.08 * trunk, (0.096 * stature, 0.23 * length, 0.064 * stature)),
        mass(belly, waist, (0.084 * stature, 0.30 * length, 0.058 * stature)),
        mass(anatomy.chest, hips + 0.72 * trunk, (breadth, 0.36 * length, 0.068 * stature)),
        mass(head, skull, (0.050 * stature, 0.072 * stature, 0.060 * stature)),
        # A nose, to see which way the face looks.
        mass(head, skull + nose, (0.011 * stature, 0.017 * stature, 0.014 * stature)),
    )
