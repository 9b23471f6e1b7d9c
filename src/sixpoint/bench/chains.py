"""How well general solvers reach with chains of ball joints: success, iterations, time.

Targets are seeded and the same for all solvers. *Reachable* ones fill the ball that a chain can
reach, uniformly, up to its rim. *Unreachable* ones lie in all directions at 1.05 to 3 lengths. A
trial starts at rest, the chain straight up, or from the pose that the trial before ended with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..solvers import Solver, Tracker
from . import experiment as ex

JOINTS = (3, 6, 10, 30, 100)
TRIALS, QUICK_TRIALS = 1000, 25
REACHED = 1e-3
"""A target nearer than this part of the chain's length is reached."""
STRETCHED = 1e-2
"""A chain that misses a target out of reach by no more than it must and this part of its length has
stretched out to it."""
NEAREST, FARTHEST = 1.05, 3.0
"""Distances of unreachable targets, in lengths."""
CASES = (
    ("reachable", "rest", "reachable targets, each from rest"),
    ("reachable", "last", "reachable targets, each from the pose before"),
    ("unreachable", "rest", "targets out of reach, each from rest"),
)
"""Kind of targets, where a trial starts, title of the table."""


def bench_chains(
    solvers: Sequence[str] | None = None,
    *,
    joints: Sequence[int] = JOINTS,
    trials: int | None = None,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure solvers (default all that work on any chain) on chains of length 1.

    Each of them solves for `trials` targets on each chain; times are in microseconds per call.
    """
    methods = ex.choose_solvers(solvers, "chains")
    count = trials or (QUICK_TRIALS if quick else TRIALS)
    chains = [Skeleton.chain(n) for n in joints]
    targets = {"reachable": reachable_targets(count), "unreachable": unreachable_targets(count)}
    step = ex.counted(progress, len(methods) * len(chains) * len(CASES))
    rows = []
    for method in methods:
        for chain in chains:
            tracker = method.prepare(chain)
            tracker.warm_up()
            for kind, start, _ in CASES:
                case = {"solver": method.name, "joints": chain.joint_count, "targets": kind}
                case |= {"start": start, "trials": count}
                rows.append(case | _measure(tracker, targets[kind], start))
                step()
    return {"seed": ex.SEED, "reached": REACHED, "stretched": STRETCHED, "rows": rows}


def reachable_targets(count: int, seed: int = ex.SEED) -> Floats:
    """Return targets that a chain of length 1 can reach, uniform in the ball, shape (count, 3)."""
    rng = np.random.default_rng(seed)
    return _directions(rng, count) * np.cbrt(rng.uniform(0.0, 1.0, (count, 1)))


def unreachable_targets(count: int, seed: int = ex.SEED) -> Floats:
    """Return targets that a chain of length 1 cannot reach, in all directions, (count, 3)."""
    rng = np.random.default_rng(seed + 1)
    return _directions(rng, count) * rng.uniform(NEAREST, FARTHEST, (count, 1))


def _directions(rng: np.random.Generator, count: int) -> Floats:
    vectors = rng.normal(size=(count, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _measure(tracker: Tracker, targets: Floats, start: str) -> dict[str, Any]:
    """Run one trial for each target."""
    tracker.reset()
    found = ex.solve_each(tracker, targets, None if start == "rest" else lambda trial: None)
    distance = np.linalg.norm(targets, axis=1)
    needless = found.distances - np.maximum(distance - 1.0, 0.0)
    return {
        "success": float((needless < np.where(distance <= 1.0, REACHED, STRETCHED)).mean()),
        "missed_median": float(np.median(needless)),
        "missed_max": float(needless.max()),
        "iterations_median": float(np.median(found.iterations)),
        "iterations_p95": float(np.percentile(found.iterations, 95.0)),
        "median_us": float(np.median(found.us)),
        "p95_us": float(np.percentile(found.us, 95.0)),
    }


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    keys = "solver joints success:.1% missed_median:.1e iterations_median:.0f iterations_p95:.0f "
    for kind, start, title in CASES:
        rows = [row for row in found["rows"] if (row["targets"], row["start"]) == (kind, start)]
        title = f"{title} ({rows[0]['trials']})"
        yield ex.table(title, f"{keys}median_us:.0f p95_us:.0f", rows)
    success = f"within {found['reached']:g} of the length; out of reach: within "
    success += f"{found['stretched']:g} of the least that can be missed"
    yield ex.Facts(None, [("success", success)])


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    for count in options["joints"]:
        Skeleton.chain(count)  # refuses wrong numbers
    return ex.choose_solvers(options["solvers"], "chains")


def _integers(ctx: click.Context, param: click.Parameter, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"expected numbers such as 3,6,10; got {text!r}") from None


EXPERIMENT = ex.Experiment(
    about="Random targets within reach and beyond it, the same for every solver: how many are "
    "reached to a thousandth of the length, in how many iterations, in what time.",
    options=(
        ex.solvers_option(text="Which solvers of any figure; see `sixpoint solvers`."),
        click.Option(["--joints"], default="3,6,10,30,100", show_default=True, metavar="N,N...",
                     callback=_integers, help="Numbers of joints of the chains."),
        ex.trials_option("Targets for each chain. Default: 1000, or 25 with --quick."),
    ),
    solvers=_solvers,
    body=lambda: Skeleton.chain(1),
    run=bench_chains,
    show=_show,
    output_help="Also write chains.json there.",
)  # fmt: skip
