"""JointLimit: the rotations that one joint may take.

Angles are written in degrees and kept in radians. Not every float in radians is the image of a
float in degrees; limits therefore keep their angles `settled`: moved by the last bit at most, to a
number that survives a file to the bit.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.limits import (
    LimitRow,
    LimitTable,
    limit_project,
    limit_project_frames,
    limit_table,
    limit_violation,
    limit_violation_frames,
)
from ..kernels.quaternion import quat_canonical
from ..kernels.types import Floats, Quat, Vec3

UNIT = 1e-6
"""Vectors and quaternions this far from unit length are refused."""
EXACT = 1e-12
"""Vectors nearer than this to unit length are kept to the bit, others are normalised."""
DEGREE_DECIMALS = (0, 3, 6, 9, 12)
"""Decimals of degrees that are tried before all of them."""
TYPES = ("fixed", "hinge", "ball")
"""Types of joints."""
IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)


def to_degrees(angle: float) -> float:
    """The shortest decimal number of degrees that stands for a settled angle [rad]."""
    exact = math.degrees(angle)
    near = [math.nextafter(exact, -math.inf), math.nextafter(exact, math.inf)]
    for degrees in (*(round(exact, d) for d in DEGREE_DECIMALS), exact, *near):
        if math.radians(degrees) == angle:
            return degrees + 0.0  # no minus zero
    return exact


def settled(angle: float) -> float:
    """The angle, or its neighbour, that degrees can express [rad]."""
    return math.radians(to_degrees(float(angle)))


class JointLimit(abc.ABC):
    """The rotations that a joint may take, relative to its parent, identity in the neutral stance.

    A limit is a value: frozen, comparable, hashable. It answers for one unit quaternion
    (w, x, y, z) or for an array of them, shape (..., 4), with the numbers that the solvers' kernels
    give. What is beyond it by less than 1e-9 rad counts as inside.
    """

    kind: ClassVar[str]
    """Name of the kind in files."""
    joint_type: ClassVar[str] = "ball"
    """What a joint with such a limit is: "fixed", "hinge" or "ball"."""
    required: ClassVar[tuple[str, ...]] = ()
    """Fields that `as_dict` always has."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Rotations that `as_dict` leaves out where they are identity."""
    kinds: ClassVar[dict[str, type[JointLimit]]] = {}
    """All kinds there are, by their names."""

    def __init_subclass__(cls) -> None:
        JointLimit.kinds[cls.kind] = cls

    @abc.abstractmethod
    def row(self) -> LimitRow:
        """The limit as kernels read it."""

    @abc.abstractmethod
    def mirror(self) -> Self:
        """The limit of the same joint on the other side of the body (x and -x exchanged)."""

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Floats:
        """Random rotations inside the limit, shape (size, 4); one of shape (4,) without a size."""
        return self._samples(rng, 1)[0] if size is None else self._samples(rng, size)

    @abc.abstractmethod
    def _samples(self, rng: np.random.Generator, size: int) -> Floats:
        """Random rotations inside the limit, shape (size, 4)."""

    @abc.abstractmethod
    def _fields(self) -> dict[str, Any]:
        """Required fields as plain numbers and names, angles in degrees; `degrees` takes them."""

    @classmethod
    @abc.abstractmethod
    def degrees(cls, *args: Any, **fields: Any) -> Self:
        """Build the limit from angles in degrees."""

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and names, angles in degrees; `from_dict` gives back an equal limit."""
        frames = {name: list(getattr(self, name)) for name in self.optional}
        framed = {name: q for name, q in frames.items() if q != list(IDENTITY)}
        return {"kind": self.kind, **self._fields(), **framed}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> JointLimit:
        """Build any kind of limit from what `as_dict` gave.

        Raises:
            UnknownName: there is no such kind or field.
            InputError: a field is missing or makes no sense.
        """
        fields = dict(data)
        kind = fields.pop("kind", None)
        if not isinstance(kind, str) or kind not in JointLimit.kinds:
            raise UnknownName("kind of limit", str(kind), sorted(JointLimit.kinds))
        cls = JointLimit.kinds[kind]
        for name in cls.required:
            if name not in fields:
                raise InputError(
                    f"Expected a field `{name}` in a limit of kind {kind!r}, got none."
                )
        for name in fields:
            if name not in cls.required + cls.optional:
                known = (*cls.required, *cls.optional)
                raise UnknownName(f"field of a limit of kind {kind!r}:", name, known)
        return cls.degrees(**fields)

    @cached_property
    def _table(self) -> LimitTable:
        return limit_table([self.row()])

    def violation(self, rotations: ArrayLike) -> Floats:
        """How far beyond the limit [rad], shape (...); 0 inside."""
        q = _quaternions(rotations)
        if q.ndim == 1:
            return cast("Floats", np.float64(limit_violation(self._table, 0, tuple(q.tolist()))))
        out = np.empty((q.size // 4, 1))
        limit_violation_frames(self._table, q.reshape(-1, 1, 4), out)
        return out.reshape(q.shape[:-1])

    def contains(self, rotations: ArrayLike) -> Any:
        """Whether rotations are inside the limit, shape (...)."""
        return self.violation(rotations) == 0.0

    def project(self, rotations: ArrayLike) -> Floats:
        """The nearest rotations inside, in the limit's own coordinates, shape (..., 4).

        Rotations that are inside come back to the bit.
        """
        q = _quaternions(rotations)
        if q.ndim == 1:
            return np.array(limit_project(self._table, 0, tuple(q.tolist())))
        out = np.empty((q.size // 4, 1, 4))
        limit_project_frames(self._table, q.reshape(-1, 1, 4), out)
        return out.reshape(q.shape)


def _quaternions(values: ArrayLike) -> Floats:
    """A writable array for kernels, which are compiled for that layout only."""
    q = np.array(values, dtype=np.float64, order="C")
    if q.ndim == 0 or q.shape[-1] != 4:
        raise InputError(f"Expected quaternions of shape (..., 4), got shape {q.shape}.")
    if not (np.abs(np.linalg.norm(q, axis=-1) - 1.0) <= UNIT).all():
        raise InputError("Expected unit quaternions (w, x, y, z), got other lengths or NaN.")
    return q


def as_number(name: str, value: Any) -> float:
    """A finite float; bool and text are not numbers."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        with suppress(OverflowError):  # an integer of hundreds of digits
            if math.isfinite(number := float(value)):
                return number
    raise InputError(f"Expected a finite number in `{name}`, got {value!r:.60}.")


