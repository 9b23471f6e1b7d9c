"""Which joints of a rig have limits, what they are called, and how their bones lie at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...body.articulation import Articulation
from ...kernels.types import Floats, Ints
from .fit import Frames

LIMB_PARTS = ("shoulder", "elbow", "hip", "knee")
"""Roles whose bones hang along -Y in the neutral stance."""
HINGE_PARTS = ("elbow", "knee")
"""Roles that are hinges about +X."""


def own_joints(body: Articulation) -> Ints:
    """Joints that turn relative to a body part: not a person's root and pelvis."""
    every = np.arange(body.skeleton.joint_count)
    if body.anatomy is None:
        return every
    above = body.skeleton.path(body.anatomy.node("pelvis"))
    return every[~np.isin(every, above)]


def joint_roles(body: Articulation, joints: Ints) -> dict[str, str]:
    """Joint name -> role, or region of the spine, where a person has one."""
    anatomy = body.anatomy
    if anatomy is None:
        return {}
    found = {joint: anatomy.region(joint) for joint in anatomy.spine}
    by_node: dict[int, str] = {node: role for role, node in anatomy.roles.nodes.items()}
    names = body.skeleton.names
    roles = {**found, **by_node}
    return {names[j]: roles[j] for j in joints.tolist() if j in roles}


def usual_axes(names: Sequence[str], roles: Mapping[str, str]) -> Floats:
    """What elbows and knees turn about, +X as in the adult limits, shape (J, 3); 0 for others."""
    known = [roles.get(name, "")[2:] in HINGE_PARTS for name in names]
    return np.where(np.array(known)[:, None], (1.0, 0.0, 0.0), 0.0)


def swing_frames(body: Articulation, joints: Ints) -> Frames:
    """Bone, theta = 0 and theta = 90 degrees of each joint, as the adult limits have them.

    For limbs theta runs from flexion to abduction, for the spine from flexion to the left, for
    clavicles from elevation to protraction. Other bones point to the first joint or site that hangs
    from them, with theta = 0 as far forwards as can be.
    """
    roles = joint_roles(body, joints)
    frames = np.array([_frame(body, int(j), roles.get(body.skeleton.names[j], "")) for j in joints])
    return Frames(frames[:, 0], frames[:, 1], frames[:, 2])


def _frame(body: Articulation, joint: int, role: str) -> Floats:
    side = -1.0 if role.startswith("r_") else 1.0
    part = role[2:] if role[:2] in ("l_", "r_") else role
    if part in LIMB_PARTS:
        return np.array([(0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (side, 0.0, 0.0)])
    if part == "clavicle":
        return np.array([(side, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
    if part in ("lumbar", "thoracic", "cervical", "head"):
        return np.array([(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])
    bone = _bone(body, joint)
    forwards = np.array((0.0, 0.0, 1.0) if abs(bone[2]) < 0.9 else (0.0, 1.0, 0.0))
    e1 = forwards - (forwards @ bone) * bone
    e1 /= np.linalg.norm(e1)
    return np.array([bone, e1, np.cross(bone, e1)])


def _bone(body: Articulation, joint: int) -> Floats:
    """Direction to the first node below that is not at the same place; down if there is none."""
    below = np.flatnonzero(body.skeleton.node_parents == joint)
    for node in below:
        length = float(np.linalg.norm(body.offsets[node]))
        if length > 1e-9 * max(body.length, 1e-300):
            return np.asarray(body.offsets[node] / length)
    return np.array((0.0, -1.0, 0.0))
