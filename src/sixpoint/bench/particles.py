"""The experiments of the Monte Carlo paper, on this machine: `sixpoint bench particles`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.pose import Pose
from ..solvers import DampedSolver, TransposeSolver
from ..solvers._kernels.finite import finite_steps
from ..solvers.body_table import new_frames
from ..solvers.figure import new_pose
from ..solvers.figure_tracker import FigureTracker
from ..solvers.particle_tracker import ParticleTracker
from ..tasks import finger_couplings
from .particle_scenes import (
    FEET,
    LENGTH,
    bent_chain,
    chain_limits,
    chain_targets,
    hand_scene,
    long_chain,
    person_scene,
    tracker_of,
)
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
PAPER = {"iterations_per_second_90dof": 60.0, "success_rate_30_particles": 1.0}
"""What the paper says: about 60 frames a second, almost always 100 percent."""

Progress = Callable[[int, int], None]


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
    total, done = len(cells) + len(DOF) + 5, 0

    def tell() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

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
    chain = chain_facts(seed)
    tell()
    hand = hand_facts(seed)
    tell()
    person = person_facts(seed)
    tell()
    thirty = [row["success"] for row in grid if row["particles"] == 30]
    timed = [row for row in times if row["method"] == f"{TIMED_PARTICLES[0]} particles"]
    rivals = [row for row in times if row["method"].startswith("jacobian-transpose")]
    return {
        "bench": "particles",
        "quick": quick,
        "seed": seed,
        "trials": count,
        "success_rate_30_particles": min(thirty),
        "success_rate_30_particles_rim": min(row["success"] for row in rim),
        "success": grid,
        "success_rim": rim,
        "time_slope": slope(timed),
        "time_slope_finite_differences": slope([row for row in rivals if row["dof"] >= 30]),
        "times": times,
        "iterations_per_second_90dof": speeds["limits_off"],
        "iterations_per_second_90dof_limits": speeds["limits_on"],
        **chain,
        **hand,
        **person,
        "paper": PAPER,
        "machine": machine(),
    }


def success_cell(
    dof: int, particles: int, trials: int, seed: int, near: float, far: float
) -> dict[str, Any]:
    """Trials whose tip comes within a thousandth of a unit in 200 iterations (S2.27)."""
    start = bent_chain(dof // 3)
    tracker = tracker_of(
        start.skeleton, particles=particles, iterations=ITERATIONS, tolerance=MET / LENGTH
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
    out = new_frames(tracker.skeleton.joint_count, 1, len(tracker.names))
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


def chain_speeds(repeats: int) -> dict[str, float]:
    """Iterations a second of the 90-DoF chain with both constraints, 30 particles, one core."""
    found = {}
    for key, limited in (("limits_off", False), ("limits_on", True)):
        tracker, target = long_chain(limited=limited, tolerance=0.0, iterations=50)
        found[key] = float(1e6 / kernel_times(tracker, target, bent_chain(30), repeats).min())
    return found


def chain_facts(seed: int) -> dict[str, float]:
    """Where the 90-DoF chain ends (Fig. 3)."""
    tracker, target = long_chain()
    tracker.begin(bent_chain(30), seed)
    solution = tracker.solve(target)
    return {
        "chain_tip_m": solution.tasks["reach tip"],
        "chain_balance_part": solution.tasks["balance"] / LENGTH,
        "chain_smoothness_rad": solution.tasks["smoothness"],
        "chain_iterations": solution.iterations,
    }


def hand_facts(seed: int) -> dict[str, float]:
    """How well the two hands are made, one after the other (Fig. 6)."""
    tracker, targets = hand_scene(seed=seed)
    tips, coupled, violations = 0.0, 0.0, 0
    for target in targets:
        solution = tracker.solve(target)
        tips = max(tips, float(solution.residuals.max()))
        for task in finger_couplings():
            coupled = max(coupled, abs(float(task.residual(solution.pose)[0])))
        violations += solution.projections
    return {
        "hand_tip_max_m": tips,
        "coupling_max_deg": float(np.degrees(coupled)),
        "hand_projections": violations,
    }


def person_facts(seed: int) -> dict[str, float]:
    """How the person stands, and where its hands are (Fig. 5)."""
    tracker, target = person_scene(seed=seed)
    solution = tracker.solve(target)
    feet = 2 * len(FEET)
    body = tracker.body
    angles = body.angles(solution.pose.rotations)
    knees = [angles[body.first[body.node(f"{side}_knee")]] for side in "lr"]
    standing = body.from_rest(arrays.identity(tracker.skeleton.joint_count))
    turned = arrays.angle_between(solution.pose.rotations, standing)
    return {
        "person_joints": tracker.skeleton.joint_count,
        "person_feet_max_m": float(solution.residuals[:feet].max()),
        "person_hands_max_m": float(solution.residuals[feet:].max()),
        "person_balance_m": solution.tasks["balance"],
        "person_knee_min_deg": float(np.degrees(min(knees))),
        "person_turned_max_deg": float(np.degrees(turned.max())),
    }
