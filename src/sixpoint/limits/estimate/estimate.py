"""Estimate: what was estimated, joint by joint, the limits made of it, and the bind pose.

Motion need not pass through the pose in which a character was bound: a recording of running never
lifts the arms as in a T-pose (joint-limit paper, section 2.4). A solver that starts there starts
outside the limits. The paper asks this of hinge angles and of ZYZ angles, which lock in the neutral
stance, where most rigs are bound: near it they reject much that is allowed. The paper's decision
and its repair are found here; for a limit of another kind, what counts is whether that limit holds
the pose (`Bind.settle`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...atomic_write import atomic_write
from ...errors import InputError, UnknownName
from ...kernels import arrays
from ...kernels.arrays import as_quat, as_vec
from ...kernels.types import Bools, Floats, Quat, Vec3
from ..base import TYPES, JointLimit
from ..collection import FAMILIES, Limits, limits_text
from ..models import EulerBoxLimit, FixedLimit, FlexionLimit, Order, SwingTwistLimit
from .classify import BALL, FIXED, HINGE, Classes
from .fit import CENTRED, SECTORS, Fit, Ranges, hinge_angles
from .intervals import NO_RESULTANT, is_within, midpoint

Family = Literal["swing_twist", "zyz", "zyz_centred", "xyz"]
Method = Literal["midpoint", "circular_mean", "frame"]
LEAST_SWING = np.radians(0.01)
"""No swing boundary is narrower [rad]: nearer to the pole, theta is rounding noise."""


BIND_SLACK = np.radians(2.5)
"""How far a feasible bind pose of a hinge or a fixed joint may be beside its motion [rad]."""


@dataclass(frozen=True)
class Repair:
    """Replacement of an infeasible bind pose."""

    method: Method = "midpoint"
    """The middle of each interval; the mean direction, or the middle if that is outside; or what
    the joint does in one of the samples."""
    frame: int = 0
    """Number of that sample."""

    @staticmethod
    def parse(text: str) -> Repair:
        """Read "midpoint", "circular_mean" or "frame:12"."""
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
    repaired: tuple[float, ...] | None
    """Angles to start from: those of the bind pose if it is feasible. None: the repair gave up."""
    paper_start: Quat | None
    """The rotation with these angles, as limits see it."""

    def settle(self, limit: JointLimit, pose: Floats) -> tuple[bool, Quat | None]:
        """Whether a limit holds the bind pose (4,), and the rotation inside it to start from.

        Fixed joints and hinges may be `BIND_SLACK` beside; the start is brought inside. Where the
        bind pose is outside, the start is what the repair gave, brought inside; None if it gave up.
        """
        ball = limit.joint_type == "ball"
        feasible = bool(limit.violation(pose) <= (0.0 if ball else BIND_SLACK))
        feasible = feasible and (ball or self.paper_feasible)
        start = pose if feasible else self.paper_start
        return feasible, None if start is None else as_quat(limit.project(start))


@dataclass(frozen=True, eq=False)
class JointEstimate:
    """Everything about one joint."""

    name: str
    role: str
    """What the joint is (l_shoulder, lumbar ...); empty if that is not known."""
    type: str
    """"fixed", "hinge" or "ball"."""
    limit: JointLimit
    """Limit of the requested family."""
    also: Mapping[str, JointLimit]
    """Limits of a ball in the other families."""
    axis: Vec3
    """Principal axis of the motion, unit, as limits see it."""
    rig_axis: Vec3
    """The same in the joint's own frame in the rig."""
    spreads: Vec3
    """Standard deviations of the angles about the principal axes [rad], in descending order."""
    off_axis: tuple[float, float]
    """RMS and greatest rotation that is not about the axis [rad]: the slack of a hinge."""
    noise: float
    """Standard deviation of the noise about each axis [rad]."""
    unlimited: bool
    """Whether some angle covers the circle with hardly a gap."""
    confidence: float
    """Confidence in the type, from 0 (close decision) to 1 (clear)."""
    bind: Bind
    """The bind pose, in the parameters of the paper."""
    bind_feasible: bool
    """Whether the limit holds the bind pose; hinges and fixed joints may be 2.5 degrees beside."""
    bind_start: Quat | None
    """A rotation inside the limit to start from; None: the repair gave up."""
    bind_violation: float
    """How far the bind pose is beyond the limit [rad]."""

    def notes(self) -> dict[str, Any]:
        """Fields for the file, besides the limit; angles in degrees."""
        bind = self.bind
        facts = {
            "axis": [round(x, 6) for x in self.axis],
            "rig_axis": [round(x, 6) for x in self.rig_axis],
            "spreads": _rounded(self.spreads),
            "off_axis_rms": _rounded(self.off_axis)[0],
            "off_axis_max": _rounded(self.off_axis)[1],
            "noise": _rounded((self.noise,))[0],
            "unlimited": self.unlimited,
            "confidence": round(self.confidence, 3),
            "bind_feasible": self.bind_feasible,
            "bind_feasible_paper": bind.paper_feasible,
            "bind_angles": _rounded(bind.angles),
            "bind_repaired": None if bind.repaired is None else _rounded(bind.repaired),
            "bind_start": None if self.bind_start is None else list(self.bind_start),
            "bind_violation": _rounded((self.bind_violation,))[0],
        }
        also = {family: limit.as_dict() for family, limit in self.also.items()}
        return {**({"also": also} if also else {}), "estimate": facts}


