"""Articulated figures for the numeric solvers: a person, or any skeleton, as tables of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..body.anatomy import Anatomy
from ..body.articulation import Articulation
from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.limits import limit_clamp_angle, limit_project
from ..kernels.types import Floats
from ..limits import FixedLimit, FlexionLimit, Limits
from ..motion.points import SIX
from ._kernels.descent import Descent
from ._kernels.figure import APART, BALL, HINGE, POSITION, Figure, FigurePose
from .apart_tables import no_capsules
from .body_table import LIMB_ROLES, build_body, held_rest

BENT = np.radians(10.0)
"""Elbows and knees of the first pose: a straight limb does not know which way to bend."""
MOST_BENT = np.radians(60.0)
"""All hinges of a chain together in the first pose."""
PARALLEL = 1.0 - 1e-6
"""Cosine between two axes that are the same."""


@dataclass(frozen=True)
class Row:
    """One joint of a figure."""

    joint: int
    """Joint of the skeleton."""
    parent: int
    """Row above, -1 for the root."""
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
class Tip:
    """A point that tasks speak of."""

    row: int
    offset: Floats
    """In the frame of its row [m]."""


def human_rows(anatomy: Anatomy) -> tuple[list[Row], list[Tip]]:
    """Pelvis, spine, head, clavicles and limbs in anatomical frames; the six points as tips.

    The root does not turn by itself: its rotation is estimated from the points. Nor do the loins,
    the joint on the pelvis that carries the spine, where there is one (S0.38). Elbows and knees are
    hinges about X (S0.52).
    """
    skeleton = anatomy.skeleton
    record, _ = build_body(anatomy)
    body = record[0]
    pelvis, *spine, head = anatomy.bends
    loins = [] if body.lumbar < 0 else [int(body.rig[body.lumbar])]
    nodes = [pelvis, *loins, *spine, head]
    parents = [-1, *range(len(nodes) - 1)]
    freedom = [0, *(0 for _ in loins), *(BALL for _ in spine), 0]
    tips = [(0, np.zeros(3)), (len(nodes) - 2, anatomy.vector(nodes[-2], head))]
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
        tips.append((len(nodes) - 1, anatomy.vector(hinge, end)))
    knees = {anatomy.node("l_knee"), anatomy.node("r_knee")}
    rows = []
    for node, parent, free in zip(nodes, parents, freedom, strict=True):
        offset = np.zeros(3) if parent < 0 else anatomy.vector(nodes[parent], node)
        at = [k for k in range(len(body.rig)) if body.rig[k] == node and node >= 0]
        before, after = (body.before[at[0]], body.after[at[0]]) if at else arrays.identity(2)
        joint = node if node < skeleton.joint_count else -1
        start = 0.0 if free != HINGE else BENT if node in knees else -BENT
        rows.append(
            Row(joint, parent, offset, free, np.array((1.0, 0.0, 0.0)), before, after, start)
        )
    return rows, [Tip(*tip) for tip in tips]


def plain_rows(body: Articulation, nodes: Sequence[int]) -> tuple[list[Row], list[Tip]]:
    """Every joint of any skeleton, relative to rest; some nodes as tips."""
    skeleton = body.skeleton
    roots = [skeleton.names[j] for j in np.flatnonzero(skeleton.parents < 0)]
    if len(roots) > 1:
        raise InputError(f"Expected a figure with one root, got {len(roots)}: {', '.join(roots)}.")
    above, after = body.frames
    before = arrays.conjugate(above)
    elbows = [body.anatomy.node(f"{side}_elbow") for side in "lr"] if body.anatomy else []
    # A long chain is bent no more than a short one.
    deepest = max(len(skeleton.path(j)) for j in range(skeleton.joint_count))
    bent = min(BENT, MOST_BENT / deepest)
    rows = [
        Row(
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
    tips = []
    for node in nodes:
        joint = body.carrier(node)
        tips.append(Tip(joint, np.zeros(3) if node == joint else body.offsets[node]))
    return rows, tips


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


def build_figure(
    skeleton: Skeleton,
    rows: Sequence[Row],
    tips: Sequence[Tip],
    tasks: Sequence[tuple[int, int, float]],
    limits: Limits,
    *,
    size: float,
    rest: Floats,
    anchor: Floats,
    anchor_turn: Floats,
    whole: bool = False,
) -> Figure:
    """Flatten a figure. Tasks are (kind, tip, weight); `whole` if others speak of all joints."""
    if size <= 0.0:
        raise InputError("Expected a figure of some length, got one whose bones are all zero.")
    count = len(rows)
    moves = np.zeros((len(tips), count), np.int64)
    for k, tip in enumerate(tips):
        row = tip.row
        while row >= 0:
            moves[k, row] = 1
            row = rows[row].parent
    # A joint that moves no tip of a task has nothing to do with the solution.
    asked = sorted({tip for kind, tip, _ in tasks if kind != APART})
    useful = [whole or bool(moves[asked, k].any()) for k in range(count)]
    freedom = [row.freedom if useful[k] else 0 for k, row in enumerate(rows)]
    starts = np.concatenate([[0], np.cumsum(freedom)[:-1]])
    names = ["" if row.joint < 0 else skeleton.names[row.joint] for row in rows]
    return Figure(
        parent=np.array([row.parent for row in rows], np.int64),
        offset=_ready([row.offset for row in rows]),
        freedom=np.array(freedom, np.int64),
        axis=_ready([row.axis for row in rows]),
        first=np.array(starts, np.int64),
        tip_row=np.array([tip.row for tip in tips], np.int64),
        tip_offset=_ready([tip.offset for tip in tips]).reshape(-1, 3),
        moves=moves,
        task_kind=np.array([kind for kind, _, _ in tasks], np.int64),
        task_tip=np.array([tip for _, tip, _ in tasks], np.int64),
        task_weight=_ready([weight for _, _, weight in tasks]),
        size=_ready([size]),
        rig=np.array([row.joint for row in rows], np.int64),
        before=_ready([row.before for row in rows]),
        after=_ready([row.after for row in rows]),
        start=_ready([row.start for row in rows]),
        rest=_ready(held_rest(skeleton, limits, rest)),
        anchor=_ready(anchor),
        anchor_turn=_ready(anchor_turn),
        limits=limits.table(names),
    )


def human_figure(anatomy: Anatomy, limits: Limits) -> Figure:
    """A person whose tips are the six points; all but the pelvis are asked for."""
    rows, tips = human_rows(anatomy)
    record, rest = build_body(anatomy)
    body = record[0]
    return build_figure(
        anatomy.skeleton,
        rows,
        tips,
        [(POSITION, tip, 1.0) for tip in range(1, len(SIX))],
        limits,
        size=anatomy.height,
        rest=rest,
        anchor=body.anchor,
        anchor_turn=body.anchor_turn,
    )


def plain_figure(
    body: Articulation,
    limits: Limits,
    nodes: Sequence[int],
    tasks: Sequence[tuple[int, int, float]],
    *,
    whole: bool = False,
) -> Figure:
    """Any skeleton whose root stays where it is; tips are some of its nodes.

    Tasks are (kind, tip, weight); `whole` if there are others that speak of all joints.
    """
    check_hinges(body, limits)
    rows, tips = plain_rows(body, nodes)
    return build_figure(
        body.skeleton,
        rows,
        tips,
        tasks,
        limits,
        size=body.length,
        rest=body.from_rest(arrays.identity(len(rows))),
        anchor=np.zeros(3),
        anchor_turn=arrays.identity(),
        whole=whole,
    )


def figure_depth(figure: Figure) -> int:
    """Joints that turn on the longest way from the root to a tip."""
    along = [int(figure.freedom[row != 0].astype(bool).sum()) for row in figure.moves]
    return max(along, default=int(figure.freedom.astype(bool).sum()))


def new_pose(figure: Figure) -> FigurePose:
    """Every joint unturned, hinges a little bent."""
    count, tips = len(figure.parent), len(figure.tip_row)
    pose = FigurePose(
        local=arrays.identity(count),
        world=arrays.identity(count),
        place=np.zeros((count, 3)),
        tips=np.zeros((tips, 3)),
    )
    reset_pose(figure, pose)
    return pose


def reset_pose(figure: Figure, pose: FigurePose) -> None:
    """Back to the first pose, in place."""
    for k in range(len(figure.parent)):
        pose.local[k] = limit_project(figure.limits, k, (1.0, 0.0, 0.0, 0.0))
    for row in np.flatnonzero(figure.freedom == HINGE):
        angle = limit_clamp_angle(figure.limits, int(row), float(figure.start[row]))
        pose.local[row] = arrays.from_axis_angle(figure.axis[row], angle)
    # Row 0 of a person follows the pelvis; of any other figure it stays where it is.
    pose.place[0] = figure.anchor + figure.offset[0]


def new_descent(figure: Figure) -> Descent:
    """Scratch memory for the loop."""
    rows, freedom = 3 * len(figure.task_kind), int(figure.freedom.sum())
    return Descent(
        capsules=no_capsules(),
        axes=np.zeros((freedom, 3)),
        jacobian=np.zeros((rows, freedom)),
        asked=np.zeros(rows),
        square=np.zeros((rows, rows)),
        u=np.zeros((rows, rows)),
        v=np.zeros((rows, freedom)),
        sigma=np.zeros(rows),
        x=np.zeros(rows),
        part=np.zeros(freedom),
        step=np.zeros(freedom),
        trial=np.zeros(freedom),
        kept=np.zeros((len(figure.parent), 4)),
        best=np.zeros((len(figure.parent), 4)),
    )


def _ready(values: Any) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)
