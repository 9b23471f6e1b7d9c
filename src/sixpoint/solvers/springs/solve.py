"""Frames of the mass-spring methods: people part by part, any other skeleton at once.

A sweep lets the springs come to rest, turns joints to where the masses are and passes what is
beyond a limit to parents. Where springs know all there is to know (ball joints, no limits, one
chain) the next sweep only asks for less strain; otherwise masses are put back on the skeleton, so
that they learn of hinges, limits and rigid branches, and it starts anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_normalize, quat_slerp, quat_store
from ...kernels.vector import (
    vec_add,
    vec_distance,
    vec_length,
    vec_load,
    vec_scale,
    vec_store,
    vec_sub,
    vec_unit,
)
from ..articulated.context import (
    Context,
    PersonContext,
    SkeletonContext,
    end_person,
    end_skeleton,
    has_start,
    person_kernel,
    share_spine_error,
    skeleton_kernel,
    stop_flags,
)
from ..articulated.model import Targets, copy_rotations, effectors_forward
from ..articulated.parts import (
    SPINE,
    begin_parts,
    bend_hinge,
    copy_part,
    has_target,
    is_stiff,
    is_straight,
    node_offset,
    part_flags,
    part_forward,
    part_residual,
    unlock_part,
)
from ..context import MET, NOT_MET, SPENT, STILL, Frames
from .masses import BASE, FREE, HELD, gather, place_masses
from .relaxation import AT_REST, SOLVED, Rest, relax, start_energy
from .rotations import constrain, cut_part, rebuild

MOST_REACH = 1.1
"""A target out of reach is pulled in to this part of the reach: the tension straightens a chain,
which at its mere length would hang loose."""
YIELDING_STIFFNESS = 0.02
"""Stiffness of targets that cannot all be met, against that of bones."""
PATIENCE = 3
"""Sweeps in a row that gain too little."""
STRAIN_FACTOR = 0.5
"""A chain that is not near enough is allowed this part of the strain in the next sweep."""


class Demand(NamedTuple):
    """The targets of a part."""

    targets: int
    weight: float  # the greatest of one
    reach: float  # length of the longest chain to one [m]


def solve_person(c: PersonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of a person: the root is placed as in sequential IK, then part after part.

    End effectors are the six points, in their order.
    """
    flags, estimate, targets = begin_parts(c, frames, frame)
    most, home = 0, 0.0 if has_start(frames) else c.settings.home
    for part in range(c.scratch.parts.first_joint.shape[0]):
        steps, reason, limited = settle(c, part, targets, part == SPINE, home)
        most = max(most, steps)
        flags |= part_flags(c, part, targets, reason, limited)
        frames.out.numbers[frame, part] = c.scratch.masses.energy[part]
    end_person(c, frames, frame, estimate, most, flags)


solve_people = person_kernel(solve_person)


