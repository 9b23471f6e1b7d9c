"""Table 1 as files: CSV of the rows, a Markdown table, and an HTML page that needs nothing else."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import product
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from ..atomic_write import atomic_write
from ..errors import MissingExtra
from .charts import Sample, bar_chart, colours, draw_samples, line_chart
from .claims import PARTLY
from .experiment import Column, Measurements, markdown_table
from .published import AVERAGE, METHODS, OURS, PUBLISHED

if TYPE_CHECKING:
    from .table1 import Clip, Run, Table1

FILES = ("results.csv", "table.md", "report.html")
"""What `write_report` writes."""
LIMITS = {"adult": "", "given": ", other joint limits than usual", "none": ", no joint limits"}
"""Which limits were kept, as the end of a sentence."""
MARKS = {True: "yes", PARTLY: "partly", False: "no", None: "open"}
"""Whether a claim is reproduced, in a word."""
MOST_CLIPS = 8
"""Clips that are drawn; the numbers of all are in the tables."""
TIME = "time_ratio_to_sik"
PARTS = (
    ("Position error, RMS, as a part of body height", "position_rms", "{:.4f}"),
    ("Orientation error, RMS [rad]", "orientation_rms", "{:.4f}"),
    ("Time per frame, as a multiple of SIK's", TIME, "{:.1f}"),
)
"""The parts of Table 1: title, key of our rows and of the paper's, format."""
MORE_MEASURES = (
    Column("points missed, mean [mm]", "target_mean_m", ".1f", 1e3),
    Column("p95 [mm]", "target_p95_m", ".1f", 1e3),
    Column("most [mm]", "target_max_m", ".0f", 1e3),
    Column("iterations", "iterations_mean", ".1f"),
    Column("time p99 [µs]", "p99_us", ".0f"),
    Column("swivel error [°]", "swivel_error_deg", ".1f"),
    Column("largest swivel jump [°]", "swivel_jump_max_deg", ".0f"),
    Column("steps over 30°", "steps_over_30deg", ".1f"),
    Column("limits broken", "limit_violations", ".0f"),
    Column("jerk [m/s³]", "jerk", ",.0f"),
    Column("jerk near straight [rad/s³]", "straight_jerk", ",.0f"),
    Column("clavicles turned [°]", "clavicle_mean_deg", ".1f"),
    Column("spine bent [°]", "spine_bend_deg", ".1f"),
    Column("to and fro [°]", "snake_deg", ".1f"),
    Column("foot skate [m/s]", "foot_skate", ".2f"),
)
"""What the paper describes in words only."""


def write_report(table: Table1, report: Measurements, folder: Path) -> Iterator[Path]:
    """Write all `FILES` into a folder, which is made if new, and yield their paths.

    Raises:
        MissingExtra: after all files are written, if the page has no poses as matplotlib is absent.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page, missing = html_page(table, report)
    for name, text in zip(FILES, (csv_text(report["rows"]), markdown(report), page), strict=True):
        with atomic_write(folder / name) as file:
            file.write(text.encode())
        yield folder / name
    if missing is not None:
        raise missing


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a line for each solver and clip; a number that could not be measured is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "weights": " ".join(map(str, row["weights"]))})
    return out.getvalue()


def clip_titles(report: Measurements) -> dict[str, str]:
    """Return clip -> what a table calls it: the paper's name, or its own; the average last."""
    clips = report["settings"]["clips"]
    titles = {clip["clip"]: str(clip["paper"] or clip["clip"]) for clip in clips}
    return titles if len(titles) == 1 else {**titles, AVERAGE: AVERAGE}


def display_order(report: Measurements) -> list[str]:
    """Return solvers in the order of the paper's columns, then the others."""
    there = [row["solver"] for row in report["averages"]]
    return [s for s in METHODS if s in there] + [s for s in there if s not in METHODS]


def marked_averages(report: Measurements) -> list[dict[str, Any]]:
    """Return the averages in the order of `display_order`, as published before ours.

    `settings` marks each; `beside_paper` says of which row the paper's numbers are the rival, and
    `row` is its name in a table.
    """
    literal = {row["solver"]: row for row in report["averages_as_published"]}
    ours = {row["solver"]: row for row in report["averages"]}
    rows = []
    for s in display_order(report):
        if s in literal:
            name = f"{s}, {PUBLISHED}"
            rows.append({**literal[s], "settings": PUBLISHED, "beside_paper": True, "row": name})
        mark = {"settings": OURS, "beside_paper": s not in literal, "row": s}
        rows.append({**ours[s], **mark})
    return rows


Cell = tuple[float | None, float | None]
"""Our number and the paper's."""


