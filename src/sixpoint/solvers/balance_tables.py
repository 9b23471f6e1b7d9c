"""Bodies that stand, as tables: the 15 degrees of freedom of the paper, and a person with legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..body.anatomy import Anatomy
from ..body.mass import segment_masses
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..limits import FlexionLimit, JointLimit, Limits
from ..limits.adult import SPINE
from ._kernels.centre_of_mass import Masses
from ._kernels.feet import Stand
from ._kernels.figure import BALL, HINGE, POSITION, Figure
from .body_table import LIMB_ROLES, build_body
from .figure import Row, Tip, build_figure
from .pik_tables import floating_rows

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
LEAN = np.radians(25.0)
"""Most that the virtual foot turns either way."""
BACK = ((-np.radians(25.0), np.radians(60.0)), (-np.radians(30.0), np.radians(30.0)))
"""How far the back bends and leans, where limits say nothing of its joint."""
FARTHEST = np.radians(75.0)
"""No back turns farther than this, whatever its limits say."""
EDGE = 1e-9
"""Beyond a limit by less than this is on it [rad]."""
THORAX = 0.556
"""Where the thorax joint is on the way from the back to between the shoulders, as in G27."""
NOT_STRAIGHT = 0.7
"""Part of the way to the straight line that a thorax bends back at most."""
SOLE = (0.025, -0.03, 0.08)
"""Half the breadth of a sole, and from the ankle to heel and toes, as parts of stature."""
SHOULDERS = ("l_shoulder", "r_shoulder")


class Standing(NamedTuple):
    """A body as rows, before it is flattened."""

    rows: list[Row]
    names: list[str]
    """Of the rows, for limits; virtual ones begin with a colon."""
    tips: list[Tip]
    """The six points, then the shoulders."""
    tasks: list[tuple[int, int, float]]
    ranks: list[int]
    balance: int
    """Number of the task of balance."""
    pelvis: int
    shanks: tuple[int, int]
    """Rows of legs that move; -1 without."""
    elbows: tuple[int, int]
    floats: bool


def simple_body(anatomy: Anatomy) -> Standing:
    """Fig. 9: a virtual foot, the back, the thorax and two arms, 15 degrees of freedom."""
    record, _ = build_body(anatomy)
    body = record[0]
    bends = anatomy.bends
    if len(bends) < 3:
        raise InputError("Expected a spine with one joint or more between pelvis and head.")
    pelvis = bends[0]
    back, thorax = trunk_joints(anatomy)
    frames = {int(j): (body.before[k], body.after[k]) for k, j in enumerate(body.rig) if j >= 0}
    foot = _foot(anatomy)
    rows: list[Row] = []
    names: list[str] = []

    def add(name: str, joint: int, parent: int, offset: Floats, freedom: int, axis: Floats,
            start: float = 0.0) -> int:  # fmt: skip
        before, after = frames.get(joint, tuple(arrays.identity(2)))
        rows.append(Row(joint, parent, offset, freedom, axis, before, after, start))
        names.append(name)
        return len(rows) - 1

    none = np.zeros(3)
    root = add("", -1, -1, none, 0, X)
    foot_x = add(":foot_x", -1, root, none, HINGE, X)
    foot_z = add(":foot_z", -1, foot_x, none, HINGE, Z)
    hips = add("", pelvis, foot_z, anatomy.positions[pelvis] - foot, 0, X)
    # A spine of one joint is all thorax: two rows could leave its limits together.
    free = HINGE if thorax != back else 0
    back_x = add(":back_x", -1, hips, anatomy.vector(pelvis, back), free, X)
    back_z = add(":back_z", back if free else -1, back_x, none, free, Z)
    chest = add(
        anatomy.skeleton.names[thorax], thorax, back_z, anatomy.vector(back, thorax), BALL, X
    )
    tips = [Tip(hips, none), Tip(chest, anatomy.vector(thorax, bends[-1]))]
    elbows, shoulders = [], []
    for _, shoulder_role, elbow_role, wrist_role in LIMB_ROLES[:2]:
        shoulder, elbow, wrist = (anatomy.node(r) for r in (shoulder_role, elbow_role, wrist_role))
        name = anatomy.skeleton.names[shoulder]
        upper = add(name, shoulder, chest, anatomy.vector(thorax, shoulder), BALL, X)
        name = anatomy.skeleton.names[elbow]
        lower = add(name, elbow, upper, anatomy.vector(shoulder, elbow), HINGE, X)
        tips.append(Tip(lower, anatomy.vector(elbow, wrist)))
        elbows.append(lower)
        shoulders.append(Tip(upper, none))
    ankles = (anatomy.node("l_ankle"), anatomy.node("r_ankle"))
    tips += [Tip(hips, anatomy.vector(pelvis, ankle)) for ankle in ankles] + shoulders
    # Table 1; the task of balance speaks of no tip, the pelvis only holds its place.
    tasks = [(POSITION, tip, 1.0) for tip in (0, 2, 3, 6, 7)]
    return Standing(rows, names, tips, tasks, [0, 1, 1, 2, 2], 0, hips, (-1, -1),
                    (elbows[0], elbows[1]), False)  # fmt: skip


def trunk_joints(anatomy: Anatomy) -> tuple[int, int]:
    """Joints that stand for back and thorax (section 6.1): where the spine begins, and above.

    The thorax is the joint nearest to where the paper infers it from back and shoulders.
    """
    record, _ = build_body(anatomy)
    body = record[0]
    arms = min(int(body.carrier[0]), int(body.carrier[1]))
    loins = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    spine = [*loins, *anatomy.bends[1 : max(arms, 1) + 1]]
    back = spine[0]
    low = anatomy.positions[back][1]
    shoulders = np.mean([anatomy.positions[anatomy.node(role)][1] for role in SHOULDERS])
    place = low + THORAX * (shoulders - low)
    return back, min(spine[1:] or spine, key=lambda j: abs(float(anatomy.positions[j][1] - place)))


def simple_limits(anatomy: Anatomy, limits: Limits) -> Limits:
    """Limits of adults for the paper's body: one joint has the range of all that it stands for.

    But like an elbow, the thorax does not bend back through the straight line: beyond it is a
    second trunk, bowed the other way, with the shoulders in the same place.
    """
    back, thorax = trunk_joints(anatomy)
    if back == thorax:
        return limits
    chest = SPINE["thoracic"]
    straight = np.degrees(_bow(anatomy, back, thorax))
    if straight > 0.0:
        chest = replace(chest, extension=min(chest.extension, NOT_STRAIGHT * straight))
    names = anatomy.skeleton.names
    return limits.replace({names[back]: SPINE["lumbar"].limit(1), names[thorax]: chest.limit(1)})


def _bow(anatomy: Anatomy, back: int, thorax: int) -> float:
    """How far the thorax bends back until it is on the line from back to shoulders [rad]."""
    shoulders = np.mean([anatomy.positions[anatomy.node(role)] for role in SHOULDERS], axis=0)
    low, high = anatomy.vector(back, thorax), shoulders - anatomy.positions[thorax]
    return float(np.arctan2(high[2], high[1]) - np.arctan2(low[2], low[1]))


def whole_body(anatomy: Anatomy) -> Standing:
    """A person with legs whose feet are pinned; the same levels below (S3.50)."""
    rows, tips = floating_rows(anatomy)
    rows[0] = replace(rows[0], offset=np.zeros(3))
    names = ["" if row.joint < 0 else anatomy.skeleton.names[row.joint] for row in rows]
    at = {row.joint: k for k, row in enumerate(rows)}
    tips += [Tip(at[anatomy.node(role)], np.zeros(3)) for role in SHOULDERS]
    elbows = [at[anatomy.node(f"{s}_elbow")] for s in "lr"]
    shanks = [at[anatomy.node(f"{s}_knee")] for s in "lr"]
    tasks = [(POSITION, tip, 1.0) for tip in (4, 5, 0, 2, 3, 6, 7)]
    return Standing(rows, names, tips, tasks, [0, 0, 1, 2, 2, 3, 3], 2, 0,
                    (shanks[0], shanks[1]), (elbows[0], elbows[1]), True)  # fmt: skip


def standing_figure(anatomy: Anatomy, limits: Limits, plan: Standing) -> Figure:
    """Rows as tables; virtual joints have limits of their own (S3.22)."""
    record, rest = build_body(anatomy)
    body = record[0]
    figure = build_figure(
        anatomy.skeleton,
        plan.rows,
        plan.tips,
        plan.tasks,
        limits,
        size=anatomy.height,
        rest=rest,
        anchor=body.anchor,
        anchor_turn=body.anchor_turn,
    )
    kept = {name: limit for name, limit in limits.items() if name in plan.names}
    if limits:
        x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
        virtual = {
            ":foot_x": FlexionLimit(-LEAN, LEAN, x),
            ":foot_z": FlexionLimit(-LEAN, LEAN, z),
        }
        back = anatomy.skeleton.names[trunk_joints(anatomy)[0]]
        bends, sides = _box_within(limits[back]) if back in limits else BACK
        virtual[":back_x"] = FlexionLimit(bends[0], bends[1], x)
        virtual[":back_z"] = FlexionLimit(sides[0], sides[1], z)
        kept |= {name: limit for name, limit in virtual.items() if name in plan.names}
    return figure._replace(limits=Limits(kept).table(plan.names))


def _box_within(limit: JointLimit) -> tuple[tuple[float, float], tuple[float, float]]:
    """Intervals of turns about X, then Z, all of whose combinations a limit allows [rad].

    Around the neutral stance or, where a limit excludes it, what is nearest to it.
    """
    middle = arrays.to_euler("XYZ", limit.project(arrays.identity()))[[0, 2]]
    steps = np.linspace(0.0, FARTHEST, 76)
    reach = np.empty((2, 2))
    for k in range(2):
        for end, sign in enumerate((-1.0, 1.0)):
            turned = np.tile(middle, (len(steps), 1))
            turned[:, k] += sign * steps
            beyond = _broken(limit, turned)
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
    """Whether turns about X, then Z (N, 2) [rad] are beyond a limit, (N,)."""
    turns = arrays.multiply(
        arrays.from_axis_angle(X, angles[:, 0]), arrays.from_axis_angle(Z, angles[:, 1])
    )
    return np.asarray(limit.violation(turns) > EDGE)


def standing_tables(
    anatomy: Anatomy, figure: Figure, plan: Standing, mass: str, observe: bool
) -> Stand:
    """Masses, support and memory of a body that stands."""
    foot = _foot(anatomy)
    masses = _masses(anatomy, plan, mass, foot)
    count = len(plan.rows)
    moves = np.zeros((len(masses), count), np.int64)
    for i, (row, _, _) in enumerate(masses):
        above = row
        while above >= 0:
            moves[i, above] = 1
            above = plan.rows[above].parent
    rest = np.array([_neutral(anatomy, plan, tip.row, tip.offset) for tip in plan.tips]) - foot
    centre = (
        sum(share * _neutral(anatomy, plan, row, offset) for row, offset, share in masses) - foot
    )
    support = np.array([[centre[0], centre[2]]])
    sole = _sole(anatomy) if plan.floats else np.zeros((0, 2))
    if plan.floats:
        support = np.zeros((2 * len(sole), 2))
    return Stand(
        masses=Masses(
            row=np.array([row for row, _, _ in masses], np.int64),
            offset=np.array([offset for _, offset, _ in masses]),
            share=np.array([share for _, _, share in masses]),
            moves=moves,
            place=np.zeros((len(masses), 3)),
            support=support,
        ),
        rest=rest,
        above=np.array([_rig_above(plan, k) for k in range(count)], np.int64),
        pelvis=np.array([plan.pelvis], np.int64),
        shanks=np.array(plan.shanks, np.int64),
        elbows=np.array(plan.elbows, np.int64),
        shoulders=np.array([6, 7], np.int64),
        observe=np.array([observe], np.int64),
        balance=np.array([3 * plan.balance], np.int64),
        sole=sole,
        leg=np.array([-float(anatomy.vector(anatomy.node("l_hip"), anatomy.node("l_ankle"))[1])]),
        ankles=np.zeros((2, 3)),
        slopes=np.zeros((2, int(figure.freedom.sum()) + (3 if plan.floats else 0))),
        foot=np.zeros((1, 3)),
        heading=arrays.identity(1),
        goals=np.zeros((len(plan.tips), 3)),
        drift=np.zeros(1),
    )


def _foot(anatomy: Anatomy) -> Floats:
    """The virtual foot: on the ground between the ankles."""
    ankles = [anatomy.positions[anatomy.node(f"{side}_ankle")] for side in "lr"]
    middle = 0.5 * (ankles[0] + ankles[1])
    return np.array([middle[0], float(anatomy.positions[:, 1].min()), middle[2]])


def _masses(
    anatomy: Anatomy, plan: Standing, model: str, foot: Floats
) -> list[tuple[int, Floats, float]]:
    """Points with mass: row, place in its frame, share."""
    if model == "paper":
        at = {name: anatomy.positions[anatomy.node(name)] for name in
              ("l_hip", "r_hip", "l_knee", "r_knee", *SHOULDERS)}  # fmt: skip
        thigh = 0.25 * (at["l_hip"] + at["r_hip"] + at["l_knee"] + at["r_knee"])
        chest = 0.5 * (at["l_shoulder"] + at["r_shoulder"])
        back, thorax = trunk_joints(anatomy)
        middle = 0.5 * (anatomy.positions[back] + anatomy.positions[thorax])
        carriers = _carriers(anatomy, plan, (anatomy.bends[0], back, thorax))
        places = (np.array([foot[0], thigh[1], foot[2]]), middle, chest)
        return [
            (row, place - _neutral(anatomy, plan, row, np.zeros(3)), share)
            for row, place, share in zip(carriers, places, (0.5, 0.25, 0.25), strict=True)
        ]
    table = segment_masses(anatomy.skeleton, model)
    weights = table.masses @ table.weights
    out = []
    for node in np.flatnonzero(np.abs(weights) > 1e-12):
        path = [j for j in anatomy.skeleton.path(int(node)) if j < anatomy.skeleton.joint_count]
        (row,) = _carriers(anatomy, plan, (path[-1],))
        place = anatomy.positions[node] - _neutral(anatomy, plan, row, np.zeros(3))
        out.append((row, place, float(weights[node])))
    return out


def _carriers(anatomy: Anatomy, plan: Standing, joints: Sequence[int]) -> list[int]:
    """Row that carries each joint: its own, or that of the nearest joint above."""
    at = {row.joint: k for k, row in enumerate(plan.rows) if row.joint >= 0}
    out = []
    for joint in joints:
        known = [at[j] for j in anatomy.skeleton.path(joint) if j in at]
        out.append(known[-1] if known else plan.pelvis)
    return out


def _neutral(anatomy: Anatomy, plan: Standing, row: int, offset: Floats) -> Floats:
    """Place in the neutral stance of something in a row's frame."""
    place = np.array(offset, dtype=np.float64)
    at = row
    while at >= 0:
        place = place + plan.rows[at].offset
        at = plan.rows[at].parent
    base = anatomy.positions[anatomy.bends[0]] if plan.floats else _foot(anatomy)
    return np.asarray(place + base)


def _rig_above(plan: Standing, row: int) -> int:
    above = plan.rows[row].parent
    while above >= 0 and plan.rows[above].joint < 0:
        above = plan.rows[above].parent
    return above


def _sole(anatomy: Anatomy) -> Floats:
    """Corners of a sole as seen from its ankle (4, 2), x and z [m]."""
    half, heel, toes = (anatomy.stature * part for part in SOLE)
    return np.array([[-half, heel], [half, heel], [half, toes], [-half, toes]])
