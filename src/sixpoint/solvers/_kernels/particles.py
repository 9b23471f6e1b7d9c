"""The particle filter itself: weights, estimates, resampling (Algorithm 1 of the paper).

Particles are poses with a weight. An iteration turns every joint of every particle at random,
weighs particles by how well they do what is asked, takes the best for the answer, and draws the
next generation from this one when too few particles carry the weight.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import quat_load, quat_normalize, quat_slerp, quat_store
from ...kernels.random import random_normal3, random_uniform
from ...kernels.rotation import rotation_mean
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_add, vec_load, vec_scale, vec_store
from .asked import Asked, judge_pose, pose_cost
from .figure import Figure, FigurePose, figure_forward
from .qutem import STILL, Noise, draw_joint
from .tables import RecordArray

REJECTED, PROJECTED, DRAWN, STEPS, CHOSEN, RESAMPLED, FRAMES, RESTARTED = 0, 1, 2, 3, 4, 5, 6, 7
"""Counts: draws that limits rejected, joints brought inside, draws; iterations of this frame, the
best particle, resamplings; frames before this one; new starts from the best."""
LEAST, NOW, SCALE, SIGMA, CALM, EFFECTIVE, WORST = 0, 1, 2, 3, 4, 5, 6
"""Numbers: least cost of this frame, cost of the estimate [m^2]; noise of joints [rad] and of tasks
[m]; what cools both; effective number of particles; what is still asked for most [m]."""
COOLER, WARMER = 0.9, 1.25
"""An iteration that brings nothing cools the noise, one that brings something warms it again."""
COLDEST = 1e-3
"""Colder than this nothing will come any more."""
RESTARTS = 3
"""So often a generation that grew cold beside a better pose found before starts from there anew."""
BETTER = 0.999
"""An iteration brings something if the cost falls below this part of the least before."""


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
                ("mean", "i8"),  # estimate by the weighted mean
                ("smoothing", "f8"),  # part of the way to each estimate
                ("answer", "i8"),
                ("velocity", "i8"),
                ("previous", "i8"),  # people start from the frame before
            ],
        )
    ),
)
"""Settings of the filter, one record."""


class Swarm(NamedTuple):
    """What changes: M particles of a figure of N rows."""

    local: Floats
    """Local rotations, (M, N, 4)."""
    root: Floats
    """Places of the root [m], (M, 3)."""
    next_local: Floats
    """Room for the next generation, (M, N, 4)."""
    next_root: Floats
    """(M, 3)."""
    log_weight: Floats
    """(M,)."""
    weight: Floats
    """Sums to 1, (M,)."""
    cost: Floats
    """Of the last iteration [m^2], (M,)."""
    wish: Floats
    """And what is wished besides [m^2], (M,)."""
    extra: Floats
    """What functions outside add to it [m^2], and the longest of it [m], (M, 2)."""
    best: Floats
    """The estimate of least cost in this frame, (N + 1, 4); the last row is the root's place."""
    estimate: Floats
    """The estimate of this iteration, (N + 1, 4)."""
    smooth: Floats
    """The smoothed estimate, (N + 1, 4)."""
    before: Floats
    """The answers of the frame before, and of the one before that, (2, N + 1, 4)."""
    lengths: Floats
    """What each task still asks for, of the best [m], (T,)."""
    numbers: Floats
    """See above, (7,)."""
    counts: Ints
    """See above, (8,)."""
    heirs: Ints
    """Who goes on, (M,)."""
    random: Ints
    """State of the generator, (4,)."""


class Filter(NamedTuple):
    """All that the filter of one figure needs."""

    rules: RecordArray
    """One record of `RULES`."""
    noise: Noise
    asked: Asked
    swarm: Swarm


