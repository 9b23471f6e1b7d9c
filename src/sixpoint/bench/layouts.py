"""Arrays of joints in every layout, made from clips, read back and reconstructed.

The array is what a perfect pose estimator would see. Axes and unit are said, so that errors are
those of places; whether they would have been found is counted apart (`axes_found`). Landmarks that
are no joints lie where they lie on the built-in figure, so that their geometry is known exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import numpy as np

from ..errors import InputError
from ..formats import points_from_array
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import Solver
from ..subjects import LAYOUTS, Layout, layout_positions, measured_skeleton
from ..subjects.layouts import LIMB_BONES
from . import experiment as ex

USUAL = ["guided", "pik"]
"""Solvers that are measured if no others are named."""
SAME_PLACE = 0.01
"""Points that are no farther from each other are the same, but for a turn of the room [m]."""
RATE = 30.0
"""Frames a second of the arrays, as pose estimators give them [Hz]."""
QUICK_FRAMES, QUICK_CLIPS = 60, 2
"""Frames of a clip and number of clips with `--quick`."""


def bench_layouts(
    clips: Mapping[str, Motion],
    solvers: Sequence[str] | None = None,
    noise: float = 0.0,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure every layout on every clip.

    Args:
        clips: motions of people by name.
        solvers: keys of `SOLVERS`; default `USUAL`.
        noise: standard deviation that is added to each coordinate [mm].
        quick: fewer clips and frames.
        progress: called with parts done and their total.

    Returns:
        `points`, a row for each layout: how far points and bone lengths are from those of the clip;
        and `bodies`, a row for each layout and solver: how far the joints of the answer are.
    """
    chosen = ex.choose_solvers(USUAL if solvers is None else solvers)
    names = list(clips)[:QUICK_CLIPS] if quick else list(clips)
    step = ex.counted(progress, len(LAYOUTS) * len(names))
    points_rows, body_rows = list[ex.Row](), list[ex.Row]()
    for layout in LAYOUTS.values():
        seen, solved = list[dict[str, Any]](), {each.name: list[Any]() for each in chosen}
        for name in names:
            clip = clips[name].resampled(min(RATE, clips[name].rate))
            clip = ex.excerpt(clip, QUICK_FRAMES) if quick else clip
            values = layout_positions(clip, layout)
            values = values + np.random.default_rng(ex.SEED).normal(
                scale=max(1e-3 * noise, 1e-12), size=values.shape
            )
            points = points_from_array(values, layout.name, rate=clip.rate, up="y", unit="m").points
            body = measured_skeleton(points)
            seen.append(
                _points_errors(points, clip, layout)
                | _length_errors(body, clip)
                | {"axes_found": _axes_found(values, layout, points)}
            )
            for each in chosen:
                tracker = each.prepare(body, rate=clip.rate, names=points.names)
                made = tracker.solve_clip(points).motion
                solved[each.name].append(_joint_errors(made, clip, layout))
            step()
        points_rows.append({"layout": layout.name, "clips": len(names)} | _mean(seen))
        body_rows += [
            {"layout": layout.name, "solver": name} | _mean(rows) for name, rows in solved.items()
        ]
    return {"noise_mm": noise, "clips": names, "points": points_rows, "bodies": body_rows}


def _points_errors(points: Points, clip: Motion, layout: Layout) -> dict[str, float]:
    """Return how far points are from the clip [mm] and how far rotations are [degrees]."""
    names = [name for name in points.names if clip.skeleton.anatomy.has(name)]
    found, truth = points.select(names), clip.points(names, rotations=True)
    away = 1e3 * np.linalg.norm(found.positions - truth.positions, axis=2)
    own = np.array([name in layout.landmarks for name in names])
    at = {name: float(np.nanmean(away[:, k])) for k, name in enumerate(names)}
    turned = np.full(away.shape, np.nan)
    if found.rotations is not None and truth.rotations is not None:
        turned = np.degrees(arrays.angle_between(found.rotations, truth.rotations))
    known = turned[np.isfinite(turned)]
    return {
        "joints_mm": float(np.nanmean(away[:, own])),
        "pelvis_mm": at["pelvis"],
        "head_mm": at["head"],
        "rotation_deg": float(known.mean()) if known.size else float("nan"),
    }


