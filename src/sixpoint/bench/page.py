"""The report of Table 1 as one HTML file that needs nothing else, on a desk or on a phone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from .charts import bar_chart, colours
from .evidence import PARTLY
from .page_figures import curves, poses
from .published import AVERAGE
from .report import MARKS, TABLES, clip_titles, display_order, table_cells
from .table1 import Table1

PAPER = (
    "Unzueta, Peinado, Boulic and Suescun, “Full-body performance animation with Sequential "
    "Inverse Kinematics”, Graphical Models 70 (2008)"
)

BEYOND = (
    ("points missed, mean [mm]", "target_mean_m", 1e3, "{:.1f}"),
    ("p95 [mm]", "target_p95_m", 1e3, "{:.1f}"),
    ("most [mm]", "target_max_m", 1e3, "{:.0f}"),
    ("iterations", "iterations_mean", 1.0, "{:.1f}"),
    ("time p99 [µs]", "p99_us", 1.0, "{:.0f}"),
    ("swivel error [°]", "swivel_error_deg", 1.0, "{:.1f}"),
    ("largest swivel jump [°]", "swivel_jump_max_deg", 1.0, "{:.0f}"),
    ("steps over 30°", "steps_over_30deg", 1.0, "{:.1f}"),
    ("limits broken", "limit_violations", 1.0, "{:.0f}"),
    ("jerk [m/s³]", "jerk", 1.0, "{:,.0f}"),
    ("jerk near straight [rad/s³]", "straight_jerk", 1.0, "{:,.0f}"),
    ("clavicles turned [°]", "clavicle_mean_deg", 1.0, "{:.1f}"),
    ("spine bent [°]", "spine_bend_deg", 1.0, "{:.1f}"),
    ("to and fro [°]", "snake_deg", 1.0, "{:.1f}"),
    ("foot skate [m/s]", "foot_skate", 1.0, "{:.2f}"),
)
"""Title, key of a row, factor and format of what the paper describes in words only."""


def html_page(table: Table1, report: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The page, and notes on what it lacks."""
    notes: list[str] = []
    order = display_order(report)
    parts = [
        _head(report),
        _table1(report, order),
        _bars(report, order),
        _claims(report["claims"]),
        _beyond(report, order),
        _section("curves", "Errors over time", curves(table, order)),
        _section("poses", "Poses", poses(table, order, notes)),
        _settings(report),
    ]
    shades = colours(order)
    rules = [
        f".c-{s}{{stroke:{c}}}.b-{s}{{fill:{c}}}"
        f'[data-focus="{s}"] svg .c-{s}{{opacity:1;stroke-width:2}}'
        for s, c in shades.items()
    ]
    style = _file("page.css") + "".join(rules)
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Table 1, run again</title><style>{style}</style></head><body>"
        f"{''.join(parts)}<script>{_file('page.js')}</script></body></html>\n"
    )
    return page, notes


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _head(report: Mapping[str, Any]) -> str:
    clips, done = report["settings"]["clips"], report["claims"]
    sik = next((r for r in report["averages"] if r["solver"] == "sik"), None)
    paper = next(
        (r for r in report["published"] if (r["solver"], r["clip"]) == ("sik", AVERAGE)), None
    )
    facts = [(f"{len(report['averages'])}", "solvers"),
             (f"{sum(c['frames'] for c in clips):,}", f"frames of {len(clips)} clips")]  # fmt: skip
    if sik is not None:
        told = {key: f", paper {paper[key]:.4f}" if paper else "" for key in _ERRORS}
        facts += [
            (
                f"{sik['position_rms']:.4f}",
                f"position error of SIK, of body height{told['position_rms']}",
            ),
            (
                f"{sik['orientation_rms']:.4f}",
                f"rad, orientation error of SIK{told['orientation_rms']}",
            ),
            (f"{sik['median_us']:.1f} µs", "a frame with SIK"),
        ]
    judged = [c for c in done if c["reproduced"] is not None]
    whole, partly = (sum(c["reproduced"] == how for c in judged) for how in (True, PARTLY))
    words = f"claims reproduced, {partly} partly, {len(done) - len(judged)} open"
    facts.append((f"{whole} of {len(judged)}", words))
    cards = "".join(f"<div><b>{escape(a)}</b><small>{escape(b)}</small></div>" for a, b in facts)
    links = "".join(f'<a href="#{at}">{text}</a>' for at, text in _SECTIONS.items())
    whose = "The clips, measures and claims are those of"
    if not report["published"]:
        whose = "The measures and claims, though not the clips, are those of"
    cut = "<p><strong>Excerpts only.</strong> Errors of excerpts are not those of whole clips.</p>"
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in report["notes"])
    return (
        f"<header><h1>Table 1, run again</h1><p>From six tracked positions to a whole body: every "
        f"solver on the same points, joint limits and estimate of the pelvis. {whose} {PAPER}."
        f"</p><nav>{links}</nav></header>"
        f'<div class="facts">{cards}</div>{cut if report["quick"] else ""}{notes}'
    )


_ERRORS = ("position_rms", "orientation_rms")
_SECTIONS = {
    "table": "Table 1",
    "bars": "Bars",
    "claims": "Claims",
    "beyond": "More measures",
    "curves": "Errors over time",
    "poses": "Poses",
    "settings": "Settings",
}


def _section(name: str, title: str, *content: str) -> str:
    return f'<section id="{name}"><h2>{title}</h2>{"".join(content)}</section>'


