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
from typing import NamedTuple

from ...kernels._jit import helper
from ...kernels.quaternion import quat_load, quat_rotate, quat_store
from ...kernels.random import random_normal3, random_uniform
from ...kernels.types import Floats
from ...kernels.vector import vec_add, vec_load, vec_scale, vec_store
from ..articulated.context import Context
from ..articulated.model import ModelPose, Targets, model_forward
from .population import (
    Particles,
    copy_rows,
    gather_particles,
    load_pose,
    mean_pose,
    normalize_weights,
    resample,
    smooth_pose,
    store_pose,
)
from .rotation_noise import FIXED, Noise, draw_joint
from .task_cost import TaskTable, judge_pose, pose_cost

ANNEALED, CONSTANT = 0, 1
"""Choices of the setting `schedule`."""
BEST, MEAN, SMOOTH = 0, 1, 2
"""Choices of the setting `answer`."""
LEAST_NOISE, FINEST = 1e-5, 1e-6
"""Joints and tasks have some noise always [rad], and as a part of the size."""
COOLER, WARMER = 0.9, 1.25
"""An iteration that brings nothing cools the noise, one that brings something warms it again."""
BETTER = 0.999
"""An iteration brings something if the cost falls below this part of the least before."""
COLDEST = 1e-3
"""Colder than this nothing will come any more."""
NEARER, PATIENCE = 0.5, 300
"""A population must come to this part of its cost in so many iterations."""
FRESH = 3.0
"""Spread of the particles of all populations but the first, over the noise that a frame begins
with."""


class Filter(NamedTuple):
    """The scratch memory of the filter's contexts."""

    noise: Noise
    tasks: TaskTable
    particles: Particles


@helper
def explore(c: Context, targets: Targets) -> None:
    """Rotate every joint of every particle at random, and see what that costs.

    Resampling comes first, not last: between iterations particles and their weights can be seen.
    """
    settings, model, pose = c.settings, c.model, c.pose
    noise, tasks, particles = c.scratch.noise, c.scratch.tasks, c.scratch.particles
    state = particles.state[0]
    if state.effective < settings.resample * particles.weight.shape[0]:
        resample(particles, random_uniform(particles.random))
    travel = state.scale * settings.root * model.size[0]
    for i in range(particles.local.shape[0]):
        local = particles.local[i]
        for joint in range(model.parent.shape[0]):
            if noise.kind[joint] != FIXED:
                drawn = draw_joint(c, joint, quat_load(local, joint), state.scale)
                quat_store(local, joint, drawn)
        if travel > 0.0:
            step = vec_scale(random_normal3(particles.random), travel)
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
        state.scale = min(settings.largest, max(LEAST_NOISE, settings.spread * missing))
        state.sigma = size * max(FINEST, settings.hardness * missing)
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
        spread = min(c.settings.largest, FRESH * state.scale)
    gather_particles(c, spread)
    copy_rows(particles.start, particles.found[state.runs])
    state.runs += 1


@helper
def begin_filter(c: Context, targets: Targets) -> None:
    """Start a frame from the pose: its cost, the noise to begin with, particles around it."""
    model, pose, tasks, particles = c.model, c.pose, c.scratch.tasks, c.scratch.particles
    state = particles.state[0]
    model_forward(model, pose)
    store_pose(pose.local, pose.position, 0, particles.start)
    copy_rows(particles.start, particles.best)
    copy_rows(particles.start, particles.estimate)
    copy_rows(particles.start, particles.smooth)
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
    if cost < BETTER * state.least_of_run:
        state.calm = min(1.0, WARMER * state.calm)
    else:
        state.calm *= COOLER
    if cost < state.least_of_run:
        state.least_of_run = cost
        copy_rows(particles.estimate, particles.found[state.runs - 1])
        worst = judge_rows(c, particles.estimate, targets)
        state.worst_of_run = max(worst, particles.extra[chosen, 1])
        if cost < state.least:
            take_best(c)
    if cost < NEARER * state.mark:
        state.mark = cost
        state.marked = state.steps
    if settings.answer == MEAN:
        mean_pose(model, particles)
    smooth_pose(model, particles, settings.smoothing)
    if settings.answer != BEST:
        state.worst = judge_answer(c, targets)
    set_noise(c, cost)


@helper
def take_best(c: Context) -> None:
    """Make the best of this population the best of the frame."""
    particles = c.scratch.particles
    state = particles.state[0]
    state.least = state.least_of_run
    copy_rows(particles.found[state.runs - 1], particles.best)
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
    return bool(c.settings.schedule == ANNEALED and (state.calm < COLDEST or waited))


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
        begin_population(c, FRESH)
        return True
    return bool(not here and state.calm >= COLDEST)
