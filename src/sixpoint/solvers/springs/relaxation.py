"""Relaxation: steps of masses and springs until they rest.

The end effectors are put on their targets, or pulled towards them, and the masses take damped steps
until every bone has its length and forces are small. On request (setting `cones`) each step also
puts masses back to where the limits of their joints allow, as the positional constraints of FABRIK
do; see `limit_masses`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_store,
    quat_unrotate,
)
from ...kernels.rotation import rotation_between
from ...kernels.vector import (
    vec_add,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..articulated.context import Context
from ..articulated.joint_rotation import NO_AXIS
from ..articulated.model import BALL, parent_rotation
from ..articulated.parts import lever, next_weighted
from .masses import (
    FORCE,
    FREE,
    PROJECTION,
    hold_masses,
    largest_force,
    projection_step,
    pull_masses,
    spring_energy,
    spring_forces,
    verlet_step,
)

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
CONE_STEPS = 200
"""Steps after which masses that limits hold back are at rest: their forces never balance."""


class Rest(NamedTuple):
    """When masses rest, and what pulls them."""

    steps: int  # most steps
    strain: float  # no length is farther off than this part of it, and forces are small
    near: float  # targets are this near [m]
    reach: float  # length of the longest chain [m], the unit of the clamp
    # 1; or, for targets that yield to each other, what pulls them over what holds bones
    soft: float


@helper
def limit_masses(c: Context, part: int) -> None:
    """Put free masses back to where the limits of their joints allow bones to point.

    These are the positional constraints of FABRIK (Aristidou and Lasenby 2011), for any kind of
    limit, from the root on: every ball joint that carries one bone turns it to its mass; where that
    turn is beyond the limit of the joint, the mass comes to lie on the nearest direction that is
    not, as far away as it was, and keeps its speed. Hinges, and joints that carry several bones,
    are left to the sweep that turns joints.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    springs, masses = c.scratch.springs, c.scratch.masses
    first = parts.first_joint[part]
    for joint in range(first, parts.last_joint[part]):
        above = model.parent[joint]
        inside = above >= first
        below = quat_load(masses.turned, above) if inside else parent_rotation(model, pose, joint)
        local = quat_load(pose.local, joint)
        child = next_weighted(parts, parts.child[joint])
        alone = child >= 0 and next_weighted(parts, parts.sibling[child]) < 0
        if model.freedom[joint] == BALL and alone:
            arm, node = lever(c, child)
            if node == child:
                mass = springs.mass_of[node]
                base = vec_load(masses.position, springs.mass_of[joint])
                here = vec_load(masses.position, mass)
                bone = vec_sub(here, base)
                there = quat_unrotate(below, bone)
                turn = rotation_between(quat_rotate(local, arm), there, NO_AXIS)
                wanted = quat_normalize(quat_mul(turn, local))
                local = limit_project(model.limits, joint, wanted)
                if local != wanted and masses.state[mass] == FREE:
                    along = quat_rotate(quat_mul(below, local), vec_unit(arm, (0.0, 0.0, 0.0)))
                    placed = vec_add(base, vec_scale(along, vec_length(bone)))
                    shift = vec_sub(placed, here)
                    vec_store(masses.position, mass, placed)
                    vec_store(masses.before, mass, vec_add(vec_load(masses.before, mass), shift))
        quat_store(masses.turned, joint, quat_mul(below, local))


@helper
def start_energy(c: Context, reach: float) -> float:
    """Energy of springs at rest whose held masses are put on their clamped targets."""
    masses = c.scratch.masses
    hold_masses(masses, START_CLAMP * reach)
    return spring_energy(masses, c.settings.stiffness)


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
    bounded = settings.cones and springs.free[part] == 0
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
        if bounded:
            limit_masses(c, part)
            if taken == CONE_STEPS:
                return taken, AT_REST
    return rest.steps, UNDERWAY