def solve_skeleton(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Solve one frame of any skeleton, whose root stays where it is."""
    begin_batch(c, frame)
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    home = 0.0 if c.scratch.starts.shape[0] > 0 else c.settings.home
    steps, reason, _ = settle(c, 0, targets, False, home)
    effectors_forward(c.model, c.pose)  # those of no task, too
    end_skeleton(c, frames, frame, steps, stop_flags(reason))


solve_skeletons = skeleton_kernel(solve_skeleton)


def solve_position(c: SkeletonContext, frames: Frames, frame: int) -> None:
    """Let masses come to rest once; their positions are the points of the answer.

    Bones are as long as the settings ask for where targets are met. Where they are not, springs
    would stay too long, and bones are given their lengths instead, the root's first.
    """
    model, springs, masses, out = c.model, c.scratch.springs, c.scratch.masses, frames.out
    targets = Targets(frames.positions[frame], frames.rotations[frame])
    begin_batch(c, frame)
    part_forward(c, 0)
    demand = weigh_nodes(c, 0, targets)
    if unlock_part(c, 0, targets, False):
        part_forward(c, 0)
    set_goals(c, 0, targets, demand)
    gather(c, 0)
    place_masses(c, 0)
    settings = c.settings
    near = settings.tolerance * model.size[0]
    rest = Rest(settings.iterations, settings.strain, 0.5 * near, demand.reach, 1.0)
    out.iterations[frame], ended = relax(c, 0, rest)
    joints, nodes = model.parent.shape[0], out.points[frame]
    for node in range(nodes.shape[0]):
        position = vec_load(masses.position, springs.mass_of[node])
        above = model.parent[node] if node < joints else model.effector_joint[node - joints]
        if ended != SOLVED and above >= 0:
            begin = vec_load(nodes, above)
            along = vec_unit(vec_sub(position, begin), (0.0, 1.0, 0.0))
            length = vec_length(node_offset(model, node))
            position = vec_add(begin, vec_scale(along, length))
        vec_store(nodes, node, position)
    met = ended == SOLVED
    for task in range(model.task_kind.shape[0]):
        effector = model.task_effector[task]
        goal = vec_load(targets.positions, effector)
        if has_target(model, task, targets):
            met = met and vec_distance(goal, vec_load(nodes, joints + effector)) <= near
    out.flags[frame] = 0 if met else NOT_MET


solve_positions = skeleton_kernel(solve_position)


@helper
def begin_batch(c: Context, frame: int) -> None:
    """Start from a given pose, if there is one."""
    starts = c.scratch.starts
    if starts.shape[0] > 0:
        copy_rotations(starts[frame % starts.shape[0]], c.pose.local)


@helper
def settle(
    c: Context, part: int, targets: Targets, shared: bool, home: float
) -> tuple[int, int, bool]:
    """Solve a part; steps taken, why they ended, and whether the last sweep felt a limit.

    Joints first turn back by the part `home` of the way to the first pose.
    The error of a spine (`shared`) is split evenly between its ends. Every pose that is judged
    keeps bones, hinges and limits; the best one is the answer.
    """
    settings, pose = c.settings, c.pose
    parts, springs, masses = c.scratch.parts, c.scratch.springs, c.scratch.masses
    size = c.model.size[0]
    near = settings.tolerance * size
    plain = springs.plain[part] != 0 and not shared
    demand = weigh_nodes(c, part, targets)
    if not plain:
        cut_part(c, part)
    part_forward(c, part)
    if shared:
        share_spine_error(pose, targets)
    masses.energy[part] = asked_energy(c, part, targets, demand)
    if home > 0.0:
        copy_part(parts, part, pose.local, masses.kept)
        turn_home(c, part, home)
        if not plain:
            cut_part(c, part)
    steps, sweeps, ended, limited = 0, 0, AT_REST, False
    soft, strain = 1.0, settings.strain
    best, idle, fresh = math.inf, 0, False
    while True:
        part_forward(c, part)
        if shared:
            share_spine_error(pose, targets)
        worst, _, cost = part_residual(c, part, targets)
        if worst <= near:
            return steps, MET, limited
        error = math.sqrt(cost / demand.weight)
        idle = 0 if best - error > settings.least_gain * size else idle + 1
        if error < best:
            copy_part(parts, part, pose.local, parts.best)
            best = error
        spent = steps >= settings.iterations or sweeps >= settings.sweeps
        still = idle >= PATIENCE or (plain and ended == AT_REST)
        unlocked = False
        if (sweeps == 0 or still or not plain) and not spent:
            unlocked = bend_hinges(c, part, targets, idle > 0)
            unlocked = unlocked or unlock_part(c, part, targets, idle > 0)
            if unlocked:
                part_forward(c, part)
        stretched = (
            demand.targets > 1 and sweeps > 0 and soft == 1.0 and (ended == AT_REST or still)
        )
        if stretched and not unlocked:
            # Not all can be met at once: let them yield to each other by their weights.
            soft, still, idle, sweeps = YIELDING_STIFFNESS, False, 0, 1
            spent = steps >= settings.iterations
        ending = spent or (sweeps > 0 and still and not unlocked)
        if ending and limited and home > 0.0 and steps < settings.iterations:
            # Limits do not let springs make good what turning back lost: try without.
            home, soft, strain, sweeps, idle, spent = 0.0, 1.0, settings.strain, 0, 0, False
            copy_part(parts, part, masses.kept, pose.local)
            continue
        if ending and limited and not fresh and sweeps < settings.sweeps:
            # Limits hold it back from where it came: try from the first pose.
            fresh, ending, idle, unlocked = True, False, 0, False
            copy_part(parts, part, springs.start, pose.local)
            part_forward(c, part)
        if ending:
            copy_part(parts, part, parts.best, pose.local)
            part_forward(c, part)
            if shared:
                share_spine_error(pose, targets)
            return steps, SPENT if spent else STILL, limited
        if unlocked:
            idle = 0
        if sweeps == 0 or not plain or unlocked or soft < 1.0:
            set_goals(c, part, targets, demand)
            gather(c, part)
            place_masses(c, part)
        else:
            strain *= STRAIN_FACTOR
        rest = Rest(settings.iterations - steps, strain, 0.5 * near, demand.reach, soft)
        taken, ended = relax(c, part, rest)
        steps += taken
        read_masses(c, part)
        rebuild(c, part, sweeps == 0)
        if not plain:
            part_forward(c, part)
            limited = constrain(c, part, targets)
        sweeps += 1


@helper
def asked_energy(c: Context, part: int, targets: Targets, demand: Demand) -> float:
    """Energy that targets ask of the springs of a part that is placed; 0 where they are met."""
    worst, _, _ = part_residual(c, part, targets)
    if worst <= c.settings.tolerance * c.model.size[0]:
        return 0.0
    set_goals(c, part, targets, demand)
    gather(c, part)
    place_masses(c, part)
    return start_energy(c, demand.reach)


@helper
def turn_home(c: Context, part: int, share: float) -> None:
    """Turn joints that carry a target back by a share of the way to the first pose.

    What springs leave open (where an elbow lies, how a bone is twisted) would otherwise depend on
    the way that targets took, and drift. Springs then make good what targets lost by that.
    """
    parts, local = c.scratch.parts, c.pose.local
    for joint in range(parts.first_joint[part], parts.last_joint[part]):
        if c.model.freedom[joint] != 0 and parts.weights[joint] > 0.0:
            start = quat_load(c.scratch.springs.start, joint)
            turned = quat_slerp(quat_load(local, joint), start, share)
            quat_store(local, joint, quat_normalize(turned))


@helper
def weigh_nodes(c: Context, part: int, targets: Targets) -> Demand:
    """Write the weight of the targets that each node of a part carries."""
    model, parts = c.model, c.scratch.parts
    joints, first = model.parent.shape[0], parts.first_joint[part]
    count, greatest, reach = 0, 0.0, 0.0
    parts.weights[:] = 0.0  # of other parts, too: joints look at all they carry
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not has_target(model, task, targets):
            continue
        weight, effector = model.task_weight[task], model.task_effector[task]
        parts.weights[joints + effector] += weight
        joint = model.effector_joint[effector]
        while joint >= first:
            parts.weights[joint] += weight
            joint = model.parent[joint]
        count += 1
        greatest = max(greatest, weight)
        reach = max(reach, parts.reach[part, task])
    return Demand(count, greatest, reach)


@helper
def bend_hinges(c: Context, part: int, targets: Targets, still: bool) -> bool:
    """Bend hinges of limbs that are straight, or all but straight and `still`, to their own side.

    Masses on one line buckle to any side, and a hinge that is asked to bend the wrong way stays
    straight. Returns whether one was bent; then the part must be placed anew.
    """
    model, pose, parts = c.model, c.pose, c.scratch.parts
    near = c.settings.tolerance * model.size[0]
    bent = False
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not has_target(model, task, targets):
            continue
        effector = model.task_effector[task]
        goal = vec_load(targets.positions, effector)
        if vec_distance(goal, vec_load(pose.effectors, effector)) <= near:
            continue
        if not still and not is_straight(c, part, effector, goal):
            continue
        for joint in range(parts.first_joint[part], parts.last_joint[part]):
            moves = model.moves[effector, joint]
            if moves and is_stiff(model, pose, joint, effector, goal):
                bend_hinge(model, pose, joint, effector, goal)
                bent = True
    return bent


@helper
def set_goals(c: Context, part: int, targets: Targets, demand: Demand) -> None:
    """Say which masses have targets and where, pulled in where they are out of reach."""
    model, parts, springs, masses = c.model, c.scratch.parts, c.scratch.springs, c.scratch.masses
    first = parts.first_joint[part]
    base = vec_load(c.pose.position, first)
    own = range(springs.mass_range[part, 0], springs.mass_range[part, 1])
    for mass in own:
        masses.state[mass] = BASE if springs.node_of[mass] == first else FREE
        masses.grip[mass] = 0.0
        vec_store(masses.goal, mass, (0.0, 0.0, 0.0))
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not has_target(model, task, targets):
            continue
        effector = model.task_effector[task]
        mass = springs.mass_of[model.parent.shape[0] + effector]
        if masses.state[mass] == BASE:
            continue
        goal = vec_load(targets.positions, effector)
        most, far = MOST_REACH * parts.reach[part, task], vec_distance(goal, base)
        if far > most:
            goal = vec_add(base, vec_scale(vec_sub(goal, base), most / far))
        # Several targets of one mass: their mean, by weight.
        weight, before = model.task_weight[task] / demand.weight, masses.grip[mass]
        old = vec_load(masses.goal, mass)
        step = vec_scale(vec_sub(goal, old), weight / (before + weight))
        vec_store(masses.goal, mass, vec_add(old, step))
        masses.grip[mass] = before + weight
        masses.state[mass] = HELD
    strongest = 1.0
    for mass in own:
        strongest = max(strongest, masses.grip[mass])
    for mass in own:
        masses.grip[mass] /= strongest  # the step is stable for no more than one full pull


@helper
def read_masses(c: Context, part: int) -> None:
    """Take the positions of masses for goals of the nodes of a part."""
    springs, parts = c.scratch.springs, c.scratch.parts
    for node in range(springs.mass_of.shape[0]):
        mass = springs.mass_of[node]
        if springs.mass_range[part, 0] <= mass < springs.mass_range[part, 1]:
            vec_store(parts.goals, node, vec_load(c.scratch.masses.position, mass))
