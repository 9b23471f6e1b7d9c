"""Bodies that stand, as tables: the 15 degrees of freedom of the paper, and a person with legs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...body.anatomy import Anatomy
from ...body.mass import mass_weights
from ...errors import InputError
from ...kernels import arrays
from ...kernels.tasks import Masses, mass_centre
from ...kernels.types import Bools, Floats, Vec3
from ...limits import FlexionLimit, JointLimit, Limits
from ...limits.adult import SPINE
from ..articulated.build import Effector, ModelJoint, anatomy_model
from ..articulated.model import BALL, HINGE, POSITION, Model
from ..people.body import LIMB_ROLES, build_body
from .priority_tables import floating_joints
from .standing import Stance

LEAN = np.radians(25.0)
"""Most that the virtual foot turns either way."""
BACK = ((-np.radians(25.0), np.radians(60.0)), (-np.radians(30.0), np.radians(30.0)))
"""How far the back bends and leans, where limits say nothing of its joint."""
FARTHEST = np.radians(75.0)
"""No back turns farther than this, whatever its limits say."""
EDGE = 1e-9
"""Beyond a limit by less than this is on it [rad]."""
THORAX = 0.556
"""Where the thorax joint is on the way from the back to between the shoulders, as in the paper."""
NOT_STRAIGHT = 0.7
"""Part of the way to the straight line that a thorax bends back at most."""
SOLE = (0.025, -0.03, 0.08)
"""Half the breadth of a sole, and from the ankle to heel and toes, as parts of stature."""
MASS_ROLES = ("l_hip", "r_hip", "l_knee", "r_knee", "l_shoulder", "r_shoulder")
SHOULDERS = ("l_shoulder", "r_shoulder")
X: Vec3 = (1.0, 0.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


class StandingBody(NamedTuple):
    """A body that stands as joints, before they are flattened."""

    joints: list[ModelJoint]
    effectors: list[Effector]
    """The six points, then the shoulders."""
    goals: tuple[int, ...]
    """End effectors of the tasks; the one of balance has the pelvis, which holds its position."""
    levels: tuple[int, ...]
    """Level of each task."""
    floating: bool
    """Whether the root moves: legs carry it. Without, it is the virtual foot."""

    def neutral(self, anatomy: Anatomy) -> Floats:
        """Return the positions of all joints in the neutral stance (N, 3) [m]."""
        base = anatomy.positions[anatomy.bends[0]] if self.floating else virtual_foot(anatomy)
        positions = np.empty((len(self.joints), 3))
        for k, joint in enumerate(self.joints):
            positions[k] = joint.offset + (base if joint.parent < 0 else positions[joint.parent])
        return positions


def simple_body(anatomy: Anatomy) -> StandingBody:
    """Return Fig. 9: a virtual foot, back, thorax and two arms, 15 degrees of freedom (Table 1)."""
    record, _ = build_body(anatomy)
    body = record[0]
    if len(anatomy.bends) < 3:
        raise InputError("Expected a spine with one joint or more between pelvis and head.")
    pelvis, head = anatomy.bends[0], anatomy.bends[-1]
    back, thorax = trunk_joints(anatomy)
    frames = {int(j): (body.before[k], body.after[k]) for k, j in enumerate(body.rig) if j >= 0}
    joints: list[ModelJoint] = []

    def add(rig: int, parent: int, offset: Floats, freedom: int, axis: Vec3 = X) -> int:
        before, after = frames.get(rig, tuple(arrays.identity(2)))
        joints.append(ModelJoint(rig, parent, offset, freedom, np.array(axis), before, after))
        return len(joints) - 1

    none = np.zeros(3)
    root = add(-1, -1, none, 0)
    foot_x = add(-1, root, none, HINGE)
    foot_z = add(-1, foot_x, none, HINGE, Z)
    hips = add(pelvis, foot_z, anatomy.positions[pelvis] - virtual_foot(anatomy), 0)
    # A spine of one joint is all thorax: two joints could leave its limits together.
    free = HINGE if thorax != back else 0
    back_x = add(-1, hips, anatomy.vector(pelvis, back), free)
    back_z = add(back if free else -1, back_x, none, free, Z)
    chest = add(thorax, back_z, anatomy.vector(back, thorax), BALL)
    effectors = [Effector(hips, none), Effector(chest, anatomy.vector(thorax, head))]
    shoulders = []
    for _, *roles in LIMB_ROLES[:2]:
        shoulder, elbow, wrist = (anatomy.node(role) for role in roles)
        upper = add(shoulder, chest, anatomy.vector(thorax, shoulder), BALL)
        lower = add(elbow, upper, anatomy.vector(shoulder, elbow), HINGE)
        effectors.append(Effector(lower, anatomy.vector(elbow, wrist)))
        shoulders.append(Effector(upper, none))
    ankles = (anatomy.node("l_ankle"), anatomy.node("r_ankle"))
    effectors += [Effector(hips, anatomy.vector(pelvis, ankle)) for ankle in ankles]
    return StandingBody(
        joints, effectors + shoulders, goals=(0, 2, 3, 6, 7), levels=(0, 1, 1, 2, 2), floating=False
    )


def whole_body(anatomy: Anatomy) -> StandingBody:
    """Return a person with legs whose feet are pinned; the same levels below."""
    joints, effectors = floating_joints(anatomy)
    joints[0] = replace(joints[0], offset=np.zeros(3))
    own = {joint.rig: k for k, joint in enumerate(joints)}
    shoulders = [Effector(own[anatomy.node(role)], np.zeros(3)) for role in SHOULDERS]
    return StandingBody(
        joints,
        effectors + shoulders,
        goals=(4, 5, 0, 2, 3, 6, 7),
        levels=(0, 0, 1, 2, 2, 3, 3),
        floating=True,
    )


def trunk_joints(anatomy: Anatomy) -> tuple[int, int]:
    """Return the joints that stand for back and thorax (section 6.1).

    The back is where the spine begins, the thorax the joint above it that is nearest to where the
    paper infers it from back and shoulders.
    """
    record, _ = build_body(anatomy)
    body = record[0]
    arms = min(int(body.carrier[0]), int(body.carrier[1]))
    lumbar = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    spine = [*lumbar, *anatomy.bends[1 : max(arms, 1) + 1]]
    heights = anatomy.positions[:, 1]
    low = heights[spine[0]]
    thorax = low + THORAX * (np.mean([heights[anatomy.node(role)] for role in SHOULDERS]) - low)
    return spine[0], min(spine[1:] or spine, key=lambda j: abs(float(heights[j] - thorax)))


def simple_limits(anatomy: Anatomy, limits: Limits) -> Limits:
    """Return limits of adults for the paper's body: a joint has the range of all it stands for.

    But like an elbow, the thorax does not bend back through the straight line: beyond it is a
    second trunk, bowed the other way, with the shoulders in the same place.
    """
    back, thorax = trunk_joints(anatomy)
    if back == thorax:
        return limits
    shoulders = np.mean([anatomy.positions[anatomy.node(role)] for role in SHOULDERS], axis=0)
    low, high = anatomy.vector(back, thorax), shoulders - anatomy.positions[thorax]
    straight = np.degrees(float(np.arctan2(high[2], high[1]) - np.arctan2(low[2], low[1])))
    chest = SPINE["thoracic"]
    if straight > 0.0:
        flexion, extension, *rest = chest.values
        extension = min(extension, NOT_STRAIGHT * straight)
        chest = replace(chest, values=(flexion, extension, *rest))
    names = anatomy.skeleton.names
    return limits.replace({names[back]: SPINE["lumbar"].limit(1), names[thorax]: chest.limit(1)})


def standing_model(anatomy: Anatomy, limits: Limits, body: StandingBody) -> Model:
    """Return a body that stands as a model; virtual joints have limits of their own."""
    tasks = [(POSITION, effector, 1.0) for effector in body.goals]
    model = anatomy_model(anatomy, limits, body.joints, body.effectors, tasks)
    if body.floating or not limits:
        return model
    names = anatomy.skeleton.names
    back = names[trunk_joints(anatomy)[0]]
    bends, sides = _box_within(limits[back]) if back in limits else BACK
    virtual = {
        ":foot_x": FlexionLimit(-LEAN, LEAN, X),
        ":foot_z": FlexionLimit(-LEAN, LEAN, Z),
        ":back_x": FlexionLimit(bends[0], bends[1], X),
        ":back_z": FlexionLimit(sides[0], sides[1], Z),
    }
    labels = ["", ":foot_x", ":foot_z", "", ":back_x", ":back_z"]
    labels += [names[joint.rig] for joint in body.joints[len(labels) :]]
    return model._replace(limits=Limits({**limits, **virtual}).table(labels))


def _box_within(limit: JointLimit) -> tuple[tuple[float, float], tuple[float, float]]:
    """Intervals of rotations about X, then Z, all of whose combinations a limit allows [rad].

    Around the neutral stance or, where a limit excludes it, what is nearest to it.
    """
    middle = arrays.to_euler("XYZ", limit.project(arrays.identity()))[[0, 2]]
    steps = np.linspace(0.0, FARTHEST, 76)
    reach = np.empty((2, 2))
    for k in range(2):
        for end, sign in enumerate((-1.0, 1.0)):
            angles = np.tile(middle, (len(steps), 1))
            angles[:, k] += sign * steps
            beyond = _broken(limit, angles)
            last = max(0, int(np.argmax(beyond)) - 1) if beyond.any() else -1
            reach[k, end] = sign * steps[last]
    reach[1] = np.array((-1.0, 1.0)) * np.abs(reach[1]).min()  # left as right
    for shrink in np.linspace(1.0, 0.0, 21):
        (low_x, high_x), (low_z, high_z) = middle[:, None] + shrink * reach
        grid = np.meshgrid(np.linspace(low_x, high_x, 15), np.linspace(low_z, high_z, 15))
        if not _broken(limit, np.stack(grid, axis=-1).reshape(-1, 2)).any():
            break
    return (float(low_x), float(high_x)), (float(low_z), float(high_z))


def _broken(limit: JointLimit, angles: Floats) -> Bools:
    """Whether rotations about X, then Z (N, 2) [rad] are beyond a limit, (N,)."""
    bend, lean = arrays.from_axis_angle(X, angles[:, 0]), arrays.from_axis_angle(Z, angles[:, 1])
    return np.asarray(limit.violation(arrays.multiply(bend, lean)) > EDGE)


def new_stance(anatomy: Anatomy, model: Model, body: StandingBody, mass: str) -> Stance:
    """Return masses, support and memory of a body that stands; `mass` is the setting."""
    foot = virtual_foot(anatomy)
    neutral = body.neutral(anatomy)
    masses = _masses(anatomy, body, mass)
    support = np.subtract(mass_centre(masses, arrays.identity(len(neutral)), neutral), foot)
    half, heel, toes = (anatomy.stature * part for part in SOLE)
    sole = np.array([[-half, heel], [half, heel], [half, toes], [-half, toes]])
    freedom = int(model.freedom.sum()) + (3 if body.floating else 0)
    return Stance(
        masses=masses,
        neutral=np.array([neutral[end.joint] + end.offset - foot for end in body.effectors]),
        balance=np.array([3 * body.goals.index(0)], np.int64),
        sole=sole,
        leg=-anatomy.vector(anatomy.node("l_hip"), anatomy.node("l_ankle"))[1:2],
        support=np.zeros((2 * len(sole), 2)) if body.floating else support[None, [0, 2]],
        ankles=np.zeros((2, 3)),
        position=np.zeros((1, 3)),
        heading=arrays.identity(1),
        corners=np.zeros((2 * len(sole), 2)),
        carried=np.zeros((len(neutral), 4)),
        slopes=np.zeros((2, freedom)),
        goals=np.zeros((len(body.effectors), 3)),
        drift=np.zeros(1),
    )


def virtual_foot(anatomy: Anatomy) -> Floats:
    """Return where the virtual foot is: on the ground between the ankles (3,) [m]."""
    ankles = [anatomy.positions[anatomy.node(f"{side}_ankle")] for side in "lr"]
    middle = 0.5 * (ankles[0] + ankles[1])
    return np.array([middle[0], float(anatomy.positions[:, 1].min()), middle[2]])


def _masses(anatomy: Anatomy, body: StandingBody, mass: str) -> Masses:
    """Masses on the joints that carry them: the nearest ones above that turn a joint of the rig."""
    positions = anatomy.positions
    if mass == "paper":
        at = {role: positions[anatomy.node(role)] for role in MASS_ROLES}
        thigh = 0.25 * (at["l_hip"] + at["r_hip"] + at["l_knee"] + at["r_knee"])
        foot = virtual_foot(anatomy)
        back, thorax = trunk_joints(anatomy)
        nodes, parts = [anatomy.bends[0], back, thorax], [0.5, 0.25, 0.25]
        places = [
            np.array([foot[0], thigh[1], foot[2]]),
            0.5 * (positions[back] + positions[thorax]),
            0.5 * (at["l_shoulder"] + at["r_shoulder"]),
        ]
    else:
        weights = mass_weights(anatomy.skeleton, mass)
        nodes = np.flatnonzero(np.abs(weights) > 1e-12).tolist()
        places, parts = list(positions[nodes]), weights[nodes].tolist()
    own = {joint.rig: k for k, joint in enumerate(body.joints) if joint.rig >= 0}
    neutral = body.neutral(anatomy)
    masses = Masses(np.zeros(len(neutral)), np.zeros_like(neutral))
    for node, place, part in zip(nodes, places, parts, strict=True):
        above = [own[j] for j in anatomy.skeleton.path(node) if j in own]
        carrier = above[-1] if above else body.effectors[0].joint
        masses.share[carrier] += part
        masses.moment[carrier] += part * (place - neutral[carrier])
    return masses
