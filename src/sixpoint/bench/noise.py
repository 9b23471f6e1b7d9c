"""What cleaning gains: noise, drop-outs and outliers of tracked points, and what is left of them.

Each clip is reconstructed from its own points, from the same with white noise, from those after
cleaning, and from those after the filter for live use. Then points vanish for a while and come
back, and stray samples are mixed in. The steps of joints in the frames in which a point comes back
are compared with those of the clip in which none vanished.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import click
import numpy as np

from ..api import reconstruct
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Bools, Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import Solver, solver
from ..subjects.cleaning import Cleaning, clean_as
from ..subjects.outliers import find_outliers
from ..subjects.smoothing import OneEuroFilter
from . import experiment as ex
from .prior import noisy

LEVELS = (0.0, 0.001, 0.003, 0.006)
"""White noise on every coordinate [m]."""
QUICK_LEVELS = (0.003,)
INPUTS = ("raw", "cleaned", "live")
"""Points with noise as they are, after cleaning, and after the one-euro filter."""
LOST = 0.05
"""Part of the time in which each point is not seen."""
GAPS = (0.1, 1.0)
"""Shortest and longest time in which a point is not seen at a time [s]."""
REENTRY = 0.1
"""For so long after a point comes back the steps of joints count as those of its return [s]."""
LARGE_STEP = 30.0
"""Steps above this are counted [degrees]."""
STRAY = 0.01
"""Part of the frames in which each point is somewhere else."""
STRAY_DISTANCE = 0.5
"""Standard deviation of how far, along each axis [m]."""
STRAY_FRAMES = 3
"""Longest stay there."""
LONGEST_LAG = 0.2
"""Longest delay that is looked for [s]."""
QUICK_FRAMES = 240


def bench_noise(
    clips: Mapping[str, Motion],
    *,
    method: Solver,
    quick: bool = False,
    progress: ex.Progress = None,
) -> ex.Measurements:
    """Measure what noise, drop-outs and stray samples do, and what cleaning makes of them."""
    if not clips:
        raise InputError("Expected at least one clip, got none.")
    levels = QUICK_LEVELS if quick else LEVELS
    rows: list[dict[str, Any]] = []
    gaps, strays = [], []
    step = ex.counted(progress, len(clips))
    for name, whole in clips.items():
        clip = ex.excerpt(whole, QUICK_FRAMES) if quick else whole
        rng = np.random.default_rng(ex.SEED)
        tracker = method.prepare(clip.skeleton, rate=clip.rate)
        clean = tracker.solve_clip(clip.points()).motion
        base = compare(clean, clip)
        for level in levels:
            trembling = noisy(clip.points(), level, rng)
            for kind in INPUTS:
                given = _input(kind, trembling, clip, level)
                found = compare(tracker.solve_clip(given).motion, clip)
                rows.append(
                    {
                        "clip": name,
                        "frames": len(clip),
                        "noise_m": level,
                        "input": kind,
                        "position_rms": found.position_rms,
                        "position_ratio": found.position_rms / base.position_rms,
                        "orientation_rms": found.orientation_rms,
                        "jitter_ratio": found.jitter_ratio,
                        "jitter_clean": base.jitter_ratio,
                        "points_mm": 1e3 * _distance(given, clip.points()),
                        "lag_ms": 1e3 * lag_of(given.positions, clip.points().positions, clip.rate),
                    }
                )
        gaps.append({"clip": name} | _gaps(method, clip, clean, rng))
        strays.append({"clip": name} | _strays(clip, rng))
        step()
    averages = [
        _averaged([r for r in rows if (r["noise_m"], r["input"]) == (level, kind)])
        for level in levels
        for kind in INPUTS
    ]
    return {
        "solver": method.name,
        "clips": len(clips),
        "rows": rows,
        "averages": averages,
        "drop_outs": gaps,
        "stray_samples": strays,
    }


def with_drop_outs(points: Points, rng: np.random.Generator) -> Points:
    """Return the points, each not seen for `LOST` of the time, `GAPS` seconds at a time."""
    positions = points.positions.copy()
    for k in range(positions.shape[1]):
        frame = 0.0
        while frame < len(positions):
            gap = rng.uniform(*GAPS)
            frame += rng.exponential(np.mean(GAPS) * (1.0 - LOST) / LOST) * points.rate
            # The first frame is seen: a body must have somewhere to begin.
            start, stop = max(1, round(frame)), round(frame + gap * points.rate)
            positions[start:stop, k] = np.nan
            frame = stop + 1.0
    return replace(points, positions=positions)


def lag_of(given: Floats, true: Floats, rate: float) -> float:
    """Return the delay after which given positions (F, N, 3) fit the true ones best [s]."""
    most = min(round(LONGEST_LAG * rate), len(true) // 2)
    errors = np.array(
        [np.nanmean((given[k:] - true[: len(true) - k]) ** 2) for k in range(most + 1)]
    )
    best = int(np.argmin(errors))
    if 0 < best < most:  # the parabola through three delays has its least value between them
        left, middle, right = errors[best - 1 : best + 2]
        best_at = best + 0.5 * (left - right) / max(left - 2.0 * middle + right, 1e-300)
        return float(best_at / rate)
    return best / rate


def _input(kind: str, points: Points, clip: Motion, level: float) -> Points:
    if kind == "cleaned":
        return clean_as(points, Cleaning(), clip.skeleton).points
    if kind == "raw" or level == 0.0:
        return points
    live = OneEuroFilter(points.rate, noise=level)
    return replace(points, positions=np.array([live.step(frame) for frame in points.positions]))


def _distance(given: Points, true: Points) -> float:
    away = np.linalg.norm(given.positions - true.positions, axis=-1)
    return float(np.sqrt(np.nanmean(away**2)))


def _gaps(method: Solver, clip: Motion, clean: Motion, rng: np.random.Generator) -> dict[str, Any]:
    """Return what drop-outs do to a clip, and to the steps of joints when points come back."""
    points = with_drop_outs(clip.points(), rng)
    back = returns(points)
    out: dict[str, Any] = {
        "frames": len(clip),
        "returns": int((points.seen[1:] & ~points.seen[:-1]).sum()),
        "largest_step_clean_deg": float(_steps(clean)[back].max(initial=0.0)),
    }
    for name, bridge in (("", False), ("_bridged", True)):
        motion = reconstruct(points, clip.skeleton, method, bridge_gaps=bridge).motion
        steps = _steps(motion)[back]
        found = compare(motion, clip)
        out |= {
            f"position_rms{name}": found.position_rms,
            f"orientation_rms{name}": found.orientation_rms,
            f"largest_step_deg{name}": float(steps.max(initial=0.0)),
            f"steps_over_30deg{name}": int((steps > LARGE_STEP).sum()),
        }
    return out


def returns(points: Points) -> Bools:
    """Return which steps between frames lie within `REENTRY` after a point came back, (F-1,)."""
    came = (points.seen[1:] & ~points.seen[:-1]).any(axis=1)
    length = max(1, round(REENTRY * points.rate))
    return np.convolve(came, np.ones(length), mode="full")[: len(came)] > 0.0


def _steps(motion: Motion) -> Floats:
    """Return the largest rotation of a joint in each step between frames [deg], shape (F-1,)."""
    turned = arrays.angle_between(motion.rotations[:-1], motion.rotations[1:])
    return np.asarray(np.degrees(turned.max(axis=1, initial=0.0)))


def _strays(clip: Motion, rng: np.random.Generator) -> dict[str, Any]:
    """Return how many stray samples are recognised, and how many others are taken for such."""
    points = clip.points()
    before = find_outliers(points)
    positions, stray = points.positions.copy(), np.zeros(points.seen.shape, bool)
    for k in range(positions.shape[1]):
        for start in np.flatnonzero(rng.random(len(points)) < STRAY / STRAY_FRAMES):
            stop = start + 1 + int(rng.integers(STRAY_FRAMES))
            positions[start:stop, k] += STRAY_DISTANCE * rng.normal(size=3)
            stray[start:stop, k] = True
    found = find_outliers(replace(points, positions=positions))
    return {
        "frames": len(clip),
        "outliers_in_clip": int(before.sum()),
        "stray": int(stray.sum()),
        "recognised": int((found & stray).sum()),
        "wrongly": int((found & ~stray & ~before).sum()),
    }


def _averaged(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return means over clips, and the largest of the ratios."""
    keys = [key for key, value in rows[0].items() if isinstance(value, float)]
    out: dict[str, Any] = {key: float(np.mean([row[key] for row in rows])) for key in keys}
    weights = np.array([row["frames"] for row in rows], np.float64)
    out["position_rms_pooled"] = math.sqrt(
        float(np.average([row["position_rms"] ** 2 for row in rows], weights=weights))
    )
    out["jitter_ratio_largest"] = max(row["jitter_ratio"] for row in rows)
    out["position_ratio_largest"] = max(row["position_ratio"] for row in rows)
    return out | {"noise_m": rows[0]["noise_m"], "input": rows[0]["input"]}