@dataclass(frozen=True, eq=False)
class Estimate:
    """Joint types and limits of a rig. Made by `LimitEstimator.estimate`."""

    names: tuple[str, ...]
    roles: Mapping[str, str]
    classes: Classes
    fit: Fit
    bind: Floats
    """Rotations of the bind pose, as limits see them, shape (J, 4)."""
    binds: tuple[Bind, ...]
    """The bind pose of each joint in the parameters of the paper."""
    rig_axes: Floats
    """`Classes.axes` in the joints' own frames, shape (J, 3)."""
    margin: float
    """Added to both ends of every interval [rad]."""
    provenance: Mapping[str, Any]
    """Clips, samples and rules, as they stand in the file."""

    @property
    def types(self) -> dict[str, str]:
        """Joint name -> "fixed", "hinge" or "ball"."""
        return {name: TYPES[t] for name, t in zip(self.names, self.classes.types, strict=True)}

    def limits(self, family: Family = "swing_twist") -> Limits:
        """The limits of all joints; balls get those of one family."""
        joints = {name: self.limit(j, family) for j, name in enumerate(self.names)}
        return Limits(joints, {n: role for n, role in self.roles.items() if n in joints})

    def limit(self, joint: int, family: Family = "swing_twist", type: int | None = None) -> Any:  # noqa: A002
        """The limit of one joint, for its type or another."""
        if family not in FAMILIES:
            raise UnknownName("family of limits", str(family), FAMILIES)
        kind = int(self.classes.types[joint]) if type is None else type
        if kind == FIXED:
            return FixedLimit(as_quat(self.fit.centre[joint]))
        if kind == HINGE:
            low, high = self._widened(self.fit.ranges["hinge"], joint, 0)
            axis = as_vec(self.classes.axes[joint])
            return FlexionLimit(low, high, axis, as_quat(self.classes.reference[joint]))
        assert kind == BALL
        return self._spline(joint) if family == "swing_twist" else self._box(joint, family)

    def joint(self, name: str, family: Family = "swing_twist") -> JointEstimate:
        """Everything about one joint."""
        if name not in self.names:
            raise UnknownName("estimated joint", name, self.names)
        j = self.names.index(name)
        ball = self.classes.types[j] == BALL
        others = [other for other in FAMILIES if other != family] if ball else []
        limit: JointLimit = self.limit(j, family)
        return JointEstimate(
            name,
            self.roles.get(name, ""),
            self.types[name],
            limit,
            {other: self.limit(j, other) for other in others},  # type: ignore[arg-type]
            as_vec(self.classes.axes[j]),
            as_vec(self.rig_axes[j]),
            as_vec(self.classes.spreads[j]),
            (float(self.fit.off_axis[j, 0]), float(self.fit.off_axis[j, 1])),
            float(self.classes.noise[j]),
            self._is_unlimited(j, family),
            float(self.classes.confidence[j]),
            self.binds[j],
            *self.binds[j].settle(limit, self.bind[j]),
            float(limit.violation(self.bind[j])),
        )

    def joints(self, family: Family = "swing_twist") -> list[JointEstimate]:
        """Everything about all joints."""
        return [self.joint(name, family) for name in self.names]

    def text(self, family: Family = "swing_twist") -> str:
        """Content of a limits file, with the facts about each joint."""
        found = self.joints(family)
        limits = self.limits(family)
        notes = {joint.name: joint.notes() for joint in found}
        return limits_text(limits, notes, {"family": family, **self.provenance})

    def save(self, path: str | os.PathLike[str], family: Family = "swing_twist") -> None:
        """Write a limits file, which `Limits.load` and `reconstruct --limits` read.

        Raises:
            CannotWrite: the file cannot be written.
        """
        text = self.text(family)
        with atomic_write(path) as file:
            file.write(text.encode())

    def _is_unlimited(self, joint: int, family: Family) -> bool:
        ball = family if family in self.fit.ranges else "twist"
        ranges = self.fit.ranges[ball if self.classes.types[joint] == BALL else "hinge"]
        return bool(ranges.unlimited[joint].any())

    def _widened(self, ranges: Ranges, joint: int, angle: int) -> tuple[float, float]:
        """An interval with its margin, its middle brought nearest to zero by whole turns."""
        low, high = float(ranges.low[joint, angle]), float(ranges.high[joint, angle])
        turns = 2.0 * np.pi * round((low + high) / (4.0 * np.pi))
        low, high = low - turns, high - turns
        low, high = _outwards(low - self.margin, -1.0), _outwards(high + self.margin, 1.0)
        if ranges.unlimited[joint, angle] or high - low >= 2.0 * np.pi:
            return -np.pi, np.pi
        return low, high

    def _box(self, joint: int, family: str) -> EulerBoxLimit:
        order: Order = "XYZ" if family == "xyz" else "ZYZ"
        ranges = self.fit.ranges[family]
        ends = [self._widened(ranges, joint, k) for k in range(3)]
        least, most = (-0.5 * np.pi, 0.5 * np.pi) if order == "XYZ" else (0.0, np.pi)
        ends[1] = max(ends[1][0], least), min(ends[1][1], most)
        box = (ends[0], ends[1], ends[2])
        if family != "zyz_centred":
            return EulerBoxLimit(order, box)
        after = as_quat(arrays.conjugate(CENTRED))
        return EulerBoxLimit(order, box, as_quat(self.fit.centre[joint]), after)

    def _spline(self, joint: int) -> SwingTwistLimit:
        # A monotone spline stays above the lower of two neighbouring knots, so a knot must be as
        # high as both sectors that meet there.
        swing = self.fit.swing[joint] + self.margin
        knots = np.clip(_outwards(np.maximum(swing, np.roll(swing, 1)), 1.0), LEAST_SWING, np.pi)
        bone, e1, e2 = map(as_vec, self.fit.frames[:, joint])
        return SwingTwistLimit(
            bone,
            e1,
            e2,
            tuple(np.radians(np.linspace(-180.0, 180.0, SECTORS + 1)).tolist()),
            (*knots.tolist(), float(knots[0])),
            self._widened(self.fit.ranges["twist"], joint, 0),
            "pchip",
        )


