"""Fig. 8 of the joint-limit paper as an experiment: do estimated limits help inverse kinematics?

A recorded clip is reconstructed from its six end effectors with the same solver under different
limits, and compared with the recording. The paper shows three clips in pictures, with limits from
the clips themselves; here that is one of several columns, and the errors are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, UnknownName
from ..limits import LimitEstimator, Limits, adult_limits
from ..limits.estimate.estimate import Family
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..solvers import SOLVERS, Solver, solver
from .progress import Progress

CHOICES = ("none", "adult", "own", "kind", "others")
"""No limits; those of adults; from the clip itself, as in the paper; from other clips of its kind;
from all clips of other subjects."""
RATE = 30.0
"""Frames a second that are reconstructed [Hz]."""
FRAMES, QUICK_FRAMES = 450, 60
CLIPS, QUICK_CLIPS = 6, 2
KIND = "gymnastics"
"""The kind of the clips that are reconstructed, where there are such: the paper's."""
TWINS = (
    *((83, 122), (91, 105), (90, 121), (77, 139), (106, 141), (78, 102), (63, 64), (74, 84)),
    *((85, 117), (70, 73, 123), (93, 103)),
)
"""Subjects of the CMU database that are one person under several numbers."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A clip, and what is known about it."""

    name: str
    motion: Motion
    kind: str
    subject: str

    @staticmethod
    def of(name: str, motion: Motion, folder: str) -> Recording:
        """Kind by the folder, subject by the number in front of the name (13_29 ...)."""
        number = re.match(r"(\d+)_", name)
        subject = name if number is None else number.group(1).lstrip("0")
        for twins in TWINS:
            if subject in map(str, twins):
                subject = str(twins[0])
        return Recording(name, motion, folder, subject)


