"""Points that no subject can be fitted to: one message that names the likely mistake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..body.roles import ROLES
from ..errors import InputError
from ..kernels import arrays
from ..kernels.types import Floats
from ..motion.points import Points

SHORTEST = 1.0
"""Less than this is no recording [s]."""
NOT_UNIT = 0.05
"""Norms of quaternions that are farther than this from 1 belong to something else."""
SMALLEST, LARGEST = 0.2, 3.5
"""Usual size of the box around a person's points [m]."""
UPSIDE_DOWN = 0.1
"""Trackers that are usually this far above another one, but should be below, are swapped [m]."""
CROSSED = -0.7
"""Usual cosine of the angle between the lines from right to left of two pairs, below which one of
them is swapped."""
CROSSED_LEAST = 0.1
"""Lines that are shorter than this along the ground say nothing [m]."""
CROSSED_SHARE = 0.2
"""Part of the frames that must show both lines."""
ORDER = (("head", "pelvis"), ("pelvis", "l_ankle"), ("pelvis", "r_ankle"), ("head", "l_ankle"),
         ("head", "r_ankle"))  # fmt: skip
"""Points of which the first is usually above the second."""
TRUNK_PAIRS = ("hip", "shoulder")
"""Joints whose lines from right to left agree in motion; arms swing against the legs."""
PAIRS = (*TRUNK_PAIRS, "ankle", "wrist")
"""Joints whose lines agree in a stance."""


def check_points(points: Points) -> Points:
    """Return those of the points that are roles, after checks.

    Raises:
        InputError: they are too few or too short, their rotations are none, or they are swapped.
    """
    known = [name for name in points.names if name in ROLES]
    if not {"pelvis", "head"} & set(known):
        raise InputError(
            f"Expected a point named pelvis or head, got {', '.join(points.names) or 'none'}: "
            "without them nothing says where the body is."
        )
    if len(points) < SHORTEST * points.rate:
        raise InputError(
            f"Expected at least {SHORTEST:g} s of points, got {len(points) / points.rate:.2f} s."
        )
    for name in ("pelvis", "head"):
        if name in known and not points.seen[:, points.names.index(name)].any():
            raise InputError(f"Point {name!r} was not seen in any frame.")
    points = points.select(known)
    _check_rotations(points)
    _check_size(points)
    _check_order(points)
    check_sides(points, TRUNK_PAIRS)
    return points


def _check_rotations(points: Points) -> None:
    if points.rotations is None:
        return
    norms = np.linalg.norm(points.rotations, axis=-1)
    for k, name in enumerate(points.names):
        own = norms[np.isfinite(norms[:, k]), k]
        if len(own) and np.abs(own - 1.0).max() > NOT_UNIT:
            worst = own[np.argmax(np.abs(own - 1.0))]
            raise InputError(
                f"The rotations of {name!r} are no rotations: expected quaternions (w, x, y, z) of "
                f"length 1, got one of length {worst:.3g}."
            )


def _check_size(points: Points) -> None:
    low, high = np.nanmin(points.positions, axis=1), np.nanmax(points.positions, axis=1)
    size = _median_over(np.linalg.norm(high - low, axis=1))
    if size > LARGEST or (len(points.names) > 1 and size < SMALLEST):
        raise InputError(
            f"The points are {size:.3g} m apart most of the time, expected {SMALLEST} to {LARGEST} "
            "m: are they in another unit?"
        )


def _median_over(values: Floats) -> float:
    kept = values[np.isfinite(values)]
    return float(np.median(kept)) if len(kept) else np.nan


def _check_order(points: Points) -> None:
    at = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    for upper, lower in ORDER:
        if upper in at and lower in at:
            above = _median_over(at[upper][:, 1] - at[lower][:, 1])
            if above < -UPSIDE_DOWN:
                raise InputError(
                    f"{upper!r} is {-above:.2f} m below {lower!r} most of the time: are the two "
                    "swapped, or is another axis up?"
                )


def check_sides(points: Points, pairs: tuple[str, ...]) -> None:
    """Raise if the lines from right to left of two pairs disagree, by the median of cosines."""
    at = {name: points.positions[:, k] for k, name in enumerate(points.names)}
    lines = {}
    for joint in pairs:
        if f"l_{joint}" in at and f"r_{joint}" in at:
            line = at[f"l_{joint}"] - at[f"r_{joint}"]
            lines[joint] = line * (1.0, 0.0, 1.0)
    names = list(lines)
    for k, one in enumerate(names):
        for other in names[k + 1 :]:
            a, b = lines[one], lines[other]
            long = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
            kept = (long[0] > CROSSED_LEAST) & (long[1] > CROSSED_LEAST)
            if kept.mean() < CROSSED_SHARE:
                continue
            cosine = (a[kept] * b[kept]).sum(axis=1) / (long[0][kept] * long[1][kept])
            if float(np.median(cosine)) < CROSSED:
                raise InputError(
                    f"l_{other} and r_{other} lie the other way round than l_{one} and r_{one} "
                    "most of the time: are left and right swapped?"
                )


def with_rotations(points: Points) -> Points:
    """Return points with rotations of length 1, NaN where they are not known."""
    if points.rotations is None:
        unknown = np.full((*points.positions.shape[:2], 4), np.nan)
        return replace(points, rotations=unknown)
    return replace(points, rotations=arrays.normalize(points.rotations))


def known_rotations(points: Points) -> Floats:
    """Return the rotations (F, N, 4) of points that went through `with_rotations`."""
    assert points.rotations is not None
    return points.rotations