def _axes_found(values: Floats, layout: Layout, points: Points) -> float:
    """Return 1 where unit, upward axis and handedness are found if nothing is said of them, else 0.

    The array is given in millimetres, Z up and left-handed: Y and Z are exchanged.
    """
    try:
        found = points_from_array(1e3 * values[..., [0, 2, 1]], layout.name, rate=points.rate)
    except InputError:
        return 0.0
    here, there = (each.positions[points.seen] for each in (points, found.points))
    a, b = (each - each.mean(axis=0) for each in (here, there))
    turn, _ = arrays.best_rotation(a.T @ b)
    away = np.linalg.norm(arrays.rotate(turn, a) - b, axis=1)
    return float(max(away.max(), np.abs(a[:, 1] - b[:, 1]).max()) < SAME_PLACE)


def _length_errors(body: Any, clip: Motion) -> dict[str, float]:
    """Return how far the lengths of arm and leg bones are from those of the clip [%]."""
    mine, theirs = body.anatomy, clip.skeleton.anatomy

    def length(anatomy: Any, side: str, ends: tuple[str, str]) -> float:
        start, end = (anatomy.node(f"{side}_{joint}") for joint in ends)
        return float(np.linalg.norm(anatomy.vector(start, end)))

    off = [
        abs(length(mine, side, ends) / length(theirs, side, ends) - 1.0)
        for ends in LIMB_BONES.values()
        for side in "lr"
    ]
    return {"lengths_percent": 100.0 * float(np.mean(off))}


def _joint_errors(made: Motion, clip: Motion, layout: Layout) -> dict[str, float]:
    """Return how far joints of the answer are from those of the clip, mean over frames [mm]."""
    mine, theirs = made.skeleton.anatomy, clip.skeleton.anatomy
    roles = [role for role in theirs.roles.nodes if mine.has(role)]
    away = 1e3 * np.linalg.norm(
        made.positions([mine.node(role) for role in roles])
        - clip.positions([theirs.node(role) for role in roles]),
        axis=2,
    )
    own = np.array([role in layout.landmarks for role in roles])
    return {"layout_joints_mm": float(away[:, own].mean()), "all_joints_mm": float(away.mean())}


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float | None]:
    """Return the mean over clips of each number; None where it is unknown."""
    table: dict[str, Floats] = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    return {
        key: float(values.mean()) if np.isfinite(values).all() else None
        for key, values in table.items()
    }


def _show(found: ex.Measurements) -> Iterator[ex.Table | ex.Facts]:
    keys = "layout clips joints_mm:.1f pelvis_mm:.1f head_mm:.1f rotation_deg:.1f "
    keys += "lengths_percent:.1f axes_found:.1%"
    yield ex.table("points and bodies from arrays", keys, found["points"])
    keys = "layout solver layout_joints_mm:.1f all_joints_mm:.1f"
    yield ex.table("joints of the reconstruction", keys, found["bodies"])


def _solvers(options: Mapping[str, Any]) -> list[Solver]:
    return ex.choose_solvers(options["solvers"])


EXPERIMENT = ex.Experiment(
    about="Arrays of joints in each layout are made from clips, read back and reconstructed on the "
    "body that they show: how far points, bone lengths and joints are from those of the clip.",
    options=(
        ex.DATA_OPTION,
        ex.solvers_option("guided,pik"),
        click.Option(["--noise"], type=click.FloatRange(0.0), default=0.0, show_default=True,
                     metavar="MM", help="Noise of each coordinate, standard deviation."),
    ),
    solvers=_solvers,
    inputs=ex.read_clips,
    run=bench_layouts,
    show=_show,
    output_help="Also write layouts.json there.",
)  # fmt: skip
