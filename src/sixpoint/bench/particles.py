"""The experiments of the Monte Carlo paper, on this machine: `sixpoint bench particles`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.types import Floats
from ..motion.pose import Pose
from ..solvers import DampedSolver, TransposeSolver
from ..solvers._kernels.finite import finite_steps
from ..solvers._kernels.qutem import DRAWN, REJECTED
from ..solvers.figure import new_pose
from ..solvers.figure_tracker import FigureTracker
from ..solvers.particle_tracker import ParticleTracker
from .particle_facts import FEWEST, MANY, SCENES, scene_facts
from .particle_scenes import (
    LENGTH,
    bent_chain,
    chain_limits,
    chain_targets,
    long_chain,
    tracker_of,
)
from .progress import Progress, counted
from .speed import machine

SEED = 20080408
DOF = (6, 12, 24, 36, 48, 60)
PARTICLES = (5, 10, 20, 30, 50)
TIMED_DOF = (6, 15, 30, 60, 90, 150, 300)
TRIALS, QUICK_TRIALS = 1000, 40
ITERATIONS = 200
MET = 0.001
"""Distance that counts as success, in units of the paper's scene, which starts 2 units away."""
INNER, RIM = 0.88, 0.98
"""Targets at a part of the chain's reach up to here; and beyond, up to there."""
RIVALS = {"jacobian-transpose": TransposeSolver, "damped pseudo-inverse": DampedSolver}
TIMED_PARTICLES = (50, 20)
LIMITED = (("off", None, 0.0), ("wide", 25.0, 15.0), ("biting", 3.0, 2.0))
"""Limits of the 90-DoF chain: none, such that are hardly met, and such that every joint stands at
them soon; swing and twist [degrees]."""
SPREADS = (0.05, 0.1, 0.2, 0.4)
CONSTANT = ((0.02, 0.05), (0.005, 0.01), (0.002, 0.005))
"""Noise of joints [rad] and of tasks, as a part of the size, where neither shrinks."""
PAPER = {"iterations_per_second_90dof": 60.0, "success_rate_30_particles": 1.0}
"""What the paper says: about 60 frames a second, almost always 100 percent."""


