"""The particle filter itself: one iteration after the other (Courty and Arnaud, Algorithm 1).

Particles are poses with a weight. An iteration rotates every joint of every particle at random,
weighs particles by how well they do what is asked, takes the best for the answer, and draws the
next generation from this one when too few particles carry the weight. Weights add up until then, so
that the heaviest particle is the best of some iterations, not of the last alone.

A population that comes no nearer ends, and another starts from where the frame began, with its
particles spread: random search has local answers, and most of them are not there twice.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from ...kernels import arrays
from ...kernels._jit import helper
from ...kernels.limits import limit_project
from ...kernels.quaternion import (
    quat_canonical,
    quat_conj,
    quat_load,
    quat_mul,
    quat_normalize,
    quat_rotate,
    quat_slerp,
    quat_store,
    quat_to_rotvec,
)
from ...kernels.random import random_normal3, random_normals, random_state, random_uniform
from ...kernels.rotation import rotation_mean
from ...kernels.types import Floats, Ints, Quat
from ...kernels.vector import vec_add, vec_load, vec_scale, vec_store
from ..articulated.context import Context
from ..articulated.model import (
    Model,
    ModelPose,
    Targets,
    copy_rotations,
    copy_vectors,
    hold_joint,
    model_forward,
    new_memory,
)
from ..articulated.task_table import TaskTable
from ..context import RecordArray, record_type
from .rotation_noise import FIXED, FREE, Noise, draw_joint, go_on, half_exp, hold_slack
from .task_cost import judge_pose, pose_cost

if TYPE_CHECKING:
    from .methods import MonteCarloSolver

ANNEALED, CONSTANT = 0, 1
"""Choices of the setting `schedule`."""
BEST, MEAN, SMOOTH = 0, 1, 2
"""Choices of the setting `answer`."""
LEAST_JOINT_NOISE, LEAST_TASK_NOISE = 1e-5, 1e-6
"""Joints and tasks have some noise always [rad], and as a part of the size."""
COOLING, WARMING = 0.9, 1.25
"""An iteration that brings nothing cools the noise, one that brings something warms it again."""
LEAST_GAIN = 0.999
"""An iteration brings something if the cost falls below this part of the least before."""
LEAST_CALM = 1e-3
"""Colder than this nothing will come any more."""
NEARER_PART, PATIENCE = 0.5, 300
"""A population must come to this part of its cost in so many iterations."""
FRESH_SPREAD = 3.0
"""Spread of the particles of all populations but the first, over the noise that a frame begins
with."""
PATH_GAIN = 0.2
"""Part of the way to the smoothed path of the best particle that each new best one brings."""
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
    """M particles of a model of N joints with T tasks, and what they came to.

    A pose is N + 1 rows of 4: the local rotations, and in the last row the position of the root.
    """

    local: Annotated[Floats, "M", "N", 4]  # local rotations
    root: Annotated[Floats, "M", 3]  # positions of the root [m]
    next_local: Annotated[Floats, "M", "N", 4]  # room for the next generation
    next_root: Annotated[Floats, "M", 3]
    # last draw of each joint and, in the last row, of the root's position, at a scale of 1
    drift: Annotated[Floats, "M", "N+1", 3]
    next_drift: Annotated[Floats, "M", "N+1", 3]
    log_weight: Annotated[Floats, "M"]
    weight: Annotated[Floats, "M"]  # sums to 1
    cost: Annotated[Floats, "M"]  # of the tasks to be met, in the last iteration [m^2]
    wish: Annotated[Floats, "M"]  # of the soft tasks [m^2]
    # what functions add to the cost [m^2], and their largest residual [m]
    extra: Annotated[Floats, "M", 2]
    nodes: Annotated[Floats, "M", "K", 3]  # positions of the K nodes that functions read [m]
    start: Annotated[Floats, "N+1", 4]  # where the frame began
    # smoothed way of the best particle in the last iterations, half rotation vectors [rad]
    path: Annotated[Floats, "N", 3]
    found: Annotated[Floats, "R", "N+1", 4]  # the estimate of least cost of each of R populations
    best: Annotated[Floats, "N+1", 4]  # the best of these
    estimate: Annotated[Floats, "N+1", 4]  # the estimate of this iteration
    smooth: Annotated[Floats, "N+1", 4]  # the smoothed estimate
    # the answers of the frame before, and of the one before that
    before: Annotated[Floats, 2, "N+1", 4]
    residuals: Annotated[Floats, "T"]  # residual of each task for the answer [m]
    survivors: Annotated[Ints, "M"]  # which particles the next generation is drawn from
    state: RecordArray  # one record of `STATE`
    random: Ints  # state of the generator, (4,)


class Filter(NamedTuple):
    """The scratch memory of the filter's contexts."""

    noise: Noise
    tasks: TaskTable
    particles: Particles


