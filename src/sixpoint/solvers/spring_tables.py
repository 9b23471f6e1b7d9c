"""Masses and springs of a figure, as tables for the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.limits import FREE
from ..kernels.types import Floats, Ints
from ._kernels.fabrik import NO_BONE
from ._kernels.figure import BALL, Figure
from ._kernels.springs import Springs
from ._kernels.tables import RecordArray
from .figure import new_pose

MASS = 1.0
"""Of every joint, unless another is given (S4.4)."""


def new_springs(
    figure: Figure,
    parts: Sequence[tuple[range, range]],
    rule: RecordArray,
    *,
    mass: float = MASS,
    masses: Mapping[int, float] | None = None,
    preferred: Mapping[int, int] | None = None,
    braces: bool = True,
) -> Springs:
    """A mass for every joint and tip, a spring for every bone.

    Nodes at one place of one rigid bone share a mass: joints without a bone between them, branches
    that begin at one point. A joint where more than two bones meet is heavier in proportion, so
    that the step that is stable for a chain is stable for every tree.

    Args:
        figure: of which all rows and tips are looked at.
        parts: rows and tasks of each part.
        rule: a record of `RULE`.
        mass: of every joint.
        masses: of some rows, instead.
        preferred: child node that some rows turn with.
        braces: springs also between the ends of bones that one joint carries.
    """
    rows, tips = len(figure.parent), len(figure.tip_row)
    above = np.concatenate([figure.parent, figure.tip_row])
    offset = np.concatenate([figure.offset, figure.tip_offset])
    least = NO_BONE * float(figure.size[0])
    mass_of = np.full(rows + tips, -1, np.int64)
    node_of: list[int] = []
    springs: list[tuple[int, int, float]] = []
    first_mass, last_mass, first_spring, last_spring, unit, plain = ([] for _ in range(6))
    for part, tasks in parts:
        first_mass.append(len(node_of))
        first_spring.append(len(springs))
        ends = sorted({rows + int(figure.task_tip[task]) for task in tasks})
        for node in (*part, *ends):
            parent = int(above[node])
            inside = parent in part
            if inside and np.linalg.norm(offset[node]) <= least:
                mass_of[node] = mass_of[parent]
                continue
            twin = next(
                (
                    other
                    for other in (*part, *ends)
                    if other < node
                    and inside
                    and above[other] == parent
                    and np.linalg.norm(offset[other] - offset[node]) <= least
                ),
                None,
            )
            if twin is not None:
                mass_of[node] = mass_of[twin]
                continue
            mass_of[node] = len(node_of)
            node_of.append(node)
            if inside:
                length = float(np.linalg.norm(offset[node]))
                springs.append((int(mass_of[parent]), int(mass_of[node]), length))
        lengths = [length for _, _, length in springs[first_spring[-1] :]]
        if braces:
            springs += _braces(above, offset, mass_of, node_of[first_mass[-1] :], part)
        last_mass.append(len(node_of))
        last_spring.append(len(springs))
        unit.append(float(np.mean(lengths)) if lengths else float(figure.size[0]))
        plain.append(_is_plain(figure, part, ends))
    degree = np.bincount(
        np.array([end for a, b, _ in springs for end in (a, b)], np.int64), minlength=len(node_of)
    )
    weight = mass * np.maximum(0.5 * degree, 1.0)
    for row, value in (masses or {}).items():
        if mass_of[row] >= 0:
            weight[mass_of[row]] *= value / mass
    chosen = np.full(rows, -1, np.int64)
    for row, child in (preferred or {}).items():
        chosen[row] = child
    count = len(node_of)
    return Springs(
        rule=rule,
        first_mass=np.array(first_mass, np.int64),
        last_mass=np.array(last_mass, np.int64),
        first_spring=np.array(first_spring, np.int64),
        last_spring=np.array(last_spring, np.int64),
        mass_of=mass_of,
        node_of=np.array(node_of, np.int64),
        weight=weight,
        lightness=1.0 / weight,
        inner=np.array([a for a, _, _ in springs], np.int64),
        outer=np.array([b for _, b, _ in springs], np.int64),
        rest=np.array([length for _, _, length in springs], np.float64),
        unit=np.array(unit, np.float64),
        plain=np.array(plain, np.int64),
        preferred=chosen,
        start=new_pose(figure).local,
        state=np.zeros(count, np.int64),
        active=np.zeros(len(springs), np.int64),
        ends=np.zeros((len(springs), 2), np.int64),
        length=np.zeros(len(springs)),
        inverse=np.zeros(len(springs)),
        moving=np.zeros(count, np.int64),
        place=np.zeros((count, 3)),
        before=np.zeros((count, 3)),
        force=np.zeros((count, 3)),
        goal=np.zeros((count, 3)),
        grip=np.zeros(count),
        energy=np.zeros(len(parts)),
    )


def _braces(
    above: Ints, offset: Floats, mass_of: Ints, nodes: Sequence[int], part: range
) -> list[tuple[int, int, float]]:
    """Springs between the far ends of bones that are rigid to each other."""
    out = []
    for k, one in enumerate(nodes):
        for other in nodes[k + 1 :]:
            if above[one] == above[other] and above[one] in part:
                length = float(np.linalg.norm(offset[other] - offset[one]))
                out.append((int(mass_of[one]), int(mass_of[other]), length))
    return out


def _is_plain(figure: Figure, part: range, ends: Sequence[int]) -> bool:
    """Whether springs know all of a part: one chain of ball joints without limits."""
    freedom = figure.freedom[part.start : part.stop]
    kinds = figure.limits["kind"][part.start : part.stop]
    straight = all(figure.parent[row] == row - 1 for row in part[1:])
    return bool((freedom == BALL).all() and (kinds == FREE).all() and straight and len(ends) == 1)


def preferred_children(figure: Figure, ranks: Sequence[int]) -> dict[int, int]:
    """The child node of each row that leads to the task of the first rank, if one is first."""
    out: dict[int, int] = {}
    if not ranks or len(set(ranks)) == 1:
        return out
    for task in np.argsort(ranks, kind="stable")[::-1]:  # the first rank last, so that it stays
        tip = int(figure.task_tip[task])
        child, row = len(figure.parent) + tip, int(figure.tip_row[tip])
        while row >= 0:
            out[row] = child
            child, row = row, int(figure.parent[row])
    return out


def whole(figure: Figure) -> list[tuple[range, range]]:
    """Rows and tasks of a figure that is one part."""
    return [(range(len(figure.parent)), range(len(figure.task_kind)))]


def largest_step(springs: Springs, figure: Figure, pull: float) -> float:
    """Steps from here on blow up, for a figure whose targets pull by so much (0: they do not).

    A mode with eigenvalue w^2 is stable under the damped steps just where step^2 w^2 is below
    4 - 2 damping, and no w^2 is greater than the greatest row sum of stiffness over mass
    (Gershgorin): (4 k + pull) / m for a target in the middle of a chain, (2 k + pull) / m at a tip.
    """
    count, rule = len(springs.node_of), springs.rule[0]
    bones = np.bincount(np.concatenate([springs.inner, springs.outer]), minlength=count)
    held = np.zeros(count)
    held[springs.mass_of[len(figure.parent) + figure.task_tip]] = pull
    rows = (2.0 * float(rule.stiffness) * bones + held) / springs.weight
    return float(np.sqrt((4.0 - 2.0 * float(rule.damping)) / rows.max(initial=1e-300)))


def named_masses(value: Any) -> tuple[tuple[str, float], ...]:
    """Masses of joints by name, from pairs, from a mapping or from text, ``NAME:NUMBER,...``."""
    wrong = f"Expected `masses` as joints with numbers, such as 'LeftArm:2,Spine:3'; got {value!r}."
    if isinstance(value, str):
        value = [part.strip().rpartition(":")[::2] for part in value.split(",")]
    pairs = value.items() if isinstance(value, Mapping) else value
    try:
        found = tuple((name, float(mass)) for name, mass in pairs)
    except (TypeError, ValueError):
        raise InputError(wrong) from None
    if not all(isinstance(name, str) and name for name, _ in found):
        raise InputError(wrong)
    return found


def most_springs(figure: Figure) -> int:
    """Bones on the longest way from the root to a tip, at least one."""
    return max(1, int(figure.moves.sum(axis=1).max(initial=1)))
