"""Tables of measured figures, from what `measure.py` stored in `measured.json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from markdown import Column, cells, table

from sixpoint.bench.published import AVERAGE, CLIPS, Measure, published
from sixpoint.solvers import SOLVERS

FOUND: dict[str, Any] = json.loads(
    (Path(__file__).parent / "measured.json").read_text(encoding="utf-8")
)
SOLVERS_FOUND = [name for name in SOLVERS if name in FOUND["table1"]]
"""Solvers of people that were measured."""
STARTS = ("rest", "last")
"""Where trials on chains start; the worse counts."""


def _paper(measure: Measure, clip: str, solver: str) -> str:
    value = published(measure, clip, solver)
    return "–" if value is None else f"{value:.4f}"


def _percent(part: float) -> str:
    return f"{100.0 * part:.1f} %"


def _link(solver: str) -> str:
    return f"[`{solver}`](solvers/{solver}.md)"


def on_clips(solver: str) -> str:
    """One solver on the paper's clips, beside the paper's figures."""
    weights = {c.name: f"({', '.join(f'{w:g}' for w in c.weights)})" for c in CLIPS}
    titles = {c.name: f"{c.number}, {c.name}" for c in CLIPS} | {AVERAGE: "**average**"}
    body = []
    for clip, title in titles.items():
        found = FOUND["table1"][solver][clip]
        row = [title, weights.get(clip, "")]
        for key in ("position_rms", "orientation_rms"):
            row += [f"{found[key]:.4f}", _paper(key, clip, solver)]  # type: ignore[arg-type]
        body.append([*row, f"{found['median_us']:.1f}", f"{found['time_ratio_to_sik']:.1f}"])
    return table(
        ("clip", "weights", "position RMS", "published", "orientation RMS [rad]", "published",
         "time a frame [us]", "relative to `sik`"),
        body,
    )  # fmt: skip


def _reached(solver: str, joints: str) -> str:
    found = FOUND["chains"].get(solver, {}).get(joints)
    if found is None:
        return "–"
    return _percent(min(found[f"reachable {start}"]["success"] for start in STARTS))


def all_solvers() -> str:
    """Every solver on people and on chains, the most accurate first."""
    columns: list[Column] = [
        ("position error", "position_rms", ".4f", 1.0),
        ("orientation error [rad]", "orientation_rms", ".3f", 1.0),
        ("residual [mm]", "target_mean_m", ".1f", 1e3),
        ("time a frame [us]", "median_us", ".1f", 1.0),
        ("relative to `sik`", "time_ratio_to_sik", ".1f", 1.0),
    ]
    sik = published("median_ms", AVERAGE, "sik") or 1.0
    average = {name: FOUND["table1"][name][AVERAGE] for name in SOLVERS_FOUND}
    body = []
    for name in sorted(average, key=lambda s: float(average[s]["position_rms"])):
        theirs = published("median_ms", AVERAGE, name)
        ratio = "–" if theirs is None else f"{theirs / sik:.1f}"
        body.append((_link(name), *cells(average[name], columns), ratio, _reached(name, "30")))
    head = ("solver", *(c[0] for c in columns), "published ratio", "chain of 30 joints: reached")
    return table(head, body)


def all_chains() -> str:
    """Every general solver on chains of several lengths."""
    lengths = ("6", "10", "30", "100")
    return table(
        ("solver", *(f"{joints} joints" for joints in lengths)),
        [
            (
                _link(name),
                *(
                    f"{_reached(name, n)}, {found[n]['reachable last']['median_us']} us"
                    for n in lengths
                ),
            )
            for name, found in FOUND["chains"].items()
        ],
    )


def misses() -> str:
    """How often a solver misses a tracked point, and how far other joints are off."""
    titles = {"all": "{} clips", "unseen": "{} clips of people not in the prior's data"}
    body = []
    for group, title in titles.items():
        for solver, found in FOUND["misses"][group]["solvers"].items():
            kept = FOUND["misses"][group]
            clips, frames = kept["clips"], kept["frames"]
            name = f"{title.format(clips)}, {frames} frames"
            missed = (f"{100.0 * found['missed'][level]:.2f} %" for level in ("1", "10", "50"))
            body.append((name, f"`{solver}`", *missed, f"{1e3 * found['largest_m']:.0f} mm",
                         _percent(found["joints_over_50"])))  # fmt: skip
    return table(
        ("CMU data", "solver", "a point missed by > 1 mm", "> 1 cm", "> 5 cm", "largest miss",
         "untracked joints > 5 cm off"),
        body,
    )  # fmt: skip


TABLES: dict[str, Callable[[], str]] = {
    **{f"{name}-measured": partial(on_clips, name) for name in SOLVERS_FOUND},
    "all-solvers": all_solvers,
    "all-chains": all_chains,
    "misses": misses,
}
"""Name in the mark -> function that makes the table."""
