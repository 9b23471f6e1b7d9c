"""What was estimated, joint by joint, and the limits made of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ...atomic_write import atomic_write
from ...errors import InputError, UnknownName
from ...kernels import arrays
from ...kernels.types import Floats, Quat, Vec3
from ..base import JointLimit
from ..collection import Limits
from ..euler_box import EulerBoxLimit, Order
from ..flexion import FixedLimit, FlexionLimit
from ..swing_twist import SwingTwistLimit
from .bind import Bind
from .classify import BALL, FIXED, HINGE, TYPES, Classes
from .fit import CENTRED, SECTORS, Fit, Ranges

Family = Literal["swing_twist", "zyz", "zyz_centred", "xyz"]
FAMILIES: tuple[str, ...] = get_args(Family)
"""What a ball joint can be limited by."""
LEAST_SWING = np.radians(0.01)
"""No swing boundary is narrower [rad]: nearer to the pole, theta is rounding noise."""


@dataclass(frozen=True, eq=False)
class JointEstimate:
    """One joint."""

    name: str
    role: str
    """What the joint is (l_shoulder, lumbar ...); empty if that is not known."""
    type: str
    """"fixed", "hinge" or "ball"."""
    limit: JointLimit
    """Of the family that was asked for."""
    also: Mapping[str, JointLimit]
    """A ball's limits of the other families."""
    axis: Vec3
    """Principal axis of the motion, unit, as limits see it."""
    rig_axis: Vec3
    """The same in the joint's own frame in the rig."""
    spreads: Vec3
    """Standard deviations of the angles about the principal axes [rad], falling."""
    off_axis: tuple[float, float]
    """RMS and greatest rotation that is not about the axis [rad]: the slack of a hinge."""
    noise: float
    """[rad]"""
    unlimited: bool
    """Some angle went round with hardly a gap."""
    confidence: float
    """Of the type: 0 a near thing, 1 clear."""
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
    """What was found about them."""
    rig_axes: Floats
    """`Classes.axes` in the joints' own frames, shape (J, 3)."""
    margin: float
    """Added to both ends of every interval [rad]."""
    provenance: Mapping[str, Any]
    """Clips, samples, rule: what stands in the file."""

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
            return FixedLimit(_quat(self.fit.centre[joint]))
        if kind == HINGE:
            low, high = self._widened(self.fit.hinge, joint, 0)
            axis = _vec(self.classes.axes[joint])
            return FlexionLimit(low, high, axis, _quat(self.classes.reference[joint]))
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
            _vec(self.classes.axes[j]),
            _vec(self.rig_axes[j]),
            _vec(self.classes.spreads[j]),
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
        """The content of a limits file, with what an artist wants to know about each joint."""
        from ..file import limits_text

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
        ranges = self.fit.hinge
        if self.classes.types[joint] == BALL:
            boxes = {"zyz": self.fit.zyz, "zyz_centred": self.fit.zyz_centred, "xyz": self.fit.xyz}
            ranges = boxes.get(family, self.fit.twist)
        return bool(ranges.unlimited[joint].any())

    def _widened(self, ranges: Ranges, joint: int, angle: int) -> tuple[float, float]:
        """An interval with its margin, in that turn in which its middle is nearest to zero."""
        low, high = float(ranges.low[joint, angle]), float(ranges.high[joint, angle])
        turns = 2.0 * np.pi * round((low + high) / (4.0 * np.pi))
        low, high = low - turns, high - turns
        low, high = _outwards(low - self.margin, -1.0), _outwards(high + self.margin, 1.0)
        if ranges.unlimited[joint, angle] or high - low >= 2.0 * np.pi:
            return -np.pi, np.pi
        return low, high

    def _box(self, joint: int, family: str) -> EulerBoxLimit:
        order: Order = "XYZ" if family == "xyz" else "ZYZ"
        ranges: Ranges = getattr(self.fit, family)
        ends = [self._widened(ranges, joint, k) for k in range(3)]
        least, most = (-0.5 * np.pi, 0.5 * np.pi) if order == "XYZ" else (0.0, np.pi)
        ends[1] = max(ends[1][0], least), min(ends[1][1], most)
        box = (ends[0], ends[1], ends[2])
        if family != "zyz_centred":
            return EulerBoxLimit(order, box)
        after = _quat(arrays.conjugate(CENTRED))
        return EulerBoxLimit(order, box, _quat(self.fit.centre[joint]), after)

    def _spline(self, joint: int) -> SwingTwistLimit:
        # A monotone spline stays above the lower of two neighbouring knots, so a knot must be as
        # high as both sectors that meet there.
        swing = self.fit.swing[joint] + self.margin
        knots = np.clip(_outwards(np.maximum(swing, np.roll(swing, 1)), 1.0), LEAST_SWING, np.pi)
        frames = self.fit.frames
        return SwingTwistLimit(
            _vec(frames.bone[joint]),
            _vec(frames.e1[joint]),
            _vec(frames.e2[joint]),
            tuple(np.radians(np.linspace(-180.0, 180.0, SECTORS + 1)).tolist()),
            (*knots.tolist(), float(knots[0])),
            self._widened(self.fit.twist, joint, 0),
            "pchip",
        )


def check_margin(margin: float, quantile: float) -> None:
    """Refuse what makes no sense."""
    if not 0.0 <= margin <= np.pi:
        raise InputError(f"Expected `margin` from 0 to 180 degrees, got {np.degrees(margin):g}.")
    if not 0.0 < quantile <= 1.0:
        raise InputError(f"Expected `quantile` above 0 and at most 1, got {quantile!r}.")


def _outwards(angle: Any, sign: float) -> Any:
    """To the next millionth of a degree outwards: no sample is lost, and people can read it."""
    return sign * np.radians(np.ceil(np.degrees(sign * angle) * 1e6) / 1e6)


def _rounded(angles: Sequence[float]) -> list[float]:
    """Degrees for reading: enough digits to see, too few to be taken for exact."""
    return [round(float(np.degrees(angle)), 6) + 0.0 for angle in angles]


def _vec(values: Floats) -> Vec3:
    x, y, z = values.tolist()
    return (x, y, z)


def _quat(values: Floats) -> Quat:
    w, x, y, z = values.tolist()
    return (w, x, y, z)
