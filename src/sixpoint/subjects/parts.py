"""Bodies of few joints: what six to seventeen tracked points can say about a pose.

A pose has a place and a rotation of the pelvis and `PARAMETERS` numbers: rotation vectors of trunk
and neck, which their joints share evenly, of shoulders, wrists, hips and ankles, and the flexion of
elbows and knees about X. Clavicles stay. All rotations are anatomical (`sixpoint.body.anatomy`),
those of shoulders, wrists, hips and ankles are relative to a usual rotation, so that no rotation
vector comes near half a turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats, Ints

LIMBS = (
    ("l_shoulder", "l_elbow", "l_wrist"),
    ("r_shoulder", "r_elbow", "r_wrist"),
    ("l_hip", "l_knee", "l_ankle"),
    ("r_hip", "r_knee", "r_ankle"),
)
TRUNK, NECK, FIRST_LIMB = slice(0, 3), slice(3, 6), 6
OF_LIMB = 7
"""Parameters of a limb: three of its ball joint, one of its hinge, three of its end."""
PARAMETERS = FIRST_LIMB + OF_LIMB * len(LIMBS)
X = np.array([1.0, 0.0, 0.0])
STEP = 1e-6
"""Size of the difference that lengths are differentiated with, as a part of the length."""


class Places(NamedTuple):
    """Where the joints of a body are, and how they are turned."""

    positions: Floats
    """World positions of the nodes [m], shape (..., K, 3)."""
    rotations: Floats
    """World anatomical rotations of the nodes, shape (..., K, 4)."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A skeleton seen as nodes that a pose of few parameters turns; parents come first."""

    roles: Mapping[str, int]
    """Role -> node that stands for it."""
    parents: Ints
    """Parent of each node, shape (K,); the pelvis, node 0, has -1."""
    offsets: Floats
    """Vector from its parent to each node in the neutral stance [m], shape (K, 3)."""
    first: Ints
    """First parameter of each node, shape (K,); -1: the node turns with its parent."""
    shares: Floats
    """Part of the rotation vector that each node takes, shape (K,); 0: the node is a hinge."""
    usual: Floats
    """Usual rotation of each node relative to its parent, shape (K, 4)."""

    @classmethod
    def of(cls, skeleton: Skeleton, usual: Mapping[str, Floats]) -> Parts:
        """Return the parts of a person's skeleton.

        Args:
            skeleton: the person.
            usual: role -> usual rotation relative to the parent, shape (4,).
        """
        anatomy = skeleton.anatomy
        at = anatomy.positions
        chest = anatomy.chest
        spine = anatomy.bends[1:]
        path = skeleton.path(chest)
        torso = [*anatomy.colocated[-1:], *(node for node in spine if node in path)]
        neck = [node for node in spine if node not in path]
        build = _Build()
        build.add("pelvis", -1, np.zeros(3), -1, 0.0)
        below, place = 0, at[anatomy.node("pelvis")]
        for nodes, part in ((torso, TRUNK), (neck, NECK)):
            if part is NECK:
                build.roles["chest"] = below
            for node in nodes:
                below = build.add("", below, at[node] - place, part.start, 1.0 / len(nodes))
                place = at[node]
        build.roles["head"] = below
        for limb, roles in enumerate(LIMBS):
            arm = roles[0].endswith("shoulder")
            below, here = (
                (build.roles["chest"], at[chest]) if arm else (0, at[anatomy.node("pelvis")])
            )
            clavicle = roles[0].replace("shoulder", "clavicle")
            if arm and anatomy.has(clavicle):
                build.add(clavicle, below, at[anatomy.node(clavicle)] - here, -1, 0.0)
            start = FIRST_LIMB + OF_LIMB * limb
            for role, slot, share in zip(
                roles, (start, start + 3, start + 4), (1.0, 0.0, 1.0), strict=True
            ):
                there = at[anatomy.node(role)]
                below = build.add(role, below, there - here, slot, share)
                here = there
        rotations = arrays.identity(len(build.parents))
        for role, rotation in usual.items():
            rotations[build.roles[role]] = rotation
        return cls(
            build.roles,
            np.array(build.parents),
            np.array(build.offsets),
            np.array(build.first),
            np.array(build.shares),
            rotations,
        )

    def place(
        self, root: Floats, turn: Floats, pose: Floats, offsets: Floats | None = None
    ) -> Places:
        """Return where poses put the nodes.

        Args:
            root: place of the pelvis [m], shape (..., 3).
            turn: rotation of the pelvis, shape (..., 4).
            pose: parameters of the pose, shape (..., `PARAMETERS`).
            offsets: other bones than those of this body, shape (..., K, 3).
        """
        offsets = self.offsets if offsets is None else offsets
        shape = np.broadcast_shapes(
            root.shape[:-1], turn.shape[:-1], pose.shape[:-1], offsets.shape[:-2]
        )
        count = len(self.parents)
        positions, rotations = np.empty((*shape, count, 3)), np.empty((*shape, count, 4))
        shared: dict[tuple[int, float], Floats] = {}
        for k, parent in enumerate(self.parents):
            if parent < 0:
                positions[..., k, :], rotations[..., k, :] = root, turn
                continue
            above = rotations[..., parent, :]
            positions[..., k, :] = positions[..., parent, :] + arrays.rotate(
                above, offsets[..., k, :]
            )
            first, share = int(self.first[k]), float(self.shares[k])
            if first < 0:
                rotations[..., k, :] = above
                continue
            if (first, share) not in shared:
                if share == 0.0:
                    local = arrays.from_axis_angle(X, pose[..., first])
                else:
                    local = arrays.from_rotvec(share * pose[..., first : first + 3])
                shared[first, share] = local
            local = shared[first, share]
            if first >= FIRST_LIMB and share != 0.0:
                local = arrays.multiply(self.usual[k], local)
            rotations[..., k, :] = arrays.multiply(above, local)
        return Places(positions, rotations)

    def parameters(self, rotations: Floats) -> Floats:
        """Return the pose in which parts have these world rotations (..., K, 4), as near as may be.

        The opposite of `place`: of trunk and neck only the last rotations count.
        """
        pose = np.zeros((*rotations.shape[:-2], PARAMETERS))
        chest, head = self.roles["chest"], self.roles["head"]

        def between(above: int, node: int) -> Floats:
            return arrays.multiply(
                arrays.conjugate(rotations[..., above, :]), rotations[..., node, :]
            )

        pose[..., TRUNK] = arrays.to_rotvec(between(0, chest))
        pose[..., NECK] = arrays.to_rotvec(between(chest, head))
        for limb, (top, middle, end) in enumerate(LIMBS):
            first = FIRST_LIMB + OF_LIMB * limb
            above = chest if top.endswith("shoulder") else 0
            nodes = [self.roles[role] for role in (top, middle, end)]
            for slot, over, node in ((first, above, nodes[0]), (first + 4, nodes[1], nodes[2])):
                turned = arrays.multiply(arrays.conjugate(self.usual[node]), between(over, node))
                pose[..., slot : slot + 3] = arrays.to_rotvec(turned)
            bend = arrays.canonical(between(nodes[0], nodes[1]))
            pose[..., first + 3] = 2.0 * np.arctan2(bend[..., 1], bend[..., 0])
        return pose

    def world_rotations(self, skeleton: Skeleton, world: Floats) -> Floats:
        """Return rotations of the nodes (..., K, 4) from those of a rig's joints (..., J, 4)."""
        anatomy = skeleton.anatomy
        out = np.empty((*world.shape[:-2], len(self.parents), 4))
        for role, node in self.roles.items():
            joint = anatomy.chest if role == "chest" else skeleton.carrier(anatomy.node(role))
            neutral = arrays.conjugate(anatomy.neutral[joint])
            out[..., node, :] = arrays.multiply(world[..., joint, :], neutral)
        return out

    def with_offsets(self, offsets: Floats) -> Parts:
        """Return the same parts with other bones (K, 3)."""
        return replace(self, offsets=offsets)


class _Build:
    """Nodes of a body in the making."""

    def __init__(self) -> None:
        self.roles: dict[str, int] = {}
        self.parents: list[int] = []
        self.offsets: list[Floats] = []
        self.first: list[int] = []
        self.shares: list[float] = []

    def add(self, role: str, parent: int, offset: Floats, first: int, share: float) -> int:
        """Add a node and return its number."""
        node = len(self.parents)
        if role:
            self.roles[role] = node
        self.parents.append(parent)
        self.offsets.append(np.asarray(offset))
        self.first.append(first)
        self.shares.append(share)
        return node
