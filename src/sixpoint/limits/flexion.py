"""Joints that turn about one axis, or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..kernels import arrays
from ..kernels.limits import FIXED, FLEXION, LimitRow
from ..kernels.types import Floats, Quat, Vec3
from .angles import to_degrees
from .base import (
    IDENTITY,
    JointLimit,
    as_direction,
    as_interval,
    as_number,
    as_rotation,
    check_fields,
    reflected,
)

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
    reference: Quat = IDENTITY
    """Rotation at angle zero: the joint takes reference * (turn about the axis)."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "reference", as_rotation("reference", self.reference))
        put(self, "axis", as_direction("axis", self.axis))
        low, high = as_interval("low, high", self.low, self.high)
        put(self, "low", low)
        put(self, "high", high)

    @classmethod
    def degrees(cls, low: float, high: float, axis: Vec3 = X, reference: Quat = IDENTITY) -> Self:
        """The same, with angles in degrees."""
        low, high = as_number("low", low), as_number("high", high)
        return cls(math.radians(low), math.radians(high), axis, reference)

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        return _hinge_row(FLEXION, self.axis, (self.low, self.high), self.reference)

    def mirror(self) -> Self:
        """See `JointLimit.mirror`. An axis of rotation keeps its x and turns its y and z."""
        x, y, z = self.axis
        return type(self)(self.low, self.high, (x, -y, -z), reflected(self.reference))

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """Every angle is as likely as another."""
        turns = arrays.from_axis_angle(self.axis, rng.uniform(self.low, self.high, size))
        return arrays.multiply(np.array(self.reference), turns)

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        return {
            "kind": self.kind,
            "axis": list(self.axis),
            "low": to_degrees(self.low),
            "high": to_degrees(self.high),
            **_unless_identity("reference", self.reference),
        }

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> FlexionLimit:
        check_fields(cls.kind, fields, ("axis", "low", "high"), ("reference",))
        return cls.degrees(**fields)


@dataclass(frozen=True)
class FixedLimit(JointLimit):
    """A joint that does not turn: only one rotation is inside."""

    kind: ClassVar[str] = "fixed"

    rotation: Quat = IDENTITY
    """What it keeps; default: the neutral stance."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", as_rotation("rotation", self.rotation))

    def row(self) -> LimitRow:
        """See `JointLimit.row`."""
        return _hinge_row(FIXED, X, (0.0, 0.0), self.rotation)

    def mirror(self) -> Self:
        """See `JointLimit.mirror`."""
        return type(self)(reflected(self.rotation))

    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        return np.tile(self.rotation, (size, 1))

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        return {"kind": self.kind, **_unless_identity("rotation", self.rotation)}

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> FixedLimit:
        check_fields(cls.kind, fields, (), ("rotation",))
        return cls(**fields)


def _hinge_row(kind: int, axis: Vec3, interval: tuple[float, float], reference: Quat) -> LimitRow:
    frame = np.array([axis, (0.0,) * 3, (0.0,) * 3])
    return LimitRow(kind, frame, interval, np.zeros(0), np.zeros((0, 4)), reference)


def _unless_identity(name: str, rotation: Quat) -> dict[str, list[float]]:
    return {} if rotation == IDENTITY else {name: list(rotation)}
