"""Articulated skeletons for the numeric solvers: a person, or any skeleton, as tables of joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...body.anatomy import Anatomy
from ...body.articulation import Articulation
from ...body.skeleton import Skeleton
from ...errors import InputError
from ...kernels import arrays
from ...kernels.limits import limit_clamp_angle, limit_project
from ...kernels.types import Floats, Ints
from ...limits import FixedLimit, FlexionLimit, Limits
from ...motion.points import SIX
from ..people.body import LIMB_ROLES, build_body, held_rest
from ..people.tables import HEAD
from .model import BALL, HINGE, POSITION, SLOT, Model, ModelPose, new_memory

FIRST_BEND = np.radians(10.0)
"""Elbows and knees of the first pose: a straight limb does not know which way to bend."""
MOST_FIRST_BEND = np.radians(60.0)
"""All hinges of a chain together in the first pose."""
SAME_AXIS = 1.0 - 1e-6
"""Least cosine between two axes that are the same."""
TaskSpec: TypeAlias = tuple[int, int, float]
"""A task of a model: its kind, its end effector and its weight."""


class ModelJoint(NamedTuple):
    """One joint of a skeleton."""

    rig: int  # joint of the skeleton, -1 for none
    parent: int  # joint above, -1 for the root
    offset: Floats  # from the parent's origin, in its frame [m]
    freedom: int  # 0, 1 or 3
    axis: Floats  # axis of a hinge
    before: Floats  # rig rotation = before * local * after
    after: Floats
    start: float = 0.0  # angle of a hinge in the first pose [rad]


class Effector(NamedTuple):
    """A point that tasks speak of."""

    joint: int
    offset: Floats  # in the frame of its joint [m]


class Figure(NamedTuple):
    """A skeleton as joints and end effectors, before it is flattened to a `Model`."""

    skeleton: Skeleton
    joints: list[ModelJoint]
    effectors: list[Effector]
    size: float  # length that tolerances are relative to [m]
    rest: Floats  # rig rotations of all joints when no joint is turned, (J, 4)
    anchor: Floats  # world position of the root joint's parent, (3,)
    anchor_rotation: Floats  # world rotation of the root joint's parent, (4,)


def person_figure(anatomy: Anatomy) -> Figure:
    """Return a person with joints in anatomical frames, and the six points as end effectors.

    The root does not turn by itself: its rotation is estimated from the points. Nor do the loins,
    the joint on the pelvis that carries the spine, where there is one. Elbows and knees are
    hinges about X.
    """
    skeleton = anatomy.skeleton
    record, rest = build_body(anatomy)
    body = record[0]
    pelvis, *spine, head = anatomy.bends
    loins = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    nodes = [pelvis, *loins, *spine, head]
    parents = [-1, *range(len(nodes) - 1)]
    freedom = [0, *(0 for _ in loins), *(BALL for _ in spine), 0]
    effectors = [
        Effector(0, np.zeros(3)),
        Effector(len(nodes) - 2, anatomy.vector(nodes[-2], head)),
    ]
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
        effectors.append(Effector(len(nodes) - 1, anatomy.vector(hinge, end)))
    knees = {anatomy.node("l_knee"), anatomy.node("r_knee")}
    joints = []
    for node, parent, free in zip(nodes, parents, freedom, strict=True):
        offset = np.zeros(3) if parent < 0 else anatomy.vector(nodes[parent], node)
        at = [k for k in range(len(body.rig)) if body.rig[k] == node and node >= 0]
        before, after = (body.before[at[0]], body.after[at[0]]) if at else arrays.identity(2)
        joint = node if node < skeleton.joint_count else -1
        start = 0.0 if free != HINGE else FIRST_BEND if node in knees else -FIRST_BEND
        joints.append(
            ModelJoint(joint, parent, offset, free, np.array((1.0, 0.0, 0.0)), before, after, start)
        )
    return Figure(
        skeleton, joints, effectors, anatomy.height, rest, body.anchor, body.anchor_rotation
    )


def floating_figure(anatomy: Anatomy, *, lumbar: bool = False) -> Figure:
    """Return a person whose pelvis turns as well, and whose head turns to its known rotation.

    With `lumbar`, the joint on the pelvis that carries the spine turns, too.
    """
    figure = person_figure(anatomy)
    joints, effectors = figure.joints, figure.effectors
    head = effectors[HEAD].joint + 1
    joints[0] = joints[0]._replace(freedom=BALL)
    if lumbar and (k := lumbar_joint(figure)) >= 0:
        joints[k] = joints[k]._replace(freedom=BALL)
    if joints[head].rig >= 0:
        joints[head] = joints[head]._replace(freedom=BALL)
        effectors[HEAD] = Effector(head, np.zeros(3))
    return figure


def lumbar_joint(figure: Figure) -> int:
    """Return the joint on a person's pelvis that carries the spine; -1 where there is none."""
    return 1 if figure.joints[1].rig in figure.skeleton.anatomy.colocated else -1


