"""Masses at the joints of a skeleton, springs for its bones: tables, forces, damped steps.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012). Rotations
are forgotten while masses move. With d from a mass to its neighbour and l the length of the bone

    F = sum k (|d| - l) d / |d|            x+ = x + (1 - damping) (x - x-) + step^2 F / m

which is Stoermer-Verlet, Eq. (1) of the paper, with the damping that it needs to come to rest.

There is a mass for every joint and end effector, and a spring for every bone. *Nodes* are the
joints, then the end effectors. Functions of a context `c` expect a `Scratch` in `c.scratch`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, NamedTuple

import numpy as np

from ...kernels import limits
from ...kernels._jit import helper
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from ..articulated.build import new_pose
from ..articulated.context import Context
from ..articulated.model import BALL, Model, new_memory
from ..articulated.parts import NO_BONE, Parts, Ranges, new_parts, node_position

FORCE, POSITION_BASED = 0, 1
"""Methods 1 and 2 of the paper: targets pull masses, or masses are put on them."""
PROJECTION = 1
"""Choice of `SpringPositionSolver.relax` besides Verlet steps."""
FREE, BASE, HELD = 0, 1, 2
"""What a mass is: free, where the skeleton is fastened, or one with a target."""


class NodeWeights(NamedTuple):
    """Joints and bones that are heavier or stiffer than the others."""

    masses: Mapping[int, float] = MappingProxyType({})
    """Joint -> its mass over that of the others."""
    hardness: Mapping[int, float] = MappingProxyType({})
    """Node -> stiffness of the bone that leads to it, over that of the others."""


class Springs(NamedTuple):
    """S springs and M masses of a model with N joints and E end effectors, in P parts."""

    mass_range: Ints  # first mass of each part, and one more than its last, (P, 2)
    spring_range: Ints  # first spring of each part, and one more than its last, (P, 2)
    mass_of: Ints  # mass of each node, -1 for none, (N + E,)
    node_of: Ints  # first node of each mass, (M,)
    lightness: Floats  # one over each mass, (M,)
    ends: Ints  # masses of each spring, (S, 2)
    rest: Floats  # length of each spring at rest [m], (S,)
    hardness: Floats  # stiffness of each spring over that of the settings, (S,)
    unit: Floats  # mean length of the bones of each part [m], (P,)
    # whether springs know all of a part: ball joints without limits, in one chain, (P,)
    plain: Ints
    free: Ints  # whether no joint of a part has a limit, (P,)
    preferred: Ints  # child node of each joint whose chain is preferred; -1: the heaviest, (N,)
    start: Floats  # local rotation of each joint in the first pose, (N, 4)


class Masses(NamedTuple):
    """Where M masses are, and scratch memory of the part that is solved, with S springs."""

    state: Annotated[Ints, "M"]  # `FREE`, `BASE` or `HELD`
    size: Annotated[Ints, 2]  # number of springs, and of masses, that have to do with a target
    ends: Annotated[Ints, "S", 2]  # masses of these springs
    length: Annotated[Floats, "S"]  # lengths of these springs at rest [m]
    inverse: Annotated[Floats, "S"]  # one over these
    hardness: Annotated[Floats, "S"]  # their stiffness over that of the settings
    moving: Annotated[Ints, "M"]  # the masses that have to do with a target and are not fastened
    position: Annotated[Floats, "M", 3]  # [m]
    before: Annotated[Floats, "M", 3]  # positions a step earlier [m]
    force: Annotated[Floats, "M", 3]
    goal: Annotated[Floats, "M", 3]  # target of a held mass, within reach [m]
    grip: Annotated[Floats, "M"]  # weight of a held mass over the greatest
    load: Annotated[Floats, "M"]  # weight of the targets that each mass carries
    kept: Annotated[Floats, "N", 4]  # local rotations of joints before they turned back
    turned: Annotated[Floats, "N", 4]  # world rotations of joints by the masses, within limits
    # of the springs of each part when its targets were first asked for
    energy: Annotated[Floats, "P"]


class Scratch(NamedTuple):
    """What kernels are given besides the model and its pose."""

    parts: Parts
    springs: Springs
    masses: Masses
    # local rotations that frames start from: of each frame, one for all, or none, (F, N, 4)
    starts: Annotated[Floats, 0, "N", 4]


def new_springs(
    model: Model,
    ranges: Ranges,
    *,
    mass: float = 1.0,
    weights: NodeWeights = NodeWeights(),  # noqa: B008 (immutable)
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
        weights: of some joints and bones, instead.
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
    hardness: list[float] = []
    mass_range, spring_range, unit, plain, free = [], [], [], [], []
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
                hardness.append(weights.hardness.get(node, 1.0))
        lengths = [length for _, _, length in springs[first_spring:]]
        if braces:
            own = [node for node in node_of[first_mass:] if above[node] in part]
            for k, one in enumerate(own):
                for other in own[k + 1 :]:
                    if above[one] == above[other]:
                        length = float(np.linalg.norm(offset[other] - offset[one]))
                        springs.append((int(mass_of[one]), int(mass_of[other]), length))
                        hardness.append(1.0)
        mass_range.append((first_mass, len(node_of)))
        spring_range.append((first_spring, len(springs)))
        unit.append(float(np.mean(lengths)) if lengths else float(model.size[0]))
        free.append((model.limits["kind"][part.start : part.stop] == limits.FREE).all())
        plain.append(free[-1] and _is_plain(model, part, ends))
    ends_of = np.array([(a, b) for a, b, _ in springs], np.int64).reshape(-1, 2)
    degree = np.bincount(ends_of.ravel(), minlength=len(node_of))
    weight = mass * np.maximum(0.5 * degree, 1.0)
    for joint, times in weights.masses.items():
        if mass_of[joint] >= 0:
            weight[mass_of[joint]] *= times
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
        hardness=np.array(hardness, np.float64),
        unit=np.array(unit, np.float64),
        plain=np.array(plain, np.int64),
        free=np.array(free, np.int64),
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
    """Whether a part is one chain of ball joints: without limits, springs know all of it."""
    freedom = model.freedom[part.start : part.stop]
    straight = all(model.parent[joint] == joint - 1 for joint in part[1:])
    return bool((freedom == BALL).all() and straight and len(ends) == 1)


def new_scratch(model: Model, ranges: Ranges, springs: Springs) -> Scratch:
    """Return springs with fresh memory."""
    joints = {"N": len(model.parent)}
    sizes = {"M": len(springs.node_of), "S": len(springs.rest), "P": len(ranges), **joints}
    parts, masses = new_parts(model, ranges), new_memory(Masses, sizes)
    return new_memory(Scratch, joints, parts=parts, springs=springs, masses=masses)


@helper
def place_masses(c: Context, part: int) -> None:
    """Put the masses of a part where the skeleton is, at rest."""
    springs, masses = c.scratch.springs, c.scratch.masses
    for mass in range(springs.mass_range[part, 0], springs.mass_range[part, 1]):
        position = node_position(c.model, c.pose, springs.node_of[mass])
        vec_store(masses.position, mass, position)
        vec_store(masses.before, mass, position)


@helper
def gather(c: Context, part: int) -> None:
    """List the springs and masses that have to do with a target."""
    springs, masses, weights = c.scratch.springs, c.scratch.masses, c.scratch.parts.weights
    own = range(springs.mass_range[part, 0], springs.mass_range[part, 1])
    masses.load[springs.mass_range[part, 0] : springs.mass_range[part, 1]] = 0.0
    for node in range(springs.mass_of.shape[0]):
        mass = springs.mass_of[node]
        if mass >= 0:
            masses.load[mass] = max(masses.load[mass], weights[node])
    count = 0
    for spring in range(springs.spring_range[part, 0], springs.spring_range[part, 1]):
        a, b = springs.ends[spring, 0], springs.ends[spring, 1]
        if masses.load[a] > 0.0 and masses.load[b] > 0.0:
            masses.ends[count, 0] = a
            masses.ends[count, 1] = b
            masses.length[count] = springs.rest[spring]
            masses.inverse[count] = 1.0 / springs.rest[spring]
            masses.hardness[count] = springs.hardness[spring]
            count += 1
    masses.size[0] = count
    count = 0
    for mass in own:
        if masses.state[mass] != BASE and masses.load[mass] > 0.0:
            masses.moving[count] = mass
            count += 1
    masses.size[1] = count


@helper
def clamped(here: Vec3, goal: Vec3, most: float) -> Vec3:
    """A target no farther away than `most` (Buss and Kim): far ones would set masses swinging."""
    away = vec_distance(here, goal)
    if away <= most:
        return goal
    return vec_add(here, vec_scale(vec_sub(goal, here), most / away))


@helper
def hold_masses(masses: Masses, most: float) -> float:
    """Put held masses on their clamped targets (method 2); the farthest that one still is [m]."""
    farthest = 0.0
    for k in range(masses.size[1]):
        mass = masses.moving[k]
        if masses.state[mass] == HELD:
            goal = vec_load(masses.goal, mass)
            position = clamped(vec_load(masses.position, mass), goal, most)
            vec_store(masses.position, mass, position)
            vec_store(masses.before, mass, position)
            farthest = max(farthest, vec_distance(position, goal))
    return farthest


@helper
def spring_forces(masses: Masses, stiffness: float) -> float:
    """Net force of the springs on every mass (Hooke); greatest error of a length, over it."""
    position, force = masses.position, masses.force
    worst = 0.0
    for k in range(masses.size[1]):
        vec_store(force, masses.moving[k], (0.0, 0.0, 0.0))
    for k in range(masses.size[0]):
        a, b = masses.ends[k, 0], masses.ends[k, 1]
        bone = vec_sub(vec_load(position, b), vec_load(position, a))
        length = vec_length(bone)
        over = length - masses.length[k]
        worst = max(worst, abs(over) * masses.inverse[k])
        pulled = stiffness * masses.hardness[k] * over
        pull = vec_scale(bone, pulled / length if length > 0.0 else 0.0)
        vec_store(force, a, vec_add(vec_load(force, a), pull))
        vec_store(force, b, vec_sub(vec_load(force, b), pull))
    return worst


@helper
def pull_masses(masses: Masses, pull: float, most: float) -> float:
    """Let clamped targets pull held masses (method 1); the farthest that one is [m]."""
    farthest = 0.0
    for k in range(masses.size[1]):
        mass = masses.moving[k]
        if masses.state[mass] == HELD:
            here, goal = vec_load(masses.position, mass), vec_load(masses.goal, mass)
            farthest = max(farthest, vec_distance(here, goal))
            pulled = vec_scale(vec_sub(clamped(here, goal, most), here), pull * masses.grip[mass])
            vec_store(masses.force, mass, vec_add(vec_load(masses.force, mass), pulled))
    return farthest


@helper
def verlet_step(springs: Springs, masses: Masses, step: float, damping: float, fixed: bool) -> None:
    """One damped Stoermer-Verlet step of all free masses, and of held ones unless `fixed`."""
    for k in range(masses.size[1]):
        mass = masses.moving[k]
        if fixed and masses.state[mass] == HELD:
            continue
        here = vec_load(masses.position, mass)
        speed = vec_scale(vec_sub(here, vec_load(masses.before, mass)), 1.0 - damping)
        push = step * step * springs.lightness[mass]
        moved = vec_add(vec_add(here, speed), vec_scale(vec_load(masses.force, mass), push))
        vec_store(masses.position, mass, moved)
        vec_store(masses.before, mass, here)


@helper
def projection_step(masses: Masses) -> None:
    """Give every bone its length, the root's first: half of the excess to each free end."""
    for k in range(masses.size[0]):
        a, b = masses.ends[k, 0], masses.ends[k, 1]
        here, there = vec_load(masses.position, a), vec_load(masses.position, b)
        length = vec_distance(here, there)
        if not length > 0.0:
            continue
        excess = vec_scale(vec_sub(there, here), (length - masses.length[k]) / length)
        free_a, free_b = masses.state[a] == FREE, masses.state[b] == FREE
        share = 0.5 if free_a and free_b else 1.0
        if free_a:
            vec_store(masses.position, a, vec_add(here, vec_scale(excess, share)))
        if free_b:
            vec_store(masses.position, b, vec_sub(there, vec_scale(excess, share)))


@helper
def largest_force(masses: Masses, fixed: bool) -> float:
    """Greatest force on a mass that may move; the sum of all forces would be zero."""
    worst = 0.0
    for k in range(masses.size[1]):
        mass = masses.moving[k]
        if not (fixed and masses.state[mass] == HELD):
            x, y, z = vec_load(masses.force, mass)
            worst = max(worst, x * x + y * y + z * z)
    return math.sqrt(worst)


@helper
def spring_energy(masses: Masses, stiffness: float) -> float:
    """Energy of the springs: the sum of half the stiffness times the excess length squared."""
    total = 0.0
    for k in range(masses.size[0]):
        here = vec_load(masses.position, masses.ends[k, 0])
        there = vec_load(masses.position, masses.ends[k, 1])
        total += masses.hardness[k] * (vec_distance(here, there) - masses.length[k]) ** 2
    return 0.5 * stiffness * total
