"""How well general solvers reach places with rotations: a six-joint arm within its limits.

Targets are the flange of random poses within the limits, all angles alike, so that every target can
be met. A trial starts at rest. A target is met where its place is nearer than a thousandth of the
arm's length and its rotation nearer than a thousandth of a radian.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..formats import Robot, load_robot
from ..kernels import arrays
from ..kernels.types import Floats
from ..limits import FixedLimit
from ..motion.points import Points
from ..motion.pose import Pose
from ..solvers import Solver, Tracker
from ..tasks import Orient, Reach
from . import experiment as ex

ARM = Path(__file__).parents[1] / "data" / "industrial_arm.urdf"
"""The built-in arm."""
TRIALS, QUICK_TRIALS = 400, 40
MET = 1e-3
"""A place within this part of the length, and a rotation within so many radians, are met."""
USUAL = ("dls", "pik", "monte-carlo")
"""Solvers that are measured unless others are asked for."""


def bench_arm(
    solvers: Sequence[str] | None = None,
    *,
    trials: int | None = None,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure solvers with their defaults, and those that begin again also without that.

    Times are in microseconds per call.
    """
    robot = load_robot(ARM)
    count = trials or (QUICK_TRIALS if quick else TRIALS)
    targets = random_targets(robot, count)
    methods = _variants(solvers)
    step = ex.counted(progress, len(methods))
    rows = []
    for method in methods:
        tracker = arm_tracker(method, robot)
        rows.append({"solver": method.name, "restarts": getattr(method, "restarts", None)})
        rows[-1] |= {"trials": count, **_measure(tracker, targets)}
        step()
    return {"seed": ex.SEED, "met_within": MET, "length": targets[1], "rows": rows}


def arm_tracker(method: Solver, robot: Robot) -> Tracker:
    """Return a compiled tracker of the arm's end, its place and its rotation."""
    (end,) = robot.skeleton.articulation.ends
    tracker = method.prepare(robot.skeleton, limits=robot.limits, tasks=[Reach(end), Orient(end)])
    tracker.warm_up()
    return tracker


def random_targets(robot: Robot, count: int, seed: int = ex.SEED) -> tuple[Points, float]:
    """Return where the end of the arm is in random poses within limits, and the arm's length."""
    rng = np.random.default_rng(seed)
    skeleton, body = robot.skeleton, robot.skeleton.articulation
    node = skeleton.index(body.ends[0])
    joint = skeleton.carrier(node)
    places, turns = np.empty((count, 1, 3)), np.empty((count, 1, 4))
    for k in range(count):
        positions, world = random_pose(robot, rng).world()
        places[k, 0] = positions[node]
        turns[k, 0] = arrays.multiply(world[joint], arrays.conjugate(body.neutral[joint]))
    return Points(body.ends, places, 60.0, turns), body.length


def random_pose(robot: Robot, rng: np.random.Generator) -> Pose:
    """Return a pose of hinges within their limits, every angle as likely as another."""
    skeleton, body = robot.skeleton, robot.skeleton.articulation
    angles: Floats = rng.uniform(-np.pi, np.pi, body.count)
    for name, limit in robot.limits.items():
        joint = skeleton.index(name)
        own = slice(body.first[joint], body.first[joint] + body.freedom[joint])
        angles[own] = 0.0
        if not isinstance(limit, FixedLimit):
            low, high = limit.row().interval
            angles[own] = rng.uniform(low, high)
    return Pose(skeleton, skeleton.offsets[0], body.rotations(angles))


def _measure(tracker: Tracker, targets: tuple[Points, float]) -> dict[str, Any]:
    """Solve for every target from rest."""
    points, length = targets
    missed, turned = np.empty((2, len(points)))
    us, steps = np.empty((2, len(points)))
    for k in range(len(points)):
        frame = points.frames(slice(k, k + 1))
        tracker.reset()
        us[k], solution = ex.timed(tracker.solve, frame)
        assert solution.rotation_residuals is not None
        missed[k], turned[k] = solution.residuals[0], solution.rotation_residuals[0]
        steps[k] = solution.iterations
    met = (missed < MET * length) & (turned < MET)
    return {
        "met": int(met.sum()),
        "success": float(met.mean()),
        "missed_max_mm": float(1e3 * missed.max()),
        "iterations_median": float(np.median(steps)),
        "median_us": float(np.median(us)),
        "p95_us": float(np.percentile(us, 95.0)),
    }


def _variants(names: Sequence[str] | None) -> list[Solver]:
    """Return the solvers, and those that begin again also without that."""
    chosen = ex.choose_solvers(USUAL if names is None else names, "chains")
    once = [s for s in chosen if ex.has_setting(s, "restarts")]
    return [*chosen, *(type(s)(restarts=0) for s in once)]  # type: ignore[call-arg]


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    keys = "solver restarts met success:.1% missed_max_mm:.3g iterations_median:.0f "
    title = f"place and rotation of a six-joint arm ({found['rows'][0]['trials']} targets)"
    yield ex.table(title, f"{keys}median_us:.0f p95_us:.0f", found["rows"])
    within = f"{found['met_within']:g} of the length of {found['length']:.2f} m and "
    yield ex.Facts(None, [("met", within + f"{found['met_within']:g} rad")])


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    return _variants(options["solvers"])


def _arm() -> Skeleton:
    return load_robot(ARM).skeleton


EXPERIMENT = ex.Experiment(
    about="Places with rotations that a six-joint industrial arm (built in as URDF) takes within "
    "its limits: how many are met from rest, with and without random starts, in what time.",
    options=(
        ex.solvers_option("dls,pik,monte-carlo", text="Which solvers of any figure."),
        ex.trials_option("Number of targets. Default: 400, or 40 with --quick."),
    ),
    solvers=_solvers,
    body=_arm,
    run=bench_arm,
    show=_show,
    output_help="Also write arm.json there.",
)
