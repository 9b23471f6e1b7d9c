"""Parts of a figure that shall not be in each other: rows of a Jacobian for those that are (X6).

Every part is a capsule on a row. The deepest pairs take the slots that a figure's tasks of kind
`APART` leave for them, three rows each, of which the first is used: it pushes the parts along the
line between their nearest points. Pairs that are apart ask for nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.capsule import way_apart
from ...kernels.quaternion import quat_load, quat_rotate
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import (
    vec_add,
    vec_cross,
    vec_dot,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from .figure import Figure, FigurePose

POINT = 1e-12
"""A line shorter than the root of this is a point [m^2]."""


class Capsules(NamedTuple):
    """C capsules on a figure of N rows, P pairs of them, K slots."""

    row: Ints
    """Row that carries each, (C,)."""
    start: Floats
    """One end of its line in the row's frame [m], (C, 3)."""
    end: Floats
    """The other, (C, 3)."""
    radius: Floats
    """(C,) [m]."""
    moves: Ints
    """Whether each row moves each capsule, (C, N)."""
    pair: Ints
    """Capsules that shall stay apart, (P, 2)."""
    margin: Floats
    """Distance that shall be left [m], (1,)."""
    first: Ints
    """Task of the first slot, (1,)."""
    chosen: Ints
    """Scratch: pair in each slot, -1 for none, (K,)."""
    depth: Floats
    """Scratch: how deep it is, margin and all [m], (K,)."""
    ends: Floats
    """Scratch: both ends of every line in the world [m], (C, 2, 3)."""
    near: Floats
    """Scratch: nearest points of the pair in each slot [m], (K, 2, 3)."""


