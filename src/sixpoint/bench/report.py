"""Table 1 as files: JSON with everything, CSV of the rows, a Markdown table, an HTML page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from .claims import judge_claims
from .evidence import PARTLY
from .published import AVERAGE, CLIPS, DOUBTS, METHODS, Measure, published
from .speed import machine
from .table1 import Table1, averages, settings_of

FILES = ("results.json", "results.csv", "table.md", "report.html")
"""What `write_report` writes."""

LIMITS = {"adult": "", "given": ", other joint limits than usual", "none": ", no joint limits"}
"""Which limits were kept, as the end of a sentence."""

MARKS = {True: "yes", PARTLY: "partly", False: "no", None: "open"}
"""Whether a claim is reproduced, in a word."""


def report_of(table: Table1) -> dict[str, Any]:
    """Everything that was measured, ready for JSON."""
    rows = [table.runs[s, c.name].row for c in table.clips for s in table.names
            if (s, c.name) in table.runs]  # fmt: skip
    return {
        "bench": "table1",
        "quick": table.quick,
        "rows": rows,
        "averages": averages(table),
        "without_limits": [run.row for run in table.unlimited.values()],
        "as_published": [run.row for run in table.as_published.values()],
        "originals": {clip: _plain(asdict(habits)) for clip, habits in table.originals.items()},
        "published": published_rows(table),
        "claims": _plain(judge_claims(table)),
        "settings": {
            "limits": table.limits,
            "collisions": False,
            "points": list(table.clips[0].motion.points().names),
            "solvers": {each.name: _plain(settings_of(each)) for each in table.solvers},
            "clips": [
                {
                    "clip": c.name,
                    "paper": c.paper.name if c.paper else None,
                    "frames": len(c.motion),
                    "first_frame": c.first,
                    "rate": c.motion.rate,
                    "weights": list(c.weights),
                }
                for c in table.clips
            ],
        },
        "machine": machine(),
        "versions": {name: version(name) for name in ("sixpoint", "numpy", "numba")},
        "notes": list(table.notes),
    }


def published_rows(table: Table1) -> list[dict[str, Any]]:
    """The paper's numbers for what was run, each with ours as a multiple of it."""
    places = [(c.name, c.paper.name) for c in table.clips if c.paper is not None]
    if {name for _, name in places} == {c.name for c in CLIPS} and len(table.clips) == len(CLIPS):
        places.append((AVERAGE, AVERAGE))
    found = {(r["solver"], r["clip"]): r for r in averages(table)}
    found |= {key: run.row for key, run in table.runs.items()}
    rows = []
    for clip, name in places:
        for solver in [s for s in METHODS if (s, clip) in found]:
            row: dict[str, Any] = {
                "solver": solver, "method": METHODS[solver], "clip": clip, "paper_clip": name,
            }  # fmt: skip
            keys: tuple[tuple[Measure, str], ...] = (
                ("position_rms", "position"), ("orientation_rms", "orientation"),
            )  # fmt: skip
            for key, word in keys:
                row[key] = published(key, name, solver)
                row[f"{word}_ratio"] = _ratio(found[solver, clip][key], row[key])
            row["median_ms"] = published("median_ms", name, solver)
            row["time_ratio_to_sik"] = _ratio(row["median_ms"], published("median_ms", name, "sik"))
            row["time_ratio_ratio"] = _ratio(
                found[solver, clip]["time_ratio_to_sik"], row["time_ratio_to_sik"]
            )
            row["note"] = DOUBTS.get(("position_rms", name, solver), "")
            rows.append(row)
    return rows


def write_report(table: Table1, report: Mapping[str, Any], folder: str | Path) -> list[str]:
    """Write all `FILES` into a folder, which is made if new.

    Returns:
        What a reader should know: a package that pictures lacked.
    """
    from .page import html_page

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    page, notes = html_page(table, report)
    texts = (json_text(report), csv_text(report["rows"]), markdown(report), page)
    for name, text in zip(FILES, texts, strict=True):
        with atomic_write(folder / name) as file:
            file.write(text.encode())
    return notes