def relaxed_posture(figure: Figure, bent: float) -> Floats:
    """Return local rotations of a relaxed stance (N, 4): elbows back, knees forward."""
    posture = arrays.identity(len(figure.joints))
    for k, joint in enumerate(figure.joints):
        if joint.freedom == HINGE:
            angle = math.copysign(bent, joint.start)
            posture[k] = arrays.from_axis_angle(joint.axis, angle)
            posture[joint.parent] = arrays.from_axis_angle(joint.axis, -0.5 * angle)
    return posture


def person_compliance(figure: Figure, parts: Sequence[float]) -> Floats:
    """Return how readily each joint of a person moves (N,).

    `parts` are the numbers of pelvis, spine and clavicles; arms and legs have 1.
    """
    anatomy = figure.skeleton.anatomy
    clavicles = {anatomy.node(f"{s}_clavicle") for s in "lr" if anatomy.has(f"{s}_clavicle")}
    spine = {*anatomy.bends, *anatomy.colocated}
    compliance = np.ones(len(figure.joints))
    compliance[[joint.rig in spine for joint in figure.joints]] = parts[1]
    compliance[0] = parts[0]
    compliance[[joint.rig in clavicles for joint in figure.joints]] = parts[2]
    return compliance


def skeleton_figure(body: Articulation, nodes: Sequence[int]) -> Figure:
    """Return any skeleton with joints relative to rest, and some nodes as end effectors."""
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
    bent = min(FIRST_BEND, MOST_FIRST_BEND / deepest)
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
    rest = body.from_rest(arrays.identity(len(joints)))
    return Figure(skeleton, joints, effectors, body.length, rest, np.zeros(3), arrays.identity())


def check_hinges(body: Articulation, limits: Limits) -> None:
    """Refuse limits of hinges that speak of another axis."""
    for joint in np.flatnonzero(body.freedom == HINGE):
        name = body.skeleton.names[joint]
        limit = limits.get(name)
        if limit is None or isinstance(limit, FixedLimit):
            continue
        if not (isinstance(limit, FlexionLimit) and limit.axis @ body.axes[joint] > SAME_AXIS):
            axis = ", ".join(f"{x:.6g}" for x in body.axes[joint])
            about = f" about {limit.axis}" if isinstance(limit, FlexionLimit) else ""
            raise InputError(
                f"Expected a FlexionLimit about ({axis}) for the hinge {name!r}, "
                f"got a {type(limit).__name__}{about}."
            )


