"""Any limit as that of a hinge: for solvers that bend a joint about one axis.

Elbows and knees of people, and joints with an axis of their own, are hinges to every solver. A
limit that was estimated may have an axis a little beside theirs, or be that of a ball: what it
allows about the solver's axis is what counts then. Turns about that axis are beside those that the
limit itself allows; how far is remarked where it can be seen.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..body.articulation import HINGE, Articulation
from ..kernels import arrays
from ..kernels.types import Floats, Vec3
from .base import IDENTITY, JointLimit
from .collection import Limits
from .estimate.intervals import contiguous_interval
from .models import FixedLimit, FlexionLimit

SAME = 1e-9
"""Axes this close are the same [rad]: turns about one are inside a limit about the other."""
STEP = np.radians(0.25)
"""Angles at which the limit of a ball is asked [rad]."""
BESIDE = np.radians(2.0)
"""Turns about a solver's axis that are farther from a limit than this are remarked [rad]."""


def hinge_limits(limits: Limits, body: Articulation) -> Limits:
    """The same limits, with those of hinges about the axes that solvers bend them about."""
    changed: dict[str, JointLimit] = {}
    remarks = list(limits.remarks)
    for joint in np.flatnonzero(body.freedom == HINGE):
        name = body.skeleton.names[joint]
        if name in limits:
            x, y, z = body.axes[joint].tolist()
            held = as_hinge(limits[name], (x, y, z))
            if held is not limits[name]:
                changed[name] = held
                if (beside := _beside(limits[name], held)) > BESIDE:
                    remarks.append(
                        f"the limit of {name!r} has another axis than the solver's hinge: its "
                        f"turns are up to {np.degrees(beside):.0f} degrees beside what it allows"
                    )
    return replace(limits.replace(changed), remarks=tuple(remarks)) if changed else limits


def _beside(limit: JointLimit, held: JointLimit) -> float:
    """How far the rotations that a hinge keeps are from a limit at worst [rad]."""
    if not isinstance(held, FlexionLimit):
        return 0.0
    angles = np.linspace(held.low, held.high, 181)
    return float(limit.violation(arrays.from_axis_angle(np.array(held.axis), angles)).max())


def as_hinge(limit: JointLimit, axis: Vec3) -> JointLimit:
    """What a limit allows about a unit axis, measured from rest.

    Hinges are carried over angle by angle, to the turn about the axis that comes nearest. Of balls
    the widest interval of turns about the axis that are inside is taken, in steps of a quarter of a
    degree; if there is none, where their rotations come nearest to such turns.
    """
    if isinstance(limit, FixedLimit):
        if limit.rotation == IDENTITY:
            return limit
        return _image(np.array([limit.rotation]), axis)
    if isinstance(limit, FlexionLimit):
        if math.dist(limit.axis, axis) < SAME and limit.reference == IDENTITY:
            return limit
        if limit.high - limit.low > 2.0 * np.pi - STEP:
            return FlexionLimit(-np.pi, np.pi, axis)
        angles = np.linspace(limit.low, limit.high, 721)
        turns = arrays.from_axis_angle(np.array(limit.axis), angles)
        return _image(arrays.multiply(np.array(limit.reference), turns), axis)
    angles = np.arange(-np.pi, np.pi, STEP)
    inside = limit.contains(arrays.from_axis_angle(np.array(axis), angles))
    if inside.all():
        return FlexionLimit(-np.pi, np.pi, axis)
    if not inside.any():
        return _image(limit.sample(np.random.default_rng(0), 2000), axis)
    first = int(np.argmin(inside))  # start where it is outside, so that no run is cut
    runs = np.split(np.roll(angles, -first), np.flatnonzero(np.diff(np.roll(inside, -first))) + 1)
    widest = max((run for run in runs if inside[_index(run[0])]), key=len)
    low, high = float(widest[0]), float(widest[-1])
    return FlexionLimit(low, high if high >= low else high + 2.0 * np.pi, axis)


def _index(angle: float) -> int:
    return round((float(angle) + math.pi) / float(STEP))


def _image(rotations: Floats, axis: Vec3) -> FlexionLimit:
    """The interval of turns about the axis that come nearest to some rotations (n, 4)."""
    along = rotations[:, 1:] @ np.array(axis)
    angles = 2.0 * np.arctan2(along, rotations[:, 0])
    low, high, _ = contiguous_interval(angles)
    return FlexionLimit(float(low), float(high), axis)