@helper
def nearest_points(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> tuple[Vec3, Vec3]:
    """Of the lines from a to b and from c to d (Ericson 2004, section 5.1.9)."""
    one, other, apart = vec_sub(b, a), vec_sub(d, c), vec_sub(a, c)
    aa, ee = vec_dot(one, one), vec_dot(other, other)
    bb, cc, ff = vec_dot(one, other), vec_dot(one, apart), vec_dot(other, apart)
    cross = aa * ee - bb * bb
    s = 0.0
    if aa > POINT and cross > 1e-10 * aa * ee:
        s = min(max((bb * ff - cc * ee) / cross, 0.0), 1.0)
    t = (bb * s + ff) / ee if ee > POINT else 0.0
    if t < 0.0 or t > 1.0 or ee <= POINT:
        t = min(max(t, 0.0), 1.0)
        s = min(max((bb * t - cc) / aa, 0.0), 1.0) if aa > POINT else 0.0
    return vec_add(a, vec_scale(one, s)), vec_add(c, vec_scale(other, t))


@helper
def place_ends(pose: FigurePose, capsules: Capsules) -> None:
    """Where the ends of all lines are in the world."""
    for i in range(capsules.row.shape[0]):
        row = capsules.row[i]
        turn, place = quat_load(pose.world, row), vec_load(pose.place, row)
        vec_store(
            capsules.ends[i], 0, vec_add(place, quat_rotate(turn, vec_load(capsules.start, i)))
        )
        vec_store(capsules.ends[i], 1, vec_add(place, quat_rotate(turn, vec_load(capsules.end, i))))


@helper
def pair_points(capsules: Capsules, pair: int) -> tuple[Vec3, Vec3]:
    """Nearest points of two capsules whose ends are placed."""
    one, other = capsules.ends[capsules.pair[pair, 0]], capsules.ends[capsules.pair[pair, 1]]
    return nearest_points(
        vec_load(one, 0), vec_load(one, 1), vec_load(other, 0), vec_load(other, 1)
    )


@helper
def capsule_line(capsules: Capsules, i: int) -> Vec3:
    """From one end of a capsule's line to the other in the world [m]."""
    return vec_sub(vec_load(capsules.ends[i], 1), vec_load(capsules.ends[i], 0))


@helper
def apart_square(pose: FigurePose, capsules: Capsules) -> float:
    """Depths of all pairs, squared and summed [m^2]."""
    place_ends(pose, capsules)
    total = 0.0
    for p in range(capsules.pair.shape[0]):
        one, other = pair_points(capsules, p)
        reach = capsules.radius[capsules.pair[p, 0]] + capsules.radius[capsules.pair[p, 1]]
        depth = reach + capsules.margin[0] - vec_length(vec_sub(one, other))
        total += max(depth, 0.0) ** 2
    return total


@helper
def find_touching(
    figure: Figure, pose: FigurePose, capsules: Capsules, asked: Floats
) -> tuple[float, float]:
    """Fill the slots with the deepest pairs, and write what they ask for, weighted [m].

    Returns:
        The greatest depth, and the sum of all that are deep.
    """
    place_ends(pose, capsules)
    count = capsules.chosen.shape[0]
    for k in range(count):
        capsules.chosen[k], capsules.depth[k] = -1, 0.0
    deepest, total = 0.0, 0.0
    for p in range(capsules.pair.shape[0]):
        i, j = capsules.pair[p, 0], capsules.pair[p, 1]
        one, other = pair_points(capsules, p)
        gap = vec_length(vec_sub(one, other))
        depth = capsules.radius[i] + capsules.radius[j] + capsules.margin[0] - gap
        if not depth > 0.0:
            continue
        deepest, total = max(deepest, depth), total + depth
        slot = 0
        for k in range(1, count):
            if capsules.depth[k] < capsules.depth[slot]:
                slot = k
        if depth > capsules.depth[slot]:
            capsules.chosen[slot], capsules.depth[slot] = p, depth
            vec_store(capsules.near[slot], 0, one)
            vec_store(capsules.near[slot], 1, other)
    for k in range(count):
        task = capsules.first[0] + k
        asked[3 * task] = -figure.task_weight[task] * capsules.depth[k]
        asked[3 * task + 1], asked[3 * task + 2] = 0.0, 0.0
    return deepest, total


@helper
def touching_rows(
    figure: Figure, pose: FigurePose, capsules: Capsules, axes: Floats, jacobian: Floats
) -> None:
    """Change of the depths in the slots with every degree of freedom, weighted."""
    for k in range(capsules.chosen.shape[0]):
        task = capsules.first[0] + k
        for i in range(3 * task, 3 * task + 3):
            for c in range(jacobian.shape[1]):
                jacobian[i, c] = 0.0
        pair = capsules.chosen[k]
        if pair < 0:
            continue
        one, other = vec_load(capsules.near[k], 0), vec_load(capsules.near[k], 1)
        first, second = capsules.pair[pair, 0], capsules.pair[pair, 1]
        way = way_apart(one, other, capsule_line(capsules, first), capsule_line(capsules, second))
        away = vec_scale(way, -figure.task_weight[task])
        for row in range(figure.parent.shape[0]):
            moves, moved = capsules.moves[first, row], capsules.moves[second, row]
            if moves == moved:
                continue  # both go together, or neither
            point = one if moves else other
            arm = vec_sub(point, vec_load(pose.place, row))
            sign = 1.0 if moves else -1.0
            for c in range(figure.first[row], figure.first[row] + figure.freedom[row]):
                speed = vec_cross(vec_load(axes, c), arm)
                jacobian[3 * task, c] = sign * vec_dot(speed, away)


@helper
def with_touching(
    figure: Figure,
    pose: FigurePose,
    capsules: Capsules,
    asked: Floats,
    found: tuple[float, float],
) -> tuple[float, float]:
    """Largest and summed error of all tasks: those of the points given, and the depths."""
    if capsules.pair.shape[0] == 0:
        return found
    deepest, total = find_touching(figure, pose, capsules, asked)
    return max(found[0], deepest), found[1] + total