def new_particles(model: Model, solver: MonteCarloSolver, tasks: TaskTable) -> Particles:
    """Return memory for the particles, which have seen nothing."""
    count, joints = solver.particles, len(model.parent)
    sizes = {
        "M": count,
        "N": joints,
        "N+1": joints + 1,
        "K": len(tasks.node_joint),
        "R": max(solver.runs, MOST_RUNS),
        "T": len(tasks.kind),
    }
    return new_memory(
        Particles,
        sizes,
        local=arrays.identity(count, joints),
        weight=np.full(count, 1.0 / count),
        state=np.zeros(1, STATE),
        random=random_state(solver.seed),
    )


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
    particles.log_weight[:] = 0.0
    particles.weight[:] = 1.0 / particles.weight.shape[0]


@helper
def gather_particles(c: Context, scale: float) -> None:
    """Put all particles where the pose is, or spread them around it."""
    pose, noise, particles = c.pose, c.scratch.noise, c.scratch.particles
    for i in range(particles.local.shape[0]):
        for joint in range(pose.local.shape[0]):
            q = quat_load(pose.local, joint)
            if scale > 0.0 and noise.kind[joint] != FIXED:
                q = draw_joint(c, joint, q, scale, particles.drift[i], 0.0)
            quat_store(particles.local[i], joint, q)
        vec_store(particles.root, i, vec_load(pose.position, 0))
    particles.cost[:] = 0.0
    particles.wish[:] = 0.0
    particles.extra[:] = 0.0
    particles.drift[:] = 0.0
    level_weights(particles)


@helper
def resample(particles: Particles, offset: float) -> None:
    """Draw the next generation from this one, by a random offset in (0, 1)."""
    systematic_index(particles.weight, offset, particles.survivors)
    for i in range(particles.local.shape[0]):
        k = particles.survivors[i]
        copy_rotations(particles.local[k], particles.next_local[i])
        vec_store(particles.next_root, i, vec_load(particles.root, k))
        copy_vectors(particles.drift[k], particles.next_drift[i])
    for i in range(particles.local.shape[0]):
        copy_rotations(particles.next_local[i], particles.local[i])
        vec_store(particles.root, i, vec_load(particles.next_root, i))
        copy_vectors(particles.next_drift[i], particles.drift[i])
    level_weights(particles)


@helper
def store_pose(local: Floats, root: Floats, i: int, rows: Floats) -> None:
    """Write rotations (N, 4) and the position i of a root as rows (N + 1, 4)."""
    copy_rotations(local, rows)
    for k in range(3):
        rows[local.shape[0], k] = root[i, k]


@helper
def load_pose(model: Model, rows: Floats, pose: ModelPose) -> None:
    """Take the pose of such rows, with everything that follows from it."""
    count = rows.shape[0] - 1
    copy_rotations(rows[:count], pose.local)
    for k in range(3):
        pose.position[0, k] = rows[count, k]
    model_forward(model, pose)


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


@helper
def go_further(c: Context, joint: int, q: Quat, along: float) -> Quat:
    """Turn a joint so many times further along the path of the best particle, within limits."""
    noise = c.scratch.noise
    step = half_exp(vec_scale(vec_load(c.scratch.particles.path, joint), along))
    turned = quat_normalize(quat_mul(q, step))
    if noise.bounded[joint] != FREE:
        turned = hold_slack(noise, joint, turned, q)
    return hold_joint(c.model, joint, turned)


