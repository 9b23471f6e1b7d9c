"""`sixpoint reconstruct`: one clip, or every clip in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, say, show_facts
from .job import Job, facts_of, run_job
from .options import (
    Reading,
    check_output,
    check_uses,
    file_options,
    json_option,
    make_solver,
    role_option,
    suffixes,
)


@click.command("reconstruct")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", required=True, metavar="OUT", help="File, or folder if IN is one.")
@click.option("--solver", "name", help="See `sixpoint solvers`.  [default: sik]")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the solver."
)
@click.option(
    "--weights",
    nargs=3,
    type=float,
    metavar="W1 W2 W3",
    help="How much wrists, ankles and the frame before turn the pelvis.",
)
@click.option("--collisions", is_flag=True, help="Push elbows out of the torso.")
@click.option("--clear-elbows", is_flag=True,
              help="Swivel elbows out of the whole body afterwards, any solver.")  # fmt: skip
@click.option("--prior", metavar="FILE", help="A model of `sixpoint train`, for `guided` and "
              "for solvers that follow it.")  # fmt: skip
@click.option("--limits", metavar="FILE", help="Joint limits; default those of adults.")
@click.option("--no-limits", is_flag=True, help="Let joints turn freely.")
@click.option("--skeleton", metavar="FILE", help="Whose points these are, if IN holds points.")
@click.option(
    "--height",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="METRES",
    help="Or how tall that person is.",
)
@file_options
@role_option
@click.option("--lenient", is_flag=True, help="Read what is whole of a damaged file.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Clips at a time."
)
@json_option
def command(
    source: str,
    output: str,
    name: str | None,
    settings: tuple[str, ...],
    weights: tuple[float, float, float] | None,
    collisions: bool,
    clear_elbows: bool,
    prior: str | None,
    limits: str | None,
    no_limits: bool,
    skeleton: str | None,
    height: float | None,
    unit: str,
    up: str,
    frame_rate: float | None,
    roles: tuple[str, ...],
    lenient: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Reconstruct full-body motion from six points.

    IN is a motion (its six points are taken, the rest is kept for the report), a file of tracked
    points with --skeleton or --height, or a folder of clips.

    \b
    sixpoint reconstruct boxing.bvh -o out.bvh
    sixpoint reconstruct tracked.csv --height 1.78 -o out.bvh
    sixpoint reconstruct clips/ -o results/ --jobs 2
    """  # noqa: D301  (click wants the backspace itself)
    if limits and no_limits:
        raise click.UsageError("Give --limits FILE or --no-limits, not both.")
    chosen = name or ("guided" if prior else "sik")
    if prior:
        check_uses(chosen, "prior")
    solver = make_solver(
        chosen, settings, weights=weights, collisions=collisions or None, prior=prior
    )
    job = Job(
        source=source,
        output=output,
        solver=solver,
        limits=None if no_limits else (limits or "adult"),
        skeleton=skeleton,
        height=height,
        clear_elbows=clear_elbows,
        reading=Reading(unit, up, frame_rate, roles, lenient),
    )
    if Path(source).is_dir():
        from .folder import run_folder

        run_folder(job, jobs, as_json)
        return
    _one(job, as_json)


def _one(job: Job, as_json: bool) -> None:
    check_output(job.output, suffixes("write"), [job.source])
    with compiling():
        report: dict[str, Any] = run_job(job)
    if as_json:
        emit(report)
        return
    show_facts(f"{Path(job.source).name} -> {job.output}  ({report['solver']})", facts_of(report))
    for warning in report["warnings"]:
        say(f"note: {warning}")
