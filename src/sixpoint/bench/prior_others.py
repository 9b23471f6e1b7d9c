"""What the guided solver gives to others: a start, a posture, a swivel (X3, X4).

Every iterative solver of people begins its frames where it was published to begin, at the pose of
the frame before; then at sequential IK's pose of the same frame; then at the guided solver's. What
`tgbsik` searches and what `pik` is drawn to are tried with and without the guided solver's pose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..motion.motion import Motion
from ..solvers import SOLVERS, Solver, solver
from ..solvers.led import LedSolver
from .judging import averages, fitting, judge

SWIVELS = (0.3, 1.0, 3.0)
"""Weights of the guided solver's swivel in the search of `tgbsik`."""
QUICK = ("tgbsik", "dls", "pik")
"""Solvers of a quick run: each costs seconds to compile for the first time."""
KEYS = (
    "frames",
    "position_rms",
    "orientation_rms",
    "elbow_mean_m",
    "knee_mean_m",
    "effector_mean_m",
    "iterations",
    "median_us",
    "steps_over_30deg",
    "limit_violations",
)
"""What is told of each."""


def other_solvers(prior: str = "", quick: bool = False) -> dict[tuple[str, str], Solver]:
    """Solvers by name and by what they take from others; "published" is nothing."""
    files = {"sik": {}, "guided": {"prior": prior}}
    made: dict[tuple[str, str], Solver] = {("tgbsik", "published"): solver("tgbsik")}
    for weight in SWIVELS:
        made["tgbsik", f"swivel of guided, {weight:g}"] = solver(
            "tgbsik", prior_weight=weight, prior=prior
        )
    for name, kind in SOLVERS.items():
        if not issubclass(kind, LedSolver):
            continue
        made[name, "published"] = kind()
        for leader, file in files.items():
            made[name, f"start of {leader}"] = solver(name, start=leader, **file)
        if name == "pik":
            for leader, file in files.items():
                made[name, f"posture of {leader}"] = solver(name, towards=leader, **file)
                both = solver(name, start=leader, towards=leader, **file)
                made[name, f"both of {leader}"] = both
    for variant, begin in (
        ("published", "constant"),
        ("start of sik", "sik"),
        ("start of guided", prior or "guided"),
    ):
        made["monte-carlo", variant] = solver("monte-carlo", prior=begin)
    return {key: each for key, each in made.items() if not quick or key[0] in QUICK}


def bench_others(
    clips: Mapping[str, Motion], solvers: Mapping[tuple[str, str], Solver], step: Callable[[], None]
) -> dict[str, Any]:
    """Measure; `step` is called after each solver on each clip."""
    rows = []
    for clip_name, clip in clips.items():
        for (name, variant), method in solvers.items():
            row = judge(fitting(method, clip_name), clip).row
            rows.append({"clip": clip_name, "solver": name, "variant": variant,
                         **{key: row[key] for key in KEYS}})  # fmt: skip
            step()
    return {"rows": rows, "averages": averages(rows, ("solver", "variant"))}
