"""What is asked of the masses of a part: which have targets, where, and how well they are met."""

from __future__ import annotations

from ...kernels._jit import helper
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_distance, vec_load, vec_scale, vec_store, vec_sub
from .figure import Figure, FigurePose, task_gap
from .missing import is_place
from .parts import Parts, is_asked
from .springs import BASE, FREE, HELD, Springs, hold_masses, spring_energy

STRETCH = 1.1
"""A target out of reach is pulled in to this part of the reach: the tension straightens a chain,
which at its mere length would hang loose."""
ASKED = 0.5
"""Targets are no farther away than this part of the reach where it is said what is asked."""


@helper
def weigh_nodes(
    figure: Figure, parts: Parts, part: int, places: Floats, turns: Floats
) -> tuple[int, float]:
    """Weight of the targets that each node of a part carries; their number, the greatest weight."""
    rows = figure.parent.shape[0]
    count, greatest = 0, 0.0
    for row in range(parts.first_row[part], parts.last_row[part]):
        parts.votes[row] = 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        tip = figure.task_tip[task]
        parts.votes[rows + tip] = 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not is_asked(figure, task, places, turns):
            continue
        weight = figure.task_weight[task]
        tip = figure.task_tip[task]
        parts.votes[rows + tip] += weight
        row = figure.tip_row[tip]
        while row >= parts.first_row[part]:
            parts.votes[row] += weight
            row = figure.parent[row]
        count += 1
        greatest = max(greatest, weight)
    return count, greatest


@helper
def longest_reach(figure: Figure, parts: Parts, part: int, places: Floats, turns: Floats) -> float:
    """Length of the longest chain of a part to a target [m], whatever the order of its tasks."""
    longest = 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        if is_asked(figure, task, places, turns):
            longest = max(longest, parts.reach[task])
    return longest


@helper
def set_goals(
    figure: Figure,
    pose: FigurePose,
    parts: Parts,
    springs: Springs,
    part: int,
    places: Floats,
    turns: Floats,
    greatest: float,
) -> None:
    """Say which masses have targets and where, pulled in where they are out of reach."""
    rows = figure.parent.shape[0]
    first = parts.first_row[part]
    base = vec_load(pose.place, first)
    for mass in range(springs.first_mass[part], springs.last_mass[part]):
        springs.state[mass] = BASE if springs.node_of[mass] == first else FREE
        springs.grip[mass] = 0.0
        vec_store(springs.goal, mass, (0.0, 0.0, 0.0))
    for task in range(parts.first_task[part], parts.last_task[part]):
        if not is_asked(figure, task, places, turns):
            continue
        tip = figure.task_tip[task]
        mass = springs.mass_of[rows + tip]
        if springs.state[mass] == BASE:
            continue
        goal = vec_load(places, tip)
        away = vec_sub(goal, base)
        most = STRETCH * parts.reach[task]
        far = vec_distance(goal, base)
        if far > most:
            goal = vec_add(base, vec_scale(away, most / far))
        # Several targets of one mass: their mean, by weight.
        weight = figure.task_weight[task] / greatest
        before = springs.grip[mass]
        share = weight / (before + weight)
        old = vec_load(springs.goal, mass)
        vec_store(springs.goal, mass, vec_add(old, vec_scale(vec_sub(goal, old), share)))
        springs.grip[mass] = before + weight
        springs.state[mass] = HELD
    firmest = 1.0
    for mass in range(springs.first_mass[part], springs.last_mass[part]):
        firmest = max(firmest, springs.grip[mass])
    for mass in range(springs.first_mass[part], springs.last_mass[part]):
        springs.grip[mass] /= firmest  # the step is stable for no more than one full pull


@helper
def judge(
    figure: Figure, pose: FigurePose, parts: Parts, part: int, places: Floats, turns: Floats
) -> tuple[float, float]:
    """Largest error of a part's tasks [m], and the sum of their squares by weight."""
    worst, cost = 0.0, 0.0
    for task in range(parts.first_task[part], parts.last_task[part]):
        weight = figure.task_weight[task]
        if weight > 0.0:
            _, length = task_gap(figure, pose, task, places, turns)
            worst = max(worst, length)
            cost += weight * length * length
    return worst, cost


@helper
def meets(figure: Figure, places: Floats, nodes: Floats, near: float) -> bool:
    """Whether tips among the places of all nodes (N + E, 3) are at their own targets."""
    rows = figure.parent.shape[0]
    for task in range(figure.task_kind.shape[0]):
        tip = figure.task_tip[task]
        goal = vec_load(places, tip)
        asked = figure.task_weight[task] > 0.0 and is_place(goal)
        if asked and vec_distance(goal, vec_load(nodes, rows + tip)) > near:
            return False
    return True


@helper
def asked_energy(springs: Springs, active: int, masses: int, reach: float) -> float:
    """Energy of springs at rest whose held masses are put on their clamped targets (S4.34)."""
    hold_masses(springs, masses, ASKED * reach)
    return spring_energy(springs, active, springs.rule[0].stiffness)
