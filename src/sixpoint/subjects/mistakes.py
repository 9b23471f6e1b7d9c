"""Tracked points that cannot be those of one person in space: what was probably done wrong."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ..errors import InputError
from ..motion.points import SIX, Points
from .aliases import point_name
from .outliers import find_exchange

FEWEST_FRAMES = 10
"""In fewer frames a point may well stand still."""
PIXELS = 20.0
"""Flat coordinates that span more than this are pixels."""
SECOND_PERSON = 4
"""As many roles as this must be there twice to make a second person."""
JUMPY = 0.2
"""Of one person fewer samples than this part are stray."""
STANDING = ("l_ankle", "r_ankle")
"""Points that may stay where they are for a whole clip."""


def refuse_mistakes(points: Points) -> None:
    """Refuse points that cannot be those of one person in space.

    Raises:
        InputError: the points are flat (image coordinates), a column is constant, two people share
            the points without labels. The message names the likely mistake.
    """
    if not points.seen.any():
        return
    _refuse_flat(points)
    _refuse_two_people(points)
    _refuse_constant(points)


def refuse_jumps(points: Points, stray: int) -> None:
    """Refuse points of which many samples are stray, or of which two are exchanged on the way.

    Args:
        points: in metres, as they came.
        stray: number of samples that no body can have made.

    Raises:
        InputError: says what was probably mixed up, and where.
    """
    seen = int(points.seen.sum())
    if stray > JUMPY * seen:
        raise InputError(
            f"{stray / seen:.0%} of all samples are where no body can have got in that time: two "
            "people in one file without labels (as in 'anna:head'), rows of several trackers mixed "
            "up, or a wrong rate or unit."
        )
    exchange = find_exchange(points)
    if exchange is not None:
        one, other, frame = exchange
        raise InputError(
            f"{one} and {other} change places at frame {frame} ({frame / points.rate:.2f} s): the "
            "trackers were exchanged; mend the file, or cut it there."
        )


def _refuse_flat(points: Points) -> None:
    """Refuse points that all lie in one plane across an axis."""
    if len(points) < FEWEST_FRAMES or len(points.names) < 2:
        return
    spans = np.nanmax(points.positions, axis=(0, 1)) - np.nanmin(points.positions, axis=(0, 1))
    flat = [axis for axis, span in zip("xyz", spans, strict=True) if span == 0.0]
    if not flat:
        return
    what = "pixels" if spans.max() > PIXELS else "image coordinates"
    raise InputError(
        f"Expected points in space, got the same {flat[0]} for all points in all frames: these "
        f"look like {what} of one camera; two cameras make points in space (`sixpoint capture`)."
    )


def _refuse_constant(points: Points) -> None:
    """Refuse a point, or one of its coordinates, that never changes while others do."""
    if len(points) < FEWEST_FRAMES:
        return
    for k, name in enumerate(points.names):
        seen = points.seen[:, k]
        if seen.sum() < FEWEST_FRAMES or name.rpartition(":")[2] in STANDING:
            continue
        still = [axis for axis, column in zip("xyz", points.positions[seen, k].T, strict=True)
                 if np.ptp(column) == 0.0]  # fmt: skip
        others = np.delete(points.positions, k, axis=1)
        moving = others[np.isfinite(others).all(axis=(1, 2))]
        if not still or len(moving) < 2 or not np.ptp(moving, axis=0).any():
            continue
        which = "is at the same place" if len(still) == 3 else f"has the same {', '.join(still)}"
        raise InputError(
            f"{name} {which} in all {int(seen.sum())} frames while other points move: a tracker "
            "that was off, or a constant column; leave it out."
        )


def _refuse_two_people(points: Points) -> None:
    """Refuse names such as ``head`` and ``head2`` for most of the body."""
    bare = [point_name(re.sub(r"[ _.]?\d+$", "", name)) for name in points.names]
    twice = [role for role, count in Counter(bare).items() if count > 1 and role in SIX]
    if len(twice) >= SECOND_PERSON:
        raise InputError(
            f"{', '.join(twice)} are there more than once: points of two people. Label them by "
            "person, as in 'anna:head' and 'ben:head'."
        )
