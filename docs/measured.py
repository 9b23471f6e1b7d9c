"""Tables of measured figures, from what ``docs/measure.py`` kept in ``docs/measured.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from grid import rows

from sixpoint.bench.published import AVERAGE, CLIPS, Measure, published
from sixpoint.bench.report import MARKS
from sixpoint.solvers import SOLVERS

FOUND: dict[str, Any] = json.loads(
    (Path(__file__).parent / "measured.json").read_text(encoding="utf-8")
)
SOLVERS_FOUND = [name for name in SOLVERS if name in FOUND["table1"]]
"""Solvers of people that were measured."""
SHOWN = ("6", "10", "30", "100")
"""Joints of chains."""


def _paper(measure: Measure, clip: str, solver: str) -> str:
    value = published(measure, clip, solver)
    return "–" if value is None else f"{value:.4f}"


def on_clips(solver: str) -> str:
    """One solver on the paper's clips, beside the paper's figures."""
    found = FOUND["table1"][solver]
    weights = {c.name: f"({', '.join(f'{w:g}' for w in c.weights)})" for c in CLIPS}
    titles = {c.name: f"{c.number}, {c.name}" for c in CLIPS} | {AVERAGE: "**average**"}
    return rows(
        (
            "clip",
            "weights",
            "position RMS",
            "the paper",
            "orientation RMS [rad]",
            "the paper",
            "a frame [us]",
            "times SIK",
        ),
        [
            (
                title,
                weights.get(clip, ""),
                f"{found[clip]['position_rms']:.4f}",
                _paper("position_rms", clip, solver),
                f"{found[clip]['orientation_rms']:.4f}",
                _paper("orientation_rms", clip, solver),
                f"{found[clip]['median_us']:.1f}",
                f"{found[clip]['time_ratio_to_sik']:.1f}",
            )
            for clip, title in titles.items()
        ],
    )


def _chains(solver: str, joints: str) -> str:
    found = FOUND["chains"].get(solver, {}).get(joints)
    if found is None:
        return "–"
    return f"{100.0 * min(found[f'reachable {start}']['success'] for start in STARTS):.1f} %"


STARTS = ("rest", "last")
"""Where trials on chains start; the worse counts."""


def all_solvers() -> str:
    """Every solver on people and on chains."""
    paper = {s: published("median_ms", AVERAGE, s) for s in SOLVERS_FOUND}
    sik = paper["sik"] or 1.0
    table = []
    for name in sorted(SOLVERS_FOUND, key=lambda s: _average(s)["position_rms"]):
        found, theirs = _average(name), paper[name]
        table.append(
            (
                f"[`{name}`](solvers/{name}.md)",
                f"{found['position_rms']:.4f}",
                f"{found['orientation_rms']:.3f}",
                f"{1e3 * found['target_mean_m']:.1f}",
                f"{found['median_us']:.1f}",
                f"{found['time_ratio_to_sik']:.1f}",
                "–" if theirs is None else f"{theirs / sik:.1f}",
                _chains(name, "30"),
            )
        )
    head = ("solver", "position error", "orientation error [rad]", "points missed by [mm]")
    times = ("a frame [us]", "times SIK", "in the paper", "30 joints: reached")
    return rows((*head, *times), table)


def _average(solver: str) -> dict[str, Any]:
    return dict(FOUND["table1"][solver][AVERAGE])


def all_chains() -> str:
    """Every general solver on chains of several lengths."""
    table = []
    for name, found in FOUND["chains"].items():
        cells = []
        for joints in SHOWN:
            time = found[joints]["reachable last"]["median_us"]
            cells.append(f"{_chains(name, joints)}, {time} us")
        table.append((f"[`{name}`](solvers/{name}.md)", *cells))
    return rows(("solver", *(f"{joints} joints" for joints in SHOWN)), table)


def claims() -> str:
    """What the SIK paper says of its rivals, and whether it shows here."""
    return rows(
        ("", "the paper says", "here", "measured"),
        [(c["id"], c["claim"], MARKS[c["reproduced"]], c["note"]) for c in FOUND["claims"]],
    )


def other_limits() -> str:
    """Position errors with two published ranges of the shoulder."""
    names = ("pseudoinverse", "dls", "sdls", "ccd", "pik", "sik")
    first, other = FOUND["table1"], FOUND["other_limits"]
    return rows(
        ("average position error", *(f"`{name}`" for name in names)),
        [
            ("the usual limits", *(f"{first[n][AVERAGE]['position_rms']:.4f}" for n in names)),
            ('`VARIANTS["shoulder, AAOS"]`', *(f"{other[n]['position_rms']:.4f}" for n in names)),
            ("the paper", *(_paper("position_rms", AVERAGE, n) for n in names)),
        ],
    )


TABLES: dict[str, Callable[[], str]] = {
    **{f"{name}-measured": partial(on_clips, name) for name in SOLVERS_FOUND},
    "all-solvers": all_solvers,
    "all-chains": all_chains,
    "claims": claims,
    "other-limits": other_limits,
}
"""Name in the mark -> what makes the table."""
