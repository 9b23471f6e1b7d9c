"""`sixpoint bench table1`: the comparison of the SIK paper, with every solver there is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, say, show_facts, show_table
from .job import read_limits, warm_up
from .options import data_option, json_option, load_clips, quick_option, wrong_call


@click.command("table1")
@data_option
@click.option("-o", "--output", default="table1", show_default=True, metavar="DIR",
              help="Results and report go there; made if new.")  # fmt: skip
@click.option("--solvers", default="all", show_default=True, metavar="all|NAME,NAME...",
              help="Which solvers; see `sixpoint solvers`.")  # fmt: skip
@click.option("--weights", type=float, nargs=3, metavar="W1 W2 W3",
              help="Wrists, ankles, frame before: what decides where the pelvis faces, for clips "
              "that are not the paper's. Default: 1 1 0.")  # fmt: skip
@click.option("--limits", metavar="FILE", help="Joint limits; default those of adults.")
@click.option("--no-limits", is_flag=True, help="Let joints turn freely.")
@quick_option
@json_option
def command(
    data: str | None,
    output: str,
    solvers: str,
    weights: tuple[float, float, float] | None,
    limits: str | None,
    no_limits: bool,
    quick: bool,
    as_json: bool,
) -> None:
    """Compare all solvers as Table 1 of the Sequential IK paper does.

    Same points, same joint limits, collisions off. The paper's clips are recognised by their
    numbers 17_10, 90_05 and 01_03 in the CMU database and get its weights. Writes results.json,
    results.csv, table.md and report.html.

    \b
    sixpoint bench table1 --data CMU/
    """  # noqa: D301  (click wants the backspace itself)
    from ..bench.published import paper_clip
    from ..bench.report import FILES, report_of, write_report
    from ..bench.table1 import WEIGHTS, bench_table1, choose_solvers

    with wrong_call():
        names = None if solvers == "all" else [name.strip() for name in solvers.split(",")]
        chosen = choose_solvers(names)
    clips = load_clips(data)
    if weights is not None and all(paper_clip(name) for name in clips):
        raise click.UsageError("--weights is for clips that are not the paper's; there are none.")
    if limits and no_limits:
        raise click.UsageError("Give --limits FILE or --no-limits, not both.")
    kept = read_limits(None if no_limits else (limits or "adult"))
    with compiling():
        for solver in chosen:
            warm_up(solver)
    with progress("table1") as tell:
        table = bench_table1(clips, solvers=names, weights=weights or WEIGHTS, limits=kept,
                             quick=quick, progress=tell)  # fmt: skip
    report = report_of(table)
    for note in [*report["notes"], *write_report(table, report, output)]:
        say(f"note: {note}")
    if as_json:
        emit(report)
        return
    _show(report)
    click.echo("\nWrote")
    for name in FILES:
        click.echo(f"  {Path(output) / name}")


def _show(report: Mapping[str, Any]) -> None:
    from ..bench.published import AVERAGE
    from ..bench.report import MARKS, display_order

    rows = {row["solver"]: row for row in report["averages"]}
    paper = {row["solver"]: row for row in report["published"] if row["clip"] == AVERAGE}

    def beside(name: str, key: str, form: str) -> str:
        value = rows[name][key]
        text = "-" if value is None else form.format(value)
        return f"{text} ({form.format(paper[name][key])})" if name in paper else text

    clips = report["settings"]["clips"]
    parts = "excerpts of " * report["quick"]
    frames = sum(clip["frames"] for clip in clips)
    title = f"Averages over {parts}{len(clips)} clip{'s'[: len(clips) > 1]}, {frames} frames"
    show_table(
        title + (" (the paper's in brackets)" if paper else ""),
        ("solver", "position", "orientation", "us/frame", "x SIK", "missed mm", "limits", "jumps"),
        [
            (
                name,
                beside(name, "position_rms", "{:.4f}"),
                beside(name, "orientation_rms", "{:.4f}"),
                f"{rows[name]['median_us']:.1f}",
                beside(name, "time_ratio_to_sik", "{:.1f}"),
                f"{1e3 * rows[name]['target_mean_m']:.1f}",
                f"{rows[name]['limit_violations']:.0f}",
                f"{rows[name]['steps_over_30deg']:.0f}",
            )
            for name in display_order(report)
        ],
    )
    claims = [(MARKS[claim["reproduced"]], claim["claim"]) for claim in report["claims"]]
    if any(word != MARKS[None] for word, _ in claims):
        show_facts("Claims of the paper, reproduced or not", claims)
