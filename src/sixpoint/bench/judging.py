"""How well solvers do on clips, by clip and by subject, in the measures of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.comparison import Comparison
from ..motion.metrics import compare
from ..motion.motion import STRIPE, Motion
from ..motion.points import Points
from ..solvers import Result, Solver

ALL = "all"
"""The row of all subjects together."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One clip, reconstructed by one solver."""

    comparison: Comparison
    result: Result

    @property
    def row(self) -> dict[str, Any]:
        """Numbers for JSON."""
        found, report = self.comparison, self.result.report
        # The five points that the body is fixed by when the pelvis stands where it was seen.
        missed = self.result.residuals[:, 1:][~np.isnan(self.result.residuals[:, 1:])]
        return {
            "frames": report.frames,
            "position_rms": found.position_rms,
            "position_mean": found.position_mean,
            "orientation_rms": found.orientation_rms,
            "orientation_mean": found.orientation_mean,
            "orientation_rms_inner": found.orientation_rms_inner,
            "jitter_ratio": found.jitter_ratio,
            "largest_step_deg": largest_step(self.result.motion),
            "steps_over_30deg": report.steps_over_30deg,
            "effector_mean_m": float(missed.mean()) if missed.size else 0.0,
            "effector_p99_m": float(np.percentile(missed, 99.0)) if missed.size else 0.0,
            "effector_max_m": float(missed.max()) if missed.size else 0.0,
            "limit_violations": report.limit_violations,
            "median_us": report.median_us,
            "roles": found.as_dict()["roles"],
        }


def judge(solver: Solver, clip: Motion, points: Points | None = None) -> Judged:
    """Reconstruct a clip from its six points, or from others, and compare."""
    seen = clip.points() if points is None else points
    tracker = solver.prepare(clip.skeleton, rate=seen.rate, names=seen.names)
    result = tracker.solve_clip(seen)
    return Judged(compare(result.motion, clip), result)


def largest_step(motion: Motion) -> float:
    """Largest turn of a joint from one frame to the next [deg]."""
    most = 0.0
    for f in range(0, len(motion) - 1, STRIPE):
        q = motion.rotations[f : f + STRIPE + 1]
        most = max(most, float(arrays.angle_between(q[:-1], q[1:]).max(initial=0.0)))
    return float(np.degrees(most))


def judge_subjects(
    solvers: Mapping[str, Solver],
    subjects: Mapping[str, Sequence[Motion]],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float]]:
    """Errors of several solvers by subject, over all frames of each, and over all together.

    Returns:
        Subject -> ``position_NAME`` and ``orientation_NAME`` for each solver; the last row is
        "all".
    """
    curves: dict[tuple[str, str], list[tuple[Floats, Floats]]] = {}
    total = len(subjects) * len(solvers)
    for subject, clips in subjects.items():
        for name, solver in solvers.items():
            for clip in clips:
                found = judge(solver, clip).comparison
                pair = (found.position_per_frame, found.orientation_per_frame)
                for who in (subject, ALL):
                    curves.setdefault((who, name), []).append(pair)
            if progress is not None:
                progress(sum(1 for who, _ in curves if who != ALL), total)
    rows: dict[str, dict[str, float]] = {}
    for who in (*subjects, ALL):
        rows[who] = {}
        for name in solvers:
            pairs = curves[who, name]
            for kind, place in (("position", 0), ("orientation", 1)):
                values = np.concatenate([pair[place] for pair in pairs])
                rows[who][f"{kind}_{name}"] = float(np.sqrt(np.mean(values**2)))
    return rows