def bench_fig8(
    recordings: Sequence[Recording],
    *,
    solvers: Sequence[str] = ("sik", "ccd", "dls"),
    family: Family = "swing_twist",
    quick: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Reconstruct clips under every choice of limits.

    Args:
        recordings: all clips there are; some are reconstructed, limits come from all.
        solvers: names of solvers of people.
        family: limits of ball joints.
        quick: fewer clips and frames; the same keys.
        progress: called with the number of reconstructions done and their total.
    """
    people_solvers(solvers)
    tried = [r for r in recordings if r.kind == KIND] or list(recordings)
    if not tried:
        raise InputError("Expected one clip or more for the experiment of Fig. 8, got none.")
    tried = tried[: QUICK_CLIPS if quick else CLIPS]
    rows: list[dict[str, Any]] = []
    total = len(tried) * len(CHOICES) * len(solvers)
    for recording in tried:
        whole = recording.motion.resampled(RATE)
        part = whole.frames(slice(0, QUICK_FRAMES if quick else FRAMES))
        for choice in CHOICES:
            limits, clips = _limits(choice, recording, recordings, family)
            for name in solvers:
                row: dict[str, Any] = {
                    "clip": recording.name,
                    "subject": recording.subject,
                    "solver": name,
                    "limits": choice,
                    "clips": clips,
                }
                rows.append({**row, **_measure(name, part, limits, choice)})
                if progress is not None:
                    progress(len(rows), total)
    return {
        "frames": sum(row["frames"] for row in rows if row["limits"] == "none") // len(solvers),
        "rate": RATE,
        "rows": rows,
        "averages": averages(rows, solvers),
        "conclusion": conclusion(averages(rows, solvers), solvers),
    }


def people_solvers(names: Sequence[str]) -> list[Solver]:
    """Solvers of people, with their usual settings."""
    able = [name for name, kind in SOLVERS.items() if kind.capabilities.humans]
    for name in names:
        if name not in able:
            raise UnknownName("solver of people", name, able)
    return [solver(name) for name in names]


def _limits(
    choice: str, recording: Recording, recordings: Sequence[Recording], family: Family
) -> tuple[Limits | None, int]:
    """The limits of a choice, None without any, and of how many clips they come."""
    if choice == "none":
        return None, 0
    if choice == "adult":
        return adult_limits(recording.motion.skeleton), 0
    others = [r for r in recordings if r is not recording]
    chosen = {
        "own": [recording],
        "kind": [r for r in others if r.kind == recording.kind],
        "others": [r for r in others if r.subject != recording.subject],
    }[choice]
    if not chosen:
        return None, 0
    estimator = LimitEstimator(recording.motion.skeleton)
    for each in chosen:
        estimator.add(each.motion, each.name)
    return estimator.estimate().limits(family), len(chosen)


def _measure(name: str, part: Motion, limits: Limits | None, choice: str) -> dict[str, Any]:
    """One reconstruction; nothing is measured where no clip gave limits."""
    keys = ("position_rms", "position_mean", "orientation_rms", "orientation_mean")
    if limits is None and choice != "none":
        return dict.fromkeys(("frames", *keys, "target_mean_m", "steps_over_30deg"), None)
    tracker = solver(name).prepare(part.skeleton, limits=limits, rate=part.rate)
    result = tracker.solve_clip(part.points())
    found = compare(result.motion, part)
    return {
        "frames": len(part),
        **{key: float(getattr(found, key)) for key in keys},
        "target_mean_m": float(result.report.target_mean_m),
        "steps_over_30deg": int(result.report.steps_over_30deg),
    }


def averages(rows: Sequence[dict[str, Any]], solvers: Sequence[str]) -> list[dict[str, Any]]:
    """Means over the clips, and on how many clips a choice beats having no limits."""
    out = []
    for name in solvers:
        free = {r["clip"]: r for r in rows if (r["solver"], r["limits"]) == (name, "none")}
        for choice in CHOICES:
            own = [r for r in rows if (r["solver"], r["limits"]) == (name, choice)]
            own = [r for r in own if r["position_rms"] is not None]
            row: dict[str, Any] = {"solver": name, "limits": choice, "clips": len(own)}
            for key in ("position_rms", "orientation_rms", "target_mean_m"):
                row[key] = float(np.mean([r[key] for r in own])) if own else None
                row[f"{key}_better"] = sum(r[key] < free[r["clip"]][key] for r in own)
            out.append(row)
    return out


LABELS = {
    "none": "none",
    "adult": "adult",
    "own": "the clip's own",
    "kind": "same kind of motion",
    "others": "other people",
}
"""Names of the choices for readers."""


def markdown(table: Sequence[dict[str, Any]]) -> str:
    """The averages as a Markdown table: errors, and on how many clips they beat no limits."""
    solvers = list(dict.fromkeys(row["solver"] for row in table))
    heads = [cell for name in solvers for cell in (f"`{name}` position", "rotation", "off")]
    lines = [f"| limits | {' | '.join(heads)} |", f"| {' | '.join(['---'] * (len(heads) + 1))} |"]
    for choice in CHOICES:
        cells = [LABELS[choice]]
        for row in (row for row in table if row["limits"] == choice):
            if row["position_rms"] is None:
                cells += ["-"] * 3
                continue
            won = [f" ({row[f'{key}_rms_better']})" for key in ("position", "orientation")]
            won = ["", ""] if choice == "none" else won
            cells += [
                f"{row['position_rms']:.4f}{won[0]}",
                f"{row['orientation_rms']:.3f}{won[1]}",
                f"{1e3 * row['target_mean_m']:.0f}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def conclusion(table: Sequence[dict[str, Any]], solvers: Sequence[str]) -> list[str]:
    """What the averages say, in sentences."""
    said = []
    for name in solvers:
        rows = {row["limits"]: row for row in table if row["solver"] == name}
        free = rows["none"]
        for choice in CHOICES[1:]:
            row = rows[choice]
            if row["position_rms"] is None:
                continue
            changes = [
                100.0 * (row[key] / free[key] - 1.0) for key in ("position_rms", "orientation_rms")
            ]
            said.append(
                f"{name}, limits {choice!r} against none: position error {changes[0]:+.0f} % "
                f"(better in {row['position_rms_better']} of {row['clips']} clips), orientation "
                f"{changes[1]:+.0f} % ({row['orientation_rms_better']} of {row['clips']})"
            )
    return said