@helper
def normalize_weights(log_weight: Floats, weight: Floats) -> tuple[int, float]:
    """Weights from their logarithms, which stay; the greatest, and the effective number."""
    count = log_weight.shape[0]
    chosen = 0
    for i in range(count):
        if log_weight[i] > log_weight[chosen]:
            chosen = i
    most, total = log_weight[chosen], 0.0
    for i in range(count):
        log_weight[i] -= most  # so that they never grow without bound
        weight[i] = math.exp(log_weight[i])
        total += weight[i]
    squares = 0.0
    for i in range(count):
        weight[i] /= total
        squares += weight[i] * weight[i]
    return chosen, 1.0 / squares


@helper
def systematic_index(weight: Floats, offset: float, index: Ints) -> None:
    """Which particles go on, (M,): as often as their weights say, by one random offset in (0, 1).

    Equally spaced marks over the stacked weights: a particle of weight w is taken M w times,
    rounded down or up.
    """
    count = weight.shape[0]
    k, stacked = 0, weight[0]
    for i in range(count):
        mark = (i + offset) / count
        while mark > stacked and k < count - 1:
            k += 1
            stacked += weight[k]
        index[i] = k


@helper
def gather(figure: Figure, noise: Noise, swarm: Swarm, pose: FigurePose, scale: float) -> None:
    """Put all particles where a pose is, or spread them around it; weights alike."""
    for i in range(swarm.local.shape[0]):
        for row in range(figure.parent.shape[0]):
            q = quat_load(pose.local, row)
            if scale > 0.0 and noise.kind[row] != STILL:
                q = draw_joint(noise, figure.limits, row, q, scale, swarm.random, swarm.counts)
            quat_store(swarm.local[i], row, q)
        vec_store(swarm.root, i, vec_load(pose.place, 0))
        swarm.log_weight[i] = 0.0
        swarm.weight[i] = 1.0 / swarm.local.shape[0]
        swarm.cost[i] = 0.0
        swarm.wish[i] = 0.0
        swarm.extra[i, 0] = 0.0
        swarm.extra[i, 1] = 0.0


@helper
def resample(swarm: Swarm) -> None:
    """The next generation from this one; weights alike."""
    for i in range(swarm.local.shape[0]):
        k = swarm.heirs[i]
        for row in range(swarm.local.shape[1]):
            quat_store(swarm.next_local[i], row, quat_load(swarm.local[k], row))
        vec_store(swarm.next_root, i, vec_load(swarm.root, k))
    for i in range(swarm.local.shape[0]):
        for row in range(swarm.local.shape[1]):
            quat_store(swarm.local[i], row, quat_load(swarm.next_local[i], row))
        vec_store(swarm.root, i, vec_load(swarm.next_root, i))
        swarm.log_weight[i] = 0.0
        swarm.weight[i] = 1.0 / swarm.local.shape[0]


@helper
def explore(figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats) -> None:
    """Turn every joint of every particle at random, and see what that costs.

    Resampling comes first, not last: between iterations particles and their weights can be seen.
    """
    swarm, noise = filt.swarm, filt.noise
    if swarm.numbers[EFFECTIVE] < filt.rules[0].resample * swarm.weight.shape[0]:
        swarm.counts[RESAMPLED] += 1
        systematic_index(swarm.weight, random_uniform(swarm.random), swarm.heirs)
        resample(swarm)
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
def store_pose(local: Floats, root: Floats, i: int, out: Floats) -> None:
    """Rotations (N, 4) and the place of a root as rows (N + 1, 4)."""
    rows = local.shape[0]
    for row in range(rows):
        quat_store(out, row, quat_load(local, row))
    for c in range(3):
        out[rows, c] = root[i, c]


@helper
def load_pose(figure: Figure, rows: Floats, pose: FigurePose) -> None:
    """The pose of such rows, with everything that follows from it."""
    count = rows.shape[0] - 1
    for row in range(count):
        quat_store(pose.local, row, quat_load(rows, row))
    for c in range(3):
        pose.place[0, c] = rows[count, c]
    figure_forward(figure, pose)


@helper
def copy_rows(source: Floats, target: Floats) -> None:
    """Copy rows (n, 4)."""
    for row in range(source.shape[0]):
        quat_store(target, row, quat_load(source, row))


