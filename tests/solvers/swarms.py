"""An arm and its filter, for the tests of the particle filter."""

from __future__ import annotations

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.solvers import MonteCarloSolver
from sixpoint.solvers.particle_tracker import ParticleTracker

ARM = Skeleton.chain(4)
TARGET = np.array([[0.4, 0.5, 0.2]])


def tracker(skeleton=ARM, tasks=None, limits=None, *, names=None, **settings) -> ParticleTracker:
    solver = MonteCarloSolver(**settings)
    found = solver.prepare(skeleton, tasks=tasks, limits=limits, names=names)
    assert isinstance(found, ParticleTracker)
    return found
