"""`sixpoint bench particles`: the experiments of the Monte Carlo paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, say, show_facts, show_table
from .options import json_option, quick_option


@click.command("particles")
@click.option("--trials", type=click.IntRange(1), metavar="N",
              help="Targets for each number. Default: 1000, or 40 with --quick.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), metavar="N",
              help="Of targets and random numbers; scenes take it and those after.")  # fmt: skip
@click.option("-o", "--output", metavar="DIR",
              help="Write particles.json, success.png and times.png there.")  # fmt: skip
@quick_option
@json_option
def command(
    trials: int | None, seed: int | None, output: str | None, quick: bool, as_json: bool
) -> None:
    """How well and how fast the particle filter solves.

    The experiments of the paper: success against particles and degrees of freedom, time of an
    iteration against Jacobian methods with finite differences, the long chain that keeps its
    balance, the person on its feet, the hand with a target for every fingertip.
    """
    from ..bench.particle_scenes import hand_scene
    from ..bench.particles import SEED, bench_particles

    with compiling():
        hand_scene(iterations=1)[0].warm_up()
    with progress("particles") as tell:
        found = bench_particles(
            trials=trials, seed=SEED if seed is None else seed, quick=quick, progress=tell
        )
    if output is not None:
        _write(found, Path(output))
    if as_json:
        emit(found)
    else:
        _show(found)


def _write(found: dict[str, Any], folder: Path) -> None:
    from ..bench.particle_pictures import draw_particles
    from ..errors import MissingExtra

    save_report(found, folder / "particles.json")
    try:
        for path in draw_particles(found, folder):
            say(f"wrote {path}")
    except MissingExtra as error:
        say(f"note: no pictures: {error}")


def _show(found: dict[str, Any]) -> None:
    counts = sorted({row["particles"] for row in found["success"]})
    dofs = sorted({row["dof"] for row in found["success"]})
    at = {(row["dof"], row["particles"]): row["success"] for row in found["success"]}
    rim = {row["dof"]: row["success"] for row in found["success_rim"]}
    show_table(
        f"success within 200 iterations ({found['trials']} targets up to 0.88 of the reach)",
        ("DoF", *(f"{n} particles" for n in counts), "30, rim up to 0.98"),
        [(str(d), *(f"{at[d, n]:.1%}" for n in counts), f"{rim[d]:.1%}") for d in dofs],
    )
    methods = list(dict.fromkeys(row["method"] for row in found["times"]))
    us = {(row["method"], row["dof"]): row["us"] for row in found["times"]}
    timed = sorted({row["dof"] for row in found["times"]})
    show_table(
        "time of an iteration [us]",
        ("method", *(f"{d} DoF" for d in timed)),
        [(name, *(f"{us[name, d]:.0f}" for d in timed)) for name in methods],
    )
    show_table(
        "the 90-DoF chain with both constraints, 30 particles",
        ("limits", "iterations a second", "draws rejected"),
        [
            (row["limits"], f"{row['iterations_per_second']:.0f}", f"{row['rejected_part']:.1%}")
            for row in found["speeds"]
        ],
    )
    show_table(
        "scenes with several constraints",
        ("scene", "seeds", "all held", "what", "median", "worst"),
        [
            (
                name,
                str(scene["seeds"]),
                f"{scene['rate']:.0%}",
                key,
                f"{f['median']:.3g}",
                f"{f['worst']:.3g}",
            )
            for name, scene in found["scenes"].items()
            for key, f in scene["facts"].items()
        ],
    )
    machine = found["machine"]
    show_facts(
        None,
        [
            ("time against DoF", f"slope {found['time_slope']:.2f} of the logarithms"),
            ("the same with limits", f"slope {found['time_slope_limits']:.2f}"),
            ("hand", f"tips within {1e3 * found['hand_tip_max_m']:.1f} mm in all seeds"),
            ("machine", f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"),
        ],
    )
