"""A person flattened for the sequential kernels: an `Anatomy` as a record of `BODY`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...body.anatomy import Anatomy
from ...body.shapes import elbow_radius, torso_prisms
from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Floats
from ...limits import Limits
from ...motion.points import SIX
from ..context import RecordArray
from .tables import BODY, SPINE, STATE, STRETCH_SAMPLES, WORK, Body

STRAIGHT = 1e-4
"""A wrist further than this part of height from the axis of a twisting joint is moved by it."""
LIMB_ROLES = (
    ("l_clavicle", "l_shoulder", "l_elbow", "l_wrist"),
    ("r_clavicle", "r_shoulder", "r_elbow", "r_wrist"),
    ("", "l_hip", "l_knee", "l_ankle"),
    ("", "r_hip", "r_knee", "r_ankle"),
)


def build_body(anatomy: Anatomy) -> tuple[RecordArray, Floats]:
    """Everything a sequential solver needs to know about one body.

    Returns:
        A record of `BODY`, and the rig's rotations in the neutral stance (J, 4).
    """
    skeleton = anatomy.skeleton
    bends = anatomy.bends
    n = len(bends)
    if n > SPINE:
        raise InputError(f"Expected a spine of at most {SPINE} joints, got {n}.")
    array = np.zeros(1, BODY)
    body = array[0]
    body.joints = n
    set_spine(body, np.array([anatomy.vector(a, b) for a, b in pairwise(bends)]))
    body.twistable[1:n] = [*(anatomy.region(j) != "lumbar" for j in bends[1:-1]), True]
    rows = [*bends]
    for limb, (clavicle_role, *roles) in enumerate(LIMB_ROLES):
        root, hinge, end = (anatomy.node(role) for role in roles)
        clavicle = anatomy.node(clavicle_role) if anatomy.has(clavicle_role) else root
        path = skeleton.path(clavicle)
        k = max(bends[:-1].index(node) for node in path if node in bends[:-1])
        body.carrier[limb] = k
        body.bases[limb] = anatomy.vector(bends[k], clavicle)
        body.clavicles[limb] = anatomy.vector(clavicle, root)
        for bone, (a, b) in enumerate(pairwise((root, hinge, end))):
            body.bones[limb, bone] = np.linalg.norm(anatomy.vector(a, b))
        rows += [clavicle if clavicle != root else -1, root, hinge, end]
    body.bend[:] = (1.0, 1.0, -1.0, -1.0)
    body.stance[:] = anatomy.positions[[anatomy.node(role) for role in SIX]]
    body.height = anatomy.height
    body.elbow_radius = elbow_radius(skeleton)
    torso = torso_prisms(skeleton)
    body.prisms = len(torso)
    for k, prism in enumerate(torso):
        body.prism_joints[k] = bends.index(prism.joint)
        body.prism_low[k], body.prism_high[k] = prism.y_low, prism.y_high
        body.prism_polygons[k] = prism.polygon
    lumbar = _lumbar(anatomy)
    body.lumbar = -1 if lumbar is None else len(rows)
    rows += [] if lumbar is None else [lumbar]
    for limb, (_, _, hinge_role, end_role) in enumerate(LIMB_ROLES):
        twist = _twist(anatomy, anatomy.node(hinge_role), anatomy.node(end_role))
        body.twists[limb] = -1 if twist is None else len(rows)
        rows += [] if twist is None else [twist]
    body.rows = len(rows)
    body.rig[:] = -1
    body.rig[: len(rows)] = [node if node < skeleton.joint_count else -1 for node in rows]
    return array, _rig_frames(anatomy, body)


def held_rest(skeleton: Skeleton, limits: Limits, rest: Floats) -> Floats:
    """Rotations at rest (J, 4) within limits: not every limit allows the neutral stance."""
    body = skeleton.articulation
    turned = body.to_rest(rest)
    held = turned.copy()
    for name, limit in limits.items():
        joint = skeleton.names.index(name)
        held[joint] = limit.project(turned[joint])
    moved = (held != turned).any(axis=-1, keepdims=True)
    return np.ascontiguousarray(np.where(moved, body.from_rest(held), rest))


def row_names(skeleton: Skeleton, body: Body) -> list[str]:
    """Joint of each row, in the order of the limits' table; empty where there is none."""
    return ["" if j < 0 else skeleton.names[j] for j in body.rig[: body.rows]]