@helper
def explore(c: Context, targets: Targets) -> None:
    """Rotate every joint of every particle at random, and see what that costs.

    Besides, each goes on or back along the way that the best one has come (setting `path`), as the
    evolution path of Hansen and Ostermeier 2001 does: along a narrow valley of the cost, noise that
    is alike in all directions hardly gets anywhere.

    Resampling comes first, not last: between iterations particles and their weights can be seen.
    """
    settings, model, pose = c.settings, c.model, c.pose
    noise, tasks, particles = c.scratch.noise, c.scratch.tasks, c.scratch.particles
    state = particles.state[0]
    if state.effective < settings.resample * particles.weight.shape[0]:
        resample(particles, random_uniform(particles.random))
    travel = state.scale * settings.root * model.size[0]
    for i in range(particles.local.shape[0]):
        local, drift = particles.local[i], particles.drift[i]
        along = settings.path * random_normals(particles.random)[0] if settings.path > 0.0 else 0.0
        for joint in range(model.parent.shape[0]):
            if noise.kind[joint] != FIXED:
                q = quat_load(local, joint)
                q = draw_joint(c, joint, q, state.scale, drift, settings.momentum)
                if along != 0.0:
                    q = go_further(c, joint, q, along)
                quat_store(local, joint, q)
        if travel > 0.0:
            root = model.parent.shape[0]
            step = go_on(random_normal3(particles.random), vec_load(drift, root), settings.momentum)
            vec_store(drift, root, step)
            step = vec_scale(step, travel)
            vec_store(particles.root, i, vec_add(vec_load(particles.root, i), step))
        vec_store(pose.position, 0, vec_load(particles.root, i))
        particle = ModelPose(local, pose.world, pose.position, pose.effectors)
        model_forward(model, particle)
        demands, wishes = pose_cost(model, tasks, particle, targets)
        particles.cost[i], particles.wish[i] = demands, wishes
        for k in range(particles.nodes.shape[1]):
            joint = tasks.node_joint[k]
            turn, offset = quat_load(pose.world, joint), vec_load(tasks.node_offset, k)
            node = vec_add(vec_load(pose.position, joint), quat_rotate(turn, offset))
            vec_store(particles.nodes[i], k, node)


@helper
def set_noise(c: Context, cost: float) -> None:
    """Noise for the next iteration: constant, or as large as what is still missing."""
    settings, state, size = c.settings, c.scratch.particles.state[0], c.model.size[0]
    if settings.schedule == ANNEALED:
        missing = math.sqrt(cost) * state.calm / size
        state.scale = min(settings.largest, max(LEAST_JOINT_NOISE, settings.spread * missing))
        state.sigma = size * max(LEAST_TASK_NOISE, settings.hardness * missing)
    else:
        state.scale = settings.noise
        state.sigma = size * settings.sigma


@helper
def begin_population(c: Context, spread: float) -> None:
    """Put a new population around the pose."""
    particles = c.scratch.particles
    state = particles.state[0]
    state.calm = 1.0
    state.effective = particles.local.shape[0]
    state.least_of_run = state.mark = state.worst_of_run = math.inf
    state.marked = state.steps
    set_noise(c, state.begin)
    if state.runs > 0:
        spread = min(c.settings.largest, FRESH_SPREAD * state.scale)
    gather_particles(c, spread)
    copy_rotations(particles.start, particles.found[state.runs])
    particles.path[:] = 0.0
    state.runs += 1


@helper
def begin_filter(c: Context, targets: Targets) -> None:
    """Start a frame from the pose: its cost, the noise to begin with, particles around it."""
    model, pose, tasks, particles = c.model, c.pose, c.scratch.tasks, c.scratch.particles
    state = particles.state[0]
    model_forward(model, pose)
    store_pose(pose.local, pose.position, 0, particles.start)
    copy_rotations(particles.start, particles.best)
    copy_rotations(particles.start, particles.estimate)
    copy_rotations(particles.start, particles.smooth)
    state.worst = judge_pose(model, tasks, pose, targets, particles.residuals)
    demands, _ = pose_cost(model, tasks, pose, targets)
    state.least = state.begin = demands
    state.rejected = state.projected = state.drawn = 0
    state.steps = state.runs = 0
    begin_population(c, c.settings.start)
    state.worst_of_run = state.worst


@helper
def add_to_begin(c: Context, cost: float, worst: float) -> None:
    """Add what functions ask of the pose that a frame begins with [m^2], and [m]."""
    state = c.scratch.particles.state[0]
    state.least += cost
    state.begin = state.least
    state.worst = state.worst_of_run = max(state.worst, worst)
    set_noise(c, state.least)


