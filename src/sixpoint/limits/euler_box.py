"""Boxes of Euler angles: three angles, each in an interval of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.limits import EULER_BOX, LimitRow
from ..kernels.quaternion import quat_mul
from ..kernels.types import Floats, Quat
from .angles import to_degrees
from .base import (
    EXACT,
    IDENTITY,
    JointLimit,
    as_interval,
    as_numbers,
    as_rotation,
    check_fields,
    reflected,
)

Order = Literal["XYZ", "ZYZ"]
Intervals = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]

MIDDLE: Mapping[str, tuple[float, float]] = {"XYZ": (-90.0, 90.0), "ZYZ": (0.0, 180.0)}
"""Where the middle angle lies [degrees]; beyond, the outer two would turn round."""
HALF_TURN_X: Quat = (0.0, 1.0, 0.0, 0.0)
QUARTER_TURN_Y: Quat = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


@dataclass(frozen=True)
class EulerBoxLimit(JointLimit):
    """Three Euler angles, each in an interval (joint-limit paper, Eq. (15); S1.12).

    A rotation is before * R1 R2 R3 * after, with intrinsic turns about the axes of the order. Each
    angle is clamped on its own, round the circle. In gimbal lock, where only the sum or difference
    of the outer two can be seen, every rotation that allowed angles can make is inside.

    XYZ boxes are tame about the neutral stance and lock where the middle angle is +-90 degrees. ZYZ
    boxes, those of the paper, lock in the neutral stance itself, unless frames move it to where
    they are tame: with `after` a turn by -90 degrees about Y it has the angles (0, 90, 0).
    """

    kind: ClassVar[str] = "euler_box"

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
        """The same, with angles in degrees: three pairs, least and greatest."""
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
        return LimitRow(
            EULER_BOX,
            np.zeros((3, 3)),
            (-math.pi, math.pi),
            np.zeros(0),
            np.zeros((0, 4)),
            before,
            self.after,
            ((a, b), (c, d), (e, f)),
        )

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
        before, after = reflected(self.before), reflected(self.after)
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

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        frames = {"before": self.before, "after": self.after}
        return {
            "kind": self.kind,
            "order": self.order,
            "intervals": [[to_degrees(low), to_degrees(high)] for low, high in self.intervals],
            **{name: list(q) for name, q in frames.items() if q != IDENTITY},
        }

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> EulerBoxLimit:
        check_fields(cls.kind, fields, ("order", "intervals"), ("before", "after"))
        return cls.degrees(**fields)


def _three(name: str, pairs: Any) -> list[Any]:
    if isinstance(pairs, (str, bytes, Mapping)) or not hasattr(pairs, "__len__") or len(pairs) != 3:
        raise InputError(f"Expected three pairs of angles in `{name}`, got {pairs!r:.60}.")
    return list(pairs)
