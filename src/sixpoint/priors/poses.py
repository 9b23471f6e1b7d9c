"""Builds and poses of people, independent of the rig they came from: what a prior learns from.

A `Build` is a person's measures, a `Poses` what the parts of a body did, both in anatomical frames
on a common spine. Any build can take any poses: exchanging builds gives people of other proportions
doing the same, of which there are never enough in a data set.

Rigs have one spine joint or twenty. The common spine has seven stations instead: the pelvis, three
parts of the torso, two of the neck, and the head. A part of a rig's spine takes its rotation from
the two stations around its middle, by arc length; a station takes its rotation from the two parts
of the rig around it. On a rig with three torso and two neck parts (CMU, H-Anim) nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Self

import numpy as np

from ..body.anatomy import Anatomy
from ..kernels import arrays
from ..kernels.types import Floats, Ints
from ..motion.motion import Motion
from ..motion.pose import stripes

PELVIS, TORSO, NECK, HEAD = 0, 1, 4, 6
"""First station of each region."""
TORSO_PARTS, NECK_PARTS = 3, 2
STATIONS = HEAD + 1

LIMB_ROLES = (
    ("l_clavicle", "l_shoulder", "l_elbow", "l_wrist"),
    ("r_clavicle", "r_shoulder", "r_elbow", "r_wrist"),
    ("", "l_hip", "l_knee", "l_ankle"),
    ("", "r_hip", "r_knee", "r_ankle"),
)
LIMBS, ARMS = 4, 2
TIPS = ("l_hand", "r_hand", "l_toe", "r_toe")
"""Point at the end of each limb."""
USUAL_ENDS = (
    (0.0, -0.05, 0.0),
    (0.0, -0.05, 0.0),
    (0.0, -0.03, 0.08),
    (0.0, -0.03, 0.08),
)
"""Where these are from wrists and ankles on rigs that do not have them, as parts of height."""
CHEST = NECK - 1
"""Station that carries the arms."""


@dataclass(frozen=True, eq=False)
class Blend:
    """Rows that are each a mixture of two others: (1 - share) of `low` and share of `high`."""

    low: Ints
    high: Ints
    share: Floats


@dataclass(frozen=True, eq=False)
class SpineMap:
    """Correspondence of the parts of a rig's spine and the stations."""

    parts: Blend
    """Turn of each part of the rig, from the stations; shape (n - 1,)."""
    stations: Blend
    """Turn of each station but the pelvis, from the parts of the rig and, as the last, its head;
    shape (6,)."""
    torso: int
    """How many of the parts belong to the torso; the others are the neck's."""
    lower: int
    """Joint at the pelvis that turns the first part by itself; -1: it turns with the pelvis."""


def spine_map(anatomy: Anatomy) -> SpineMap:
    """How the spine of a rig corresponds to the stations."""
    bends = anatomy.bends
    path = anatomy.skeleton.path(anatomy.chest)
    chest = max((k for k, node in enumerate(bends[:-1]) if node in path), default=0)
    lengths = np.array([np.linalg.norm(anatomy.vector(a, b)) for a, b in pairwise(bends)])
    torso, neck = lengths[: chest + 1], lengths[chest + 1 :]
    into = [
        *_around(_middles(torso), _regular(TORSO_PARTS), TORSO),
        *_around(_middles(neck), _regular(NECK_PARTS), NECK),
    ]
    out = _around(_regular(TORSO_PARTS), _middles(torso), 0)
    if len(neck):
        out += _around(_regular(NECK_PARTS), _middles(neck), len(torso))
    else:  # the neck goes on from the torso to the head
        out += [(chest, len(lengths), part) for part in _regular(NECK_PARTS)]
    out.append((len(lengths), len(lengths), 0.0))
    lower = anatomy.colocated[-1] if anatomy.colocated else -1
    return SpineMap(_blend(into), _blend(out), len(torso), lower)


def _regular(count: int) -> Floats:
    """Middles of so many equal parts of [0, 1]."""
    return (np.arange(count) + 0.5) / count


def _middles(lengths: Floats) -> Floats:
    """Middles of parts of given lengths, as places in [0, 1]."""
    ends = np.cumsum(lengths)
    return (ends - 0.5 * lengths) / ends[-1] if len(ends) else ends


