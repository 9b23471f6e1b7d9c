"""Limits of adults against those within which recorded people moved, and against none.

Every clip is reconstructed from six points under each set of limits. Where a limit holds a person
back, a tracked point is missed; where limits are too wide, untracked joints may stray.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..limits import Limits, adult_limits, recorded_limits
from ..limits.by_role import recorded
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import SIX
from ..solvers import Solver
from . import experiment as ex
from .limits import SAME_PERSON

CHOICES = ("adult", "recorded", "none")
FAR = {"over_1_mm": 0.001, "over_1_cm": 0.01, "over_5_cm": 0.05, "over_10_cm": 0.1}
"""A frame counts if some tracked point is missed by more than this [m]."""
GROUPS = ("all", "fitted", "others")
"""All clips; those of people whose motion the recorded limits hold; those of others."""
QUICK_FRAMES = 120


def bench_recorded(
    clips: Mapping[str, Motion],
    *,
    solvers: Sequence[str] | None = None,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Reconstruct clips under each set of limits, and measure what is missed."""
    if not clips:
        raise InputError("Expected at least one clip, got none.")
    methods = ex.choose_solvers(solvers)
    people = {str(name) for name in recorded().provenance["names"]}
    parts: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    step = ex.counted(progress, len(clips))
    for name, whole in clips.items():
        clip = ex.excerpt(whole, QUICK_FRAMES) if quick else whole
        for choice in CHOICES:
            limits = limits_of(choice, clip)
            for method in methods:
                measured = _measure(method, clip, limits)
                for group in ("all", "fitted" if names_of(name) & people else "others"):
                    parts.setdefault((method.name, group, choice), []).append(measured)
        step()
    rows = [
        {"solver": method, "clips_of": group, "limits": choice} | _merged(found)
        for (method, group, choice), found in parts.items()
    ]
    order = {group: k for k, group in enumerate(GROUPS)}
    rows.sort(key=lambda row: (row["solver"], order[row["clips_of"]]))
    return {"rows": rows, "provenance": dict(recorded().provenance)}


def names_of(clip: str) -> set[str]:
    """Return the names of the person of a clip, who may have several numbers in the database."""
    subject = clip.rpartition("/")[2].partition("_")[0].lstrip("0")
    known = (set(map(str, numbers)) for numbers in SAME_PERSON)
    return next((numbers for numbers in known if subject in numbers), {subject})


def limits_of(choice: str, clip: Motion) -> Limits | None:
    """Return the limits that a choice stands for, on the skeleton of a clip."""
    if choice == "none":
        return None
    return (recorded_limits if choice == "recorded" else adult_limits)(clip.skeleton)


def _measure(method: Solver, clip: Motion, limits: Limits | None) -> dict[str, Any]:
    tracker = method.prepare(clip.skeleton, rate=clip.rate, limits=limits)
    result = tracker.solve_clip(clip.points())
    found = compare(result.motion, clip)
    anatomy = clip.skeleton.anatomy
    joints = [node for role, node in anatomy.roles.nodes.items() if role not in SIX]
    away = result.motion.positions()[:, joints] - clip.positions()[:, joints]
    return {
        "missed": np.nanmax(result.residuals, axis=1),
        "position": found.position_per_frame,
        "orientation": found.orientation_per_frame,
        "joints": np.linalg.norm(away, axis=-1).ravel(),
        "steps": result.report.steps_over_30deg,
    }


def _merged(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the numbers of several clips together, every frame counting alike."""
    keys = ("missed", "position", "orientation", "joints")
    joined = {key: np.concatenate([clip[key] for clip in found]) for key in keys}
    missed = joined["missed"]
    return {
        "clips": len(found),
        "frames": len(missed),
        **{key: float(np.mean(missed > far)) for key, far in FAR.items()},
        "largest_m": float(missed.max()),
        "position_rms": float(np.sqrt(np.mean(joined["position"] ** 2))),
        "orientation_rms": float(np.sqrt(np.mean(joined["orientation"] ** 2))),
        "joints_over_10_cm": float(np.mean(joined["joints"] > FAR["over_10_cm"])),
        "steps_over_30deg": int(sum(clip["steps"] for clip in found)),
    }


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    keys = "solver clips_of limits frames over_1_mm:.2% over_1_cm:.2% over_5_cm:.2% "
    keys += "over_10_cm:.2% largest_m:.2f position_rms:.4f orientation_rms:.4f "
    yield ex.table(
        "Frames in which a tracked point is missed, and errors",
        keys + "joints_over_10_cm:.2% steps_over_30deg",
        found["rows"],
    )


EXPERIMENT = ex.Experiment(
    about="""How often a tracked point is missed under limits of adults, of recorded people, and
without limits. The number in front of a clip's name is taken for its subject, as in the CMU
database, so that people to whom the recorded limits were fitted are told from others.

\b
sixpoint bench recorded --data CMU --solvers guided,sik""",
    options=(ex.DATA_OPTION, ex.solvers_option("guided,sik")),
    solvers=lambda options: ex.choose_solvers(options["solvers"]),
    inputs=ex.read_clips,
    run=bench_recorded,
    show=_show,
    output_help="Also write recorded.json there.",
)