def table_cells(report: Measurements, key: str) -> dict[tuple[str, str], Cell]:
    """Return (row, clip) -> our number and the paper's, for all rows and `clip_titles`.

    Rows are those of `marked_averages`; the paper's number stands in one of them for each solver.
    """
    theirs = {(row["solver"], row["clip"]): row.get(key) for row in report["published"]}
    found = {
        OURS: [*report["rows"], *report["averages"]],
        PUBLISHED: [*report["as_published"], *report["averages_as_published"]],
    }
    ours = {
        (mark, row["solver"], row["clip"]): row.get(key)
        for mark, rows in found.items()
        for row in rows
    }
    return {
        (row["row"], clip): (
            ours.get((row["settings"], row["solver"], clip)),
            theirs.get((row["solver"], clip)) if row["beside_paper"] else None,
        )
        for row, clip in product(marked_averages(report), clip_titles(report))
    }


def markdown(report: Measurements) -> str:
    """Return Table 1 in the paper's layout, the paper's numbers in brackets, and the claims."""
    titles, machine = clip_titles(report), report["machine"]
    clips = report["settings"]["clips"]
    text = f"{len(report['averages'])} solvers, {len(clips)} clips, "
    text += f"{sum(clip['frames'] for clip in clips)} frames{' (excerpts)' * report['quick']}"
    text += f"{LIMITS[report['settings']['limits']]}; {machine['cpu']}, one thread. "
    text += f"Rows marked '{PUBLISHED}' have the settings of the paper, the others ours. "
    lines = ["# Table 1: solvers compared", "", f"{text}The paper's numbers stand in brackets.", ""]
    for title, key, form in (*PARTS, ("Median time per frame [us]", "median_us", "{:.1f}")):
        cells = table_cells(report, key)
        rows = []
        for s in (row["row"] for row in marked_averages(report)):
            rows.append([s])
            for ours, paper in (cells[s, clip] for clip in titles):
                beside = "" if paper is None else f" ({form.format(paper)})"
                rows[-1].append(f"{'–' if ours is None else form.format(ours)}{beside}")
        lines += [f"## {title}", "", *markdown_table(["", *titles.values()], rows), ""]
    rows = [[c["id"], c["claim"], MARKS[c["reproduced"]], c["note"]] for c in report["claims"]]
    lines += ["## Claims of the paper", ""]
    lines += markdown_table(["", "claim", "reproduced", "note"], rows)
    lines += [f"\n- {note}" for note in report["notes"]]
    return "\n".join(lines) + "\n"


def html_page(table: Table1, report: Measurements) -> tuple[str, MissingExtra | None]:
    """Return the page, and the error if there is no package to draw poses."""
    order, paper = display_order(report), bool(report["published"])
    poses, missing = _poses(table, order)
    shades = colours(order)
    rules = [
        f".c-{s}{{stroke:{c}}}.b-{s}{{fill:{c}}}"
        f'[data-focus="{s}"] svg .c-{s}{{opacity:1;stroke-width:2}}'
        for s, c in shades.items()
    ]
    chips = [
        f'<button data-of="{escape(s)}" aria-pressed="false" style="--of:{shades[s]}">{escape(s)}'
        "</button>"
        for s in order
    ]
    cut = "<p><strong>Excerpts only.</strong> Errors of excerpts are not those of whole clips.</p>"
    settings = {key: report[key] for key in ("settings", "machine", "versions")}
    page = Template(_asset("page.html").replace("\n", "")).substitute(
        style=_asset("page.css") + "".join(rules),
        clips_too=", and the clips," if paper else ", though not the clips,",
        cards=_cards(report),
        cut=cut if report["quick"] else "",
        notes="".join(f'<p class="soft">{escape(note)}</p>' for note in report["notes"]),
        beside_table="Below each number the paper’s, and ours as a multiple of it. " * paper,
        table=_table1(report),
        beside_bars=" A dark stroke marks the paper’s number." * paper,
        bars=_bars(report),
        claims=_claims(report["claims"]),
        measures=_more_measures(report, order),
        chips="".join(chips),
        curves=_curves(table, order),
        poses=poses,
        settings=escape(json.dumps(settings, indent=1)),
        script=_asset("page.js"),
    )
    return f"{page}\n", missing


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _cards(report: Measurements) -> str:
    """Return the facts at the top of the page."""
    clips, claims = report["settings"]["clips"], report["claims"]
    sik = next((r for r in report["averages"] if r["solver"] == "sik"), None)
    published = {(r["solver"], r["clip"]): r for r in report["published"]}
    paper = published.get(("sik", AVERAGE), {})
    facts = [
        (f"{len(report['averages'])}", "solvers"),
        (f"{sum(c['frames'] for c in clips):,}", f"frames of {len(clips)} clips"),
    ]
    if sik is not None:
        for key, words in (
            ("position_rms", "position error of SIK, of body height"),
            ("orientation_rms", "rad, orientation error of SIK"),
        ):
            words += f", paper {paper[key]:.4f}" if paper else ""
            facts.append((f"{sik[key]:.4f}", words))
        facts.append((f"{sik['median_us']:.1f} µs", "a frame with SIK"))
    judged = [c for c in claims if c["reproduced"] is not None]
    whole, partly = (sum(c["reproduced"] == how for c in judged) for how in (True, PARTLY))
    words = f"claims reproduced, {partly} partly, {len(claims) - len(judged)} open"
    facts.append((f"{whole} of {len(judged)}", words))
    return "".join(f"<div><b>{escape(a)}</b><small>{escape(b)}</small></div>" for a, b in facts)


