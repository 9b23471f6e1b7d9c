"""Measure what the pages quote, and store it in ``docs/measured.json``.

``python docs/measure.py table CMU/paper`` runs ``bench table1`` on the clips of the sequential IK
paper (17_10, 90_05 and 01_03 of the CMU motion capture database) and ``bench chains``.
``python docs/measure.py misses CMU`` counts missed points on all clips of a folder.
``python docs/measure.py poses PACKS`` fits the usual poses of `sixpoint.subjects` to clip archives
of people and stores them in the package.
``docs/tables.py`` and ``docs/pictures.py`` read the stored numbers, so that pages can be written
without the data. A few minutes on two cores; times depend on the machine.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import sixpoint as sp
from sixpoint.bench.chains import bench_chains
from sixpoint.bench.experiment import choose_solvers, load_clips
from sixpoint.bench.published import CLIPS
from sixpoint.bench.table1 import bench_table1, report_of
from sixpoint.formats.clip_folders import read_subjects
from sixpoint.motion.points import SIX
from sixpoint.subjects import usual_poses
from sixpoint.subjects.usual_poses import measure_poses

FILE = Path(__file__).parent / "measured.json"
NUMBERS = {
    "position_rms": 4,
    "orientation_rms": 4,
    "median_us": 1,
    "time_ratio_to_sik": 1,
    "iterations_mean": 1,
    "target_mean_m": 4,
}
"""What is kept of a row, and its decimals."""
JOINTS = (6, 10, 30, 100)
FEW = {"monte-carlo": 50}
"""Targets on each chain for solvers that take a tenth of a second for one."""
LEVELS = {"1": 1e-3, "10": 1e-2, "50": 5e-2}
"""Distances beyond which a point counts as missed, by their millimetres [m]."""
UNSEEN = (1, 2, 14, 17, 49, 61, 86, 90, 118, 135)
"""Subjects of the 66 clips to whom the built-in prior was not fitted."""


def _some(row: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: digits for key, digits in NUMBERS.items() if row[key] is not None}
    return {key: round(row[key], digits) for key, digits in known.items()}


def chains() -> dict[str, dict[str, Any]]:
    """What the pages show of ``bench chains`` for every general solver."""
    out: dict[str, dict[str, Any]] = {}
    for name in (each.name for each in choose_solvers(None, "chains")):
        for row in bench_chains([name], joints=JOINTS, trials=FEW.get(name))["rows"]:
            place = out.setdefault(name, {}).setdefault(str(row["joints"]), {})
            place[f"{row['targets']} {row['start']}"] = {
                "success": round(row["success"], 3),
                "iterations_median": row["iterations_median"],
                "median_us": round(row["median_us"]),
                "trials": row["trials"],
            }
    return out


def table(folder: str) -> dict[str, Any]:
    """Errors and times of every solver."""
    report = report_of(bench_table1(load_clips(folder)))
    papers = {clip["clip"]: clip["paper"] for clip in report["settings"]["clips"]}
    if set(papers.values()) != {clip.name for clip in CLIPS}:
        raise SystemExit(f"Expected the three clips of the paper, got {', '.join(papers)}.")
    found: dict[str, dict[str, Any]] = {}
    for row in report["rows"]:
        found.setdefault(row["solver"], {})[papers[row["clip"]]] = _some(row)
    for row in report["averages"]:
        found[row["solver"]]["average"] = _some(row)
    today, machine = datetime.date.today().isoformat(), report["machine"]["cpu"]
    return {"date": today, "machine": machine, "table1": found, "chains": chains()}


def misses(folder: str) -> dict[str, Any]:
    """How often points are missed, and how far untracked joints are off, on a folder of clips."""
    groups: dict[str, dict[str, list[Any]]] = {"all": {}, "unseen": {}}
    for path in sorted(Path(folder).glob("*/*.bvh")):
        clip = sp.load(path)
        anatomy = clip.skeleton.anatomy
        joints = [anatomy.node(role) for role in anatomy.roles.nodes if role not in SIX]
        for solver in ("guided", "sik"):
            result = sp.reconstruct(clip.points(), clip.skeleton, solver)
            gap = result.motion.positions()[:, joints] - clip.positions()[:, joints]
            found = (np.nanmax(result.residuals, axis=1), np.linalg.norm(gap, axis=-1).ravel())
            unseen = int(path.stem.split("_")[0]) in UNSEEN
            for group in ("all", "unseen") if unseen else ("all",):
                groups[group].setdefault(solver, []).append(found)
    out: dict[str, Any] = {"date": datetime.date.today().isoformat()}
    for group, solvers in groups.items():
        out[group] = {"clips": len(solvers["sik"]), "solvers": {}}
        for solver, of_clips in solvers.items():
            worst, gaps = (np.concatenate(each) for each in zip(*of_clips, strict=True))
            out[group]["frames"] = len(worst)
            out[group]["solvers"][solver] = {
                "missed": {name: round(float(np.mean(worst > d)), 5) for name, d in LEVELS.items()},
                "largest_m": round(float(worst.max()), 3),
                "joints_over_50": round(float(np.mean(gaps > 0.05)), 4),
            }
    return {"misses": out}


def poses(folder: str) -> dict[str, Any]:
    """Fit the statistics of usual poses; nothing goes into the pages."""
    people, _ = read_subjects(folder)
    found = measure_poses(own for name, own in people.items() if int(name) not in UNSEEN)
    place = Path(usual_poses.__file__).with_name(usual_poses.FILE)
    own = {"mean": found.mean, "between": found.between, "within": found.within}
    np.savez(place, **own, **found.usual)
    return {}


def main(words: list[str]) -> int:
    """Measure and store."""
    if len(words) != 2 or words[0] not in ("table", "misses", "poses"):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    found = {"table": table, "misses": misses, "poses": poses}[words[0]](words[1])
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    FILE.write_text(json.dumps(kept | found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{FILE.name} written; now run docs/tables.py and docs/pictures.py\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
