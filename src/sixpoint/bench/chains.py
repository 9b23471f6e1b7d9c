"""How well general solvers reach with chains of ball joints: success, iterations, time.

Targets are seeded and the same for all solvers. *Reachable* ones fill the ball that a chain can
reach, uniformly, up to its rim. *Unreachable* ones lie in all directions at 1.05 to 3 lengths. A
trial starts at rest, the chain straight up, or from the pose that the trial before ended with.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError, UnknownName
from ..kernels.types import Floats
from ..solvers import SOLVERS, Solver, Tracker
from .progress import Progress
from .speed import machine

JOINTS = (3, 6, 10, 30, 100)
TRIALS, QUICK_TRIALS = 1000, 25
SEED = 20080408
REACHED = 1e-3
"""A target nearer than this part of the length is reached."""
STRETCHED = 1e-2
"""A chain that misses a target out of reach by no more than it must and this part of its length has
stretched out to it."""
NEAREST, FARTHEST = 1.05, 3.0
"""Distances of unreachable targets, in lengths."""
CASES = (("reachable", "rest"), ("reachable", "last"), ("unreachable", "rest"))
"""Kinds of targets, and where a trial starts."""


def bench_chains(
    names: Sequence[str] | None = None,
    *,
    joints: Sequence[int] = JOINTS,
    trials: int | None = None,
    seed: int = SEED,
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure solvers on chains of length 1.

    Args:
        names: solvers; default every one that moves any figure.
        joints: numbers of joints of the chains.
        trials: targets for each chain and case.
        seed: of the targets.
        quick: fewer trials; the same keys.
        progress: called with the number of rows done and their total.

    Returns:
        Numbers for JSON. Times are in microseconds per call.
    """
    solvers = general_solvers(names)
    count = trials if trials is not None else QUICK_TRIALS if quick else TRIALS
    if count < 1:
        raise InputError(f"Expected one trial or more, got {count}.")
    chains = [Skeleton.chain(n) for n in joints]
    targets = {
        "reachable": reachable_targets(count, seed),
        "unreachable": unreachable_targets(count, seed),
    }
    rows = []
    total = len(solvers) * len(chains) * len(CASES)
    for solver in solvers:
        for chain in chains:
            tracker = solver.prepare(chain)
            tracker.warm_up()
            for kind, start in CASES:
                measured = _measure(tracker, targets[kind], start)
                rows.append(
                    {
                        "solver": solver.name,
                        "joints": chain.joint_count,
                        "targets": kind,
                        "start": start,
                        "trials": count,
                        **measured,
                    }
                )
                if progress is not None:
                    progress(len(rows), total)
    return {
        "bench": "chains",
        "quick": quick,
        "seed": seed,
        "reached": REACHED,
        "stretched": STRETCHED,
        "rows": rows,
        "machine": machine(),
    }


def general_solvers(names: Sequence[str] | None = None) -> list[Solver]:
    """Solvers that move any figure, with their usual settings."""
    able = [name for name, kind in SOLVERS.items() if kind.capabilities.chains]
    for name in names or ():
        if name not in able:
            raise UnknownName("solver of any figure", name, able)
    return [SOLVERS[name]() for name in (able if names is None else names)]


def reachable_targets(count: int, seed: int = SEED) -> Floats:
    """Targets that a chain of length 1 can reach, uniform in the ball (count, 3)."""
    rng = np.random.default_rng(seed)
    return _directions(rng, count) * np.cbrt(rng.uniform(0.0, 1.0, (count, 1)))


def unreachable_targets(count: int, seed: int = SEED) -> Floats:
    """Targets that it cannot, in all directions (count, 3)."""
    rng = np.random.default_rng(seed + 1)
    return _directions(rng, count) * rng.uniform(NEAREST, FARTHEST, (count, 1))


def _directions(rng: np.random.Generator, count: int) -> Floats:
    vectors = rng.normal(size=(count, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _measure(tracker: Tracker, targets: Floats, start: str) -> dict[str, Any]:
    """One trial for each target."""
    missed, iterations, spent = (np.empty(len(targets)) for _ in range(3))
    clock = time.perf_counter_ns
    tracker.reset()
    for k, target in enumerate(targets[:, None]):
        if start == "rest":
            tracker.reset()
        begin = clock()
        solution = tracker.solve(target)
        spent[k] = (clock() - begin) / 1e3
        missed[k] = solution.residuals[0]
        iterations[k] = solution.iterations
    needless = missed - np.maximum(np.linalg.norm(targets, axis=1) - 1.0, 0.0)
    reachable = np.linalg.norm(targets, axis=1) <= 1.0
    return {
        "success": float((needless < np.where(reachable, REACHED, STRETCHED)).mean()),
        "missed_median": float(np.median(needless)),
        "missed_max": float(needless.max()),
        "iterations_median": float(np.median(iterations)),
        "iterations_p95": float(np.percentile(iterations, 95.0)),
        "median_us": float(np.median(spent)),
        "p95_us": float(np.percentile(spent, 95.0)),
    }
