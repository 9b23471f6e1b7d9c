"""`sixpoint bench prior`: what the prior of the guided solver gains, and when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .console import compiling, emit, progress, save_report, say, show_table
from .job import warm_up
from .options import data_option, json_option, load_clips, make_solver, quick_option


@click.command("prior")
@data_option
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="Only every N-th of those clips.")  # fmt: skip
@click.option("--subjects", metavar="DIR", help="Clips or archives of people, as for "
              "`sixpoint train`: those whom the model was not fitted to are measured, "
              "too.")  # fmt: skip
@click.option("--prior", default="", metavar="FILE", help="A model; default the built-in one.")
@click.option("-o", "--output", metavar="DIR",
              help="Write prior.json, curves.png and the worst frames there.")  # fmt: skip
@quick_option
@json_option
def command(
    data: str | None,
    every: int,
    subjects: str | None,
    prior: str,
    output: str | None,
    quick: bool,
    as_json: bool,
) -> None:
    """Sequential IK with and without a prior, on clips and under stress.

    Errors of the papers, joints, effectors, jitter and jumps by clip and by subject; noise,
    drop-outs and wrong limb lengths; the solver's confidence against its errors and against points
    with wrong names; what other solvers gain by the same prior.

    \b
    sixpoint bench prior --data CMU/paper -o prior
    sixpoint bench prior --data CMU/paper --subjects CMU/packs
    """  # noqa: D301  (click wants the backspace itself)
    from ..bench.prior import bench_prior, variants
    from ..bench.prior_others import other_solvers

    make_solver("guided", (), prior=prior)
    clips = dict(list(load_clips(data).items())[::every])
    people = None if subjects is None else _kept_aside(subjects, prior)
    with compiling():
        for method in (*variants(prior).values(), *other_solvers(prior, quick).values()):
            warm_up(method)
    with progress("prior") as tell:
        found = bench_prior(clips, people=people, prior=prior, quick=quick, progress=tell)
    if output is not None:
        _write(found, clips, prior, Path(output))
    if as_json:
        emit(found)
        return
    _show(found)


def _kept_aside(folder: str, prior: str) -> dict[str, Any]:
    """Clips of the people in a folder whom a model was not fitted to, by its card."""
    from ..errors import InputError
    from ..formats.clip_folders import read_subjects
    from ..priors.model import prior_of

    card = prior_of(prior).card
    found, notes = read_subjects(folder)
    for note in notes:
        say(f"note: {note}")
    known = set(card.get("training", ()))
    people = {name: clips for name, clips in found.items() if name not in known}
    if people and len(people) < len(found):
        say(f"note: left out, as the model was fitted to people of these names: "
            f"{', '.join(name for name in found if name in known)}")  # fmt: skip
    if not people:
        raise InputError(
            f"{folder}: expected people whom the model was not fitted to, found only others: "
            f"{', '.join(found)}."
        )
    return people


def _write(found: dict[str, Any], clips: dict[str, Any], prior: str, folder: Path) -> None:
    from ..bench.prior_pictures import draw_curves, draw_worst
    from ..errors import MissingExtra

    save_report(found, folder / "prior.json")
    try:
        draw_curves(found, folder / "curves.png")
        for name, clip in clips.items():
            draw_worst(clip, name, prior, folder / f"worst_{Path(name).name}.png")
    except MissingExtra as error:
        say(f"note: no pictures: {error}")
    say(f"wrote {folder}")


def _show(found: dict[str, Any]) -> None:
    columns = ("position", "rotation", "with helpers", "effector mm", "p99", "jitter",
               "largest step", "us")  # fmt: skip

    def cells(row: dict[str, Any]) -> tuple[str, ...]:
        return (
            f"{row['position_rms']:.4f}",
            f"{row['orientation_rms_own']:.4f}",
            f"{row['orientation_rms']:.4f}",
            f"{1e3 * row['effector_mean_m']:.2f}",
            "-" if row["effector_p99_m"] is None else f"{1e3 * row['effector_p99_m']:.1f}",
            f"{row['jitter_ratio']:.2f}",
            f"{row['largest_step_deg']:.0f}",
            f"{row['median_us']:.1f}",
        )

    tables: list[tuple[str, tuple[str, ...], Any]] = [
        ("By clip", ("clip", "solver"), found["rows"])
    ]
    if len(found["subjects"]) < len(found["rows"]):
        tables.append(("By subject", ("subject", "solver"), found["subjects"]))
    tables.append(("Averages over clips", ("solver",), found["averages"]))
    if found["kept_aside"]:
        title = "People whom the prior was not fitted to"
        tables.append((title, ("subject", "solver"), found["kept_aside"]))
    for title, keys, rows in tables:
        show_table(title, (*keys, *columns), [(*(r[k] for k in keys), *cells(r)) for r in rows])
    _show_joints(found["averages"])
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
    show_table(
        "Confidence where names or axes are wrong",
        ("the points look as if", "confidence", "frames below 0.5", "clips in which it is named"),
        [
            (row["mistake"], f"{row['confidence']:.2f}", f"{row['doubted']:.0%}",
             f"{row['named']} of {row['clips']}")
            for row in found["mistakes"]
        ],
    )  # fmt: skip
    _show_others(found["others"]["averages"])


def _show_joints(averages: list[dict[str, Any]]) -> None:
    """Mean error of every joint."""
    roles = {row["solver"]: row["roles"] for row in averages if row["solver"] in ("sik", "guided")}

    def cell(value: float | None, factor: float, digits: int) -> str:
        return "-" if value is None else f"{factor * value:.{digits}f}"

    show_table(
        "By joint",
        ("joint", *(f"{kind}, {name}" for kind in ("position mm", "rotation") for name in roles)),
        [
            (role, *(cell(roles[name][role]["position"], 1e3, 1) for name in roles),
             *(cell(roles[name][role]["orientation"], 1.0, 3) for name in roles))
            for role in roles["sik"]
        ],
    )  # fmt: skip


def _show_others(averages: list[dict[str, Any]]) -> None:
    """What other solvers take from sequential IK and from the guided one."""
    show_table(
        "Other solvers, averages over clips",
        ("solver", "with", "position", "rotation", "elbow mm", "knee mm", "effector mm",
         "iterations", "us", "steps > 30"),
        [
            (row["solver"], row["variant"], f"{row['position_rms']:.4f}",
             f"{row['orientation_rms']:.4f}", f"{1e3 * row['elbow_mean_m']:.1f}",
             f"{1e3 * row['knee_mean_m']:.1f}", f"{1e3 * row['effector_mean_m']:.2f}",
             f"{row['iterations']:.2f}", f"{row['median_us']:.0f}",
             f"{row['steps_over_30deg']:.1f}")
            for row in averages
        ],
    )  # fmt: skip
