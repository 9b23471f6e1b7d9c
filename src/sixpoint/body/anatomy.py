"""Anatomy: any rig seen as a person standing in the neutral stance.

Rigs rest in T-, A- or odd poses, and their joint frames point anywhere. Solvers and limits need one
language. For every joint j of a rig this module finds N_j, its world rotation in the H-Anim
neutral stance: facing +Z, left is +X, arms and legs hanging along -Y, the hinge of elbows and
knees along X. With world rotations G_j the *anatomical* rotations are

    A_j = G_j N_j*          in the world; identity in the neutral stance
    a_j = A_parent* A_j     relative to the parent; limits speak of these
    q_j = N_parent* a_j N_j back in the rig's own frames

so a body of any rig is a chain of vectors `offsets` in the neutral stance, turned by the a_j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.arrays import as_quat, as_vec
from ..kernels.quaternion import (
    quat_conj,
    quat_from_axis_angle,
    quat_from_columns,
    quat_mul,
    quat_rotate,
)
from ..kernels.rotation import rotation_between
from ..kernels.types import Floats, Ints, Quat, Vec3
from ..kernels.vector import vec_angle, vec_cross, vec_dot, vec_length, vec_reject, vec_unit
from .anthropometry import ANKLE_HEIGHT, SKULL_BASE_HEIGHT
from .landmarks import find_landmarks
from .roles import Roles
from .tree import JointTree
from .values import frozen_array

if TYPE_CHECKING:
    from .skeleton import Skeleton

Region = Literal["lumbar", "thoracic", "cervical"]

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)
DOWN: Vec3 = (0.0, -1.0, 0.0)

COINCIDENT = 1e-3
"""Spine joints nearer to each other than this part of the spine's length count as one place."""
UPRIGHT = np.cos(np.radians(30.0))
"""A bind pose that leans less than this from the vertical is taken to stand on level ground."""
BENT_AT_REST = np.radians(5.0)
"""A limb bent by more than this in the bind pose shows its hinge axis; less is measuring noise."""
HINGE_DOUBT = np.radians(60.0)
"""A bend at rest further than this from the usual hinge axis is a posture, not a hinge."""
LUMBAR_SHARE = 0.3
"""Spine joints below this part of the way from pelvis to neck are lumbar (L1 lies near 0.3)."""


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A skeleton in the neutral stance. Reached as `Skeleton.anatomy`."""

    skeleton: Skeleton
    roles: Roles
    neutral: Floats
    """World rotation N_j of each joint in the neutral stance, shape (J, 4)."""
    offsets: Floats
    """Vector from its parent to each node in the neutral stance [m], shape (J+S, 3)."""
    spine: tuple[int, ...]
    """Joints that bend the spine, strictly between pelvis and head, lowest first."""
    colocated: tuple[int, ...]
    """Joints of the spine that sit on the pelvis and do not move relative to it."""

    def node(self, role: str) -> int:
        """Node that plays a role, or is a landmark."""
        nodes = self.roles.nodes
        if role in nodes:
            return nodes[role]
        try:
            return self.landmarks[role]
        except KeyError:
            raise UnknownName("role", role, self.landmarks) from None

    def has(self, role: str) -> bool:
        """Whether the rig has this role (clavicles are optional)."""
        return role in self.roles.nodes

    def vector(self, start: int, end: int) -> Floats:
        """Vector from one node to another in the neutral stance [m]."""
        return np.asarray(self.positions[end] - self.positions[start])

    @cached_property
    def positions(self) -> Floats:
        """Node positions in the neutral stance, pelvis at the origin [m], shape (J+S, 3)."""
        out = np.array(self.offsets)
        for k, parent in enumerate(self.skeleton.node_parents):
            if parent >= 0:
                out[k] += out[parent]
        ready: Floats = frozen_array(out - out[self.node("pelvis")])
        return ready

    @cached_property
    def bends(self) -> tuple[int, ...]:
        """Nodes of the spine from pelvis to head, both included."""
        return (self.node("pelvis"), *self.spine, self.node("head"))

    @cached_property
    def height(self) -> float:
        """Calf + thigh + pelvis + torso + neck [m], the length the SIK paper divides errors by."""
        return self._legs + sum(
            float(np.linalg.norm(self.vector(a, b))) for a, b in pairwise(self.bends)
        )

    @cached_property
    def stature(self) -> float:
        """Estimated standing height, from the height of the head joint over the ankles [m]."""
        rise = self._legs + self.vector(self.node("pelvis"), self.node("head"))[1]
        return float(rise / (SKULL_BASE_HEIGHT - ANKLE_HEIGHT))

    @cached_property
    def _legs(self) -> float:
        total = 0.0
        for side in "lr":
            hip, knee, ankle = (self.node(f"{side}_{part}") for part in ("hip", "knee", "ankle"))
            total -= self.vector(self.node("pelvis"), hip)[1]
            total += float(np.linalg.norm(self.vector(hip, knee)))
            total += float(np.linalg.norm(self.vector(knee, ankle)))
        return total / 2.0

    @cached_property
    def chest(self) -> int:
        """The highest spine joint, or the pelvis, that carries both arms."""
        paths = [self.skeleton.path(self.node(f"{side}_shoulder")) for side in "lr"]
        shared = [a for a, b in zip(*paths, strict=False) if a == b]
        return int(shared[-1])

    @cached_property
    def landmarks(self) -> Mapping[str, int]:
        """Node of each landmark that the rig has, in the order of `body.landmarks.LANDMARKS`."""
        return MappingProxyType(find_landmarks(self))

    def region(self, joint: int) -> Region:
        """Region of the spine that a joint belongs to, by its H-Anim name or by its height."""
        name = self.skeleton.node_names[joint].lower()
        for prefix, region in (("vl", "lumbar"), ("vt", "thoracic"), ("vc", "cervical")):
            if name.startswith(prefix) and name[2:].isdigit():
                return region  # type: ignore[return-value]
        if joint == self.node("head"):
            return "cervical"
        path = self.skeleton.path(self.node("head"))
        if self.chest in path and joint in path[path.index(self.chest) + 1 :]:
            return "cervical"
        pelvis, neck = self.positions[self.node("pelvis")][1], self._neck_base
        share = (self.positions[joint][1] - pelvis) / max(neck - pelvis, 1e-9)
        return "lumbar" if share < LUMBAR_SHARE else "thoracic"

    @cached_property
    def _neck_base(self) -> float:
        path = self.skeleton.path(self.node("head"))
        above = path[path.index(self.chest) + 1 :] if self.chest in path else []
        return float(self.positions[above[0] if above else self.node("head")][1])

    @cached_property
    def scored(self) -> tuple[Ints, Floats]:
        """Nodes that the SIK paper's errors average over, and their weights.

        The paper's figure has three joints at the root (HumanoidRoot, sacroiliac, vl5); a rig with
        fewer counts its pelvis for the missing ones, so that the weights sum to 22 on a figure with
        four joints between root and head.
        """
        pelvis = self.node("pelvis")
        weights = {pelvis: max(1.0, 3.0 - len(self.colocated))}
        weights |= {j: 1.0 for j in (*self.roles.spine, *self.roles.nodes.values()) if j != pelvis}
        nodes = sorted(weights)
        return np.array(nodes, np.int64), np.array([weights[k] for k in nodes])

    def to_anatomical(self, rotations: Floats) -> Floats:
        """Rig local rotations (..., J, 4) to anatomical local rotations a_j."""
        return self.skeleton.articulation.to_rest(rotations)

    def from_anatomical(self, rotations: Floats) -> Floats:
        """Anatomical local rotations (..., J, 4) to the rig's own q_j."""
        return self.skeleton.articulation.from_rest(rotations)


