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
from ..kernels.types import Floats
from ..limits import FlexionLimit, JointLimit, Limits
from ..tasks.balance import convex_hull
from ._kernels.centre_of_mass import Masses
from ._kernels.figure import BALL, HINGE, POSITION, Figure
from ._kernels.pik_balance import Stand
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
SUPPORT = 0.8
"""Part of the soles above which a body with legs is kept: nobody stands on the very edge."""
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
    elbows: tuple[int, int]
    floats: bool


def simple_body(anatomy: Anatomy) -> Standing:
    """Fig. 9: a virtual foot, the back, the thorax and two arms, 15 degrees of freedom."""
    record, _ = build_body(anatomy)
    body = record[0]
    bends = anatomy.bends
    if len(bends) < 3:
        raise InputError("Expected a spine with one joint or more between pelvis and head.")
    pelvis, back = bends[0], bends[1]
    thorax = bends[min(2, len(bends) - 2)]
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
    below = hips
    if body.lumbar >= 0:
        loins = int(body.rig[body.lumbar])
        below = add(anatomy.skeleton.names[loins], loins, hips, none, 0, X)
    # A spine of one joint is all thorax: two rows could leave its limits together.
    free = HINGE if thorax != back else 0
    back_x = add(":back_x", -1, below, anatomy.vector(pelvis, back), free, X)
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
    return Standing(rows, names, tips, tasks, [0, 1, 1, 2, 2], 0, hips, (hips, hips),
                    (elbows[0], elbows[1]), False)  # fmt: skip


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
        back = anatomy.skeleton.names[anatomy.bends[1]]
        bends, sides = _box_within(limits[back]) if back in limits else BACK
        virtual[":back_x"] = FlexionLimit(bends[0], bends[1], x)
        virtual[":back_z"] = FlexionLimit(sides[0], sides[1], z)
        kept |= {name: limit for name, limit in virtual.items() if name in plan.names}
    return figure._replace(limits=Limits(kept).table(plan.names))


def _box_within(limit: JointLimit) -> tuple[tuple[float, float], tuple[float, float]]:
    """Intervals of turns about X, then Z, all of whose combinations a limit allows [rad]."""
    steps = np.linspace(0.0, FARTHEST, 76)
    reach = []
    for axis in (X, Z):
        for sign in (-1.0, 1.0):
            broken = limit.violation(arrays.from_axis_angle(axis, sign * steps)) > 0.0
            reach.append(sign * float(steps[max(0, int(np.argmax(broken)) - 1)] if broken.any()
                                      else FARTHEST))  # fmt: skip
    reach[2:] = [-min(-reach[2], reach[3]), min(-reach[2], reach[3])]  # left as right
    for shrink in np.linspace(1.0, 0.0, 21):
        low_x, high_x, low_z, high_z = shrink * np.array(reach)
        grid = np.meshgrid(np.linspace(low_x, high_x, 15), np.linspace(low_z, high_z, 15))
        turns = arrays.multiply(
            arrays.from_axis_angle(X, grid[0].ravel()), arrays.from_axis_angle(Z, grid[1].ravel())
        )
        if not (limit.violation(turns) > 0.0).any():
            break
    return (float(low_x), float(high_x)), (float(low_z), float(high_z))


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
    if plan.floats:
        support = _soles(anatomy, foot)
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
        back, thorax = anatomy.bends[1], anatomy.bends[min(2, len(anatomy.bends) - 2)]
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


def _soles(anatomy: Anatomy, foot: Floats) -> Floats:
    """Corners of the hull of both soles, drawn in a little (K, 2), x and z [m]."""
    low = anatomy.positions[:, 1].min() + 0.03 * anatomy.stature
    corners = [p[[0, 2]] - foot[[0, 2]] for p in anatomy.positions if p[1] <= low]
    for side in "lr":
        ankle = anatomy.positions[anatomy.node(f"{side}_ankle")] - foot
        ends = [ankle[2] + along * anatomy.stature for along in (-0.03, 0.08)]
        corners += [np.array([ankle[0], end]) for end in ends]
    hull = convex_hull(np.array(corners))
    middle = hull.mean(axis=0)
    return np.asarray(middle + SUPPORT * (hull - middle))
