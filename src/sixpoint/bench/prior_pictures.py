"""Pictures of `sixpoint bench prior`: curves of robustness, and the worst frames side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_write import atomic_write
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..solvers import solver
from ..studio.panels import Panel
from ..studio.pictures import INK, contact_sheet, new_figure
from .charts import PALETTE, STRONG
from .judging import fitting

AXES = {
    "noise_m": ("noise on the points [mm]", 1e3),
    "lost": ("points not seen [% of the time]", 1e2),
    "lengths": ("error of limb lengths [%]", 1e2),
}
"""Stress -> what its axis says, and the factor of its unit."""
COLOURS = {"sik": STRONG, "guided": PALETTE[0], "guided, then pik": PALETTE[1]}
WORST = 6
"""Frames on a sheet."""
APART = 0.5
"""They are at least so far apart [s]."""


def draw_curves(found: Mapping[str, Any], path: str | Path) -> None:
    """Errors over noise, drop-outs and wrong lengths."""
    figure = new_figure("A chart", (10.0, 3.2), 110)
    for k, (stress, (label, factor)) in enumerate(AXES.items()):
        axes = figure.add_axes((0.07 + 0.32 * k, 0.17, 0.26, 0.75))
        for name, colour in COLOURS.items():
            rows = [r for r in found["stresses"] if (r["stress"], r["solver"]) == (stress, name)]
            x = [factor * row["level"] for row in rows]
            axes.plot(x, [row["position_rms"] for row in rows], "o-", color=colour, label=name)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel(label, color=INK)
        axes.grid(color="#E3E6EA")
        axes.spines[["top", "right"]].set_visible(False)
        if k == 0:
            axes.set_ylabel("position error / height", color=INK)
            axes.legend(frameon=False)
    with atomic_write(path) as file:
        figure.savefig(file, format="png", metadata={"Software": None})


def draw_worst(clip: Motion, name: str, prior: str, path: str | Path, dpi: int = 80) -> None:
    """The frames in which the guided solver errs most: sequential IK, guided, and the truth."""
    points = clip.points()
    motions, errors = {}, {}
    methods = {"sik": fitting(solver("sik"), name), "guided": solver("guided", prior=prior)}
    for key, method in methods.items():
        motions[key] = method.prepare(clip.skeleton, rate=clip.rate).solve_clip(points).motion
        errors[key] = compare(motions[key], clip).position_per_frame
    chosen = worst_frames(errors["guided"], clip.rate)
    off = {key: 100.0 * float(error[chosen].mean()) for key, error in errors.items()}
    contact_sheet(
        [
            Panel(motion, title, points)
            for motion, title in (
                (clip, f"{name}: the truth"),
                (motions["guided"], f"guided, {off['guided']:.1f} % of height off"),
                (motions["sik"], f"sik, {off['sik']:.1f} % of height off"),
            )
        ],
        path,
        times=[frame / clip.rate for frame in chosen],
        dpi=dpi,
    )


def worst_frames(error: Any, rate: float) -> list[int]:
    """Frames with the largest errors (F,), not too near to each other, in order."""
    chosen: list[int] = []
    for frame in np.argsort(-error):
        if all(abs(int(frame) - other) > APART * rate for other in chosen):
            chosen.append(int(frame))
        if len(chosen) == WORST:
            break
    return sorted(chosen)
