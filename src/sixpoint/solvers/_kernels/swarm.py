"""The particles themselves: where they are, how they are gathered, drawn from, and summed up."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import quat_load, quat_normalize, quat_slerp, quat_store
from ...kernels.rotation import rotation_mean
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_load, vec_store
from .figure import Figure, FigurePose, figure_forward
from .qutem import STILL, Noise, draw_joint


class Swarm(NamedTuple):
    """What changes: M particles of a figure of N rows.

    A pose is N + 1 rows of 4: the local rotations, and in the last row the place of the root.
    """

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
    start: Floats
    """Where the frame began, (N + 1, 4)."""
    found: Floats
    """The estimate of least cost of each run, (R, N + 1, 4)."""
    best: Floats
    """The best of these, (N + 1, 4)."""
    estimate: Floats
    """The estimate of this iteration, (N + 1, 4)."""
    smooth: Floats
    """The smoothed estimate, (N + 1, 4)."""
    before: Floats
    """The answers of the frame before, and of the one before that, (2, N + 1, 4)."""
    lengths: Floats
    """What each task still asks for, of the answer [m], (T,)."""
    numbers: Floats
    """See `particles`, (9,)."""
    counts: Ints
    """See `particles`, (7,)."""
    heirs: Ints
    """Who goes on, (M,)."""
    random: Ints
    """State of the generator, (4,)."""


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
def resample(swarm: Swarm, offset: float) -> None:
    """The next generation from this one, by a random offset in (0, 1); weights alike."""
    systematic_index(swarm.weight, offset, swarm.heirs)
    for i in range(swarm.local.shape[0]):
        k = swarm.heirs[i]
        copy_rows(swarm.local[k], swarm.next_local[i])
        vec_store(swarm.next_root, i, vec_load(swarm.root, k))
    for i in range(swarm.local.shape[0]):
        copy_rows(swarm.next_local[i], swarm.local[i])
        vec_store(swarm.root, i, vec_load(swarm.next_root, i))
        swarm.log_weight[i] = 0.0
        swarm.weight[i] = 1.0 / swarm.local.shape[0]


@helper
def store_pose(local: Floats, root: Floats, i: int, out: Floats) -> None:
    """Rotations (N, 4) and the place of a root as rows (N + 1, 4)."""
    copy_rows(local, out)
    for c in range(3):
        out[local.shape[0], c] = root[i, c]


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
