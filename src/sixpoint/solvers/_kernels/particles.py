"""The particle filter itself: one iteration after the other (Algorithm 1 of the paper).

Particles are poses with a weight. An iteration turns every joint of every particle at random,
weighs particles by how well they do what is asked, takes the best for the answer, and draws the
next generation from this one when too few particles carry the weight. Weights add up until then, so
that the heaviest particle is the best of some iterations, not of the last alone (A2.5).

A population that comes no nearer ends, and another run starts from where the frame began, with its
particles spread: random search has local answers, and most of them are not there twice.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_store
from ...kernels.random import random_normal3, random_uniform
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_load, vec_scale, vec_store
from .asked import Asked, judge_pose, pose_cost
from .figure import Figure, FigurePose, figure_forward
from .qutem import DRAWN, PROJECTED, REJECTED, STILL, Noise, draw_joint
from .swarm import (
    Swarm,
    copy_rows,
    gather,
    load_pose,
    mean_pose,
    normalize_weights,
    resample,
    smooth_pose,
    store_pose,
)
from .tables import RecordArray

BEST, MEAN, SMOOTH = 0, 1, 2
"""What a frame is answered with."""
STEPS, FRAMES, RUNS, MARKED = 3, 4, 5, 6
"""Counts, after those of draws: iterations of this frame; frames before it; populations so far, and
the iteration in which this one last came nearer."""
LEAST, RUN, MARK, BEGIN, SCALE, SIGMA, CALM, EFFECTIVE, WORST, FOUND = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Numbers: least cost of this frame, of this population, when it last came nearer, and where the
frame began [m^2]; noise of joints [rad] and of tasks [m]; what cools both; effective number of
particles; what is still asked for most of the answer, and of the best of this population [m]."""
COOLER, WARMER = 0.9, 1.25
"""An iteration that brings nothing cools the noise, one that brings something warms it again."""
BETTER = 0.999
"""An iteration brings something if the cost falls below this part of the least before."""
COLDEST = 1e-3
"""Colder than this nothing will come any more."""
NEARER, PATIENCE = 0.5, 300
"""A population must come to this part of its cost in so many iterations."""
MOST_RUNS = 8
"""Populations of a frame that none of them meets."""
FRESH = 3.0
"""Spread of the particles of all but the first, over the noise that a frame begins with."""


RULES = cast(
    "np.dtype[np.record]",
    np.dtype(
        (
            np.record,
            [
                ("anneal", "i8"),  # noise follows what is missing, or is constant:
                ("noise", "f8"),  # of joints [rad]
                ("sigma", "f8"),  # of tasks, as a part of the size
                ("spread", "f8"),  # noise of joints over what is missing, a part of the size [rad]
                ("hardness", "f8"),  # noise of tasks over what is missing
                ("least", "f8"),  # noise of joints [rad]
                ("most", "f8"),
                ("finest", "f8"),  # noise of tasks, as a part of the size
                ("start", "f8"),  # spread of the particles when a frame begins [rad]
                ("resample", "f8"),  # effective part of the particles below which to resample
                ("smoothing", "f8"),  # part of the way to each estimate
                ("answer", "i8"),  # `BEST`, `MEAN` or `SMOOTH`
                ("runs", "i8"),  # populations, although the first has met everything
                ("velocity", "i8"),
                ("previous", "i8"),  # people start from the frame before
            ],
        )
    ),
)
"""Settings of the filter, one record."""


class Filter(NamedTuple):
    """All that the filter of one figure needs."""

    rules: RecordArray
    """One record of `RULES`."""
    noise: Noise
    asked: Asked
    swarm: Swarm


