"""Articulated skeletons for the numeric solvers: a person, or any skeleton, as tables of joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...body.anatomy import Anatomy
from ...body.articulation import Articulation
from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.types import Floats
from ...limits import FixedLimit, FlexionLimit, Limits
from ...motion.points import SIX
from ..people.body import LIMB_ROLES, build_body, held_rest
from .model import BALL, HINGE, POSITION, SELF_COLLISION, Model, ModelPose

BENT = np.radians(10.0)
"""Elbows and knees of the first pose: a straight limb does not know which way to bend."""
MOST_BENT = np.radians(60.0)
"""All hinges of a chain together in the first pose."""
PARALLEL = 1.0 - 1e-6
"""Cosine between two axes that are the same."""


@dataclass(frozen=True)
class ModelJoint:
    """One joint of a skeleton."""

    rig: int
    """Joint of the skeleton, -1 for none."""
    parent: int
    """Joint above, -1 for the root."""
    offset: Floats
    """From the parent's origin, in its frame [m]."""
    freedom: int
    """0, 1 or 3."""
    axis: Floats
    """Of a hinge."""
    before: Floats
    """Rig rotation = before * local * after."""
    after: Floats
    start: float = 0.0
    """Angle of a hinge in the first pose [rad]."""


@dataclass(frozen=True)
class Effector:
    """A point that tasks speak of."""

    joint: int
    offset: Floats
    """In the frame of its joint [m]."""


def person_joints(anatomy: Anatomy) -> tuple[list[ModelJoint], list[Effector]]:
    """Return the joints of a person in anatomical frames, with the six points as end effectors.

    The root does not turn by itself: its rotation is estimated from the points. Nor do the loins,
    the joint on the pelvis that carries the spine, where there is one. Elbows and knees are
    hinges about X.
    """
    skeleton = anatomy.skeleton
    record, _ = build_body(anatomy)
    body = record[0]
    pelvis, *spine, head = anatomy.bends
    loins = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    nodes = [pelvis, *loins, *spine, head]
    parents = [-1, *range(len(nodes) - 1)]
    freedom = [0, *(0 for _ in loins), *(BALL for _ in spine), 0]
    effectors = [(0, np.zeros(3)), (len(nodes) - 2, anatomy.vector(nodes[-2], head))]
    for limb, (clavicle_role, *roles) in enumerate(LIMB_ROLES):
        root, hinge, end = (anatomy.node(role) for role in roles)
        above = nodes.index(anatomy.bends[body.carrier[limb]])
        if anatomy.has(clavicle_role):
            nodes.append(anatomy.node(clavicle_role))
            parents.append(above)
            freedom.append(BALL)
            above = len(nodes) - 1
        nodes += [root, hinge]
        parents += [above, len(nodes) - 2]
        freedom += [BALL, HINGE]
        effectors.append((len(nodes) - 1, anatomy.vector(hinge, end)))
    knees = {anatomy.node("l_knee"), anatomy.node("r_knee")}
    joints = []
    for node, parent, free in zip(nodes, parents, freedom, strict=True):
        offset = np.zeros(3) if parent < 0 else anatomy.vector(nodes[parent], node)
        at = [k for k in range(len(body.rig)) if body.rig[k] == node and node >= 0]
        before, after = (body.before[at[0]], body.after[at[0]]) if at else arrays.identity(2)
        joint = node if node < skeleton.joint_count else -1
        start = 0.0 if free != HINGE else BENT if node in knees else -BENT
        joints.append(
            ModelJoint(joint, parent, offset, free, np.array((1.0, 0.0, 0.0)), before, after, start)
        )
    return joints, [Effector(*effector) for effector in effectors]


def skeleton_joints(
    body: Articulation, nodes: Sequence[int]
) -> tuple[list[ModelJoint], list[Effector]]:
    """Every joint of any skeleton, relative to rest; some nodes as end effectors."""
    skeleton = body.skeleton
    roots = [skeleton.names[j] for j in np.flatnonzero(skeleton.parents < 0)]
    if len(roots) > 1:
        raise InputError(
            f"Expected a skeleton with one root, got {len(roots)}: {', '.join(roots)}."
        )
    above, after = body.frames
    before = arrays.conjugate(above)
    elbows = [body.anatomy.node(f"{side}_elbow") for side in "lr"] if body.anatomy else []
    # A long chain is bent no more than a short one.
    deepest = max(len(skeleton.path(j)) for j in range(skeleton.joint_count))
    bent = min(BENT, MOST_BENT / deepest)
    joints = [
        ModelJoint(
            j,
            int(skeleton.parents[j]),
            body.offsets[j],
            int(body.freedom[j]),
            body.axes[j],
            before[j],
            after[j],
            -bent if j in elbows else bent,
        )
        for j in range(skeleton.joint_count)
    ]
    effectors = []
    for node in nodes:
        joint = body.skeleton.carrier(node)
        effectors.append(Effector(joint, np.zeros(3) if node == joint else body.offsets[node]))
    return joints, effectors


def check_hinges(body: Articulation, limits: Limits) -> None:
    """Refuse limits of hinges that speak of another axis."""
    for joint in np.flatnonzero(body.freedom == HINGE):
        name = body.skeleton.names[joint]
        limit = limits.get(name)
        if limit is None or isinstance(limit, FixedLimit):
            continue
        if not (isinstance(limit, FlexionLimit) and limit.axis @ body.axes[joint] > PARALLEL):
            axis = ", ".join(f"{x:.6g}" for x in body.axes[joint])
            about = f" about {limit.axis}" if isinstance(limit, FlexionLimit) else ""
            raise InputError(
                f"Expected a FlexionLimit about ({axis}) for the hinge {name!r}, "
                f"got a {type(limit).__name__}{about}."
            )