def _table1(report: Mapping[str, Any], order: Sequence[str]) -> str:
    titles = clip_titles(report)
    times = {r["solver"]: r["median_us"] for r in report["averages"]}
    blocks = []
    for title, key, paper_key, form in TABLES:
        cells = table_cells(report, key, paper_key)
        best = {}
        for clip in titles:
            known = [(cells[s, clip][0], s) for s in order if (s, clip) in cells]
            best[clip] = [s for _, s in sorted((v, s) for v, s in known if v is not None)[:3]]
        timed = key == "time_ratio_to_sik"
        head = "".join(f"<th>{escape(text)}" for text in titles.values()) + "<th>µs" * timed
        body = []
        for s in order:
            row = "".join(
                _cell(*cells.get((s, clip), (None, None)), form, s, best[clip]) for clip in titles
            )
            row += f"<td><b>{times[s]:.1f}</b>" * timed
            body.append(f"<tr{' class=lead' * (s == 'sik')}><th>{escape(s)}{row}")
        blocks.append(
            f"<h3>{title}</h3><div class=scroll><table class=full><thead><tr><th>{head}</thead>"
            f"{''.join(body)}</table></div>"
        )
    words = (
        "As in the paper the best three of each column stand out, the best in blue. Times are "
        "medians per frame of the solver alone, warm, on one thread."
    )
    beside = "Below each number the paper’s, and ours as a multiple of it. "
    words = f"<p>{beside if report['published'] else ''}{words}</p>"
    return _section("table", "Table 1", words, *blocks)


def _cell(
    ours: float | None, paper: float | None, form: str, solver: str, best: Sequence[str]
) -> str:
    if ours is None:
        return "<td>–"
    kind = {0: " class=first", 1: " class=near", 2: " class=near"}
    mark = kind[best.index(solver)] if solver in best else ""
    beside = f"<i>{form.format(paper)} <s>×{ours / paper:.2f}</s></i>" if paper else ""
    return f"<td{mark}><b>{form.format(ours)}</b>{beside}"


def _bars(report: Mapping[str, Any], order: Sequence[str]) -> str:
    whole = AVERAGE if AVERAGE in clip_titles(report) else report["rows"][0]["clip"]
    charts = []
    for title, key, paper_key, form in TABLES:
        cells = table_cells(report, key, paper_key)
        rows = [(s, *cells.get((s, whole), (None, None))) for s in order]
        timed = key == "time_ratio_to_sik"
        chart = bar_chart(rows, form, title, logarithmic=timed)
        short = "Time, as a multiple of SIK’s (log scale)" if timed else title
        charts.append(f"<figure><figcaption>{short}</figcaption>{chart}</figure>")
    mark = " A dark stroke marks the paper’s number." if report["published"] else ""
    words = f"<p>Averages over the clips.{mark}</p>"
    return _section("bars", "Averages", words, f"<div class=triple>{''.join(charts)}</div>")


def _claims(claims: Sequence[Mapping[str, Any]]) -> str:
    items = []
    for claim in claims:
        word = MARKS[claim["reproduced"]]
        items.append(
            f'<details><summary><span class="mark {word}">{word}</span>'
            f"<span class=id>{escape(claim['id'])}</span>"
            f"<span>{escape(claim['claim'])}<span class=note>{escape(claim['note'])}</span></span>"
            f"</summary><div><small>Reproduced if: {escape(claim['criterion'])}.</small>"
            f"{_numbers(claim['measured'])}</div></details>"
        )
    words = "<p>What the paper says of the methods, measured. Open a line to see the numbers.</p>"
    return _section("claims", "Claims of the paper", words, *items)


def _numbers(found: Mapping[str, Any]) -> str:
    """Measured quantities, nested or not, as a table."""
    if not found:
        return ""
    if not all(isinstance(value, Mapping) for value in found.values()):
        found = {"": found}
    keys = list(dict.fromkeys(key for row in found.values() for key in row))
    head = "".join(f"<th>{escape(key)}" for key in keys)
    body = "".join(
        f"<tr><th>{escape(name)}" + "".join(f"<td>{_short(row.get(key))}" for key in keys)
        for name, row in found.items()
    )
    return f"<div class=scroll><table><thead><tr><th>{head}</thead>{body}</table></div>"


def _short(value: Any) -> str:
    if not isinstance(value, int | float):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _beyond(report: Mapping[str, Any], order: Sequence[str]) -> str:
    rows = {r["solver"]: r for r in report["averages"]}
    kept = list(report["originals"].values())
    keys = [key for _, key, _, _ in BEYOND if kept and key in kept[0]]
    truth = {key: [h[key] for h in kept if h[key] is not None] for key in keys}
    mean = {key: sum(values) / len(values) for key, values in truth.items() if values}
    head = "".join(f"<th>{escape(title)}" for title, *_ in BEYOND)
    body = []
    for name, row in [*((s, rows[s]) for s in order), ("original", mean)]:
        cells = []
        for _, key, factor, form in BEYOND:
            value = row.get(key)
            cells.append("<td>" + ("–" if value is None else form.format(factor * value)))
        body.append(f"<tr{' class=lead' * (name == 'sik')}><th>{escape(name)}{''.join(cells)}")
    words = (
        "<p>Averages over the clips; below, the recorded person. Frames in which the shared "
        "estimate of the pelvis flips are left out of jerk and swivel jumps.</p>"
    )
    table = f"<table class=many><thead><tr><th>{head}</thead>{''.join(body)}</table>"
    return _section("beyond", "More measures", words, f"<div class=scroll>{table}</div>")


def _settings(report: Mapping[str, Any]) -> str:
    shown = {key: report[key] for key in ("settings", "machine", "versions")}
    text = escape(json.dumps(shown, indent=1))
    return _section(
        "settings", "Settings", "<p>Everything is in <code>results.json</code>.</p>",
        f"<details><summary><span>show</span></summary><pre>{text}</pre></details>",
    )  # fmt: skip
