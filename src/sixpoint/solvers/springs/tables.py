"""Masses and springs of a skeleton, as kernels read them: tables, and memory.

There is a mass for every joint and end effector, and a spring for every bone. *Nodes* are the
joints, then the end effectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.limits import FREE
from ...kernels.types import Floats, Ints
from ..articulated.build import new_pose
from ..articulated.model import BALL, Model
from ..articulated.parts import NO_BONE, Parts, Ranges, new_parts


class Springs(NamedTuple):
    """S springs and M masses of a model with N joints and E end effectors, in P parts."""

    mass_range: Ints
    """First mass of each part, and one more than its last, (P, 2)."""
    spring_range: Ints
    """First spring of each part, and one more than its last, (P, 2)."""
    mass_of: Ints
    """Mass of each node, -1 for none, (N + E,)."""
    node_of: Ints
    """First node of each mass, (M,)."""
    lightness: Floats
    """One over each mass, (M,)."""
    ends: Ints
    """Masses of each spring, (S, 2)."""
    rest: Floats
    """Length of each spring at rest [m], (S,)."""
    unit: Floats
    """Mean length of the bones of each part [m], (P,)."""
    plain: Ints
    """Whether springs know all of a part: ball joints without limits, in one chain, (P,)."""
    preferred: Ints
    """Child node of each joint whose chain is preferred; -1: the heaviest, (N,)."""
    start: Floats
    """Local rotation of each joint in the first pose, (N, 4)."""


class Masses(NamedTuple):
    """Where masses are, and scratch memory of the part that is solved."""

    state: Ints
    """`FREE`, `BASE` or `HELD`, (M,)."""
    size: Ints
    """Number of springs, and of masses, that have to do with a target, (2,)."""
    ends: Ints
    """Masses of these springs, (S, 2)."""
    length: Floats
    """Lengths of these springs at rest [m], (S,)."""
    inverse: Floats
    """One over these, (S,)."""
    moving: Ints
    """The masses that have to do with a target and are not fastened, (M,)."""
    position: Floats
    """[m], (M, 3)."""
    before: Floats
    """Positions a step earlier [m], (M, 3)."""
    force: Floats
    """(M, 3)."""
    goal: Floats
    """Target of a held mass, within reach [m], (M, 3)."""
    grip: Floats
    """Weight of a held mass over the greatest, (M,)."""
    load: Floats
    """Weight of the targets that each mass carries, (M,)."""
    energy: Floats
    """Of the springs of each part when its targets were first asked for, (P,)."""


class Scratch(NamedTuple):
    """What kernels are given besides the model and its pose."""

    parts: Parts
    springs: Springs
    masses: Masses
    starts: Floats
    """Local rotations that frames start from: of each frame, one for all, or none, (F, N, 4)."""


def new_springs(
    model: Model,
    ranges: Ranges,
    *,
    mass: float = 1.0,
    masses: Mapping[int, float] | None = None,
    preferred: Mapping[int, int] | None = None,
    braces: bool = True,
) -> Springs:
    """Return the masses and springs of a model.

    Nodes at one position of one rigid bone share a mass: joints without a bone between them,
    branches that begin at one point. A joint where more than two bones meet is heavier in
    proportion, so that the step that is stable for a chain is stable for every tree.

    Args:
        model: a skeleton.
        ranges: joints and tasks of each part.
        mass: of every joint.
        masses: of some joints, instead.
        preferred: child node that some joints turn with.
        braces: springs also between the ends of bones that one joint carries.
    """
    joints = len(model.parent)
    above = np.concatenate([model.parent, model.effector_joint])
    offset = np.concatenate([model.offset, model.effector_offset])
    least = NO_BONE * float(model.size[0])
    mass_of = np.full(len(above), -1, np.int64)
    node_of: list[int] = []
    springs: list[tuple[int, int, float]] = []
    mass_range, spring_range, unit, plain = [], [], [], []
    for part, tasks in ranges:
        first_mass, first_spring = len(node_of), len(springs)
        ends = sorted({joints + int(model.task_effector[task]) for task in tasks})
        nodes = [*part, *ends]
        for node in nodes:
            inside = above[node] in part
            same = _nodes_at(node, nodes, above, offset, least) if inside else []
            if same:
                mass_of[node] = mass_of[same[0]]
                continue
            mass_of[node] = len(node_of)
            node_of.append(node)
            if inside:
                length = float(np.linalg.norm(offset[node]))
                springs.append((int(mass_of[above[node]]), int(mass_of[node]), length))
        lengths = [length for _, _, length in springs[first_spring:]]
        if braces:
            own = [node for node in node_of[first_mass:] if above[node] in part]
            for k, one in enumerate(own):
                for other in own[k + 1 :]:
                    if above[one] == above[other]:
                        length = float(np.linalg.norm(offset[other] - offset[one]))
                        springs.append((int(mass_of[one]), int(mass_of[other]), length))
        mass_range.append((first_mass, len(node_of)))
        spring_range.append((first_spring, len(springs)))
        unit.append(float(np.mean(lengths)) if lengths else float(model.size[0]))
        plain.append(_is_plain(model, part, ends))
    ends_of = np.array([(a, b) for a, b, _ in springs], np.int64).reshape(-1, 2)
    degree = np.bincount(ends_of.ravel(), minlength=len(node_of))
    weight = mass * np.maximum(0.5 * degree, 1.0)
    for joint, value in (masses or {}).items():
        if mass_of[joint] >= 0:
            weight[mass_of[joint]] *= value / mass
    chosen = np.full(joints, -1, np.int64)
    for joint, child in (preferred or {}).items():
        chosen[joint] = child
    return Springs(
        mass_range=np.array(mass_range, np.int64),
        spring_range=np.array(spring_range, np.int64),
        mass_of=mass_of,
        node_of=np.array(node_of, np.int64),
        lightness=1.0 / weight,
        ends=ends_of,
        rest=np.array([length for _, _, length in springs], np.float64),
        unit=np.array(unit, np.float64),
        plain=np.array(plain, np.int64),
        preferred=chosen,
        start=new_pose(model).local,
    )


def _nodes_at(
    node: int, nodes: Sequence[int], above: Ints, offset: Floats, least: float
) -> list[int]:
    """Return nodes before one that lie at its position, rigidly: its parent, or its siblings."""
    if np.linalg.norm(offset[node]) <= least:
        return [int(above[node])]
    return [
        other
        for other in nodes
        if other < node
        and above[other] == above[node]
        and np.linalg.norm(offset[other] - offset[node]) <= least
    ]


def _is_plain(model: Model, part: range, ends: Sequence[int]) -> bool:
    """Whether springs know all of a part: one chain of ball joints without limits."""
    freedom = model.freedom[part.start : part.stop]
    kinds = model.limits["kind"][part.start : part.stop]
    straight = all(model.parent[joint] == joint - 1 for joint in part[1:])
    return bool((freedom == BALL).all() and (kinds == FREE).all() and straight and len(ends) == 1)


def new_scratch(model: Model, ranges: Ranges, springs: Springs) -> Scratch:
    """Return springs with fresh memory."""
    count, bones = len(springs.node_of), len(springs.rest)
    masses = Masses(
        state=np.zeros(count, np.int64),
        size=np.zeros(2, np.int64),
        ends=np.zeros((bones, 2), np.int64),
        length=np.zeros(bones),
        inverse=np.zeros(bones),
        moving=np.zeros(count, np.int64),
        position=np.zeros((count, 3)),
        before=np.zeros((count, 3)),
        force=np.zeros((count, 3)),
        goal=np.zeros((count, 3)),
        grip=np.zeros(count),
        load=np.zeros(count),
        energy=np.zeros(len(ranges)),
    )
    starts = np.zeros((0, len(model.parent), 4))
    return Scratch(new_parts(model, ranges), springs, masses, starts)


def preferred_children(model: Model, ranks: Sequence[int]) -> dict[int, int]:
    """Return the child node of each joint that leads to the task of the first rank.

    Nothing is preferred where all ranks are alike.
    """
    out: dict[int, int] = {}
    if len(set(ranks)) <= 1:
        return out
    for task in np.argsort(ranks, kind="stable")[::-1]:  # the first rank last, so that it stays
        effector = int(model.task_effector[task])
        child, joint = len(model.parent) + effector, int(model.effector_joint[effector])
        while joint >= 0:
            out[joint] = child
            child, joint = joint, int(model.parent[joint])
    return out


def largest_step(springs: Springs, model: Model, numbers: Mapping[str, Any]) -> float:
    """Return the time step from which on steps blow up, for a model with its targets.

    A mode with eigenvalue w^2 is stable under the damped steps just where step^2 w^2 is below
    4 - 2 damping, and no w^2 is greater than the greatest row sum of stiffness over mass
    (Gershgorin): (4 k + pull) / m for a target in the middle of a chain, (2 k + pull) / m at its
    end.
    """
    count = len(springs.node_of)
    bones = np.bincount(springs.ends.ravel(), minlength=count)
    held = np.zeros(count)
    held[springs.mass_of[len(model.parent) + model.task_effector]] = numbers["pull"]
    sums = (2.0 * numbers["stiffness"] * bones + held) * springs.lightness
    return float(np.sqrt((4.0 - 2.0 * numbers["damping"]) / sums.max(initial=1e-300)))
