"""What the guided solver makes of each set of points, and how honest its expected error is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import Points
from ..priors.point_sets import POINT_SETS, SEVENTEEN_JOINTS, PointSet
from ..solvers import solver

MEASURED = {**POINT_SETS, "17 joints": SEVENTEEN_JOINTS}
"""Sets of points that are measured."""
PROTOTYPE = {
    "six": 0.0118,
    "six, pelvis and head with rotations": 0.0083,
    "six with rotations": 0.0074,
    "head and hands": 0.073,
    "head and hands with rotations": 0.057,
    "head, hands, pelvis with rotations": 0.0225,
    "six and elbows": 0.0083,
    "six, elbows, knees": 0.0050,
    "11 points": 0.0032,
    "17 joints": 0.0006,
}
"""Position errors of the prototype that this model follows, without joint limits."""


def bench_point_sets(
    clips: Mapping[str, Motion], prior: str, step: Callable[[], None]
) -> list[dict[str, Any]]:
    """Measure the guided solver with each set of points; `step` is called after each clip.

    Errors are means over clips of the RMS over frames. ``expected_error_m`` is the mean of what the
    solver expects, ``correlation`` that of it and the true mean error of the joints over frames,
    and ``within`` the part of the frames whose error is within it. ``published`` is the error of
    a prototype without limits on subjects 2, 14, 49, 61, 86, 118 and 135 of the CMU database.
    """
    found: dict[str, list[tuple[float, float, Floats, Floats]]] = {name: [] for name in MEASURED}
    for clip in clips.values():
        for name, chosen in MEASURED.items():
            points = tracked(clip, chosen)
            method = solver("guided", prior=prior)
            tracker = method.prepare(clip.skeleton, rate=clip.rate, names=points.names)
            result = tracker.solve_clip(points)
            errors = compare(result.motion, clip)
            true = errors.position_per_frame * clip.skeleton.anatomy.height
            row = errors.position_rms, errors.orientation_rms, true, result.extras["expected_error"]
            found[name].append(row)
        step()
    rows = []
    for name, measured in found.items():
        happened, said = (np.concatenate([row[k] for row in measured]) for k in (2, 3))
        related = np.std(happened) > 0.0 and np.std(said) > 0.0
        rows.append(
            {
                "points": name,
                "position_rms": float(np.mean([row[0] for row in measured])),
                "published": PROTOTYPE.get(name),
                "orientation_rms": float(np.mean([row[1] for row in measured])),
                "error_m": float(happened.mean()),
                "expected_error_m": float(said.mean()),
                "correlation": float(np.corrcoef(happened, said)[0, 1]) if related else None,
                "within": float((happened <= said).mean()),
            }
        )
    return rows


def tracked(clip: Motion, chosen: PointSet) -> Points:
    """Return points of a clip, as far as it has them, with the rotations that are known."""
    names = tuple(name for name in chosen.points if name in clip.skeleton.anatomy.landmarks)
    points = clip.points(names, rotations=True)
    assert points.rotations is not None
    known = np.array([name in chosen.rotations for name in names])
    return replace(points, rotations=np.where(known[:, None], points.rotations, np.nan))
