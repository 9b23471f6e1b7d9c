"""What a prior gains and what it costs: sequential IK with and without, on clips and under stress.

Each clip is reconstructed by plain sequential IK, by the guided solver, and by variants of it that
leave something out; clips of one person are taken together as well. Then points are made worse:
noise, drop-outs, a body with wrong limb lengths (X8). The solver's own confidence is held against
its errors and against wrong names (`prior_doubts`). Last, other solvers get something of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..body.skeleton import Skeleton
from ..errors import InputError
from ..formats.clip_folders import subject_name
from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import Points
from ..solvers import Solver, solver
from ..solvers.guided import GuidedSolver
from .judging import ALL, averages, fitting, judge
from .prior_doubts import PARTS, bench_doubts
from .prior_others import bench_others, other_solvers
from .progress import Progress, counted
from .speed import machine

SEED = 20080408
NOISE = (0.0, 0.002, 0.005, 0.010, 0.020, 0.030)
"""White noise on every coordinate of the points [m]."""
LOST = (0.0, 0.05, 0.1, 0.2)
"""Part of the time in which each point is not seen."""
GAP = 0.3
"""Mean length of a drop-out [s]."""
LENGTHS = (-0.10, -0.05, 0.0, 0.05, 0.10)
"""Errors of the limbs' lengths."""
STRESSED = ("sik", "guided", "guided, then pik")
"""Of the solvers below."""
QUICK_FRAMES = 240


def variants(prior: str = "") -> dict[str, Solver]:
    """Solvers that are compared on clips."""
    return {
        "sik": solver("sik"),
        "sik, swivel search": solver("sik", swivel="search"),
        "guided": solver("guided", prior=prior),
        "guided, half trust": solver("guided", prior=prior, trust=0.5),
        "guided, no filter": solver("guided", prior=prior, cutoff=0.0),
        "guided, neutral hands and feet": solver("guided", prior=prior, ends="neutral"),
        "guided, then pik": solver("pik", start="guided", prior=prior),
        "tgbsik": solver("tgbsik"),
    }


def bench_prior(
    clips: Mapping[str, Motion],
    *,
    people: Mapping[str, Sequence[Motion]] | None = None,
    prior: str = "",
    quick: bool = False,
    seed: int = SEED,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure.

    Args:
        clips: name -> motion; the paper's clips get its weights for plain sequential IK. Those
            whose names agree up to the first underscore are of one person.
        people: name -> motions of people whom the prior was not fitted to, for a table of them.
        prior: file of a model; empty for the built-in one.
        quick: at most 240 frames of each clip and fewer stresses; the same keys.
        seed: of noise and drop-outs.
        progress: called with rows done and their total.

    Returns:
        Numbers for JSON.
    """
    if not clips:
        raise InputError("Expected at least one clip, got none.")
    chosen = {name: _excerpt(clip) if quick else clip for name, clip in clips.items()}
    solvers = variants(prior)
    stressed = {name: solvers[name] for name in STRESSED}
    levels = {
        "noise_m": NOISE[::3] if quick else NOISE,
        "lost": LOST[::3] if quick else LOST,
        "lengths": LENGTHS[::2] if quick else LENGTHS,
    }
    aside = {
        f"{name}_{k + 1}": _excerpt(clip) if quick else clip
        for name, motions in (people or {}).items()
        for k, clip in enumerate(motions[:1] if quick else motions)
    }
    followers = other_solvers(prior, quick)
    total = (
        (len(chosen) + len(aside)) * len(solvers)
        + len(stressed) * sum(map(len, levels.values()))
        + len(chosen) * len(followers)
        + PARTS
    )
    step = counted(progress, total)
    rows = _rows(chosen, solvers, step)
    stresses = []
    for kind, values in levels.items():
        for value in values:
            for name, method in stressed.items():
                found = [
                    _stressed(fitting(method, key), clip, kind, value, seed + k)
                    for k, (key, clip) in enumerate(chosen.items())
                ]
                position, orientation = np.mean(found, axis=0)
                stresses.append(
                    {"stress": kind, "level": value, "solver": name,
                     "position_rms": float(position), "orientation_rms": float(orientation)}
                )  # fmt: skip
                step()
    return {
        "bench": "prior",
        "quick": quick,
        "seed": seed,
        "prior": prior or "built-in",
        "rows": rows,
        "subjects": averages(rows, ("subject", "solver"), pooled=True),
        "averages": averages(rows, ("solver",)),
        "kept_aside": _by_person(_rows(aside, solvers, step)),
        "stresses": stresses,
        **bench_doubts(GuidedSolver(prior=prior), chosen, step),
        "others": bench_others(chosen, followers, step),
        "machine": machine(),
    }


def _rows(
    clips: Mapping[str, Motion], solvers: Mapping[str, Solver], step: Callable[[], None]
) -> list[dict[str, Any]]:
    rows = []
    for clip_name, clip in clips.items():
        for name, method in solvers.items():
            row = judge(fitting(method, clip_name), clip).row
            subject = subject_name(Path(clip_name))
            rows.append({"clip": clip_name, "subject": subject, "solver": name, **row})
            step()
    return rows


def _by_person(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of each person, and of all together."""
    everybody = averages([{**row, "subject": ALL} for row in rows], ("subject", "solver"), True)
    return averages(rows, ("subject", "solver"), True) + everybody


def _excerpt(clip: Motion) -> Motion:
    start = max(0, (len(clip) - QUICK_FRAMES) // 2)
    return clip.frames(slice(start, start + QUICK_FRAMES))


def _stressed(
    method: Solver, clip: Motion, kind: str, level: float, seed: int
) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    points, skeleton = clip.points(), clip.skeleton
    if kind == "noise_m":
        points = noisy(points, level, rng)
    elif kind == "lost":
        points = with_gaps(points, level, rng)
    else:
        skeleton = with_limbs(skeleton, 1.0 + level)
    result = method.prepare(skeleton, rate=points.rate).solve_clip(points)
    found = compare(result.motion, clip)
    return found.position_rms, found.orientation_rms


def noisy(points: Points, level: float, rng: np.random.Generator) -> Points:
    """White noise on every coordinate [m]."""
    noise = level * rng.normal(size=points.positions.shape)
    return replace(points, positions=points.positions + noise)


def with_gaps(points: Points, lost: float, rng: np.random.Generator) -> Points:
    """Drop-outs of each point, lost so much of the time; their lengths are exponential."""
    if lost <= 0.0:
        return points
    positions: Floats = points.positions.copy()
    for p in range(positions.shape[1]):
        frame = 0.0
        while frame < len(positions):
            seen = rng.exponential(GAP * (1.0 - lost) / lost) * points.rate
            gap = rng.exponential(GAP) * points.rate
            positions[int(frame + seen) : int(frame + seen + gap), p] = np.nan
            frame += seen + gap + 1.0
    return replace(points, positions=positions)


def with_limbs(skeleton: Skeleton, factor: float) -> Skeleton:
    """The same body with longer or shorter upper and lower arms and legs."""
    anatomy = skeleton.anatomy
    offsets = np.array(skeleton.offsets)
    for side in "lr":
        for top, *below in (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle")):
            path = skeleton.path(anatomy.node(f"{side}_{below[-1]}"))
            after = path[path.index(anatomy.node(f"{side}_{top}")) + 1 :]
            offsets[[node for node in after if node < skeleton.joint_count]] *= factor
    return replace(skeleton, offsets=offsets)