def build_model(
    skeleton: Skeleton,
    joints: Sequence[ModelJoint],
    effectors: Sequence[Effector],
    tasks: Sequence[tuple[int, int, float]],
    limits: Limits,
    *,
    size: float,
    rest: Floats,
    anchor: Floats,
    anchor_rotation: Floats,
    whole: bool = False,
) -> Model:
    """Flatten a skeleton.

    Tasks are (kind, end effector, weight); `whole` if others speak of all joints.
    """
    if size <= 0.0:
        raise InputError("Expected a skeleton of some length, got one whose bones are all zero.")
    count = len(joints)
    moves = np.zeros((len(effectors), count), np.int64)
    for k, effector in enumerate(effectors):
        joint = effector.joint
        while joint >= 0:
            moves[k, joint] = 1
            joint = joints[joint].parent
    # A joint that moves no end effector of a task has nothing to do with the solution.
    asked = sorted({effector for kind, effector, _ in tasks if kind != SELF_COLLISION})
    useful = [whole or bool(moves[asked, k].any()) for k in range(count)]
    freedom = [joint.freedom if useful[k] else 0 for k, joint in enumerate(joints)]
    starts = np.concatenate([[0], np.cumsum(freedom)[:-1]])
    names = ["" if joint.rig < 0 else skeleton.names[joint.rig] for joint in joints]
    return Model(
        parent=np.array([joint.parent for joint in joints], np.int64),
        offset=_ready([joint.offset for joint in joints]),
        freedom=np.array(freedom, np.int64),
        axis=_ready([joint.axis for joint in joints]),
        first=np.array(starts, np.int64),
        effector_joint=np.array([effector.joint for effector in effectors], np.int64),
        effector_offset=_ready([effector.offset for effector in effectors]).reshape(-1, 3),
        moves=moves,
        task_kind=np.array([kind for kind, _, _ in tasks], np.int64),
        task_effector=np.array([effector for _, effector, _ in tasks], np.int64),
        task_weight=_ready([weight for _, _, weight in tasks]),
        size=_ready([size]),
        rig=np.array([joint.rig for joint in joints], np.int64),
        before=_ready([joint.before for joint in joints]),
        after=_ready([joint.after for joint in joints]),
        start=_ready([joint.start for joint in joints]),
        rest=_ready(held_rest(skeleton, limits, rest)),
        anchor=_ready(anchor),
        anchor_rotation=_ready(anchor_rotation),
        limits=limits.table(names),
    )


def anatomy_model(
    anatomy: Anatomy,
    limits: Limits,
    joints: Sequence[ModelJoint],
    effectors: Sequence[Effector],
    tasks: Sequence[tuple[int, int, float]],
) -> Model:
    """Return a person of these joints as a model; tasks are (kind, end effector, weight)."""
    record, rest = build_body(anatomy)
    body = record[0]
    return build_model(
        anatomy.skeleton,
        joints,
        effectors,
        tasks,
        limits,
        size=anatomy.height,
        rest=rest,
        anchor=body.anchor,
        anchor_rotation=body.anchor_rotation,
    )


def person_model(anatomy: Anatomy, limits: Limits) -> Model:
    """A person whose end effectors are the six points; all but the pelvis are asked for."""
    tasks = [(POSITION, effector, 1.0) for effector in range(1, len(SIX))]
    return anatomy_model(anatomy, limits, *person_joints(anatomy), tasks)


def skeleton_model(
    body: Articulation,
    limits: Limits,
    nodes: Sequence[int],
    tasks: Sequence[tuple[int, int, float]],
    *,
    whole: bool = False,
) -> Model:
    """Any skeleton whose root stays where it is; end effectors are some of its nodes.

    Tasks are (kind, end effector, weight); `whole` if there are others that speak of all joints.
    """
    check_hinges(body, limits)
    joints, effectors = skeleton_joints(body, nodes)
    return build_model(
        body.skeleton,
        joints,
        effectors,
        tasks,
        limits,
        size=body.length,
        rest=body.from_rest(arrays.identity(len(joints))),
        anchor=np.zeros(3),
        anchor_rotation=arrays.identity(),
        whole=whole,
    )


def model_depth(model: Model) -> int:
    """Joints that turn on the longest way from the root to an end effector."""
    along = [int(model.freedom[joint != 0].astype(bool).sum()) for joint in model.moves]
    return max(along, default=int(model.freedom.astype(bool).sum()))


def new_pose(model: Model) -> ModelPose:
    """Every joint unturned, hinges a little bent."""
    count, effectors = len(model.parent), len(model.effector_joint)
    pose = ModelPose(
        local=arrays.identity(count),
        world=arrays.identity(count),
        position=np.zeros((count, 3)),
        effectors=np.zeros((effectors, 3)),
    )
    reset_pose(model, pose)
    return pose


def reset_pose(model: Model, pose: ModelPose) -> None:
    """Back to the first pose, in place."""
    for k in range(len(model.parent)):
        pose.local[k] = limit_project(model.limits, k, (1.0, 0.0, 0.0, 0.0))
    for joint in np.flatnonzero(model.freedom == HINGE):
        angle = limit_clamp_angle(model.limits, int(joint), float(model.start[joint]))
        pose.local[joint] = arrays.from_axis_angle(model.axis[joint], angle)
    # Joint 0 of a person follows the pelvis; of any other skeleton it stays where it is.
    pose.position[0] = model.anchor + model.offset[0]


def _ready(values: Any) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)
