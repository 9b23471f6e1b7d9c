"""The experiments of the Monte Carlo paper (Courty & Arnaud 2008), on this machine.

Success against particles and degrees of freedom, time of an iteration against Jacobian methods with
finite differences, and the scenes with several constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..solvers import DampedSolver, ParticleStream, TransposeSolver, solver
from . import charts
from . import experiment as ex
from . import particle_scenes as scenes

DOF = (6, 12, 24, 36, 48, 60)
PARTICLES, QUICK_PARTICLES = (5, 10, 20, 30, 50), (10, 30)
TIMED_DOF = (6, 15, 30, 60, 90, 150, 300)
TRIALS, QUICK_TRIALS = 1000, 40
ITERATIONS = 200
MET = 0.001
"""Distance that counts as success, in units of the paper's scene, which starts 2 units away."""
ALL, INNER, RIM = (0.0, 0.98), (0.0, 0.88), (0.88, 0.98)
"""Targets at parts of the chain's reach: all that count as reachable; well inside; near the rim."""
JACOBIAN = {"jacobian-transpose": TransposeSolver(), "damped pseudo-inverse": DampedSolver()}
"""Methods that the paper compares the filter with, which it gives Jacobians by differences."""
TIMED_PARTICLES = (50, 20)
LIMITED = (("off", None, 0.0), ("wide", 25.0, 15.0), ("biting", 3.0, 2.0))
"""Limits of the 90-DoF chain: none, rarely active ones, and ones that are soon active at every
joint; swing and twist [degrees]."""
SPREADS = (0.05, 0.1, 0.2, 0.4)
CONSTANT = ((0.02, 0.05), (0.005, 0.01), (0.002, 0.005))
"""Noise of joints [rad] and of tasks, as a part of the size, where neither shrinks."""
QUICK_SEEDS, MANY_SEEDS = 20, 100
"""Seeds of a scene: in a quick run, and else. No setting was chosen by them."""
PAPER = {"iterations_per_second_90dof": 60.0, "success_rate_30_particles": 1.0}
"""What the paper says: about 60 frames a second, almost always 100 percent."""


