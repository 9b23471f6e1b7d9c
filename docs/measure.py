"""Measure what the pages quote: ``python docs/measure.py CMU/paper``.

Runs ``sixpoint bench table1`` on the clips of the SIK paper (17_10, 90_05 and 01_03 of the CMU
motion capture database), ``bench chains`` and ``bench particles``, and keeps what the pages show in
``docs/measured.json``. ``python docs/tables.py`` and ``python docs/pictures.py`` read it from
there, so that nobody needs the data to write the pages. A few minutes on two cores; times depend on
the machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sixpoint.bench.chains import bench_chains, general_solvers
from sixpoint.bench.particles import bench_particles
from sixpoint.bench.published import CLIPS, paper_clip
from sixpoint.bench.report import report_of
from sixpoint.bench.table1 import bench_table1
from sixpoint.cli.options import load_clips
from sixpoint.limits import adult, adult_limits
from sixpoint.motion.metrics import compare
from sixpoint.motion.motion import Motion
from sixpoint.solvers import solver

FILE = Path(__file__).parent / "measured.json"
NUMBERS = {
    "position_rms": 4,
    "orientation_rms": 4,
    "median_us": 1,
    "time_ratio_to_sik": 1,
    "iterations_mean": 1,
    "target_mean_m": 4,
    "clavicle_mean_deg": 1,
    "swivel_jump_max_deg": 0,
    "jerk": -2,
}
"""What is kept of a row, and its decimals."""
JOINTS = (6, 10, 30, 100)
OTHER = "shoulder, AAOS"
"""The limits that the Jacobian methods feel most (see the page of `dls`)."""


SHOULDERS = ("pseudoinverse", "dls", "sdls", "ccd", "pik", "sik")
"""Solvers that are compared with them."""
PRIORS = ("sik", "constant", "velocity")
"""Where a frame of the particle filter begins."""
FEW = {"monte-carlo": 50}
"""Targets on each chain for solvers that take a tenth of a second for one."""


def _some(row: dict[str, Any]) -> dict[str, Any]:
    known = {key: digits for key, digits in NUMBERS.items() if row[key] is not None}
    return {key: round(row[key], digits) for key, digits in known.items()}


def _other_limits(clips: dict[str, Motion]) -> dict[str, dict[str, Any]]:
    """Average errors with another published range of the shoulder."""
    skeleton = next(iter(clips.values())).skeleton
    entry = adult.VARIANTS[OTHER]
    sides = {"l_shoulder": adult.LEFT, "r_shoulder": adult.RIGHT}
    joints = {skeleton.names[skeleton.anatomy.node(r)]: entry.limit(s) for r, s in sides.items()}
    limits = adult_limits(skeleton).replace(joints)
    table = bench_table1(clips, solvers=SHOULDERS, limits=limits)
    return {row["solver"]: _some(row) for row in report_of(table)["averages"]}


def particles(found: dict[str, Any]) -> dict[str, Any]:
    """What the page of the particle filter shows of ``bench particles``."""
    kept = (
        "seed",
        "trials",
        "success",
        "success_rim",
        "particles_for_99",
        "speeds",
        "spreads",
        "constant",
    )
    slopes = ("time_slope", "time_slope_limits", "time_slope_finite_differences")
    return {key: _rounded(found[key]) for key in (*kept, *slopes, "times", "scenes")}


def _rounded(value: Any) -> Any:
    """Numbers with five digits, in whatever they stand."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def people(clips: dict[str, Motion]) -> list[dict[str, Any]]:
    """The particle filter on the paper's clips, by where a frame begins."""
    out = []
    for name, clip in clips.items():
        paper = paper_clip(name)
        assert paper is not None
        for kind, prior in (("sik", ""), *(("monte-carlo", prior) for prior in PRIORS)):
            given = {"prior": prior} if prior else {}
            method = solver(kind, weights=paper.weights, **given)
            result = method.prepare(clip.skeleton, rate=clip.rate).solve_clip(clip.points())
            against, report = compare(result.motion, clip), result.report
            row = {
                "clip": f"{paper.number}, {paper.name}",
                "solver": kind,
                "prior": prior,
                "position_rms": against.position_rms,
                "orientation_rms": against.orientation_rms,
                "target_mean_m": report.target_mean_m,
                "target_max_m": report.target_max_m,
                "jitter_ratio": against.jitter_ratio,
                "steps_over_30deg": report.steps_over_30deg,
            }
            out.append(_rounded(row))
    return out


def _chains() -> list[dict[str, Any]]:
    """Rows of ``bench chains`` for every general solver."""
    names = [each.name for each in general_solvers()]
    runs = [bench_chains([name], joints=JOINTS, trials=FEW.get(name)) for name in names]
    return [row for run in runs for row in run["rows"]]


def measure(folder: str) -> dict[str, Any]:
    """Everything, ready for JSON."""
    clips = load_clips(folder)
    report = report_of(bench_table1(clips))
    kept = _kept(report, _chains(), _other_limits(clips))
    return kept | {"particles": particles(bench_particles()), "people": people(clips)}


def _kept(
    report: dict[str, Any], rows: list[dict[str, Any]], other_limits: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """What the pages show."""
    papers = {clip["clip"]: clip["paper"] for clip in report["settings"]["clips"]}
    if set(papers.values()) != {clip.name for clip in CLIPS}:
        raise SystemExit(f"Expected the three clips of the paper, got {', '.join(papers)}.")
    table: dict[str, dict[str, Any]] = {}
    for row in report["rows"]:
        table.setdefault(row["solver"], {})[papers[row["clip"]]] = _some(row)
    for row in report["averages"]:
        table[row["solver"]]["average"] = _some(row)
    chains: dict[str, dict[str, Any]] = {}
    for row in rows:
        place = chains.setdefault(row["solver"], {}).setdefault(str(row["joints"]), {})
        place[f"{row['targets']} {row['start']}"] = {
            "success": round(row["success"], 3),
            "iterations_median": row["iterations_median"],
            "median_us": round(row["median_us"]),
            "trials": row["trials"],
        }
    return {
        "machine": report["machine"]["cpu"],
        "table1": table,
        "other_limits": other_limits,
        "chains": chains,
        "pik_as_published": {
            key: round(sum(row[key] for row in report["as_published"]) / len(CLIPS), 4)
            for key in ("position_rms", "orientation_rms", "clavicle_mean_deg")
        },
        "claims": [
            {key: claim[key] for key in ("id", "claim", "reproduced", "note")}
            for claim in report["claims"]
        ],
    }


def main(words: list[str]) -> int:
    """Measure and write."""
    if len(words) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    FILE.write_text(json.dumps(measure(words[0]), indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE.name} written; now run docs/tables.py and docs/pictures.py\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