def build_model(
    figure: Figure, limits: Limits, tasks: Sequence[TaskSpec], *, whole: bool = False
) -> Model:
    """Flatten a figure with its tasks; `whole` if other tasks speak of all joints."""
    joints, effectors = figure.joints, figure.effectors
    if figure.size <= 0.0:
        raise InputError("Expected a skeleton of some length, got one whose bones are all zero.")
    moves = np.zeros((len(effectors), len(joints)), np.int64)
    for k, effector in enumerate(effectors):
        joint = effector.joint
        while joint >= 0:
            moves[k, joint] = 1
            joint = joints[joint].parent
    # A joint that moves no end effector of a task has nothing to do with the solution.
    asked = sorted({effector for kind, effector, _ in tasks if kind < SLOT})
    useful = moves[asked].any(axis=0) | whole
    freedom = np.where(useful, [joint.freedom for joint in joints], 0)
    rig = [joint.rig for joint in joints]
    return Model(
        parent=_whole([joint.parent for joint in joints]),
        offset=_real([joint.offset for joint in joints]),
        freedom=_whole(freedom),
        axis=_real([joint.axis for joint in joints]),
        first=_whole(np.cumsum(freedom) - freedom),
        effector_joint=_whole([effector.joint for effector in effectors]),
        effector_offset=_real([effector.offset for effector in effectors]).reshape(-1, 3),
        moves=moves,
        task_kind=_whole([kind for kind, _, _ in tasks]),
        task_effector=_whole([effector for _, effector, _ in tasks]),
        task_weight=_real([weight for _, _, weight in tasks]),
        size=_real([figure.size]),
        rig=_whole(rig),
        before=_real([joint.before for joint in joints]),
        after=_real([joint.after for joint in joints]),
        start=_real([joint.start for joint in joints]),
        rest=_real(held_rest(figure.skeleton, limits, figure.rest)),
        anchor=_real(figure.anchor),
        anchor_rotation=_real(figure.anchor_rotation),
        limits=limits.table(["" if k < 0 else figure.skeleton.names[k] for k in rig]),
    )


def person_model(anatomy: Anatomy, limits: Limits, *, floating: bool = False) -> Model:
    """Return a person whose end effectors are the six points; all but the pelvis have a task.

    A `floating` pelvis can turn at its place; otherwise it is as it is estimated.
    """
    tasks = [(POSITION, effector, 1.0) for effector in range(1, len(SIX))]
    figure = person_figure(anatomy)
    if floating:
        figure.joints[0] = figure.joints[0]._replace(freedom=BALL)
    return build_model(figure, limits, tasks)


def skeleton_model(
    body: Articulation,
    limits: Limits,
    nodes: Sequence[int],
    tasks: Sequence[TaskSpec],
    *,
    whole: bool = False,
    weld: bool = False,
) -> Model:
    """Return any skeleton whose root stays where it is; end effectors are some of its nodes.

    `whole` if there are other tasks that speak of all joints; `weld` if joints with a `FixedLimit`
    shall have no degrees of freedom.
    """
    check_hinges(body, limits)
    figure = skeleton_figure(body, nodes)
    for k, name in enumerate(body.skeleton.names):
        if weld and isinstance(limits.get(name), FixedLimit):
            figure.joints[k] = figure.joints[k]._replace(freedom=0)
    return build_model(figure, limits, tasks, whole=whole)


def model_depth(model: Model) -> int:
    """Joints that turn on the longest way from the root to an end effector."""
    along = [int(model.freedom[joint != 0].astype(bool).sum()) for joint in model.moves]
    return max(along, default=int(model.freedom.astype(bool).sum()))


def new_pose(model: Model) -> ModelPose:
    """Return the first pose: every joint unturned, hinges a little bent."""
    count, effectors = len(model.parent), len(model.effector_joint)
    rotations = {"local": arrays.identity(count), "world": arrays.identity(count)}
    pose = new_memory(ModelPose, {"N": count, "E": effectors}, **rotations)
    for k in range(count):
        pose.local[k] = limit_project(model.limits, k, (1.0, 0.0, 0.0, 0.0))
    for joint in np.flatnonzero(model.freedom == HINGE):
        angle = limit_clamp_angle(model.limits, int(joint), float(model.start[joint]))
        pose.local[joint] = arrays.from_axis_angle(model.axis[joint], angle)
    # Joint 0 of a person follows the pelvis; of any other skeleton it stays where it is.
    pose.position[0] = model.anchor + model.offset[0]
    return pose


def _real(values: Any) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _whole(values: Any) -> Ints:
    return np.ascontiguousarray(values, dtype=np.int64)