def anatomy_of(skeleton: Skeleton) -> Anatomy:
    """The anatomy of a skeleton, found once and kept with it."""
    return skeleton.anatomy


def build_anatomy(skeleton: Skeleton, roles: Roles) -> Anatomy:
    """Put a skeleton with known roles into the neutral stance."""
    positions, bind = skeleton.rest()
    upright = quat_conj(_body_frame(positions, roles))
    turns: list[Quat] = [(1.0, 0.0, 0.0, 0.0)] * skeleton.joint_count  # T_j: bind to neutral
    starts = _limb_turns(skeleton, roles, positions, bind, upright)
    for j, parent in enumerate(skeleton.parents):
        turns[j] = starts.get(j, turns[parent] if parent >= 0 else turns[j])
    turned = [quat_mul(turns[j], upright) for j in range(skeleton.joint_count)]
    neutral = arrays.normalize(arrays.multiply(np.array(turned), bind))
    parents = skeleton.node_parents
    offsets = np.where(
        (parents >= 0)[:, None],
        arrays.rotate(neutral[parents], skeleton.node_offsets),
        skeleton.node_offsets,
    )
    spine, colocated = _bending_joints(roles, positions)
    return Anatomy(skeleton, roles, frozen_array(neutral), frozen_array(offsets), spine, colocated)


