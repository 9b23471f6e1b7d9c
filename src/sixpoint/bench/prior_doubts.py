"""Whether the guided solver knows when to doubt: confidence against errors, and wrong names.

A confidence that is honest falls where errors grow, and where points cannot be right: names that
are exchanged, another axis up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..kernels.types import Floats
from ..motion.metrics import compare
from ..motion.motion import Motion
from ..motion.points import SIX, Points
from ..priors.plausibility import MISTAKES, find_mistake
from ..solvers.guided import GuidedSolver, GuidedTracker

BINS = (0.0, 0.25, 0.5, 0.75, 0.999, 1.0)
"""Edges of the confidence, the last bin being full trust."""
LOW = 0.5
"""A frame of less confidence is doubted."""
NONE = "nothing is wrong"
PARTS = 2 + len(MISTAKES)
"""Steps of progress that this takes."""


def bench_doubts(
    method: GuidedSolver, clips: Mapping[str, Motion], step: Callable[[], None]
) -> dict[str, Any]:
    """Rows of both tables: `confidence` and `mistakes`."""
    rows = []
    for mistake in (None, *MISTAKES):
        trusts, named = [], 0
        for clip in clips.values():
            points = clip.points().select(SIX)
            if mistake is not None:
                points = replace(points, positions=mistake.made(points.positions))
            trusts.append(_solved(method, clip, points)[0])
            named += find_mistake(points, clip.skeleton, method.model)[0] is mistake
        trust = np.concatenate(trusts)
        rows.append(
            {
                "mistake": NONE if mistake is None else mistake.words,
                "confidence": float(trust.mean()),
                "doubted": float((trust < LOW).mean()),
                "named": named,
                "clips": len(clips),
            }
        )
        step()
    found = {"confidence": confidence_bins(method, clips), "mistakes": rows}
    step()
    return found


def confidence_bins(method: GuidedSolver, clips: Mapping[str, Motion]) -> list[dict[str, Any]]:
    """Mean error of the frames in which the solver was so confident."""
    trusts, errors = [], []
    for clip in clips.values():
        confidences, motion = _solved(method, clip, clip.points())
        trusts.append(confidences)
        errors.append(compare(motion, clip).position_per_frame)
    trust, error = np.concatenate(trusts), np.concatenate(errors)
    place = np.digitize(trust, BINS[1:-1])
    return [
        {
            "from": BINS[k],
            "to": BINS[k + 1],
            "frames": int((place == k).sum()),
            "position_mean": float(error[place == k].mean()) if (place == k).any() else None,
        }
        for k in range(len(BINS) - 1)
    ]


def _solved(method: GuidedSolver, clip: Motion, points: Points) -> tuple[Floats, Motion]:
    """Confidence of each frame, and what was found."""
    tracker = method.prepare(clip.skeleton, rate=points.rate)
    assert isinstance(tracker, GuidedTracker)
    motion = tracker.solve_clip(points).motion
    return tracker.confidences, motion
