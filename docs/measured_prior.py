"""Tables about the prior, from what ``sixpoint bench prior`` wrote.

``python docs/measured_prior.py PAPER/prior.json EVERY4/prior.json`` keeps what the tables need in
``docs/measured_prior.json``; the first of ``--data CMU/paper --subjects CMU/packs``, the other of
``--data CMU --every 4``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grid import rows

KEPT = Path(__file__).parent / "measured_prior.json"
CLIPS = {
    "17_10": "17_10, boxing",
    "90_05": "90_05, jump kick",
    "01_03": "01_03, playground",
}
ERRORS = ("position_rms", "orientation_rms_own", "orientation_rms")
BOTH = ("sik", "guided")
STARTS = ("published", "start of sik", "start of guided")
STRESSES = {
    "noise_m": ("noise {:g} mm", 1e3),
    "lost": ("{:g} % of the time not seen", 1e2),
    "lengths": ("limbs {:+g} %", 1e2),
}
"""Stress -> how a level is named, and the factor of its unit."""


def keep(paper: Mapping[str, Any], some: Mapping[str, Any]) -> dict[str, Any]:
    """The figures that the tables show."""
    pick = (*ERRORS, "effector_mean_m", "effector_p99_m", "effector_max_m", "jitter_ratio",
            "largest_step_deg", "limit_violations", "median_us")  # fmt: skip
    others = ("position_rms", "orientation_rms", "elbow_mean_m", "knee_mean_m", "iterations",
              "median_us", "steps_over_30deg")  # fmt: skip
    aside = [row for row in paper["kept_aside"] if row["subject"] == "all"]
    return {
        "clips": {
            name: {row["clip"][:5]: _picked(row, pick) for row in _of(paper["rows"], name)}
            for name in BOTH
        },
        "averages": {row["solver"]: _picked(row, pick) for row in paper["averages"]},
        "kept_aside": {row["solver"]: _picked(row, pick) for row in aside},
        "stresses": [
            _picked(row, ("stress", "level", "solver", "position_rms", "orientation_rms"))
            for row in paper["stresses"]
        ],
        "confidence": some["confidence"],
        "mistakes": some["mistakes"],
        "others": _others(paper, others),
        "others_every_fourth": _others(some, ("position_rms", "orientation_rms")),
    }


def _of(found: Sequence[Mapping[str, Any]], solver: str) -> list[Mapping[str, Any]]:
    return [row for row in found if row["solver"] == solver]


def _others(found: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for row in found["others"]["averages"]:
        table.setdefault(row["solver"], {})[row["variant"]] = _picked(row, keys)
    return table


def _picked(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {
        key: float(f"{row[key]:.5g}") if isinstance(row[key], float) else row[key] for key in keys
    }


def _found() -> dict[str, Any]:
    return dict(json.loads(KEPT.read_text(encoding="utf-8")))


def clips() -> str:
    """Sequential IK and the guided solver on the paper's clips, and on people kept aside."""
    found = _found()

    def line(title: str, of: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
        return (title, *(f"{of[name][key]:.4f}" for key in ERRORS for name in BOTH))

    table = [
        line(title, {name: found["clips"][name][clip] for name in BOTH})
        for clip, title in CLIPS.items()
    ]
    table.append(line("**average**", found["averages"]))
    table.append(line("7 people kept aside, 31 540 frames", found["kept_aside"]))
    return rows(
        ("clip", "position, `sik`", "`guided`", "rotation [rad], `sik`", "`guided`",
         "with the forearm's twist, `sik`", "`guided`"),
        table,
    )  # fmt: skip


def stresses() -> str:
    """Position errors under noise, drop-outs and wrong lengths."""
    found = _found()["stresses"]
    solvers = list(dict.fromkeys(row["solver"] for row in found))
    table: dict[str, dict[str, str]] = {}
    for row in found:
        name, factor = STRESSES[row["stress"]]
        title = name.format(factor * row["level"]) if row["level"] else "none"
        table.setdefault(title, {})[row["solver"]] = f"{row['position_rms']:.4f}"
    return rows(
        ("stress", *(f"`{name}`" for name in solvers)),
        [(title, *(line[name] for name in solvers)) for title, line in table.items()],
    )


def confidence() -> str:
    """Errors of frames by the solver's confidence."""
    return rows(
        ("confidence", "frames", "position error, mean"),
        [
            (
                "1" if row["to"] == 1.0 else f"{row['from']:g} to {row['to']:.3g}",
                str(row["frames"]),
                f"{row['position_mean']:.4f}",
            )
            for row in _found()["confidence"]
        ],
    )


def mistakes() -> str:
    """Confidence where names or axes are wrong."""
    return rows(
        ("the points look as if", "confidence", "frames below 0.5", "clips in which that is said"),
        [
            (
                row["mistake"],
                f"{row['confidence']:.2f}",
                f"{row['doubted']:.0%}",
                f"{row['named']} of {row['clips']}",
            )
            for row in _found()["mistakes"]
        ],
    )


def others() -> str:
    """Other solvers as published, from sequential IK and from the guided solver."""
    found = _found()
    columns = (
        ("position", "position_rms", "{:.4f}", 1.0),
        ("rotation [rad]", "orientation_rms", "{:.3f}", 1.0),
        ("elbows off by [mm]", "elbow_mean_m", "{:.0f}", 1e3),
        ("knees [mm]", "knee_mean_m", "{:.0f}", 1e3),
        ("steps in a frame", "iterations", "{:.2f}", 1.0),
        ("a frame [us]", "median_us", "{:.0f}", 1.0),
        ("jumps in a clip", "steps_over_30deg", "{:.0f}", 1.0),
    )

    def cells(of: Mapping[str, Any], key: str, form: str, factor: float) -> str:
        return " / ".join(form.format(factor * of[start][key]) for start in STARTS)

    return rows(
        ("solver", *(column[0] for column in columns), "position, 17 clips", "rotation"),
        [
            (
                f"`{solver}`",
                *(cells(of, *column[1:]) for column in columns),
                cells(found["others_every_fourth"][solver], "position_rms", "{:.4f}", 1.0),
                cells(found["others_every_fourth"][solver], "orientation_rms", "{:.3f}", 1.0),
            )
            for solver, of in found["others"].items()
            if all(start in of for start in STARTS)
        ],
    )


def variants(solver: str) -> str:
    """One solver with all that it can take from another."""
    found = _found()["others"][solver]
    return rows(
        ("with", "position", "rotation [rad]", "elbows off by [mm]", "knees [mm]", "a frame [us]"),
        [
            (
                variant,
                f"{row['position_rms']:.4f}",
                f"{row['orientation_rms']:.4f}",
                f"{1e3 * row['elbow_mean_m']:.0f}",
                f"{1e3 * row['knee_mean_m']:.0f}",
                f"{row['median_us']:.0f}",
            )
            for variant, row in found.items()
        ],
    )


TABLES: dict[str, Callable[[], str]] = {
    "prior-clips": clips,
    "prior-stresses": stresses,
    "prior-confidence": confidence,
    "prior-mistakes": mistakes,
    "prior-others": others,
    "prior-pik": lambda: variants("pik"),
    "prior-tgbsik": lambda: variants("tgbsik"),
}


if __name__ == "__main__":
    kept = keep(*(json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3]))
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
