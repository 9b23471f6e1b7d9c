"""The experiments of the mass-spring paper, and ours: steps, time, joint change, weights, map.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012), section 4.
Chains of ball joints have length 1 and start straight; targets are seeded, uniform in the ball that
a chain can reach, and the same for all solvers. The paper does not say how its targets were drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.pose import Pose
from ..solvers import Solver, Tracker, solve_batch, solve_positions, solver
from ..tasks import Reach
from .chains import REACHED, reachable_targets
from .experiment import (
    SEED,
    Column,
    Experiment,
    Facts,
    Measurements,
    Option,
    Progress,
    Table,
    counted,
    machine,
    machine_fact,
    quiet,
    timed,
    trial_count,
)

PAPER_TRIALS = 15
"""Targets of the paper's Table 1."""
TRIALS, QUICK_TRIALS = 1000, 100
REPEATS = 3
PIECE = 100
"""Chains that are timed together."""
CALLS = 200
"""Targets for the time of a single call."""
MAPPED, QUICK_MAPPED = 200, 50
"""Targets for each field of the map."""
JOINTS = (6, 10)
LENGTHS = (3, 6, 10, 20, 30)
"""Numbers of joints for which all targets shall be met."""
STEPS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9)
DAMPINGS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
MOST_STEPS = 2000
"""Steps after which the map gives up."""
WEIGHTS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
CONFLICT = ((0.45, 0.1, 0.0), (-0.3, 0.75, 0.2))
"""Targets of a joint in the middle and of the end effector that cannot both be met."""
TOLERANCE = 0.01
"""Distance at which all solvers of Table 1 stop, in lengths."""

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
    *, trials: int | None = None, quick: bool = False, progress: Progress | None = None
) -> Measurements:
    """Repeat the paper's experiments.

    Args:
        trials: targets for each row of Table 1, besides the paper's 15.
        quick: fewer trials for the rivals; the same keys.
        progress: called with the number of experiments done and their total.

    Returns:
        Numbers for JSON. Times are in microseconds per solve: those of `us_6_joints` for a chain of
        a batch, those of `us_6_joints_call` for a call of `solve`, with what Python costs.
    """
    count = trial_count(trials, QUICK_TRIALS if quick else TRIALS, PAPER_TRIALS)
    targets = reachable_targets(max(count, TRIALS))
    tell = counted(progress, len(PAPER) * len(JOINTS) + 5)
    table = []
    for name, joints in product(PAPER, JOINTS):
        table.append(_row(name, joints, targets[:count]))
        tell()
    exact = [_exact(joints, targets[:TRIALS]) for joints in LENGTHS]
    tell()
    change = joint_change(targets[: min(count, 200)])
    tell()
    weights = weigh()
    tell()
    grid = [step_map(joints, targets[: QUICK_MAPPED if quick else MAPPED]) for joints in JOINTS]
    tell()
    batch = _batch(targets)
    tell()
    steps = {row["joints"]: row["iterations"] for row in table if row["solver"] == "mass-spring"}
    by_joints = {row["joints"]: row for row in exact}
    return {
        "bench": "energy",
        "quick": quick,
        "seed": SEED,
        "converged_of_1000": min(row["converged"] for row in exact),
        "us_6_joints": by_joints[6]["us"],
        "us_10_joints": by_joints[10]["us"],
        "us_6_joints_call": by_joints[6]["us_call"],
        "us_10_joints_call": by_joints[10]["us_call"],
        "iterations_6_joints": steps[6],
        "iterations_10_joints": steps[10],
        "joint_change_ratio_to_ccd": change["mass-spring"]["change"] / change["ccd"]["change"],
        "table1": table,
        "exact": exact,
        "joint_change": change,
        "weights": weights,
        "map": grid,
        "batch": batch,
        "machine": machine(),
    }


def table_solver(name: str) -> Solver:
    """A solver of Table 1; all stop at the same distance from the target."""
    if name.startswith("mass-spring"):
        return solver(name, preset="paper")
    return solver(name, tolerance=TOLERANCE)


def _row(name: str, joints: int, targets: Floats) -> dict[str, Any]:
    """One row of Table 1: over the first 15 targets, and over all."""
    tracker = table_solver(name).prepare(Skeleton.chain(joints))
    iterations, missed, spent = trials_from_rest(tracker, targets)
    idle = _idle(tracker)
    published = PAPER[name][joints]
    return {
        "solver": name,
        "joints": joints,
        "trials": len(targets),
        "success": float((missed < TOLERANCE).mean()),
        "iterations": float(iterations.mean()),
        "iterations_median": float(np.median(iterations)),
        "iterations_of_15": float(iterations[:PAPER_TRIALS].mean()),
        "iterations_paper": published[0],
        "joint_updates": float(iterations.mean()) * joints if name == "ccd" else None,
        "us": float(max(spent.mean() - idle, 0.0)),
        "us_of_15": float(max(spent[:PAPER_TRIALS].mean() - idle, 0.0)),
        "us_call": float(spent.mean()),
        "us_paper": 1e3 * published[1],
    }


