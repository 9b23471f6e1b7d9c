"""Masses at the joints of a skeleton, springs for its bones: forces, damped steps, rest.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012). Rotations
are forgotten while masses move. With d from a mass to its neighbour and l the length of the bone

    F = sum k (|d| - l) d / |d|            x+ = x + (1 - damping) (x - x-) + step^2 F / m

which is Stoermer-Verlet, Eq. (1) of the paper, with the damping that it needs to come to rest.

Functions of a context `c` expect a `Scratch` in `c.scratch`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.types import Vec3
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
)
from ..articulated.context import Context
from ..articulated.parts import node_position
from .tables import Masses, Springs

FORCE, POSITION_BASED = 0, 1
"""Methods 1 and 2 of the paper: targets pull masses, or masses are put on them."""
PROJECTION = 1
"""Choice of `SpringPositionSolver.relax` besides Verlet steps."""
FREE, BASE, HELD = 0, 1, 2
"""What a mass is: free, where the skeleton is fastened, or one with a target."""
SOLVED, AT_REST, UNDERWAY = 0, 1, 2
"""How a relaxation ended: bones have their lengths; forces balance, though they have not; neither,
the budget is spent."""
BALANCED = 1e-4
"""Forces below this part of what the tightest spring holds balance."""
CHECK_INTERVAL = 8
"""Steps between two looks at whether forces balance."""
START_CLAMP = 0.5
"""Where the energy of a new target is measured, it is no farther away than this part of the
reach."""


class Rest(NamedTuple):
    """When masses rest, and what pulls them."""

    steps: int
    """Most steps."""
    strain: float
    """No length is farther off than this part of it, and forces are small."""
    near: float
    """Targets are this near [m]."""
    reach: float
    """Length of the longest chain [m], the unit of the clamp."""
    soft: float
    """1; or, for targets that yield to each other, what pulls them over what holds bones."""


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
    for mass in own:
        masses.load[mass] = 0.0
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
        pull = vec_scale(bone, stiffness * over / length if length > 0.0 else 0.0)
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
    """Energy of the springs, half k times the square of what each is too long."""
    total = 0.0
    for k in range(masses.size[0]):
        here = vec_load(masses.position, masses.ends[k, 0])
        there = vec_load(masses.position, masses.ends[k, 1])
        total += (vec_distance(here, there) - masses.length[k]) ** 2
    return 0.5 * stiffness * total


@helper
def start_energy(c: Context, part: int, reach: float) -> float:
    """Energy of springs at rest whose held masses are put on their clamped targets.

    Masses are put back where the skeleton is.
    """
    masses = c.scratch.masses
    hold_masses(masses, START_CLAMP * reach)
    energy = spring_energy(masses, c.settings.stiffness)
    place_masses(c, part)
    return energy


@helper
def relax(c: Context, part: int, rest: Rest) -> tuple[int, int]:
    """Step masses that have been placed until they rest; steps taken, and how it ended."""
    settings, springs, masses = c.settings, c.scratch.springs, c.scratch.masses
    stiffness = settings.stiffness
    # Targets that yield must pull by their distance: clamped, all would pull alike.
    clamp = settings.clamp * rest.reach if rest.soft >= 1.0 else math.inf
    by_force = settings.method == FORCE or rest.soft < 1.0
    pull = rest.soft * (settings.pull if settings.method == FORCE else stiffness)
    least = settings.force * stiffness * springs.unit[part]
    step = settings.step
    if settings.method != FORCE and by_force:  # the step is stable without a pull: allow for it
        step *= math.sqrt(stiffness / (stiffness + 0.25 * pull))
    farthest = math.inf
    for taken in range(rest.steps + 1):
        if not by_force and farthest > 0.0:  # once there, held masses stay
            farthest = hold_masses(masses, clamp)
        over = spring_forces(masses, stiffness)
        if by_force:
            farthest = pull_masses(masses, pull, clamp)
        if over <= rest.strain or taken % CHECK_INTERVAL == 0:
            force = largest_force(masses, not by_force)
            if over <= rest.strain and force <= least and farthest <= rest.near:
                return taken, SOLVED
            balanced = force <= BALANCED * over * stiffness * springs.unit[part]
            if balanced and (by_force or farthest <= rest.near):
                return taken, AT_REST
        if taken == rest.steps:
            break
        if settings.relax == PROJECTION and not by_force:
            projection_step(masses)
        else:
            verlet_step(springs, masses, step, settings.damping, not by_force)
    return rest.steps, UNDERWAY