@helper
def weigh(c: Context, targets: Targets) -> None:
    """After `explore`: weights, estimates, noise of the next iteration."""
    settings, model, particles = c.settings, c.model, c.scratch.particles
    state = particles.state[0]
    precision = 1.0 / (state.sigma * state.sigma)
    wished = 1.0 / (settings.sigma * settings.sigma * model.size[0] * model.size[0])
    for i in range(particles.cost.shape[0]):
        particles.cost[i] += particles.extra[i, 0]
        particles.log_weight[i] -= particles.cost[i] * precision + particles.wish[i] * wished
    chosen, effective = normalize_weights(particles.log_weight, particles.weight)
    state.effective = effective
    state.steps += 1
    cost = particles.cost[chosen]
    store_pose(particles.local[chosen], particles.root, chosen, particles.estimate)
    if cost < LEAST_GAIN * state.least_of_run:
        state.calm = min(1.0, WARMING * state.calm)
    else:
        state.calm *= COOLING
    if cost < state.least_of_run:
        state.least_of_run = cost
        if settings.path > 0.0:
            follow_path(particles, state.runs - 1)
        copy_rotations(particles.estimate, particles.found[state.runs - 1])
        worst = judge_rows(c, particles.estimate, targets)
        state.worst_of_run = max(worst, particles.extra[chosen, 1])
        if cost < state.least:
            take_best(c)
    if cost < NEARER_PART * state.mark:
        state.mark = cost
        state.marked = state.steps
    if settings.answer == MEAN:
        mean_pose(model, particles)
    smooth_pose(model, particles, settings.smoothing)
    if settings.answer != BEST:
        state.worst = judge_answer(c, targets)
    set_noise(c, cost)


@helper
def follow_path(particles: Particles, run: int) -> None:
    """Smooth the way from the best of a population so far to the new one."""
    for joint in range(particles.path.shape[0]):
        before, now = quat_load(particles.found[run], joint), quat_load(particles.estimate, joint)
        step = quat_to_rotvec(quat_canonical(quat_mul(quat_conj(before), now)))
        for k in range(3):
            kept = (1.0 - PATH_GAIN) * particles.path[joint, k]
            particles.path[joint, k] = kept + PATH_GAIN * 0.5 * step[k]


@helper
def take_best(c: Context) -> None:
    """Make the best of this population the best of the frame."""
    particles = c.scratch.particles
    state = particles.state[0]
    state.least = state.least_of_run
    copy_rotations(particles.found[state.runs - 1], particles.best)
    if c.settings.answer == BEST:
        state.worst = state.worst_of_run


@helper
def judge_answer(c: Context, targets: Targets) -> float:
    """Take the answer as it stands for the pose; see `judge_rows`."""
    if c.settings.answer == MEAN:
        return judge_rows(c, c.scratch.particles.estimate, targets)
    if c.settings.answer == SMOOTH:
        return judge_rows(c, c.scratch.particles.smooth, targets)
    return judge_rows(c, c.scratch.particles.best, targets)


@helper
def judge_rows(c: Context, rows: Floats, targets: Targets) -> float:
    """Take rows for the pose; the largest residual of a task to be met [m], and all residuals."""
    load_pose(c.model, rows, c.pose)
    return judge_pose(c.model, c.scratch.tasks, c.pose, targets, c.scratch.particles.residuals)


@helper
def is_met(c: Context) -> bool:
    """Whether the answer does everything that is asked."""
    return bool(c.scratch.particles.state[0].worst <= c.settings.tolerance * c.model.size[0])


@helper
def has_stalled(c: Context) -> bool:
    """Whether this population comes no nearer."""
    state = c.scratch.particles.state[0]
    waited = state.steps - state.marked >= PATIENCE
    return bool(c.settings.schedule == ANNEALED and (state.calm < LEAST_CALM or waited))


@helper
def goes_on(c: Context) -> bool:
    """Whether a frame needs another iteration; if need be, of another population."""
    particles = c.scratch.particles
    state = particles.state[0]
    if state.steps >= c.settings.iterations:
        return False
    here = state.worst_of_run <= c.settings.tolerance * c.model.size[0]
    if here and not is_met(c):
        if c.settings.answer != BEST:
            return True  # the estimate comes after
        take_best(c)  # what costs more may miss less of each task
    if is_met(c) and state.runs >= c.settings.runs:
        return False
    if not here and not has_stalled(c):
        return True
    if state.runs < particles.found.shape[0]:
        load_pose(c.model, particles.start, c.pose)
        begin_population(c, FRESH_SPREAD)
        return True
    return bool(not here and state.calm >= LEAST_CALM)
