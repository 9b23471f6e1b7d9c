"""An arm and its filter, for the tests of the particle filter."""

from __future__ import annotations

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.solvers import MonteCarloSolver, Tracker
from sixpoint.solvers.particles.filter import Particles

ARM = Skeleton.chain(4)
TARGET = np.array([[0.4, 0.5, 0.2]])


def tracker(skeleton=ARM, tasks=None, limits=None, *, names=None, **settings) -> Tracker:
    solver = MonteCarloSolver(**settings)
    return solver.prepare(skeleton, tasks=tasks, limits=limits, names=names)


def particles_of(tracker: Tracker) -> Particles:
    return tracker.run.context.scratch.particles
