"""Masses at the joints of a figure, springs for its bones: forces, damped steps, rest.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012). Rotations
are forgotten while masses move. With d from a mass to its neighbour and l the length of the bone

    F = sum k (|d| - l) d / |d|            x+ = x + (1 - damping) (x - x-) + step^2 F / m

which is Stoermer-Verlet, Eq. (1) of the paper, with the damping that it needs to come to rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from ...kernels._jit import helper
from ...kernels.types import Floats, Ints, Vec3
from ...kernels.vector import (
    as3,
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from .figure import Figure, FigurePose
from .parts import Parts
from .tables import RecordArray

FORCE, POSITION_BASED = 0, 1
"""Methods 1 and 2 of the paper: targets pull masses, or masses are put on them."""
FREE, BASE, HELD = 0, 1, 2
"""What a mass is: free, where the figure is fastened, or one with a target."""
SOLVED, AT_REST, UNDERWAY = 0, 1, 2
"""How a relaxation ended: bones have their lengths; forces balance, though they have not; neither,
the budget is spent."""
BALANCED = 1e-4
"""Forces below this part of what the tightest spring holds balance."""
GLANCE = 8
"""Steps between two looks at whether forces balance."""

RULE = cast(
    "np.dtype[np.record]",
    np.dtype(
        (
            np.record,
            [
                ("method", "i8"),  # FORCE or POSITION_BASED
                ("projection", "i8"),  # move masses to the lengths of bones instead of Verlet steps
                ("step", "f8"),  # time [sqrt(kg m / N)]: what counts is step^2 stiffness / mass
                ("damping", "f8"),  # part of the speed that a step takes
                ("stiffness", "f8"),  # k of the bones
                ("pull", "f8"),  # k of the targets, method 1
                ("clamp", "f8"),  # most that a target is moved in a step, in chain lengths
                ("strain", "f8"),  # greatest error of a bone's length at rest, over its length
                ("force", "f8"),  # greatest force on a free mass at rest, over k times a mean bone
                ("pairs", "i8"),  # rotations from pairs of masses, not from where bones begin
                ("branch", "i8"),  # how a joint of several chains turns, as in `spring_turns`
                ("arc", "i8"),  # lever of what is passed to a parent: along the bones, or straight
                ("sweeps", "i8"),  # most sweeps of the constraint solver
            ],
        )
    ),
)
Rule: TypeAlias = np.record
"""How springs are stepped and what is rest, a record of `RULE`."""


class Springs(NamedTuple):
    """S springs and M masses of a figure with N rows and E tips, in P parts; and scratch memory.

    Nodes (rows, then tips) that lie at one place of one rigid bone share a mass.
    """

    rule: RecordArray
    first_mass: Ints
    """(P,)."""
    last_mass: Ints
    """One more than the last, (P,)."""
    first_spring: Ints
    """(P,)."""
    last_spring: Ints
    """One more than the last, (P,)."""
    mass_of: Ints
    """Mass of each node, -1 for none, (N + E,)."""
    node_of: Ints
    """First node of each mass, (M,)."""
    weight: Floats
    """(M,)."""
    lightness: Floats
    """One over the weight, (M,)."""
    inner: Ints
    """Mass of each spring nearer to the root, (S,)."""
    outer: Ints
    """And the other one, (S,)."""
    rest: Floats
    """Length of each spring at rest [m], (S,)."""
    unit: Floats
    """Mean length of the springs of each part [m], (P,)."""
    plain: Ints
    """Whether springs know all of a part: ball joints without limits, in one chain, (P,)."""
    preferred: Ints
    """Child node of each row whose chain is preferred; -1: the heaviest, (N,)."""
    start: Floats
    """Local rotation of each row in the first pose, (N, 4)."""
    state: Ints
    """`FREE`, `BASE` or `HELD`, (M,)."""
    active: Ints
    """Springs on the way to a target, (S,)."""
    ends: Ints
    """Their masses, (S, 2)."""
    length: Floats
    """Their lengths at rest [m], (S,)."""
    inverse: Floats
    """One over these, (S,)."""
    moving: Ints
    """Masses on the way to a target that are not fastened, (M,)."""
    place: Floats
    """[m], (M, 3)."""
    before: Floats
    """A step earlier [m], (M, 3)."""
    force: Floats
    """(M, 3)."""
    goal: Floats
    """Target of a held mass, within reach [m], (M, 3)."""
    grip: Floats
    """Weight of a held mass over the greatest, (M,)."""
    energy: Floats
    """Of the springs of each part when its targets were first asked for, (P,)."""


@helper
def place_masses(figure: Figure, pose: FigurePose, springs: Springs, part: int) -> None:
    """Masses of a part where the figure is, at rest."""
    rows = figure.parent.shape[0]
    for mass in range(springs.first_mass[part], springs.last_mass[part]):
        node = springs.node_of[mass]
        place = vec_load(pose.place, node) if node < rows else vec_load(pose.tips, node - rows)
        vec_store(springs.place, mass, place)
        vec_store(springs.before, mass, place)


@helper
def read_masses(figure: Figure, parts: Parts, springs: Springs, part: int) -> None:
    """Where masses are, as goals of the nodes of a part."""
    for node in range(springs.mass_of.shape[0]):
        mass = springs.mass_of[node]
        if springs.first_mass[part] <= mass < springs.last_mass[part]:
            vec_store(parts.wanted, node, vec_load(springs.place, mass))


@helper
def read_nodes(figure: Figure, springs: Springs, rigid: bool, out: Floats) -> None:
    """Where masses are, for all nodes (N + E, 3); `rigid` bones get their lengths, root first."""
    rows = figure.parent.shape[0]
    for node in range(springs.mass_of.shape[0]):
        place = vec_load(springs.place, springs.mass_of[node])
        above = figure.parent[node] if node < rows else figure.tip_row[node - rows]
        if rigid and above >= 0:
            bone = figure.offset[node] if node < rows else figure.tip_offset[node - rows]
            length = vec_length(as3(bone))
            begin = vec_load(out, above)
            along = vec_unit(vec_sub(place, begin), (0.0, 1.0, 0.0))
            place = vec_add(begin, vec_scale(along, length))
        vec_store(out, node, place)


@helper
def gather(parts: Parts, springs: Springs, part: int) -> tuple[int, int]:
    """List the springs and masses that have to do with a target; their numbers."""
    springs_count, masses_count = 0, 0
    for spring in range(springs.first_spring[part], springs.last_spring[part]):
        one, other = springs.node_of[springs.inner[spring]], springs.node_of[springs.outer[spring]]
        if parts.votes[one] > 0.0 and parts.votes[other] > 0.0:
            springs.active[springs_count] = spring
            springs.ends[springs_count, 0] = springs.inner[spring]
            springs.ends[springs_count, 1] = springs.outer[spring]
            springs.length[springs_count] = springs.rest[spring]
            springs.inverse[springs_count] = 1.0 / springs.rest[spring]
            springs_count += 1
    for mass in range(springs.first_mass[part], springs.last_mass[part]):
        if springs.state[mass] != BASE and parts.votes[springs.node_of[mass]] > 0.0:
            springs.moving[masses_count] = mass
            masses_count += 1
    return springs_count, masses_count


@helper
def clamped(here: Vec3, goal: Vec3, most: float) -> Vec3:
    """A target no farther away than `most` (Buss and Kim): far ones would set masses swinging."""
    away = vec_distance(here, goal)
    if away <= most:
        return goal
    return vec_add(here, vec_scale(vec_sub(goal, here), most / away))


@helper
def hold_masses(springs: Springs, masses: int, most: float) -> float:
    """Put held masses on their clamped targets (method 2); the farthest that one still is [m]."""
    farthest = 0.0
    for k in range(masses):
        mass = springs.moving[k]
        if springs.state[mass] == HELD:
            goal = vec_load(springs.goal, mass)
            place = clamped(vec_load(springs.place, mass), goal, most)
            vec_store(springs.place, mass, place)
            vec_store(springs.before, mass, place)
            farthest = max(farthest, vec_distance(place, goal))
    return farthest


@helper
def spring_forces(springs: Springs, count: int, masses: int, stiffness: float) -> float:
    """Net force of the springs on every mass (Hooke); greatest error of a length, over it."""
    place, force, ends = springs.place, springs.force, springs.ends
    worst = 0.0
    for k in range(masses):
        mass = springs.moving[k]
        force[mass, 0] = 0.0
        force[mass, 1] = 0.0
        force[mass, 2] = 0.0
    for k in range(count):
        a, b = ends[k, 0], ends[k, 1]
        rest = springs.length[k]
        x = place[b, 0] - place[a, 0]
        y = place[b, 1] - place[a, 1]
        z = place[b, 2] - place[a, 2]
        length = math.sqrt(x * x + y * y + z * z)
        over = length - rest
        worst = max(worst, abs(over) * springs.inverse[k])
        scale = stiffness * over / length if length > 0.0 else 0.0
        force[a, 0] += scale * x
        force[a, 1] += scale * y
        force[a, 2] += scale * z
        force[b, 0] -= scale * x
        force[b, 1] -= scale * y
        force[b, 2] -= scale * z
    return worst


@helper
def pull_masses(springs: Springs, masses: int, pull: float, most: float) -> float:
    """Let clamped targets pull held masses (method 1, A4.1); the farthest that one is [m]."""
    farthest = 0.0
    for k in range(masses):
        mass = springs.moving[k]
        if springs.state[mass] == HELD:
            here, goal = vec_load(springs.place, mass), vec_load(springs.goal, mass)
            farthest = max(farthest, vec_distance(here, goal))
            pulled = vec_scale(vec_sub(clamped(here, goal, most), here), pull * springs.grip[mass])
            vec_store(springs.force, mass, vec_add(vec_load(springs.force, mass), pulled))
    return farthest


@helper
def verlet_step(springs: Springs, masses: int, step: float, damping: float, fixed: bool) -> None:
    """One damped Stoermer-Verlet step of all free masses, and of held ones unless `fixed`."""
    place, before, force = springs.place, springs.before, springs.force
    kept = 1.0 - damping
    for k in range(masses):
        mass = springs.moving[k]
        if fixed and springs.state[mass] == HELD:
            continue
        push = step * step * springs.lightness[mass]
        x, y, z = place[mass, 0], place[mass, 1], place[mass, 2]
        place[mass, 0] = x + kept * (x - before[mass, 0]) + push * force[mass, 0]
        place[mass, 1] = y + kept * (y - before[mass, 1]) + push * force[mass, 1]
        place[mass, 2] = z + kept * (z - before[mass, 2]) + push * force[mass, 2]
        before[mass, 0], before[mass, 1], before[mass, 2] = x, y, z


@helper
def projection_step(springs: Springs, count: int) -> None:
    """Give every bone its length, the root's first: half of the excess to each free end (A4.5)."""
    for k in range(count):
        spring = springs.active[k]
        a, b = springs.inner[spring], springs.outer[spring]
        here, there = vec_load(springs.place, a), vec_load(springs.place, b)
        length = vec_distance(here, there)
        if not length > 0.0:
            continue
        excess = vec_scale(vec_sub(there, here), (length - springs.rest[spring]) / length)
        loose_a, loose_b = springs.state[a] == FREE, springs.state[b] == FREE
        share = 0.5 if loose_a and loose_b else 1.0
        if loose_a:
            vec_store(springs.place, a, vec_add(here, vec_scale(excess, share)))
        if loose_b:
            vec_store(springs.place, b, vec_sub(there, vec_scale(excess, share)))


