"""The experiments of the mass-spring paper, and ours: steps, time, joint change, weights, map.

Huang and Pelachaud, "An Efficient Energy Transfer Inverse Kinematics Solution" (2012), section 4.
Chains of ball joints have length 1 and start straight; targets are seeded, uniform in the ball that
a chain can reach, and the same for all solvers. The paper does not say how its targets were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from . import experiment as ex
from . import springs
from .chains import REACHED, reachable_targets

PAPER_TRIALS = 15
"""Targets of the paper's Table 1."""
TRIALS, QUICK_TRIALS = 1000, 100
REPEATS = 3
"""Solves of a target, of which the quickest is timed."""
PIECE = 100
"""Chains that are timed together: a short piece is rarely disturbed in each run."""
CALLS = 200
"""Targets for the time of a single call."""
MAPPED, QUICK_MAPPED = 200, 50
"""Targets for each field of the map."""
JOINTS = (6, 10)
LENGTHS = (3, 6, 10, 20, 30)
"""Numbers of joints for which all targets should be reached."""
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
    *, trials: int | None = None, quick: bool = False, progress: ex.Progress = None
) -> ex.Measurements:
    """Repeat the paper's experiments, with `trials` targets besides the paper's 15.

    Times are in microseconds per solve: those of `us_6_joints` for a chain of a batch, those of
    `us_6_joints_call` for a call of `solve`, with what Python costs; those of Table 1 for the
    compiled solver alone.
    """
    count = trials or (QUICK_TRIALS if quick else TRIALS)
    targets = reachable_targets(max(count, TRIALS))
    step = ex.counted(progress, len(PAPER) * len(JOINTS) + 8)
    table = []
    for name, joints in product(PAPER, JOINTS):
        table.append(_row(name, joints, targets[:count]))
        step()
    exact = [_exact(joints, targets[:TRIALS]) for joints in LENGTHS]
    step()
    change = joint_change(targets[: min(count, 200)])
    step()
    weights = weigh()
    step()
    grid = [step_map(joints, targets[: QUICK_MAPPED if quick else MAPPED]) for joints in JOINTS]
    step()
    batch = _batch(targets)
    step()
    again = springs.repeatability(*((5, 2) if quick else ()))
    step()
    limits = springs.limits_table(100 if quick else springs.POSES)
    step()
    effects = springs.parameter_effects(targets[: min(count, 200)])
    step()
    iterations = {r["joints"]: r["iterations"] for r in table if r["solver"] == "mass-spring"}
    by_joints = {row["joints"]: row for row in exact}
    return {
        "seed": ex.SEED,
        "converged_of_1000": min(row["converged"] for row in exact),
        **{f"us_{n}_joints": by_joints[n]["us"] for n in JOINTS},
        **{f"us_{n}_joints_call": by_joints[n]["us_call"] for n in JOINTS},
        **{f"iterations_{n}_joints": iterations[n] for n in JOINTS},
        "joint_change_ratio_to_ccd": change["mass-spring"]["change"] / change["ccd"]["change"],
        "table1": table,
        "exact": exact,
        "joint_change": change,
        "weights": weights,
        "map": grid,
        "batch": batch,
        **again,
        "limits": limits,
        "parameters": effects,
    }


def table_solver(name: str) -> Solver:
    """Return a solver of Table 1; all stop at the same distance from the target."""
    if name.startswith("mass-spring"):
        return solver(name, preset="paper")
    return solver(name, tolerance=TOLERANCE)


def _row(name: str, joints: int, targets: Floats) -> dict[str, Any]:
    """Return a row of Table 1: over the first 15 targets, and over all."""
    tracker = table_solver(name).prepare(Skeleton.chain(joints))
    tracker.warm_up()
    distances, iterations, us = ex.solve_each(tracker, targets, repeats=REPEATS)
    kernel = kernel_times(tracker, targets)
    published = PAPER[name][joints]
    return {
        "solver": name,
        "joints": joints,
        "trials": len(targets),
        "success": float((distances < TOLERANCE).mean()),
        "iterations": float(iterations.mean()),
        "iterations_median": float(np.median(iterations)),
        "iterations_of_15": float(iterations[:PAPER_TRIALS].mean()),
        "iterations_paper": published[0],
        "joint_updates": float(iterations.mean()) * joints if name == "ccd" else None,
        "us": float(kernel.mean()),
        "us_of_15": float(kernel[:PAPER_TRIALS].mean()),
        "us_call": float(us.mean()),
        "us_paper": 1e3 * published[1],
    }


