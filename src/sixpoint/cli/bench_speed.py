"""`sixpoint bench speed`: microseconds per frame on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, show_facts, show_table
from .job import warm_up
from .options import data_option, json_option, load_clips, make_solver, quick_option


@click.command("speed")
@click.option("--solver", "solver_name", default="sik", show_default=True)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A solver setting.")
@data_option
@click.option("-o", "--output", metavar="DIR", help="Also write speed.json there.")
@quick_option
@json_option
def command(
    solver_name: str,
    settings: tuple[str, ...],
    data: str | None,
    output: str | None,
    quick: bool,
    as_json: bool,
) -> None:
    """How fast a solver is here: streamed, clip by clip, on several threads."""
    from ..bench.speed import bench_speed

    solver = make_solver(solver_name, settings)
    clips = list(load_clips(data).values())
    with compiling():
        warm_up(solver)
    with progress("speed") as tell:
        found = bench_speed(solver, clips, quick=quick, progress=tell)
    if output is not None:
        save_report(found, Path(output) / "speed.json")
    if as_json:
        emit(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    show_table(
        f"{found['solver']}: {found['frames']} frames of {found['clips']} clips, "
        f"best of {found['runs']} runs, us per frame",
        ("collisions", "clip median", "clip p99", "with report", "call median", "call p99"),
        [
            (
                "on" if row["collisions"] else "off",
                *(
                    f"{row[key]:.1f}"
                    for key in (
                        "clip_median_us",
                        "clip_p99_us",
                        "clip_with_report_us",
                        "stream_median_us",
                        "stream_p99_us",
                    )
                ),
            )
            for row in found["results"]
        ],
    )
    machine = found["machine"]
    show_facts(
        None,
        [
            *(
                (f"{row['threads']} thread(s)", f"{row['frames_per_s']:,.0f} frames/s, whole clips")
                for row in found["threads"]
            ),
            ("machine", f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"),
        ],
    )