@helper
def explore(figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats) -> None:
    """Turn every joint of every particle at random, and see what that costs.

    Resampling comes first, not last: between iterations particles and their weights can be seen.
    """
    swarm, noise = filt.swarm, filt.noise
    if swarm.numbers[EFFECTIVE] < filt.rules[0].resample * swarm.weight.shape[0]:
        resample(swarm, random_uniform(swarm.random))
    scale = swarm.numbers[SCALE]
    travel = scale * noise.root[0] * figure.size[0]
    for i in range(swarm.local.shape[0]):
        local = swarm.local[i]
        for row in range(figure.parent.shape[0]):
            if noise.kind[row] != STILL:
                q = quat_load(local, row)
                q = draw_joint(noise, figure.limits, row, q, scale, swarm.random, swarm.counts)
                quat_store(local, row, q)
        if travel > 0.0:
            step = vec_scale(random_normal3(swarm.random), travel)
            vec_store(swarm.root, i, vec_add(vec_load(swarm.root, i), step))
        vec_store(pose.place, 0, vec_load(swarm.root, i))
        particle = FigurePose(local, pose.world, pose.place, pose.tips)
        figure_forward(figure, particle)
        demands, wishes = pose_cost(figure, filt.asked, particle, places, turns)
        swarm.cost[i], swarm.wish[i] = demands, wishes


@helper
def set_noise(figure: Figure, filt: Filter, cost: float) -> None:
    """Noise for the next iteration: constant, or as large as what is still missing."""
    rules, numbers = filt.rules[0], filt.swarm.numbers
    size = figure.size[0]
    if rules.anneal:
        missing = math.sqrt(cost) * numbers[CALM] / size
        numbers[SCALE] = min(rules.most, max(rules.least, rules.spread * missing))
        numbers[SIGMA] = size * max(rules.finest, rules.hardness * missing)
    else:
        numbers[SCALE] = rules.noise
        numbers[SIGMA] = size * rules.sigma


@helper
def begin_run(figure: Figure, filt: Filter, pose: FigurePose, spread: float) -> None:
    """A new population around a pose."""
    swarm = filt.swarm
    numbers, counts = swarm.numbers, swarm.counts
    numbers[CALM] = 1.0
    numbers[EFFECTIVE] = swarm.local.shape[0]
    numbers[RUN] = numbers[MARK] = numbers[FOUND] = math.inf
    counts[MARKED] = counts[STEPS]
    set_noise(figure, filt, numbers[BEGIN])
    if counts[RUNS] > 0:
        spread = min(filt.rules[0].most, FRESH * numbers[SCALE])
    gather(figure, filt.noise, swarm, pose, spread)
    copy_rows(swarm.start, swarm.found[counts[RUNS]])
    counts[RUNS] += 1


@helper
def begin_filter(
    figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats
) -> None:
    """Start a frame from a pose: its cost, the noise to begin with, particles around it."""
    swarm = filt.swarm
    numbers, counts = swarm.numbers, swarm.counts
    figure_forward(figure, pose)
    store_pose(pose.local, pose.place, 0, swarm.start)
    copy_rows(swarm.start, swarm.best)
    copy_rows(swarm.start, swarm.estimate)
    copy_rows(swarm.start, swarm.smooth)
    numbers[WORST] = judge_pose(figure, filt.asked, pose, places, turns, swarm.lengths)
    demands, _ = pose_cost(figure, filt.asked, pose, places, turns)
    numbers[LEAST] = numbers[BEGIN] = demands
    counts[REJECTED] = counts[PROJECTED] = counts[DRAWN] = 0
    counts[STEPS] = counts[RUNS] = 0
    begin_run(figure, filt, pose, filt.rules[0].start)
    numbers[FOUND] = numbers[WORST]


@helper
def add_to_begin(figure: Figure, filt: Filter, cost: float, worst: float) -> None:
    """What functions outside ask of the pose that a frame begins with, squared [m^2] and [m]."""
    numbers = filt.swarm.numbers
    numbers[LEAST] += cost
    numbers[BEGIN] = numbers[LEAST]
    numbers[WORST] = numbers[FOUND] = max(numbers[WORST], worst)
    set_noise(figure, filt, numbers[LEAST])


