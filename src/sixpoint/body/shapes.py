"""The space that a body fills: capsules, the prisms of the torso, and which parts may touch.

Seventeen capsules make a person: collisions measure them and the synthetic stage draws them. Any
other figure has one for each bone, unless it brings its own (`sixpoint.formats.load_robot`). The
torso of Unzueta et al. 2008 (section 8) is one convex prism for each segment of the spine: a
polygon in the XZ plane of the joint's anatomical frame, extruded along Y. Sizes follow the body's
own stature and the distance between its shoulders, so that they fit any rig whose roles are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.arrays import as_vec
from ..kernels.capsule import segment_gap
from ..kernels.contacts import CapsuleTable
from ..kernels.types import Floats, Vec3
from .anatomy import Anatomy
from .anthropometry import ANKLE_HEIGHT, FRACTIONS
from .mass import HAND_TO_FOREARM, TOE_REACH
from .skeleton import Skeleton
from .values import frozen_array

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
HEAD, HEAD_HEIGHT, HEAD_TOP, HEAD_AHEAD = 0.050, 0.130, 0.074, 0.012
"""Radius of the head, chin to top (Drillis and Contini 1966), and the top above and in front of the
skull base, as parts of stature."""
HALF_WIDTH = 0.16 / 0.18
"""Half the chest's width over half the distance of the shoulder joints."""

HALF_DEPTH = 0.11 / 0.18
"""Half the torso's depth over half the distance of the shoulder joints."""

ELBOW_RADIUS = 0.05 / 0.30
"""Radius of the elbow over the length of the upper arm."""

CLEARANCE = 0.02
"""Gap between a hanging elbow and the waist, over half the distance of the shoulder joints."""

OUTLINE = np.array([(1.0, -0.5), (1.0, 0.5), (0.6, 1.0), (-0.6, 1.0)])
"""Half of an octagon (x over half-width, z over half-depth): a rectangle with its corners cut."""
BONE_GIRTH = GIRTHS["shank"] / FRACTIONS["calf"]
"""Radius of a capsule along a bone of any other figure, over the length of the bone: a shank's."""
NEAR = 0.01
"""Parts nearer than this at rest are neighbours, as a part of stature or, for other figures, of the
longest way from the root."""
LINKS, OTHER_LINKS = 2, 1
"""Parts whose joints are this many links apart, or fewer, are neighbours: an upper arm and the
other parts of the shoulder. The second is for figures that are no people."""


