"""Ball joints: a boundary for the direction of the bone, an interval for the twist about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels import arrays
from ..kernels.limits import SWING_TWIST, LimitRow, limit_amplitude
from ..kernels.rotation import angle_wrap
from ..kernels.spline import closed_slope, fit_clamped, fit_pchip, fit_periodic, spline_range
from ..kernels.types import Floats, Vec3
from ..kernels.vector import vec_dot, vec_reject, vec_unit
from .angles import settled, to_degrees
from .base import (
    EXACT,
    UNIT,
    JointLimit,
    as_direction,
    as_interval,
    as_numbers,
    check_fields,
)

Spline = Literal["clamped", "periodic", "pchip"]


@dataclass(frozen=True)
class SwingTwistLimit(JointLimit):
    """The limit model of the SIK paper, section 7.

    A rotation is a twist by tau about the bone, then a swing of the bone by the amplitude psi
    towards the circumduction angle theta. A closed curve psi_max(theta) through a few anatomical
    points bounds the swing (S0.28, S0.29), an interval the twist (S0.31). Couplings between joints,
    such as of hip and knee, are left out, as in the paper (S0.33).
    """

    kind: ClassVar[str] = "swing_twist"

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
        boundary: Mapping[float, float],
        twist: tuple[float, float],
        spline: Spline = "clamped",
    ) -> Self:
        """The same, with angles in degrees.

        Args:
            bone: see the fields of the class; e1, e2 and spline too.
            e1: theta = 0.
            e2: theta = 90 degrees.
            boundary: theta -> greatest swing, for example {-180: 50, -90: 30, 0: 180, 90: 180,
                180: 50}.
            twist: least and greatest twist.
            spline: curve between the points.
        """
        thetas = as_numbers("boundary", tuple(boundary))
        amplitudes = as_numbers("boundary", tuple(boundary.values()))
        low, high = as_numbers("twist", twist, 2)
        return cls(
            bone,
            e1,
            e2,
            tuple(map(math.radians, thetas)),
            tuple(map(math.radians, amplitudes)),
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
        frame = np.array([self.bone, self.e1, self.e2])
        return LimitRow(SWING_TWIST, frame, self.twist, np.array(self.thetas), self.coefficients())

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
        """See `JointLimit.mirror`. A twist turns the other way in a mirror."""

        def reflect(v: Vec3) -> Vec3:
            return (-v[0], v[1], v[2])

        return type(self)(
            reflect(self.bone),
            reflect(self.e1),
            reflect(self.e2),
            self.thetas,
            self.amplitudes,
            (-self.twist[1], -self.twist[0]),
            self.spline,
        )

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

    def as_dict(self) -> dict[str, Any]:
        """See `JointLimit.as_dict`."""
        points = zip(self.thetas, self.amplitudes, strict=True)
        return {
            "kind": self.kind,
            "bone": list(self.bone),
            "e1": list(self.e1),
            "e2": list(self.e2),
            "boundary": [[to_degrees(theta), to_degrees(psi)] for theta, psi in points],
            "twist": [to_degrees(angle) for angle in self.twist],
            "spline": self.spline,
        }

    @classmethod
    def _from_fields(cls, fields: Mapping[str, Any]) -> SwingTwistLimit:
        check_fields(cls.kind, fields, ("bone", "e1", "e2", "boundary", "twist", "spline"))
        points = fields["boundary"]
        if not isinstance(points, (list, tuple)):
            raise InputError(f"Expected pairs of angles in `boundary`, got {points!r}.")
        pairs = [as_numbers("boundary", pair, 2) for pair in points]
        return cls(
            fields["bone"],
            fields["e1"],
            fields["e2"],
            tuple(math.radians(theta) for theta, _ in pairs),
            tuple(math.radians(psi) for _, psi in pairs),
            tuple(math.radians(a) for a in as_numbers("twist", fields["twist"], 2)),  # type: ignore[arg-type]
            fields["spline"],
        )