@helper
def largest_force(springs: Springs, masses: int, fixed: bool) -> float:
    """Greatest force on a mass that may move. Their sum would not do: it is zero (A4.2)."""
    worst = 0.0
    for k in range(masses):
        mass = springs.moving[k]
        if not (fixed and springs.state[mass] == HELD):
            x, y, z = vec_load(springs.force, mass)
            worst = max(worst, x * x + y * y + z * z)
    return math.sqrt(worst)


@helper
def spring_energy(springs: Springs, count: int, stiffness: float) -> float:
    """Energy of the springs, half k times the square of what each is too long."""
    total = 0.0
    for k in range(count):
        spring = springs.active[k]
        a, b = springs.inner[spring], springs.outer[spring]
        away = vec_distance(vec_load(springs.place, a), vec_load(springs.place, b))
        total += (away - springs.rest[spring]) ** 2
    return 0.5 * stiffness * total


@helper
def relax(
    springs: Springs,
    part: int,
    count: int,
    masses: int,
    most: int,
    strain: float,
    near: float,
    reach: float,
    soft: float,
) -> tuple[int, int]:
    """Step masses until they rest.

    Args:
        springs: with masses placed.
        part: of the figure.
        count: active springs.
        masses: moving masses.
        most: steps.
        strain: rest is where no length is farther off than this part of it, and forces are small.
        near: and targets are this near [m].
        reach: length of the longest chain [m], the unit of the clamp.
        soft: 1, or less for targets that give way to each other: what pulls them, against bones.

    Returns:
        Steps taken, and how it ended.
    """
    rule = springs.rule[0]
    stiffness = rule.stiffness
    # Targets that give way must pull by their distance: clamped, all would pull alike.
    clamp = rule.clamp * reach if soft >= 1.0 else math.inf
    by_force = rule.method == FORCE or soft < 1.0
    pull = soft * (rule.pull if rule.method == FORCE else stiffness)
    least = rule.force * stiffness * springs.unit[part]
    step = rule.step
    if rule.method != FORCE and by_force:  # the step is stable without a pull: allow for it
        step *= math.sqrt(stiffness / (stiffness + 0.25 * pull))
    farthest = math.inf
    for taken in range(most + 1):
        if not by_force and farthest > 0.0:  # once there, held masses stay
            farthest = hold_masses(springs, masses, clamp)
        over = spring_forces(springs, count, masses, stiffness)
        if by_force:
            farthest = pull_masses(springs, masses, pull, clamp)
        if over <= strain or taken % GLANCE == 0:
            force = largest_force(springs, masses, not by_force)
            if over <= strain and force <= least and farthest <= near:
                return taken, SOLVED
            balanced = force <= BALANCED * over * stiffness * springs.unit[part]
            if balanced and (by_force or farthest <= near):
                return taken, AT_REST
        if taken == most:
            break
        if rule.projection and not by_force:
            projection_step(springs, count)
        else:
            verlet_step(springs, masses, step, rule.damping, not by_force)
    return most, UNDERWAY
