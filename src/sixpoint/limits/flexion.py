"""Joints that turn about one axis, or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..kernels import arrays
from ..kernels.limits import FIXED, FLEXION, LimitRow
from ..kernels.types import Floats, Vec3
from .angles import to_degrees
from .base import JointLimit, as_direction, as_interval, as_number, check_fields

X: Vec3 = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class FlexionLimit(JointLimit):
    """Simple flexion, as of elbows and knees (S0.32): one axis, one interval.

    Any rotation that is not about the axis is a violation.
    """

    kind: ClassVar[str] = "flexion"

    low: float
    """Least angle [rad]."""
    high: float
    """Greatest angle [rad]."""
    axis: Vec3 = X
    """Unit axis of the hinge."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "axis", as_direction("axis", self.axis))
        low, high = as_interval("low, high", self.low, self.high)
        put(self, "low", low)
        put(self, "high", high)

    @classmethod
    def degrees(cls, low: float, high: float, axis: Vec3 = X) -> Self:
        """The same, with angles in degrees."""
        low, high = as_number("low", low), as_number("high", high)
        return cls(math.radians(low), math.radians(high), axis)

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        return _hinge_row(FLEXION, self.axis, (self.low, self.high))

    def mirror(self) -> Self:
        """See `JointLimit.mirror`. An axis of rotation keeps its x and turns its y and z."""
        x, y, z = self.axis
        return type(self)(self.low, self.high, (x, -y, -z))

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """Every angle is as likely as another."""
        return arrays.from_axis_angle(self.axis, rng.uniform(self.low, self.high, size))

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        return {
            "kind": self.kind,
            "axis": list(self.axis),
            "low": to_degrees(self.low),
            "high": to_degrees(self.high),
        }

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> FlexionLimit:
        check_fields(cls.kind, fields, ("axis", "low", "high"))
        return cls.degrees(**fields)


@dataclass(frozen=True)
class FixedLimit(JointLimit):
    """A joint that does not turn: only the neutral stance is inside."""

    kind: ClassVar[str] = "fixed"

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        return _hinge_row(FIXED, X, (0.0, 0.0))

    def mirror(self) -> Self:
        """See `JointLimit.mirror`."""
        return self

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        return arrays.identity(size)

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        return {"kind": self.kind}

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> FixedLimit:
        check_fields(cls.kind, fields, ())
        return cls()


def _hinge_row(kind: int, axis: Vec3, interval: tuple[float, float]) -> LimitRow:
    return LimitRow(
        kind, np.array([axis, (0.0,) * 3, (0.0,) * 3]), interval, np.zeros(0), np.zeros((0, 4))
    )
