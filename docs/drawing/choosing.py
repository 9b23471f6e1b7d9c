"""All solvers at a glance: error and time."""

from __future__ import annotations

import json
from pathlib import Path

from sixpoint.studio.pictures import INK

from .canvas import GREEN, LEFT, ORANGE, RIGHT, plot, save, sheet

FOUND = Path(__file__).parents[1] / "measured.json"
KINDS = {
    "part by part": (("sik", "kma", "tgbsik"), LEFT),
    "sweeps": (("ccd", "fabrik"), GREEN),
    "Jacobian": (("jacobian-transpose", "pseudoinverse", "dls", "dls-svd", "sdls"), ORANGE),
    "priorities": (("pik",), RIGHT),
}
"""Kind of method -> solvers, colour. Solvers that are not listed are of a kind of their own."""
OTHERS = "others"
STANDING = ("pik-balance",)
"""Left out: feet that stay where they are do not follow people who walk."""
BESIDE = {
    "dls-svd": (-9, -3),
    "sdls": (8, -4),
    "pseudoinverse": (7, 4),
    "mass-spring": (-8, -3),
    "mass-spring-force": (-8, -4),
    "ccd": (7, -8),
    "monte-carlo": (-8, -3),
}
"""Where the name stands from its dot [points], if not to the right."""


def choosing(path: Path) -> None:
    """Position error over time a frame."""
    table = json.loads(FOUND.read_text(encoding="utf-8"))["table1"]
    table = {name: found for name, found in table.items() if name not in STANDING}
    figure = sheet(8.0, 3.9)
    axes = plot(figure, (0.1, 0.15, 0.86, 0.8), "time a frame [us]", "position error, of height")
    listed = {name for names, _ in KINDS.values() for name in names}
    kinds = {**KINDS, OTHERS: (tuple(name for name in table if name not in listed), INK)}
    for kind, (names, colour) in kinds.items():
        there = [name for name in names if name in table]
        at = [table[name]["average"] for name in there]
        if at:
            x, y = [a["median_us"] for a in at], [a["position_rms"] for a in at]
            axes.scatter(x, y, s=70.0, c=colour, label=kind, zorder=3)
        for name, found in zip(there, at, strict=True):
            shift = BESIDE.get(name, (7, -3))
            axes.annotate(
                name,
                (found["median_us"], found["position_rms"]),
                xytext=shift,
                textcoords="offset points",
                ha="right" if shift[0] < 0 else "left",
                color=INK,
                fontsize=10,
            )
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.12)
    axes.legend(frameon=False, fontsize=10, loc="upper left")
    save(figure, path)
