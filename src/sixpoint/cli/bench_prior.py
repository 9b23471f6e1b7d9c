"""`sixpoint bench prior`: what the prior of the guided solver gains, and when it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, say, show_table
from .job import warm_up
from .options import data_option, json_option, load_clips, make_solver, quick_option


@click.command("prior")
@data_option
@click.option("--prior", default="", metavar="FILE", help="A model; default the built-in one.")
@click.option("-o", "--output", metavar="DIR",
              help="Write prior.json, curves.png and the worst frames there.")  # fmt: skip
@quick_option
@json_option
def command(data: str | None, prior: str, output: str | None, quick: bool, as_json: bool) -> None:
    """Sequential IK with and without a prior, on clips and under stress.

    Errors of the papers, effectors, jitter and jumps by clip; noise, drop-outs and wrong limb
    lengths; errors against the solver's own confidence.

    \b
    sixpoint bench prior --data CMU/paper -o prior
    """  # noqa: D301  (click wants the backspace itself)
    from ..bench.prior import bench_prior, variants

    make_solver("guided", (), prior=prior)
    clips = load_clips(data)
    with compiling():
        for method in variants(prior).values():
            warm_up(method)
    with progress("prior") as tell:
        found = bench_prior(clips, prior=prior, quick=quick, progress=tell)
    if output is not None:
        _write(found, clips, prior, Path(output))
    if as_json:
        emit(found)
        return
    _show(found)


def _write(found: dict[str, Any], clips: dict[str, Any], prior: str, folder: Path) -> None:
    from ..bench.prior_pictures import draw_curves, draw_worst
    from ..errors import MissingExtra
    from ..replacing import replacing

    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "prior.json") as file:
        file.write((json.dumps(found, indent=2) + "\n").encode())
    try:
        draw_curves(found, folder / "curves.png")
        for name, clip in clips.items():
            draw_worst(clip, name, prior, folder / f"worst_{Path(name).name}.png")
    except MissingExtra as error:
        say(f"note: no pictures: {error}")
    say(f"wrote {folder}")


def _show(found: dict[str, Any]) -> None:
    columns = ("position", "rotation", "effector mm", "p99", "jitter", "largest step", "us")

    def cells(row: dict[str, Any]) -> tuple[str, ...]:
        return (
            f"{row['position_rms']:.4f}",
            f"{row['orientation_rms']:.4f}",
            f"{1e3 * row['effector_mean_m']:.2f}",
            f"{1e3 * row['effector_p99_m']:.1f}",
            f"{row['jitter_ratio']:.2f}",
            f"{row['largest_step_deg']:.0f}",
            f"{row['median_us']:.1f}",
        )

    show_table("By clip", ("clip", "solver", *columns),
               [(row["clip"], row["solver"], *cells(row)) for row in found["rows"]])  # fmt: skip
    show_table("Averages over clips", ("solver", *columns),
               [(row["solver"], *cells(row)) for row in found["averages"]])  # fmt: skip
    show_table(
        "Under stress",
        ("stress", "level", "solver", "position", "rotation"),
        [
            (row["stress"], f"{row['level']:g}", row["solver"], f"{row['position_rms']:.4f}",
             f"{row['orientation_rms']:.4f}")
            for row in found["stresses"]
        ],
    )  # fmt: skip
    show_table(
        "Errors by confidence",
        ("confidence", "frames", "position, mean"),
        [
            (f"{row['from']:g} to {row['to']:g}", str(row["frames"]),
             "-" if row["position_mean"] is None else f"{row['position_mean']:.4f}")
            for row in found["confidence"]
        ],
    )  # fmt: skip