def examine_bind(
    bind: Floats, sample: Floats, classes: Classes, fit: Fit, repair: Repair
) -> list[Bind]:
    """The bind pose (J, 4) compared with the fitted ranges; `sample` (J, 4) is the repair frame."""
    both = np.stack([bind, sample])
    turned = arrays.multiply(arrays.conjugate(classes.reference), both)
    about, _ = hinge_angles(turned, classes.axes)
    poses = {
        HINGE: _repaired(about[..., None], fit.ranges["hinge"], repair),
        BALL: _repaired(arrays.to_zyz(both), fit.ranges["zyz"], repair),
    }
    starts = {
        HINGE: arrays.multiply(
            classes.reference,
            arrays.from_axis_angle(classes.axes, np.nan_to_num(poses[HINGE][2][:, 0])),
        ),
        BALL: arrays.from_euler("ZYZ", np.nan_to_num(poses[BALL][2])),
    }
    still = (arrays.angle_between(bind, fit.centre) < BIND_SLACK).tolist()
    out = []
    for j, kind in enumerate(classes.types.tolist()):
        if kind == FIXED:
            out.append(Bind((), still[j], (), as_quat(fit.centre[j])))
            continue
        angles, fine, found = (values[j] for values in poses[kind])
        given_up = bool(np.isnan(found[0]))
        repaired = None if given_up else tuple(found.tolist())
        start = None if given_up else as_quat(starts[kind][j])
        out.append(Bind(tuple(angles.tolist()), bool(fine), repaired, start))
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


def _outwards(angle: Any, sign: float) -> Any:
    """Angles rounded outwards to a millionth of a degree: readable, and no sample is lost."""
    return sign * np.radians(np.ceil(np.degrees(sign * angle) * 1e6) / 1e6)


def _rounded(angles: Sequence[float]) -> list[float]:
    """Degrees with six decimals."""
    return [round(float(np.degrees(angle)), 6) + 0.0 for angle in angles]