@helper
def mean_pose(figure: Figure, swarm: Swarm, out: Floats) -> None:
    """The weighted mean of all particles, within limits."""
    count = swarm.local.shape[1]
    for row in range(count):
        mean = rotation_mean(swarm.local[:, row], swarm.weight)
        quat_store(out, row, limit_project(figure.limits, row, quat_normalize(mean)))
    for c in range(3):
        total = 0.0
        for i in range(swarm.local.shape[0]):
            total += swarm.weight[i] * swarm.root[i, c]
        out[count, c] = total


@helper
def smooth_pose(figure: Figure, swarm: Swarm, part: float) -> None:
    """Eq. (15): a part of the way from the smoothed estimate to the new one, within limits."""
    count = swarm.local.shape[1]
    for row in range(count):
        q = quat_slerp(quat_load(swarm.smooth, row), quat_load(swarm.estimate, row), part)
        quat_store(swarm.smooth, row, limit_project(figure.limits, row, q))
    for c in range(3):
        now = swarm.smooth[count, c]
        swarm.smooth[count, c] = now + part * (swarm.estimate[count, c] - now)


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
def begin_filter(
    figure: Figure, filt: Filter, pose: FigurePose, places: Floats, turns: Floats
) -> None:
    """Start a frame from a pose: its cost, the noise to begin with, particles around it."""
    rules, swarm = filt.rules[0], filt.swarm
    numbers, counts = swarm.numbers, swarm.counts
    figure_forward(figure, pose)
    store_pose(pose.local, pose.place, 0, swarm.best)
    copy_rows(swarm.best, swarm.estimate)
    copy_rows(swarm.best, swarm.smooth)
    numbers[WORST] = judge_pose(figure, filt.asked, pose, places, turns, swarm.lengths)
    demands, _ = pose_cost(figure, filt.asked, pose, places, turns)
    numbers[LEAST] = numbers[NOW] = demands
    numbers[CALM] = 1.0
    numbers[EFFECTIVE] = swarm.local.shape[0]
    counts[REJECTED] = counts[PROJECTED] = counts[DRAWN] = 0
    counts[STEPS] = counts[CHOSEN] = counts[RESAMPLED] = counts[RESTARTED] = 0
    set_noise(figure, filt, numbers[LEAST])
    gather(figure, filt.noise, swarm, pose, rules.start)


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
    counts[CHOSEN] = chosen
    counts[STEPS] += 1
    cost = swarm.cost[chosen]
    store_pose(swarm.local[chosen], swarm.root, chosen, swarm.estimate)
    if cost < BETTER * numbers[LEAST]:
        numbers[CALM] = min(1.0, WARMER * numbers[CALM])
    else:
        numbers[CALM] *= COOLER
    if cost < numbers[LEAST]:
        numbers[LEAST] = cost
        copy_rows(swarm.estimate, swarm.best)
        load_pose(figure, swarm.best, pose)
        worst = judge_pose(figure, filt.asked, pose, places, turns, swarm.lengths)
        numbers[WORST] = max(worst, swarm.extra[chosen, 1])
    numbers[NOW] = cost
    if rules.mean:
        mean_pose(figure, swarm, swarm.estimate)
    smooth_pose(figure, swarm, rules.smoothing)
    if numbers[CALM] < COLDEST and rules.anneal and counts[RESTARTED] < RESTARTS:
        counts[RESTARTED] += 1
        numbers[CALM] = 1.0
        numbers[EFFECTIVE] = swarm.weight.shape[0]
        cost = numbers[LEAST]
        load_pose(figure, swarm.best, pose)
        gather(figure, filt.noise, swarm, pose, 0.0)
    set_noise(figure, filt, cost)


@helper
def is_done(figure: Figure, filt: Filter, tolerance: float) -> bool:
    """Whether everything is met, or as good as it gets."""
    numbers = filt.swarm.numbers
    if filt.rules[0].anneal and numbers[CALM] < COLDEST:
        return True
    return bool(numbers[WORST] <= tolerance * figure.size[0])
