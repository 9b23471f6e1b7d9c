from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from sixpoint.bench.published import AVERAGE, CLIPS, METHODS, published
from sixpoint.bench.report import (
    FILES,
    clip_titles,
    csv_text,
    display_order,
    html_page,
    markdown,
    marked_averages,
    write_report,
)
from sixpoint.bench.table1 import bench_table1, report_of
from sixpoint.errors import MissingExtra

KEYS = {
    "bench", "quick", "rows", "averages", "without_limits", "as_published",
    "averages_as_published", "originals", "published", "claims", "settings", "machine", "versions",
    "notes",
}  # fmt: skip
ROW = {
    "solver", "clip", "position_rms", "position_mean", "orientation_rms", "orientation_mean",
    "median_us", "p99_us", "time_ratio_to_sik", "target_mean_m", "target_p95_m", "target_max_m",
    "jerk", "limit_violations", "steps_over_30deg", "swivel_jump_max_deg",
}  # fmt: skip
VOID = {"meta", "br", "img", "path", "rect"}
LOOSE = {"tr", "td", "th", "thead", "tbody"}
"""Elements whose end a browser finds by itself."""


class Checker(HTMLParser):
    """Finds elements that are not closed, and whatever a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.fetched: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID | LOOSE:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            if name in ("src", "href") and not re.match(r"#|data:image/png;base64,", str(value)):
                self.fetched.append(str(value))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID | LOOSE:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def checked(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    return checker


def test_the_report_has_its_keys_and_is_json(all_nine):
    report = report_of(all_nine)
    assert set(report) == KEYS
    assert set(report["rows"][0]) >= ROW
    assert len(report["rows"]) == 30
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert report["settings"]["limits"] == "adult"
    assert report["settings"]["collisions"] is False
    assert [clip["paper"] for clip in report["settings"]["clips"]] == [c.name for c in CLIPS]


def test_the_paper_stands_beside_our_numbers(all_nine):
    report = report_of(all_nine)
    rows = report["published"]
    assert len(rows) == 9 * 4
    ours = {(r["solver"], r["clip"]): r for r in [*report["rows"], *report["averages"]]}
    for row in rows:
        mine = ours[row["solver"], row["clip"]]
        paper = published("position_rms", row["paper_clip"], row["solver"])
        assert row["position_rms"] == paper
        assert row["position_ratio"] == pytest.approx(mine["position_rms"] / paper)
        ratio = published("median_ms", row["paper_clip"], row["solver"]) / published(
            "median_ms", row["paper_clip"], "sik"
        )
        assert row["time_ratio_to_sik"] == pytest.approx(ratio)
        assert row["time_ratio_ratio"] == pytest.approx(mine["time_ratio_to_sik"] / ratio)
        assert bool(row["note"]) == ((row["solver"], row["paper_clip"]) == ("pik", "jump kick"))


def test_other_clips_have_no_published_numbers(clips, rivals):
    rivals("fabrik")
    table = bench_table1({**clips, "17_10": clips["boxing"]})
    report = report_of(table)
    assert {(row["clip"], row["solver"]) for row in report["published"]} == {("17_10", "sik")}
    assert list(clip_titles(report).values()) == ["boxing", "squat", "boxing", AVERAGE]
    assert display_order(report) == ["sik", "fabrik"]


def test_csv_has_a_line_for_each_row(all_nine):
    report = report_of(all_nine)
    rows = list(csv.DictReader(io.StringIO(csv_text(report["rows"]))))
    assert len(rows) == 30
    assert float(rows[3]["position_rms"]) == report["rows"][3]["position_rms"]
    assert rows[0]["weights"] == "1.0 1.0 0.0"


def test_rows_as_published_stand_beside_ours_and_are_marked(clips):
    squat = clips["squat"]
    table = bench_table1({"17_10": squat}, solvers=["sik", "ccd", "pik"], quick=True)
    report = report_of(table)
    marks = [(row["row"], row["settings"], row["beside_paper"]) for row in marked_averages(report)]
    assert ("ccd, as published", "as published", True) in marks
    assert ("ccd", "ours", False) in marks
    assert ("pik, as published", "as published", True) in marks
    assert ("pik", "ours", False) in marks
    published_pik = next(r for r in report["published"] if r["solver"] == "pik")
    mine = next(r for r in report["as_published"] if r["solver"] == "pik")
    assert published_pik["settings"] == "as published"
    ratio = mine["position_rms"] / published_pik["position_rms"]
    assert published_pik["position_ratio"] == pytest.approx(ratio)
    assert mine["time_ratio_to_sik"] > 0.0
    text = markdown(report)
    (literal,) = re.findall(r"\| pik, as published \|.*", text.split("Orientation")[0])
    (ours,) = re.findall(r"\| pik \|.*", text.split("Orientation")[0])
    assert "(0.0283)" in literal
    assert "(" not in ours
    assert ">pik, as published<" in html_page(table, report)[0]


def test_markdown_shows_the_paper_in_brackets(all_nine):
    text = markdown(report_of(all_nine))
    assert "(0.0265)" in text
    assert "| sik |" in text
    assert "| jacobian-transpose |" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in tables} == {6, 5}
    for claim in report_of(all_nine)["claims"]:
        assert claim["claim"] in text


def test_all_files_are_written_and_the_page_stands_alone(all_nine, tmp_path):
    pytest.importorskip("matplotlib")
    report = report_of(all_nine)
    folder = tmp_path / "new" / "folder"
    assert list(write_report(all_nine, report, folder)) == [folder / name for name in FILES]
    assert sorted(p.name for p in folder.iterdir()) == sorted(FILES)
    page = (folder / "report.html").read_text()
    found = checked(page)
    assert (found.wrong, found.open, found.fetched) == ([], [], [])
    assert len(found.ids) == len(set(found.ids)) == 7
    assert page.count("<img") == 3 * (2 * 6 + 11)  # strips in pairs, and all methods
    for name in ("Fig. 10", "Fig. 14", "Fig. 15", "Fig. 21", "claims reproduced", *METHODS):
        assert name in page


def test_a_page_without_matplotlib_lacks_only_the_poses(clips, tmp_path, monkeypatch):
    import sys

    for name in ("matplotlib.backends.backend_agg", "matplotlib.collections"):
        monkeypatch.setitem(sys.modules, name, None)
    table = bench_table1(clips, solvers=["sik"])
    with pytest.raises(MissingExtra, match=r"sixpoint\[plot\]"):
        list(write_report(table, report_of(table), tmp_path))
    assert all((tmp_path / name).exists() for name in FILES)
    page = (tmp_path / "report.html").read_text()
    assert "<img" not in page
    assert page.count("<svg") == 3 + 2 * len(clips)


def test_names_of_clips_are_text_and_not_markup(clips, tmp_path, rivals):
    rivals()
    table = bench_table1({"<b>&|": clips["squat"]})
    list(write_report(table, report_of(table), tmp_path))
    page = (tmp_path / "report.html").read_text()
    assert "<b>&|" not in page.replace("<b>&amp;", "")
    assert checked(page).wrong == []
    assert "<b>&\\|" in (tmp_path / "table.md").read_text()


def test_excerpts_and_many_clips_are_told(clips, rivals, monkeypatch):
    from sixpoint.bench import report as module

    rivals()
    monkeypatch.setattr(module, "MOST_CLIPS", 2)
    table = bench_table1({f"clip {k}": clips["squat"].frames(slice(0, 6)) for k in range(3)})
    page, _ = html_page(table, report_of(table))
    assert "The first 2 of 3 clips are drawn" in page
    assert "Excerpts only" not in page
    quick = replace(table, quick=True, clips=table.clips[:1])
    assert "Excerpts only" in html_page(quick, report_of(quick))[0]