def _show(found: ex.Measurements) -> Iterator[ex.Table]:
    keys = "input points_mm:.2f position_rms:.4f position_ratio:.2f position_ratio_largest:.2f "
    keys += "orientation_rms:.3f jitter_ratio:.2f jitter_ratio_largest:.2f jitter_clean:.2f "
    keys += "lag_ms:.1f"
    title = f"White noise, {found['solver']}, means over {found['clips']} clips"
    yield ex.table(title, f"noise_m:g {keys}", found["averages"])
    keys = "clip returns position_rms:.4f position_rms_bridged:.4f largest_step_clean_deg:.1f "
    keys += "largest_step_deg:.1f largest_step_deg_bridged:.1f steps_over_30deg_bridged "
    yield ex.table(
        f"Each point not seen for {LOST:.0%} of the time, {GAPS[0]:g} to {GAPS[1]:g} s at a time",
        keys + "steps_over_30deg",
        found["drop_outs"],
    )
    keys = "clip frames outliers_in_clip stray recognised wrongly"
    yield ex.table(f"Stray samples in {STRAY:.0%} of the time", keys, found["stray_samples"])


def _inputs(options: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    given, notes = ex.read_clips(options)
    return given | {"method": solver(given.pop("solver"))}, notes


EXPERIMENT = ex.Experiment(
    about="""White noise on the points with and without cleaning, offline and live; points that
vanish for 0.1 to 1 s; stray samples. Jitter is that of the reconstruction over the person's own.

\b
sixpoint bench noise --data CMU -o noise""",
    options=(
        ex.DATA_OPTION,
        click.Option(["--solver"], default="guided", show_default=True, metavar="NAME",
                     help="Which solver; see `sixpoint solvers`."),
    ),
    solvers=lambda options: [options["method"] if "method" in options
                             else solver(options["solver"])],
    inputs=_inputs,
    run=bench_noise,
    show=_show,
    output_help="Also write noise.json there.",
)  # fmt: skip
