"""The kinds of limits: fixed joints, hinges, boxes of Euler angles, and swing with twist."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.limits import EULER_BOX, FIXED, FLEXION, SWING_TWIST, LimitRow, limit_amplitude
from ..kernels.quaternion import quat_mul
from ..kernels.rotation import angle_wrap
from ..kernels.spline import closed_slope, fit_clamped, fit_pchip, fit_periodic, spline_range
from ..kernels.types import Floats, Quat, Vec3
from ..kernels.vector import vec_dot, vec_reject, vec_unit
from .base import (
    EXACT,
    IDENTITY,
    UNIT,
    JointLimit,
    as_direction,
    as_interval,
    as_number,
    as_numbers,
    as_rotation,
    settled,
    to_degrees,
)

Order = Literal["XYZ", "ZYZ"]
Intervals = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
Spline = Literal["clamped", "periodic", "pchip"]

X: Vec3 = (1.0, 0.0, 0.0)
MIDDLE: Mapping[str, tuple[float, float]] = {"XYZ": (-90.0, 90.0), "ZYZ": (0.0, 180.0)}
"""Range of the middle angle [degrees]; beyond it the outer two would jump by half a turn."""
HALF_TURN_X: Quat = (0.0, 1.0, 0.0, 0.0)
QUARTER_TURN_Y: Quat = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


@dataclass(frozen=True)
class FixedLimit(JointLimit):
    """A joint that does not rotate: only one rotation is inside."""

    kind: ClassVar[str] = "fixed"
    joint_type: ClassVar[str] = "fixed"
    optional: ClassVar[tuple[str, ...]] = ("rotation",)

    rotation: Quat = IDENTITY
    """The only rotation inside; default: the neutral stance."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", as_rotation("rotation", self.rotation))

    @classmethod
    def degrees(cls, rotation: Quat = IDENTITY) -> Self:
        """Build the limit; a fixed joint has no angles."""
        return cls(rotation)

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        return _row(FIXED, (X,), before=self.rotation, interval=(0.0, 0.0))

    def mirror(self) -> Self:
        """See `JointLimit.mirror`."""
        return type(self)(_reflected(self.rotation))

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        return np.tile(self.rotation, (size, 1))

    def _fields(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class FlexionLimit(JointLimit):
    """Simple flexion, as of elbows and knees: one axis, one interval.

    Any rotation that is not about the axis is a violation.
    """

    kind: ClassVar[str] = "flexion"
    joint_type: ClassVar[str] = "hinge"
    required: ClassVar[tuple[str, ...]] = ("axis", "low", "high")
    optional: ClassVar[tuple[str, ...]] = ("reference",)

    low: float
    """Least angle [rad]."""
    high: float
    """Greatest angle [rad]."""
    axis: Vec3 = X
    """Unit axis of the hinge."""
    reference: Quat = IDENTITY
    """Rotation at angle zero: the joint takes reference * (rotation about the axis)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "reference", as_rotation("reference", self.reference))
        put(self, "axis", as_direction("axis", self.axis))
        low, high = as_interval("low, high", self.low, self.high)
        put(self, "low", low)
        put(self, "high", high)

    @classmethod
    def degrees(cls, low: float, high: float, axis: Vec3 = X, reference: Quat = IDENTITY) -> Self:
        """Build the limit from angles in degrees."""
        low, high = as_number("low", low), as_number("high", high)
        return cls(math.radians(low), math.radians(high), axis, reference)

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        interval = (self.low, self.high)
        return _row(FLEXION, (self.axis,), before=self.reference, interval=interval)

    def mirror(self) -> Self:
        """See `JointLimit.mirror`. An axis of rotation keeps its x and negates its y and z."""
        x, y, z = self.axis
        return type(self)(self.low, self.high, (x, -y, -z), _reflected(self.reference))

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """Every angle is as likely as another."""
        angles = rng.uniform(self.low, self.high, size)
        rotations = arrays.from_axis_angle(self.axis, angles)
        return arrays.multiply(np.array(self.reference), rotations)

    def _fields(self) -> dict[str, Any]:
        low, high = to_degrees(self.low), to_degrees(self.high)
        return {"axis": list(self.axis), "low": low, "high": high}


@dataclass(frozen=True)
class EulerBoxLimit(JointLimit):
    """Three Euler angles, each in an interval (joint-limit paper, Eq. (15)).

    A rotation is before * R1 R2 R3 * after, with intrinsic turns about the axes of the order. Each
    angle is clamped on its own, round the circle. In gimbal lock, where only the sum or difference
    of the outer two can be seen, every rotation that allowed angles can make is inside.

    XYZ boxes are tame about the neutral stance and lock where the middle angle is +-90 degrees. ZYZ
    boxes, those of the paper, lock in the neutral stance itself, unless frames move it to where
    they are tame: with `after` a turn by -90 degrees about Y it has the angles (0, 90, 0).
    """

    kind: ClassVar[str] = "euler_box"
    required: ClassVar[tuple[str, ...]] = ("order", "intervals")
    optional: ClassVar[tuple[str, ...]] = ("before", "after")

    order: Order
    """Axes of the three turns."""
    intervals: Intervals
    """Least and greatest of each angle [rad], at most one turn apart. The middle one lies in
    [0, pi] for ZYZ, in [-pi/2, pi/2] for XYZ."""
    before: Quat = IDENTITY
    """Constant rotation on the parent's side."""
    after: Quat = IDENTITY
    """Constant rotation on the joint's side."""

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise UnknownName("order of Euler angles", str(self.order), get_args(Order))
        put = object.__setattr__
        kept = []
        for k, pair in enumerate(_three("intervals", self.intervals)):
            name = f"intervals[{k}]"
            kept.append(as_interval(name, *as_numbers(name, pair, 2)))
        low, high = (math.radians(end) for end in MIDDLE[self.order])
        if not low - EXACT <= kept[1][0] <= kept[1][1] <= high + EXACT:
            ends = " to ".join(f"{end:g}" for end in MIDDLE[self.order])
            raise InputError(
                f"Expected the middle angle of order {self.order} within {ends} degrees, "
                f"got {math.degrees(kept[1][0]):g} to {math.degrees(kept[1][1]):g}."
            )
        put(self, "intervals", tuple(kept))
        for name in ("before", "after"):
            put(self, name, as_rotation(name, getattr(self, name)))

    @classmethod
    def degrees(
        cls,
        order: Order,
        intervals: Any,
        before: Quat = IDENTITY,
        after: Quat = IDENTITY,
    ) -> Self:
        """Build the limit from three pairs of angles in degrees, least and greatest."""
        pairs = [as_numbers("intervals", pair, 2) for pair in _three("intervals", intervals)]
        radians = tuple((math.radians(low), math.radians(high)) for low, high in pairs)
        return cls(order, radians, before, after)  # type: ignore[arg-type]

    def row(self) -> LimitRow:
        """See `JointLimit.row`; kernels know ZYZ alone (see `kernels.limit_box`)."""
        before = self.before
        (a, b), (c, d), (e, f) = self.intervals
        if self.order == "XYZ":
            before = quat_mul(before, QUARTER_TURN_Y)
            a, b = a + math.pi, b + math.pi
            c, d = 0.5 * math.pi - d, 0.5 * math.pi - c
            e, f = e - math.pi, f - math.pi
        box = ((a, b), (c, d), (e, f))
        return _row(EULER_BOX, (), before=before, after=self.after, box=box)

    def angles(self, rotations: Floats) -> Floats:
        """The three angles (..., 3) of rotations (..., 4) as the box measures them [rad]."""
        inner = arrays.multiply(arrays.conjugate(np.array(self.before)), np.asarray(rotations))
        inner = arrays.multiply(inner, arrays.conjugate(np.array(self.after)))
        return arrays.to_zyz(inner) if self.order == "ZYZ" else arrays.to_euler("XYZ", inner)

    def rotation(self, angles: Floats) -> Floats:
        """Rotations with given angles (..., 3) [rad], shape (..., 4)."""
        inner = arrays.from_euler(self.order, np.asarray(angles, dtype=np.float64))
        return arrays.multiply(arrays.multiply(np.array(self.before), inner), np.array(self.after))

    def mirror(self) -> Self:
        """See `JointLimit.mirror`.

        In a mirror turns about Y and Z go the other way. For XYZ that negates intervals; for ZYZ,
        whose middle angle has no negative, half a turn about X in the frames does the same.
        """
        before, after = _reflected(self.before), _reflected(self.after)
        if self.order == "ZYZ":
            before, after = quat_mul(before, HALF_TURN_X), quat_mul(HALF_TURN_X, after)
            return type(self)(self.order, self.intervals, before, after)
        first, (b, c), (d, e) = self.intervals
        return type(self)(self.order, (first, (-c, -b), (-e, -d)), before, after)

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """Outer angles are uniform over their intervals, the middle one over the solid angle."""
        ends = np.array(self.intervals)
        angles = rng.uniform(ends[:, 0], ends[:, 1], (size, 3))
        share = rng.uniform(0.0, 1.0, size)
        if self.order == "XYZ":
            low, high = np.sin(ends[1])
            angles[:, 1] = np.arcsin(low + share * (high - low))
        else:
            low, high = np.cos(ends[1])
            angles[:, 1] = np.arccos(low + share * (high - low))
        angles[:, 1] = np.clip(angles[:, 1], *ends[1])  # narrow intervals drown in rounding
        return self.rotation(angles)

    def _fields(self) -> dict[str, Any]:
        intervals = [[to_degrees(low), to_degrees(high)] for low, high in self.intervals]
        return {"order": self.order, "intervals": intervals}


@dataclass(frozen=True)
class SwingTwistLimit(JointLimit):
    """The limit model of Unzueta et al. 2008, section 7.

    A rotation is a twist by tau about the bone, then a swing of the bone by the amplitude psi
    towards the circumduction angle theta. A closed curve psi_max(theta) through a few anatomical
    points bounds the swing, an interval the twist. Couplings between joints, such as of hip
    and knee, are left out, as in the paper.
    """

    kind: ClassVar[str] = "swing_twist"
    required: ClassVar[tuple[str, ...]] = ("bone", "e1", "e2", "boundary", "twist", "spline")

    bone: Vec3
    """Unit direction of the bone in the neutral stance."""
    e1: Vec3
    """Unit direction to which theta = 0 swings the bone."""
    e2: Vec3
    """Unit direction to which theta = pi/2 swings it; bone, e1, e2 are at right angles."""
    thetas: tuple[float, ...]
    """Circumduction angles of the boundary, rising from -pi to pi [rad]."""
    amplitudes: tuple[float, ...]
    """Greatest swing at each theta, from 0 to pi [rad]; the last equals the first."""
    twist: tuple[float, float]
    """Least and greatest twist about the bone [rad]."""
    spline: Spline = "clamped"
    """Curve between the points: "clamped" cubic with the end slopes of the SIK paper's Eq. (3);
    "periodic" cubic, with a continuous second derivative at the seam too; "pchip", which does not
    overshoot."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("bone", "e1", "e2"):
            put(self, name, as_direction(name, getattr(self, name)))
        for one, other in (("bone", "e1"), ("bone", "e2"), ("e1", "e2")):
            axis, vector = getattr(self, one), getattr(self, other)
            slant = abs(vec_dot(axis, vector))
            if slant > UNIT:
                raise InputError(f"Expected `{one}` and `{other}` to be at right angles.")
            if slant > EXACT:
                put(self, other, vec_unit(vec_reject(vector, axis), vector))
        for name in ("thetas", "amplitudes"):
            put(self, name, tuple(map(settled, as_numbers(name, getattr(self, name)))))
        put(self, "twist", as_interval("twist", *as_numbers("twist", self.twist, 2)))
        self._check()

    def _check(self) -> None:
        if len(self.thetas) != len(self.amplitudes):
            raise InputError(
                f"Expected as many `amplitudes` as `thetas`, "
                f"got {len(self.amplitudes)} and {len(self.thetas)}."
            )
        if len(self.thetas) < 2 or self.thetas[0] != -math.pi or self.thetas[-1] != math.pi:
            listed = ", ".join(f"{math.degrees(theta):g}" for theta in self.thetas)
            raise InputError(
                f"Expected `thetas` from -180 to 180 degrees, got {listed or 'none'} degrees."
            )
        if not all(a < b for a, b in zip(self.thetas, self.thetas[1:], strict=False)):
            raise InputError("Expected `thetas` to rise.")
        if not all(0.0 <= psi <= math.pi for psi in self.amplitudes):
            raise InputError("Expected `amplitudes` from 0 to 180 degrees.")
        if self.amplitudes[0] != self.amplitudes[-1]:
            raise InputError(
                "Expected the same first and last of `amplitudes` (theta = -180 and 180 degrees "
                f"are one direction), got {math.degrees(self.amplitudes[0]):g} and "
                f"{math.degrees(self.amplitudes[-1]):g} degrees."
            )
        if self.spline not in get_args(Spline):
            raise UnknownName("spline", str(self.spline), get_args(Spline))

    @classmethod
    def degrees(
        cls,
        bone: Vec3,
        e1: Vec3,
        e2: Vec3,
        boundary: Any,
        twist: tuple[float, float],
        spline: Spline = "clamped",
    ) -> Self:
        """Build the limit from angles in degrees.

        Args:
            bone: see the fields of the class; e1, e2 and spline too.
            e1: theta = 0.
            e2: theta = 90 degrees.
            boundary: theta -> greatest swing, for example {-180: 50, -90: 30, 0: 180, 90: 180,
                180: 50}; or a list of such pairs.
            twist: least and greatest twist.
            spline: curve between the points.
        """
        points = list(boundary.items()) if isinstance(boundary, Mapping) else boundary
        if not isinstance(points, (list, tuple)):
            raise InputError(f"Expected pairs of angles in `boundary`, got {points!r}.")
        pairs = [as_numbers("boundary", pair, 2) for pair in points]
        low, high = as_numbers("twist", twist, 2)
        return cls(
            bone,
            e1,
            e2,
            tuple(math.radians(theta) for theta, _ in pairs),
            tuple(math.radians(psi) for _, psi in pairs),
            (math.radians(low), math.radians(high)),
            spline,
        )

    def coefficients(self) -> Floats:
        """Pieces of psi_max(theta), before it is clipped to [0, pi]; see `kernels.spline`."""
        if self.spline == "clamped":
            slope = closed_slope(self.thetas, self.amplitudes)
            return fit_clamped(self.thetas, self.amplitudes, slope)
        fit = fit_periodic if self.spline == "periodic" else fit_pchip
        return fit(self.thetas, self.amplitudes)

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        spline = np.array(self.thetas), self.coefficients()
        return _row(SWING_TWIST, (self.bone, self.e1, self.e2), spline, interval=self.twist)

    def amplitude(self, theta: ArrayLike) -> Floats:
        """The boundary psi_max(theta) [rad], in [0, pi], for angles of any shape."""
        angles = np.asarray(theta, dtype=np.float64)
        values = [limit_amplitude(self._table, 0, angle_wrap(a)) for a in angles.ravel().tolist()]
        return np.array(values).reshape(angles.shape)

    def rotation(self, theta: ArrayLike, psi: ArrayLike, tau: ArrayLike) -> Floats:
        """Rotations with given circumduction, amplitude and twist [rad], shape (..., 4)."""
        theta, psi, tau = (np.asarray(a, dtype=np.float64) for a in (theta, psi, tau))
        heading = np.cos(theta)[..., None] * self.e1 + np.sin(theta)[..., None] * self.e2
        swing = arrays.from_axis_angle(np.cross(self.bone, heading), psi)
        return arrays.multiply(swing, arrays.from_axis_angle(self.bone, tau))

    def mirror(self) -> Self:
        """See `JointLimit.mirror`. A twist has the other sign in a mirror."""
        bone, e1, e2 = ((-x, y, z) for x, y, z in (self.bone, self.e1, self.e2))
        twist = (-self.twist[1], -self.twist[0])
        return replace(self, bone=bone, e1=e1, e2=e2, twist=twist)

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """The bone is uniform over the solid angle, the twist over its interval."""
        _, highest = spline_range(np.array(self.thetas), self.coefficients())
        widest = 1.0 - math.cos(min(highest, math.pi))
        thetas = np.empty(0)
        while len(thetas) < size:  # theta in proportion to the solid angle of its sector
            trial = rng.uniform(-np.pi, np.pi, max(size, 16))
            sector = 1.0 - np.cos(self.amplitude(trial))
            kept = trial[rng.uniform(0.0, widest, len(trial)) <= sector]
            thetas = np.append(thetas, kept)[:size]
        sector = 1.0 - np.cos(self.amplitude(thetas))
        # 1 - cos psi uniform; half angles, because arccos is coarse near zero.
        psi = 2.0 * np.arcsin(np.sqrt(0.5 * rng.uniform(0.0, 1.0, size) * sector))
        return self.rotation(thetas, psi, rng.uniform(*self.twist, size))

    def _fields(self) -> dict[str, Any]:
        points = zip(self.thetas, self.amplitudes, strict=True)
        return {
            **{name: list(getattr(self, name)) for name in ("bone", "e1", "e2")},
            "boundary": [[to_degrees(theta), to_degrees(psi)] for theta, psi in points],
            "twist": [to_degrees(angle) for angle in self.twist],
            "spline": self.spline,
        }


def _row(
    kind: int,
    frame: tuple[Vec3, ...],
    spline: tuple[Floats, Floats] | None = None,
    *,
    interval: tuple[float, float] = (-math.pi, math.pi),
    **frames: Any,
) -> LimitRow:
    """The row of a limit; what a kind does not need is zero."""
    rows = np.zeros((3, 3))
    rows[: len(frame)] = np.array(frame).reshape(-1, 3)
    knots, coefficients = spline or (np.zeros(0), np.zeros((0, 4)))
    return LimitRow(kind, rows, interval, knots, coefficients, **frames)


def _reflected(q: Quat) -> Quat:
    """A rotation seen in a mirror that exchanges x and -x."""
    return (q[0], q[1], -q[2], -q[3])


def _three(name: str, pairs: Any) -> list[Any]:
    if isinstance(pairs, (str, bytes, Mapping)) or not hasattr(pairs, "__len__") or len(pairs) != 3:
        raise InputError(f"Expected three pairs of angles in `{name}`, got {pairs!r:.60}.")
    return list(pairs)