@helper
def weigh(figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats) -> None:
    """After `explore`: weights, estimates, noise of the next iteration."""
    rules, swarm = filt.rules[0], filt.swarm
    numbers, counts = swarm.numbers, swarm.counts
    precision = 1.0 / (numbers[SIGMA] * numbers[SIGMA])
    wished = 1.0 / (rules.sigma * rules.sigma * figure.size[0] * figure.size[0])
    for i in range(swarm.cost.shape[0]):
        swarm.cost[i] += swarm.extra[i, 0]
        swarm.log_weight[i] -= swarm.cost[i] * precision + swarm.wish[i] * wished
    chosen, numbers[EFFECTIVE] = normalize_weights(swarm.log_weight, swarm.weight)
    counts[STEPS] += 1
    cost = swarm.cost[chosen]
    store_pose(swarm.local[chosen], swarm.root, chosen, swarm.estimate)
    if cost < BETTER * numbers[RUN]:
        numbers[CALM] = min(1.0, WARMER * numbers[CALM])
    else:
        numbers[CALM] *= COOLER
    if cost < numbers[RUN]:
        numbers[RUN] = cost
        copy_rows(swarm.estimate, swarm.found[counts[RUNS] - 1])
        worst = judge_rows(figure, filt, swarm.estimate, pose, places, turns)
        numbers[FOUND] = max(worst, swarm.extra[chosen, 1])
        if cost < numbers[LEAST]:
            take_best(filt)
    if cost < NEARER * numbers[MARK]:
        numbers[MARK] = cost
        counts[MARKED] = counts[STEPS]
    if rules.answer == MEAN:
        mean_pose(figure, swarm, swarm.estimate)
    smooth_pose(figure, swarm, rules.smoothing)
    if rules.answer != BEST:
        numbers[WORST] = judge_answer(figure, filt, pose, places, turns)
    set_noise(figure, filt, cost)


@helper
def take_best(filt: Filter) -> None:
    """The best of this population is the best of the frame."""
    swarm = filt.swarm
    swarm.numbers[LEAST] = swarm.numbers[RUN]
    copy_rows(swarm.found[swarm.counts[RUNS] - 1], swarm.best)
    if filt.rules[0].answer == BEST:
        swarm.numbers[WORST] = swarm.numbers[FOUND]


@helper
def judge_answer(
    figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats
) -> float:
    """Take the answer as it stands for the pose; see `judge_rows`."""
    if filt.rules[0].answer == MEAN:
        return judge_rows(figure, filt, filt.swarm.estimate, pose, places, turns)
    if filt.rules[0].answer == SMOOTH:
        return judge_rows(figure, filt, filt.swarm.smooth, pose, places, turns)
    return judge_rows(figure, filt, filt.swarm.best, pose, places, turns)


@helper
def judge_rows(
    figure: Figure, filt: Filter, rows: Floats, pose: FigurePose, places: Floats, turns: Floats
) -> float:
    """What the task that lacks most lacks of such a pose [m]; `lengths` say it of all."""
    load_pose(figure, rows, pose)
    return judge_pose(figure, filt.asked, pose, places, turns, filt.swarm.lengths)


@helper
def is_met(figure: Figure, filt: Filter, tolerance: float) -> bool:
    """Whether the answer does everything that is asked."""
    return bool(filt.swarm.numbers[WORST] <= tolerance * figure.size[0])


@helper
def has_stalled(filt: Filter) -> bool:
    """Whether this population comes no nearer."""
    numbers, counts = filt.swarm.numbers, filt.swarm.counts
    if not filt.rules[0].anneal:
        return False
    waited = counts[STEPS] - counts[MARKED] >= PATIENCE
    return bool(numbers[CALM] < COLDEST or waited)


@helper
def go_on(figure: Figure, filt: Filter, pose: FigurePose, tolerance: float, most: int) -> bool:
    """Whether a frame needs another iteration; if need be, of another population."""
    swarm = filt.swarm
    numbers, counts = swarm.numbers, swarm.counts
    if counts[STEPS] >= most:
        return False
    here = numbers[FOUND] <= tolerance * figure.size[0]
    if here and not is_met(figure, filt, tolerance):
        if filt.rules[0].answer != BEST:
            return True  # the estimate comes after
        take_best(filt)  # what costs more may lack less of each task
    if is_met(figure, filt, tolerance) and counts[RUNS] >= filt.rules[0].runs:
        return False
    if not here and not has_stalled(filt):
        return True
    if counts[RUNS] < swarm.found.shape[0]:
        load_pose(figure, swarm.start, pose)
        begin_run(figure, filt, pose, FRESH)
        return True
    return not here and numbers[CALM] >= COLDEST
