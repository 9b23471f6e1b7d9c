"""`sixpoint bench chains`: how well general solvers reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, show_facts, show_table
from .options import json_option, quick_option, wrong_call


@click.command("chains")
@click.option("--solvers", default="all", show_default=True, metavar="all|NAME,NAME...",
              help="Which solvers of any figure; see `sixpoint solvers`.")  # fmt: skip
@click.option("--joints", default="3,6,10,30,100", show_default=True, metavar="N,N...",
              help="Numbers of joints of the chains.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), metavar="N",
              help="Targets for each chain. Default: 1000, or 25 with --quick.")  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Also write chains.json there.")
@quick_option
@json_option
def command(
    solvers: str,
    joints: str,
    trials: int | None,
    output: str | None,
    quick: bool,
    as_json: bool,
) -> None:
    """How well solvers reach with chains of ball joints.

    Random targets within reach and beyond it, the same for every solver: how many are reached to a
    thousandth of the length, in how many iterations, in what time.
    """
    from ..bench.chains import bench_chains, general_solvers
    from ..body.skeleton import Skeleton

    with wrong_call():
        names = None if solvers == "all" else [name.strip() for name in solvers.split(",")]
        chosen = general_solvers(names)
        lengths = _counts(joints)
        for count in lengths:
            Skeleton.chain(count)
    with compiling():
        for solver in chosen:
            solver.prepare(Skeleton.chain(1)).warm_up()
    with progress("chains") as tell:
        found = bench_chains(names, joints=lengths, trials=trials, quick=quick, progress=tell)
    if output is not None:
        save_report(found, Path(output) / "chains.json")
    if as_json:
        emit(found)
    else:
        _show(found)


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"expected numbers such as 3,6,10; got {text!r}", param_hint="--joints"
        ) from None


def _show(found: dict[str, Any]) -> None:
    for title, kind, start in (
        ("reachable targets, each from rest", "reachable", "rest"),
        ("reachable targets, each from the pose before", "reachable", "last"),
        ("targets out of reach, each from rest", "unreachable", "rest"),
    ):
        rows = [row for row in found["rows"] if (row["targets"], row["start"]) == (kind, start)]
        show_table(
            f"{title} ({rows[0]['trials']})" if rows else title,
            ("solver", "joints", "success", "needlessly missed", "iterations", "p95", "us", "p95"),
            [
                (
                    row["solver"],
                    str(row["joints"]),
                    f"{row['success']:.1%}",
                    f"{row['missed_median']:.1e}",
                    f"{row['iterations_median']:.0f}",
                    f"{row['iterations_p95']:.0f}",
                    f"{row['median_us']:.0f}",
                    f"{row['p95_us']:.0f}",
                )
                for row in rows
            ],
        )
    machine = found["machine"]
    show_facts(
        None,
        [
            (
                "success",
                f"within {found['reached']:g} of the length; out of reach: within "
                f"{found['stretched']:g} of the least that can be missed",
            ),
            ("machine", f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"),
        ],
    )
