"""Frames for the mass-spring methods: people part by part, any other figure at once.

A sweep lets the springs come to rest, turns joints to where the masses are and passes what is
beyond a limit to parents. Where springs know all there is to know (ball joints, no limits, one
chain) the next sweep only asks for less strain; otherwise masses are put back on the figure, so
that they learn of hinges, limits and rigid branches, and it starts anew.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper, kernel
from ...kernels.quaternion import quat_load, quat_store
from ...kernels.types import Bools, Floats, Ints
from ...kernels.vector import vec_distance, vec_load
from .descent import share_spine_error
from .figure import Figure, FigurePose, rows_forward, tip_forward
from .figure_frame import MET, SPENT, STILL, begin_person, end_figure, end_person, stop_flags
from .frame import PELVIS
from .parts import (
    Parts,
    bend,
    is_asked,
    is_stiff,
    is_straight,
    part_copy,
    part_forward,
    part_unlock,
    slack,
)
from .spring_goals import asked_energy, judge, longest_reach, meets, set_goals, weigh_nodes
from .spring_limits import constrain, within
from .spring_turns import rebuild
from .springs import (
    AT_REST,
    SOLVED,
    Springs,
    gather,
    place_masses,
    read_masses,
    read_nodes,
    relax,
)
from .tables import (
    LIMITED,
    SPINE_LIMITED,
    SPINE_STRETCHED,
    UNREACHABLE,
    FrameTable,
    RecordArray,
    Settings,
)

SPINE = 0
"""Part of a person whose error is shared by both ends."""
SOFT = 0.02
"""Stiffness of targets that cannot all be met, against that of bones."""
PATIENCE = 3
"""Sweeps in a row that gain too little."""
TIGHTER = 0.5
"""A chain that is not near enough is allowed this part of the strain in the next sweep."""


class Scratch(NamedTuple):
    """What the kernels are given besides the figure."""

    parts: Parts
    springs: Springs


@helper
def cut_all(figure: Figure, pose: FigurePose, parts: Parts, part: int) -> None:
    """Bring a part within its limits."""
    for row in range(parts.first_row[part], parts.last_row[part]):
        if figure.freedom[row] != 0:
            local = pose.local[row]
            held = within(figure, row, (local[0], local[1], local[2], local[3]))
            quat_store(pose.local, row, held)


@helper
def bend_hinges(
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    part: int,
    places: Floats,
    turns: Floats,
    near: float,
    still: bool,
) -> bool:
    """Bend hinges of limbs that are straight, or all but straight and `still`, to their own side.

    Masses on one line buckle to any side, and a hinge that is asked to bend the wrong way stays
    straight. Whether one was bent; then the part must be placed anew.
    """
    bent = False
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not is_asked(figure, task, places, turns):
            continue
        tip = figure.task_tip[task]
        goal = vec_load(places, tip)
        if vec_distance(goal, vec_load(pose.tips, tip)) <= near:
            continue
        if not still and not is_straight(figure, pose, parts, part, tip, goal):
            continue
        for row in range(parts.first_row[part], parts.last_row[part]):
            if figure.moves[tip, row] and is_stiff(figure, pose, row, tip, goal):
                bend(figure, pose, row, tip, goal)
                bent = True
    return bent


@helper
def settle(
    figure: Figure,
    settings: Settings,
    pose: FigurePose,
    scratch: Scratch,
    part: int,
    places: Floats,
    turns: Floats,
    shared: bool,
) -> tuple[int, int, bool]:
    """Solve a part; steps taken, why they ended, and whether the last sweep felt a limit.

    The error of a spine (`shared`) is split evenly between its ends (S0.16). Every pose that is
    judged keeps bones, hinges and limits; the best one is the answer.
    """
    parts, springs = scratch.parts, scratch.springs
    rule = springs.rule[0]
    near = settings.tolerance * figure.size[0]
    plain = springs.plain[part] != 0 and not shared
    springs.energy[part] = 0.0
    asked, greatest = weigh_nodes(figure, parts, part, places, turns)
    if not plain:
        cut_all(figure, pose, parts, part)
    active, masses = 0, 0
    steps, sweeps, limited, ended, soft = 0, 0, False, AT_REST, 1.0
    strain, reach = rule.strain, longest_reach(figure, parts, part, places, turns)
    best, idle, fresh = math.inf, 0, False
    while True:
        part_forward(figure, pose, parts, part)
        if shared:
            share_spine_error(pose, places)
        worst, cost = judge(figure, pose, parts, part, places, turns)
        if worst <= near:
            return steps, MET, limited
        error = math.sqrt(cost / greatest)
        idle = 0 if best - error > settings.least_gain * figure.size[0] else idle + 1
        if error < best:
            part_copy(parts, part, pose.local, parts.kept)
            best = error
        spent = steps >= settings.iterations or sweeps >= rule.sweeps
        still = idle >= PATIENCE or (plain and ended == AT_REST)
        unlocked = False
        if (sweeps == 0 or still or not plain) and not spent:
            unlocked = bend_hinges(
                figure, pose, parts, part, places, turns, near, idle > 0
            ) or part_unlock(figure, pose, parts, part, places, turns, near, idle > 0)
            if unlocked:
                part_forward(figure, pose, parts, part)
        stretched = asked > 1 and sweeps > 0 and soft == 1.0 and (ended == AT_REST or still)
        if stretched and not unlocked:
            # Not all can be met at once: let them give way to each other by their weights.
            soft, still, idle, sweeps = SOFT, False, 0, 1
            spent = steps >= settings.iterations
        ending = spent or (sweeps > 0 and still and not unlocked)
        if ending and limited and not fresh and sweeps < rule.sweeps:
            # Limits hold it back from where it came: try from the first pose.
            fresh, ending, idle, unlocked = True, False, 0, False
            part_copy(parts, part, springs.start, pose.local)
            part_forward(figure, pose, parts, part)
        if ending:
            part_copy(parts, part, parts.kept, pose.local)
            part_forward(figure, pose, parts, part)
            if shared:
                share_spine_error(pose, places)
            return steps, SPENT if spent else STILL, limited
        if unlocked:
            idle = 0
        if sweeps == 0 or not plain or unlocked or soft < 1.0:
            set_goals(figure, pose, parts, springs, part, places, turns, greatest)
            active, masses = gather(parts, springs, part)
            place_masses(figure, pose, springs, part)
            if sweeps == 0:
                springs.energy[part] = asked_energy(springs, active, masses, reach)
                place_masses(figure, pose, springs, part)
        else:
            strain *= TIGHTER
        budget = settings.iterations - steps
        taken, ended = relax(springs, part, active, masses, budget, strain, 0.5 * near, reach, soft)
        steps += taken
        read_masses(figure, parts, springs, part)
        rebuild(figure, pose, parts, springs, part, sweeps == 0)
        if not plain:
            part_forward(figure, pose, parts, part)
            limited = constrain(figure, pose, parts, part, places, rule.arc != 0)
        sweeps += 1


@kernel
def spring_humans(
    body: RecordArray,
    settings: RecordArray,
    state: RecordArray,
    work: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Scratch,
    lead: FrameTable,
    ahead: RecordArray,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """People: the root is placed like that of sequential IK, then part after part is solved.

    Tips are the six points, in their order; the spine is the first part, clavicles with their arms
    and the legs follow (S4.31, S4.32). The pose of the frame before is the start, or
    that of a solver that goes ahead: `lead` has its answers, or none.
    """
    parts = scratch.parts
    for frame in range(first, last):
        flags, estimate = begin_person(
            body[0],
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            ahead[0],
            seen,
            turned,
            frame,
        )
        places = work[0].points
        rows_forward(figure, pose, 0, parts.first_row[SPINE])
        tip_forward(figure, pose, PELVIS)
        most = 0
        for part in range(parts.first_row.shape[0]):
            steps, reason, limited = settle(
                figure, settings[0], pose, scratch, part, places, turned[frame], part == SPINE
            )
            most = max(most, steps)
            flags |= stop_flags(reason)
            limb = part - SPINE - 1
            task = parts.first_task[part]
            if reason != MET and limited:
                flags |= SPINE_LIMITED if part == SPINE else LIMITED << limb
            if reason != MET and slack(figure, pose, parts, part, task, places) < 0.0:
                flags |= SPINE_STRETCHED if part == SPINE else UNREACHABLE << limb
        end_person(
            settings[0],
            state[0],
            work[0],
            figure,
            pose,
            lead,
            estimate,
            seen[frame],
            out,
            frame,
            most,
            flags,
        )


@kernel
def spring_figures(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Scratch,
    starts: Floats,
    seen: Floats,
    turned: Floats,
    out: FrameTable,
    first: int,
    last: int,
) -> None:
    """Any figure: targets of its tips (F, E, 3), NaN where there is none.

    The root stays where it is. The start is the pose of the frame before, unless there are
    `starts`: one for each frame or one for all (S, N, 4). Then frames have nothing to do with each
    other, as the chains of a batch.
    """
    for frame in range(first, last):
        if starts.shape[0] > 0:
            start = starts[frame % starts.shape[0]]
            for row in range(figure.parent.shape[0]):
                quat_store(pose.local, row, quat_load(start, row))
        steps, reason, _ = settle(
            figure, settings[0], pose, scratch, 0, seen[frame], turned[frame], False
        )
        for tip in range(figure.tip_row.shape[0]):  # those of no task, too
            tip_forward(figure, pose, tip)
        end_figure(figure, pose, seen[frame], out, frame, steps, stop_flags(reason))


@kernel
def spring_places(
    settings: RecordArray,
    figure: Figure,
    pose: FigurePose,
    scratch: Scratch,
    seen: Floats,
    turned: Floats,
    out: Floats,
    steps: Ints,
    converged: Bools,
) -> None:
    """Where the masses of any figure come to rest, each time from the pose given: (F, N + E, 3).

    For those who need no rotations. Bones are as long as the rule asks for where targets are met;
    where they are not, springs would stay too long, and bones are given their lengths instead.
    """
    parts, springs = scratch.parts, scratch.springs
    near = settings[0].tolerance * figure.size[0]
    part_copy(parts, 0, pose.local, parts.kept)
    part_forward(figure, pose, parts, 0)
    for frame in range(seen.shape[0]):
        places, turns = seen[frame], turned[frame]
        _, greatest = weigh_nodes(figure, parts, 0, places, turns)
        reach = longest_reach(figure, parts, 0, places, turns)
        unlocked = part_unlock(figure, pose, parts, 0, places, turns, near, False)
        if unlocked:
            part_forward(figure, pose, parts, 0)
        set_goals(figure, pose, parts, springs, 0, places, turns, greatest)
        active, masses = gather(parts, springs, 0)
        place_masses(figure, pose, springs, 0)
        most, strain = settings[0].iterations, springs.rule[0].strain
        steps[frame], ended = relax(
            springs, 0, active, masses, most, strain, 0.5 * near, reach, 1.0
        )
        read_nodes(figure, springs, ended != SOLVED, out[frame])
        converged[frame] = ended == SOLVED and meets(figure, places, out[frame], near)
        if unlocked:
            part_copy(parts, 0, parts.kept, pose.local)
            part_forward(figure, pose, parts, 0)