def as_numbers(name: str, values: Any, count: int | None = None) -> tuple[float, ...]:
    """Finite floats, as many as are expected."""
    many = f"{count} numbers" if count else "numbers"
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
        raise InputError(f"Expected {many} in `{name}`, got {values!r}.")
    if count is not None and len(values) != count:
        raise InputError(f"Expected {many} in `{name}`, got {len(values)}.")
    return tuple(as_number(name, value) for value in values)


def as_direction(name: str, values: Any) -> Vec3:
    """A unit vector."""
    x, y, z = as_numbers(name, values, 3)
    length = math.sqrt(x * x + y * y + z * z)
    if abs(length - 1.0) > UNIT:
        raise InputError(
            f"Expected a unit vector in `{name}`, got {(x, y, z)} of length {length:g}."
        )
    if abs(length - 1.0) > EXACT:
        x, y, z = x / length, y / length, z / length
    return (x + 0.0, y + 0.0, z + 0.0)  # no minus zero


def as_rotation(name: str, values: Any) -> Quat:
    """A unit quaternion (w, x, y, z); of q and -q the one whose first component is positive."""
    q = as_numbers(name, values, 4)
    length = math.sqrt(sum(c * c for c in q))
    if abs(length - 1.0) > UNIT:
        raise InputError(f"Expected a unit quaternion in `{name}`, got {q} of length {length:g}.")
    if abs(length - 1.0) > EXACT:
        q = tuple(c / length for c in q)
    w, x, y, z = quat_canonical((q[0], q[1], q[2], q[3]))
    return (w + 0.0, x + 0.0, y + 0.0, z + 0.0)  # no minus zero


def as_interval(name: str, low: Any, high: Any) -> tuple[float, float]:
    """An interval of angles [rad], at most one turn wide."""
    low, high = settled(as_number(name, low)), settled(as_number(name, high))
    if not low <= high <= low + 2.0 * math.pi * (1.0 + EXACT):
        raise InputError(
            f"Expected low <= high <= low + 360 degrees in `{name}`, "
            f"got {math.degrees(low):g} and {math.degrees(high):g} degrees."
        )
    return low, high
