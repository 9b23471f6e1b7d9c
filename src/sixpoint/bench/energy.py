"""The experiments of the mass-spring paper, and ours: steps, time, joint change, weights, map.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012), section 4.
Chains of ball joints have length 1 and start straight; targets are seeded, uniform in the ball that
a chain can reach, and the same for all solvers. The paper does not say how its targets were drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..solvers import SOLVERS, Solver, SpringPositionSolver, Tracker
from ..solvers import solver as make_solver
from ..solvers.spring_tracker import SpringFigureTracker
from ..tasks import Reach
from .chains import REACHED, SEED, reachable_targets
from .progress import Progress, counted
from .speed import machine, quiet

RUNS = 15
"""Of the paper's Table 1."""
TRIALS, QUICK_TRIALS = 1000, 100
REPEATS = 3
PIECE = 100
"""Chains that are timed together."""
CALLS = 200
"""Targets for the time of a single call."""
MAPPED = 200
"""Targets for each field of the map."""
JOINTS = (6, 10)
LENGTHS = (3, 6, 10, 20, 30)
"""Numbers of joints for which all targets shall be met."""
STEPS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9)
DAMPINGS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
MOST_STEPS = 2000
"""Where the map ends."""
WEIGHTS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
CONFLICT = ((0.45, 0.1, 0.0), (-0.3, 0.75, 0.2))
"""Targets of a joint in the middle and of the tip that cannot both be met."""
NEAR = 0.01
"""Tolerance of all solvers in Table 1, in lengths."""

PAPER: dict[str, dict[int, tuple[float, float]]] = {
    "mass-spring-force": {6: (49.6, 0.195), 10: (60.5, 0.253)},
    "mass-spring": {6: (31.5, 0.132), 10: (40.1, 0.169)},
    "ccd": {6: (33.2, 0.131), 10: (39.7, 0.148)},
    "pseudoinverse": {6: (51.8, 1.095), 10: (55.9, 1.310)},
    "jacobian-transpose": {6: (6.8, 0.124), 10: (17.1, 0.235)},
    "dls": {6: (55.6, 1.237), 10: (68.7, 1.450)},
}
"""Table 1 of the paper: iterations and milliseconds, by solver and joints."""


