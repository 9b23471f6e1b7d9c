"""A whole person as a model: every joint that turns, every landmark as an end effector."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from ...body.anatomy import Anatomy
from ...kernels import arrays
from ...kernels.types import Floats, Ints
from ...kernels.vector import TINY
from ...limits import Limits
from ..people.body import LIMB_ROLES, build_body
from .build import FIRST_BEND, Effector, Figure, ModelJoint, build_model
from .model import BALL, HINGE, POSITION, Model, new_memory
from .tree_step import TreeStep

PELVIS_VARIANCE, TRUNK_VARIANCE, LIMB_VARIANCE, END_VARIANCE = 0.015, 0.03, 0.1, 0.005
"""How far a prediction is off, as a rule: variances of the rotation of the pelvis; of joints of the
spine, the neck and the clavicles; of shoulders, hips, elbows, knees and forearms; of head, hands
and feet [rad^2]."""
UNASKED, EXACT, UNREACHABLE = 0, 1, 2
"""Points: not seen with full confidence; to be met; given up."""
USUAL_HEIGHT = 1.5
"""Height from ankles to head for which `Settling` gives its lengths [m]."""
X = np.array((1.0, 0.0, 0.0))
Y = np.array((0.0, 1.0, 0.0))


class WholeBody(NamedTuple):
    """A person of N joints, E landmarks and L limbs, as `settle` takes it."""

    model: Model
    variance: Floats  # how far the prediction of each joint is off, as a rule [rad^2], (N,)
    turns: Ints  # whether a landmark turns with the joint that carries it in the model, (E,)
    limbs: Ints  # joint at the root, hinge, and effectors at the hinge and at the end, (L, 4)
    limb_of: Ints  # limb whose hinge each joint is, -1 for none, (N,)
    bones: Floats  # direction of the bone of each joint at the root of a limb, else zero, (N, 3)
    reach: Floats  # of each limb, see `limb_reach`, (L, 6)


class Observations(NamedTuple):
    """What was seen of E landmarks in one frame; NaN: nothing. World axes, anatomical frames."""

    positions: Floats  # [m], (E, 3)
    rotations: Floats  # of the joint that carries the landmark, (E, 4)
    confidence: Floats  # from 0 (not seen) to 1 (exact), (E,)


class Settling(NamedTuple):
    """Settings of `settle`."""

    iterations: int = 12
    """Steps at most."""
    tolerance: float = 1e-4
    """Points of full confidence are met when they are all this near [m]."""
    point_spread: float = 3e-4
    """Standard deviation of a point of full confidence [m]."""
    rotation_spread: float = 3e-3
    """Standard deviation of a rotation of full confidence [rad]."""
    doubtful_point: float = 0.05
    """Standard deviation of a point of confidence 0.5 [m]."""
    doubtful_rotation: float = 0.2
    """Standard deviation of a rotation of confidence 0.5 [rad]."""
    unmet_point: float = 0.01
    """Standard deviation of a point out of reach [m]; it pulls no harder than one this far away."""
    root_spread: float = 0.1
    """Standard deviation of the predicted position of the pelvis [m]."""
    caution: float = 0.1
    """Standard deviation of all points in a step, as a part of the largest distance missed."""
    largest_turn: float = 0.6
    """No joint turns further in one step [rad]."""

    def scaled(self, height: float) -> Settling:
        """Return the settings for a body of another height [m], all lengths in proportion."""
        size = height / USUAL_HEIGHT
        lengths = ("tolerance", "point_spread", "doubtful_point", "unmet_point", "root_spread")
        return self._replace(**{name: size * getattr(self, name) for name in lengths})


class SettleScratch(NamedTuple):
    """Scratch memory for N joints and E landmarks."""

    step: TreeStep
    predicted: Annotated[Floats, "N", 4]  # local rotations
    best: Annotated[Floats, "N", 4]  # local rotations of the best pose so far
    best_place: Annotated[Floats, 3]  # and where joint 0 was [m]
    stiffness: Annotated[Floats, "N"]  # of each joint against turning from its prediction [1/rad^2]
    point_weight: Annotated[Floats, "E"]
    rotation_weight: Annotated[Floats, "E"]
    exact: Annotated[Ints, "E"]  # `EXACT`, `UNREACHABLE`, or `UNASKED`: not of full confidence
    missed: Annotated[Floats, "E"]  # how far each point is from where it was seen [m]
    before: Annotated[Floats, "E"]  # how far it was before the last step [m]
    opened: Annotated[Ints, "N"]  # how often a gate of each joint was opened again
    gate: Annotated[Floats, "N", 3]  # direction in which a joint is held, in its parent's frame
    other_gate: Annotated[Floats, "N", 3]  # and another one, of a joint in a corner


def new_scratch(body: WholeBody) -> SettleScratch:
    """Return scratch memory for one person."""
    joints, effectors = len(body.model.parent), len(body.model.effector_joint)
    sizes = {"N": joints, "E": effectors}
    return new_memory(SettleScratch, sizes, step=new_memory(TreeStep, sizes))


def whole_figure(anatomy: Anatomy) -> Figure:
    """Return a person whose joints all turn, with the rig's landmarks as end effectors.

    Pelvis, spine, head, clavicles, shoulders, hips, wrists and ankles are ball joints, elbows and
    knees hinges about X, and forearms that have a joint of their own turn about Y. Joints that the
    rig does not have (a head or a wrist that is a site) do not turn. Hands and toes are points of
    the joints above them. The order of the end effectors is that of `Anatomy.landmarks`.
    """
    skeleton = anatomy.skeleton
    record, rest = build_body(anatomy)
    body = record[0]
    tree = _Tree(anatomy, body.anchor_rotation)
    pelvis, *spine, head = anatomy.bends
    loins = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    above = -1
    for node in (pelvis, *loins, *spine, head):
        above = tree.add(node, above, BALL)
    for limb, (clavicle, root, hinge, end) in enumerate(LIMB_ROLES):
        above = tree.nodes.index(anatomy.bends[body.carrier[limb]])
        if anatomy.has(clavicle):
            above = tree.add(anatomy.node(clavicle), above, BALL)
        above = tree.add(anatomy.node(root), above, BALL)
        bent = FIRST_BEND if hinge.endswith("knee") else -FIRST_BEND
        above = tree.add(anatomy.node(hinge), above, HINGE, X, bent)
        if body.twists[limb] >= 0:
            above = tree.add(int(body.rig[body.twists[limb]]), above, HINGE, Y)
        tree.add(anatomy.node(end), above, BALL)
    effectors = [tree.effector(node) for node in anatomy.landmarks.values()]
    return Figure(
        skeleton, tree.joints, effectors, anatomy.height, rest, body.anchor, body.anchor_rotation
    )


class _Tree:
    """Joints of a figure while it is made."""

    def __init__(self, anatomy: Anatomy, anchor_rotation: Floats) -> None:
        self.anatomy, self.anchor_rotation = anatomy, anchor_rotation
        self.nodes: list[int] = []
        self.joints: list[ModelJoint] = []

    def add(self, node: int, above: int, freedom: int, axis: Floats = X, start: float = 0.0) -> int:
        """Add the joint at a node and return its number."""
        anatomy, skeleton = self.anatomy, self.anatomy.skeleton
        offset = np.zeros(3) if above < 0 else anatomy.vector(self.nodes[above], node)
        before, after = arrays.identity(2)
        if node >= skeleton.joint_count:
            joint = ModelJoint(-1, above, offset, 0, axis, before, after)
        else:
            after = anatomy.neutral[node]
            parent = skeleton.parents[node]
            before = self.anchor_rotation if above < 0 else anatomy.neutral[parent]
            before = arrays.conjugate(before)
            joint = ModelJoint(node, above, offset, freedom, axis, before, after, start)
        self.nodes.append(node)
        self.joints.append(joint)
        return len(self.nodes) - 1

    def effector(self, node: int) -> Effector:
        """Return a node as a point of the lowest joint that carries it."""
        path = self.anatomy.skeleton.path(node)
        carrier = max(k for k, joint in enumerate(self.nodes) if joint in path)
        return Effector(carrier, self.anatomy.vector(self.nodes[carrier], node))


def whole_body(anatomy: Anatomy, limits: Limits) -> WholeBody:
    """Return a person as `settle` takes it."""
    figure = whole_figure(anatomy)
    tasks = [(POSITION, effector, 1.0) for effector in range(len(figure.effectors))]
    model = build_model(figure, limits, tasks, whole=True)
    rows = {joint.rig: k for k, joint in enumerate(figure.joints) if joint.rig >= 0}
    order = list(anatomy.landmarks)
    rows_of_limbs = []
    for _, root, hinge, end in LIMB_ROLES:
        joints = rows[anatomy.node(root)], rows[anatomy.node(hinge)]
        rows_of_limbs.append((*joints, order.index(hinge), order.index(end)))
    # Toes and fingers can turn against the foot and the hand that carry them in the model.
    carriers = [anatomy.skeleton.carrier(node) for node in anatomy.landmarks.values()]
    turns = np.array(carriers) == model.rig[model.effector_joint]
    variance = _variances(anatomy, figure)
    limbs = np.array(rows_of_limbs, np.int64)
    reach = np.array([limb_reach(model, limb) for limb in limbs])
    limb_of = np.full(len(model.parent), -1, np.int64)
    limb_of[limbs[:, 1]] = np.arange(len(limbs))
    bones = np.zeros((len(model.parent), 3))
    upper = model.offset[limbs[:, 1]]
    bones[limbs[:, 0]] = upper / np.maximum(np.linalg.norm(upper, axis=1, keepdims=True), TINY)
    return WholeBody(model, variance, turns.astype(np.int64), limbs, limb_of, bones, reach)


def limb_reach(model: Model, limb: Ints) -> tuple[float, ...]:
    """Return how far a limb reaches, by the angle of its hinge.

    Returns:
        The vector e from the hinge to the end in the hinge's frame [m]; then s, m and the angle
        theta_0: the square of the distance from root to end is ``s + m cos(theta - theta_0)``.
    """
    _, hinge, _, end = limb
    joint = model.effector_joint[end]
    lower = model.effector_offset[end].copy()
    while joint != hinge:  # forearms that turn do not move the wrist
        lower += model.offset[joint]
        joint = model.parent[joint]
    upper, axis = model.offset[hinge], model.axis[hinge]
    along = (upper @ axis) * (lower @ axis)
    cosine, sine = upper @ lower - along, upper @ np.cross(axis, lower)
    square = upper @ upper + lower @ lower + 2.0 * along
    return (*lower, square, 2.0 * np.hypot(cosine, sine), np.arctan2(sine, cosine))


def _variances(anatomy: Anatomy, figure: Figure) -> Floats:
    """Return how far the prediction of each joint is off, as a rule [rad^2], (N,)."""
    trunk = {*anatomy.bends, *anatomy.colocated}
    trunk |= {anatomy.node(f"{side}_clavicle") for side in "lr" if anatomy.has(f"{side}_clavicle")}
    ends = {anatomy.node(role) for *_, role in LIMB_ROLES} | {anatomy.node("head")}
    out = np.full(len(figure.joints), LIMB_VARIANCE)
    for k, joint in enumerate(figure.joints):
        if k == 0:
            out[k] = PELVIS_VARIANCE
        elif joint.rig < 0 or joint.rig in ends:
            out[k] = END_VARIANCE
        elif joint.rig in trunk:
            out[k] = TRUNK_VARIANCE
    return out