def _html_table(head: Sequence[str], rows: Mapping[str, Sequence[str]], kind: str = "") -> str:
    """Return rows of finished cells by their title; the row of SIK stands out."""
    body = "".join(
        f"<tr{' class=lead' * (name == 'sik')}><th>{escape(name)}{''.join(cells)}"
        for name, cells in rows.items()
    )
    top = "".join(f"<th>{escape(text)}" for text in head)
    return (
        f'<div class=scroll><table class="{kind}"><thead><tr><th>{top}</thead>{body}</table></div>'
    )


def _table1(report: Measurements) -> str:
    titles = clip_titles(report)
    rows_of = marked_averages(report)
    times = {r["row"]: r["median_us"] for r in rows_of}
    order = [r["row"] for r in rows_of]
    blocks = []
    for title, key, form in PARTS:
        cells = table_cells(report, key)
        best = {}
        for clip in titles:
            known = [(ours, s) for s in order if (ours := cells[s, clip][0]) is not None]
            best[clip] = [s for _, s in sorted(known)[:3]]
        rows = {}
        for s in order:
            rows[s] = [_cell(cells[s, clip], form, s, best[clip]) for clip in titles]
            if key == TIME:
                rows[s].append(f"<td><b>{times[s]:.1f}</b>")
        head = [*titles.values(), *["µs"] * (key == TIME)]
        blocks.append(f"<h3>{title}</h3>{_html_table(head, rows, 'full')}")
    return "".join(blocks)


def _cell(cell: Cell, form: str, solver: str, best: Sequence[str]) -> str:
    ours, paper = cell
    if ours is None:
        return "<td>–"
    mark = " class=first" if solver == best[0] else " class=near" if solver in best else ""
    beside = f"<i>{form.format(paper)} <s>×{ours / paper:.2f}</s></i>" if paper else ""
    return f"<td{mark}><b>{form.format(ours)}</b>{beside}"


def _bars(report: Measurements) -> str:
    """Return a chart for each part of the table; solvers as published where they are so."""
    whole = AVERAGE if AVERAGE in clip_titles(report) else report["rows"][0]["clip"]
    charts = []
    for title, key, form in PARTS:
        cells = table_cells(report, key)
        shown = [row for row in marked_averages(report) if row["beside_paper"]]
        rows = [(row["solver"], *cells[row["row"], whole]) for row in shown]
        chart = bar_chart(rows, form, title, logarithmic=key == TIME)
        caption = "Time, as a multiple of SIK’s (log scale)" if key == TIME else title
        charts.append(f"<figure><figcaption>{caption}</figcaption>{chart}</figure>")
    return "".join(charts)


def _claims(claims: Sequence[Mapping[str, Any]]) -> str:
    items = []
    for claim in claims:
        word = MARKS[claim["reproduced"]]
        items.append(
            f'<details><summary><span class="mark {word}">{word}</span>'
            f"<span>{escape(claim['claim'])}<span class=note>{escape(claim['note'])}</span></span>"
            f"</summary><div><small>Reproduced if: {escape(claim['criterion'])}.</small>"
            f"{_numbers(claim['measured'])}</div></details>"
        )
    return "".join(items)


def _numbers(found: Mapping[str, Any]) -> str:
    """Return measured quantities, nested or not, as a table."""
    if not found:
        return ""
    if not all(isinstance(value, Mapping) for value in found.values()):
        found = {"": found}
    keys = list(dict.fromkeys(key for row in found.values() for key in row))
    return _html_table(
        keys, {name: [f"<td>{_short(row.get(k))}" for k in keys] for name, row in found.items()}
    )


