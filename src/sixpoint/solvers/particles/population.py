"""The particles: what is kept of them, how they are weighed, drawn from, and summed up.

A pose is N + 1 rows of 4: the local rotations, and in the last row the position of the root.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import quat_load, quat_normalize, quat_slerp, quat_store
from ...kernels.random import random_state
from ...kernels.rotation import rotation_mean
from ...kernels.types import Floats, Ints
from ...kernels.vector import vec_load, vec_store
from ..articulated.context import Context
from ..articulated.model import Model, ModelPose, model_forward
from ..context import RecordArray, record_type
from .rotation_noise import FIXED, draw_joint

if TYPE_CHECKING:
    from .methods import MonteCarloSolver

MOST_RUNS = 8
"""Most populations of a frame that none of them meets."""

STATE = record_type(
    ("frames", "i8"),  # solved so far
    ("steps", "i8"),  # iterations of this frame
    ("runs", "i8"),  # populations of this frame
    ("marked", "i8"),  # iteration in which this population last came clearly nearer
    ("drawn", "i8"),  # draws of joints in this frame
    ("rejected", "i8"),  # draws that limits rejected
    ("projected", "i8"),  # joints projected into their limits after too many rejections
    ("least", "f8"),  # least cost of this frame [m^2]
    ("least_of_run", "f8"),  # and of this population
    ("mark", "f8"),  # cost of this population when it last came clearly nearer
    ("begin", "f8"),  # cost where the frame began
    ("scale", "f8"),  # noise of joints [rad]
    ("sigma", "f8"),  # noise of tasks [m]
    ("calm", "f8"),  # cools both, from 1 down
    ("effective", "f8"),  # effective number of particles
    ("worst", "f8"),  # largest residual of the answer so far [m]
    ("worst_of_run", "f8"),  # and of the best of this population
)
"""Where the filter is in a frame."""


class Particles(NamedTuple):
    """M particles of a model of N joints with T tasks, and what they came to."""

    local: Floats
    """Local rotations, (M, N, 4)."""
    root: Floats
    """Positions of the root [m], (M, 3)."""
    next_local: Floats
    """Room for the next generation, (M, N, 4)."""
    next_root: Floats
    """(M, 3)."""
    log_weight: Floats
    """(M,)."""
    weight: Floats
    """Sums to 1, (M,)."""
    cost: Floats
    """Of the tasks to be met, in the last iteration [m^2], (M,)."""
    wish: Floats
    """Of the soft tasks [m^2], (M,)."""
    extra: Floats
    """What functions add to the cost [m^2], and their largest residual [m], (M, 2)."""
    nodes: Floats
    """Positions of the nodes that functions read [m], (M, K, 3)."""
    start: Floats
    """Where the frame began, (N + 1, 4)."""
    found: Floats
    """The estimate of least cost of each population, (R, N + 1, 4)."""
    best: Floats
    """The best of these, (N + 1, 4)."""
    estimate: Floats
    """The estimate of this iteration, (N + 1, 4)."""
    smooth: Floats
    """The smoothed estimate, (N + 1, 4)."""
    before: Floats
    """The answers of the frame before, and of the one before that, (2, N + 1, 4)."""
    residuals: Floats
    """Residual of each task for the answer [m], (T,)."""
    survivors: Ints
    """Which particles the next generation is drawn from, (M,)."""
    state: RecordArray
    """One record of `STATE`."""
    random: Ints
    """State of the generator, (4,)."""


def new_particles(model: Model, solver: MonteCarloSolver, tasks: int, nodes: int) -> Particles:
    """Return memory for the particles, which have seen nothing; see T and K above."""
    count, joints = solver.particles, len(model.parent)
    pose = np.zeros((joints + 1, 4))
    return Particles(
        local=arrays.identity(count, joints),
        root=np.zeros((count, 3)),
        next_local=np.zeros((count, joints, 4)),
        next_root=np.zeros((count, 3)),
        log_weight=np.zeros(count),
        weight=np.full(count, 1.0 / count),
        cost=np.zeros(count),
        wish=np.zeros(count),
        extra=np.zeros((count, 2)),
        nodes=np.zeros((count, nodes, 3)),
        start=pose,
        found=np.zeros((max(solver.runs, MOST_RUNS), *pose.shape)),
        best=pose.copy(),
        estimate=pose.copy(),
        smooth=pose.copy(),
        before=np.zeros((2, *pose.shape)),
        residuals=np.zeros(tasks),
        survivors=np.zeros(count, np.int64),
        state=np.zeros(1, STATE),
        random=random_state(solver.seed),
    )


def particle_rows(particles: Particles) -> Floats:
    """Return all particles as rows, (M, N + 1, 4)."""
    rows = np.zeros((len(particles.local), len(particles.start), 4))
    rows[:, :-1], rows[:, -1, :3] = particles.local, particles.root
    return rows


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
def level_weights(particles: Particles) -> None:
    """Weigh all particles alike."""
    for i in range(particles.weight.shape[0]):
        particles.log_weight[i] = 0.0
        particles.weight[i] = 1.0 / particles.weight.shape[0]


@helper
def gather_particles(c: Context, scale: float) -> None:
    """Put all particles where the pose is, or spread them around it."""
    pose, noise, particles = c.pose, c.scratch.noise, c.scratch.particles
    for i in range(particles.local.shape[0]):
        for joint in range(pose.local.shape[0]):
            q = quat_load(pose.local, joint)
            if scale > 0.0 and noise.kind[joint] != FIXED:
                q = draw_joint(c, joint, q, scale)
            quat_store(particles.local[i], joint, q)
        vec_store(particles.root, i, vec_load(pose.position, 0))
        particles.cost[i] = 0.0
        particles.wish[i] = 0.0
        particles.extra[i, 0] = 0.0
        particles.extra[i, 1] = 0.0
    level_weights(particles)


@helper
def resample(particles: Particles, offset: float) -> None:
    """Draw the next generation from this one, by a random offset in (0, 1)."""
    systematic_index(particles.weight, offset, particles.survivors)
    for i in range(particles.local.shape[0]):
        k = particles.survivors[i]
        copy_rows(particles.local[k], particles.next_local[i])
        vec_store(particles.next_root, i, vec_load(particles.root, k))
    for i in range(particles.local.shape[0]):
        copy_rows(particles.next_local[i], particles.local[i])
        vec_store(particles.root, i, vec_load(particles.next_root, i))
    level_weights(particles)


@helper
def store_pose(local: Floats, root: Floats, i: int, rows: Floats) -> None:
    """Write rotations (N, 4) and the position i of a root as rows (N + 1, 4)."""
    copy_rows(local, rows)
    for k in range(3):
        rows[local.shape[0], k] = root[i, k]


@helper
def load_pose(model: Model, rows: Floats, pose: ModelPose) -> None:
    """Take the pose of such rows, with everything that follows from it."""
    count = rows.shape[0] - 1
    for joint in range(count):
        quat_store(pose.local, joint, quat_load(rows, joint))
    for k in range(3):
        pose.position[0, k] = rows[count, k]
    model_forward(model, pose)


@helper
def copy_rows(source: Floats, target: Floats) -> None:
    """Copy rows (n, 4)."""
    for k in range(source.shape[0]):
        quat_store(target, k, quat_load(source, k))


@helper
def mean_pose(model: Model, particles: Particles) -> None:
    """Estimate the weighted mean of all particles, within limits."""
    out, count = particles.estimate, particles.local.shape[1]
    for joint in range(count):
        mean = rotation_mean(particles.local[:, joint], particles.weight)
        quat_store(out, joint, limit_project(model.limits, joint, quat_normalize(mean)))
    for k in range(3):
        total = 0.0
        for i in range(particles.local.shape[0]):
            total += particles.weight[i] * particles.root[i, k]
        out[count, k] = total


@helper
def smooth_pose(model: Model, particles: Particles, part: float) -> None:
    """Move the smoothed estimate a part of the way to the new one: Courty and Arnaud, Eq. (15)."""
    smooth, estimate, count = particles.smooth, particles.estimate, particles.local.shape[1]
    for joint in range(count):
        q = quat_slerp(quat_load(smooth, joint), quat_load(estimate, joint), part)
        quat_store(smooth, joint, limit_project(model.limits, joint, q))
    for k in range(3):
        now = smooth[count, k]
        smooth[count, k] = now + part * (estimate[count, k] - now)
