"""The experiments of the Monte Carlo paper (Courty & Arnaud 2008), on this machine.

Success against particles and degrees of freedom, time of an iteration against Jacobian methods with
finite differences, and the scenes with several constraints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels.types import Floats
from ..motion.pose import Pose
from ..solvers import DampedSolver, ParticleStream, Tracker, TransposeSolver, solver
from ..solvers.articulated.model import Targets
from .charts import COLOURS, INK, empty_axes, new_figure, save_figure
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
    pivot,
    trial_count,
)
from .finite_differences import finite_steps
from .particle_scenes import (
    LENGTH,
    MANY_SEEDS,
    QUICK_SEEDS,
    SCENES,
    bent_chain,
    chain_limits,
    chain_targets,
    long_chain,
    scene_facts,
    tracker_of,
)

DOF = (6, 12, 24, 36, 48, 60)
PARTICLES, QUICK_PARTICLES = (5, 10, 20, 30, 50), (10, 30)
TIMED_DOF = (6, 15, 30, 60, 90, 150, 300)
TRIALS, QUICK_TRIALS = 1000, 40
ITERATIONS = 200
MET = 0.001
"""Distance that counts as success, in units of the paper's scene, which starts 2 units away."""
INNER, RIM = (0.0, 0.88), (0.88, 0.98)
"""Targets at parts of the chain's reach: well inside, and near the rim."""
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
    seed: int | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> Measurements:
    """Measure success, time, and the scenes with several constraints.

    Args:
        trials: of each cell of the success table.
        seed: of targets and of the filter; default `SEED`.
        quick: fewer trials and smaller grids; the same keys.
        progress: called with the number of parts done and their total.
    """
    count = trial_count(trials, QUICK_TRIALS if quick else TRIALS)
    few = min(count, QUICK_TRIALS)
    seed = SEED if seed is None else seed
    cells = [(dof, n) for dof in DOF for n in (QUICK_PARTICLES if quick else PARTICLES)]
    tell = counted(progress, len(cells) + len(DOF) + 3 + len(SCENES))
    grid, rim = [], []
    for dof, particles in cells:
        grid.append(success_cell(dof, particles, chain_targets(dof // 3, count, seed, INNER), seed))
        tell()
    for dof in DOF:
        rim.append(success_cell(dof, 30, chain_targets(dof // 3, count, seed, RIM), seed))
        tell()
    times = time_rows(quick)
    tell()
    speeds = chain_speeds(20 if quick else 60)
    tell()
    arm = chain_targets(4, few, seed, INNER)
    spreads = [{"spread": s} | success_cell(12, 30, arm, seed, spread=s) for s in SPREADS]
    constant = [
        {"noise": noise, "sigma": sigma}
        | success_cell(12, 30, arm, seed, schedule="constant", noise=noise, sigma=sigma)
        for noise, sigma in CONSTANT
    ]
    tell()
    scenes = {}
    for name in SCENES:
        scenes[name] = scene_facts(name, seed, QUICK_SEEDS if quick else MANY_SEEDS)
        tell()
    worst = {k: f["worst"] for scene in scenes.values() for k, f in scene["facts"].items()}
    method = f"{TIMED_PARTICLES[0]} particles"
    rivals = [r for r in times if r["method"].startswith("jacobian-transpose") and r["dof"] >= 30]
    a_second = {row["limits"]: row["iterations_per_second"] for row in speeds}
    return {
        "bench": "particles",
        "quick": quick,
        "seed": seed,
        "trials": count,
        "success_rate_30_particles": min(r["success"] for r in grid if r["particles"] == 30),
        "success_rate_30_particles_rim": min(row["success"] for row in rim),
        "success": grid,
        "success_rim": rim,
        "particles_for_99": enough_particles(grid),
        "time_slope": slope([row for row in times if row["method"] == method]),
        "time_slope_limits": slope([r for r in times if r["method"] == f"{method}, limits"]),
        "time_slope_finite_differences": slope(rivals),
        "times": times,
        "iterations_per_second_90dof": a_second["off"],
        "iterations_per_second_90dof_limits": a_second["wide"],
        "iterations_per_second_90dof_biting": a_second["biting"],
        "speeds": speeds,
        "spreads": spreads,
        "constant": constant,
        "scenes": scenes,
        **worst,
        "paper": PAPER,
        "machine": machine(),
    }


def enough_particles(grid: Sequence[dict[str, Any]]) -> dict[str, int | None]:
    """The fewest particles that meet 99 % of the targets, by degrees of freedom."""
    out: dict[str, int | None] = {}
    for row in sorted(grid, key=lambda row: -row["particles"]):
        out.setdefault(str(row["dof"]), None)
        if row["success"] >= 0.99:
            out[str(row["dof"])] = row["particles"]
    return out


def success_cell(
    dof: int, particles: int, targets: Floats, seed: int, **settings: Any
) -> dict[str, Any]:
    """Part of the targets (T, 3) that a chain meets within 200 iterations."""
    start = bent_chain(dof // 3)
    usual = {"particles": particles, "iterations": ITERATIONS, "tolerance": MET / LENGTH}
    tracker = tracker_of(start.skeleton, **usual | settings)
    stream = ParticleStream(tracker)
    met, steps = np.zeros(len(targets), np.bool_), np.zeros(len(targets))
    for k, target in enumerate(targets):
        stream.begin(start, seed + k)
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
    repeats = 10 if quick else 40
    rows = []

    def add(method: str, dof: int, spent: Floats) -> None:
        times = {"us": float(spent.min()), "us_deviation": float(spent.std())}
        rows.append({"method": method, "dof": dof, **times})

    for dof in TIMED_DOF:
        start = bent_chain(dof // 3)
        target = chain_targets(dof // 3, 1, SEED, INNER)
        for particles in TIMED_PARTICLES:
            for words, limits in (("", None), (", limits", chain_limits(start.skeleton))):
                # Constant noise: every iteration draws alike, and none is the last.
                tracker = tracker_of(
                    start.skeleton,
                    limits=limits,
                    particles=particles,
                    iterations=max(10, 1800 // dof),
                    tolerance=0.0,
                    schedule="constant",
                )
                spent = iteration_times(tracker, target, start, repeats)
                add(f"{particles} particles{words}", dof, spent)
        for name, kind in RIVALS.items():
            tracker = kind().prepare(start.skeleton, limits=None)
            add(f"{name}, finite differences", dof, finite_times(tracker, target, repeats))
    return rows


def iteration_times(tracker: Any, target: Floats, start: Pose, repeats: int) -> Floats:
    """Microseconds of an iteration, once for each repeat; the least of short runs tells most."""
    stream = ParticleStream(tracker)

    def run(seed: int) -> int:
        stream.begin(start, seed)
        return int(tracker.solve(target).iterations)

    return _repeated(run, repeats)


def finite_times(tracker: Tracker, target: Floats, repeats: int) -> Floats:
    """Microseconds of an iteration of a Jacobian method by finite differences.

    The paper gives them to its rivals; our solvers have analytic Jacobians.
    """
    targets = Targets(target, np.full((1, 4), np.nan))
    count = max(2, 9000 // int(tracker.run.context.model.freedom.sum()) ** 2)

    def run(seed: int) -> int:
        tracker.reset()
        finite_steps(tracker.run.context, targets, count)
        return count

    return _repeated(run, repeats)


def _repeated(run: Callable[[int], int], repeats: int) -> Floats:
    """Microseconds of an iteration in runs that return how many they did; the first compiles."""
    spent = np.zeros(repeats + 1)
    for k in range(repeats + 1):
        begin = time.perf_counter()
        iterations = run(k)
        spent[k] = (time.perf_counter() - begin) * 1e6 / iterations
    return spent[1:]


def slope(rows: Sequence[dict[str, Any]]) -> float:
    """Slope of time against degrees of freedom, both logarithmic: 1 is linear."""
    dof, us = (np.log([row[key] for row in rows]) for key in ("dof", "us"))
    return float(np.polyfit(dof, us, 1)[0])


def chain_speeds(repeats: int) -> list[dict[str, Any]]:
    """Iterations a second of the 90-DoF chain with both constraints, 30 particles, one core."""
    rows = []
    start = bent_chain(30)
    for case, swing, twist in LIMITED:
        tracker, target = long_chain(swing=swing, twist=twist, tolerance=0.0, iterations=50)
        spent = iteration_times(tracker, target, start, repeats)
        ParticleStream(tracker).begin(start, repeats)
        found = tracker.solve(target)
        rejections, projections = (found.extras[key] for key in ("rejections", "projections"))
        draws = found.iterations * tracker.solver.particles * start.skeleton.joint_count
        draws += rejections - projections
        rows.append(
            {
                "limits": case,
                "iterations_per_second": float(1e6 / spent.min()),
                "iterations_per_second_median": float(1e6 / np.median(spent)),
                "rejected_part": float(rejections / draws),
                "us_deviation": float(spent.std()),
            }
        )
    return rows


def success_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Success against the number of particles, a curve for each number of degrees of freedom."""
    figure, axes = _axes("particles", "success in 200 iterations [%]")
    for k, dof in enumerate(sorted({row["dof"] for row in rows})):
        mine = sorted((r["particles"], r["success"]) for r in rows if r["dof"] == dof)
        x, y = zip(*mine, strict=True)
        axes.plot(x, [100.0 * part for part in y], "o-", color=COLOURS[k], markersize=4.0,
                  label=f"{dof} DoF")  # fmt: skip
    axes.set_xscale("log")
    _finish(axes, sorted({row["particles"] for row in rows}))
    return figure


def times_chart(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Time of an iteration against degrees of freedom, both logarithmic; dotted: a slope of 1."""
    figure, axes = _axes("degrees of freedom", "time of an iteration [us]")
    for k, method in enumerate(dict.fromkeys(row["method"] for row in rows)):
        mine = sorted((row["dof"], row["us"]) for row in rows if row["method"] == method)
        x, y = zip(*mine, strict=True)
        words = method.replace(", finite differences", ",\nfinite differences")
        axes.loglog(x, y, "o-", color=COLOURS[k], markersize=4.0, label=words)
        if k == 0:
            axes.loglog(x, [0.7 * y[0] * n / x[0] for n in x], ":", color=INK, linewidth=1.0)
    _finish(axes, sorted({row["dof"] for row in rows}))
    return figure


def _axes(x: str, y: str) -> tuple[Any, Any]:
    figure = new_figure("A chart", (7.0, 3.6), 110)
    return figure, empty_axes(figure, (0.11, 0.17, 0.57, 0.77), x, y)


def _finish(axes: Any, ticks: Sequence[int]) -> None:
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.02, 0.5))


def draw_particles(found: Mapping[str, Any], folder: Path, options: Any = None) -> list[Path]:
    """Write success.png (Fig. 4a) and times.png (Fig. 4b)."""
    return [
        save_figure(success_chart(found["success"]), folder / "success.png"),
        save_figure(times_chart(found["times"]), folder / "times.png"),
    ]


SPEEDS = (
    Column("limits", "limits"),
    Column("iterations a second", "iterations_per_second", "{:.0f}"),
    Column("draws rejected", "rejected_part", "{:.1%}"),
)
SCENE = (
    Column("scene", "scene"),
    Column("seeds", "seeds"),
    Column("all held", "rate", "{:.0%}"),
    Column("what", "what"),
    Column("median", "median", "{:.3g}"),
    Column("worst", "worst", "{:.3g}"),
)


def _show(found: Measurements) -> Iterator[Table | Facts]:
    rows, counts = pivot(found["success"], "dof", "particles", "success")
    rim = {row["dof"]: row["success"] for row in found["success_rim"]}
    yield Table(
        f"success within 200 iterations ({found['trials']} targets up to 0.88 of the reach)",
        (
            Column("DoF", "dof"),
            *(Column(f"{n} particles", n, "{:.1%}") for n in counts),
            Column("30, rim up to 0.98", "rim", "{:.1%}"),
        ),
        [row | {"rim": rim[row["dof"]]} for row in rows],
    )
    rows, dofs = pivot(found["times"], "method", "dof", "us")
    columns = [Column(f"{dof} DoF", dof, "{:.0f}") for dof in dofs]
    yield Table("time of an iteration [us]", [Column("method", "method"), *columns], rows)
    yield Table("the 90-DoF chain with both constraints, 30 particles", SPEEDS, found["speeds"])
    facts = [
        {"scene": name, "what": what} | scene | fact
        for name, scene in found["scenes"].items()
        for what, fact in scene["facts"].items()
    ]
    yield Table("scenes with several constraints", SCENE, facts)
    yield Facts(
        None,
        [
            ("time against DoF", f"slope {found['time_slope']:.2f} of the logarithms"),
            ("the same with limits", f"slope {found['time_slope_limits']:.2f}"),
            ("hand", f"tips within {1e3 * found['hand_tip_max_m']:.1f} mm in all seeds"),
            machine_fact(found),
        ],
    )


EXPERIMENT = Experiment(
    name="particles",
    about="The experiments of the paper: success against particles and degrees of freedom, time of "
    "an iteration against Jacobian methods with finite differences, the long chain that keeps its "
    "balance, the person on its feet, the hand with a target for every fingertip.",
    options=(
        Option(
            "trials",
            "Targets for each number. Default: 1000, or 40 with --quick.",
            "N",
            kind=int,
            least=1,
        ),
        Option(
            "seed",
            "Of targets and random numbers; scenes take it and those after.",
            "N",
            kind=int,
            least=0,
        ),
    ),
    solvers=lambda options: [solver("monte-carlo")],
    body=lambda: Skeleton.chain(1),
    run=bench_particles,
    show=_show,
    files=draw_particles,
    output_help="Write particles.json, success.png and times.png there.",
)