def json_text(report: Mapping[str, Any]) -> str:
    """The whole report."""
    return json.dumps(report, indent=2, allow_nan=False) + "\n"


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line for each solver and clip; a number that could not be measured is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {k: " ".join(map(str, v)) if isinstance(v, list) else v for k, v in row.items()}
        for row in rows
    )
    return out.getvalue()


def clip_titles(report: Mapping[str, Any]) -> dict[str, str]:
    """Clip -> what a table calls it: the paper's name, or its own; the average last."""
    clips = report["settings"]["clips"]
    titles = {clip["clip"]: str(clip["paper"] or clip["clip"]) for clip in clips}
    return titles if len(titles) == 1 else {**titles, AVERAGE: AVERAGE}


def display_order(report: Mapping[str, Any]) -> list[str]:
    """Solvers in the order of the paper's columns, then the others."""
    there = [row["solver"] for row in report["averages"]]
    return [s for s in METHODS if s in there] + [s for s in there if s not in METHODS]


def table_cells(
    report: Mapping[str, Any], key: str, paper_key: str
) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    """(solver, clip) -> ours and the paper's, clips as in `clip_titles`."""
    theirs = {(r["solver"], r["clip"]): r[paper_key] for r in report["published"]}
    rows = [*report["rows"], *report["averages"]]
    return {(r["solver"], r["clip"]): (r[key], theirs.get((r["solver"], r["clip"]))) for r in rows}


TABLES = (
    ("Position error, RMS, as a part of body height", "position_rms", "position_rms", "{:.4f}"),
    ("Orientation error, RMS [rad]", "orientation_rms", "orientation_rms", "{:.4f}"),
    ("Time per frame, as a multiple of SIK's", "time_ratio_to_sik", "time_ratio_to_sik", "{:.1f}"),
)
"""Title, our key, the paper's key and the format of the three parts of Table 1."""


def markdown(report: Mapping[str, Any]) -> str:
    """Table 1 in the paper's layout, the paper's numbers in brackets, and the claims."""
    titles, order = clip_titles(report), display_order(report)
    lines = ["# Table 1: solvers compared", "", _sentence(report), ""]
    for title, key, paper_key, form in TABLES:
        cells = table_cells(report, key, paper_key)
        lines += [
            f"## {title}",
            "",
            _line(["", *titles.values()]),
            _line(["---"] * (len(titles) + 1)),
        ]
        for solver in order:
            shown = [_cell(*cells.get((solver, clip), (None, None)), form) for clip in titles]
            lines.append(_line([solver, *shown]))
        lines.append("")
    lines += ["## Median time per frame [us]", "", _line(["", *titles.values()])]
    lines.append(_line(["---"] * (len(titles) + 1)))
    cells = table_cells(report, "median_us", "median_ms")
    for solver in order:
        shown = [_cell(cells.get((solver, clip), (None,))[0], None, "{:.1f}") for clip in titles]
        lines.append(_line([solver, *shown]))
    lines += ["", "## Claims of the paper", "", _line(["", "claim", "reproduced", "note"])]
    lines.append(_line(["---"] * 4))
    for claim in report["claims"]:
        lines.append(
            _line([claim["id"], claim["claim"], MARKS[claim["reproduced"]], claim["note"]])
        )
    lines += [f"\n- {note}" for note in report["notes"]]
    return "\n".join(lines) + "\n"


def _sentence(report: Mapping[str, Any]) -> str:
    clips, it = report["settings"]["clips"], report["machine"]
    frames = sum(clip["frames"] for clip in clips)
    text = f"{len(report['averages'])} solvers, {len(clips)} clips, {frames} frames"
    text += " (excerpts)" * report["quick"]
    text += LIMITS[report["settings"]["limits"]]
    return f"{text}; {it['cpu']}, one thread. The paper's numbers stand in brackets."


def _cell(ours: float | None, paper: float | None, form: str) -> str:
    text = "–" if ours is None else form.format(ours)
    return text if paper is None else f"{text} ({form.format(paper)})"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ratio(ours: float | None, paper: float | None) -> float | None:
    return None if ours is None or not paper else ours / paper


def _plain(value: Any) -> Any:
    """Tuples as lists and what is not finite as None, all the way down."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    return value