@dataclass(frozen=True)
class Capsule:
    """A part of the body."""

    name: str
    joint: int
    """Joint that carries it."""
    start: Vec3
    """One end of its line, in the frame that the joint has at rest [m]: the *anatomical* frame of a
    person."""
    end: Vec3
    """The other end."""
    radius: float
    """[m]."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"Expected a positive `radius` of {self.name!r}, got {self.radius}.")


@dataclass(frozen=True, eq=False)
class BodyShape:
    """All capsules of one skeleton: those of `body_shape`, or one's own."""

    skeleton: Skeleton
    capsules: tuple[Capsule, ...]

    def __post_init__(self) -> None:
        joints = self.skeleton.joint_count
        for capsule in self.capsules:
            if not 0 <= capsule.joint < joints:
                raise InputError(
                    f"Expected {capsule.name!r} on a joint from 0 to {joints - 1}, "
                    f"got {capsule.joint}."
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the capsules, in their order."""
        return tuple(capsule.name for capsule in self.capsules)

    @property
    def radii(self) -> Floats:
        """Radii of the capsules [m], shape (C,)."""
        return np.array([capsule.radius for capsule in self.capsules])

    @cached_property
    def table(self) -> CapsuleTable:
        """The capsules as kernels read them, in the frames of the joints of the rig."""
        parents, neutral = self.skeleton.parents, np.asarray(self.skeleton.articulation.neutral)
        joints = np.array([capsule.joint for capsule in self.capsules], np.int64)
        back = arrays.conjugate(neutral[joints])
        starts, ends = (
            arrays.rotate(back, np.array([getattr(capsule, name) for capsule in self.capsules]))
            for name in ("start", "end")
        )
        return CapsuleTable(np.array(parents, np.int64), joints, starts, ends, self.radii)

    @cached_property
    def moves(self) -> Floats:
        """Local translations of the skeleton's joints at rest [m], (1, J, 3)."""
        return np.array(self.skeleton.offsets[None, : self.skeleton.joint_count])

    def place(self, positions: Floats, world: Floats) -> tuple[Floats, Floats]:
        """Ends of all lines in the world [m], two arrays (..., C, 3).

        Args:
            positions: of all nodes (..., J+S, 3) [m], as `Motion.world` gives.
            world: rotations of all joints (..., J, 4).
        """
        neutral = self.skeleton.articulation.neutral
        joints = np.array([capsule.joint for capsule in self.capsules], np.int64)
        turns = arrays.multiply(world[..., joints, :], arrays.conjugate(neutral[joints]))
        at = positions[..., joints, :]
        starts, ends = (
            np.array([getattr(capsule, name) for capsule in self.capsules]).reshape(-1, 3)
            for name in ("start", "end")
        )
        return at + arrays.rotate(turns, starts), at + arrays.rotate(turns, ends)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Capsules that must stay apart: all pairs but those of neighbours."""
        skeleton, body = self.skeleton, self.skeleton.articulation
        size, links = body.length, OTHER_LINKS
        if body.anatomy is None:
            positions = skeleton.rest()[0]
        else:
            positions, size, links = body.anatomy.positions, body.anatomy.stature, LINKS
        starts, ends = self.place(positions, np.asarray(body.neutral))
        radii = self.radii
        out = []
        for i, j in combinations(range(len(self.capsules)), 2):
            one, other = self.capsules[i], self.capsules[j]
            if _links(skeleton, one.joint, other.joint) <= links:
                continue
            gap = segment_gap(starts[i], ends[i], starts[j], ends[j])[2] - radii[i] - radii[j]
            if gap > NEAR * size:
                out.append((i, j))
        return tuple(out)


def body_shape(skeleton: Skeleton) -> BodyShape:
    """The capsules of a person: pelvis, belly, chest, neck, head, arms and legs.

    Of any other figure: one along every bone, as thick as a shank is for its length.
    """
    bind = b"" if skeleton.bind is None else skeleton.bind.tobytes()
    return _body_shape(skeleton, bind)


@lru_cache(maxsize=32)
def _body_shape(skeleton: Skeleton, bind: bytes) -> BodyShape:
    """Shapes are remembered by skeleton and bind pose, which equal skeletons may differ in."""
    if skeleton.kind != "human":
        return BodyShape(skeleton, tuple(_bones(skeleton)))
    anatomy = skeleton.anatomy
    return BodyShape(skeleton, (*_trunk(anatomy), *_limb(anatomy, "l"), *_limb(anatomy, "r")))


def _bones(skeleton: Skeleton) -> Iterator[Capsule]:
    """Capsules from joints to the nodes that hang from them."""
    offsets = skeleton.articulation.offsets
    lengths = np.linalg.norm(offsets, axis=1)
    least = 1e-3 * skeleton.articulation.length
    for node, joint in enumerate(skeleton.node_parents):
        if joint >= 0 and lengths[node] > least:
            name = f"{skeleton.names[joint]} to {skeleton.node_names[node]}"
            radius = BONE_GIRTH * float(lengths[node])
            yield Capsule(name, int(joint), (0.0, 0.0, 0.0), as_vec(offsets[node]), radius)


def _torso(anatomy: Anatomy) -> tuple[Floats, Floats, float]:
    """Return the middle between hips, that between shoulders, and half the shoulders' distance."""
    hips, shoulders = (_middle(anatomy, part) for part in ("hip", "shoulder"))
    half = _half_distance(anatomy, "shoulder")
    if half < 1e-6 or shoulders[1] - hips[1] < 1e-6:
        raise InputError(
            "Expected shoulders that are apart and above the hips; this skeleton's torso is flat."
        )
    return hips, shoulders, half


def _trunk(anatomy: Anatomy) -> list[Capsule]:
    """Return three bars from side to side, the neck and the head."""
    stature = anatomy.stature
    hips, shoulders, half = _torso(anatomy)
    radius = HALF_DEPTH * half
    pelvis = anatomy.skeleton.carrier(anatomy.node("pelvis"))
    chest = anatomy.chest
    bars = [("pelvis", pelvis, 0.06, 0.95), ("belly", _below(anatomy, chest), 0.42, 0.85),
            ("chest", chest, 0.78, 1.0)]  # fmt: skip
    out = []
    for name, joint, share, part in bars:
        centre = hips + share * (shoulders - hips)
        size = radius * part
        reach = np.array([max(HALF_WIDTH * half * part - size, 1e-3), 0.0, 0.0])
        out.append(_between(anatomy, name, joint, centre + reach, centre - reach, size))
    head = anatomy.positions[anatomy.node("head")]
    carrier = anatomy.skeleton.carrier(anatomy.node("head"))
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
    toes = at["ankle"] + (
        0.0,
        -0.4 * ANKLE_HEIGHT * stature,
        TOE_REACH * FRACTIONS["foot"] * stature,
    )
    heel = at["ankle"] + (0.0, -0.4 * ANKLE_HEIGHT * stature, -0.1 * FRACTIONS["foot"] * stature)
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
        joint = anatomy.skeleton.carrier(anatomy.node(f"{side}_{role}"))
        out.append(_between(anatomy, f"{side}_{name}", joint, start, end, radius))
    return out


def _between(
    anatomy: Anatomy, name: str, joint: int, start: Floats, end: Floats, radius: float
) -> Capsule:
    """A capsule between two places of the neutral stance."""
    origin = anatomy.positions[joint]
    return Capsule(name, joint, as_vec(start - origin), as_vec(end - origin), float(radius))


def _middle(anatomy: Anatomy, part: str) -> Floats:
    left, right = (anatomy.positions[anatomy.node(f"{side}_{part}")] for side in "lr")
    return np.asarray(0.5 * (left + right))


def _half_distance(anatomy: Anatomy, part: str) -> float:
    left, right = (anatomy.positions[anatomy.node(f"{side}_{part}")] for side in "lr")
    return 0.5 * abs(float(left[0] - right[0]))


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
    anatomy = skeleton.anatomy
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
    anatomy = skeleton.anatomy
    hips, shoulders, half = _torso(anatomy)
    elbows = _middle(anatomy, "elbow")
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
    pelvis = anatomy.skeleton.carrier(anatomy.node("pelvis"))
    joints = [pelvis]
    for j in anatomy.spine:
        height = anatomy.positions[j][1]
        if anatomy.positions[joints[-1]][1] + 1e-6 < height < top - 1e-6:
            joints.append(j)
    return joints


def free_pairs(
    skeleton: Skeleton, shape: BodyShape | None = None
) -> tuple[BodyShape, tuple[tuple[int, int], ...]]:
    """The capsules of a body, its own or those of `body_shape`, and which must stay apart.

    Raises:
        InputError: the shape is that of another skeleton.
    """
    if shape is None:
        bind = b"" if skeleton.bind is None else skeleton.bind.tobytes()
        shape = _usual_shape(skeleton, bind, skeleton.kind)
    elif shape.skeleton != skeleton:
        raise InputError(
            f"Expected the shape of a skeleton with {skeleton.joint_count} joints, "
            f"got that of another with {shape.skeleton.joint_count}."
        )
    return shape, shape.pairs


@lru_cache(maxsize=32)
def _usual_shape(skeleton: Skeleton, bind: bytes, kind: str) -> BodyShape:
    """The capsules of a skeleton; those that differ in how they stand only are not equal here."""
    return body_shape(skeleton)


def pair_depths(
    shape: BodyShape, pairs: tuple[tuple[int, int], ...], positions: Floats, world: Floats
) -> tuple[Floats, Floats, Floats]:
    """How deep the parts of each pair are in each other (..., P) [m]; negative: the gap.

    Returns:
        Depths, and the nearest points on the lines of both (..., P, 3).
    """
    starts, ends = shape.place(positions, world)
    i, j = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    first, second, gap = segment_gap(
        starts[..., i, :], ends[..., i, :], starts[..., j, :], ends[..., j, :]
    )
    return shape.radii[i] + shape.radii[j] - gap, first, second


def _links(skeleton: Skeleton, one: int, other: int) -> int:
    """Bones between two joints that are not at the same place in the tree."""
    up, down = skeleton.path(one), skeleton.path(other)
    common = sum(a == b for a, b in zip(up, down, strict=False))
    lengths = np.linalg.norm(skeleton.offsets[[*up[common:], *down[common:]]], axis=1)
    return int((lengths > 1e-6).sum())
