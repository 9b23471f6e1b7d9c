"""Table 1 of the SIK paper, run again: our numbers beside the paper's, and its claims.

Unzueta, Peinado, Boulic and Suescun (2008), section 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..limits import Limits
from ..solvers import Solver
from .claims import CLAIMS
from .experiment import (
    DATA_OPTION,
    SOLVERS_OPTION,
    Column,
    Experiment,
    Facts,
    Measurements,
    Option,
    Table,
    WrongOption,
    choose_solvers,
    machine,
    read_clips,
)
from .published import AVERAGE, CLIPS, DOUBTS, METHODS, Measure, paper_clip, published
from .report import MARKS, display_order, write_report
from .table1_runs import WEIGHTS, Table1, averages, bench_table1, plain


def published_rows(table: Table1) -> list[dict[str, Any]]:
    """Return the paper's numbers for what was run, each with ours as a multiple of it."""
    shown = [(c.name, c.paper.name) for c in table.clips if c.paper is not None]
    if {name for _, name in shown} == {c.name for c in CLIPS} and len(table.clips) == len(CLIPS):
        shown.append((AVERAGE, AVERAGE))
    found = {(r["solver"], r["clip"]): r for r in averages(table)}
    found |= {key: run.row for key, run in table.runs.items()}
    errors: tuple[tuple[Measure, str], ...] = (
        ("position_rms", "position_ratio"),
        ("orientation_rms", "orientation_ratio"),
    )
    rows = []
    for clip, name in shown:
        for solver in [s for s in METHODS if (s, clip) in found]:
            ours = found[solver, clip]
            row: dict[str, Any] = {"solver": solver, "method": METHODS[solver]}
            row |= {"clip": clip, "paper_clip": name}
            for key, ratio in errors:
                row[key] = published(key, name, solver)
                row[ratio] = _ratio(ours[key], row[key])
            row["median_ms"] = published("median_ms", name, solver)
            row["time_ratio_to_sik"] = _ratio(row["median_ms"], published("median_ms", name, "sik"))
            row["time_ratio_ratio"] = _ratio(ours["time_ratio_to_sik"], row["time_ratio_to_sik"])
            row["note"] = DOUBTS.get(("position_rms", name, solver), "")
            rows.append(row)
    return rows


def _ratio(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or not paper else ours / paper


def report_of(table: Table1) -> Measurements:
    """Return everything that was measured, ready for JSON."""
    rows = [
        table.runs[s, c.name].row
        for c in table.clips
        for s in table.names
        if (s, c.name) in table.runs
    ]
    report = {
        "bench": "table1",
        "quick": table.quick,
        "rows": rows,
        "averages": averages(table),
        "without_limits": [run.row for run in table.unlimited.values()],
        "as_published": [run.row for run in table.as_published.values()],
        "originals": {clip: asdict(found) for clip, found in table.originals.items()},
        "published": published_rows(table),
        "claims": [claim.judge(table) for claim in CLAIMS],
        "settings": {
            "limits": table.limits,
            "collisions": False,
            "points": list(table.clips[0].motion.points().names),
            "solvers": {each.name: settings_of(each) for each in table.solvers},
            "clips": [
                {
                    "clip": c.name,
                    "paper": c.paper.name if c.paper else None,
                    "frames": len(c.motion),
                    "first_frame": c.first,
                    "rate": c.motion.rate,
                    "weights": c.weights,
                }
                for c in table.clips
            ],
        },
        "machine": machine(),
        "versions": {name: version(name) for name in ("sixpoint", "numpy", "numba")},
        "notes": table.notes,
    }
    found: Measurements = plain(report)
    return found


def settings_of(each: Solver) -> dict[str, Any]:
    """Return a solver's settings without the weights, which belong to the clip."""
    return {f.name: getattr(each, f.name) for f in fields(each) if f.name != "weights"}


COLUMNS = (
    Column("solver", "solver"),
    Column("position", "position_rms", "{:.4f}", published="paper.position_rms"),
    Column("orientation", "orientation_rms", "{:.4f}", published="paper.orientation_rms"),
    Column("us/frame", "median_us", "{:.1f}"),
    Column("x SIK", "time_ratio_to_sik", "{:.1f}", published="paper.time_ratio_to_sik"),
    Column("missed mm", "target_mean_m", "{:.1f}", 1e3),
    Column("limits", "limit_violations", "{:.0f}"),
    Column("jumps", "steps_over_30deg", "{:.0f}"),
)


def _show(report: Measurements) -> Iterator[Table | Facts]:
    rows = {row["solver"]: row for row in report["averages"]}
    paper = {row["solver"]: row for row in report["published"] if row["clip"] == AVERAGE}
    clips = report["settings"]["clips"]
    parts = "excerpts of " * report["quick"]
    frames = sum(clip["frames"] for clip in clips)
    title = f"Averages over {parts}{len(clips)} clip{'s'[: len(clips) > 1]}, {frames} frames"
    title += " (the paper's in brackets)" if paper else ""
    order = display_order(report)
    yield Table(title, COLUMNS, [rows[s] | {"paper": paper.get(s)} for s in order])
    claims = [(MARKS[claim["reproduced"]], claim["claim"]) for claim in report["claims"]]
    if any(word != MARKS[None] for word, _ in claims):
        yield Facts("Claims of the paper, reproduced or not", claims)


def _inputs(options: dict[str, Any]) -> tuple[dict[str, Any], Sequence[str]]:
    given, notes = read_clips(options)
    given["motions"] = given.pop("clips")
    if not given["weights"]:
        given["weights"] = WEIGHTS
    elif all(paper_clip(name) for name in given["motions"]):
        raise WrongOption("--weights is for clips that are not the paper's; there are none.")
    path = given["limits"]
    given["limits"] = None if given.pop("no_limits") else Limits.load(path) if path else "adult"
    return given, notes


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    if options["limits"] and options["no_limits"]:
        raise InputError("Give --limits FILE or --no-limits, not both.")
    return choose_solvers(options["solvers"], collisions=False)


def _files(table: Table1, folder: Path, options: Any) -> Iterator[Path]:
    return write_report(table, report_of(table), folder)


EXPERIMENT = Experiment(
    name="table1",
    about="""Same points, same joint limits, collisions off. The paper's clips are recognised by
their numbers 17_10, 90_05 and 01_03 in the CMU database and get its weights. Writes results.json,
results.csv, table.md and report.html.

\b
sixpoint bench table1 --data CMU/""",
    options=(
        DATA_OPTION,
        SOLVERS_OPTION,
        Option(
            "weights",
            "Wrists, ankles, frame before: what decides where the pelvis faces, for clips that are "
            "not the paper's. Default: 1 1 0.",
            "W1 W2 W3",
            kind=float,
            several=3,
        ),
        Option("limits", "Joint limits; default those of adults.", "FILE"),
        Option("no_limits", "Let joints turn freely.", kind=bool),
    ),
    solvers=_solvers,
    inputs=_inputs,
    run=bench_table1,
    report=report_of,
    show=_show,
    files=_files,
    json_name="results.json",
    output="table1",
    output_help="Results and report go there; made if new.",
)
