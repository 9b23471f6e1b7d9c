"""`sixpoint bench energy`: the experiments of the mass-spring paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, show_facts, show_table
from .options import json_option, quick_option, wrong_call


@click.command("energy")
@click.option("--trials", type=click.IntRange(15), metavar="N",
              help="Targets for each solver. Default: 1000, or 100 with --quick.")  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Also write energy.json there.")
@quick_option
@json_option
def command(trials: int | None, output: str | None, quick: bool, as_json: bool) -> None:
    """Mass-spring IK: the paper's Table 1 beside ours.

    Iterations and time for chains of 6 and 10 joints against CCD and Jacobian methods, how much
    joints change, how targets are weighed, and how step and damping decide the iterations.
    """
    from ..bench.energy import PAPER, bench_energy, table_solver
    from ..body.skeleton import Skeleton

    with compiling():
        for name in PAPER:
            table_solver(name).prepare(Skeleton.chain(1)).warm_up()
    with progress("energy") as tell, wrong_call():
        found = bench_energy(trials=trials, quick=quick, progress=tell)
    if output is not None:
        save_report(found, Path(output) / "energy.json")
    if as_json:
        emit(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    show_table(
        f"Table 1: to a hundredth of the length, means over {found['table1'][0]['trials']}",
        ("solver", "joints", "iterations", "first 15", "the paper", "us", "the paper", "met"),
        [
            (
                row["solver"],
                str(row["joints"]),
                f"{row['iterations']:.1f}",
                f"{row['iterations_of_15']:.1f}",
                f"{row['iterations_paper']:.1f}",
                f"{row['us']:.1f}",
                f"{row['us_paper']:.0f}",
                f"{row['success']:.0%}",
            )
            for row in found["table1"]
        ],
    )
    show_table(
        "mass-spring as it is used: to a thousandth of the length",
        ("joints", "met", "steps", "p95", "us in a batch", "places only", "us of a call"),
        [
            (
                str(row["joints"]),
                f"{row['converged']} of {row['of']}",
                f"{row['iterations']:.0f}",
                f"{row['iterations_p95']:.0f}",
                f"{row['us']:.1f}",
                f"{row['us_places_only']:.1f}",
                f"{row['us_call']:.1f}",
            )
            for row in found["exact"]
        ],
    )
    show_table(
        "ten joints: what a solve does to the pose",
        ("solver", "turns of all joints [rad]", "bends, in circles", "rolled up"),
        [
            (name, f"{row['change']:.2f}", f"{row['turns']:.2f}", f"{row['rolled_up']:.0%}")
            for name, row in found["joint_change"].items()
        ],
    )
    show_table(
        "two targets that cannot both be met: distances by the weight of the first",
        ("solver", "weight", "first", "second"),
        [
            (row["solver"], f"{row['weight']:.2f}", f"{row['inner']:.3f}", f"{row['tip']:.3f}")
            for row in found["weights"]
        ],
    )
    for grid in found["map"]:
        show_table(
            f"steps of {grid['joints']} joints by damping (rows) and step; - does not come to rest",
            ("", *(f"{step:g}" for step in grid["steps"])),
            [
                (f"{damping:g}", *("-" if n is None else f"{n:.0f}" for n in row))
                for damping, row in zip(grid["dampings"], grid["iterations"], strict=True)
            ],
        )
    machine = found["machine"]
    rates = [f"{row['chains_per_s']:.0f}/s ({row['threads']} threads)" for row in found["batch"]]
    show_facts(
        None,
        [
            ("batch", f"{found['batch'][0]['joints']} joints: {', '.join(rates)}"),
            ("us", "of Table 1: without the cost of a call, which a frame without a target tells"),
            ("machine", f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"),
        ],
    )
