"""Pictures of `sixpoint bench vision`: jitter against lag, and hands that meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..studio.pictures import INK, new_figure
from .charts import PALETTE, STRONG

NAMES = {
    "crossing": "hands cross",
    "clap": "clap",
    "rest": "hands at rest",
    "face": "before the face",
}


def draw_jitter(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Jitter and lag over what the filter expects: one curve for each damping."""
    figure = new_figure("A chart", (8.0, 2.9), 110)
    dampings = sorted({row["damping"] for row in rows})
    for k, (key, label) in enumerate((("jitter_mm", "jitter [mm]"), ("lag_ms", "lag [ms]"))):
        axes = figure.add_axes((0.08 + 0.49 * k, 0.18, 0.41, 0.76))
        for damping, colour in zip(dampings, (STRONG, *PALETTE), strict=False):
            curve = [row for row in rows if row["damping"] == damping]
            x = [row["acceleration"] for row in curve]
            axes.plot(x, [row[key] for row in curve], "o-", color=colour, label=f"{damping:g} m")
        axes.set_xscale("log")
        ticks = sorted({row["acceleration"] for row in rows})
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("acceleration that the filter expects [m/s²]", color=INK)
        axes.set_ylabel(label, color=INK)
        axes.grid(color="#E3E6EA")
        axes.spines[["top", "right"]].set_visible(False)
        if k == 0:
            axes.legend(frameon=False, title="damping", ncols=3, loc="lower right")
    _save(figure, path)


def draw_meetings(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """How far off the worst point is, and how much of the time hands are seen, scene by scene."""
    tall = 0.28 * len(rows) + 0.7
    figure = new_figure("A chart", (8.0, tall), 110)
    names = [
        f"{NAMES[row['scene']]}, {row['height_m']:g} m tall, {row['distance_m']:g} m away"
        + (", noise" if row["noise"] else "")
        for row in rows
    ]
    shown = (("worst_mm", 1.0, "farthest off [mm]"), ("hands_seen", 100.0, "hands seen [%]"))
    for k, (key, factor, label) in enumerate(shown):
        axes = figure.add_axes((0.36 + 0.33 * k, 0.5 / tall, 0.28, 1.0 - 0.6 / tall))
        axes.barh(names, [factor * row[key] for row in rows], color=STRONG, height=0.6)
        axes.invert_yaxis()
        axes.set_xlabel(label, color=INK, fontsize=9)
        axes.tick_params(labelsize=8, labelleft=k == 0)
        axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def _save(figure: Any, path: str | Path) -> None:
    with atomic_write(path) as file:
        figure.savefig(file, format="png", metadata={"Software": None})
