"""What a law is: a function that tries a solver and raises `LawBroken` with what it found.

Here are the parts that laws of people and of skeletons share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias

import numpy as np

from ...body.skeleton import Skeleton
from ...kernels import arrays
from ...kernels.types import Floats
from ...motion.motion import Motion
from ...motion.points import Points
from ..base import Solver
from ..problem import LimitsChoice
from ..solution import Result
from ..tracker import Tracker

Law: TypeAlias = Callable[[Solver], None]

SEED = 20080408
SAME = 1e-6
"""Two answers that should be equal but for rounding differ by no more than this [rad] or [m]."""
NEARLY_SAME = 1e-5
"""The same where the input differs by rounding as well: some solvers compute in 32 bits [rad]."""
EQUAL = 1e-9
"""Residuals are those of forward kinematics, and quaternions have the length 1, up to this [m]."""


class LawBroken(AssertionError):
    """A solver does not keep a law."""


def hold(fact: bool | np.bool_, message: str) -> None:
    """Raise `LawBroken` unless something is so."""
    if not fact:
        raise LawBroken(message)


def laws_in(module: Mapping[str, Any], capability: str) -> dict[str, Law]:
    """Return the functions of a module whose names begin with ``law_``, by the rest of the name.

    They hold for solvers that declare a capability; others pass without being tried.
    """

    def where_capable(law: Law) -> Law:
        @wraps(law)
        def tried(solver: Solver) -> None:
            if getattr(solver.capabilities, capability):
                law(solver)

        return tried

    laws = {name.removeprefix("law_"): law for name, law in module.items() if name[:4] == "law_"}
    return {name: where_capable(law) for name, law in laws.items()}


def solve(
    solver: Solver, points: Points, skeleton: Skeleton, limits: LimitsChoice = None
) -> Result:
    """Return the answer of a fresh tracker to a clip."""
    return solver.prepare(skeleton, limits=limits, rate=points.rate).solve_clip(points)


def largest_turn(a: Floats, b: Floats) -> float:
    """Return the largest angle between rotations [rad]."""
    return float(arrays.angle_between(a, b).max())


def hold_residuals(result: Result, skeleton: Skeleton, points: Points, what: str) -> None:
    """Residuals are the distances of the answer's points from where they were seen."""
    nodes = [skeleton.articulation.node(name) for name in points.names]
    true = np.linalg.norm(result.motion.positions(nodes) - points.positions, axis=-1)
    known = np.isfinite(true)
    hold((np.isfinite(result.residuals) == known).all(), f"residuals of {what} are not known")
    gap = float(np.abs(true - result.residuals)[known].max(initial=0.0))
    hold(gap < EQUAL, f"residuals of {what} are wrong by {gap} m")


def hold_stream(tracker: Tracker, points: Points, whole: Motion, what: str) -> None:
    """Frames that a tracker is asked for one by one have the answers of a clip, bit for bit."""
    for f, frame in enumerate(points.positions):
        pose = tracker.solve(frame).pose
        same = np.array_equal(pose.rotations, whole.rotations[f])
        hold(same and np.array_equal(pose.root, whole.root[f]), f"frame {f} of {what} differs")


def hold_untouched(tracker: Tracker, frames: Floats) -> None:
    """Two frames that are given are not written to, and the first answer stays as it was."""
    before = frames.copy()
    first = tracker.solve(frames[0])
    kept = first.pose.rotations.copy(), first.residuals.copy()
    tracker.solve(frames[1])
    hold(np.array_equal(frames, before), "the input was written to")
    same = np.array_equal(first.pose.rotations, kept[0])
    hold(same and np.array_equal(first.residuals, kept[1]), "an earlier answer changed")