def _short(value: Any) -> str:
    if not isinstance(value, int | float):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _more_measures(report: Measurements, order: Sequence[str]) -> str:
    rows = {row["solver"]: row for row in report["averages"]}
    truth = {}
    for column in MORE_MEASURES:
        known = [found.get(column.key) for found in report["originals"].values()]
        known = [value for value in known if value is not None]
        truth[column.key] = sum(known) / len(known) if known else None
    shown = {s: rows[s] for s in order} | {"original": truth}
    cells = {
        name: [f"<td>{column.cell(row)}" for column in MORE_MEASURES] for name, row in shown.items()
    }
    return _html_table([column.title for column in MORE_MEASURES], cells, "many")


def _runs(table: Table1, clip: Clip, order: Sequence[str]) -> dict[str, Run]:
    return {s: table.paper_runs[s, clip.name] for s in order if (s, clip.name) in table.paper_runs}


def _curves(table: Table1, order: Sequence[str]) -> str:
    """Return errors by frame: on the paper's clips as in Figs. 14-18, and on whole clips."""
    parts = []
    if len(table.clips) > MOST_CLIPS:
        parts.append(f"<p>The first {MOST_CLIPS} of {len(table.clips)} clips are drawn.</p>")
    for clip in table.clips[:MOST_CLIPS]:
        runs = _runs(table, clip, order)
        if clip.paper is not None and clip.whole:
            if clip.paper.name == "boxing":
                for figure, s in ((14, "jacobian-transpose"), (15, "ccd")):
                    if s in runs:
                        pair = {k: runs[k] for k in (s, "sik") if k in runs}
                        parts.append(_figure(f"boxing, {s} (Fig. {figure})", clip, pair))
            first, last = clip.paper.window
            shown = {s: run for s, run in runs.items() if s != "jacobian-transpose"} or runs
            title = f"{clip.paper.name}, frames {first} to {last} (Fig. {clip.paper.figures[1]})"
            parts.append(_figure(title, clip, shown, slice(first, last + 1)))
        title = f"{clip.title}, {'all frames' if clip.whole else 'excerpt'}"
        parts.append(_figure(title, clip, runs))
    return "".join(parts)


def _figure(title: str, clip: Clip, runs: Mapping[str, Run], part: slice = slice(None)) -> str:
    first = clip.first + (part.start or 0)
    drawn = [f"<h3>{escape(title[0].upper() + title[1:])}</h3>"]
    for kind, text in (
        ("position", "position, of body height"),
        ("orientation", "orientation [rad]"),
    ):
        curves = {s: getattr(run, kind)[part] for s, run in runs.items()}
        if not all(len(values) for values in curves.values()):
            return ""
        chart = line_chart(curves, first, f"{title}: {text}")
        drawn.append(f"<figure><figcaption>{escape(text)}</figcaption>{chart}</figure>")
    return "".join(drawn)


def _poses(table: Table1, order: Sequence[str]) -> tuple[str, MissingExtra | None]:
    """Return poses as in Figs. 10-12 and 19-21, and the error if they cannot be drawn."""
    parts = [
        "<p>Yellow dots are the six tracked points; on a reconstruction the thin dark line shows "
        "the bones of the original.</p>"
    ]
    for clip in table.clips[:MOST_CLIPS]:
        runs = _runs(table, clip, order)
        try:
            beside, together = draw_samples(clip, runs)
        except MissingExtra as error:
            return f"<p>{escape(str(error))}</p>", error
        name = escape(clip.title.capitalize())
        figures = [f" (Fig. {k})" for k in clip.paper.figures] if clip.paper else ["", "", ""]
        off = {s: f"{run.position[together.frame - clip.first]:.4f}" for s, run in runs.items()}
        cells = [
            f"<figure class=pose>{_image(png, s)}<figcaption>{escape(METHODS.get(s, s))}"
            f"<br><small>{off.get(s, '&nbsp;')}</small></figcaption></figure>"
            for s, png in together.pictures.items()
        ]
        parts.append(
            f"<h3>{name}{figures[0]}</h3>"
            f"<div class=pairs>{''.join(_pair(sample) for sample in beside)}</div>"
            f"<h3>{name}, frame {together.frame}, all methods{figures[2]}</h3>"
            f"<div class=poses>{''.join(cells)}</div>"
        )
    return "".join(parts), None


def _pair(sample: Sample) -> str:
    images = "".join(_image(png, name) for name, png in sample.pictures.items())
    names = " and ".join(escape(name) for name in sample.pictures)
    return (
        f"<figure class=pair><span>{images}</span><figcaption>frame {sample.frame}"
        f"<br><small>{names}</small></figcaption></figure>"
    )


def _image(png: bytes, name: str) -> str:
    data = base64.b64encode(png).decode()
    return f'<img loading="lazy" alt="{escape(name)}" src="data:image/png;base64,{data}">'