def bench_particles(
    *,
    trials: int | None = None,
    seed: int = SEED,
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Success, time, and the scenes with several constraints.

    Args:
        trials: of each cell of the success table.
        seed: of targets and of the filter.
        quick: fewer trials and smaller grids; the same keys.
        progress: called with the number of parts done and their total.

    Returns:
        Numbers for JSON.
    """
    count = trials if trials is not None else QUICK_TRIALS if quick else TRIALS
    if count < 1:
        raise InputError(f"Expected one trial or more, got {count}.")
    cells = [(dof, n) for dof in DOF for n in ((10, 30) if quick else PARTICLES)]
    tell = counted(progress, len(cells) + len(DOF) + 3 + len(SCENES))
    grid, rim = [], []
    for dof, particles in cells:
        grid.append(success_cell(dof, particles, count, seed, 0.0, INNER))
        tell()
    for dof in DOF:
        rim.append(success_cell(dof, 30, count, seed, INNER, RIM))
        tell()
    times = time_rows(quick)
    tell()
    speeds = chain_speeds(20 if quick else 60)
    tell()
    spreads = spread_rows(min(count, QUICK_TRIALS), seed)
    constant = constant_rows(min(count, QUICK_TRIALS), seed)
    tell()
    scenes = {}
    for name in SCENES:
        scenes[name] = scene_facts(name, seed, FEWEST if quick else MANY)
        tell()
    thirty = [row["success"] for row in grid if row["particles"] == 30]
    most = f"{TIMED_PARTICLES[0]} particles"
    free = [row for row in times if row["method"] == most]
    limited = [row for row in times if row["method"] == f"{most}, limits"]
    rivals = [row for row in times if row["method"].startswith("jacobian-transpose")]
    a_second = {row["limits"]: row["iterations_per_second"] for row in speeds}
    return {
        "bench": "particles",
        "quick": quick,
        "seed": seed,
        "trials": count,
        "success_rate_30_particles": min(thirty),
        "success_rate_30_particles_rim": min(row["success"] for row in rim),
        "success": grid,
        "success_rim": rim,
        "particles_for_99": enough_particles(grid),
        "time_slope": slope(free),
        "time_slope_limits": slope(limited),
        "time_slope_finite_differences": slope([row for row in rivals if row["dof"] >= 30]),
        "times": times,
        "iterations_per_second_90dof": a_second["off"],
        "iterations_per_second_90dof_limits": a_second["wide"],
        "iterations_per_second_90dof_biting": a_second["biting"],
        "speeds": speeds,
        "spreads": spreads,
        "constant": constant,
        "scenes": scenes,
        **{
            key: entry["worst"]
            for scene in scenes.values()
            for key, entry in scene["facts"].items()
        },
        "paper": PAPER,
        "machine": machine(),
    }


def enough_particles(grid: Sequence[dict[str, Any]]) -> dict[str, int | None]:
    """The fewest particles that meet 99 % of the targets, by degrees of freedom (S2.29)."""
    out: dict[str, int | None] = {}
    for row in sorted(grid, key=lambda row: -row["particles"]):
        out.setdefault(str(row["dof"]), None)
        if row["success"] >= 0.99:
            out[str(row["dof"])] = row["particles"]
    return out


def success_cell(
    dof: int, particles: int, trials: int, seed: int, near: float, far: float, **settings: Any
) -> dict[str, Any]:
    """Trials whose tip comes within a thousandth of a unit in 200 iterations (S2.27)."""
    start = bent_chain(dof // 3)
    tracker = tracker_of(
        start.skeleton,
        particles=particles,
        iterations=ITERATIONS,
        tolerance=MET / LENGTH,
        **settings,
    )
    targets = chain_targets(start, trials, seed, near, far)
    met, steps = np.zeros(trials, np.bool_), np.zeros(trials)
    for k, target in enumerate(targets):
        tracker.begin(start, seed + k)
        solution = tracker.solve(target[None])
        met[k] = solution.residuals[0] < MET
        steps[k] = solution.iterations
    return {
        "dof": dof,
        "particles": particles,
        "success": float(met.mean()),
        "iterations_median": float(np.median(steps)),
        "iterations_p95": float(np.percentile(steps, 95.0)),
    }


def time_rows(quick: bool = False) -> list[dict[str, Any]]:
    """Time of an iteration against degrees of freedom, of the filter and its rivals (Fig. 4b)."""
    rows = []
    for dof in TIMED_DOF:
        start = bent_chain(dof // 3)
        target = chain_targets(start, 1, SEED, 0.0, INNER)
        for particles in TIMED_PARTICLES:
            for limited in (False, True):
                spent = filter_times(dof, particles, limited, 10 if quick else 40)
                rows.append(
                    {
                        "method": f"{particles} particles" + (", limits" if limited else ""),
                        "dof": dof,
                        "us": float(spent.min()),
                        "us_deviation": float(spent.std()),
                    }
                )
        for name, kind in RIVALS.items():
            tracker = kind().prepare(start.skeleton, limits=None)
            assert isinstance(tracker, FigureTracker)
            spent = rival_times(tracker, target, 10 if quick else 40)
            rows.append(
                {
                    "method": f"{name}, finite differences",
                    "dof": dof,
                    "us": float(spent.min()),
                    "us_deviation": float(spent.std()),
                }
            )
    return rows


def filter_times(dof: int, particles: int, limited: bool, repeats: int) -> Floats:
    """Microseconds of an iteration, once for each repeat."""
    start = bent_chain(dof // 3)
    # Constant noise: every iteration draws alike, and none is the last.
    tracker = tracker_of(
        start.skeleton,
        None,
        chain_limits(start.skeleton) if limited else None,
        particles=particles,
        iterations=max(3, 900 // dof),
        tolerance=0.0,
        schedule="constant",
    )
    return kernel_times(tracker, chain_targets(start, 1, SEED, 0.0, INNER), start, repeats)


def kernel_times(tracker: ParticleTracker, target: Floats, start: Pose, repeats: int) -> Floats:
    """Microseconds of an iteration inside the compiled loop: short runs, whose least tells most."""
    out = tracker._new_frames(1)
    turned = np.full((1, len(tracker.names), 4), np.nan)
    spent = np.zeros(repeats)
    for k in range(-1, repeats):  # the first compiles
        tracker.begin(start, k + 1)
        begin = time.perf_counter()
        tracker._run(tracker._memory, target[None], turned, out, 0, 1)
        if k >= 0:
            spent[k] = (time.perf_counter() - begin) * 1e6 / int(out.iterations[0])
    return spent


def rival_times(tracker: FigureTracker, target: Floats, repeats: int) -> Floats:
    """Microseconds of an iteration of a Jacobian method by finite differences."""
    figure, settings = tracker._figure, tracker._settings
    scratch = tracker.solver.new_scratch(figure)
    turns = np.full((1, 4), np.nan)
    count = max(2, 9000 // int(figure.freedom.sum()) ** 2)
    spent = np.zeros(repeats)
    for k in range(-1, repeats):  # the first compiles
        pose = new_pose(figure)
        begin = time.perf_counter()
        finite_steps(settings, figure, pose, scratch, target, turns, count)
        if k >= 0:
            spent[k] = (time.perf_counter() - begin) * 1e6 / count
    return spent


def slope(rows: Sequence[dict[str, Any]]) -> float:
    """Of time against degrees of freedom, both logarithmic: 1 is linear."""
    dof, us = (np.log([row[key] for row in rows]) for key in ("dof", "us"))
    return float(np.polyfit(dof, us, 1)[0])


def chain_speeds(repeats: int) -> list[dict[str, Any]]:
    """Iterations a second of the 90-DoF chain with both constraints, 30 particles, one core."""
    rows = []
    for case, swing, twist in LIMITED:
        tracker, target = long_chain(swing=swing, twist=twist, tolerance=0.0, iterations=50)
        spent = kernel_times(tracker, target, bent_chain(30), repeats)
        counts = tracker._memory.filter.swarm.counts
        rows.append(
            {
                "limits": case,
                "iterations_per_second": float(1e6 / spent.min()),
                "iterations_per_second_median": float(1e6 / np.median(spent)),
                "rejected_part": float(counts[REJECTED] / counts[DRAWN]),
                "us_deviation": float(spent.std()),
            }
        )
    return rows


def constant_rows(trials: int, seed: int) -> list[dict[str, Any]]:
    """Success of a 12-DoF arm with noise that never shrinks: what the paper's words give."""
    return [
        {"noise": noise, "sigma": sigma}
        | success_cell(
            12, 30, trials, seed, 0.0, INNER, schedule="constant", noise=noise, sigma=sigma
        )
        for noise, sigma in CONSTANT
    ]


def spread_rows(trials: int, seed: int) -> list[dict[str, Any]]:
    """Iterations that a 12-DoF arm needs, by the noise over what is missing (S2.38)."""
    return [
        {"spread": spread} | success_cell(12, 30, trials, seed, 0.0, INNER, spread=spread)
        for spread in SPREADS
    ]