def bench_particles(
    *,
    trials: int | None = None,
    seed: int | None = None,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure success, with `trials` targets a cell, time, and scenes with several constraints.

    The seed (default `SEED`) is that of targets and of the filter.
    """
    count = trials or (QUICK_TRIALS if quick else TRIALS)
    seed = ex.SEED if seed is None else seed
    cells = [(dof, n, ALL) for dof in DOF for n in (QUICK_PARTICLES if quick else PARTICLES)]
    cells += [(dof, 30, parts) for dof in DOF for parts in (INNER, RIM)]
    step = ex.counted(progress, len(cells) + 3 + len(scenes.SCENES))
    rows: dict[tuple[float, float], list[dict[str, Any]]] = {ALL: [], INNER: [], RIM: []}
    for dof, particles, parts in cells:
        targets = scenes.chain_targets(dof // 3, count, seed, parts)
        rows[parts].append(success_cell(dof, particles, targets, seed))
        step()
    grid, inner, rim = rows[ALL], rows[INNER], rows[RIM]
    times = time_rows(quick)
    step()
    speeds = chain_speeds(20 if quick else 60)
    step()
    arm = scenes.chain_targets(4, min(count, QUICK_TRIALS), seed, INNER)
    spreads = [{"spread": s} | success_cell(12, 30, arm, seed, spread=s) for s in SPREADS]
    constant = [
        {"noise": noise, "sigma": sigma}
        | success_cell(12, 30, arm, seed, schedule="constant", noise=noise, sigma=sigma)
        for noise, sigma in CONSTANT
    ]
    step()
    played = {}
    for name in scenes.SCENES:
        played[name] = scenes.scene_facts(name, seed, QUICK_SEEDS if quick else MANY_SEEDS)
        step()
    worst = {k: f["worst"] for scene in played.values() for k, f in scene["facts"].items()}
    method = f"{TIMED_PARTICLES[0]} particles"
    finite = [r for r in times if r["method"].startswith("jacobian-transpose") and r["dof"] >= 30]
    a_second = {row["limits"]: row["iterations_per_second"] for row in speeds}
    return {
        "seed": seed,
        "trials": count,
        "success_rate_30_particles": min(r["success"] for r in grid if r["particles"] == 30),
        "success_rate_30_particles_inner": min(row["success"] for row in inner),
        "success_rate_30_particles_rim": min(row["success"] for row in rim),
        "success": grid,
        "success_inner": inner,
        "success_rim": rim,
        "particles_for_99": enough_particles(grid),
        "time_slope": slope([row for row in times if row["method"] == method]),
        "time_slope_limits": slope([r for r in times if r["method"] == f"{method}, limits"]),
        "time_slope_finite_differences": slope(finite),
        "times": times,
        "iterations_per_second_90dof": a_second["off"],
        "iterations_per_second_90dof_limits": a_second["wide"],
        "iterations_per_second_90dof_biting": a_second["biting"],
        "speeds": speeds,
        "spreads": spreads,
        "constant": constant,
        "scenes": played,
        **worst,
        "paper": PAPER,
    }


def enough_particles(grid: Sequence[dict[str, Any]]) -> dict[str, int | None]:
    """Return the fewest particles that meet 99 % of the targets, by degrees of freedom."""
    out: dict[str, int | None] = {}
    for row in sorted(grid, key=lambda row: -row["particles"]):
        out.setdefault(str(row["dof"]), None)
        if row["success"] >= 0.99:
            out[str(row["dof"])] = row["particles"]
    return out


def success_cell(
    dof: int, particles: int, targets: Floats, seed: int, **settings: Any
) -> dict[str, Any]:
    """Return the fraction of targets (T, 3) that a chain meets within 200 iterations."""
    start = scenes.bent_chain(dof // 3)
    usual = {"particles": particles, "iterations": ITERATIONS, "tolerance": MET / scenes.LENGTH}
    tracker = scenes.tracker_of(start.skeleton, **usual | settings)
    stream = ParticleStream(tracker)
    found = ex.solve_each(tracker, targets, lambda trial: stream.begin(start, seed + trial))
    return {
        "dof": dof,
        "particles": particles,
        "success": float((found.distances < MET).mean()),
        "iterations_median": float(np.median(found.iterations)),
        "iterations_p95": float(np.percentile(found.iterations, 95.0)),
    }


def time_rows(quick: bool = False) -> list[dict[str, Any]]:
    """Return the time of an iteration by degrees of freedom, of all methods (Fig. 4b)."""
    repeats = 10 if quick else 40
    rows = []

    def add(method: str, dof: int, spent: Floats) -> None:
        times = {"us": float(spent.min()), "us_deviation": float(spent.std())}
        rows.append({"method": method, "dof": dof, **times})

    for dof in TIMED_DOF:
        start = scenes.bent_chain(dof // 3)
        target = scenes.chain_targets(dof // 3, 1, ex.SEED, INNER)
        # Constant noise: every iteration draws alike, and none is the last.
        constant = {"iterations": max(10, 1800 // dof), "tolerance": 0.0, "schedule": "constant"}
        for particles in TIMED_PARTICLES:
            for words, limits in (("", None), (", limits", scenes.chain_limits(start.skeleton))):
                settings: dict[str, Any] = {"particles": particles, **constant}
                tracker = scenes.tracker_of(start.skeleton, limits=limits, **settings)
                spent = _filter_times(tracker, target, start, repeats)
                add(f"{particles} particles{words}", dof, spent)
        for name, method in JACOBIAN.items():
            count = max(2, 9000 // dof**2)
            slow = replace(method, derivatives="differences", iterations=count, tolerance=0.0)
            plain = slow.prepare(start.skeleton, limits=None)
            add(f"{name}, finite differences", dof, _difference_times(plain, target, repeats))
    return rows


def _filter_times(tracker: Any, target: Floats, start: Any, repeats: int) -> Floats:
    """Return microseconds of an iteration of the filter, once for each repeat."""
    stream = ParticleStream(tracker)

    def run(seed: int) -> tuple[float, int]:
        stream.begin(start, seed)
        us, solution = ex.timed(tracker.solve, target)
        return us, solution.iterations

    return _iteration_times(run, repeats)


def _difference_times(tracker: Any, target: Floats, repeats: int) -> Floats:
    """Return microseconds of an iteration of a Jacobian method with finite differences."""

    def run(seed: int) -> tuple[float, int]:
        tracker.reset()
        us, solution = ex.timed(tracker.solve, target)
        return us, solution.iterations

    return _iteration_times(run, repeats)


def _iteration_times(run: Callable[[int], tuple[float, int]], repeats: int) -> Floats:
    """Return microseconds of an iteration of runs, which return time and iterations.

    The first run, which compiles, is left out; the least of short runs tells most.
    """
    spent = [us / iterations for us, iterations in map(run, range(repeats + 1))]
    return np.array(spent[1:])


def slope(rows: Sequence[dict[str, Any]]) -> float:
    """Return the slope of time over degrees of freedom, both logarithmic: 1 is linear."""
    dof, us = (np.log([row[key] for row in rows]) for key in ("dof", "us"))
    return float(np.polyfit(dof, us, 1)[0])


def chain_speeds(repeats: int) -> list[dict[str, Any]]:
    """Return iterations a second of the 90-DoF chain with both constraints and 30 particles."""
    rows = []
    start = scenes.bent_chain(30)
    for case, swing, twist in LIMITED:
        settings = {"tolerance": 0.0, "iterations": 50}
        tracker, target = scenes.long_chain(swing=swing, twist=twist, **settings)
        spent = _filter_times(tracker, target, start, repeats)
        ParticleStream(tracker).begin(start, repeats)
        found = tracker.solve(target)
        rejections, projections = (found.extras[key] for key in ("rejections", "projections"))
        draws = found.iterations * tracker.solver.particles * start.skeleton.joint_count
        rows.append(
            {
                "limits": case,
                "iterations_per_second": float(1e6 / spent.min()),
                "iterations_per_second_median": float(1e6 / np.median(spent)),
                "rejected_part": float(rejections / (draws + rejections - projections)),
                "us_deviation": float(spent.std()),
            }
        )
    return rows


def draw_particles(found: Mapping[str, Any], folder: Path, options: Any = None) -> list[Path]:
    """Write success.png (Fig. 4a) and times.png (Fig. 4b); dotted there: a slope of 1."""
    success: charts.Curves = {}
    for row in sorted(found["success"], key=lambda row: (row["dof"], row["particles"])):
        point = row["particles"], 100.0 * row["success"]
        success.setdefault(f"{row['dof']} DoF", []).append(point)
    times: charts.Curves = {}
    for row in found["times"]:
        label = row["method"].replace(", finite differences", ",\nfinite differences")
        times.setdefault(label, []).append((row["dof"], row["us"]))
    paths = []
    for name, curves, x, y in (
        ("success", success, "particles", "success in 200 iterations [%]"),
        ("times", times, "degrees of freedom", "time of an iteration [us]"),
    ):
        figure = charts.new_chart(7.0, 3.6)
        axes = charts.empty_axes(figure, (0.11, 0.17, 0.57, 0.77), x, y)
        if name == "times":
            axes.set_yscale("log")
        lines = {label: sorted(points) for label, points in curves.items()}
        charts.draw_curves(axes, lines, markersize=4.0)
        if name == "times":
            dofs, us = zip(*next(iter(lines.values())), strict=True)
            line = [0.7 * us[0] * dof / dofs[0] for dof in dofs]
            axes.plot(dofs, line, ":", color=charts.INK, linewidth=1.0)
        charts.logarithmic_ticks(axes, sorted({x for line in lines.values() for x, _ in line}))
        axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.02, 0.5))
        paths.append(charts.save_figure(figure, folder / f"{name}.png"))
    return paths


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    title = f"success within 200 iterations ({found['trials']} targets up to 0.98 of the reach)"
    inner = [row | {"particles": "inner"} for row in found["success_inner"]]
    rim = [row | {"particles": "rim"} for row in found["success_rim"]]
    keys, heads = ("dof", "particles", "success"), ("DoF", "{} particles", ".1%")
    success = ex.pivot(title, [*found["success"], *inner, *rim], keys, heads)
    success.columns[-2] = success.columns[-2]._replace(title="30, up to 0.88")
    success.columns[-1] = success.columns[-1]._replace(title="30, beyond 0.88")
    yield success
    title = "time of an iteration [us]"
    yield ex.pivot(title, found["times"], ("method", "dof", "us"), ("method", "{} DoF", ".0f"))
    yield ex.table(
        "the 90-DoF chain with both constraints, 30 particles",
        "limits iterations_per_second:.0f rejected_part:.1%",
        found["speeds"],
    )
    played = [
        {"scene": name, "what": what} | scene | fact
        for name, scene in found["scenes"].items()
        for what, fact in scene["facts"].items()
    ]
    keys_of_scenes = "scene seeds rate:.0% what median:.3g worst:.3g"
    yield ex.table("scenes with several constraints", keys_of_scenes, played)
    slopes = "time_slope:.2f time_slope_limits:.2f time_slope_finite_differences:.2f"
    yield ex.facts("time against DoF, slopes of the logarithms", slopes, found)


EXPERIMENT = ex.Experiment(
    about="The experiments of the paper: success against particles and degrees of freedom, time of "
    "an iteration against Jacobian methods with finite differences, the long chain that keeps its "
    "balance, the person on its feet, the hand with a target for every fingertip.",
    options=(
        ex.trials_option("Targets for each number. Default: 1000, or 40 with --quick."),
        click.Option(["--seed"], type=click.IntRange(0), metavar="N",
                     help="Of targets and random numbers; scenes take it and those after."),
    ),
    solvers=lambda options: [solver("monte-carlo")],
    body=lambda: Skeleton.chain(1),
    run=bench_particles,
    show=_show,
    files=draw_particles,
    output_help="Write particles.json, success.png and times.png there.",
)  # fmt: skip