def kernel_times(tracker: Tracker, targets: Floats) -> Floats:
    """Return how long the compiled solver works on each target, from rest (T,) [us].

    What it costs to enter it, as a frame without a target shows, is taken off.
    """
    run = tracker.run

    def best(target: Floats) -> float:
        """Return the time of the quickest of some solves [us]."""
        found = np.inf
        for _ in range(REPEATS):
            tracker.reset()
            run.frames.positions[0, 0] = target
            found = min(found, ex.timed(run.solve, 0, 1)[0])
        return float(found)

    nothing = np.full(3, np.nan)
    entering = float(np.median([best(nothing) for _ in range(CALLS)]))
    return np.array([best(target) for target in targets]) - entering


def _springs(joints: int, **settings: Any) -> Tracker:
    """Return a tracker of springs on a chain."""
    return solver("mass-spring", **settings).prepare(Skeleton.chain(joints))


def _exact(joints: int, targets: Floats, runs: int = 10) -> dict[str, Any]:
    """Return how many targets the default preset meets, and times of a chain and of a call."""
    tracker = _springs(joints)
    found = solve_batch(tracker, targets[:, None])
    pieces = np.array_split(targets[:, None], max(1, len(targets) // PIECE))

    def time_of(work: Any) -> float:
        """Return the wall time of a chain of a batch [us]."""
        work(tracker, targets[:2, None])
        return sum(ex.timed(work, tracker, piece, runs=runs)[0] for piece in pieces) / len(targets)

    us, us_places_only = time_of(solve_batch), time_of(solve_positions)
    tracker.warm_up()
    calls = ex.solve_each(tracker, targets[:CALLS], repeats=REPEATS)
    return {
        "joints": joints,
        "converged": int((found.residuals[:, 0] < REACHED).sum()),
        "of": len(targets),
        "missed_max": float(found.residuals.max()),
        "iterations": float(found.iterations.mean()),
        "iterations_p95": float(np.percentile(found.iterations, 95.0)),
        "us": us,
        "us_places_only": us_places_only,
        "us_call": float(calls.us.mean()),
    }


def joint_change(targets: Floats, joints: int = 10) -> dict[str, dict[str, float]]:
    """Return how much each solver rotates the joints of a chain, and how much it rolls it up.

    From a gentle arc, which is the start of all: the sum of the rotations of all joints [rad]
    (Fig. 4); the sum of the bends between bones over that of a full circle, as a mean and as the
    fraction of poses that wind more than once around (Fig. 5).
    """
    chain = Skeleton.chain(joints)
    arc = arrays.from_axis_angle((0.0, 0.0, 1.0), 0.05) * np.ones((joints, 1))
    start = Pose(chain, np.zeros(3), arc)
    out = {}
    for name in PAPER:
        tracker = solver(name, tolerance=REACHED).prepare(chain)
        changes, circles = np.empty((2, len(targets)))
        for k, target in enumerate(targets[:, None]):
            tracker.reset(start)
            pose = tracker.solve(target).pose
            changes[k] = arrays.angle_between(pose.rotations, arc).sum()
            bones = arrays.rotate(pose.world()[1], np.array((0.0, 1.0, 0.0)))
            cosines = np.clip((bones[1:] * bones[:-1]).sum(axis=1), -1.0, 1.0)
            circles[k] = np.arccos(cosines).sum() / (2.0 * np.pi)
        out[name] = {
            "change": float(changes.mean()),
            "turns": float(circles.mean()),
            "rolled_up": float((circles > 1.0).mean()),
        }
    return out


def weigh(names: Sequence[str] = ("mass-spring", "mass-spring-force")) -> list[dict[str, Any]]:
    """Return residuals of two targets that cannot both be met, by the first's weight (Fig. 6)."""
    rows = []
    for name, weight in product(names, WEIGHTS):
        tasks = [Reach("joint_4", weight=weight), Reach("tip", weight=1.0 - weight)]
        tracker = solver(name).prepare(Skeleton.chain(6), tasks=tasks)
        inner, tip = map(float, tracker.solve(np.array(CONFLICT)).residuals)
        rows.append({"solver": name, "weight": weight, "inner": inner, "tip": tip})
    return rows


def step_map(joints: int, targets: Floats) -> dict[str, Any]:
    """Return mean iterations of the paper's preset by damping and step; None if some diverge."""

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
    """Return chains a second in one call, by the number of threads."""
    tracker, many, rows = _springs(joints), np.tile(targets, (5, 1))[:, None], []
    for threads in (1, 2):
        us, _ = ex.timed(partial(solve_batch, tracker, threads=threads), many, runs=3)
        row = {"joints": joints, "chains": len(many), "threads": threads}
        rows.append(row | {"chains_per_s": 1e6 * len(many) / us})
    return rows


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    trials = found["table1"][0]["trials"]
    keys = "solver joints iterations:.1f iterations_of_15:.1f iterations_paper:.1f us:.1f "
    title = f"Table 1: to a hundredth of the length, means over {trials}; us without Python's part"
    yield ex.table(title, f"{keys}us_paper:.0f success:.0%", found["table1"])
    keys = "joints converged of iterations:.0f iterations_p95:.0f us:.1f us_places_only:.1f "
    title = "mass-spring with its default preset: to a thousandth of the length, us in a batch"
    yield ex.table(title, f"{keys}us_call:.1f", found["exact"])
    title = "ten joints: rotation of all joints [rad], bends in circles, poses rolled up"
    yield ex.table(title, "change:.2f turns:.2f rolled_up:.0%", found["joint_change"])
    title = "two targets that cannot both be met: distances by the weight of the first"
    yield ex.table(title, "solver weight:.2f inner:.3f tip:.3f", found["weights"])
    for grid in found["map"]:
        title = f"steps of {grid['joints']} joints by damping (rows) and step; - does not come to "
        rows = [
            {"damping": damping, "step": f"{step:g}", "n": n}
            for damping, line in zip(grid["dampings"], grid["iterations"], strict=True)
            for step, n in zip(grid["steps"], line, strict=True)
        ]
        yield ex.pivot(f"{title}rest", rows, ("damping", "step", "n"), (":g", "{}", ".0f"))
    yield ex.table("a batch in one call", "joints chains threads chains_per_s:,.0f", found["batch"])
    title = "twist lost by a target that goes there and back [degrees]"
    yield ex.table(title, "variant joints lost_max:.1f lost_mean:.1f", found["twist"])
    title = "a person whose hands or pelvis go in circles: how far elbows and feet wander"
    keys = "variant moves limits elbow_mm:.1f foot_degrees:.1f"
    yield ex.table(title, keys, found["drift"])
    title = "targets met by six joints within limits; cones: limits in each step of the springs"
    keys = "cones limits within_thousandth:.1% within_hundredth:.1% iterations:.0f"
    yield ex.table(title, keys, found["limits"])
    title = "a joint eight times as heavy, a bone eight times as stiff or soft: turns [degrees]"
    joints = " ".join(f"{key}:.1f" for key in found["parameters"][0] if key.startswith("joint_"))
    yield ex.table(title, f"parameter {joints} iterations:.0f", found["parameters"])


EXPERIMENT = ex.Experiment(
    about="Iterations and time for chains of 6 and 10 joints against CCD and Jacobian methods, how "
    "much joints change, how targets are weighed, how step and damping decide the iterations, what "
    "comes back after a motion there and back, and what limits and parameters do.",
    options=(
        ex.trials_option(
            "Targets for each solver. Default: 1000, or 100 with --quick.", PAPER_TRIALS
        ),
    ),
    solvers=lambda options: [table_solver(name) for name in PAPER],
    body=lambda: Skeleton.chain(1),
    run=bench_energy,
    show=_show,
    output_help="Also write energy.json there.",
)
