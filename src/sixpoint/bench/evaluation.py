"""Reconstructs clips and compares them with the recording, by clip and by subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.comparison import Comparison
from ..motion.metrics import compare
from ..motion.motion import STRIPE, Motion
from ..motion.points import Points
from ..solvers import Result, Solver
from .published import paper_clip

KINDS = ("position", "orientation", "own")
"""Errors of subjects."""
ALL = "all"
"""The row of all subjects together."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One clip, reconstructed by one solver."""

    comparison: Comparison
    result: Result

    @property
    def row(self) -> dict[str, Any]:
        """Numbers for JSON."""
        found, report = self.comparison, self.result.report
        # Without the pelvis, which stands where it was seen.
        missed = self.result.residuals[:, 1:][~np.isnan(self.result.residuals[:, 1:])]
        return {
            "frames": report.frames,
            "position_rms": found.position_rms,
            "position_mean": found.position_mean,
            "orientation_rms": found.orientation_rms,
            "orientation_mean": found.orientation_mean,
            "orientation_rms_inner": found.orientation_rms_inner,
            "orientation_rms_own": found.orientation_rms_own,
            "jitter_ratio": found.jitter_ratio,
            "largest_step_deg": largest_step(self.result.motion),
            "steps_over_30deg": report.steps_over_30deg,
            "effector_mean_m": float(missed.mean()) if missed.size else 0.0,
            "effector_p99_m": float(np.percentile(missed, 99.0)) if missed.size else 0.0,
            "effector_max_m": float(missed.max()) if missed.size else 0.0,
            "elbow_mean_m": self._mean_of("elbow"),
            "knee_mean_m": self._mean_of("knee"),
            "limit_violations": report.limit_violations,
            "iterations": float(self.result.iterations.mean()),
            "median_us": report.median_us,
            "roles": found.as_dict()["roles"],
        }

    def _mean_of(self, joint: str) -> float:
        """Mean error of the left and the right one [m]."""
        return float(np.mean([self.comparison.roles[f"{side}_{joint}"].position for side in "lr"]))


def evaluate(solver: Solver, clip: Motion, points: Points | None = None) -> Evaluation:
    """Reconstruct a clip from its six points, or from others, and compare."""
    seen = clip.points() if points is None else points
    tracker = solver.prepare(clip.skeleton, rate=seen.rate, names=seen.names)
    result = tracker.solve_clip(seen)
    return Evaluation(compare(result.motion, clip), result)


def with_paper_weights(solver: Solver, clip: str) -> Solver:
    """Return the solver with the weights that the SIK paper uses for its clips; `guided` has none.

    Clips that are not the paper's leave the solver as it is.
    """
    paper = paper_clip(clip)
    if paper is None or solver.name == "guided":
        return solver
    return replace(solver, weights=paper.weights)  # type: ignore[call-arg]


def averages(
    rows: Sequence[Mapping[str, Any]], by: Sequence[str], pooled: bool = False
) -> list[dict[str, Any]]:
    """Merge rows that agree in some keys: means, and the largest of keys that say so.

    Every clip counts alike; or, `pooled`, every frame does, counts are added up, and percentiles,
    which cannot be put together, are None.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in by), []).append(row)
    out = []
    for group in groups.values():
        weights = [row["frames"] if pooled else 1 for row in group]
        merged: dict[str, Any] = {key: group[0][key] for key in by}
        for key, value in group[0].items():
            if key == "roles":
                merged[key] = _mean_roles([row[key] for row in group], weights)
            elif key not in by and isinstance(value, int | float):
                values = np.array([row[key] for row in group], np.float64)
                merged[key] = _merge(key, values, weights, pooled)
        out.append(merged)
    return out


def _merge(key: str, values: Floats, weights: Sequence[int], pooled: bool) -> float | None:
    if key.startswith("largest") or key.endswith("max_m"):
        return float(values.max())
    if pooled and "_p99" in key:
        return None
    if pooled and key in ("frames", "steps_over_30deg", "limit_violations"):
        return float(values.sum())
    if pooled and "_rms" in key:
        return float(np.sqrt(np.average(values**2, weights=weights)))
    return float(np.average(values, weights=weights))


def _mean_roles(rows: Sequence[Mapping[str, Any]], weights: Sequence[int]) -> dict[str, Any]:
    """Mean errors of each joint; None where some clip has none."""
    return {
        role: {
            kind: None
            if any(row[role][kind] is None for row in rows)
            else float(np.average([row[role][kind] for row in rows], weights=weights))
            for kind in rows[0][role]
        }
        for role in rows[0]
        if all(role in row for row in rows)
    }


def largest_step(motion: Motion) -> float:
    """Return the largest rotation of a joint from one frame to the next [deg]."""
    most = 0.0
    for f in range(0, len(motion) - 1, STRIPE):
        q = motion.rotations[f : f + STRIPE + 1]
        most = max(most, float(arrays.angle_between(q[:-1], q[1:]).max(initial=0.0)))
    return float(np.degrees(most))


def evaluate_subjects(
    solvers: Mapping[str, Solver],
    subjects: Mapping[str, Sequence[Motion]],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float]]:
    """Return errors of several solvers by subject, over all frames of each and of all together.

    Returns:
        Subject -> ``position_NAME``, ``orientation_NAME`` and ``own_NAME`` (of joints' own
        rotations alone) for each solver; the last row is "all".
    """
    curves: dict[tuple[str, str], list[tuple[Floats, ...]]] = {}
    total = len(subjects) * len(solvers)
    for subject, clips in subjects.items():
        for name, solver in solvers.items():
            for clip in clips:
                found = evaluate(solver, clip).comparison
                of_clip = (
                    found.position_per_frame,
                    found.orientation_per_frame,
                    found.orientation_own_per_frame,
                )
                for who in (subject, ALL):
                    curves.setdefault((who, name), []).append(of_clip)
            if progress is not None:
                progress(sum(1 for who, _ in curves if who != ALL), total)
    rows: dict[str, dict[str, float]] = {}
    for who in (*subjects, ALL):
        rows[who] = {}
        for name in solvers:
            for kind, pieces in zip(KINDS, zip(*curves[who, name], strict=True), strict=True):
                values = np.concatenate(pieces)
                rows[who][f"{kind}_{name}"] = float(np.sqrt(np.mean(values**2)))
    return rows