def bench_energy(
    *,
    trials: int | None = None,
    seed: int = SEED,
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Repeat the paper's experiments.

    Args:
        trials: targets for each row of Table 1, besides the paper's 15.
        seed: of the targets.
        quick: fewer trials for the rivals; the same keys.
        progress: called with the number of experiments done and their total.

    Returns:
        Numbers for JSON. Times are in microseconds per solve: those of `us_6_joints` for a chain of
        a batch, those of `us_6_joints_call` for a call of `solve`, with what Python costs.
    """
    count = trials if trials is not None else QUICK_TRIALS if quick else TRIALS
    if count < RUNS:
        raise InputError(f"Expected {RUNS} trials or more, got {count}.")
    targets = reachable_targets(max(count, TRIALS), seed)
    tell = counted(progress, len(PAPER) * len(JOINTS) + 5)
    table = []
    for name in PAPER:
        for joints in JOINTS:
            table.append(_row(name, joints, targets[:count]))
            tell()
    exact = {joints: _exact(joints, targets[:TRIALS]) for joints in LENGTHS}
    tell()
    change = joint_change(targets[: min(count, 200)])
    tell()
    weights = weigh()
    tell()
    grid = [step_map(joints, targets[: 50 if quick else MAPPED]) for joints in JOINTS]
    tell()
    batch = _batch(targets)
    tell()
    steps = {row["joints"]: row["iterations"] for row in table if row["solver"] == "mass-spring"}
    return {
        "bench": "energy",
        "quick": quick,
        "seed": seed,
        "converged_of_1000": min(found["converged"] for found in exact.values()),
        "us_6_joints": exact[6]["us"],
        "us_10_joints": exact[10]["us"],
        "us_6_joints_call": exact[6]["us_call"],
        "us_10_joints_call": exact[10]["us_call"],
        "iterations_6_joints": steps[6],
        "iterations_10_joints": steps[10],
        "joint_change_ratio_to_ccd": change["mass-spring"]["change"] / change["ccd"]["change"],
        "table1": table,
        "exact": [{"joints": joints, **found} for joints, found in exact.items()],
        "joint_change": change,
        "weights": weights,
        "map": grid,
        "batch": batch,
        "machine": machine(),
    }


def table_solver(name: str) -> Solver:
    """A solver of Table 1: all stop at the same distance from the target."""
    preset = {"preset": "paper"} if name.startswith("mass-spring") else {"tolerance": NEAR}
    return make_solver(name, **preset)


def _row(name: str, joints: int, targets: Floats) -> dict[str, Any]:
    """One row of Table 1: over the first 15 targets, and over all."""
    tracker = table_solver(name).prepare(Skeleton.chain(joints))
    iterations, missed, spent = trials_from_rest(tracker, targets)
    idle = _idle(tracker)
    published = PAPER[name][joints]
    sweeping = SOLVERS[name].__name__ == "CyclicSolver"
    return {
        "solver": name,
        "joints": joints,
        "trials": len(targets),
        "success": float((missed < NEAR).mean()),
        "iterations": float(iterations.mean()),
        "iterations_median": float(np.median(iterations)),
        "iterations_of_15": float(iterations[:RUNS].mean()),
        "iterations_paper": published[0],
        "joint_updates": float(iterations.mean()) * joints if sweeping else None,
        "us": float(max(spent.mean() - idle, 0.0)),
        "us_of_15": float(max(spent[:RUNS].mean() - idle, 0.0)),
        "us_call": float(spent.mean()),
        "us_paper": 1e3 * published[1],
    }


def trials_from_rest(tracker: Tracker, targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Iterations, distances and wall times [us] of a solve for each target (T, 3).

    The time is the least of a few: what disturbs a solve only makes it slower.
    """
    iterations, missed, spent = (np.empty(len(targets)) for _ in range(3))
    clock = time.perf_counter_ns
    tracker.warm_up()
    with quiet():
        for k, target in enumerate(targets[:, None]):
            times = []
            for _ in range(REPEATS):
                tracker.reset()
                begin = clock()
                solution = tracker.solve(target)
                times.append((clock() - begin) / 1e3)
            spent[k] = min(times)
            missed[k] = solution.residuals[0]
            iterations[k] = solution.iterations
    return iterations, missed, spent


def _idle(tracker: Tracker, calls: int = 200) -> float:
    """Wall time of a call that asks for nothing: what Python costs, not the solver [us]."""
    nothing = np.full((1, 3), np.nan)
    spent = np.empty(calls)
    with quiet():
        for k in range(calls):
            begin = time.perf_counter_ns()
            tracker.solve(nothing)
            spent[k] = (time.perf_counter_ns() - begin) / 1e3
    return float(np.median(spent))


def _springs(joints: int, **settings: Any) -> SpringFigureTracker:
    tracker = SpringPositionSolver(**settings).prepare(Skeleton.chain(joints))
    assert isinstance(tracker, SpringFigureTracker)
    return tracker


def _exact(joints: int, targets: Floats, runs: int = 10) -> dict[str, Any]:
    """The preset for use: how many targets are met, and the time with and without rotations.

    Per chain in a batch, and of a single call.
    """
    tracker = _springs(joints)
    found = tracker.solve_batch(targets[:, None])
    with_turns = _best(tracker.solve_batch, targets[:, None], runs)
    places_only = _best(tracker.solve_places, targets[:, None], runs)
    return {
        "converged": int((found.residuals[:, 0] < REACHED).sum()),
        "of": len(targets),
        "missed_max": float(found.residuals.max()),
        "iterations": float(found.iterations.mean()),
        "iterations_p95": float(np.percentile(found.iterations, 95.0)),
        "us": 1e6 * with_turns / len(targets),
        "us_places_only": 1e6 * places_only / len(targets),
        "us_call": float(trials_from_rest(tracker, targets[:CALLS])[2].mean()),
    }


def _best(work: Callable[[Floats], Any], targets: Floats, runs: int) -> float:
    """Wall time of a batch [s], in pieces, each the least of several runs.

    What disturbs a run only makes it slower, and a short piece is rarely disturbed each time.
    """
    work(targets[:2])
    total = 0.0
    with quiet():
        for piece in np.array_split(targets, max(1, len(targets) // PIECE)):
            spent = []
            for _ in range(runs):
                begin = time.perf_counter()
                work(piece)
                spent.append(time.perf_counter() - begin)
            total += min(spent)
    return total


def joint_change(targets: Floats, joints: int = 10) -> dict[str, dict[str, float]]:
    """How much each solver turns the joints of a chain, and how much it rolls the chain up.

    From a gentle arc, which is the start of all: the sum of the turns of all joints [rad] (Fig. 4);
    the sum of the bends between bones over that of a full circle, as a mean and as the part of
    poses that wind more than once around (Fig. 5).
    """
    chain = Skeleton.chain(joints)
    arc = arrays.from_axis_angle((0.0, 0.0, 1.0), 0.05) * np.ones((joints, 1))
    out = {}
    for name in PAPER:
        tracker = make_solver(name, tolerance=REACHED).prepare(chain)
        tracker.warm_up()
        turned, turns = np.empty(len(targets)), np.empty(len(targets))
        for k, target in enumerate(targets[:, None]):
            tracker.reset()
            tracker._memory.local[:] = arc  # type: ignore[attr-defined]
            rotations = tracker.solve(target).pose.rotations
            turned[k] = arrays.angle_between(rotations, arc).sum()
            bones = arrays.rotate(_world(rotations), np.array((0.0, 1.0, 0.0)))
            cosines = np.clip((bones[1:] * bones[:-1]).sum(axis=1), -1.0, 1.0)
            turns[k] = np.arccos(cosines).sum() / (2.0 * np.pi)
        out[name] = {
            "change": float(turned.mean()),
            "turns": float(turns.mean()),
            "rolled_up": float((turns > 1.0).mean()),
        }
    return out


def _world(rotations: Floats) -> Floats:
    """World rotations of the joints of a chain."""
    out = rotations.copy()
    for k in range(1, len(out)):
        out[k] = arrays.multiply(out[k - 1], rotations[k])
    return out


def weigh(names: Sequence[str] = ("mass-spring", "mass-spring-force")) -> list[dict[str, Any]]:
    """Residuals of two targets that cannot both be met, by the weight of the first (Fig. 6)."""
    rows = []
    for name in names:
        for weight in WEIGHTS:
            tasks = [Reach("joint_4", weight=weight), Reach("tip", weight=1.0 - weight)]
            tracker = make_solver(name).prepare(Skeleton.chain(6), tasks=tasks)
            inner, tip = tracker.solve(np.array(CONFLICT)).residuals
            rows.append(
                {"solver": name, "weight": weight, "inner": float(inner), "tip": float(tip)}
            )
    return rows


def step_map(joints: int, targets: Floats) -> dict[str, Any]:
    """Mean iterations of the paper's preset over step and damping; None where some never rest."""
    rows: list[list[float | None]] = []
    for damping in DAMPINGS:
        row: list[float | None] = []
        for step in STEPS:
            try:
                solver = {"step": step, "damping": damping, "iterations": MOST_STEPS}
                tracker = _springs(joints, preset="paper", **solver)
            except InputError:
                row.append(None)  # beyond the stability bound
                continue
            found = tracker.solve_batch(targets[:, None])
            row.append(float(found.iterations.mean()) if found.converged.all() else None)
        rows.append(row)
    return {"joints": joints, "steps": STEPS, "dampings": DAMPINGS, "iterations": rows}


def _batch(targets: Floats, joints: int = 10) -> list[dict[str, Any]]:
    """Chains a second in one call (S4.37)."""
    tracker = _springs(joints)
    many = np.tile(targets, (5, 1))[:, None]
    rows = []
    for threads in (1, 2):
        spent = []
        for _ in range(3):
            begin = time.perf_counter()
            tracker.solve_batch(many, threads=threads)
            spent.append(time.perf_counter() - begin)
        rows.append(
            {
                "joints": joints,
                "chains": len(many),
                "threads": threads,
                "chains_per_s": len(many) / min(spent),
            }
        )
    return rows