def _lumbar(anatomy: Anatomy) -> int | None:
    """The joint that carries the spine, and nothing else that hangs from the pelvis."""
    if not anatomy.colocated:
        return None
    joint = anatomy.colocated[-1]
    for role in ("l_shoulder", "r_shoulder", "l_hip", "r_hip"):
        path = anatomy.skeleton.path(anatomy.node(role))
        if joint in path and not set(anatomy.spine) & set(path):
            return None
    return joint


def _twist(anatomy: Anatomy, elbow: int, wrist: int) -> int | None:
    """The joint between elbow and wrist that turns the hand about the forearm."""
    path = anatomy.skeleton.path(wrist)
    between = path[path.index(elbow) + 1 : -1]
    if not between:
        return None
    bone = anatomy.vector(between[-1], wrist)
    # Off the line from elbow to wrist it would move the hand away from its point.
    aside = np.linalg.norm(bone[[0, 2]]) > STRAIGHT * anatomy.height
    return None if aside else between[-1]


def set_spine(body: Body, segments: Floats) -> None:
    """Write the segments of a spine (n-1, 3) and its stretching postures."""
    count = len(segments)
    body.segments[:count] = segments
    axes, angles, body.stretch_lengths[:] = _stretching(segments)
    body.stretch_axes[:, :count], body.stretch_angles[:, :count] = axes, angles


def _stretching(segments: Floats) -> tuple[Floats, Floats, Floats]:
    """Axes, angles and lengths of the stretching postures for both starts of the chain."""
    count = len(segments)
    axes, angles = np.zeros((2, count, 3)), np.zeros((2, count))
    lengths = np.zeros((2, STRETCH_SAMPLES))
    axes[..., 0] = 1.0
    for start in range(min(2, count)):
        chain = segments[start:]
        chord = chain.sum(axis=0) / max(float(np.linalg.norm(chain.sum(axis=0))), 1e-12)
        across = np.cross(chain, chord)
        size = np.linalg.norm(across, axis=1)
        angles[start, start:] = np.arctan2(size, chain @ chord)
        turned = size > 1e-12
        axes[start, start:][turned] = across[turned] / size[turned, None]
        for i, t in enumerate(np.linspace(0.0, 1.0, STRETCH_SAMPLES)):
            turns = arrays.from_axis_angle(axes[start, start:], t * angles[start, start:])
            lengths[start, i] = np.linalg.norm(arrays.rotate(turns, chain).sum(axis=0))
        lengths[start] = np.maximum.accumulate(lengths[start])
    return axes, angles, lengths


def _rig_frames(anatomy: Anatomy, body: Body) -> Floats:
    """Write the frames that turn anatomical rotations into the rig's, and where the pelvis hangs.

    Returns:
        The rig's rotations in the neutral stance, with the joints above the pelvis as bound.
    """
    skeleton = anatomy.skeleton
    bind = arrays.identity(skeleton.joint_count) if skeleton.bind is None else skeleton.bind
    rest = anatomy.from_anatomical(arrays.identity(skeleton.joint_count))
    pelvis = anatomy.node("pelvis")
    above = skeleton.path(pelvis)[:-1]
    rest[above] = bind[above]
    base, base_turn = np.zeros(3), arrays.identity()
    for j in above:
        base = base + arrays.rotate(base_turn, skeleton.offsets[j])
        base_turn = arrays.multiply(base_turn, bind[j])
    body.anchor[:], body.anchor_rotation[:] = base, base_turn
    body.before[:], body.after[:] = arrays.identity(), arrays.identity()
    for row, joint in enumerate(body.rig):
        if joint < 0:
            continue
        body.after[row] = anatomy.neutral[joint]
        parent = skeleton.parents[joint]
        if joint == pelvis:
            body.before[row] = arrays.conjugate(base_turn)
        elif parent >= 0:
            body.before[row] = arrays.conjugate(anatomy.neutral[parent])
    return np.ascontiguousarray(rest)


def new_state() -> RecordArray:
    """Return the memory of a tracker that has seen nothing."""
    state = np.zeros(1, STATE)
    state["pelvis"][:, 0] = 1.0
    state["clavicles"][..., 0] = 1.0
    state["ages"] = -1  # no point has been seen
    return state


def new_work() -> RecordArray:
    """Return scratch memory for one tracker."""
    work = np.zeros(1, WORK)
    for name in ("local", "trial", "world"):
        work[name][..., 0] = 1.0
    return work