def _body_frame(positions: Floats, roles: Roles) -> Quat:
    """Rotation whose columns are left, up and forward of the bind pose."""
    at = roles.nodes
    stance = as_vec(
        positions[at["head"]] - (positions[at["l_ankle"]] + positions[at["r_ankle"]]) / 2
    )
    if vec_length(stance) < 1e-9:
        raise InputError("The head and the ankles of this skeleton are at the same place.")
    stance = vec_unit(stance, Y)
    # On level ground the pelvis is level however the spine leans; otherwise trust the body's axis.
    up = Y if vec_dot(stance, Y) > UPRIGHT else stance
    for part in ("hip", "shoulder", "knee", "ankle", "elbow", "wrist"):
        across = vec_reject(as_vec(positions[at[f"l_{part}"]] - positions[at[f"r_{part}"]]), up)
        if vec_length(across) > 1e-6 * max(1e-6, float(np.ptp(positions))):
            left = vec_unit(across, X)
            return quat_from_columns((left, up, vec_cross(left, up)))
    raise InputError("Left and right of this skeleton are at the same place: no facing direction.")


def _limb_turns(
    skeleton: JointTree, roles: Roles, positions: Floats, bind: Floats, upright: Quat
) -> dict[int, Quat]:
    """Rotation that makes a limb hang, for the joints where limbs begin and bend."""
    known = {**roles.hinges, **skeleton.hinges}
    turns: dict[int, Quat] = {}
    for side in "lr":
        for parts, flexion in (
            (("shoulder", "elbow", "wrist"), -1.0),
            (("hip", "knee", "ankle"), 1.0),
        ):
            a, b, c = (roles.nodes[f"{side}_{part}"] for part in parts)
            upper = quat_rotate(upright, as_vec(positions[b] - positions[a]))
            lower = quat_rotate(upright, as_vec(positions[c] - positions[b]))
            # Z as fallback: an arm stretched straight up comes down sideways.
            turn = rotation_between(upper, DOWN, Z)
            usual = (flexion, 0.0, 0.0)
            hinge = usual
            if (name := skeleton.node_names[b]) in known:
                axis = quat_rotate(as_quat(bind[b]), known[name])
                hinge = quat_rotate(quat_mul(turn, upright), axis)
            elif vec_angle(upper, lower) > BENT_AT_REST:
                hinge = quat_rotate(turn, vec_cross(upper, lower))
                if vec_angle(vec_reject(hinge, Y), usual) > HINGE_DOUBT:
                    hinge = usual
            level = vec_unit(vec_reject(hinge, Y), usual)
            about = vec_dot(vec_cross(level, usual), Y)
            yaw = quat_from_axis_angle(Y, float(np.arctan2(about, vec_dot(level, usual))))
            turns[a] = quat_mul(yaw, turn)
            turns[b] = quat_mul(rotation_between(quat_rotate(turns[a], lower), DOWN, X), turns[a])
    return turns


def _bending_joints(roles: Roles, positions: Floats) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Joints between pelvis and head that bend the spine, and those that sit on the pelvis."""
    path = [roles.nodes["pelvis"], *roles.spine, roles.nodes["head"]]
    steps = np.linalg.norm(np.diff(positions[path], axis=0), axis=1)
    if steps.sum() < 1e-9:
        raise InputError("Pelvis and head of this skeleton are at the same place.")
    near = COINCIDENT * steps.sum()
    kept: list[int] = [path[0]]
    colocated: list[int] = []
    for j in roles.spine:
        if np.linalg.norm(positions[j] - positions[kept[-1]]) > near:
            kept.append(j)
        elif len(kept) == 1:
            colocated.append(j)
    while len(kept) > 1 and np.linalg.norm(positions[path[-1]] - positions[kept[-1]]) <= near:
        kept.pop()
    return tuple(kept[1:]), tuple(colocated)