def trials_from_rest(tracker: Tracker, targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Iterations, distances and wall times [us] of a solve for each target, from (T, 3)."""
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
            spent[k] = min(times)  # what disturbs a solve only makes it slower
            missed[k] = solution.residuals[0]
            iterations[k] = solution.iterations
    return iterations, missed, spent


def _idle(tracker: Tracker, calls: int = 200) -> float:
    """Wall time of a call without a target: what Python costs, not the solver [us]."""
    nothing = np.full((1, 3), np.nan)
    with quiet():
        return float(np.median([timed(tracker.solve, nothing)[0] for _ in range(calls)]))


def _springs(joints: int, **settings: Any) -> Tracker:
    """A tracker of springs on a chain."""
    return solver("mass-spring", **settings).prepare(Skeleton.chain(joints))


def _exact(joints: int, targets: Floats, runs: int = 10) -> dict[str, Any]:
    """The default preset: how many targets are met, and the time with and without rotations.

    Times are per chain in a batch, and of a single call.
    """
    tracker = _springs(joints)
    found = solve_batch(tracker, targets[:, None])
    with_rotations = _batch_time(partial(solve_batch, tracker), targets[:, None], runs)
    positions_only = _batch_time(partial(solve_positions, tracker), targets[:, None], runs)
    return {
        "joints": joints,
        "converged": int((found.residuals[:, 0] < REACHED).sum()),
        "of": len(targets),
        "missed_max": float(found.residuals.max()),
        "iterations": float(found.iterations.mean()),
        "iterations_p95": float(np.percentile(found.iterations, 95.0)),
        "us": with_rotations / len(targets),
        "us_places_only": positions_only / len(targets),
        "us_call": float(trials_from_rest(tracker, targets[:CALLS])[2].mean()),
    }


def _batch_time(work: Callable[[Floats], Any], targets: Floats, runs: int) -> float:
    """Wall time of a batch [us], in pieces: a short piece is rarely disturbed in each run."""
    work(targets[:2])
    pieces = np.array_split(targets, max(1, len(targets) // PIECE))
    with quiet():
        return sum(timed(work, piece, runs=runs)[0] for piece in pieces)


def joint_change(targets: Floats, joints: int = 10) -> dict[str, dict[str, float]]:
    """How much each solver rotates the joints of a chain, and how much it rolls the chain up.

    From a gentle arc, which is the start of all: the sum of the rotations of all joints [rad]
    (Fig. 4); the sum of the bends between bones over that of a full circle, as a mean and as the
    part of poses that wind more than once around (Fig. 5).
    """
    chain = Skeleton.chain(joints)
    arc = arrays.from_axis_angle((0.0, 0.0, 1.0), 0.05) * np.ones((joints, 1))
    start = Pose(chain, np.zeros(3), arc)
    out = {}
    for name in PAPER:
        tracker = solver(name, tolerance=REACHED).prepare(chain)
        tracker.warm_up()
        changes, circles = np.empty(len(targets)), np.empty(len(targets))
        for k, target in enumerate(targets[:, None]):
            tracker.reset(start)
            rotations = tracker.solve(target).pose.rotations
            changes[k] = arrays.angle_between(rotations, arc).sum()
            bones = arrays.rotate(_world(rotations), np.array((0.0, 1.0, 0.0)))
            cosines = np.clip((bones[1:] * bones[:-1]).sum(axis=1), -1.0, 1.0)
            circles[k] = np.arccos(cosines).sum() / (2.0 * np.pi)
        out[name] = {
            "change": float(changes.mean()),
            "turns": float(circles.mean()),
            "rolled_up": float((circles > 1.0).mean()),
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
    for name, weight in product(names, WEIGHTS):
        tasks = [Reach("joint_4", weight=weight), Reach("tip", weight=1.0 - weight)]
        tracker = solver(name).prepare(Skeleton.chain(6), tasks=tasks)
        inner, tip = map(float, tracker.solve(np.array(CONFLICT)).residuals)
        rows.append({"solver": name, "weight": weight, "inner": inner, "tip": tip})
    return rows


def step_map(joints: int, targets: Floats) -> dict[str, Any]:
    """Mean iterations of the paper's preset by damping and step; None where some never rest."""

    def iterations(damping: float, step: float) -> float | None:
        settings = {"step": step, "damping": damping, "iterations": MOST_STEPS}
        try:
            tracker = _springs(joints, preset="paper", **settings)
        except InputError:  # beyond the stability bound
            return None
        found = solve_batch(tracker, targets[:, None])
        return float(found.iterations.mean()) if found.converged.all() else None

    rows = [[iterations(damping, step) for step in STEPS] for damping in DAMPINGS]
    return {"joints": joints, "steps": STEPS, "dampings": DAMPINGS, "iterations": rows}


def _batch(targets: Floats, joints: int = 10) -> list[dict[str, Any]]:
    """Chains a second in one call."""
    tracker = _springs(joints)
    many = np.tile(targets, (5, 1))[:, None]
    rows = []
    for threads in (1, 2):
        us, _ = timed(partial(solve_batch, tracker, threads=threads), many, runs=3)
        rate = 1e6 * len(many) / us
        rows.append(
            {"joints": joints, "chains": len(many), "threads": threads, "chains_per_s": rate}
        )
    return rows


TABLE1 = (
    Column("solver", "solver"),
    Column("joints", "joints"),
    Column("iterations", "iterations", "{:.1f}"),
    Column("first 15", "iterations_of_15", "{:.1f}"),
    Column("the paper", "iterations_paper", "{:.1f}"),
    Column("us", "us", "{:.1f}"),
    Column("the paper", "us_paper", "{:.0f}"),
    Column("met", "success", "{:.0%}"),
)
EXACT = (
    Column("joints", "joints"),
    Column("met", "met"),
    Column("steps", "iterations", "{:.0f}"),
    Column("p95", "iterations_p95", "{:.0f}"),
    Column("us in a batch", "us", "{:.1f}"),
    Column("positions only", "us_places_only", "{:.1f}"),
    Column("us of a call", "us_call", "{:.1f}"),
)
CHANGE = (
    Column("solver", "solver"),
    Column("rotation of all joints [rad]", "change", "{:.2f}"),
    Column("bends, in circles", "turns", "{:.2f}"),
    Column("rolled up", "rolled_up", "{:.0%}"),
)
WEIGHED = (
    Column("solver", "solver"),
    Column("weight", "weight", "{:.2f}"),
    Column("first", "inner", "{:.3f}"),
    Column("second", "tip", "{:.3f}"),
)


def _show(found: Measurements) -> Iterator[Table | Facts]:
    trials = found["table1"][0]["trials"]
    title = f"Table 1: to a hundredth of the length, means over {trials}"
    yield Table(title, TABLE1, found["table1"])
    yield Table(
        "mass-spring with its default preset: to a thousandth of the length",
        EXACT,
        [row | {"met": f"{row['converged']} of {row['of']}"} for row in found["exact"]],
    )
    change = [{"solver": name, **row} for name, row in found["joint_change"].items()]
    yield Table("ten joints: what a solve does to the pose", CHANGE, change)
    title = "two targets that cannot both be met: distances by the weight of the first"
    yield Table(title, WEIGHED, found["weights"])
    for grid in found["map"]:
        columns = [Column(f"{step:g}", f"{step:g}", "{:.0f}") for step in grid["steps"]]
        yield Table(
            f"steps of {grid['joints']} joints by damping (rows) and step; - does not come to rest",
            [Column("", "damping", "{:g}"), *columns],
            [
                {"damping": damping}
                | {f"{step:g}": n for step, n in zip(grid["steps"], row, strict=True)}
                for damping, row in zip(grid["dampings"], grid["iterations"], strict=True)
            ],
        )
    rates = [f"{row['chains_per_s']:.0f}/s ({row['threads']} threads)" for row in found["batch"]]
    yield Facts(
        None,
        [
            ("batch", f"{found['batch'][0]['joints']} joints: {', '.join(rates)}"),
            ("us", "of Table 1: without the cost of a call, measured by a frame without a target"),
            machine_fact(found),
        ],
    )


EXPERIMENT = Experiment(
    name="energy",
    about="Iterations and time for chains of 6 and 10 joints against CCD and Jacobian methods, how "
    "much joints change, how targets are weighed, and how step and damping decide the iterations.",
    options=(
        Option(
            "trials",
            "Targets for each solver. Default: 1000, or 100 with --quick.",
            "N",
            kind=int,
            least=PAPER_TRIALS,
        ),
    ),
    solvers=lambda options: [table_solver(name) for name in PAPER],
    body=lambda: Skeleton.chain(1),
    run=bench_energy,
    show=_show,
    output_help="Also write energy.json there.",
)