def _around(places: Floats, nodes: Floats, first: int) -> list[tuple[int, int, float]]:
    """The two nodes around each place, counted from `first`, and the share of the higher."""
    found = []
    for place in places:
        high = min(int(np.searchsorted(nodes, place)), len(nodes) - 1)
        low = max(high - 1, 0)
        span = nodes[high] - nodes[low]
        share = float(np.clip((place - nodes[low]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
        found.append((first + low, first + high, share))
    return found


def _blend(rows: list[tuple[int, int, float]]) -> Blend:
    low, high, share = zip(*rows, strict=True)
    return Blend(np.array(low, np.int64), np.array(high, np.int64), np.array(share))


@dataclass(frozen=True, eq=False)
class Build:
    """Measures of a person in the neutral stance [m]."""

    height: float
    """Calf + thigh + pelvis + torso + neck, the unit of all lengths."""
    torso: Floats
    """The three parts of the torso, from the pelvis to the base of the neck, shape (3, 3)."""
    neck: Floats
    """The two parts of the neck, shape (2, 3)."""
    bases: Floats
    """Hips from the pelvis; clavicles (or shoulders) from the base of the neck, shape (4, 3)."""
    clavicles: Floats
    """Vectors from clavicle to shoulder; zero without clavicles, shape (2, 3)."""
    bones: Floats
    """Lengths of the upper and the lower bone, shape (4, 2)."""
    ends: Floats
    """From wrists to the bases of the middle fingers, from ankles to toes, shape (4, 3)."""


@dataclass(frozen=True, eq=False)
class Poses:
    """World rotations of the parts of a body, relative to the neutral stance, over F frames."""

    stations: Floats
    """Rotations of the stations of the spine, shape (F, 7, 4)."""
    clavicles: Floats
    """Shape (F, 2, 4)."""
    limbs: Floats
    """Upper bone, lower bone, hand or foot of each limb, shape (F, 4, 3, 4)."""

    def __len__(self) -> int:
        return len(self.stations)

    def frames(self, which: slice | Ints) -> Poses:
        """Some of the frames."""
        return Poses(self.stations[which], self.clavicles[which], self.limbs[which])

    @classmethod
    def joined(cls, several: list[Self]) -> Poses:
        """One after the other."""
        return Poses(*(np.concatenate([getattr(p, f.name) for p in several]) for f in fields(cls)))


def build_of(anatomy: Anatomy) -> Build:
    """The measures of a rig's body."""
    spine = spine_map(anatomy)
    bends = anatomy.bends
    neck_base, head = bends[spine.torso], bends[-1]
    bases, bones, clavicles = np.zeros((LIMBS, 3)), np.zeros((LIMBS, 2)), np.zeros((ARMS, 3))
    ends = np.zeros((LIMBS, 3))
    for limb, (clavicle, *roles) in enumerate(LIMB_ROLES):
        root, hinge, end = (anatomy.node(role) for role in roles)
        start = anatomy.node(clavicle) if anatomy.has(clavicle) else root
        carrier = neck_base if limb < ARMS else anatomy.node("pelvis")
        bases[limb] = anatomy.vector(carrier, start)
        if limb < ARMS:
            clavicles[limb] = anatomy.vector(start, root)
        bones[limb] = [
            np.linalg.norm(anatomy.vector(a, b)) for a, b in ((root, hinge), (hinge, end))
        ]
        tip = anatomy.landmarks.get(TIPS[limb])
        ends[limb] = (
            anatomy.height * np.array(USUAL_ENDS[limb]) if tip is None else anatomy.vector(end, tip)
        )
    return Build(
        anatomy.height,
        _parts(anatomy, anatomy.node("pelvis"), bends[: spine.torso + 1], TORSO_PARTS),
        _parts(anatomy, neck_base, bends[spine.torso :], NECK_PARTS)
        if neck_base != head
        else np.zeros((NECK_PARTS, 3)),
        bases,
        clavicles,
        bones,
        ends,
    )


def _parts(anatomy: Anatomy, start: int, nodes: tuple[int, ...], count: int) -> Floats:
    """A stretch of the spine as so many vectors; the rig's own where it has as many."""
    positions = anatomy.positions[list(nodes)] - anatomy.positions[start]
    if len(nodes) == count + 1:
        return np.diff(positions, axis=0)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], count + 1)
    return np.diff(
        np.stack([np.interp(at, along, positions[:, k]) for k in range(3)], axis=1), axis=0
    )


def poses_of(motion: Motion) -> Poses:
    """The rotations of a body's parts in every frame of a motion."""
    return Poses.joined([_poses(motion, stripe) for stripe in stripes(max(len(motion), 1))])


def _poses(motion: Motion, frames: slice) -> Poses:
    anatomy = motion.skeleton.anatomy
    spine = spine_map(anatomy)
    _, world = motion.world(frames)
    rotations = arrays.multiply(world, arrays.conjugate(anatomy.neutral))
    pelvis = anatomy.node("pelvis")
    first = spine.lower if spine.lower >= 0 else pelvis
    parts = [first, *anatomy.bends[1:-1], anatomy.skeleton.carrier(anatomy.bends[-1])]
    along = rotations[:, parts]
    blend = spine.stations
    stations = arrays.slerp(along[:, blend.low], along[:, blend.high], blend.share)
    stations = np.concatenate([rotations[:, [pelvis]], stations], axis=1)
    limbs, clavicles = [], []
    for limb, (clavicle, *roles) in enumerate(LIMB_ROLES):
        nodes = [anatomy.node(role) for role in roles]
        limbs.append(rotations[:, [anatomy.skeleton.carrier(node) for node in nodes]])
        if limb < ARMS:
            has = anatomy.has(clavicle)
            clavicles.append(rotations[:, anatomy.node(clavicle)] if has else stations[:, CHEST])
    return Poses(stations, np.stack(clavicles, axis=1), np.stack(limbs, axis=1))
