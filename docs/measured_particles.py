"""Tables of the particle filter, from what ``docs/measure.py`` kept in ``docs/measured.json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grid import rows

KEPT: dict[str, Any] = json.loads(
    (Path(__file__).parent / "measured.json").read_text(encoding="utf-8")
)
FOUND: dict[str, Any] = KEPT["particles"]
LIMITS = {
    "off": "none",
    "wide": "25° of swing, 15° of twist: hardly met",
    "biting": "3° of swing, 2° of twist: every joint soon stands at them",
}
FACTS = {
    "chain_tip_m": ("tip off [mm of 2500]", 1e3),
    "chain_balance_part": ("centre of mass off [% of the length]", 1e2),
    "chain_smoothness_rad": ("sum of angles between neighbours [rad]", 1.0),
    "chain_iterations": ("iterations", 1.0),
    "hand_tip_max_m": ("farthest tip of both sets [mm]", 1e3),
    "coupling_max_deg": ("coupling off [degrees]", 1.0),
    "hand_iterations": ("iterations, both sets", 1.0),
    "person_feet_max_m": ("farthest point of the feet [mm]", 1e3),
    "person_hands_max_m": ("farther hand [mm]", 1e3),
    "person_balance_m": ("centre of mass off [mm]", 1e3),
    "person_knee_min_deg": ("straighter knee bent forwards by [degrees]", 1.0),
    "person_iterations": ("iterations", 1.0),
}
"""Fact -> what the table calls it, and the factor of its unit."""


def success() -> str:
    """Fig. 4a: success against particles and degrees of freedom."""
    at = {(r["dof"], r["particles"]): r for r in FOUND["success"]}
    rim = {r["dof"]: r for r in FOUND["success_rim"]}
    counts = sorted({n for _, n in at})
    head = (*(f"{n} particles" for n in counts), "median iterations (30)", "30, at the rim")
    return rows(
        ("DoF", *head),
        [
            (
                dof,
                *(_percent(at[dof, n]["success"]) for n in counts),
                f"{at[dof, 30]['iterations_median']:.0f}",
                _percent(rim[dof]["success"]),
            )
            for dof in sorted(rim)
        ],
    )


def times() -> str:
    """Fig. 4b: time of an iteration."""
    us = {(r["method"], r["dof"]): r["us"] for r in FOUND["times"]}
    dofs = sorted({dof for _, dof in us})
    return rows(
        ("method [us]", *(f"{dof} DoF" for dof in dofs)),
        [
            (name, *(f"{us[name, dof]:.3g}" for dof in dofs))
            for name in dict.fromkeys(name for name, _ in us)
        ],
    )


def speeds() -> str:
    """The 90-DoF chain, by its limits."""
    return rows(
        ("limits", "iterations a second, best run", "median run", "draws rejected", "deviation"),
        [
            (
                LIMITS[r["limits"]],
                f"{r['iterations_per_second']:.0f}",
                f"{r['iterations_per_second_median']:.0f}",
                _percent(r["rejected_part"]),
                f"{r['us_deviation']:.0f} us",
            )
            for r in FOUND["speeds"]
        ],
    )


def scenes() -> str:
    """The scenes with several constraints, over seeds."""
    table = []
    for name, scene in FOUND["scenes"].items():
        first = (name, str(scene["seeds"]), _percent(scene["rate"]))
        for key, fact in scene["facts"].items():
            if key in FACTS:
                words, factor = FACTS[key]
                both = (_short(factor * fact[which]) for which in ("median", "worst"))
                table.append((*first, words, *both))
                first = ("", "", "")
    return rows(("scene", "seeds", "everything held", "what", "median", "worst"), table)


def people() -> str:
    """People from six points, by where a frame begins."""
    table, last = [], ""
    for r in KEPT["people"]:
        words = f"`{r['solver']}`" + (f', `prior="{r["prior"]}"`' if r["prior"] else "")
        table.append(
            (
                "" if r["clip"] == last else r["clip"],
                words,
                f"{r['position_rms']:.4f}",
                f"{r['orientation_rms']:.3f}",
                f"{1e3 * r['target_mean_m']:.1f} mm",
                f"{1e3 * r['target_max_m']:.0f} mm",
                f"{r['jitter_ratio']:.1f}",
                r["steps_over_30deg"],
            )
        )
        last = r["clip"]
    head = ("clip", "solver", "position RMS", "orientation RMS [rad]")
    return rows((*head, "points missed by, mean", "most", "jitter", "steps over 30°"), table)


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100.0 else f"{value:.2g}"


def _percent(part: float) -> str:
    return f"{100.0 * part:.1f} %"


TABLES: dict[str, Callable[[], str]] = {
    "particles-success": success,
    "particles-times": times,
    "particles-speeds": speeds,
    "particles-scenes": scenes,
    "particles-people": people,
}
"""Name in the mark -> what makes the table."""
