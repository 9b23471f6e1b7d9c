"""Is the bind pose within the limits, and which pose to start from if it is not?

Motion need not pass through the pose in which a character was bound: who only runs never lifts the
arms as in a T-pose (joint-limit paper, section 2.4). A solver that starts there starts outside.

The paper asks this of hinge angles and of ZYZ angles, which lock in the neutral stance, where most
rigs are bound: near it they say no to much that is allowed. Its verdict and its repair are found
here; what counts for a limit of another kind is whether that limit holds the pose (`settle`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import InputError
from ...kernels import arrays
from ...kernels.types import Bools, Floats, Quat
from ..base import JointLimit
from .classify import BALL, FIXED, Classes
from .fit import Fit, Ranges, hinge_angles
from .intervals import NO_RESULTANT, is_within, midpoint

STILL = np.radians(2.5)
"""A fixed joint, or a hinge, is bound where it moves if the pose is no farther beside [rad]."""

Method = Literal["midpoint", "circular_mean", "frame"]


@dataclass(frozen=True)
class Repair:
    """What takes the place of a bind pose that is infeasible (S1.16)."""

    method: Method = "midpoint"
    """The middle of each interval; the mean direction, or the middle if that is outside; or what
    the joint does in one of the samples."""
    frame: int = 0
    """Number of that sample."""

    @staticmethod
    def parse(text: str) -> Repair:
        """From "midpoint", "circular_mean" or "frame:12"."""
        name, sign, number = text.partition(":")
        if name == "frame" and sign and number.isdecimal():
            return Repair("frame", int(number))
        if text in ("midpoint", "circular_mean"):
            return Repair(text)  # type: ignore[arg-type]
        raise InputError(
            f"Expected a repair midpoint, circular_mean or frame:NUMBER, got {text!r}."
        )

    def __str__(self) -> str:
        return f"frame:{self.frame}" if self.method == "frame" else self.method


@dataclass(frozen=True)
class Bind:
    """The bind pose of one joint, in the joint's own parameters."""

    angles: tuple[float, ...]
    """About the hinge, or ZYZ as printed [rad]; none for a fixed joint."""
    paper_feasible: bool
    """Whether all of them lie in their intervals, Eq. (21); for a fixed joint, where it stays."""
    off_axis: float
    """What the bind pose turns across the axis of a hinge [rad]; 0 for others."""
    repaired: tuple[float, ...] | None
    """Angles to start from: those of the bind pose if it is feasible. None: the repair gave up."""
    paper_start: Quat | None
    """The rotation with these angles, as limits see it."""

    def settle(self, limit: JointLimit, pose: Floats) -> tuple[bool, Quat | None]:
        """Whether a limit holds the bind pose (4,), and the rotation inside it to start from.

        Fixed joints and hinges may be `STILL` beside; the start is brought inside. Where the bind
        pose is outside, the start is what the repair gave, brought inside; None if it gave up.
        """
        ball = limit.joint_type == "ball"
        feasible = bool(limit.violation(pose) <= (0.0 if ball else STILL))
        feasible = feasible and (ball or self.paper_feasible)
        start = pose if feasible else self.paper_start
        if start is None:
            return feasible, None
        w, x, y, z = limit.project(start).tolist()
        return feasible, (w, x, y, z)


def examine(bind: Floats, sample: Floats, classes: Classes, fit: Fit, repair: Repair) -> list[Bind]:
    """The bind pose (J, 4) against what was fitted; `sample` (J, 4) is the frame of the repair."""
    both = np.stack([bind, sample])
    turned = arrays.multiply(arrays.conjugate(classes.reference), both)
    about, across = hinge_angles(turned, classes.axes)
    hinge, hinge_fine, hinge_start = _repaired(about[..., None], fit.hinge, repair)
    zyz = arrays.to_zyz(both)
    ball, ball_fine, ball_start = _repaired(zyz, fit.zyz, repair)
    turns = arrays.from_axis_angle(classes.axes, np.nan_to_num(hinge_start[:, 0]))
    starts = np.where(
        (classes.types == BALL)[:, None],
        arrays.from_euler("ZYZ", np.nan_to_num(ball_start)),
        arrays.multiply(classes.reference, turns),
    ).tolist()
    still = (arrays.angle_between(bind, fit.centre) < STILL).tolist()
    off = across[0].tolist()
    out = []
    for j, kind in enumerate(classes.types.tolist()):
        if kind == FIXED:
            w, x, y, z = fit.centre[j].tolist()
            out.append(Bind((), still[j], 0.0, (), (w, x, y, z)))
            continue
        angles, fine, found = (
            (ball[j], ball_fine[j], ball_start[j])
            if kind == BALL
            else (hinge[j], hinge_fine[j], hinge_start[j])
        )
        w, x, y, z = starts[j]
        gave_up = bool(np.isnan(found[0]))
        out.append(
            Bind(
                tuple(angles.tolist()),
                bool(fine),
                0.0 if kind == BALL else off[j],
                None if gave_up else tuple(found.tolist()),
                None if gave_up else (w, x, y, z),
            )
        )
    return out


def _repaired(angles: Floats, ranges: Ranges, repair: Repair) -> tuple[Floats, Bools, Floats]:
    """Angles (J, A) of the bind pose, whether they are feasible (J,), and feasible ones (J, A).

    `angles` (2, J, A) are those of the bind pose and of the frame of the repair. What is inside
    stays, but a frame is taken whole. NaN where the repair gave up: no direction is more usual.
    """
    low, high = ranges.low, ranges.high
    inside = is_within(angles[0], low, high) | ranges.unlimited
    fine = np.asarray(inside.all(axis=1))
    found = midpoint(low, high)
    if repair.method == "circular_mean":
        mean = np.arctan2(ranges.mean[..., 1], ranges.mean[..., 0])
        found = np.where(is_within(mean, low, high), mean, found)
        lost = (np.hypot(ranges.mean[..., 0], ranges.mean[..., 1]) < NO_RESULTANT).any(axis=1)
        found[lost] = np.nan
    found = np.where(inside & ~np.isnan(found), angles[0], found)
    if repair.method == "frame":
        found = angles[1]
    return np.asarray(angles[0]), fine, np.asarray(np.where(fine[:, None], angles[0], found))
