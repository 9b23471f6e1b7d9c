"""Points of somebody whose feet were never tracked: they stand where they stood at first."""

from __future__ import annotations

import numpy as np

from ..body.skeleton import Skeleton
from ..kernels import arrays
from ..kernels.types import Floats
from .points import SIX, Points

Y = np.array([0.0, 1.0, 0.0])


def stand_still(points: Points, skeleton: Skeleton) -> tuple[Points, tuple[str, ...]]:
    """Give points that lack them, or never saw them, the ankles of the neutral stance.

    Feet stand below the first place where pelvis or head was seen, turned as the line between the
    wrists was then, and do not move any more. A pelvis that was never tracked becomes NaN: solvers
    guess it from the head.

    Returns:
        The points, and a note on what was done; none if nothing was.
    """
    given = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    never = [name for name in SIX if name not in given or np.isnan(given[name]).any(axis=1).all()]
    if not never:
        return points, ()
    anatomy = skeleton.anatomy
    nothing = np.full((len(points), 3), np.nan)
    ankles = [name for name in ("l_ankle", "r_ankle") if name in never]
    notes = []
    if ankles:
        rest = {role: anatomy.positions[anatomy.node(role)] for role in SIX}
        anchor = next((r for r in ("pelvis", "head") if r not in never), None)
        if anchor is not None:
            first = given[anchor][np.isfinite(given[anchor]).all(axis=1)][0]
            turn = _facing(given, never)
            for ankle in ankles:
                place = first + arrays.rotate(turn, rest[ankle] - rest[anchor])
                place[1] = _ankle_height(skeleton)
                given[ankle] = np.tile(place, (len(points), 1))
            notes.append(
                f"{' and '.join(ankles)} never tracked: the feet are kept where they stood"
            )
    for name in never:
        given.setdefault(name, nothing)
    return _with(points, given), tuple(notes)


def with_unseen(points: Points) -> Points:
    """Points with those of the six that are absent, never seen."""
    given = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    for name in SIX:
        given.setdefault(name, np.full((len(points), 3), np.nan))
    return _with(points, given)


def _with(points: Points, given: dict[str, Floats]) -> Points:
    """Points with other places, and more of them at the end."""
    extra = [name for name in given if name not in points.names]
    confidence = points.confidence
    if confidence is not None:
        confidence = np.concatenate([confidence, np.zeros((len(points), len(extra)))], axis=1)
    rotations = points.rotations
    if rotations is not None:
        more = np.full((len(points), len(extra), 4), np.nan)
        rotations = np.concatenate([rotations, more], axis=1)
    positions = np.stack(list(given.values()), axis=1)
    return Points(tuple(given), positions, points.rate, rotations, confidence)


def _facing(given: dict[str, Floats], never: list[str]) -> Floats:
    """Turn about the vertical that takes +X to the horizontal line between the wrists at first."""
    if "l_wrist" in never or "r_wrist" in never:
        return arrays.identity()
    line = given["l_wrist"] - given["r_wrist"]
    seen = line[np.isfinite(line).all(axis=1)]
    if not len(seen) or np.hypot(seen[0, 0], seen[0, 2]) < 0.05:
        return arrays.identity()
    return arrays.from_axis_angle(Y, -float(np.arctan2(seen[0, 2], seen[0, 0])))


def _ankle_height(skeleton: Skeleton) -> float:
    """Height of the ankles above the soles [m]."""
    anatomy = skeleton.anatomy
    ankle = float(anatomy.positions[anatomy.node("l_ankle")][1])
    return max(ankle - float(anatomy.positions[:, 1].min()), 0.02 * anatomy.stature)
